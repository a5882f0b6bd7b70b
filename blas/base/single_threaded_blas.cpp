#include <residua/blas/base/single_threaded_blas.hpp>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <omp.h>

#include <residua/io/error.hpp>
#include <residua/io/team.hpp>

// Functions of OpenBLAS; other libraries lack them.
extern "C" int openblas_get_num_threads() __attribute__((weak));
extern "C" void openblas_set_num_threads(int threads) __attribute__((weak));
extern "C" const char* openblas_get_config() __attribute__((weak));
extern "C" void* blas_memory_alloc(int position) __attribute__((weak));
extern "C" void blas_memory_free(void* buffer) __attribute__((weak));

namespace residua::blas::detail {
namespace {

/// OpenBLAS allocates a buffer of this size for each calling thread, and keeps it. If the allocation fails, OpenBLAS
/// repeats it for ever.
constexpr std::size_t buffer_bytes = (std::size_t{128} << 20) + 4096;

/// How many threads may call OpenBLAS at the same time. It has places for twice as many buffers as the threads that it
/// was built for, of which its own threads take less than half, and warns if there are more callers.
int most_callers()
{
    constexpr std::string_view key = "MAX_THREADS=";
    const std::string_view built = openblas_get_config != nullptr ? openblas_get_config() : "";
    const std::size_t at = built.find(key);
    int threads = std::numeric_limits<int>::max();
    if (at != std::string_view::npos) {
        (void)std::from_chars(built.data() + at + key.size(), built.data() + built.size(), threads);
    }
    return threads;
}

/// Makes OpenBLAS allocate buffers for `wanted` threads, or for fewer if there is no room for all of them. Returns for
/// how many threads there are buffers then.
///
/// throws  resource_error if there is no room for `least` of them
int take_buffers(int least, int wanted)
{
    static int taken = 0;  // callers hold the lock
    if (wanted <= taken || blas_memory_alloc == nullptr || blas_memory_free == nullptr) {
        return wanted;
    }
    int found = taken;
    {
        std::vector<std::unique_ptr<void, decltype(&std::free)>> room;
        for (; found < wanted; ++found) {
            room.emplace_back(std::malloc(buffer_bytes), &std::free);
            if (room.back() == nullptr) {
                break;
            }
        }
    }
    if (found < least) {
        throw resource_error("no memory for OpenBLAS: it needs " + std::to_string(buffer_bytes) +
                             " bytes for each thread that calls it");
    }
    std::vector<void*> buffers(static_cast<std::size_t>(found));
    for (void*& each : buffers) {
        each = blas_memory_alloc(0);
    }
    for (void* const each : buffers) {
        blas_memory_free(each);
    }
    taken = found;
    return taken;
}

/// The state that all objects share.
struct state {
    static inline std::mutex mutex;
    static inline int users = 0;
    static inline int before = 0;  ///< the threads that OpenBLAS had before; 0: another library
};

}  // namespace

single_threaded_blas::single_threaded_blas() : threads_of_openmp_(omp_get_max_threads())
{
    const int helpers = std::min(io::available_threads(), io::available_processors()) - 1;
    const std::lock_guard lock(state::mutex);
    const int callers = state::users + 1;
    const int most = take_buffers(callers, std::max(callers, std::min(callers + helpers, most_callers())));
    limit_.emplace(most - state::users);
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
