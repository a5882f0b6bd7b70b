#pragma once

#include <mutex>

namespace residua::blas::detail {

/// One thread for OpenBLAS while it lives: the bits of its factors depend on their number, which is one for all
/// callers, so that these come in turn.
class single_threaded_blas {
public:
    /// throws  resource_error where OpenBLAS, which would wait for ever, has no room for its buffers
    single_threaded_blas();
    ~single_threaded_blas();
    single_threaded_blas(const single_threaded_blas&) = delete;
    single_threaded_blas& operator=(const single_threaded_blas&) = delete;

private:
    static std::mutex& turn();

    std::lock_guard<std::mutex> mine_{turn()};
    int before_ = 0;
};

}  // namespace residua::blas::detail
