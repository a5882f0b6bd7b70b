#include <residua/blas/base/single_threaded_blas.hpp>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <omp.h>

#include <residua/io/error.hpp>

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
    static int taken = 0;  // callers come in turn
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

}  // namespace

single_threaded_blas::single_threaded_blas()
{
    take_buffers(omp_get_max_threads());
    if (openblas_get_num_threads != nullptr && openblas_set_num_threads != nullptr) {
        before_ = openblas_get_num_threads();
        openblas_set_num_threads(1);
    }
}

single_threaded_blas::~single_threaded_blas()
{
    if (before_ > 0) {
        openblas_set_num_threads(before_);
    }
}

std::mutex& single_threaded_blas::turn()
{
    static std::mutex all;
    return all;
}

}  // namespace residua::blas::detail
