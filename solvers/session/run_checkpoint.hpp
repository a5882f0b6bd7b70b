#pragma once

#include <memory>
#include <vector>

#include <residua/solvers/checkpoint/checkpoint.hpp>
#include <residua/solvers/matrix/linear_system.hpp>
#include <residua/solvers/options/solve_options.hpp>

namespace residua {

/// The checkpoint that options.checkpoint names, of this matrix and of all options that x depends on; null: none is asked for.
///
/// throws  input_error, as checkpoint has it
std::unique_ptr<checkpoint> open_checkpoint(const linear_system& system, const solve_options& options);

/// Of the right-hand sides of a call, and of the initial guess.
content_key key_of_call(const std::vector<const std::vector<real>*>& right_hand_sides, const solve_options& options);

}  // namespace residua
