#pragma once

#include <optional>

#include <residua/solvers/base/determinant.hpp>
#include <residua/solvers/session/prepared.hpp>

namespace residua {

/// det(A) to `digits` digits, or to three if that is 0; of the real form of a complex matrix that of the complex one. A structurally
/// singular A has determinant 0, with the error 0.
///
/// shapes   A (n x n)
/// cost     factors in the precision that the digits need; of a complex matrix with sparse factors twice, the second time L D L' if
///          it is hermitian and not definite, and L U in pairs (analyze_in_pairs()) if it is not hermitian
/// reports  nothing if such factors are out of reach, A looks singular, or the moduli by both factors differ by more than the
///          error allows
std::optional<determinant_estimate> find_determinant(prepared_system& prepared, int digits);

/// The inertia of A by factors whose errors are too small to move an eigenvalue across zero.
///
/// shapes   A (n x n), symmetric
/// cost     factors L L' or L D L'
/// reports  nothing if they are out of reach, or A looks singular
std::optional<inertia> find_inertia(prepared_system& prepared);

}  // namespace residua
