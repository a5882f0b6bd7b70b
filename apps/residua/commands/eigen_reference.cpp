#include "eigen_reference.hpp"

#include <Eigen/LU>

#include <residua/arith/base/random.hpp>
#include <residua/arith/real/eigen.hpp>

namespace residua {

std::array<std::vector<real>, 2> eigen_solutions(const linear_system& system, long bits)
{
    using matrix = Eigen::Matrix<real, Eigen::Dynamic, Eigen::Dynamic>;
    matrix a = matrix::Constant(system.rows, system.cols, real(0.0, bits));
    matrix b(system.rows, 2);
    splitmix64 random{1};
    for (index_t i = 0; i < system.rows; ++i) {
        for (index_t k = system.row_begin[i]; k < system.row_begin[i + 1]; ++k) {
            a(i, system.column[k]) = entry(system, k, bits).with_precision(bits);
        }
        b(i, 0) = system.b[i].with_precision(bits);
        b(i, 1) = real(uniform(random), bits);
    }
    const matrix x = a.partialPivLu().solve(b);
    return {std::vector<real>(x.col(0).begin(), x.col(0).end()), std::vector<real>(x.col(1).begin(), x.col(1).end())};
}

}  // namespace residua
