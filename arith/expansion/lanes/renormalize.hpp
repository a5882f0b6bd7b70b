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

/// two_sum of all pairs of a parity.
template <int Parity, class Tile>
RESIDUA_HD void sum_pairs(const Tile& tile, typename Tile::value& s)
{
    const auto other = tile.shuffled(s, [](int lane) { return partner<Parity>(lane); });
    tile.each(
        [](int lane, double& x, double y) {
            const int p = partner<Parity>(lane);
            const double r = half_of_two_sum(x, y, p > lane);
            x = p >= 0 && p < Tile::width ? r : x;
        },
        s, other);
}

/// Moves terms c_0, ..., c_{2W-1}: lane k gets c_{2k} in s and c_{2k+1} in t. Before, lane i has c_i in s, and lane
/// (shift - i) mod W has c_{W+i} in t. In two lanes shift is 0.
template <class Tile>
RESIDUA_HD void to_two_a_lane(const Tile& tile, typename Tile::value& s, typename Tile::value& t, int shift)
{
    constexpr int width = Tile::width;
    constexpr int last = width - 1;
    // a gets the even lanes of s and the odd lanes of t; b gets the others.
    tile.each(
        [](int lane, double& a, double& b) {
            const double even = lane % 2 == 0 ? a : b;
            b = lane % 2 == 0 ? b : a;
            a = even;
        },
        s, t);
    // Lanes from W / 2 on first get what odd lanes have of t: terms of odd index, if shift is even.
    const int odd_terms = 1 - (shift & 1);
    if constexpr (width > 2) {  // with two lanes, each already has its own term
        s = tile.shuffled(
            s, [=](int lane) { return 2 * lane < width ? 2 * lane : (shift - (2 * lane - width + odd_terms)) & last; });
    }
    t = tile.shuffled(t, [=](int lane) {
        return 2 * lane < width ? 2 * lane + 1 : (shift - (2 * lane - width + 1 - odd_terms)) & last;
    });
    tile.each(
        [odd_terms](int lane, double& a, double& b) {
            const bool other = 2 * lane >= width && odd_terms != 0;
            const double even = other ? b : a;
            b = other ? a : b;
            a = even;
        },
        s, t);
}

/// The first W of 2 W terms, of which lane k has 2 k and 2 k + 1.
template <class Tile>
RESIDUA_HD typename Tile::value from_two_a_lane(const Tile& tile, const typename Tile::value& even,
                                                const typename Tile::value& odd)
{
    const auto half = [](int lane) { return lane / 2; };
    auto r = even;
    if constexpr (Tile::width > 2) {
        r = tile.shuffled(even, half);
    }
    const auto other = tile.shuffled(odd, half);
    tile.each([](int lane, double& x, double y) { x = lane % 2 == 0 ? x : y; }, r, other);
    return r;
}

/// two_sum of the pairs (2 k, 2 k + 1), each in a lane.
template <class Tile>
RESIDUA_HD void sum_within_lanes(const Tile& tile, typename Tile::value& even, typename Tile::value& odd)
{
    tile.each(
        [](int, double& a, double& b) {
            const rounded r = two_sum(a, b);
            a = r.value;
            b = r.error;
        },
        even, odd);
}

/// two_sum of the pairs (2 k + 1, 2 k + 2), each of two lanes.
template <class Tile>
RESIDUA_HD void sum_across_lanes(const Tile& tile, typename Tile::value& even, typename Tile::value& odd)
{
    auto errors = tile.below(even);
    tile.each(
        [](int lane, double& a, double& b) {
            const rounded r = two_sum(a, b);
            a = lane < Tile::width - 1 ? r.value : a;
            b = r.error;
        },
        odd, errors);
    errors = tile.above(errors);
    tile.each([](int lane, double& a, double e) { a = lane > 0 ? e : a; }, even, errors);
}

}  // namespace detail

/// Makes s nearest-nonoverlapping, with the same sum: RN(s_i + s_{i+1}) = s_i, zeros last. Any finite terms, exact.
///
/// Neighbours are summed, (0, 1), (2, 3), ... and (1, 2), (3, 4), ... in turn, until a pass changes nothing. Zeros
/// are +0. If a term is not finite, or a sum overflows, all W terms become NaN.
/// cost  passes of 6 flops and a shuffle a lane, a vote after every second one from W / 2 on: about W for products
///       and where terms move up in place of zeros, and one to see that it is the end
/// from  docs/error_bounds.md, theorem 7
template <tile_model Tile>
RESIDUA_HD void renormalize(const Tile& tile, typename Tile::value& s)
{
    constexpr int sure = Tile::width / 4;  // rounds that no vote follows
    // A NaN stays one, an infinity does not: it makes NaN of its partner and of itself.
    const auto unfinished = [](int, double a, double b) { return a != b && b == b; };
    detail::sum_pairs<0>(tile, s);
    bool changes = true;
    for (int round = 0; changes; ++round) {
        if constexpr (Tile::width > 2) {
            detail::sum_pairs<1>(tile, s);
        }
        const auto before = s;
        detail::sum_pairs<0>(tile, s);
        changes = round < sure || tile.any_in_step(unfinished, s, before);
    }
}

namespace detail {

/// The first W terms of 2 W renormalised ones: of s_0, ..., s_{W-1}, t_0, ..., t_{W-1}, as renormalize has them. t_i is
/// in lane (shift - i) mod W; in two lanes shift is 0.
///
/// Two terms a lane make a pair of each lane.
/// cost  6 flops and 4 shuffles a lane, and rounds of 12 flops and 2 shuffles with a vote, the first W / 4 without:
///       about W / 2
/// from  docs/error_bounds.md, theorem 7
template <class Tile>
RESIDUA_HD typename Tile::value leading_renormalized(const Tile& tile, typename Tile::value s, typename Tile::value t,
                                                     int shift)
{
    constexpr int sure = Tile::width / 4;
    // A sum that does not change leaves its error as it is; two NaN stay.
    const auto unfinished = [](int, double sum, double a, double b) { return sum - a != 0.0 && (a == a || b == b); };
    to_two_a_lane(tile, s, t, shift);
    sum_within_lanes(tile, s, t);
    bool changes = true;
    for (int round = 0; changes; ++round) {
        sum_across_lanes(tile, s, t);
        const auto upper = s;
        const auto lower = t;
        sum_within_lanes(tile, s, t);
        changes = round < sure || tile.any_in_step(unfinished, s, upper, lower);
    }
    return from_two_a_lane(tile, s, t);
}

}  // namespace detail

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
