#pragma once

#include <residua/arith/multidigit/div.hpp>

namespace residua {
namespace detail {

/// floor(sqrt(x)) of two digits, the higher one a quarter of the base or more. By Newton's iteration from above.
template <class Digit>
RESIDUA_HD Digit root_digit(two_digits_t<Digit> x)
{
    constexpr auto largest = static_cast<Digit>(~Digit{0});
    two_digits_t<Digit> s = largest;
    for (;;) {
        const two_digits_t<Digit> next = (s + x / s) / 2;
        if (next >= s) {
            return static_cast<Digit>(s);
        }
        s = next;
    }
}

/// s <- floor(sqrt(x)), x <- x - s^2; the highest digit of x is a quarter of the base or more.
///
/// Digit after digit, as by hand: with the root z so far and the rest r, the next digit is the largest q with
/// (2 z base + q) q <= r base^2 and two more digits of x. Tried first is floor(r base / (2 z)), too large by 3 at most.
/// cost  M^2 products of digits
template <int M, class Digit>
RESIDUA_HD_LONG inline void root_digits(Digit (&x)[2 * M], Digit (&s)[M])
{
    using two = two_digits_t<Digit>;
    constexpr int bits = bits_of<Digit>;
    const Digit first = root_digit<Digit>(static_cast<two>(x[2 * M - 1]) << bits | x[2 * M - 2]);
    const two rest = (static_cast<two>(x[2 * M - 1]) << bits | x[2 * M - 2]) - static_cast<two>(first) * first;
    x[2 * M - 1] = static_cast<Digit>(rest >> bits);
    x[2 * M - 2] = static_cast<Digit>(rest);
    s[M - 1] = first;
    Digit twice[M + 2] = {};  // 2 z base + q: its digits from `place` on
    twice[M] = static_cast<Digit>(first << 1);
    twice[M + 1] = first >> (bits - 1);
    RESIDUA_KEEP_LOOP
    for (int place = M - 2; place >= 0; --place) {
        // r base^2 and more is x[2 place], ..., x[place + M + 1]; its highest digit is 0 or 1
        const Digit top = x[place + M + 1];
        const Digit high = static_cast<Digit>(top << (bits - 1) | x[place + M] >> 1);
        const Digit low = static_cast<Digit>(x[place + M] << (bits - 1) | x[place + M - 1] >> 1);
        Digit q = quotient_digit(high, low, s[M - 1]);
        twice[place + 1] = q;
        two carry = 0;
        Digit borrow = 0;
        for (int i = place + 1; i <= M + 1; ++i) {
            carry += static_cast<two>(twice[i]) * q;
            x[place - 1 + i] = subtract_with_borrow(x[place - 1 + i], static_cast<Digit>(carry), borrow);
            carry >>= bits;
        }
        x[place + M + 1] = subtract_with_borrow(top, static_cast<Digit>(carry), borrow);
        while (borrow != 0) {  // (2 z base + q) q is larger than with q - 1 by 2 z base + 2 (q - 1) + 1
            --q;
            twice[place + 1] = static_cast<Digit>(q << 1 | 1);
            twice[place + 2] |= q >> (bits - 1);  // 2 z is even
            Digit above = 0;
            for (int i = place + 1; i <= M + 1; ++i) {
                x[place - 1 + i] = add_with_carry(x[place - 1 + i], twice[i], above);
            }
            twice[place + 2] &= ~Digit{1};
            x[place + M + 1] = add_with_carry(x[place + M + 1], Digit{0}, above);
            borrow -= above;
        }
        twice[place + 1] = static_cast<Digit>(q << 1);
        twice[place + 2] |= q >> (bits - 1);
        s[place] = q;
    }
}

}  // namespace detail

/// The square root of x; NaN if x < 0
///
/// errors  correctly rounded to nearest even with p bits
/// cost    about (N + 1)^2 products of digits
template <class Digit, int N>
RESIDUA_HD_LONG inline multidigit_float<Digit, N> sqrt(const multidigit_float<Digit, N>& x, int p)
{
    if (x.negative || !detail::is_regular(x.exponent)) {
        return x.negative ? detail::multidigit_special<Digit, N>(detail::multidigit_nan_code) : x;
    }
    const bool odd = (x.exponent & 1) != 0;
    Digit rest[2 * N + 2] = {};
    for (int k = 0; k < N; ++k) {
        rest[N + 2 + k] = x.d[k];
    }
    if (odd) {
        detail::shift_down(rest, 1);
    }
    detail::unrounded<Digit, N + 1> r{{}, (std::int64_t{x.exponent} + (odd ? 1 : 0)) / 2, false};
    detail::root_digits<N + 1>(rest, r.d);
    r.sticky = detail::is_any(rest);
    return detail::round_to_nearest<N>(r, p);
}

}  // namespace residua
