#pragma once

#include <type_traits>

#include <residua/arith/base/number_traits.hpp>
#include <residua/arith/expansion/accumulator.hpp>
#include <residua/blas/base/reduction_order.hpp>

namespace residua::blas::detail {

/// The accumulator of format T.
template <class T>
using accumulator_of = accumulator<number_traits<T>::terms>;

/// Adds a product, or a number, without bounding the words: they stay an exact representation
/// up to the roundings in the last word, but the words after the first may grow with the number
/// of products. Call tidy after every `products_per_tidy` of reduction_order.hpp.
template <int N, class X>
RESIDUA_HD void add_product(accumulator<N>& a, const X& x, const expansion<double, N>& y)
{
    if constexpr (std::is_same_v<X, double>) {
        residua::detail::cascade_products(a.w, y.t, x, residua::detail::first_indices<N>{});
    } else {
        residua::detail::cascade_products(a.w, x.t, y.t, residua::detail::first_indices<N>{});
    }
}

RESIDUA_HD void add_product(accumulator<1>& a, double x, double y)
{
    a.add_product(x, y);
}

template <int N>
RESIDUA_HD void add(accumulator<N>& a, const expansion<double, N>& x)
{
    residua::detail::cascade_terms(a.w, x.t, residua::detail::first_indices<N>{});
}

RESIDUA_HD void add(accumulator<1>& a, double x)
{
    a.add(x);
}

/// Bounds the words again: every word at most half an ulp of a rounded sum above it.
template <int N>
RESIDUA_HD void tidy(accumulator<N>& a)
{
    if constexpr (N > 1) {
        residua::detail::vec_sum(a.w);
    }
}

}  // namespace residua::blas::detail
