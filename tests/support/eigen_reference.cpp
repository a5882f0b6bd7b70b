// Eigen's decompositions of matrices of reals, compiled once for all tests.
#include "eigen_reference.hpp"

#include <Eigen/QR>

template class Eigen::PartialPivLU<residua::support::eigen_matrix>;

namespace residua::support {

std::vector<real> eigen_reference(const linear_system& system, long bits)
{
    const eigen_matrix a = eigen_entries(system, bits);
    const eigen_vector b = eigen_rhs(system, bits);
    return reals(system.rows == system.cols ? eigen_vector(a.partialPivLu().solve(b))
                                            : eigen_vector(a.householderQr().solve(b)));
}

std::vector<real> eigen_shortest(const linear_system& system, long bits)
{
    return reals(eigen_entries(system, bits).completeOrthogonalDecomposition().solve(eigen_rhs(system, bits)));
}

}  // namespace residua::support
