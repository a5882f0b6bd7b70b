#include <cstdio>
#include <new>
#include <string>
#include <variant>

#include <fmt/format.h>

#include "commands.hpp"

namespace {

using namespace residua;

template <class... F>
struct overloaded : F... {
    using F::operator()...;
};

exit_code run(const command_args& args)
{
    return std::visit(overloaded{[](const help_args& help) {
                                     fmt::print("{}", help.text);
                                     return exit_code::done;
                                 },
                                 [](const solve_args& a) { return run_solve(a); },
                                 [](const compare_args& a) { return run_compare(a); },
                                 [](const info_args& a) { return run_info(a); },
                                 [](const generate_args& a) { return run_generate(a); }},
                      args);
}

exit_code complain(exit_code code, const std::string& what)
{
    fmt::print(stderr, "residua: {}\n", what);
    return code;
}

exit_code run_and_explain(int argc, char** argv)
{
    try {
        return run(parse_command_line(argc, argv));
    } catch (const usage_error& e) {
        return complain(exit_code::usage, e.what());
    } catch (const resource_error& e) {
        return complain(exit_code::resources, e.what());
    } catch (const std::bad_alloc&) {
        return complain(exit_code::resources, "out of memory");
    } catch (const error& e) {  // input_error, dimension_error, unsupported_error
        return complain(exit_code::bad_input, e.what());
    }
}

}  // namespace

int main(int argc, char** argv)
{
    exit_code code = run_and_explain(argc, argv);
    if (std::fflush(stdout) != 0 && code == exit_code::done) {
        code = complain(exit_code::resources, "cannot write to standard output");
    }
    return static_cast<int>(code);
}
