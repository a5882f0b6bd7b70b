// What OpenBLAS reads from the environment when it is loaded. Under a limit of the address space (ulimit -v) it has one thread:
// otherwise it starts a thread for each processor, and each maps 128 MB; where there is no room for that it tries for ever, so that
// the program never ends. One thread is what residua calls it with. On a processor that it does not know it gets the kernels for
// the instructions that are there, and not those for an old processor.

#include <cstddef>
#include <cstring>

#include <sys/resource.h>
#include <unistd.h>

#include <residua/blas/base/library.hpp>

// OpenBLAS's own: its choice of kernels, which it makes again when it is loaded. Absent in other libraries.
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

/// The core whose kernels OpenBLAS had better take; null: the one that it takes.
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

/// Runs the program once more, with the variables that OpenBLAS needs; in that run it finds them. Returns if it needs none, or if
/// the program cannot be run again.
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
        changed[more++] = threads;  // the first of a name counts
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
