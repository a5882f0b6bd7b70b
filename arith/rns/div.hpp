#pragma once

#include <residua/arith/rns/add.hpp>
#include <residua/arith/rns/convert.hpp>

namespace residua {
namespace detail {

/// A correction g 2^t, g an integer of 36 bits at most.
struct partial_quotient {
    std::uint64_t integer;
    int shift;
};

/// a / b to 36 bits or to the nearest integer, whichever is coarser; zero below 3/4, so that a remainder of a
/// half is not thrown to and fro.
RESIDUA_HD partial_quotient quotient_of(const extended& a, const extended& b)
{
    const extended q = div<toward::down>(a, b);
    if (is_zero(q) || q.e < -1 || (q.e == -1 && q.f < 1.5)) {
        return {0, 0};
    }
    if (q.e < 36) {
        return {static_cast<std::uint64_t>(q.f * pow2(static_cast<int>(q.e)) + 0.5), 0};
    }
    return {static_cast<std::uint64_t>(q.f * 0x1p35), static_cast<int>(q.e - 35)};
}

/// The digits of g 2^t.
template <int L>
RESIDUA_HD void to_digits(const rns_set<L>& set, const partial_quotient& g, std::uint32_t* x)
{
    to_digits(set, g.integer, x);
    if (g.shift > 0) {
        multiply_pow2(set, x, g.shift);
    }
}

/// Bounds of X / M not wider than 2^-36.
template <int L>
RESIDUA_HD_LONG interval tight_bounds(const rns_set<L>& set, const rns_float<L>& x)
{
    if (!wide(x.bounds, 36)) {
        return x.bounds;
    }
    std::uint32_t digit[L];
    RESIDUA_KEEP_LOOP
    for (int i = 0; i < L; ++i) {
        digit[i] = x.digit[i];
    }
    return evaluate(set, digit).bounds;
}

}  // namespace detail

/// x / y; not finite if y is zero.
///
/// The integer quotient Q = 2^j X / Y of width bits grows by 36 bits a step: the remainder 2^j X - Q Y is exact in
/// residues, and its bounds give the next ones. So Q is right to 0.76, whatever the steps were.
/// errors  below u relative, unless it leaves the range
/// cost    width / 35 + 1 steps, each of 6 reductions a residue and an evaluation of the bounds
template <int L>
RESIDUA_HD_LONG rns_float<L> div(const rns_set<L>& set, const rns_float<L>& x, const rns_float<L>& y)
{
    if (!is_finite(x) || !is_finite(y) || is_zero(y)) {
        return rns_not_finite<L>();
    }
    if (is_zero(x)) {
        return x;
    }
    const interval divisor = detail::tight_bounds(set, y);
    // 2^(width - 1) (1 - 2^-19) <= 2^j X / Y <= 2^width
    const std::int64_t quotient_bits = div<toward::down>(x.bounds.low, divisor.low).e + 1;
    const int j = quotient_bits < rns_set<L>::width ? static_cast<int>(rns_set<L>::width - quotient_bits) : 0;
    rns_float<L> q;
    std::uint32_t rest[L];
    RESIDUA_KEEP_LOOP
    for (int i = 0; i < L; ++i) {
        rest[i] = x.digit[i];
    }
    detail::multiply_pow2(set, rest, j);
    extended size = ldexp(x.bounds.low, j);
    bool negative = false;
    for (;;) {
        const detail::partial_quotient g = detail::quotient_of(size, divisor.low);
        if (g.integer == 0) {
            break;
        }
        std::uint32_t digit[L];
        detail::to_digits(set, g, digit);
        RESIDUA_KEEP_LOOP
        for (int i = 0; i < L; ++i) {
            const rns_modulus& m = set.modulus[i];
            // rest holds the magnitude of the remainder, `negative` its sign
            rest[i] = detail::sub_mod(rest[i], detail::mul_mod(digit[i], y.digit[i], m), m.m);
            q.digit[i] = negative ? detail::sub_mod(q.digit[i], digit[i], m.m)
                                  : detail::add_mod(q.digit[i], digit[i], m.m);
        }
        const detail::signed_bounds s = detail::evaluate(set, rest);
        negative = negative != s.negative;
        size = s.bounds.low;
    }
    q.bounds = detail::evaluate(set, q.digit).bounds;
    q.exponent = x.exponent - y.exponent - j;
    q.negative = x.negative != y.negative;
    detail::round(set, q);
    return q;
}

}  // namespace residua
