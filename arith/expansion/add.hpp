#pragma once

#include <residua/arith/expansion/double_word.hpp>
#include <residua/arith/expansion/one_term_a_lane.hpp>
#include <residua/arith/expansion/renormalize.hpp>

namespace residua {

namespace detail {

template <int N, int... K>
RESIDUA_HD void negate(const double (&x)[N], double (&y)[N], indices<K...>)
{
    ((y[K] = -x[K]), ...);
}

/// y <- -x
template <int N>
RESIDUA_HD void negate(const double (&x)[N], double (&y)[N])
{
    if constexpr (unrolled<N>) {
        negate(x, y, first_indices<N>{});
    } else {
        for (int k = 0; k < N; ++k) {
            y[k] = -x[k];
        }
    }
}

template <int N, int... K>
RESIDUA_HD void join(const double (&x)[N], const double (&y)[N], double (&h)[2 * N], indices<K...>)
{
    ((h[K] = x[K]), ...);
    ((h[N + K] = y[K]), ...);
}

/// h <- x + y, exactly, nonadjacent.
template <int N>
RESIDUA_HD void exact_sum(const double (&x)[N], const double (&y)[N], double (&h)[2 * N])
{
    double a[N];
    double b[N];
    copy_terms(x, a);
    copy_terms(y, b);
    collect<0>(a);
    collect<0>(b);
    if constexpr (unrolled<N>) {
        join(a, b, h, first_indices<N>{});
    } else {
        for (int k = 0; k < N; ++k) {
            h[k] = a[k];
            h[N + k] = b[k];
        }
    }
    expansion_sum<N>(h);
}

template <int N, int... K>
RESIDUA_HD void prepend(double y, const double (&x)[N], double (&h)[N + 1], indices<K...>)
{
    h[0] = y;
    ((h[1 + K] = x[K]), ...);
}

/// h <- y + x, exactly, nonadjacent.
template <int N>
RESIDUA_HD void exact_sum(double y, const double (&x)[N], double (&h)[N + 1])
{
    double a[N];
    copy_terms(x, a);
    collect<0>(a);
    if constexpr (unrolled<N>) {
        prepend(y, a, h, first_indices<N>{});
    } else {
        h[0] = y;
        for (int k = 0; k < N; ++k) {
            h[1 + k] = a[k];
        }
    }
    grow<0, N>(h);
}

/// x + y, exactly and then cut off, by one thread.
template <int N>
RESIDUA_HD expansion<double, N> squeezed_sum(const expansion<double, N>& x, const expansion<double, N>& y)
{
    double h[2 * N];
    exact_sum(x.t, y.t, h);
    expansion<double, N> r;
    squeeze(h, r.t);
    return r;
}

}  // namespace detail

/// Exact.
template <int N>
RESIDUA_HD expansion<double, N> operator-(const expansion<double, N>& x)
{
    expansion<double, N> r;
    detail::negate(x.t, r.t);
    return r;
}

template <int N>
RESIDUA_HD expansion<double, N> operator+(const expansion<double, N>& x)
{
    return x;
}

/// x + y
///
/// errors  relative, also under cancellation: N = 2: 3 u^2 + 13 u^3; N > 2: (3u/2)^N (1 + 2Nu); one_term_a_lane:
///         lanes::sum_error_bound(N) u^N
/// cost    N = 2, 3, 4, 6, 8: 20, 96, 172, 387, 686 flops
/// from    N = 2: AccurateDWPlusDW; else the exact sum by [She97, Thm. 12], cut off after N terms:
///         docs/error_bounds.md, theorem 1; one_term_a_lane: lanes::sum
template <int N>
RESIDUA_HD expansion<double, N> operator+(const expansion<double, N>& x, const expansion<double, N>& y)
{
    if constexpr (N == 2) {
        return detail::sum(x, y);
    } else if constexpr (one_term_a_lane<N>) {
        expansion<double, N> r;
        detail::sum_by_lanes(x.t, y.t, N, r.t);
        return r;
    } else {
        return detail::squeezed_sum(x, y);
    }
}

/// x + y
///
/// errors  relative, also under cancellation: N = 2: 2 u^2; N > 2: (3u/2)^N (1 + 2Nu); one_term_a_lane: as above
/// cost    N = 2, 3, 4, 6, 8: 10, 40, 61, 112, 175 flops
/// from    N = 2: DWPlusFP; else as the sum of two expansions
template <int N>
RESIDUA_HD expansion<double, N> operator+(const expansion<double, N>& x, double y)
{
    if constexpr (N == 2) {
        return detail::sum(x, y);
    } else if constexpr (one_term_a_lane<N>) {
        return x + expansion<double, N>{y};
    } else {
        double h[N + 1];
        detail::exact_sum(y, x.t, h);
        expansion<double, N> r;
        detail::squeeze(h, r.t);
        return r;
    }
}

template <int N>
RESIDUA_HD expansion<double, N> operator+(double x, const expansion<double, N>& y)
{
    return y + x;
}

template <int N>
RESIDUA_HD expansion<double, N> operator-(const expansion<double, N>& x, const expansion<double, N>& y)
{
    return x + -y;
}

template <int N>
RESIDUA_HD expansion<double, N> operator-(const expansion<double, N>& x, double y)
{
    return x + -y;
}

template <int N>
RESIDUA_HD expansion<double, N> operator-(double x, const expansion<double, N>& y)
{
    return -y + x;
}

}  // namespace residua
