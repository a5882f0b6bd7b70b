#pragma once

#include <limits>

#include <residua/arith/base/bits.hpp>
#include <residua/arith/expansion/div.hpp>
#include <residua/arith/expansion/elementary/constants.hpp>
#include <residua/arith/expansion/functions.hpp>
#include <residua/arith/expansion/mul.hpp>

/// What the elementary functions share: changes of the number of terms, the series of 1 / k!, and
/// starting values in binary64, which use fma and rounded products and so have the same bits on
/// host and device.
namespace residua::detail {

// As variables, because kernels may not call the members of numeric_limits.
inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double quiet_nan = std::numeric_limits<double>::quiet_NaN();

/// x with M terms: exactly if these are not fewer, else cut off after M terms with an error below
/// (3u/2)^M (1 + 2Mu) |x|.
template <int M, int N>
RESIDUA_HD expansion<double, M> with_terms(const expansion<double, N>& x)
{
    expansion<double, M> r;
    if constexpr (M >= N) {
        for (int i = 0; i < N; ++i) {
            r.t[i] = x.t[i];
        }
    } else {
        double h[N];
        copy_terms(x.t, h);
        collect<0>(h);
        squeeze(h, r.t);
        if constexpr (M == 2) {
            r = fast_double_word(r.t[0], r.t[1]);
        }
    }
    return r;
}

/// The first M terms of x, which are within 2 ulps of term M - 1 of it.
template <int M, int N>
RESIDUA_HD expansion<double, M> leading_terms(const expansion<double, N>& x)
{
    expansion<double, M> r;
    for (int i = 0; i < M; ++i) {
        r.t[i] = x.t[i];
    }
    if constexpr (M == 2 && N > 2) {
        r = fast_double_word(r.t[0], r.t[1]);
    }
    return r;
}

/// x 2^k for a result of a function; what falls below 2^-1074 is rounded.
template <int N>
RESIDUA_HD expansion<double, N> rescaled(const expansion<double, N>& x, int k)
{
    expansion<double, N> r = ldexp(x, k);
    if constexpr (N == 2) {
        r = is_finite(r) ? fast_double_word(r.t[0], r.t[1]) : double_word{r.t[0]};
    }
    return r;
}

/// x y + z with N + 1 terms until the end, so that the product's error is small beside z too.
template <int N>
RESIDUA_HD expansion<double, N> fused(const expansion<double, N>& x, const expansion<double, N>& y,
                                      const expansion<double, N>& z)
{
    return with_terms<N>(with_terms<N + 1>(x) * with_terms<N + 1>(y) + with_terms<N + 1>(z));
}

/// x / y with N + 1 terms until the end.
template <int N>
RESIDUA_HD expansion<double, N> wide_quotient(const expansion<double, N>& x, const expansion<double, N>& y)
{
    return with_terms<N>(with_terms<N + 1>(x) / with_terms<N + 1>(y));
}

/// The result `special` unless `ordinary`.
template <int N>
RESIDUA_HD expansion<double, N> ordinary_or(bool ordinary, const expansion<double, N>& r, double special)
{
    expansion<double, N> chosen{special};
    for (int i = 0; i < N; ++i) {
        chosen.t[i] = ordinary ? r.t[i] : chosen.t[i];
    }
    return chosen;
}

/// |w| in sums over every factorial (e^r: |r| <= ln 2 / 2) and every second one (sin, cos: r^2).
constexpr double largest_argument(int stride) { return stride == 1 ? 0.35 : 0.62; }

/// From which k on the terms of the sum w^k / (First + Stride k)! need no more than M of N words:
/// they are so small beside the first one that an error of u^M in them is one of 2^-8 u^N.
template <int First, int Stride, int N>
constexpr int first_index(int m)
{
    const double limit = pow2(-53 * (N - m) - 8);
    double share = 1.0;
    int k = 0;
    while (m < N && share > limit) {
        share *= largest_argument(Stride);
        for (int j = 1; j <= Stride; ++j) {
            share /= First + Stride * k + j;
        }
        ++k;
    }
    return k;
}

template <int M, int First, int Stride, int N>
inline constexpr int first_index_of = first_index<First, Stride, N>(M);

/// The sum of w^k / (First + Stride k)! from first_index(M) on, over a power of w, by Horner's rule
/// with as many words as each term needs.
template <int M, int First, int Stride, int N>
RESIDUA_HD_LONG expansion<double, M> factorial_series_from(const expansion<double, N>& w)
{
    constexpr int begin = first_index_of<M, First, Stride, N>;
    constexpr int end = first_index_of<M - 1, First, Stride, N>;
    static_assert(First + Stride * end <= factorials);
    if constexpr (M == 2) {
        constexpr int count = first_index_of<0, First, Stride, N>;
        static_assert(First + Stride * (count - 1) < factorials);
        double p = inverse_factorial_term(First + Stride * (count - 1), 0);
        RESIDUA_KEEP_LOOP
        for (int k = count - 2; k >= end; --k) {
            p = std::fma(p, w.t[0], inverse_factorial_term(First + Stride * k, 0));
        }
        const expansion<double, 2> factor = leading_terms<2>(w);
        expansion<double, 2> sum{p};
        RESIDUA_KEEP_LOOP
        for (int k = end - 1; k >= begin; --k) {
            sum = sum * factor + inverse_factorial<2>(First + Stride * k);
        }
        return sum;
    } else {
        const expansion<double, M> factor = leading_terms<M>(w);
        expansion<double, M> sum = with_terms<M>(factorial_series_from<M - 1, First, Stride>(w));
        RESIDUA_KEEP_LOOP
        for (int k = end - 1; k >= begin; --k) {
            sum = sum * factor + inverse_factorial<M>(First + Stride * k);
        }
        return sum;
    }
}

/// 1 / First! + w / (First + Stride)! + w^2 / (First + 2 Stride)! + ..., |w| <= largest_argument.
template <int First, int Stride, int N>
RESIDUA_HD expansion<double, N> factorial_series(const expansion<double, N>& w)
{
    return factorial_series_from<N, First, Stride>(w);
}

/// The first `count` terms of t (1 + s/3 + s^2/5 + ...): artanh(t) for s = t^2, arctan(t) for s = -t^2.
RESIDUA_HD double odd_series(double t, double s, int count)
{
    double p = 0.0;
    for (int k = count - 1; k >= 0; --k) {
        p = std::fma(p, s, 1.0 / (2 * k + 1));
    }
    return mul_rn(t, p);
}

}  // namespace residua::detail
