#pragma once

#include <optional>

#include <residua/io/team.hpp>

namespace residua::blas::detail {

/// One thread for OpenBLAS while it lives: the bits of its factors depend on their number. It has one number for the whole
/// process (openblas_set_num_threads_local of newer releases sets the same one), so other threads that use OpenBLAS
/// meanwhile get one thread, too. The last of several that live gives back what the first has found. Where OpenBLAS uses
/// OpenMP, the calling thread has one thread for its own parallel regions as well, until this ends.
///
/// Work that the calling thread shares meanwhile is by no more threads than OpenBLAS has buffers for.
class single_threaded_blas {
public:
    /// throws  resource_error where OpenBLAS, which would wait for ever, has no room for the buffer of the calling thread
    single_threaded_blas();
    ~single_threaded_blas();
    single_threaded_blas(const single_threaded_blas&) = delete;
    single_threaded_blas& operator=(const single_threaded_blas&) = delete;

private:
    int threads_of_openmp_;
    std::optional<io::thread_limit> limit_;
};

}  // namespace residua::blas::detail
