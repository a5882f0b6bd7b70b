#pragma once

#include <residua/arith/rns/round.hpp>

namespace residua {
namespace detail {

/// How the residues of a sum are made.
enum class combination : std::uint8_t {
    first,  ///< the residues of the number of greater exponent; the other one is zero or far below
    sum,
    difference,  ///< first - second, which is greater than zero
    reversed,    ///< second - first, which is greater than zero
    unsure       ///< first - second, whose sign only the residues decide
};

/// The first stage of x + y. "First" is the operand of greater exponent.
struct add_plan {
    rns_head head;  ///< the head of the sum before it is rounded; if the sign is unknown, as if first > second
    bool swapped;   ///< first is y
    combination digits;
    int up;    ///< the first significand is multiplied by 2^up
    int down;  ///< the second one is divided by 2^down and rounded before anything else; nearly always 0
};

/// Exponents are aligned by multiplying the first significand by a power of two. Where that would pass M/4,
/// the second one is divided by the rest of the power and
/// rounded, 2^width below the last bit of the sum.
RESIDUA_HD add_plan plan_add(int width, const rns_head& x, const rns_head& y)
{
    add_plan plan{};
    plan.digits = combination::first;
    if (!is_finite(x) || !is_finite(y)) {
        plan.head = not_finite_head();
        return plan;
    }
    if (is_zero(x) || is_zero(y)) {
        plan.swapped = is_zero(x);
        plan.head = select(plan.swapped, y, x);
        return plan;
    }
    plan.swapped = x.exponent < y.exponent;
    const rns_head a = select(plan.swapped, y, x);
    const rns_head b = select(plan.swapped, x, y);
    const std::int64_t distance = a.exponent - b.exponent;
    const std::int64_t room = 2 * width - 3 - bound_bits(a.range);  // 2^room A + 2^width < M/4
    if (distance > room + width + 1) {
        plan.head = a;  // b is below 2^-(2 width - 4) of it
        return plan;
    }
    plan.up = static_cast<int>(distance < room ? distance : room);
    plan.down = static_cast<int>(distance) - plan.up;
    rns_range first = a.range;
    first.exponent += plan.up;
    rns_range second = b.range;
    if (plan.down > 0) {
        second = divided(second, plan.down);
    }
    const aligned_ranges r = align(first, second);
    plan.head.exponent = a.exponent - plan.up;
    plan.head.negative = a.negative;
    if (a.negative == b.negative) {
        plan.digits = combination::sum;
        plan.head.range = sum(r);
    } else if (r.x_low > r.y_high) {
        plan.digits = combination::difference;
        plan.head.range = make_short_range(r.x_low - r.y_high, r.x_high - r.y_low, r.exponent);
    } else if (r.y_low > r.x_high) {
        plan.digits = combination::reversed;
        plan.head.range = make_short_range(r.y_low - r.x_high, r.y_high - r.x_low, r.exponent);
        plan.head.negative = b.negative;
    } else {
        plan.digits = combination::unsure;
        const std::uint32_t above = r.x_high > r.y_low ? r.x_high - r.y_low : 1;
        const std::uint32_t below = r.y_high > r.x_low ? r.y_high - r.x_low : 1;
        plan.head.range = make_short_range(0, above > below ? above : below, r.exponent);
    }
    return plan;
}

/// What the residues of both numbers, and their modulus, are multiplied with: 1, -1 or 0 modulo 2^32.
struct add_signs {
    std::uint32_t first, second, modulus;
};

RESIDUA_HD add_signs signs_of(combination digits)
{
    constexpr std::uint32_t minus = ~std::uint32_t{0};
    add_signs s{1, 1, minus};
    s.first = digits == combination::reversed ? minus : 1;
    s.second = digits == combination::first                                         ? 0
               : digits == combination::difference || digits == combination::unsure ? minus
                                                                                    : 1;
    s.modulus = digits >= combination::difference ? 1 : minus;
    return s;
}

/// The second stage: a residue of the sum from the residue of the first number, times 2^up, and that of the second.
RESIDUA_HD std::uint32_t combine(const add_signs& sign, std::uint32_t first, std::uint32_t second, std::uint32_t m)
{
    const std::uint32_t r = first * sign.first + second * sign.second;
    return min(r, r + m * sign.modulus);  // one of them is beyond 2^31
}

/// The third stage: the sign where it is unknown, and the rounding.
template <class Set, int N>
RESIDUA_HD void finish_add(const Set& set, combination digits, rns_float<N>& x)
{
    if (digits == combination::unsure) {
        std::uint32_t digit[N];  // a copy, so that x itself stays in registers
        for_residues(
            set, [&](int k) __attribute__((always_inline)) { digit[k] = x.digit[k]; });
        const signed_range s = measure(set, digit, bound_bits(x.range));
        for_residues(
            set, [&](int k) __attribute__((always_inline)) { x.digit[k] = digit[k]; });
        x.range = s.range;
        x.negative = x.negative != s.negative;
        if (is_zero(x)) {
            head(x) = {};
        }
    }
    round(set, x);
}

}  // namespace detail

/// x + y
///
/// errors  below u relative, unless it leaves the range
/// cost    4 reductions a residue, and the steps of scaling; where magnitudes cancel, an evaluation of the range
template <class Set, int N>
RESIDUA_HD rns_float<N> add(const Set& set, const rns_float<N>& x, const rns_float<N>& y)
{
    const detail::add_plan plan = detail::plan_add(set.scalars().width, x, y);
    rns_float<N> r;
    std::uint32_t second[N];
    detail::for_residues(
        set, [&](int k) __attribute__((always_inline)) {
            r.digit[k] = detail::select(plan.swapped, y.digit[k], x.digit[k]);
            second[k] = detail::select(plan.swapped, x.digit[k], y.digit[k]);
        });
    if (plan.down > 0) {
        detail::divide_pow2(set, second, plan.down);
    }
    if (plan.up > 0) {
        detail::multiply_pow2(set, r.digit, plan.up);
    }
    const detail::add_signs signs = detail::signs_of(plan.digits);
    detail::for_residues(
        set, [&](int k) __attribute__((always_inline)) {
            r.digit[k] = detail::combine(signs, r.digit[k], second[k], set.modulus(k).m);
        });
    detail::head(r) = plan.head;
    detail::finish_add(set, plan.digits, r);
    return r;
}

template <class Set, int N>
RESIDUA_HD rns_float<N> sub(const Set& set, const rns_float<N>& x, const rns_float<N>& y)
{
    return add(set, x, -y);
}

}  // namespace residua
