// Banded and stencil kinds, with indices from 0.

#include <array>
#include <cmath>

#include <residua/solvers/gallery/kinds.hpp>

namespace residua::detail {
namespace {

struct diagonal {
    index_t offset = 0;  ///< row - column
    real value;
};

/// A matrix of constant diagonals, ordered by offset. A symmetric one has those with offset >= 0.
gallery_matrix banded(index_t n, bool symmetric, const std::vector<diagonal>& diagonals)
{
    double entries = 0.0;
    for (const diagonal& d : diagonals) {
        entries += std::max(0.0, static_cast<double>(n - std::abs(d.offset)));
    }
    return {.order = n,
            .entries = entries,
            .symmetric = symmetric,
            .dense = false,
            .column = [=](index_t j, std::vector<gallery_entry>& column) {
                for (const diagonal& d : diagonals) {
                    const index_t i = j + d.offset;
                    if (0 <= i && i < n) {
                        column.push_back({i, d.value});
                    }
                }
            }};
}

/// A stencil on n^dimensions grid points, the first axis fastest: `centre` on the diagonal, and
/// for each axis `before` and `after`, the coefficients of the neighbours at -1 and +1.
gallery_matrix stencil(index_t n, int dimensions, bool symmetric, const real& centre, const real& before,
                       const real& after)
{
    const index_t order = gallery_order(n, dimensions);
    const double points = static_cast<double>(order);
    const double neighbours = dimensions * (points - points / static_cast<double>(n));
    return {.order = order,
            .entries = points + (symmetric ? 1.0 : 2.0) * neighbours,
            .symmetric = symmetric,
            .dense = false,
            // Column j holds what the point j gives to its neighbours' rows: to the one at +1 it
            // is the neighbour before, to the one at -1 the neighbour after.
            .column = [=](index_t j, std::vector<gallery_entry>& column) {
                std::array<index_t, 3> stride{1, n, n * n};
                for (int axis = symmetric ? -1 : dimensions - 1; axis >= 0; --axis) {
                    const index_t step = stride[static_cast<std::size_t>(axis)];
                    if (j / step % n > 0) {
                        column.push_back({j - step, after});
                    }
                }
                column.push_back({j, centre});
                for (int axis = 0; axis < dimensions; ++axis) {
                    const index_t step = stride[static_cast<std::size_t>(axis)];
                    if (j / step % n < n - 1) {
                        column.push_back({j + step, before});
                    }
                }
            }};
}

gallery_matrix poisson(const gallery_options& options, int dimensions)
{
    gallery_order(options.n, dimensions);
    return stencil(options.n, dimensions, true, real(2 * dimensions), real(-1), real(-1));
}

}  // namespace

/// W(n)+: |i - (n-1)/2| on the diagonal, ones beside it.
gallery_matrix make_wilkinson(const gallery_options& options)
{
    const index_t n = gallery_order(options.n);
    gallery_matrix result = banded(n, true, {{0, real(1)}, {1, real(1)}});
    result.column = [n, ones = result.column](index_t j, std::vector<gallery_entry>& column) {
        ones(j, column);
        column.front().value = ldexp(real(std::abs(2 * j - (n - 1))), -1);
    };
    return result;
}

gallery_matrix make_poisson1d(const gallery_options& options) { return poisson(options, 1); }

gallery_matrix make_poisson2d(const gallery_options& options) { return poisson(options, 2); }

gallery_matrix make_poisson3d(const gallery_options& options) { return poisson(options, 3); }

/// -laplace(u) + w (u_x + u_y), central differences, times h^2; peclet = w h / 2.
gallery_matrix make_convection_diffusion(const gallery_options& options)
{
    const real one(1.0, options.peclet.precision());
    return stencil(options.n, 2, false, real(4), -(one + options.peclet), -(one - options.peclet));
}

gallery_matrix make_toeplitz(const gallery_options& options)
{
    const index_t n = gallery_order(options.n);
    return banded(n, false, {{-1, real(1)}, {0, real(2)}, {2, real(2)}});
}

/// Symmetric positive definite: d_i t_ij d_j with T = tridiag(-1, 4, -1), whose condition is
/// below 3, and d_i = 10^-round(e i/(n-1)), 2e = log10(cond).
gallery_matrix make_graded(const gallery_options& options)
{
    const index_t n = gallery_order(options.n);
    const double half = to_double(log10(options.cond)) / 2.0;
    const long bits = static_cast<long>(4 * options.digits) + 64;
    const auto exponent_of = [=](index_t i) {
        const double share = n > 1 ? static_cast<double>(i) / static_cast<double>(n - 1) : 0.0;
        return std::lround(half * share);
    };
    gallery_matrix result = banded(n, true, {{0, real(4)}, {1, real(-1)}});
    result.column = [=, plain = result.column](index_t j, std::vector<gallery_entry>& column) {
        plain(j, column);
        for (gallery_entry& entry : column) {
            const long power = exponent_of(entry.row) + exponent_of(j);
            entry.value = entry.value.with_precision(bits) / pow(real(10, bits), power);
        }
    };
    return result;
}

}  // namespace residua::detail
