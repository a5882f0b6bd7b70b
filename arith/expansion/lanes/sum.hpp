#pragma once

#include <cmath>

#include <residua/arith/base/eft.hpp>
#include <residua/arith/expansion/lanes/renormalize.hpp>
#include <residua/arith/expansion/lanes/tile.hpp>

namespace residua::lanes {

namespace detail {

/// Whether a vote follows step `steps` of a sum. Four lanes take all three steps, as a vote would seldom save one.
RESIDUA_HD constexpr bool votes_after(int steps, int width) { return width > 4 && steps > 0 && steps % 2 == 0; }

}  // namespace detail

/// x + y in n <= W terms, for any operands of up to W terms: they need not be nonoverlapping.
///
/// r_0 + ... + r_{n-1} = (x + y)(1 + e), |e| <= u^n (1 + 4u), under any cancellation; nearest-nonoverlapping. Zeros
/// are +0. If an operand is not finite, or a sum overflows, all n terms are NaN.
/// Every lane sums its terms; errors move down a lane and are summed there. Those that leave the last lane go round to
/// the first ones, which have no errors to wait for any more, and stay apart: they are W more terms for the
/// renormalisation, so that nothing is lost before it. More steps than needed move zeros only.
/// cost  6 flops; a step of 6 flops and a shuffle a lane until no error is left, W - 1 at most, about W / 2 for dense
///       operands; a vote after every second step, for W > 4, and one whether errors left the last lane: if so
///       6 flops and 4 shuffles, and rounds of 12 flops and 2 shuffles, about W / 2, with votes after W / 4;
///       else renormalize
/// from  after [CJMP16, Alg. 1], keeping the errors that leave the last lane; docs/error_bounds.md, theorem 8
template <tile_model Tile>
RESIDUA_HD typename Tile::value safe_sum(const Tile& tile, const typename Tile::value& x, const typename Tile::value& y,
                                         int n = Tile::width)
{
    constexpr int last = Tile::width - 1;
    typename Tile::value s = x;
    typename Tile::value e = y;
    tile.each(
        [](int, double& a, double& b) {
            const rounded r = two_sum(a, b);
            a = r.value;
            b = r.error;
        },
        s, e);
    int steps = 0;
    while (steps < last) {
        if (detail::votes_after(steps, Tile::width) &&
            !tile.any_in_step([steps](int lane, double b) { return lane >= steps && lane < last && b != 0.0; }, e)) {
            break;
        }
        ++steps;
        e = tile.shuffled(e, [](int lane) { return (lane - 1) & last; });
        tile.each(
            [steps](int lane, double& a, double& b) {
                const bool has_come_down = lane >= steps;  // otherwise it came round from the last lane
                const rounded r = two_sum(a, has_come_down ? b : 0.0);
                a = r.value;
                b = has_come_down ? r.error : b;
            },
            s, e);
    }
    // All errors have left: the first one is in lane steps - 1, the next in the lane before, the last in lane W - 1.
    if (tile.any_in_step([](int, double b) { return b != 0.0; }, e)) {
        s = detail::leading_renormalized(tile, s, e, steps - 1);
    } else {
        renormalize(tile, s);
    }
    return first_terms(tile, s, n);
}

/// x + y in n <= W terms, for cases where that is cheap: ulp-nonoverlapping x, y of n terms, of the same sign
/// and close magnitudes. is_valid_sum says whether the result is valid.
///
/// The bound of a valid result is fast_sum_error_bound(n). Zeros are +0 for n > 1.
/// Errors move down a lane and are summed there, until none is left: of two_sum none is -0, so that after the first
/// step zeros are +0 and more steps change nothing.
/// cost  6 flops; a step of 6 flops and a shuffle a lane until no error is left, n - 1 at most, about 4 for dense
///       operands; a vote after every second step, for W > 4
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
    for (int steps = 0; steps < n - 1; ++steps) {
        if (detail::votes_after(steps, Tile::width) &&
            !tile.any_in_step([n](int lane, double b) { return lane < n - 1 && b != 0.0; }, e)) {
            break;
        }
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
///
/// cost  fast_sum, is_valid_sum, a vote; and safe_sum if the fast_sum of any tile in step is not valid
template <tile_model Tile>
RESIDUA_HD typename Tile::value sum(const Tile& tile, const typename Tile::value& x, const typename Tile::value& y,
                                    int n = Tile::width)
{
    auto r = fast_sum(tile, x, y, n);
    const bool valid = is_valid_sum(tile, r, x, y);
    if (tile.any_in_step([valid](int) { return !valid; })) {
        const auto safe = safe_sum(tile, x, y, n);
        tile.each([valid](int, double& a, double b) { a = valid ? a : b; }, r, safe);
    }
    return r;
}

}  // namespace residua::lanes
