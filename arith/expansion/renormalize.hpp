#pragma once

#include <utility>

#include <residua/arith/expansion/type.hpp>

/// Error-free transformations of arrays of terms, the leading term first.
///
/// Up to `unrolled_terms` terms they are straight-line code, indices being template arguments, so
/// that a loop over elements around them vectorises; above, they are loops. Only compress, which is
/// for those, branches on data.
///
/// In what follows a sequence h_0, h_1, ... is *nonadjacent* if for every h_i != 0 there is a
/// power of two d with h_i a multiple of d and |h_j| < d/2 for all j > i; zeros may lie anywhere.
/// The proofs are in docs/error_bounds.md.
namespace residua::detail {

inline constexpr int unrolled_terms = 8;

template <int N>
inline constexpr bool unrolled = N <= unrolled_terms;

template <int... I>
using indices = std::integer_sequence<int, I...>;

template <int N>
using first_indices = std::make_integer_sequence<int, N>;

/// (a, b) <- (RN(a + b), error)
RESIDUA_HD void two_sum_in_place(double& a, double& b)
{
    const rounded r = two_sum(a, b);
    a = r.value;
    b = r.error;
}

/// The same, if a is a multiple of ulp(b); |a| >= |b| or a == 0 suffice.
RESIDUA_HD void fast_two_sum_in_place(double& a, double& b)
{
    const rounded r = fast_two_sum(a, b);
    a = r.value;
    b = r.error;
}

template <int N, int... K>
RESIDUA_HD void copy_unrolled(const double (&x)[N], double (&y)[N], indices<K...>)
{
    ((y[K] = x[K]), ...);
}

/// y <- x
template <int N>
RESIDUA_HD void copy_terms(const double (&x)[N], double (&y)[N])
{
    if constexpr (unrolled<N>) {
        copy_unrolled(x, y, first_indices<N>{});
    } else {
        for (int k = 0; k < N; ++k) {
            y[k] = x[k];
        }
    }
}

template <int M, int... I>
RESIDUA_HD void vec_sum_unrolled(double (&x)[M], indices<I...>)
{
    (two_sum_in_place(x[M - 2 - I], x[M - 1 - I]), ...);
}

/// One error-free pass from the last term to the first: x_0 becomes the rounded sum s_0 of the
/// chain s_i = RN(x_i + s_{i+1}), x_{i+1} the error of that addition, |x_{i+1}| <= ulp(s_i) / 2.
///
/// cost  6 (M - 1) flops
/// from  VecSum, [ORO05, Alg. 4.3]
template <int M>
RESIDUA_HD void vec_sum(double (&x)[M])
{
    if constexpr (unrolled<M>) {
        vec_sum_unrolled(x, first_indices<M - 1>{});
    } else {
        for (int i = M - 2; i >= 0; --i) {
            two_sum_in_place(x[i], x[i + 1]);
        }
    }
}

template <int Top, int Bottom, int M, int... I>
RESIDUA_HD void grow_unrolled(double (&h)[M], indices<I...>)
{
    (two_sum_in_place(h[Top], h[Bottom - I]), ...);
}

/// h_Top, ..., h_Bottom <- h_Top + (h_{Top+1} + ... + h_Bottom), exactly.
///
/// If h_{Top+1}, ..., h_Bottom is nonadjacent, so is the result, whatever h_Top is.
/// cost  6 (Bottom - Top) flops
/// from  Grow-Expansion, [She97, Thm. 10]
template <int Top, int Bottom, int M>
RESIDUA_HD void grow(double (&h)[M])
{
    grow_unrolled<Top, Bottom>(h, first_indices<Bottom - Top>{});
}

template <int Top, int Bottom, int M, int... I>
RESIDUA_HD void grow_dominating_unrolled(double (&h)[M], indices<I...>)
{
    (fast_two_sum_in_place(h[Top], h[Bottom - I]), ...);
}

/// grow for |h_Top| >= 2 (|h_{Top+1}| + ... + |h_Bottom|); 3 (Bottom - Top) flops.
template <int Top, int Bottom, int M>
RESIDUA_HD void grow_dominating(double (&h)[M])
{
    grow_dominating_unrolled<Top, Bottom>(h, first_indices<Bottom - Top>{});
}

template <int M, int... I>
RESIDUA_HD void distill_unrolled(double (&h)[M], indices<I...>)
{
    (grow<M - 2 - I, M - 1>(h), ...);
}

/// Makes any h_First, ..., h_{M-1} nonadjacent; their sum is unchanged.
///
/// cost  3 (M - First) (M - First - 1) flops
template <int First = 0, int M>
RESIDUA_HD void distill(double (&h)[M])
{
    if constexpr (M <= 2 * unrolled_terms) {
        distill_unrolled(h, first_indices<M - 1 - First>{});
    } else {
        for (int top = M - 2; top >= First; --top) {
            for (int i = M - 1; i > top; --i) {
                two_sum_in_place(h[top], h[i]);
            }
        }
    }
}

template <int N, int... I>
RESIDUA_HD void expansion_sum_unrolled(double (&h)[2 * N], indices<I...>)
{
    (grow<N - 1 - I, 2 * N - 1 - I>(h), ...);
}

/// h_0, ..., h_{2N-1} <- (h_0 + ... + h_{N-1}) + (h_N + ... + h_{2N-1}), exactly.
///
/// If both halves are nonadjacent, so is the result.
/// cost  6 N^2 flops
/// from  Expansion-Sum, [She97, Thm. 12]
template <int N>
RESIDUA_HD void expansion_sum(double (&h)[2 * N])
{
    if constexpr (unrolled<N>) {
        expansion_sum_unrolled<N>(h, first_indices<N>{});
    } else {
        for (int top = N - 1; top >= 0; --top) {
            for (int i = top + N; i > top; --i) {
                two_sum_in_place(h[top], h[i]);
            }
        }
    }
}

template <int First, int M, int... I>
RESIDUA_HD void collect_unrolled(double (&h)[M], indices<I...>)
{
    (fast_two_sum_in_place(h[M - 2 - I], h[M - 1 - I]), ...);
}

/// One pass over the pairs from the last up to (h_First, h_{First+1}): h_First <- the rounded
/// sum of h_First, ..., h_{M-1} up to 3/4 ulp, what is missing stays behind it; exact.
///
/// shapes  h_First, ... nonadjacent; it stays so. Or ulp-nonoverlapping; it becomes nonadjacent
/// cost    3 (M - 1 - First) flops
/// from    docs/error_bounds.md, lemma 3
template <int First, int M>
RESIDUA_HD void collect(double (&h)[M])
{
    if constexpr (M <= 2 * unrolled_terms) {
        collect_unrolled<First>(h, first_indices<M - 1 - First>{});
    } else {
        for (int i = M - 2; i >= First; --i) {
            fast_two_sum_in_place(h[i], h[i + 1]);
        }
    }
}

/// The sequence h as N terms without zeros between them; what comes after them is dropped.
///
/// From the first term on: adds the next term to what is left, writes a term whenever that
/// addition is inexact. Branches on data; for the loops above `unrolled_terms`.
/// from  VecSumErrBranch, [JMMP16, Alg. 5]; docs/error_bounds.md, lemma 4
template <int N, int M>
RESIDUA_HD void compress(const double (&h)[M], double (&out)[N])
{
    int at = 0;
    double rest = h[0];
    for (int i = 1; i < M && at < N; ++i) {
        const rounded r = fast_two_sum(rest, h[i]);
        if (r.error != 0.0) {
            out[at++] = r.value;
        }
        rest = r.error != 0.0 ? r.error : r.value;
    }
    for (; at < N; ++at) {
        out[at] = rest;
        rest = 0.0;
    }
}

template <int M, int... K>
RESIDUA_HD void collect_all(double (&h)[M], indices<K...>)
{
    (collect<K>(h), ...);
}

template <int N, int M, int... K>
RESIDUA_HD void copy_terms(const double (&h)[M], double (&out)[N], indices<K...>)
{
    ((out[K] = h[K]), ...);
}

/// The ulp-nonoverlapping N-term number next to a nonadjacent h_0, ..., h_{M-1}, M >= N: without
/// zeros in front of other terms, exact for M == N, else with an error below (3u/2)^N (1 + 2Nu)
/// of the sum. h is overwritten.
///
/// cost  3 (M - 1) + 3 (M - 2) + ... flops, N passes (N - 1 for M == N)
/// from  docs/error_bounds.md, theorem 1
template <int N, int M>
RESIDUA_HD void squeeze(double (&h)[M], double (&out)[N])
{
    constexpr int passes = M == N ? N - 1 : N;
    if constexpr (unrolled<N>) {
        collect_all(h, first_indices<passes>{});
        copy_terms(h, out, first_indices<N>{});
    } else {
        compress(h, out);
    }
}

}  // namespace residua::detail
