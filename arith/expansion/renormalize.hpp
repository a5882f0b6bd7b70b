#pragma once

#include <cstdint>
#include <utility>

#include <residua/arith/expansion/type.hpp>

/// Building blocks of the arithmetic on arrays of terms. For at most `unrolled_terms` terms they
/// are straight-line code: indices are template arguments and choices are selects, so that a
/// loop over elements around them vectorises. Above, they are loops.
namespace residua::detail {

inline constexpr int unrolled_terms = 8;

template <int N>
inline constexpr bool unrolled = N <= unrolled_terms;

template <int... I>
using indices = std::integer_sequence<int, I...>;

template <int N>
using first_indices = std::make_integer_sequence<int, N>;

/// (x_i, x_{i+1}) <- two_sum(x_i, x_{i+1})
template <int I, int M>
RESIDUA_HD void two_sum_at(double (&x)[M])
{
    const rounded r = two_sum(x[I], x[I + 1]);
    x[I] = r.value;
    x[I + 1] = r.error;
}

template <int... I, int M>
RESIDUA_HD void vec_sum_unrolled(double (&x)[M], indices<I...>)
{
    (two_sum_at<M - 2 - I>(x), ...);
}

/// One error-free pass from the last term to the first: the sum of x is unchanged,
/// x_0 becomes the rounded sum s_0 of the chain s_i = RN(x_i + s_{i+1}), and x_{i+1} the
/// error of that addition, |x_{i+1}| <= ulp(s_i) / 2.
///
/// cost  6 (M - 1) flops
/// from  VecSum, [ORO05, Alg. 4.3], [JMMP16, Alg. 4]
template <int M>
RESIDUA_HD void vec_sum(double (&x)[M])
{
    if constexpr (M <= 2 * unrolled_terms) {
        vec_sum_unrolled(x, first_indices<M - 1>{});
    } else {
        for (int i = M - 2; i >= 0; --i) {
            const rounded r = two_sum(x[i], x[i + 1]);
            x[i] = r.value;
            x[i + 1] = r.error;
        }
    }
}

template <int K, int N>
RESIDUA_HD void store_if(bool here, double (&out)[N], double value)
{
    out[K] = here ? value : out[K];
}

template <int... K, int N>
RESIDUA_HD void store_at(std::int64_t at, double (&out)[N], double value, indices<K...>)
{
    (store_if<K>(at == K, out, value), ...);
}

/// What a compression has not written yet, and how many terms it has written.
struct compression {
    double rest;
    std::int64_t at;
};

template <int I, int N>
RESIDUA_HD void compress_step(compression& c, double next, double (&out)[N])
{
    const rounded r = two_sum(c.rest, next);
    const bool inexact = r.error != 0.0;
    store_at(c.at, out, r.value, first_indices<(I < N ? I : N)>{});
    c.at += inexact ? 1 : 0;
    c.rest = inexact ? r.error : r.value;
}

template <int... I, int... K, int M, int N>
RESIDUA_HD void compress_unrolled(const double (&x)[M], double (&out)[N], indices<I...>,
                                  indices<K...> all)
{
    ((out[K] = 0.0), ...);
    compression c{x[0], 0};
    (compress_step<I + 1>(c, x[I + 1], out), ...);
    store_at(c.at, out, c.rest, all);
}

/// From the first term to the last: adds the next term to what is left of the ones before and
/// writes an output term whenever that addition is inexact, so that zeros between the terms
/// vanish. At most N terms are written; what comes after them is dropped.
///
/// from  VecSumErrBranch, [JMMP16, Alg. 5]
template <int N, int M>
RESIDUA_HD void compress(const double (&x)[M], double (&out)[N])
{
    if constexpr (M <= 2 * unrolled_terms && unrolled<N>) {
        compress_unrolled(x, out, first_indices<M - 1>{}, first_indices<N>{});
    } else {
        for (int k = 0; k < N; ++k) {
            out[k] = 0.0;
        }
        int at = 0;
        double rest = x[0];
        for (int i = 1; i < M && at < N; ++i) {
            const rounded r = two_sum(rest, x[i]);
            if (r.error != 0.0) {
                out[at++] = r.value;
                rest = r.error;
            } else {
                rest = r.value;
            }
        }
        if (at < N) {
            out[at] = rest;
        }
    }
}

}  // namespace residua::detail
