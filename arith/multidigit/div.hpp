#pragma once

#include <residua/arith/multidigit/compare.hpp>
#include <residua/arith/multidigit/round.hpp>

namespace residua {
namespace detail {

/// r[at], ..., r[at + N] -= q d; whether it was less: then the base^(N + 1) is added.
template <int N, int R, class Digit>
RESIDUA_HD bool subtract_multiple(Digit (&r)[R], int at, const Digit (&d)[N], Digit q)
{
    two_digits_t<Digit> carry = 0;
    Digit borrow = 0;
    for (int i = 0; i < N; ++i) {
        carry += static_cast<two_digits_t<Digit>>(d[i]) * q;
        r[at + i] = subtract_with_borrow(r[at + i], static_cast<Digit>(carry), borrow);
        carry >>= bits_of<Digit>;
    }
    r[at + N] = subtract_with_borrow(r[at + N], static_cast<Digit>(carry), borrow);
    return borrow != 0;
}

/// floor((high base + low) / d), base - 1 at most; d has its highest bit set.
template <class Digit>
RESIDUA_HD Digit quotient_digit(Digit high, Digit low, Digit d)
{
    const auto both = static_cast<two_digits_t<Digit>>(high) << bits_of<Digit> | low;
    return high >= d ? ~Digit{0} : static_cast<Digit>(both / d);
}

/// q <- floor(n / d), n <- n mod d in its first N digits; n has Q + N digits, of which the highest N are less than d.
///
/// from  [Knuth98, Sec. 4.3.1, Alg. D]
template <int Q, int N, class Digit>
RESIDUA_HD_LONG inline void divide_digits(Digit (&n)[Q + N], const Digit (&d)[N], Digit (&q)[Q])
{
    RESIDUA_KEEP_LOOP
    for (int j = Q - 1; j >= 0; --j) {
        Digit digit = quotient_digit(n[j + N], n[j + N - 1], d[N - 1]);
        if (subtract_multiple(n, j, d, digit)) {
            Digit carry = 0;
            while (carry == 0) {  // once or twice
                --digit;
                for (int i = 0; i < N; ++i) {
                    n[j + i] = add_with_carry(n[j + i], d[i], carry);
                }
                n[j + N] = add_with_carry(n[j + N], Digit{0}, carry);
            }
        }
        q[j] = digit;
    }
}

template <class Digit, int M>
RESIDUA_HD bool is_any(const Digit (&d)[M])
{
    Digit any = 0;
    for (int k = 0; k < M; ++k) {
        any |= d[k];
    }
    return any != 0;
}

}  // namespace detail

/// x / y; infinite, or NaN for 0 / 0, if y is zero
///
/// errors  correctly rounded to nearest even with p bits
/// cost    N (N + 1) products of digits, N + 1 divisions of two digits by one
template <class Digit, int N>
RESIDUA_HD_LONG inline multidigit_float<Digit, N> div(const multidigit_float<Digit, N>& x,
                                                      const multidigit_float<Digit, N>& y, int p)
{
    const bool negative = x.negative != y.negative;
    if (!detail::is_regular(x.exponent) || !detail::is_regular(y.exponent)) {
        if (is_nan(x) || is_nan(y) || (is_zero(x) && is_zero(y)) || (!is_finite(x) && !is_finite(y))) {
            return detail::multidigit_special<Digit, N>(detail::multidigit_nan_code);
        }
        const bool vanishes = is_zero(x) || !is_finite(y);
        return detail::multidigit_special<Digit, N>(
            vanishes ? detail::multidigit_zero_code : detail::multidigit_infinity_code, !vanishes && negative);
    }
    const bool is_less = detail::compare_digits(x.d, y.d) < 0;
    Digit n[2 * N + 1] = {};
    for (int k = 0; k < N; ++k) {
        n[N + 1 + k] = x.d[k];
    }
    if (!is_less) {
        detail::shift_down(n, 1);
    }
    detail::unrounded<Digit, N + 1> r{{}, std::int64_t{x.exponent} - y.exponent + (is_less ? 0 : 1), negative};
    detail::divide_digits<N + 1, N>(n, y.d, r.d);
    r.sticky = detail::is_any(n);
    return detail::round_to_nearest<N>(r, p);
}

}  // namespace residua
