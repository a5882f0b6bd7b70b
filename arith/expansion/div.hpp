#pragma once

#include <residua/arith/expansion/accumulator.hpp>
#include <residua/arith/expansion/double_word.hpp>

namespace residua {

namespace detail {

/// q_K, q_{K+1}, ... of the long division of r, the remainder so far, by y.
template <int K, int N>
RESIDUA_HD void divide_from(accumulator<N>& r, const expansion<double, N>& y, double (&q)[N + 1])
{
    q[K] = r.w[0] / y.t[0];
    if constexpr (K < N) {
        r.add_product(y, -q[K]);
        divide_from<K + 1>(r, y, q);
    }
}

/// The quotient with the digits q; a quotient that is not finite keeps its first digit.
template <int N>
RESIDUA_HD expansion<double, N> normalized_quotient(double (&q)[N + 1])
{
    const double first = q[0];
    distill(q);
    expansion<double, N> r;
    squeeze(q, r.t);
    r.t[0] = first - first == 0.0 ? r.t[0] : first;
    return r;
}

}  // namespace detail

/// x / y
///
/// errors    relative: N = 2: 9.8 u^2; N > 2: quotient_error_bound<N>() u^N
/// cost      N = 2, 3, 4, 6, 8: 37, 182, 419, 1376, 3217 flops: N + 1 divisions, N products
/// specials  x / 0 and 0 / 0 have the leading term of binary64
/// from      N = 2: DWDivDW3; else long division, docs/error_bounds.md, theorem 5; one_term_a_lane: lanes::quotient
template <int N>
RESIDUA_HD expansion<double, N> operator/(const expansion<double, N>& x, const expansion<double, N>& y)
{
    if constexpr (N == 2) {
        const double leading = x.t[0] / y.t[0];
        const expansion<double, 2> q = detail::quotient(x, y);
        return detail::make_double_word(leading - leading == 0.0 ? q.t[0] : leading, q.t[1]);
    } else if constexpr (one_term_a_lane<N>) {
        expansion<double, N> r;
        detail::quotient_by_lanes(x.t, y.t, N, r.t);
        return r;
    } else {
        accumulator<N> r{x};
        double q[N + 1];
        if constexpr (detail::unrolled<N>) {
            detail::divide_from<0>(r, y, q);
        } else {
            for (int k = 0; k < N; ++k) {
                q[k] = r.w[0] / y.t[0];
                r.add_product(y, -q[k]);
            }
            q[N] = r.w[0] / y.t[0];
        }
        return detail::normalized_quotient<N>(q);
    }
}

/// x / y; errors: N = 2: 3 u^2; N > 2: as above.
template <int N>
RESIDUA_HD expansion<double, N> operator/(const expansion<double, N>& x, double y)
{
    if constexpr (N == 2) {
        const expansion<double, 2> q = detail::quotient(x, y);
        const double leading = x.t[0] / y;
        return detail::make_double_word(leading - leading == 0.0 ? q.t[0] : leading, q.t[1]);
    } else {
        return x / expansion<double, N>{y};
    }
}

template <int N>
RESIDUA_HD expansion<double, N> operator/(double x, const expansion<double, N>& y)
{
    return expansion<double, N>{x} / y;
}

}  // namespace residua
