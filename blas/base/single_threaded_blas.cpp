#include <residua/blas/base/single_threaded_blas.hpp>

#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <omp.h>

#include <residua/io/error.hpp>
#include <residua/io/team.hpp>

// OpenBLAS's own; absent in other libraries.
extern "C" int openblas_get_num_threads() __attribute__((weak));
extern "C" void openblas_set_num_threads(int threads) __attribute__((weak));
extern "C" void* blas_memory_alloc(int position) __attribute__((weak));
extern "C" void blas_memory_free(void* buffer) __attribute__((weak));

namespace residua::blas::detail {
namespace {

/// OpenBLAS allocates a buffer of this size for each calling thread, and keeps it. If the allocation fails, OpenBLAS
/// repeats it for ever.
constexpr std::size_t buffer_bytes = (std::size_t{128} << 20) + 4096;

/// Makes OpenBLAS allocate its buffers for this number of threads.
///
/// throws  resource_error if there is no room for them
void take_buffers(int threads)
{
    static int taken = 0;  // callers hold the lock
    if (threads <= taken || blas_memory_alloc == nullptr || blas_memory_free == nullptr) {
        return;
    }
    {
        std::vector<std::unique_ptr<void, decltype(&std::free)>> room;
        for (int k = taken; k < threads; ++k) {
            room.emplace_back(std::malloc(buffer_bytes), &std::free);
            if (room.back() == nullptr) {
                throw resource_error("no memory for OpenBLAS: it needs " + std::to_string(buffer_bytes) +
                                     " bytes for each of " + std::to_string(threads) + " threads");
            }
        }
    }
    std::vector<void*> buffers(static_cast<std::size_t>(threads));
    for (void*& each : buffers) {
        each = blas_memory_alloc(0);
    }
    for (void* const each : buffers) {
        blas_memory_free(each);
    }
    taken = threads;
}

/// Of all that live.
struct state {
    static inline std::mutex mutex;
    static inline int users = 0;
    static inline int before = 0;  ///< what OpenBLAS had; 0: another library
};

}  // namespace

single_threaded_blas::single_threaded_blas() : threads_of_openmp_(omp_get_max_threads())
{
    const int team = io::available_threads();
    const std::lock_guard lock(state::mutex);
    take_buffers((state::users + 1) * team);
    if (openblas_get_num_threads != nullptr && openblas_set_num_threads != nullptr) {
        if (state::users == 0) {
            state::before = openblas_get_num_threads();
        }
        if (openblas_get_num_threads() != 1) {
            openblas_set_num_threads(1);
        }
    }
    ++state::users;
}

single_threaded_blas::~single_threaded_blas()
{
    {
        const std::lock_guard lock(state::mutex);
        if (--state::users == 0 && state::before > 1 && openblas_get_num_threads() == 1) {
            openblas_set_num_threads(state::before);
        }
    }
    omp_set_num_threads(threads_of_openmp_);
}

}  // namespace residua::blas::detail
