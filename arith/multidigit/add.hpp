#pragma once

#include <residua/arith/multidigit/compare.hpp>
#include <residua/arith/multidigit/round.hpp>

namespace residua {
namespace detail {

/// a + b, exact and normalised, where a or b is not zero; all digits are zero if the sum is. `cancelled` is how far the
/// leading bit of the sum lies below the leading bit of the larger operand.
///
/// What is shifted out of the smaller operand is sticky. That is enough to round with at most bits_of<Digit> (M - 1)
/// bits: only what is more than a digit smaller loses bits if the digit behind N is zero, and then one bit at most
/// cancels.
template <class Digit, int M>
RESIDUA_HD unrounded<Digit, M> exact_sum(const unrounded<Digit, M>& a, const unrounded<Digit, M>& b, int& cancelled)
{
    const bool swaps = a.exponent < b.exponent || (a.exponent == b.exponent && a.d[M - 1] < b.d[M - 1]);
    const std::int64_t exponent = swaps ? b.exponent : a.exponent;
    const std::int64_t distance = swaps ? b.exponent - a.exponent : a.exponent - b.exponent;
    const bool subtracts = a.negative != b.negative;
    unrounded<Digit, M> r{{}, exponent, swaps ? b.negative : a.negative};
    Digit smaller[M];
    RESIDUA_UNROLL(M)
    for (int k = 0; k < M; ++k) {
        r.d[k] = swaps ? b.d[k] : a.d[k];
        smaller[k] = swaps ? a.d[k] : b.d[k];
    }
    r.sticky = shift_down(smaller, distance);
    const Digit mask = subtracts ? ~Digit{0} : 0;
    RESIDUA_UNROLL(M)
    for (int k = 0; k < M; ++k) {
        smaller[k] ^= mask;
    }
    const Digit carry = add_digits(r.d, smaller, Digit{subtracts && !r.sticky});
    cancelled = 0;
    if (!subtracts) {
        r.sticky |= carry != 0 && (r.d[0] & 1) != 0;
        RESIDUA_UNROLL(M)
        for (int k = 0; k < M; ++k) {
            r.d[k] =
                digit_shifted_down(k + 1 < M ? r.d[k + 1 < M ? k + 1 : 0] : carry, r.d[k], static_cast<int>(carry));
        }
        r.exponent += static_cast<int>(carry);
        return r;
    }
    if (carry == 0) {  // seldom: equal exponents and first digits, and the other operand was larger; nothing is sticky
        Digit one = 1;
        RESIDUA_UNROLL(M)
        for (int k = 0; k < M; ++k) {
            r.d[k] = add_with_carry(static_cast<Digit>(~r.d[k]), Digit{0}, one);
        }
        r.negative = !r.negative;
    }
    cancelled = normalize(r.d);
    r.exponent -= cancelled;
    return r;
}

/// x + y where one of them is zero or not finite.
template <class Digit, int N>
RESIDUA_HD_RARE multidigit_float<Digit, N> special_sum(multidigit_float<Digit, N> x, multidigit_float<Digit, N> y)
{
    if (is_zero(x) || is_nan(y)) {
        return y;
    }
    if (is_zero(y) || is_nan(x)) {
        return x;
    }
    if (is_finite(x)) {
        return y;
    }
    return is_finite(y) || x.negative == y.negative ? x : multidigit_special<Digit, N>(multidigit_nan_code);
}

/// The sum of an operation, rounded.
template <int N, class Digit, int M>
RESIDUA_HD multidigit_float<Digit, N> rounded_sum(const unrounded<Digit, M>& a, const unrounded<Digit, M>& b, int p)
{
    int cancelled = 0;
    const unrounded<Digit, M> sum = exact_sum(a, b, cancelled);
    if (cancelled >= bits_of<Digit> * M) {
        return multidigit_special<Digit, N>(multidigit_zero_code);
    }
    return round_to_nearest<N>(sum, p);
}

}  // namespace detail

/// x + y
///
/// errors  correctly rounded to nearest even with p bits
template <class Digit, int N>
RESIDUA_HD_LONG inline multidigit_float<Digit, N> add(const multidigit_float<Digit, N>& x,
                                                      const multidigit_float<Digit, N>& y, int p)
{
    if (!detail::is_regular(x.exponent) || !detail::is_regular(y.exponent)) {
        return detail::special_sum(x, y);
    }
    return detail::rounded_sum<N>(detail::widened<N + 1>(x), detail::widened<N + 1>(y), p);
}

/// 2^k x + z
///
/// errors  correctly rounded to nearest even with p bits, once
template <class Digit, int N>
RESIDUA_HD_LONG inline multidigit_float<Digit, N> add_scaled(const multidigit_float<Digit, N>& x, std::int64_t k,
                                                             const multidigit_float<Digit, N>& z, int p)
{
    if (!detail::is_regular(x.exponent) || !detail::is_regular(z.exponent)) {
        return is_zero(z) ? ldexp(x, k) : detail::special_sum(x, z);
    }
    auto scaled = detail::widened<N + 1>(x);
    scaled.exponent += detail::limited(k);
    return detail::rounded_sum<N>(scaled, detail::widened<N + 1>(z), p);
}

/// x - y
///
/// errors  correctly rounded to nearest even with p bits
template <class Digit, int N>
RESIDUA_HD_LONG inline multidigit_float<Digit, N> sub(const multidigit_float<Digit, N>& x,
                                                      const multidigit_float<Digit, N>& y, int p)
{
    return add(x, negated(y), p);
}

}  // namespace residua
