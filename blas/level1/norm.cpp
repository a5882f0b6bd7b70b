#include <residua/blas/level1/norm.hpp>

#include <cmath>
#include <cstdint>

#include <residua/arith/base/bits.hpp>
#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/base/reduce.hpp>
#include <residua/blas/level1/dot.hpp>

namespace residua::blas {
namespace {

/// max |x_i| of binary64; NaN counts as larger than infinity. As integers, because magnitudes
/// are ordered like their bits and a maximum of integers needs no rule for NaN.
double largest_magnitude(const double* x, index_t n)
{
    std::int64_t largest = 0;
#pragma omp parallel for simd reduction(max : largest) schedule(static) \
    num_threads(detail::threads_for(static_cast<double>(n)))
    for (index_t i = 0; i < n; ++i) {
        const auto bits = static_cast<std::int64_t>(to_bits(x[i]) & ~sign_mask);
        largest = largest < bits ? bits : largest;
    }
    return from_bits(static_cast<std::uint64_t>(largest));
}

/// sum (2^e x_i)^2, in the order of dot
template <class T>
T sum_of_scaled_squares(vector_view<host_executor, const T> x, int e)
{
    const double half = std::ldexp(1.0, e / 2);  // 2^e itself may be out of range
    const double rest = std::ldexp(1.0, e - e / 2);
    const double operations = detail::multiply_add_operations<T> * static_cast<double>(x.size);
    return detail::sum_in_order<T>(
               x.size, operations,
               [half, rest](auto& sum, T xi) __attribute__((always_inline)) {
                   for (int k = 0; k < number_traits<T>::terms; ++k) {
                       term(xi, k) = term(xi, k) * half * rest;
                   }
                   detail::add_product(sum, xi, xi);
               },
               x)
        .result();
}

}  // namespace

template <number T>
T norm2(const host_executor& exec, in_vector<host_executor, T> x)
{
    // Below `least` the errors of underflow, n N^2 2^-1074 at most, could show in the result.
    constexpr double most = 0x1p1000;
    const double least = std::ldexp(1.0, -1000 + number_traits<T>::precision_bits);

    const T sum = dot<T>(exec, x, x);
    const double size = to_double(sum);
    if (least <= size && size <= most) {
        return sqrt(sum);
    }
    const T largest = norm_inf<T>(exec, x);
    const double m = to_double(largest);
    if (!(m > 0.0) || !is_finite(largest)) {
        return largest;
    }
    const int e = std::ilogb(m);
    return ldexp(sqrt(sum_of_scaled_squares<T>(x, -e)), e);
}

template <number T>
T norm_inf(const host_executor&, in_vector<host_executor, T> x)
{
    const double leading = largest_magnitude(x.data, x.size);
    if constexpr (number_traits<T>::terms == 1) {
        return leading;
    } else {
        if (!(leading <= 0x1.fffffffffffffp1023)) {
            return T{leading};
        }
        // Terms after the first change a number by two units in its last place at most.
        const double candidate = leading * (1.0 - 0x1p-50);
        T largest{0.0};
        for (index_t i = 0; i < x.size; ++i) {
            if (std::fabs(x.data[i]) >= candidate) {
                const T xi = abs(x.load(i));
                largest = largest < xi ? xi : largest;
            }
        }
        return largest;
    }
}

#define RESIDUA_INSTANTIATE(...)                                                               \
    template __VA_ARGS__ norm2<__VA_ARGS__>(const host_executor&,                              \
                                            in_vector<host_executor, __VA_ARGS__>);            \
    template __VA_ARGS__ norm_inf<__VA_ARGS__>(const host_executor&,                           \
                                               in_vector<host_executor, __VA_ARGS__>);
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)

}  // namespace residua::blas
