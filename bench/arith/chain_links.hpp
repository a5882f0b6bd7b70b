#pragma once

#include <residua/arith/expansion/add.hpp>
#include <residua/arith/expansion/lanes/product.hpp>
#include <residua/arith/expansion/lanes/sum.hpp>
#include <residua/arith/expansion/mul.hpp>
#include <residua/io/error.hpp>

#include "chain_run.hpp"

/// The chains of chain_run.hpp. The host and the kernels compile this one text, and get the same bits.
namespace residua {

/// x <- (x . y) . z, `pairs` times. Each link needs the result of the one before. Both links of a pair are written out,
/// since a choice between y and z would send both to local memory.
template <class Number, class Link>
RESIDUA_HD void run_links(Number& x, const Number& y, const Number& z, int pairs, const Link& link)
{
    for (int k = 0; k < pairs; ++k) {
        x = link(x, y);
        x = link(x, z);
    }
}

/// A link of whole expansions, in one thread.
template <chain_function F, int N>
struct sequential_link {
    using number = expansion<double, N>;

    RESIDUA_HD number operator()(const number& a, const number& b) const
    {
        constexpr bool is_sum = F == chain_function::sum;
        if constexpr (one_term_a_lane<N>) {  // here the operators compute one lane after the other
            return is_sum ? detail::squeezed_sum(a, b) : detail::product_of_levels(a, b);
        } else {
            return is_sum ? a + b : a * b;
        }
    }
};

/// A link of expansions with one term a lane, by all lanes of a tile.
template <chain_function F, class Tile>
struct lane_link {
    using number = typename Tile::value;
    const Tile& tile;

    RESIDUA_HD number operator()(const number& a, const number& b) const
    {
        if constexpr (F == chain_function::safe_lane_sum) {
            return lanes::safe_sum(tile, a, b);
        } else if constexpr (F == chain_function::fast_lane_sum) {
            return lanes::fast_sum(tile, a, b);
        } else if constexpr (F == chain_function::lane_sum) {
            return lanes::sum(tile, a, b);
        } else {
            return lanes::product(tile, a, b);
        }
    }
};

/// Computes chain i of N-term numbers in one thread, and stores its end in `result`.
template <chain_function F, int N>
RESIDUA_HD void run_sequential_chain(const chain_operands& from, index_t i, int links, double* result)
{
    expansion<double, N> x;
    expansion<double, N> y;
    expansion<double, N> z;
    for (int k = 0; k < N; ++k) {
        x.t[k] = from.x[place_of_x(i) * N + k];
        y.t[k] = from.y[place_of_y(i) * N + k];
        z.t[k] = from.z[place_of_z(i) * N + k];
    }
    run_links(x, y, z, links / 2, sequential_link<F, N>{});
    for (int k = 0; k < N; ++k) {
        result[k] = x.t[k];
    }
}

/// Computes chain i by the lanes of a tile, one for each term. The link is a lane_link, or calls one.
template <class Tile, class Link>
RESIDUA_HD void run_lane_chain(const Tile& tile, const chain_operands& from, index_t i, int links, double* result,
                               const Link& link)
{
    constexpr int n = Tile::width;
    typename Tile::value x = lanes::load(tile, from.x + place_of_x(i) * n, n);
    const typename Tile::value y = lanes::load(tile, from.y + place_of_y(i) * n, n);
    const typename Tile::value z = lanes::load(tile, from.z + place_of_z(i) * n, n);
    run_links(x, y, z, links / 2, link);
    lanes::store(tile, x, result, n);
}

}  // namespace residua
