#pragma once

#include <optional>

#include <residua/solvers/base/determinant.hpp>
#include <residua/solvers/session/prepared.hpp>

namespace residua {

/// det(A) to so many digits, to three if `digits` is 0. That of a structurally singular matrix is 0, with an error of 0.
///
/// shapes   A (n x n)
/// cost     factors in the bits that this needs
/// reports  nothing if these are out of reach, or A looks singular
std::optional<determinant_estimate> find_determinant(prepared_system& prepared, int digits);

/// The inertia of A by factors whose errors no eigenvalue crosses zero for.
///
/// shapes   A (n x n), symmetric
/// cost     factors L L' or L D L'
/// reports  nothing if they are out of reach, or A looks singular
std::optional<inertia> find_inertia(prepared_system& prepared);

}  // namespace residua
