#pragma once

#include <residua/arith/base/bits.hpp>
#include <residua/arith/base/eft.hpp>
#include <residua/blas/base/device_scalar.hpp>
#include <residua/blas/base/executor.hpp>
#include <residua/blas/base/view.hpp>

namespace residua::blas {

/// y <- a y
///
/// errors   per element as one product of the format; none if a is a power of two
/// cost     n products; reads n, writes n numbers
/// order    elementwise
template <number T>
void scal(const host_executor& exec, const std::type_identity_t<T>& a, vector_view<host_executor, T> y);

/// scal on a CUDA device, with the bits of the host.
template <number T>
void scal(const cuda_executor& exec, const std::type_identity_t<scalar_argument<T>>& a,
          vector_view<cuda_executor, T> y);

namespace detail {

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

/// The step of scal for one element, on every executor.
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
