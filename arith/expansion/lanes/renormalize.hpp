#pragma once

#include <cmath>

#include <residua/arith/base/bits.hpp>
#include <residua/arith/base/eft.hpp>
#include <residua/arith/expansion/lanes/tile.hpp>

namespace residua::lanes {

namespace detail {

/// The other lane of the pairs (0, 1), (2, 3), ... for Parity 0, of (1, 2), (3, 4), ... for Parity 1:
/// -1 for lane 0 and W for lane W - 1 then.
template <int Parity>
RESIDUA_HD int partner(int lane)
{
    return ((lane + Parity) ^ 1) - Parity;
}

/// One lane's half of two_sum(upper, lower): the sum for the upper lane, the error for the lower one.
RESIDUA_HD double half_of_two_sum(double own, double other, bool upper)
{
    const double a = upper ? own : other;
    const double b = upper ? other : own;
    const rounded r = two_sum(a, b);
    return upper ? r.value : r.error;
}

/// False for a NaN, so that no loop waits for one.
RESIDUA_HD bool differ(double a, double b) { return a < b || a > b; }

/// two_sum of all pairs of a parity.
template <int Parity, class Tile>
RESIDUA_HD void sum_pairs(const Tile& tile, typename Tile::value& s)
{
    const auto other = tile.take(s, [](int lane) { return partner<Parity>(lane); });
    tile.each(
        [](int lane, double& x, double y) {
            const int p = partner<Parity>(lane);
            const double r = half_of_two_sum(x, y, p > lane);
            x = p >= 0 && p < Tile::width ? r : x;
        },
        s, other);
}

/// The same for 2 W terms: s_0, ..., s_{W-1}, t_0, ..., t_{W-1}. The pair (s_{W-1}, t_0) has parity 1.
template <int Parity, class Tile>
RESIDUA_HD void sum_pairs(const Tile& tile, typename Tile::value& s, typename Tile::value& t)
{
    constexpr int last = Tile::width - 1;
    const auto around = [](int lane) { return partner<Parity>(lane) & last; };
    const auto other_s = tile.take(s, around);
    const auto other_t = tile.take(t, around);
    tile.each(
        [](int lane, double& x, double& y, double other_x, double other_y) {
            const int p = partner<Parity>(lane);
            const double rx = half_of_two_sum(x, p > last ? other_y : other_x, p > lane);
            const double ry = half_of_two_sum(y, p < 0 ? other_x : other_y, p > lane);
            x = p >= 0 ? rx : x;
            y = p <= last ? ry : y;
        },
        s, t, other_s, other_t);
}

}  // namespace detail

/// The same sum, nearest-nonoverlapping: RN(s_i + s_{i+1}) = s_i, zeros last. Any finite terms, exact.
///
/// Neighbours are summed, (0, 1), (2, 3), ... and (1, 2), (3, 4), ... in turn, until nothing changes.
/// cost  a round of 12 flops and 2 shuffles a lane and a vote, as long as a term changes: two or three for
///       terms that overlap by a few bits, about W / 2 for products and where terms move up in place of zeros
/// from  docs/error_bounds.md, theorem 7
template <tile_model Tile>
RESIDUA_HD void renormalize(const Tile& tile, typename Tile::value& s)
{
    bool changes = true;
    while (changes) {
        const auto before = s;
        detail::sum_pairs<0>(tile, s);
        detail::sum_pairs<1>(tile, s);
        changes = tile.any([](int, double a, double b) { return detail::differ(a, b); }, s, before);
    }
}

/// The same for 2 W terms s_0, ..., s_{W-1}, t_0, ..., t_{W-1}; twice the cost.
template <tile_model Tile>
RESIDUA_HD void renormalize(const Tile& tile, typename Tile::value& s, typename Tile::value& t)
{
    bool changes = true;
    while (changes) {
        const auto s_before = s;
        const auto t_before = t;
        detail::sum_pairs<0>(tile, s, t);
        detail::sum_pairs<1>(tile, s, t);
        changes = tile.any(
            [](int, double a, double b, double c, double d) { return detail::differ(a, b) || detail::differ(c, d); }, s,
            s_before, t, t_before);
    }
}

/// Whether s is ulp-nonoverlapping: |s_{i+1}| <= ulp(s_i), only zeros behind a zero. False for NaN.
///
/// cost  a shuffle, a vote
template <tile_model Tile>
RESIDUA_HD bool is_nonoverlapping(const Tile& tile, const typename Tile::value& s)
{
    const auto next = tile.below(s);
    return !tile.any(
        [](int, double a, double b) {
            const double room = a == 0.0 ? 0.0 : ulp(a);
            return !(std::fabs(b) <= room) || !(a - a == 0.0);
        },
        s, next);
}

}  // namespace residua::lanes
