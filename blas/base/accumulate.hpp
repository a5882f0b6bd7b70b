#pragma once

#include <type_traits>

#include <residua/arith/expansion/accumulator.hpp>
#include <residua/arith/expansion/functions.hpp>
#include <residua/blas/base/reduction_order.hpp>

/// The steps of an accumulator (arith/expansion) one by one: its add_product is an addition of the
/// levels of the product and one pass of vec_sum. Here the pass is a step of its own, `renormalize`,
/// which reduction_order.hpp does not ask for after each product; error_bounds.hpp has the bound.
namespace residua::blas::detail {

/// The accumulator of format T.
template <class T>
using accumulator_of = accumulator<number_traits<T>::terms>;

/// products_per_renormalization of format T.
template <class T>
inline constexpr index_t renormalization_period = products_per_renormalization<number_traits<T>::terms>;

/// Adds x y; renormalize() bounds the words of `a` again.
template <int N, class X>
    requires std::is_same_v<X, double> || std::is_same_v<X, expansion<double, N>>
RESIDUA_HD void add_product(accumulator<N>& a, const X& x, const expansion<double, N>& y)
{
    double levels[N];
    if constexpr (std::is_same_v<X, double>) {
        const double factor[1] = {x};
        residua::detail::product_levels(y.t, factor, levels);
    } else {
        residua::detail::product_levels(x.t, y.t, levels);
    }
    residua::detail::add_levels(a.w, levels);
}

RESIDUA_HD void add_product(accumulator<1>& a, double x, double y) { a.add_product(x, y); }

/// A product of doubles is two terms exactly: the bits of x y with y as an expansion, for fewer flops.
RESIDUA_HD void add_product(accumulator<2>& a, double x, double y)
{
    const residua::rounded p = two_prod(x, y);
    const double levels[2] = {p.value, p.error};
    residua::detail::add_levels(a.w, levels);
}

/// Adds x; renormalize() bounds the words of `a` again.
template <int N>
RESIDUA_HD void add(accumulator<N>& a, const expansion<double, N>& x)
{
    residua::detail::add_levels(a.w, x.t);
}

RESIDUA_HD void add(accumulator<1>& a, double x) { a.add(x); }

/// Bounds the words again: each is at most half an ulp of the rounded sum from it on.
template <int N>
RESIDUA_HD void renormalize(accumulator<N>& a)
{
    if constexpr (N > 1) {
        residua::detail::vec_sum(a.w);
    }
}

/// x in the format R: x itself, or the binary64 number next to it.
template <class R, class T>
RESIDUA_HD R rounded_to(const T& x)
{
    if constexpr (std::is_same_v<R, T>) {
        return x;
    } else {
        static_assert(std::is_same_v<R, double>);
        return to_double(x);
    }
}

}  // namespace residua::blas::detail
