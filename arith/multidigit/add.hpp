#pragma once

#include <residua/arith/multidigit/compare.hpp>
#include <residua/arith/multidigit/round.hpp>

namespace residua {
namespace detail {

/// a + b, none of them zero, exact and normalised; all digits are zero if the sum is. How far its leading bit has moved
/// down from the larger operand's goes to `cancelled`.
///
/// What is shifted out of the smaller operand is sticky. That is enough to round with at most bits_of<Digit> (M - 1)
/// bits: only what is more than a digit smaller loses bits if the digit behind N is zero, and then one bit at most
/// cancels.
template <class Digit, int M>
RESIDUA_HD unrounded<Digit, M> exact_sum(unrounded<Digit, M> a, unrounded<Digit, M> b, int& cancelled)
{
    if (a.exponent < b.exponent) {
        const unrounded<Digit, M> smaller = a;
        a = b;
        b = smaller;
    }
    const bool sticky = shift_down(b.d, a.exponent - b.exponent);
    a.sticky = sticky;
    cancelled = 0;
    Digit carry = 0;
    if (a.negative == b.negative) {
        RESIDUA_UNROLL(M)
        for (int k = 0; k < M; ++k) {
            a.d[k] = add_with_carry(a.d[k], b.d[k], carry);
        }
        if (carry != 0) {
            a.sticky |= shift_down(a.d, 1);
            a.d[M - 1] |= Digit{1} << (bits_of<Digit> - 1);
            ++a.exponent;
        }
        return a;
    }
    carry = sticky;
    RESIDUA_UNROLL(M)
    for (int k = 0; k < M; ++k) {
        a.d[k] = subtract_with_borrow(a.d[k], b.d[k], carry);
    }
    if (carry != 0) {  // |b| was larger, of the same exponent: nothing is sticky
        Digit borrow = 0;
        RESIDUA_UNROLL(M)
        for (int k = 0; k < M; ++k) {
            a.d[k] = subtract_with_borrow(Digit{0}, a.d[k], borrow);
        }
        a.negative = b.negative;
    }
    cancelled = normalize(a.d);
    a.exponent -= cancelled;
    return a;
}

/// x + y where one of them is zero or not finite.
template <class Digit, int N>
RESIDUA_HD_RARE multidigit<Digit, N> special_sum(const multidigit<Digit, N>& x, const multidigit<Digit, N>& y)
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
RESIDUA_HD multidigit<Digit, N> rounded_sum(const unrounded<Digit, M>& a, const unrounded<Digit, M>& b, int p)
{
    int cancelled = 0;
    const unrounded<Digit, M> sum = exact_sum(a, b, cancelled);
    if (cancelled >= bits_of<Digit> * M) {
        return multidigit_special<Digit, N>(multidigit_zero_code);
    }
    return rounded<N>(sum, p);
}

}  // namespace detail

/// x + y
///
/// errors  correctly rounded to nearest even with p bits
template <class Digit, int N>
RESIDUA_HD_LONG inline multidigit<Digit, N> add(const multidigit<Digit, N>& x, const multidigit<Digit, N>& y, int p)
{
    if (!detail::is_regular(x.exponent) || !detail::is_regular(y.exponent)) {
        return detail::special_sum(x, y);
    }
    return detail::rounded_sum<N>(detail::widened<N + 1>(x), detail::widened<N + 1>(y), p);
}

/// x - y
///
/// errors  correctly rounded to nearest even with p bits
template <class Digit, int N>
RESIDUA_HD_LONG inline multidigit<Digit, N> sub(const multidigit<Digit, N>& x, const multidigit<Digit, N>& y, int p)
{
    return add(x, negated(y), p);
}

}  // namespace residua
