#pragma once

#include <cstdint>
#include <type_traits>

#include <residua/arith/base/bits.hpp>
#include <residua/arith/base/eft.hpp>
#include <residua/arith/expansion/accumulator.hpp>
#include <residua/blas/base/check.hpp>
#include <residua/blas/base/cuda_executor.hpp>
#include <residua/blas/base/device_scalar.hpp>
#include <residua/blas/base/executor.hpp>
#include <residua/blas/base/multidigit_array.hpp>
#include <residua/blas/base/rns_array.hpp>
#include <residua/blas/base/view.hpp>

/// Element-wise operations on vectors of every format. All vectors of an operation have the same size; those of run-time
/// formats have any strides but zero, and all operands have one format. A result may be an operand, but not overlap one partly.
///
/// cost    a multiply-add an element, two for waxpby; copy and fill none. They read and write each vector once
/// order   elementwise: the same bits for any thread count, instruction set and executor. On a device, operations are
///         queued, here as everywhere, where the library was built with CUDA
/// throws  dimension_error if sizes differ, error if formats do; on a device cuda_error if the launch fails
///
/// errors of an element by format; xpay is axpy with x and y exchanged; copy and fill have none
///
///   double, u = 2^-53          scal u |a y_i|, none if a is a power of two; axpy u |a x_i| + u |y_i + a x_i|; waxpby
///                              u (|a x_i| + |b y_i|) + u |w_i|; to first order
///   expansion of N terms       scal as a product of the format, none if a is a power of two; axpy
///                              accumulation_error_bound<N>(1) u^N (|a x_i| + |y_i|), arith/expansion; waxpby as the
///                              product a x_i and one axpy element together
///   multi-digit floats         scal and axpy are correctly rounded; waxpby rounds a x_i, and then the sum, correctly
///   RNS floats, u = 4/sqrt(M)  as double; scal has none if a is 1 or -1
///
/// In run-time formats factors of 1 and -1 cost no product.
namespace residua::blas {

/// A factor of vectors of T: a number on the host; on a device a number of T may also be a place in its memory.
template <class Exec, class T>
using factor_of = std::conditional_t<std::is_same_v<Exec, cuda_executor> && !run_time_format<T>, scalar_argument<T>,
                                     typename array_traits<T>::number>;

namespace detail {

/// A factor among the operands of an operation. It is a copy where it may be an element of the result, as numbers of run-time
/// formats are not.
template <class Exec, class T>
using operand_factor =
    std::conditional_t<run_time_format<T>, const typename array_traits<T>::number&, factor_of<Exec, T>>;

/// The table of the element-wise operations of a format, whose operands were checked. This one is of types of numbers;
/// multi-digit floats and RNS floats have their own below.
///
///   copy(exec, x, y), fill(exec, a, y), scal(exec, a, y), axpy(exec, a, x, y), xpay(exec, x, a, y),
///   waxpby(exec, a, x, b, y, w)
template <class T>
struct elementwise_operations {
    using host = host_executor;
    using cuda = cuda_executor;

