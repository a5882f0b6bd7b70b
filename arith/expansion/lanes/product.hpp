#pragma once

#include <cmath>

#include <residua/arith/base/bits.hpp>
#include <residua/arith/base/eft.hpp>
#include <residua/arith/expansion/lanes/renormalize.hpp>
#include <residua/arith/expansion/lanes/tile.hpp>

namespace residua::lanes {

namespace detail {

/// Digits of 52 bits: with |x_0| < 2^(top - 1), lane i of x has multiples of 2^(top - 52 (i + 1)).
inline constexpr int digit_bits = 52;

/// Sums of products are kept in two parts: multiples of 2^26 units, and what is below them.
inline constexpr int part_bits = 26;

/// 1.5 2^k: adding and subtracting it rounds numbers up to 2^(k - 1) to multiples of 2^(k - 52).
RESIDUA_HD double anchor(int k) { return pow2(k) + pow2(k - 1); }

/// x to a multiple of 2^(k - 52), |x| <= 2^(k - 1), where a = anchor(k).
RESIDUA_HD double rounded_at(double x, double a) { return (x + a) - a; }

/// floor(log2 |x|) + 2; finite for zero.
RESIDUA_HD int top_of(double x)
{
    const int e = floor_log2(x);
    return (e < min_ulp_exponent ? min_ulp_exponent : e) + 2;
}

/// Puts x and y on the grid of digits, |digit i| <= 2^(top - 52 i) (1 + 2^-50); drops less than that for i = W.
///
/// leading  x_0, and y_0, in every lane; x and y are ulp-nonoverlapping
/// cost     a step of 8 flops and 2 shuffles until nothing is left, a few for dense operands, W at most; a vote after
///          every second step but the last one
/// from     docs/error_bounds.md, lemma 6
template <class Tile>
RESIDUA_HD void cut_into_digits(const Tile& tile, typename Tile::value& x, typename Tile::value& y,
                                const typename Tile::value& leading_x, const typename Tile::value& leading_y)
{
    typename Tile::value rest_x = x;
    typename Tile::value rest_y = y;
    typename Tile::value anchors_x = leading_x;
    typename Tile::value anchors_y = leading_y;
    tile.each(
        [](int lane, double& a, double& b, double& p, double& q) {
            a = 0.0;
            b = 0.0;
            p = anchor(top_of(p) - digit_bits * lane);
            q = anchor(top_of(q) - digit_bits * lane);
        },
        x, y, anchors_x, anchors_y);
    const auto cut = [](int, double& r, double& d, double a) {
        const double part = rounded_at(r, a);
        r -= part;
        d += part;
    };
    for (int step = 1; step <= Tile::width; ++step) {
        tile.each(cut, rest_x, x, anchors_x);
        tile.each(cut, rest_y, y, anchors_y);
        if (step == Tile::width) {
            break;
        }
        rest_x = tile.above(rest_x);
        rest_y = tile.above(rest_y);
        if (step % 2 == 0 &&
            !tile.any_in_step([](int, double p, double q) { return p != 0.0 || q != 0.0; }, rest_x, rest_y)) {
            break;
        }
    }
}

}  // namespace detail

/// x y, not renormalised: neighbouring lanes overlap, a lane may be zero. x, y ulp-nonoverlapping.
///
/// |x y - r| <= raw_product_error_bound(W) u^W |x_0 y_0| for |x_0 y_0| < 2^990, |x_0|, |y_0| < 2^1020.
/// Lane k gathers the products of digits x_j y_{k-j}: each is split by an fma into a multiple of the lane's
/// unit and the rest, which belongs to lane k + 1, and both are added exactly in two parts. Products of
/// digits beyond lane W - 1 are not formed. A carry goes up by one lane in the end.
/// cost  W steps of 13 flops and 2 shuffles a lane, 15 flops and 3 shuffles in the end, the cutting of x and y
/// from  after [CJMP16, Alg. 2], with digits in place of sums whose errors go down; docs/error_bounds.md, theorem 10
template <tile_model Tile>
RESIDUA_HD typename Tile::value raw_product(const Tile& tile, const typename Tile::value& x,
                                            const typename Tile::value& y)
{
    using detail::anchor;
    using detail::rounded_at;
    using value = typename Tile::value;
    constexpr int bits = detail::digit_bits;

    const value leading_x = tile.broadcast(x, 0);
    const value leading_y = tile.broadcast(y, 0);
    value digits = x;
    value factor = y;
    detail::cut_into_digits(tile, digits, factor, leading_x, leading_y);

    // The unit of lane k is h = 2^(top - 52 (k + 1)), in the scale of 2^top = 2^(top(x) + top(y)).
    value split = leading_x;  // 1.5 2^53 h
    value high_anchor = leading_y;
    value low_anchor{};
    value carry_anchor{};
    tile.each(
        [](int lane, double& a, double& b, double& c, double& d) {
            const int top = detail::top_of(a) + detail::top_of(b) - bits * lane;
            a = anchor(top + 1);
            b = anchor(top + detail::part_bits);
            c = anchor(top + detail::part_bits - bits);
            d = anchor(top + bits);
        },
        split, high_anchor, low_anchor, carry_anchor);

    value high{};
    value high_rest{};
    value low{};
    value low_rest{};
    for (int j = 0; j < Tile::width; ++j) {
        const value d = tile.broadcast(digits, j);
        tile.each(
            [](int, double a, double b, double c, double high_at, double low_at, double& h, double& hr, double& l,
               double& lr) {
                const double product = std::fma(a, b, c) - c;
                const double below = std::fma(a, b, -product);
                const double part = rounded_at(product, high_at);
                const double low_part = rounded_at(below, low_at);
                h += part;
                hr += product - part;
                l += low_part;
                lr += below - low_part;
            },
            d, factor, split, high_anchor, low_anchor, high, high_rest, low, low_rest);
        factor = tile.above(factor);
    }

    const value low_above = tile.above(low);
    const value low_rest_above = tile.above(low_rest);
    value carry = carry_anchor;
    tile.each(
        [](int lane, double& h, double& hr, double l, double lr, double& c) {
            const double sum = h + l;
            c = lane == 0 ? 0.0 : rounded_at(sum, c);
            h = sum - c;
            hr += lr;
        },
        high, high_rest, low_above, low_rest_above, carry);
    const value carry_in = tile.below(carry);
    tile.each(
        [](int lane, double& h, double hr, double c, double l, double lr) {
            const double sum = h + (hr + c);
            h = lane == Tile::width - 1 ? sum + (l + lr) : sum;
        },
        high, high_rest, carry_in, low, low_rest);
    return high;
}

/// x y in n <= W terms, nearest-nonoverlapping, for ulp-nonoverlapping x, y of up to W terms.
///
/// The bound is product_error_bound(W, n), relative to |x_0 y_0|, in the range of raw_product.
/// If one is not finite, or the product is beyond the range of binary64, the first n terms are NaN. Zeros are +0.
/// cost  raw_product, and renormalize of about W passes
template <tile_model Tile>
RESIDUA_HD typename Tile::value product(const Tile& tile, const typename Tile::value& x, const typename Tile::value& y,
                                        int n = Tile::width)
{
    auto r = raw_product(tile, x, y);
    renormalize(tile, r);
    return first_terms(tile, r, n);
}

}  // namespace residua::lanes
