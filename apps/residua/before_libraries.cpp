// Under a limit of the address space (ulimit -v) OpenBLAS has one thread. When it is loaded, it starts a thread for each
// processor, and each maps 128 MB; where there is no room for that it tries for ever, so that the program never ends. One
// thread is what residua calls it with.

#include <cstddef>
#include <cstring>

#include <sys/resource.h>
#include <unistd.h>

namespace {

/// Runs the program once more, with the variable that OpenBLAS reads when it is loaded. Returns if there is no limit, or if the
/// program cannot be run again.
void limit_threads_of_openblas(int /*argc*/, char** argv, char** environment)
{
    constexpr char one_thread[] = "OPENBLAS_NUM_THREADS=1";
    struct rlimit limit {};
    std::size_t size = 0;
    while (environment[size] != nullptr) {
        ++size;
    }
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
        (size > 0 && std::strcmp(environment[0], one_thread) == 0)) {
        return;
    }
    char path[4096];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0) {
        return;
    }
    path[length] = '\0';
    char first[sizeof one_thread];
    std::memcpy(first, one_thread, sizeof first);
    auto** const changed = static_cast<char**>(__builtin_alloca((size + 2) * sizeof(char*)));
    changed[0] = first;  // the first of a name counts
    std::memcpy(changed + 1, environment, (size + 1) * sizeof(char*));
    execve(path, argv, changed);
}

/// Called before the libraries that the program is linked to are initialised.
[[gnu::section(".preinit_array"), gnu::used]] void (*const before_libraries)(int, char**,
                                                                             char**) = limit_threads_of_openblas;

}  // namespace
