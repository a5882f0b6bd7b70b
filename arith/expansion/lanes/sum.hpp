#pragma once

#include <cmath>

#include <residua/arith/base/eft.hpp>
#include <residua/arith/expansion/lanes/renormalize.hpp>
#include <residua/arith/expansion/lanes/tile.hpp>

namespace residua::lanes {

/// x + y in n <= W terms, for any operands of up to W terms: they need not be nonoverlapping.
///
/// r_0 + ... + r_{n-1} = (x + y)(1 + e), |e| <= u^n (1 + 4u), under any cancellation; nearest-nonoverlapping.
/// Every lane sums its terms; errors move down a lane and are summed there until none is left. The ones that
/// leave the last lane are kept in W more places, so that nothing is lost before the renormalisation.
/// cost  a step of 12 flops, 2 shuffles and a vote a lane until no error is left, 2 W at most, about n / 2 for
///       dense operands; then renormalize, of 2 W terms only if errors left the last lane
/// from  after [CJMP16, Alg. 1], with places for the errors that leave the last lane; docs/error_bounds.md, theorem 8
template <tile_model Tile>
RESIDUA_HD typename Tile::value safe_sum(const Tile& tile, const typename Tile::value& x, const typename Tile::value& y,
                                         int n = Tile::width)
{
    constexpr int last = Tile::width - 1;
    typename Tile::value s = x;
    typename Tile::value e = y;
    typename Tile::value t{};
    typename Tile::value f{};
    tile.each(
        [](int, double& a, double& b) {
            const rounded r = two_sum(a, b);
            a = r.value;
            b = r.error;
        },
        s, e);
    for (int step = 0; step < 2 * Tile::width; ++step) {
        if (!tile.any([](int, double a, double b) { return a != 0.0 || b != 0.0; }, e, f)) {
            break;
        }
        e = tile.take(e, [](int lane) { return (lane - 1) & last; });
        f = tile.above(f);
        tile.each(
            [](int lane, double& a, double& da, double& b, double& db) {
                const rounded low = two_sum(b, lane == 0 ? da : db);
                const rounded high = two_sum(a, lane == 0 ? 0.0 : da);
                a = high.value;
                da = high.error;
                b = low.value;
                db = low.error;
            },
            s, e, t, f);
    }
    if (tile.any([](int, double b) { return b != 0.0; }, t)) {
        renormalize(tile, s, t);
    } else {
        renormalize(tile, s);
    }
    return first_terms(tile, s, n);
}

/// x + y in n <= W terms, where it can be had cheaply: ulp-nonoverlapping x, y of n terms, of the same sign
/// and close magnitudes. Whether it was is told by is_valid_sum.
///
/// The bound of a valid result is fast_sum_error_bound(n).
/// cost  6 n flops, n - 1 shuffles a lane
/// from  [CJMP16, Fig. 5]
template <tile_model Tile>
RESIDUA_HD typename Tile::value fast_sum(const Tile& tile, const typename Tile::value& x, const typename Tile::value& y,
                                         int n = Tile::width)
{
    typename Tile::value s = x;
    typename Tile::value e = y;
    const auto add = [](int, double& a, double& b) {
        const rounded r = two_sum(a, b);
        a = r.value;
        b = r.error;
    };
    tile.each(add, s, e);
    for (int step = 1; step < n; ++step) {
        e = tile.above(e);
        tile.each(add, s, e);
    }
    return first_terms(tile, s, n);
}

/// Whether r, a fast_sum of x and y, is ulp-nonoverlapping and 2 |r_0| >= |x_0|, |y_0|: then its bound holds.
///
/// cost  a shuffle, a vote
template <tile_model Tile>
RESIDUA_HD bool is_valid_sum(const Tile& tile, const typename Tile::value& r, const typename Tile::value& x,
                             const typename Tile::value& y)
{
    const auto next = tile.below(r);
    return !tile.any(
        [](int lane, double a, double b, double p, double q) {
            const double room = a == 0.0 ? 0.0 : ulp(a);
            const double twice = std::fabs(a + a);
            const bool large = twice >= std::fabs(p) && twice >= std::fabs(q);
            return !(std::fabs(b) <= room) || (lane == 0 && !large);
        },
        r, next, x, y);
}

/// x + y in n <= W terms: fast_sum if that is valid, else safe_sum.
template <tile_model Tile>
RESIDUA_HD typename Tile::value sum(const Tile& tile, const typename Tile::value& x, const typename Tile::value& y,
                                    int n = Tile::width)
{
    auto r = fast_sum(tile, x, y, n);
    if (!is_valid_sum(tile, r, x, y)) {
        r = safe_sum(tile, x, y, n);
    }
    return r;
}

}  // namespace residua::lanes
