// Linear elasticity on a cube of trilinear hexahedra.

#include <array>
#include <memory>

#include <residua/solvers/gallery/kinds.hpp>

namespace residua::detail {
namespace {

constexpr int directions = 3;
using place = std::array<index_t, directions>;  ///< of a node, in sides of an element

/// Integrals of products of hat functions on [0, n - 1] with nodes 0, 1, ..., n - 1, as integers.
struct hats {
    index_t n = 0;

    bool is_end(index_t x) const { return x == 0 || x == n - 1; }
    /// 6 times that of f_x f_y
    int mass(index_t x, index_t y) const { return x != y ? 1 : is_end(x) ? 2 : 4; }
    /// that of f'_x f'_y
    int stiffness(index_t x, index_t y) const { return x != y ? -1 : is_end(x) ? 1 : 2; }
    /// 2 times that of f'_x f_y
    int slope(index_t x, index_t y) const { return x != y ? (x < y ? -1 : 1) : x == 0 ? -1 : x == n - 1 ? 1 : 0; }
};

/// 72 times the integral of (df_p/dx_i) (df_q/dx_j) over the cube, f_p the function of node p: a product of three
/// integrals, since the grid is one.
int integral(const hats& h, const place& p, const place& q, int i, int j)
{
    int product = i == j ? 2 : 3;
    for (int axis = 0; axis < directions; ++axis) {
        const auto k = static_cast<std::size_t>(axis);
        product *= axis == i && axis == j ? h.stiffness(p[k], q[k])
                   : axis == i            ? h.slope(p[k], q[k])
                   : axis == j            ? h.slope(q[k], p[k])
                                          : h.mass(p[k], q[k]);
    }
    return product;
}

/// Nodes x = 0 are held; the others are numbered with x fastest.
struct elastic_cube {
    hats h;
    real lambda, mu;  ///< 10 nu, and 5 - 10 nu

    place place_of(index_t node) const
    {
        return {node % (h.n - 1) + 1, node / (h.n - 1) % h.n, node / (h.n - 1) / h.n};
    }
    index_t node_at(const place& p) const { return p[0] - 1 + (h.n - 1) * (p[1] + h.n * p[2]); }

    real entry(const place& p, int i, const place& q, int j) const
    {
        int of_mu = integral(h, p, q, j, i);
        for (int k = 0; i == j && k < directions; ++k) {
            of_mu += integral(h, p, q, k, k);
        }
        return lambda * real(integral(h, p, q, i, j)) + mu * real(of_mu);
    }

    /// The entries of a column that are not zero, on and below the diagonal.
    void append_column(index_t column, std::vector<gallery_entry>& entries) const
    {
        const place q = place_of(column / directions);
        const auto in_range = [&](index_t x, index_t least) { return least <= x && x < h.n; };
        for (index_t step = 0; step < 27; ++step) {
            const place p{q[0] + step % 3 - 1, q[1] + step / 3 % 3 - 1, q[2] + step / 9 - 1};
            if (!in_range(p[0], 1) || !in_range(p[1], 0) || !in_range(p[2], 0)) {
                continue;
            }
            for (int i = 0; i < directions; ++i) {
                const index_t row = directions * node_at(p) + i;
                real value = row < column ? real() : entry(p, i, q, static_cast<int>(column % directions));
                if (!is_zero(value)) {
                    entries.push_back({row, std::move(value)});
                }
            }
        }
    }

    /// All entries in columns, by columns of nodes that are alike: at an end of each axis, or between.
    double count() const
    {
        struct alike {
            index_t at;
            double times;
        };
        const auto classes = [&](index_t first) {
            std::vector<alike> all{{first, 1.0}};
            if (h.n - 1 - first > 1) {
                all.push_back({first + 1, static_cast<double>(h.n - 2 - first)});
            }
            if (h.n - 1 > first) {
                all.push_back({h.n - 1, 1.0});
            }
            return all;
        };
        double total = 0.0;
        std::vector<gallery_entry> column;
        for (const alike& x : classes(1)) {
            for (const alike& y : classes(0)) {
                for (const alike& z : classes(0)) {
                    column.clear();
                    for (index_t i = 0; i < directions; ++i) {
                        append_column(directions * node_at({x.at, y.at, z.at}) + i, column);
                    }
                    total += x.times * y.times * z.times * static_cast<double>(column.size());
                }
            }
        }
        return total;
    }
};

}  // namespace

/// 720 (1 + nu)(1 - 2 nu) / (E h) times the stiffness of trilinear displacements, h the side of an element, by exact
/// integrals: 10 nu and 5 - 10 nu times integers.
///
/// from  [Bra07, Sec. VI.3], the bilinear form 2 mu eps(u):eps(v) + lambda div u div v
gallery_matrix make_elasticity3d(const gallery_options& options)
{
    const index_t n = gallery_order(options.n) + 1;  // nodes of a side
    const index_t nodes = gallery_order(n, 3) / n * (n - 1);
    require_order(static_cast<double>(nodes) * directions);
    if (!(real(-1.0) < options.ratio && options.ratio < real(0.5))) {
        throw error("Poisson's ratio is above -1 and below 0.5, not " + to_string(options.ratio, 6));
    }
    const long bits = options.ratio.precision();
    // fewer bits, so that a decimal of one digit gives an integer
    const real lambda = (real(10.0, bits + 8) * options.ratio).with_precision(bits - 8);
    const auto cube =
        std::make_shared<const elastic_cube>(elastic_cube{.h = {n}, .lambda = lambda, .mu = real(5.0, bits) - lambda});
    return {.order = directions * nodes,
            .entries = cube->count(),
            .symmetric = true,
            .dense = false,
            .column = [cube](index_t j, std::vector<gallery_entry>& column) { cube->append_column(j, column); },
            .nodes = nodes,
            .coordinates = [cube](index_t node) { return cube->place_of(node); }};
}

}  // namespace residua::detail
