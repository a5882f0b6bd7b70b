#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <variant>

#include <gmp.h>
#include <pthread.h>
#include <sys/resource.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include <apps/residua/cli/console.hpp>
#include <apps/residua/cli/interrupt.hpp>
#include <apps/residua/cli/started_processes.hpp>
#include <apps/residua/cli/yardsticks.hpp>
#include <apps/residua/commands/commands.hpp>
#include <residua/io/team.hpp>
#include <residua/solvers/base/memory.hpp>
#include <residua/solvers/files/load.hpp>
#include <residua/solvers/serve.hpp>

namespace {

using namespace residua;

template <class... F>
struct overloaded : F... {
    using F::operator()...;
};
template <class... F>
overloaded(F...) -> overloaded<F...>;  // Clang 16 needs it

/// all  the processes that share a solve; null: this one
exit_code run(const command_args& args, processes* all)
{
    return std::visit(
        overloaded{[](const help_args& help) {
                       put(help.text);
                       return exit_code::done;
                   },
                   [all](solve_args a) {
                       a.options.processes = all;
                       return run_solve(a);
                   },
                   [](const compare_args& a) { return run_compare(a); }, [](const info_args& a) { return run_info(a); },
                   [](const generate_args& a) { return run_generate(a); },
                   []([[maybe_unused]] const bench_args& a) {
                       if constexpr (has_yardsticks) {
                           return run_bench(a);
                       } else {
                           return exit_code::usage;  // the parser knows no such command
                       }
                   }},
        args);
}

/// Writes an error message in one line, even if names of files or options contain line ends.
exit_code complain(exit_code code, std::string what)
{
    std::replace(what.begin(), what.end(), '\n', ' ');
    tell("residua: " + what + "\n");
    return code;
}

bool has_limited_addresses()
{
    struct rlimit limit {};
    return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

/// Keeps freed memory for the next step of a solve: giving it back to the system between steps costs more than many
/// steps do, since the system clears it each time. Where memory is short, it is given back.
void keep_freed_memory()
{
#if defined(__GLIBC__)
    constexpr double share = 1.0 / 16.0, least = 0x1p26;
    const double most = std::min<double>(share * available_memory_bytes(), std::numeric_limits<int>::max());
    if (!has_limited_addresses() && most > least) {
        (void)mallopt(M_MMAP_THRESHOLD, static_cast<int>(most / 2.0));
        (void)mallopt(M_TRIM_THRESHOLD, static_cast<int>(most));
    }
#endif
}

/// Allocation for GMP and MPFR, which would otherwise end the process when memory runs out.
void* allocate_or_throw(std::size_t bytes)
{
    void* const p = std::malloc(bytes);
    return p != nullptr ? p : throw std::bad_alloc();
}

void* reallocate_or_throw(void* old, std::size_t, std::size_t bytes)
{
    void* const p = std::realloc(old, bytes);
    return p != nullptr ? p : throw std::bad_alloc();
}

void give_back(void* p, std::size_t) { std::free(p); }

/// f() on a stack of 8 MiB. If `ulimit -s` allows less, f runs in a thread; later threads get stacks of that size too.
///
/// throws  std::system_error if there is no room for it
template <class F>
void on_large_stack(const F& f)
{
    constexpr std::size_t bytes = std::size_t{8} << 20;
    struct rlimit limit {};
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= bytes) {
        f();
        return;
    }
#if defined(__GLIBC__)
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, bytes);
    (void)pthread_setattr_default_np(&attributes);
    pthread_attr_destroy(&attributes);
#endif
    std::thread(f).join();
}

/// f(), or the exit code of what it throws, which is said.
template <class F>
exit_code explained(const F& f)
{
    try {
        return f();
    } catch (const io::stopped_error& e) {
        return complain(interrupt_guard::requested() ? exit_code::interrupted : exit_code::not_converged, e.what());
    } catch (const singular_matrix& e) {
        return complain(exit_code::breakdown, e.what());
    } catch (const usage_error& e) {
        return complain(exit_code::usage, e.what());
    } catch (const resource_error& e) {
        return complain(exit_code::resources, e.what());
    } catch (const std::bad_alloc&) {
        return complain(exit_code::resources, "out of memory");
    } catch (const std::system_error& e) {  // a path or a thread that the system refuses
        return complain(exit_code::resources, e.what());
    } catch (const error& e) {  // input_error, dimension_error, unsupported_error
        return complain(exit_code::bad_input, e.what());
    }
}

/// The command on this process, or on process 0 of those that were started together: all of them get its exit code.
exit_code run_on_all(int argc, char** argv)
{
    std::unique_ptr<processes> all;
    if (const exit_code opened = explained([&] {
            try {
                all = started_processes();
            } catch (const resource_error&) {
                if (!started_as_another()) {  // one says it for all
                    throw;
                }
                return exit_code::resources;
            }
            return exit_code::done;
        });
        opened != exit_code::done) {
        return opened;
    }
    const auto lead = [&] { return explained([&] { return run(parse_command_line(argc, argv), all.get()); }); };
    if (all == nullptr) {
        return lead();
    }
    const io::thread_limit share(threads_of_process());
    std::optional<interrupt_guard> guard;
    if (all->rank() > 0) {
        guard.emplace();
    }
    return static_cast<exit_code>(lead_or_serve(
        *all, [&] { return static_cast<int>(lead()); }, interrupt_guard::requested));
}

}  // namespace

int main(int argc, char** argv)
{
    mp_set_memory_functions(allocate_or_throw, reallocate_or_throw, give_back);
    keep_freed_memory();
    hold_standard_streams();
    (void)std::signal(SIGXFSZ,
                      SIG_IGN);  // so that exceeding a limit on file sizes is a write error, as a full disk is
    auto code = static_cast<int>(exit_code::resources);
    try {
        on_large_stack([&] { code = static_cast<int>(run_on_all(argc, argv)); });
    } catch (const std::system_error& e) {
        complain(exit_code::resources, std::string("no room for a stack: ") + e.what());
    }
    if (has_limited_addresses()) {
        std::_Exit(code);  // otherwise OpenBLAS waits for ever for threads for which there was no room
    }
    return code;
}
