#pragma once

#include <residua/arith/expansion/functions.hpp>
#include <residua/arith/expansion/renormalize.hpp>

namespace residua {

/// x with M terms: its own terms and zeros behind them, or the M terms that hold most of their sum.
///
/// errors  none for M >= N; else (3u/2)^M (1 + 2Mu) |x|, however small its terms are. Infinite where the leading one
///         overflows
/// cost    for M < N 3 (N - 1) flops, and 3 (N - 1) + 3 (N - 2) + ..., M passes, by squeeze
/// from    docs/error_bounds.md, lemma 3 and theorem 1
template <int M, int N>
RESIDUA_HD expansion<double, M> resized(const expansion<double, N>& x)
{
    expansion<double, M> r;
    if constexpr (M >= N) {
        for (int k = 0; k < N; ++k) {
            r.t[k] = x.t[k];
        }
        return r;
    } else {
        double h[N];
        detail::copy_terms(x.t, h);
        detail::collect<0>(h);  // nonadjacent now
        const double leading = is_finite(x) ? h[0] : x.t[0];
        if ((to_bits(leading) & exponent_mask) == exponent_mask) {
            return expansion<double, M>{leading};
        }
        detail::squeeze(h, r.t);
        if constexpr (M == 2) {  // the first is to be the nearest number; theorem 1 says that it is next to that
            detail::fast_two_sum_in_place(r.t[0], r.t[1]);
        }
        return r;
    }
}

}  // namespace residua
