#pragma once

#include <memory>
#include <vector>

#include <residua/solvers/checkpoint/checkpoint.hpp>
#include <residua/solvers/matrix/linear_system.hpp>
#include <residua/solvers/options/solve_options.hpp>
#include <residua/solvers/session/given_rhs.hpp>

namespace residua {

/// Opens the checkpoint that options.checkpoint names, for this matrix and all options that x depends on; null: none.
///
/// throws  input_error as the constructor of checkpoint
std::unique_ptr<checkpoint> open_checkpoint(const linear_system& system, const solve_options& options);

/// The key of a call: of its right-hand sides and of its initial guess.
content_key key_of_call(const std::vector<given_rhs>& right_hand_sides, const solve_options& options);

}  // namespace residua
