#pragma once

#include <residua/arith/expansion/double_word.hpp>
#include <residua/arith/expansion/levels.hpp>

namespace residua {

namespace detail {

/// The number with the levels p of a product, exactly: |p_0| is over twice the sum of the rest.
template <int N>
RESIDUA_HD expansion<double, N> normalized_product(double (&p)[N])
{
    distill<1>(p);
    grow_dominating<0, N - 1>(p);
    expansion<double, N> r;
    squeeze(p, r.t);
    return r;
}

}  // namespace detail

/// x y
///
/// errors  relative: N = 2: 4 u^2; N > 2: product_error_bound<N>() u^N
/// cost    N = 2, 3, 4, 6, 8: 9, 45, 117, 420, 610 flops
/// range   N >= 7: NaN if |x|, |y| or |x y| is above 2^1012
/// from    N = 2: DWTimesDW3; else docs/error_bounds.md, theorem 2, from N = 7 on theorem 4
template <int N>
RESIDUA_HD expansion<double, N> operator*(const expansion<double, N>& x, const expansion<double, N>& y)
{
    if constexpr (N == 2) {
        return detail::product(x, y);
    } else {
        expansion<double, N> p;
        detail::product_levels(x.t, y.t, p.t);
        if constexpr (detail::unrolled<N>) {
            return detail::normalized_product(p.t);
        } else {
            return p;  // product_by_digits leaves nothing to normalise
        }
    }
}

/// x y
///
/// errors  relative: N = 2: 2 u^2; N > 2: product_error_bound<N, 1>() u^N
/// cost    N = 2, 3, 4, 6, 8: 6, 33, 72, 195, 378 flops
/// from    N = 2: DWTimesFP3; else docs/error_bounds.md, theorem 2
template <int N>
RESIDUA_HD expansion<double, N> operator*(const expansion<double, N>& x, double y)
{
    if constexpr (N == 2) {
        return detail::product(x, y);
    } else {
        double p[N];
        const double factor[1] = {y};
        detail::product_levels(x.t, factor, p);
        return detail::normalized_product(p);
    }
}

template <int N>
RESIDUA_HD expansion<double, N> operator*(double x, const expansion<double, N>& y)
{
    return y * x;
}

}  // namespace residua
