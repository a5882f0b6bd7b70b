#pragma once

#include <residua/arith/expansion/div.hpp>
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
    const double magnitude = (x == 0.0) == (n > 0) ? 0.0 : pow2(max_exponent + 1);
    const bool negative = (to_bits(x) & sign_mask) != 0 && n % 2 != 0;
    return x != x ? x : negative ? -magnitude : magnitude;
}

}  // namespace detail

template <int N>
RESIDUA_HD_LONG expansion<double, N> reciprocal(const expansion<double, N>& x)
{
    const bool ordinary = x.t[0] != 0.0 && is_finite(x);
    const int e = ordinary ? floor_log2(x.t[0]) : 0;
    const expansion<double, N> r = detail::rescaled(1.0 / ldexp(x, -e), -e);
    return detail::ordinary_or(ordinary, r, 1.0 / x.t[0]);
}

template <int N>
RESIDUA_HD_LONG expansion<double, N> pow(const expansion<double, N>& x, int n)
{
    const bool ordinary = x.t[0] != 0.0 && is_finite(x);
    detail::scaled_number<N> base =
        detail::scaled(ordinary ? x : expansion<double, N>{1.0}, 0);
    detail::scaled_number<N> product{expansion<double, N>{1.0}, 0};
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
    const expansion<double, N> r = detail::rescaled(n < 0 ? 1.0 / product.m : product.m, k);
    return detail::ordinary_or(ordinary || n == 0, r, detail::special_power(x.t[0], n));
}

}  // namespace residua
