#include <new>
#include <string>
#include <system_error>
#include <variant>

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
    hold_standard_streams();
    return static_cast<int>(run_and_explain(argc, argv));
}
