#pragma once

#include <type_traits>

#include <residua/arith/base/host_device.hpp>
#include <residua/arith/base/number_traits.hpp>
#include <residua/blas/base/executor.hpp>
#include <residua/blas/base/unroll.hpp>
#include <residua/io/error.hpp>

namespace residua {

/// Term k of a number: the number itself for double and float, x[k] for a format of several terms.
RESIDUA_HD const double& term(const double& x, int) { return x; }
RESIDUA_HD double& term(double& x, int) { return x; }
RESIDUA_HD const float& term(const float& x, int) { return x; }
RESIDUA_HD float& term(float& x, int) { return x; }
template <class T>
    requires(number_traits<std::remove_const_t<T>>::terms > 1)
RESIDUA_HD auto& term(T& x, int k)
{
    return x[k];
}

/// A vector of T in the memory of Exec, stored in planes: term k of element i is
/// data[k * plane_stride + i]. Copying a view copies no numbers.
///
/// T may be const; a view of T converts to a view of const T.
template <class Exec, class T>
struct vector_view {
    using value_type = std::remove_const_t<T>;
    using word = typename number_traits<value_type>::word;
    using term_type = std::conditional_t<std::is_const_v<T>, const word, word>;
    static constexpr int terms = number_traits<value_type>::terms;

    term_type* data = nullptr;
    index_t size = 0;
    index_t plane_stride = 0;

    RESIDUA_HD value_type load(index_t i) const
    {
        value_type x;
        detail::unroll<terms>([&](int k) __attribute__((always_inline)) { term(x, k) = data[k * plane_stride + i]; });
        return x;
    }

    RESIDUA_HD void store(index_t i, const value_type& x) const
        requires(!std::is_const_v<T>)
    {
        detail::unroll<terms>([&](int k) __attribute__((always_inline)) { data[k * plane_stride + i] = term(x, k); });
    }

    template <class U = T>
        requires(std::is_same_v<U, T> && !std::is_const_v<U>)  // otherwise U would be deduced from the wanted type
    operator vector_view<Exec, const U>() const
    {
        return {data, size, plane_stride};
    }
};

/// A column-major matrix of T in planes: term k of (i, j) is data[k * plane_stride + j * ld + i].
template <class Exec, class T>
struct matrix_view {
    using value_type = std::remove_const_t<T>;
    using word = typename number_traits<value_type>::word;
    using term_type = std::conditional_t<std::is_const_v<T>, const word, word>;
    static constexpr int terms = number_traits<value_type>::terms;

    term_type* data = nullptr;
    index_t rows = 0;
    index_t cols = 0;
    index_t ld = 0;
    index_t plane_stride = 0;

    /// Column j as a vector.
    RESIDUA_HD vector_view<Exec, T> column(index_t j) const { return {data + j * ld, rows, plane_stride}; }

    template <class U = T>
        requires(std::is_same_v<U, T> && !std::is_const_v<U>)
    operator matrix_view<Exec, const U>() const
    {
        return {data, rows, cols, ld, plane_stride};
    }
};

/// Read-only arguments. T is deduced from the output alone, so a view of T converts.
template <class Exec, class T>
using in_vector = std::type_identity_t<vector_view<Exec, const T>>;
template <class Exec, class T>
using in_matrix = std::type_identity_t<matrix_view<Exec, const T>>;

}  // namespace residua
