#pragma once

#include <residua/arith/expansion/accumulator.hpp>
#include <residua/arith/expansion/div.hpp>
#include <residua/arith/expansion/double_word.hpp>

namespace residua {

namespace detail {

/// Adds digit K of the root: r is the remainder x - s^2, z holds twice the digits of s so far.
template <int N>
RESIDUA_HD double root_step(accumulator<N>& r, expansion<double, N>& z, double& next, double twice)
{
    const double q = r.w[0] / twice;
    next = q;
    r.add_product(z, -q);  // x - (s + q)^2 = (x - s^2) - (2 s + q) q
    next = 2.0 * q;
    return q;
}

template <int K, int N>
RESIDUA_HD void root_from(accumulator<N>& r, expansion<double, N>& z, double twice, double (&q)[N + 1])
{
    if constexpr (K < N) {
        q[K] = root_step(r, z, z.t[K], twice);
        root_from<K + 1>(r, z, twice, q);
    } else {
        q[N] = r.w[0] / twice;
    }
}

}  // namespace detail

/// The square root.
///
/// errors    relative: N = 2: 25/8 u^2; N > 2: root_error_bound<N>() u^N
/// cost      N = 2, 3, 4, 6, 8: 9, 184, 420, 1351, 3134 flops: N divisions, N products
/// specials  sqrt(0) is 0; of a negative number the leading term is NaN; of infinity it is infinity
/// from      N = 2: [LLMPR23, Alg. 7]; else digit by digit, docs/error_bounds.md, theorem 6, with one_term_a_lane
///           theorem 13
template <int N>
RESIDUA_HD expansion<double, N> sqrt(const expansion<double, N>& x)
{
    const double leading = std::sqrt(x.t[0]);
    const bool ordinary = leading - leading == 0.0 && leading != 0.0;
    const double twice = 2.0 * leading;
    expansion<double, N> r;
    if constexpr (N == 2) {
        r = detail::root(x);
    } else {
        accumulator<N> remainder{x};
        expansion<double, N> z{leading};
        remainder.add_product(z, -leading);
        z.t[0] = twice;
        double q[N + 1];
        q[0] = leading;
        if constexpr (detail::unrolled<N>) {
            detail::root_from<1>(remainder, z, twice, q);
        } else {
            for (int k = 1; k < N; ++k) {
                q[k] = detail::root_step(remainder, z, z.t[k], twice);
            }
            q[N] = remainder.w[0] / twice;
        }
        r = detail::normalized_quotient<N>(q);
    }
    const expansion<double, N> special{leading};
    for (int k = 0; k < N; ++k) {
        r.t[k] = ordinary ? r.t[k] : special.t[k];
    }
    return r;
}

}  // namespace residua
