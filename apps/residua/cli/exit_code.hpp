#pragma once

#include <residua/io/error.hpp>

namespace residua {

/// What the process returns. docs/command-line.md tells users the same.
enum class exit_code : int {
    done = 0,
    not_converged = 1,  ///< also stagnation, the time limit, or fewer digits than asked
    usage = 2,
    bad_input = 3,
    breakdown = 4,
    resources = 5,
    interrupted = 130
};

/// A command line that cannot be meant: exit_code::usage.
class usage_error : public error {
public:
    using error::error;
};

}  // namespace residua
