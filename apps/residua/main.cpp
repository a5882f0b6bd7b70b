#include <limits>
#include <new>
#include <string>
#include <system_error>
#include <variant>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include <apps/residua/cli/console.hpp>
#include <apps/residua/commands/commands.hpp>
#include <residua/solvers/system/load.hpp>

namespace {

using namespace residua;

template <class... F>
struct overloaded : F... {
    using F::operator()...;
};

exit_code run(const command_args& args)
{
    return std::visit(
        overloaded{[](const help_args& help) {
                       put(help.text);
                       return exit_code::done;
                   },
                   [](const solve_args& a) { return run_solve(a); },
                   [](const compare_args& a) { return run_compare(a); }, [](const info_args& a) { return run_info(a); },
                   [](const generate_args& a) { return run_generate(a); },
                   [](const bench_args& a) { return run_bench(a); }},
        args);
}

exit_code complain(exit_code code, const std::string& what)
{
    tell("residua: " + what + "\n");
    return code;
}

/// What one step frees the next one takes again: to give memory back to the system between them costs more than many steps,
/// since the system clears it each time.
void keep_freed_memory()
{
#if defined(__GLIBC__)
    (void)mallopt(M_MMAP_THRESHOLD, 1 << 30);
    (void)mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
#endif
}

exit_code run_and_explain(int argc, char** argv)
{
    try {
        return run(parse_command_line(argc, argv));
    } catch (const io::stopped_error& e) {
        return complain(exit_code::not_converged, e.what());
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

}  // namespace

int main(int argc, char** argv)
{
    keep_freed_memory();
    hold_standard_streams();
    return static_cast<int>(run_and_explain(argc, argv));
}
