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
    if (q.e < 36) {  // NOLINTNEXTLINE(bugprone-incorrect-roundings): beside a half either integer will do
        return {static_cast<std::uint64_t>(q.f * pow2(static_cast<int>(q.e)) + 0.5), 0};
    }
    return {static_cast<std::uint64_t>(q.f * 0x1p35), static_cast<int>(q.e - 35)};
}

/// The residues of g 2^t.
template <class Set>
RESIDUA_HD void to_digits(const Set& set, const partial_quotient& g, std::uint32_t* x)
{
    to_digits(set, g.integer, x);
    if (g.shift > 0) {
        multiply_pow2(set, x, g.shift);
    }
}

/// Bounds of X / M not wider than 2^-36.
template <class Set, int N>
RESIDUA_HD_LONG interval tight_bounds(const Set& set, const rns_float<N>& x)
{
    std::uint32_t digit[N];
    for_residues(set, [&](int k) { digit[k] = x.digit[k]; });
    return evaluate(set, digit, bound_bits(x.range)).bounds;
}

/// The range of an integer of at most width + 1 bits, from its residues.
template <class Set>
RESIDUA_HD_LONG rns_range quotient_range(const Set& set, const std::uint32_t* x)
{
    std::uint32_t digit[Set::capacity];
    for_residues(set, [&](int k) { digit[k] = x[k]; });
    return to_range(set, evaluate(set, digit, set.scalars().width + 1).bounds);
}

}  // namespace detail

/// x / y; not finite if y is zero.
///
/// The integer quotient Q = 2^j X / Y of width bits grows by 36 bits a step: the remainder 2^j X - Q Y is exact in
/// residues, and its bounds give the next ones. So Q is right to 0.76, whatever the steps were.
/// errors  below u relative, unless it leaves the range
/// cost    width / 35 + 1 steps, each of 6 reductions a residue and an evaluation of the bounds
template <class Set, int N>
RESIDUA_HD_LONG rns_float<N> div(const Set& set, const rns_float<N>& x, const rns_float<N>& y)
{
    if (!is_finite(x) || !is_finite(y) || is_zero(y)) {
        return rns_not_finite<N>();
    }
    if (is_zero(x)) {
        return x;
    }
    const int width = set.scalars().width;
    const interval dividend = detail::tight_bounds(set, x);
    const interval divisor = detail::tight_bounds(set, y);
    // 2^(width - 1) (1 - 2^-35) <= 2^up X / Y <= 2^width
    const std::int64_t quotient_bits = div<toward::down>(dividend.low, divisor.low).e + 1;
    const int up = quotient_bits < width ? static_cast<int>(width - quotient_bits) : 0;
    rns_float<N> q = rns_zero<N>();
    std::uint32_t rest[N];
    detail::for_residues(set, [&](int k) { rest[k] = x.digit[k]; });
    detail::multiply_pow2(set, rest, up);
    extended size = ldexp(dividend.low, up);
    extended largest = ldexp(dividend.high, up);  // no remainder is larger than the one before
    bool negative = false;
    for (;;) {
        const detail::partial_quotient g = detail::quotient_of(size, divisor.low);
        if (g.integer == 0) {
            break;
        }
        std::uint32_t digit[N];
        detail::to_digits(set, g, digit);
        detail::for_residues(set, [&](int k) {
            const std::uint32_t m = set.modulus(k).m;
            // rest holds the magnitude of the remainder, `negative` its sign
            rest[k] = detail::sub_mod(rest[k], detail::mul_mod(set, k, digit[k], y.digit[k]), m);
            q.digit[k] = negative ? detail::sub_mod(q.digit[k], digit[k], m) : detail::add_mod(q.digit[k], digit[k], m);
        });
        const detail::signed_interval s = detail::evaluate(set, rest, detail::bound_bits(set, largest));
        negative = negative != s.negative;
        size = s.bounds.low;
        largest = s.bounds.high;
    }
    q.range = detail::quotient_range(set, q.digit);
    q.exponent = x.exponent - y.exponent - up;
    q.negative = x.negative != y.negative;
    detail::round(set, q);
    return q;
}

}  // namespace residua
