#pragma once

#include <vector>

#include <Eigen/LU>

#include <residua/arith/real/eigen.hpp>
#include <residua/solvers/matrix/linear_system.hpp>

namespace residua::support {

using eigen_matrix = Eigen::Matrix<real, Eigen::Dynamic, Eigen::Dynamic>;
using eigen_vector = Eigen::Matrix<real, Eigen::Dynamic, 1>;

inline std::vector<real> reals(const eigen_vector& x) { return {x.begin(), x.end()}; }

inline eigen_vector eigen_rhs(const linear_system& system, long bits)
{
    eigen_vector b(system.rows);
    for (index_t i = 0; i < system.rows; ++i) {
        b(i) = system.b[i].with_precision(bits);
    }
    return b;
}

inline eigen_matrix eigen_entries(const linear_system& system, long bits)
{
    eigen_matrix a = eigen_matrix::Constant(system.rows, system.cols, real(0.0, bits));
    for (index_t i = 0; i < system.rows; ++i) {
        for (index_t k = system.row_begin[i]; k < system.row_begin[i + 1]; ++k) {
            a(i, system.column[k]) = entry(system, k, bits).with_precision(bits);
        }
    }
    return a;
}

/// The x of a system by Eigen over MPFR, which shares nothing with the solvers: LU of a square matrix, else QR, whose rank
/// is that of its columns. The condition takes its digits from the bits.
std::vector<real> eigen_reference(const linear_system& system, long bits);

/// The shortest of all x with the smallest norm(b - A x), for a matrix whose rank binary64 sees.
std::vector<real> eigen_shortest(const linear_system& system, long bits);

}  // namespace residua::support

extern template class Eigen::PartialPivLU<residua::support::eigen_matrix>;
