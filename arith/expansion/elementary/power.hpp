#pragma once

#include <residua/arith/expansion/elementary/series.hpp>

namespace residua {

namespace detail {

/// m 2^e with 1 <= |m| < 2 or next to it: a power keeps its exponent apart.
template <int N>
struct scaled_number {
    expansion<double, N> m;
    long long e;
};

template <int N>
RESIDUA_HD scaled_number<N> scaled(const expansion<double, N>& x, long long e)
{
    const int k = floor_log2(x.t[0]);
    return {ldexp(x, -k), e + k};
}

/// x of a leading zero, infinity or NaN to the power n.
RESIDUA_HD double special_power(double x, int n)
{
    const double magnitude = (x == 0.0) == (n > 0) ? 0.0 : infinity;
    const bool negative = (to_bits(x) & sign_mask) != 0 && n % 2 != 0;
    return x != x ? x : negative ? -magnitude : magnitude;
}

}  // namespace detail

/// 1 / x over the whole range: its exponent is taken off before, and the division has N + 1 terms.
///
/// errors    relative: (3u/2)^N (1 + 2Nu) for the last rounding to N terms, and
///           quotient_error_bound<N + 1>() u^(N+1) for the division; measured: N = 2, 3, 4:
///           1.2, 1.5, 1.5 u^N; 2^-1074 where that is more
/// cost      N = 2, 3, 4: about 270, 540, 1000 flops
/// specials  1 / +-0 is +-infinity, 1 / +-infinity is +-0
template <int N>
RESIDUA_HD_LONG expansion<double, N> reciprocal(const expansion<double, N>& x)
{
    const bool ordinary = x.t[0] != 0.0 && is_finite(x);
    const int e = ordinary ? floor_log2(x.t[0]) : 0;
    const expansion<double, N> r = detail::rescaled(detail::wide_quotient(expansion<double, N>{1.0}, ldexp(x, -e)), -e);
    return detail::ordinary_or(ordinary, r, 1.0 / x.t[0]);
}

/// x^n, x^0 = 1, by repeated squaring with N + 1 terms and the exponent apart, so that nothing
/// overflows on the way; a negative n takes the reciprocal at the end.
///
/// errors    relative: (3u/2)^N (1 + 2Nu) for the last rounding to N terms, and to first order
///           |n| product_error_bound<N + 1>() u^(N+1) for the products; measured: N = 2, 3, 4:
///           0.9, 0.9, 0.9 u^N |x^n| for n of every size; 2^-1074 where that is more
/// cost      N = 2, 3, 4: about 60, 150, 300 flops for each of at most 2 log2 |n| products
/// specials  as binary64's pow for an integer exponent: x^0 is 1 for every x, NaN too; a zero or
///           an infinity keeps its sign for odd n
/// from      repeated squaring; the errors of the products add up as in [Higham02, Lemma 3.1]
template <int N>
RESIDUA_HD_LONG expansion<double, N> pow(const expansion<double, N>& x, int n)
{
    const bool ordinary = x.t[0] != 0.0 && is_finite(x);
    using wide = expansion<double, N + 1>;
    detail::scaled_number<N + 1> base = detail::scaled(ordinary ? detail::with_terms<N + 1>(x) : wide{1.0}, 0);
    detail::scaled_number<N + 1> product{wide{1.0}, 0};
    unsigned rest = n < 0 ? 0u - static_cast<unsigned>(n) : static_cast<unsigned>(n);
    RESIDUA_KEEP_LOOP
    while (rest != 0) {
        if ((rest & 1u) != 0) {
            product = detail::scaled(product.m * base.m, product.e + base.e);
        }
        rest >>= 1;
        if (rest != 0) {
            base = detail::scaled(base.m * base.m, 2 * base.e);
        }
    }
    const long long e = n < 0 ? -product.e : product.e;
    const int k = static_cast<int>(e < -4000 ? -4000 : e > 4000 ? 4000 : e);
    const wide power = n < 0 ? 1.0 / product.m : product.m;
    const expansion<double, N> r = detail::rescaled(detail::with_terms<N>(power), k);
    return detail::ordinary_or(ordinary || n == 0, r, detail::special_power(x.t[0], n));
}

}  // namespace residua
