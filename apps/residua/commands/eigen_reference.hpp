#pragma once

#include <array>
#include <vector>

#include <residua/solvers/matrix/linear_system.hpp>

namespace residua {

/// The solutions for b and for a random right-hand side. Eigen's LU with partial pivoting computes them in `bits` bits.
std::array<std::vector<real>, 2> eigen_solutions(const linear_system& system, long bits);

}  // namespace residua
