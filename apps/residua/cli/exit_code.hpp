#pragma once

#include <residua/solvers/options/option_text.hpp>

namespace residua {

/// The exit code of the process. docs/command-line.md lists the codes for users.
enum class exit_code : int {
    done = 0,
    not_converged = 1,  ///< also stagnation, the time limit, or fewer digits than asked
    usage = 2,
    bad_input = 3,
    breakdown = 4,
    resources = 5,
    too_few_digits = 6,  ///< fewer digits are backed than --require-digits asks for, whether the solve converged or not
    interrupted = 130
};

/// A command line that makes no sense: exit_code::usage.
using usage_error = option_error;

}  // namespace residua
