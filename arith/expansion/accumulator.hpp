#pragma once

#include <residua/arith/expansion/renormalize.hpp>

namespace residua {

namespace detail {

/// a_L <- RN(a_L + v); the rounding error goes to a_{L+1} in the same way, the last is dropped.
template <int L, int N>
RESIDUA_HD void cascade(double (&a)[N], double v)
{
    if constexpr (L == N - 1) {
        a[L] += v;
    } else if constexpr (L < N - 1) {
        const rounded r = two_sum(a[L], v);
        a[L] = r.value;
        cascade<L + 1>(a, r.error);
    }
}

/// Adds x y at level L.
template <int L, int N>
RESIDUA_HD void cascade_product(double (&a)[N], double x, double y)
{
    if constexpr (L == N - 1) {
        a[L] = std::fma(x, y, a[L]);
    } else if constexpr (L < N - 1) {
        const rounded p = two_prod(x, y);
        cascade<L>(a, p.value);
        cascade<L + 1>(a, p.error);
    }
}

template <int I, int N, int... J>
RESIDUA_HD void cascade_row(double (&a)[N], double x, const double (&y)[N], indices<J...>)
{
    (cascade_product<I + J>(a, x, y[J]), ...);
}

template <int N, int... I>
RESIDUA_HD void cascade_products(double (&a)[N], const double (&x)[N], const double (&y)[N],
                                 indices<I...>)
{
    (cascade_row<I>(a, x[I], y, first_indices<N - I>{}), ...);
}

template <int N, int... I>
RESIDUA_HD void cascade_products(double (&a)[N], const double (&x)[N], double y, indices<I...>)
{
    (cascade_product<I>(a, x[I], y), ...);
}

template <int N, int... I>
RESIDUA_HD void cascade_terms(double (&a)[N], const double (&x)[N], indices<I...>)
{
    (cascade<I>(a, x[I]), ...);
}

}  // namespace detail

/// A sum of products of N-term numbers, kept in binary64 words that are not normalised.
///
/// add_product, add and merge are straight-line code for N <= 8. The words may be stored and
/// reloaded by their owner (a lane of a SIMD loop, shared memory); all zero means an empty sum.
template <int N>
class accumulator {
public:
    using value_type = expansion<double, N>;
    static constexpr int words = N;
    double w[words] = {};

    constexpr accumulator() = default;

    RESIDUA_HD explicit accumulator(const value_type& x)
    {
        for (int k = 0; k < N; ++k) {
            w[k] = x.t[k];
        }
    }

    RESIDUA_HD void add_product(const value_type& x, const value_type& y)
    {
        detail::cascade_products(w, x.t, y.t, detail::first_indices<N>{});
        detail::vec_sum(w);
    }

    RESIDUA_HD void add_product(const value_type& x, double y)
    {
        detail::cascade_products(w, x.t, y, detail::first_indices<N>{});
        detail::vec_sum(w);
    }

    RESIDUA_HD void add_product(double x, const value_type& y)
    {
        add_product(y, x);
    }

    RESIDUA_HD void add(const value_type& x)
    {
        detail::cascade_terms(w, x.t, detail::first_indices<N>{});
        detail::vec_sum(w);
    }

    RESIDUA_HD void merge(const accumulator& other)
    {
        detail::cascade_terms(w, other.w, detail::first_indices<N>{});
        detail::vec_sum(w);
    }

    RESIDUA_HD value_type result() const
    {
        accumulator a = *this;
        detail::vec_sum(a.w);
        value_type r;
        detail::compress(a.w, r.t);
        return r;
    }
};

/// One term: the plain binary64 sum of rounded products.
template <>
class accumulator<1> {
public:
    using value_type = double;
    static constexpr int words = 1;
    double w[words] = {};

    constexpr accumulator() = default;

    RESIDUA_HD explicit accumulator(double x)
    {
        w[0] = x;
    }

    RESIDUA_HD void add_product(double x, double y)
    {
        w[0] += mul_rn(x, y);
    }

    RESIDUA_HD void add(double x)
    {
        w[0] += x;
    }

    RESIDUA_HD void merge(const accumulator& other)
    {
        w[0] += other.w[0];
    }

    RESIDUA_HD double result() const
    {
        return w[0];
    }
};

}  // namespace residua
