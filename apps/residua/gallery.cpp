#include "gallery.hpp"

#include <cmath>

#include <fmt/format.h>

#include <apps/residua/cli/exit_code.hpp>

namespace residua {

const std::vector<gallery_kind>& gallery()
{
    static const std::vector<gallery_kind> kinds{
        {"hilbert", "a_ij = 1/(i+j-1); kappa about exp(3.5 n)", {.digits = true}, make_hilbert},
        {"invhilbert", "its inverse: integers, as ill conditioned", {}, make_invhilbert},
        {"lotkin", "hilbert with a first row of ones: not symmetric", {.digits = true}, make_lotkin},
        {"vandermonde", "powers of n points from 0 to 1", {.digits = true}, make_vandermonde},
        {"pascal", "binomials C(i+j-2, i-1): integers, determinant 1", {}, make_pascal},
        {"frank", "upper Hessenberg integers, determinant 1", {}, make_frank},
        {"kahan", "upper triangular, kappa grows with n", {.angle = true, .digits = true}, make_kahan},
        {"wilkinson", "symmetric tridiagonal W(n)+ of eigenvalue fame", {}, make_wilkinson},
        {"randsvd",
         "random, with geometric singular values and the condition --cond",
         {.cond = true, .seed = true, .definite = true, .digits = true},
         make_randsvd},
        {"poisson1d", "tridiagonal -1, 2, -1", {}, make_poisson1d},
        {"poisson2d", "5-point stencil on an n x n grid", {}, make_poisson2d},
        {"poisson3d", "7-point stencil on an n x n x n grid", {}, make_poisson3d},
        {"convection-diffusion",
         "5-point central differences with wind along both axes, n x n grid",
         {.peclet = true, .digits = true},
         make_convection_diffusion},
        {"toeplitz", "diagonal 2, superdiagonal 1, second subdiagonal 2", {}, make_toeplitz},
        {"graded",
         "D T D: T = tridiag(-1, 4, -1), D powers of ten; kappa about --cond",
         {.cond = true, .digits = true},
         make_graded},
    };
    return kinds;
}

index_t gallery_order(index_t n, int dimensions)
{
    if (n < 1) {
        throw usage_error(fmt::format("--n {}: a matrix has at least one row", n));
    }
    const double order = std::pow(static_cast<double>(n), dimensions);
    if (order >= 0x1p31) {
        throw usage_error(fmt::format("--n {}: a matrix of order {:.3g}; the limit is 2^31 - 1", n, order));
    }
    return static_cast<index_t>(order);
}

}  // namespace residua
