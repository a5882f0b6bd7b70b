#include <residua/solvers/gallery/gallery.hpp>

#include <algorithm>
#include <cmath>
#include <string>

#include <residua/solvers/base/memory.hpp>
#include <residua/solvers/base/real_bytes.hpp>
#include <residua/solvers/gallery/kinds.hpp>
#include <residua/solvers/matrix/complex_form.hpp>
#include <residua/solvers/options/near_words.hpp>

namespace residua {

const std::vector<gallery_kind>& gallery()
{
    static const std::vector<gallery_kind> kinds{
        {"hilbert", "a_ij = 1/(i+j-1); kappa about exp(3.5 n)", {.digits = true}, detail::make_hilbert},
        {"invhilbert", "its inverse: integers, as ill conditioned", {}, detail::make_invhilbert},
        {"lotkin", "hilbert with a first row of ones: not symmetric", {.digits = true}, detail::make_lotkin},
        {"vandermonde", "powers of n points from 0 to 1", {.digits = true}, detail::make_vandermonde},
        {"pascal", "binomials C(i+j-2, i-1): integers, determinant 1", {}, detail::make_pascal},
        {"frank", "upper Hessenberg integers, determinant 1", {}, detail::make_frank},
        {"kahan", "upper triangular, kappa grows with n", {.angle = true, .digits = true}, detail::make_kahan},
        {"wilkinson", "symmetric tridiagonal W(n)+ of eigenvalue fame", {}, detail::make_wilkinson},
        {"randsvd",
         "random, with geometric singular values and the condition cond",
         {.cond = true, .seed = true, .definite = true, .digits = true, .complex = true},
         detail::make_randsvd},
        {"poisson1d", "tridiagonal -1, 2, -1", {}, detail::make_poisson1d},
        {"poisson2d", "5-point stencil on an n x n grid", {}, detail::make_poisson2d},
        {"poisson3d", "7-point stencil on an n x n x n grid", {}, detail::make_poisson3d},
        {"convection-diffusion",
         "5-point central differences with wind along both axes, n x n grid",
         {.peclet = true, .digits = true},
         detail::make_convection_diffusion},
        {"elasticity3d",
         "stiffness of n x n x n trilinear elements, one face held",
         {.digits = true, .ratio = true, .coordinates = true},
         detail::make_elasticity3d},
        {"helmholtz2d",
         "waves that leave an n x n grid, 5-point stencil: complex symmetric",
         {.digits = true, .wavenumber = true},
         detail::make_helmholtz2d},
        {"shifted-laplacian2d",
         "-laplace - (1 - i/2) K^2 on an n x n grid: complex symmetric",
         {.digits = true, .wavenumber = true},
         detail::make_shifted_laplacian2d},
        {"scattering1d",
         "a particle behind a barrier, rotated coordinates: complex symmetric",
         {.digits = true},
         detail::make_scattering1d},
        {"hermitian-toeplitz",
         "t_k = (9/10 e^(i theta))^k: complex hermitian, definite",
         {.angle = true, .digits = true},
         detail::make_hermitian_toeplitz},
        {"toeplitz", "diagonal 2, superdiagonal 1, second subdiagonal 2", {}, detail::make_toeplitz},
        {"graded",
         "D T D: T = tridiag(-1, 4, -1), D powers of ten; kappa about cond",
         {.cond = true, .digits = true},
         detail::make_graded},
    };
    return kinds;
}

const gallery_kind& gallery_kind_of(std::string_view name)
{
    std::vector<std::string_view> names;
    for (const gallery_kind& kind : gallery()) {
        if (kind.name == name) {
            return kind;
        }
        names.push_back(kind.name);
    }
    throw unsupported_error(unknown_word(name, names));
}

int gallery_digits(const gallery_kind& kind, const gallery_options& options)
{
    constexpr int usual = 40;
    constexpr int beyond = 24;
    if (options.digits > 0) {
        return options.digits;
    }
    const bool rounded = kind.uses.seed && kind.uses.cond;
    return rounded ? std::max(usual, static_cast<int>(std::ceil(to_double(log10(options.cond)))) + beyond) : usual;
}

gallery_matrix make_gallery(const gallery_kind& kind, const gallery_options& options)
{
    if (!is_finite(options.cond) || !(real(1.0) <= options.cond)) {
        throw error("a condition number is at least 1, not " + to_string(options.cond, 6));
    }
    if (options.digits < 0) {
        throw error("entries cannot have " + std::to_string(options.digits) + " digits");
    }
    gallery_options resolved = options;
    resolved.digits = gallery_digits(kind, options);
    return kind.make(resolved);
}

io::coo<real> all_entries(const gallery_matrix& a)
{
    const bool mirrored = a.symmetric || a.hermitian;
    require_memory("the entries of a test matrix",
                   (mirrored ? 2.0 : 1.0) * (a.complex ? 5.0 : 1.0) *
                       (a.entries * (2.0 * sizeof(index_t)) + real_bytes(a.entries, 64)));
    io::coo<real> all;
    std::vector<real> imaginary;
    all.rows = all.cols = a.order;
    std::vector<gallery_entry> column;
    for (index_t j = 0; j < a.order; ++j) {
        column.clear();
        a.column(j, column);
        for (gallery_entry& entry : column) {
            if (mirrored && entry.row != j) {
                all.row.push_back(j);
                all.col.push_back(entry.row);
                all.value.push_back(entry.value);
                imaginary.push_back(a.hermitian ? -entry.imaginary : entry.imaginary);
            }
            all.row.push_back(entry.row);
            all.col.push_back(j);
            all.value.push_back(std::move(entry.value));
            imaginary.push_back(std::move(entry.imaginary));
        }
    }
    io::sort_and_sum(all, imaginary);
    return a.complex ? real_form(all, imaginary, [](const real& x) { return is_zero(x); }) : all;
}

index_t detail::gallery_order(index_t n, int dimensions)
{
    if (n < 1) {
        throw dimension_error("a matrix has at least one row, not " + std::to_string(n));
    }
    const double order = std::pow(static_cast<double>(n), dimensions);
    require_order(order);
    return static_cast<index_t>(order);
}

void detail::require_order(double order)
{
    if (order >= 0x1p31) {
        throw dimension_error("a matrix of order " + to_string(real(order), 3) + "; the limit is 2^31 - 1");
    }
}

}  // namespace residua
