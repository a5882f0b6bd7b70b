#pragma once

#include <residua/arith/expansion/digits.hpp>
#include <residua/arith/expansion/renormalize.hpp>

/// Sums and products of N-term numbers as N *levels*: words p_0, ..., p_{N-1}, |p_k| of the order
/// u^k, whose sum is the result up to the order u^N, but which are not normalised.
///
/// A term of order k is added at level k by two_sum; the rounding error is a term of order k + 1.
/// The last level is summed by plain additions. Sums are trees, for a short critical path and a
/// small bound. The bounds are in docs/error_bounds.md, section 4.
/// From `first_digit_terms` terms on a product goes through digits (digits.hpp) instead.
namespace residua::detail {

/// `Count` terms that wait to be added.
template <int Count>
struct terms {
    double v[Count > 0 ? Count : 1];
};

template <int First, int From, int To, int... I>
RESIDUA_HD void append(terms<To>& to, const terms<From>& from, int skip, indices<I...>)
{
    ((to.v[First + I] = from.v[I + skip]), ...);
}

/// to_First, to_{First+1}, ... <- from_0, from_1, ...
template <int First, int From, int To>
RESIDUA_HD void append(terms<To>& to, const terms<From>& from)
{
    append<First>(to, from, 0, first_indices<From>{});
}

/// All but v_0.
template <int Count>
RESIDUA_HD terms<Count - 1> without_first(const terms<Count>& t)
{
    terms<Count - 1> r{};
    append<0>(r, t, 1, first_indices<Count - 1>{});
    return r;
}

template <int Step, int Count, int... I>
RESIDUA_HD void add_neighbours(terms<Count>& t, indices<I...>)
{
    (two_sum_in_place(t.v[2 * Step * I], t.v[2 * Step * I + Step]), ...);
}

/// v_0 <- the sum, rounded; v_1, ... <- the errors of the Count - 1 additions.
template <int Step = 1, int Count>
RESIDUA_HD void sum_exact(terms<Count>& t)
{
    if constexpr (Step < Count) {
        add_neighbours<Step>(t, first_indices<(Count - Step + 2 * Step - 1) / (2 * Step)>{});
        sum_exact<2 * Step>(t);
    }
}

template <int Step, int Count, int... I>
RESIDUA_HD void add_neighbours_rounded(terms<Count>& t, indices<I...>)
{
    ((t.v[2 * Step * I] += t.v[2 * Step * I + Step]), ...);
}

/// The sum, rounded; 0 for no terms.
template <int Step = 1, int Count>
RESIDUA_HD double sum_rounded(terms<Count> t)
{
    if constexpr (Count == 0) {
        return 0.0;
    } else if constexpr (Step < Count) {
        add_neighbours_rounded<Step>(t, first_indices<(Count - Step + 2 * Step - 1) / (2 * Step)>{});
        return sum_rounded<2 * Step>(t);
    } else {
        return t.v[0];
    }
}

RESIDUA_HD void multiply_exact(double x, double y, double& value, double& error)
{
    const rounded p = two_prod(x, y);
    value = p.value;
    error = p.error;
}

/// The products x_i y_j of order i + j == K: values first in t, errors in e.
template <int K, int First, int Nx, int Ny, int T, int P, int... I>
RESIDUA_HD void multiply_order(const double (&x)[Nx], const double (&y)[Ny], terms<T>& t, terms<P>& e, indices<I...>)
{
    (multiply_exact(x[First + I], y[K - First - I], t.v[I], e.v[I]), ...);
}

/// s plus the products of order K, each addition one fma.
template <int K, int First, int Nx, int Ny, int... I>
RESIDUA_HD double add_order(double s, const double (&x)[Nx], const double (&y)[Ny], indices<I...>)
{
    ((s = std::fma(x[First + I], y[K - First - I], s)), ...);
    return s;
}

/// Levels K, K+1, ... of x y: `low` are the errors of the products of order K - 1, `carried` those
/// of the sums at level K - 1.
template <int K, int N, int Ny, int Low, int Carried>
RESIDUA_HD void product_level(const double (&x)[N], const double (&y)[Ny], double (&p)[N], const terms<Low>& low,
                              const terms<Carried>& carried)
{
    constexpr int first = K < Ny ? 0 : K - Ny + 1;  // of i; j = K - i
    constexpr int count = K - first + 1;
    if constexpr (K < N - 1) {
        terms<count + Low + Carried> t;
        terms<count> errors;
        multiply_order<K, first>(x, y, t, errors, first_indices<count>{});
        append<count>(t, low);
        append<count + Low>(t, carried);
        sum_exact(t);
        p[K] = t.v[0];
        product_level<K + 1>(x, y, p, errors, without_first(t));
    } else {
        const double s = add_order<K, first>(sum_rounded(low), x, y, first_indices<count>{});
        p[K] = s + sum_rounded(carried);
    }
}

/// Levels K, K+1, ... of w + p, into w: `carried` are the errors of the sums at level K - 1.
template <int K, int N, int Carried>
RESIDUA_HD void add_level(double (&w)[N], const double (&p)[N], const terms<Carried>& carried)
{
    terms<Carried + 2> t;
    append<0>(t, carried);
    t.v[Carried] = p[K];
    t.v[Carried + 1] = w[K];
    if constexpr (K < N - 1) {
        sum_exact(t);
        w[K] = t.v[0];
        add_level<K + 1>(w, p, without_first(t));
    } else {
        w[K] = sum_rounded(t);
    }
}

/// t_0 <- RN(t_0 + ... + t_{count-1}) by a tree, t_i <- the errors.
RESIDUA_HD void sum_exact(double* t, int count)
{
    for (int step = 1; step < count; step *= 2) {
        for (int i = 0; i + step < count; i += 2 * step) {
            two_sum_in_place(t[i], t[i + step]);
        }
    }
}

RESIDUA_HD double sum_rounded(double* t, int count)
{
    for (int step = 1; step < count; step *= 2) {
        for (int i = 0; i + step < count; i += 2 * step) {
            t[i] += t[i + step];
        }
    }
    return t[0];
}

/// product_level for all K as loops.
template <int N, int Ny>
RESIDUA_HD void product_loops(const double (&x)[N], const double (&y)[Ny], double (&p)[N])
{
    double t[N * N];  // N^2 - 3N + 3 terms at level N - 2
    double low[N];
    int lows = 0;
    int count = 1;  // t_1, ..., t_{count-1} are carried
    for (int k = 0; k < N - 1; ++k) {
        for (int i = 0; i < lows; ++i) {
            t[count++] = low[i];
        }
        const int first = k < Ny ? 0 : k - Ny + 1;
        lows = k - first + 1;
        for (int i = 0; i < lows; ++i) {
            const rounded r = two_prod(x[first + i], y[k - first - i]);
            t[i == 0 ? 0 : count++] = r.value;
            low[i] = r.error;
        }
        sum_exact(t, count);
        p[k] = t[0];
    }
    t[0] = sum_rounded(low, lows);
    for (int i = N - 1 < Ny ? 0 : N - Ny; i < N; ++i) {
        t[0] = std::fma(x[i], y[N - 1 - i], t[0]);
    }
    p[N - 1] = sum_rounded(t, count);
}

/// add_level for all K as loops.
template <int N>
RESIDUA_HD void add_loops(double (&w)[N], const double (&p)[N])
{
    double t[N + 2];
    for (int k = 0; k < N; ++k) {
        t[k + 1] = p[k];
        t[0] = w[k];
        if (k < N - 1) {
            sum_exact(t, k + 2);
        } else {
            sum_rounded(t, k + 2);
        }
        w[k] = t[0];
    }
}

/// p <- the levels of x y, y of N terms or one.
///
/// cost  N = 2, 3, 4, 6, 8: 4, 24, 72, 300, 379 flops; y of one term: 3, 12, 27, 75, 147
template <int N, int Ny>
RESIDUA_HD void product_levels(const double (&x)[N], const double (&y)[Ny], double (&p)[N])
{
    if constexpr (N == Ny && N >= first_digit_terms) {
        product_by_digits(x, y, p);
    } else if constexpr (unrolled<N>) {
        product_level<0>(x, y, p, terms<0>{}, terms<0>{});
    } else {
        product_loops(x, y, p);
    }
}

/// w <- the levels of w + p.
///
/// cost  3 N (N - 1) + N flops
template <int N>
RESIDUA_HD void add_levels(double (&w)[N], const double (&p)[N])
{
    if constexpr (unrolled<N>) {
        add_level<0>(w, p, terms<0>{});
    } else {
        add_loops(w, p);
    }
}

}  // namespace residua::detail
