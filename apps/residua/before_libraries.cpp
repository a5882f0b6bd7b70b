// Sets environment variables that OpenBLAS reads when it is loaded. With a limited address space (ulimit -v) it gets
// one thread: otherwise it starts a thread for each processor, each of which maps 128 MB, and without room for that it
// retries for ever, so that the program never ends. Residua calls it with one thread anyway. On a processor that it
// does not know, it gets the kernels for the instruction sets that the processor has, not those for an old processor.

#include <cstddef>
#include <cstring>

#include <sys/resource.h>
#include <unistd.h>

#include <residua/blas/base/library.hpp>

// Functions of OpenBLAS that choose its kernels, as it does again when it is loaded. Other libraries lack them.
extern "C" void gotoblas_dynamic_init() __attribute__((weak));
extern "C" void gotoblas_dynamic_quit() __attribute__((weak));
extern "C" char* openblas_get_corename() __attribute__((weak));

namespace {

constexpr char one_thread[] = "OPENBLAS_NUM_THREADS=1";
constexpr char core_type[] = "OPENBLAS_CORETYPE=";

bool limits_addresses()
{
    struct rlimit limit {};
    return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

/// The core whose kernels OpenBLAS should use; null if its own choice is right, or if the library is not OpenBLAS.
const char* better_core()
{
    if (gotoblas_dynamic_init == nullptr || gotoblas_dynamic_quit == nullptr || openblas_get_corename == nullptr) {
        return nullptr;
    }
    gotoblas_dynamic_init();
    const char* const better = residua::blas::detail::better_core(openblas_get_corename());
    gotoblas_dynamic_quit();
    return better;
}

/// Runs the program again with the variables that OpenBLAS needs; that run finds them set. Returns if none is needed,
/// or if the program cannot be run again.
void set_environment_of_openblas(int /*argc*/, char** argv, char** environment)
{
    std::size_t size = 0;
    bool has_core = false;
    while (environment[size] != nullptr) {
        has_core = has_core || std::strncmp(environment[size], core_type, sizeof core_type - 1) == 0;
        ++size;
    }
    const bool needs_one_thread = limits_addresses() && (size == 0 || std::strcmp(environment[0], one_thread) != 0);
    const char* const core = has_core ? nullptr : better_core();
    if (!needs_one_thread && core == nullptr) {
        return;
    }
    char path[4096];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0) {
        return;
    }
    path[length] = '\0';
    char threads[sizeof one_thread], kernels[sizeof core_type + 32] = "";
    std::memcpy(threads, one_thread, sizeof threads);
    auto** const changed = static_cast<char**>(__builtin_alloca((size + 3) * sizeof(char*)));
    std::size_t more = 0;
    if (needs_one_thread) {
        changed[more++] = threads;  // getenv() finds the first entry of a name
    }
    if (core != nullptr) {
        changed[more++] = std::strcat(std::strcpy(kernels, core_type), core);
    }
    std::memcpy(changed + more, environment, (size + 1) * sizeof(char*));
    execve(path, argv, changed);
}

/// Called before the libraries that the program is linked to are initialised.
[[gnu::section(".preinit_array"), gnu::used]] void (*const before_libraries)(int, char**,
                                                                             char**) = set_environment_of_openblas;

}  // namespace