    static void copy(const host&, in_vector<host, T> x, vector_view<host, T> y);
    static void copy(const cuda& exec, in_vector<cuda, T> x, vector_view<cuda, T> y);
    static void fill(const host&, const T& a, vector_view<host, T> y);
    static void fill(const cuda& exec, const scalar_argument<T>& a, vector_view<cuda, T> y);
    static void scal(const host&, const T& a, vector_view<host, T> y);
    static void scal(const cuda& exec, const scalar_argument<T>& a, vector_view<cuda, T> y);
    static void axpy(const host&, const T& a, in_vector<host, T> x, vector_view<host, T> y);
    static void axpy(const cuda& exec, const scalar_argument<T>& a, in_vector<cuda, T> x, vector_view<cuda, T> y);
    static void xpay(const host&, in_vector<host, T> x, const T& a, vector_view<host, T> y);
    static void xpay(const cuda& exec, in_vector<cuda, T> x, const scalar_argument<T>& a, vector_view<cuda, T> y);
    static void waxpby(const host&, const T& a, in_vector<host, T> x, const T& b, in_vector<host, T> y,
                       vector_view<host, T> w);
    static void waxpby(const cuda& exec, const scalar_argument<T>& a, in_vector<cuda, T> x, const scalar_argument<T>& b,
                       in_vector<cuda, T> y, vector_view<cuda, T> w);
};

template <>
struct elementwise_operations<multidigit> {
    template <class Exec>
    static void copy(const Exec& exec, in_vector<Exec, multidigit> x, vector_view<Exec, multidigit> y);
    template <class Exec>
    static void fill(const Exec& exec, const multidigit_number& a, vector_view<Exec, multidigit> y);
    template <class Exec>
    static void scal(const Exec& exec, const multidigit_number& a, vector_view<Exec, multidigit> y);
    template <class Exec>
    static void axpy(const Exec& exec, const multidigit_number& a, in_vector<Exec, multidigit> x,
                     vector_view<Exec, multidigit> y);
    template <class Exec>
    static void xpay(const Exec& exec, in_vector<Exec, multidigit> x, const multidigit_number& a,
                     vector_view<Exec, multidigit> y);
    template <class Exec>
    static void waxpby(const Exec& exec, const multidigit_number& a, in_vector<Exec, multidigit> x,
                       const multidigit_number& b, in_vector<Exec, multidigit> y, vector_view<Exec, multidigit> w);
};

template <>
struct elementwise_operations<rns> {
    template <class Exec>
    static void copy(const Exec& exec, in_vector<Exec, rns> x, vector_view<Exec, rns> y);
    template <class Exec>
    static void fill(const Exec& exec, const rns_number& a, vector_view<Exec, rns> y);
    template <class Exec>
    static void scal(const Exec& exec, const rns_number& a, vector_view<Exec, rns> y);
    template <class Exec>
    static void axpy(const Exec& exec, const rns_number& a, in_vector<Exec, rns> x, vector_view<Exec, rns> y);
    template <class Exec>
    static void xpay(const Exec& exec, in_vector<Exec, rns> x, const rns_number& a, vector_view<Exec, rns> y);
    template <class Exec>
    static void waxpby(const Exec& exec, const rns_number& a, in_vector<Exec, rns> x, const rns_number& b,
                       in_vector<Exec, rns> y, vector_view<Exec, rns> w);
};

}  // namespace detail

/// y <- x, exactly
template <class T, class Exec>
void copy(const Exec& exec, in_vector<Exec, T> x, out_vector<Exec, T> y)
{
    require_equal("copy", "sizes of x and y", x.size, y.size);
    require_formats("copy", y, x);
    detail::elementwise_operations<T>::copy(exec, x, y);
}

/// y_i <- a
template <class T, class Exec>
void fill(const Exec& exec, const factor_of<Exec, T>& a, out_vector<Exec, T> y)
{
    require_formats("fill", y, a);
    detail::elementwise_operations<T>::fill(exec, a, y);
}

/// y <- a y
template <class T, class Exec>
void scal(const Exec& exec, const factor_of<Exec, T>& a, out_vector<Exec, T> y)
{
    require_formats("scal", y, a);
    detail::elementwise_operations<T>::scal(exec, a, y);
}

/// y <- y + a x
template <class T, class Exec>
void axpy(const Exec& exec, const factor_of<Exec, T>& a, in_vector<Exec, T> x, out_vector<Exec, T> y)
{
    require_equal("axpy", "sizes of x and y", x.size, y.size);
    require_formats("axpy", y, a, x);
    detail::elementwise_operations<T>::axpy(exec, a, x, y);
}

/// y <- x + a y
template <class T, class Exec>
void xpay(const Exec& exec, in_vector<Exec, T> x, const factor_of<Exec, T>& a, out_vector<Exec, T> y)
{
    require_equal("xpay", "sizes of x and y", x.size, y.size);
    require_formats("xpay", y, a, x);
    detail::elementwise_operations<T>::xpay(exec, x, a, y);
}

/// w <- a x + b y
template <class T, class Exec>
void waxpby(const Exec& exec, const factor_of<Exec, T>& a, in_vector<Exec, T> x, const factor_of<Exec, T>& b,
            in_vector<Exec, T> y, out_vector<Exec, T> w)
{
    require_equal("waxpby", "sizes of x and w", x.size, w.size);
    require_equal("waxpby", "sizes of y and w", y.size, w.size);
    require_formats("waxpby", w, a, x, b, y);
    detail::elementwise_operations<T>::waxpby(exec, a, x, b, y, w);
}

namespace detail {

/// y + a x for one element, on every executor.
template <number T>
RESIDUA_HD T axpy_element(const T& a, const T& x, const T& y)
{
    if constexpr (number_traits<T>::terms == 1) {
        return y + mul_rn(a, x);
    } else {
        return multiply_add(a, x, y);
    }
}

/// a x + b y for one element, on every executor.
template <number T>
RESIDUA_HD T waxpby_element(const T& a, const T& x, const T& b, const T& y)
{
    if constexpr (number_traits<T>::terms == 1) {
        return axpy_element(b, y, mul_rn(a, x));
    } else {
        return axpy_element(b, y, a * x);
    }
}

/// Whether a is +-2^k: then every term is scaled by itself.
template <class T>
RESIDUA_HD bool is_power_of_two(const T& a)
{
    const std::uint64_t magnitude = to_bits(term(a, 0)) & ~sign_mask;
    const std::uint64_t fraction = magnitude & fraction_mask;
    const bool normal = fraction == 0 && magnitude != 0 && magnitude < exponent_mask;
    const bool subnormal = fraction == magnitude && fraction != 0 && (fraction & (fraction - 1)) == 0;
    bool power = normal || subnormal;
    for (int k = 1; k < number_traits<T>::terms; ++k) {
        power = power && term(a, k) == 0.0;
    }
    return power;
}

/// a y for one element, on every executor.
template <class T>
RESIDUA_HD T scal_element(const T& a, const T& y)
{
    if (!is_power_of_two(a)) {
        if constexpr (number_traits<T>::terms == 1) {
            return mul_rn(a, y);
        } else {
            return a * y;
        }
    }
    T r = y;
    residua::detail::unroll<number_traits<T>::terms>([&](int k) __attribute__((always_inline)) {
        term(r, k) = mul_rn(term(r, k), term(a, 0));
    });
    return r;
}

}  // namespace detail
}  // namespace residua::blas
