#pragma once

#include <array>
#include <string_view>

#include "args.hpp"
#include "exit_code.hpp"
#include "option.hpp"

namespace residua {

/// An exit code and what it says.
struct exit_code_text {
    exit_code code;
    std::string_view text;
};

inline constexpr std::array exit_codes{exit_code_text{exit_code::done, "done"},
                                       exit_code_text{exit_code::not_converged, "not converged"},
                                       exit_code_text{exit_code::usage, "usage"},
                                       exit_code_text{exit_code::bad_input, "bad input"},
                                       exit_code_text{exit_code::breakdown, "numerical breakdown"},
                                       exit_code_text{exit_code::resources, "resources"},
                                       exit_code_text{exit_code::too_few_digits, "too few digits"},
                                       exit_code_text{exit_code::interrupted, "interrupted"}};

/// The program's options and commands, and what they set.
class command_line {
public:
    command_line();
    command_line(const command_line&) = delete;
    command_line& operator=(const command_line&) = delete;

    /// What was asked for. The options fit each other.
    ///
    /// throws  CLI::ParseError, usage_error
    command_args parse(int argc, const char* const* argv);

    command app;

private:
    solve_args solve_;
    compare_args compare_;
    info_args info_;
    generate_args generate_;
    bench_args bench_;
};

}  // namespace residua
