#pragma once

#include <residua/blas/base/accumulate.hpp>
#include <residua/blas/base/view.hpp>
#include <residua/blas/sparse/stored_rows.hpp>

/// Sums of products of rows in binary64 and expansions, one row after the other, on every executor.
namespace residua::blas::detail {

/// sum <- sum + a x, the product number k of the sum, in the order of reduction_order.hpp for sparse rows.
template <class T, class V, class X>
RESIDUA_HD void add_product_of_row(accumulator_of<T>& sum, const V& a, const X& x, index_t k)
{
    add_product(sum, a, x);
    if ((k + 1) % renormalization_period<T> == 0) {
        renormalize(sum);
    }
}

/// x_i <- (b_i - sum of t_ij x_j) / t_ii, a row of a triangle, whose x_j are known.
template <class Exec, class V, class T>
struct expansion_solve_row {
    bool lower, unit;
    compressed_rows rows;
    vector_view<Exec, const V> value;
    vector_view<Exec, const T> b;
    vector_view<Exec, T> x;

    RESIDUA_HD void operator()(index_t i) const
    {
        accumulator_of<T> sum{b.load(i)};
        index_t products = 0;
        V pivot{0.0};
        rows.walk_triangle(
            i, lower,
            [&](index_t p, index_t j) __attribute__((always_inline)) {
                const V entry = value.load(p);
                add_product_of_row<T>(sum, V{-entry}, x.load(j), products++);
            },
            [&](index_t p) __attribute__((always_inline)) { pivot = value.load(p); });
        const T rhs = sum.result();
        x.store(i, unit ? rhs : T{rhs / pivot});
    }
};

}  // namespace residua::blas::detail
