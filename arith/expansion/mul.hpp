#pragma once

#include <residua/arith/expansion/double_word.hpp>
#include <residua/arith/expansion/levels.hpp>
#include <residua/arith/expansion/one_term_a_lane.hpp>

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

/// x y by its levels, by one thread.
template <int N>
RESIDUA_HD expansion<double, N> product_of_levels(const expansion<double, N>& x, const expansion<double, N>& y)
{
    expansion<double, N> p;
    product_levels(x.t, y.t, p.t);
    if constexpr (unrolled<N>) {
        return normalized_product(p.t);
    } else {
        return p;  // product_by_digits leaves nothing to normalise
    }
}

}  // namespace detail

/// x y
///
/// errors  relative: N = 2: 4 u^2; N > 2: product_error_bound<N>() u^N
/// cost    N = 2, 3, 4, 6, 8: 9, 45, 117, 420, 610 flops
/// range   N >= 7: NaN if |x|, |y| or |x y| is above 2^1012; one_term_a_lane: |x|, |y| below 2^1020, |x y| below 2^990
/// from    N = 2: DWTimesDW3; else docs/error_bounds.md, theorem 2, from N = 7 on theorem 4; one_term_a_lane:
///         lanes::product
template <int N>
RESIDUA_HD expansion<double, N> operator*(const expansion<double, N>& x, const expansion<double, N>& y)
{
    if constexpr (N == 2) {
        return detail::product(x, y);
    } else if constexpr (one_term_a_lane<N>) {
        expansion<double, N> r;
        detail::product_by_lanes(x.t, y.t, N, r.t);
        return r;
    } else {
        return detail::product_of_levels(x, y);
    }
}

/// x y
///
/// errors  relative: N = 2: 2 u^2; N > 2: product_error_bound<N, 1>() u^N
/// cost    N = 2, 3, 4, 6, 8: 6, 33, 72, 195, 378 flops
/// from    N = 2: DWTimesFP3; else docs/error_bounds.md, theorem 2; one_term_a_lane: lanes::scaled
template <int N>
RESIDUA_HD expansion<double, N> operator*(const expansion<double, N>& x, double y)
{
    if constexpr (N == 2) {
        return detail::product(x, y);
    } else if constexpr (one_term_a_lane<N>) {
        expansion<double, N> r;
        detail::scaled_by_lanes(x.t, y, N, r.t);
        return r;
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
