#pragma once

#include <optional>

#include <residua/io/team.hpp>

namespace residua::blas::detail {

/// Sets OpenBLAS to one thread while it lives: the bits of its factors depend on the number of threads. This holds for
/// the whole process (openblas_set_num_threads_local of newer releases sets the same number), so other threads that
/// use OpenBLAS meanwhile get one thread, too. The last of several objects restores what the first has found. If
/// OpenBLAS uses OpenMP, parallel regions of the calling thread have one thread, too, until this ends.
///
/// Parallel work of the calling thread meanwhile uses no more threads than OpenBLAS has buffers for.
class single_threaded_blas {
public:
    /// throws  resource_error if the buffer of the calling thread, for which OpenBLAS would wait for ever, has no room
    single_threaded_blas();
    ~single_threaded_blas();
    single_threaded_blas(const single_threaded_blas&) = delete;
    single_threaded_blas& operator=(const single_threaded_blas&) = delete;

private:
    int threads_of_openmp_;
    std::optional<io::thread_limit> limit_;
};

}  // namespace residua::blas::detail
