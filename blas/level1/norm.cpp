#include <residua/blas/level1/norm.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>

#include <residua/arith/base/bits.hpp>
#include <residua/blas/base/accumulate.hpp>
#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/base/pairwise.hpp>
#include <residua/blas/base/parallel.hpp>
#include <residua/blas/level1/dot.hpp>

namespace residua::blas {
namespace {

/// max |x_i| of binary64; NaN counts as larger than infinity. It is a maximum of integers, because
/// magnitudes are ordered like their bits, and integers need no rule for NaN.
double largest_magnitude(const double* x, index_t n)
{
    std::atomic<std::int64_t> largest = 0;
    detail::parallel_ranges(n, 64, static_cast<double>(n), [&](index_t begin, index_t end) {
        std::int64_t of_range = 0;
#pragma omp simd reduction(max : of_range)
        for (index_t i = begin; i < end; ++i) {
            const auto bits = static_cast<std::int64_t>(to_bits(x[i]) & ~sign_mask);
            of_range = of_range < bits ? bits : of_range;
        }
        for (std::int64_t known = largest; known < of_range && !largest.compare_exchange_weak(known, of_range);) {
        }
    });
    return from_bits(static_cast<std::uint64_t>(largest.load()));
}

/// sum (2^e x_i)^2 in the order of dot, block by block in a scaled copy.
template <class T>
T sum_of_scaled_squares(vector_view<host_executor, const T> x, int e)
{
    const double half = std::ldexp(1.0, e / 2);  // 2^e itself may be out of range
    const double rest = std::ldexp(1.0, e - e / 2);
    double copy[number_traits<T>::terms * reduction_block];
    detail::pairwise_sum<detail::accumulator_of<T>> tree;
    for (index_t begin = 0; begin < x.size; begin += reduction_block) {
        const index_t size = std::min(reduction_block, x.size - begin);
        for (int k = 0; k < x.terms; ++k) {
            for (index_t i = 0; i < size; ++i) {
                const double xi = x.plane(k)[begin + i];
                copy[k * reduction_block + i] = xi * half * rest;
            }
        }
        const vector_view<host_executor, const T> block{{copy, reduction_block}, size};
        tree.push(detail::ordered_dot<T>(block, block, 0.0));
    }
    return tree.total().result();
}

}  // namespace

template <number T>
T detail::norm2_of(const host_executor& exec, const vector_view<host_executor, const T>& x, const T& square)
{
    return detail::scaled_norm2<T>(
        square, [&] { return norm_inf<T>(exec, x); }, [&](int e) { return sum_of_scaled_squares<T>(x, e); });
}

template <number T>
T detail::norm_inf_of(const host_executor&, const vector_view<host_executor, const T>& x)
{
    const double leading = largest_magnitude(x.data(), x.size);
    if constexpr (number_traits<T>::terms == 1) {
        return leading;
    } else {
        if (!(leading <= 0x1.fffffffffffffp1023)) {
            return T{leading};
        }
        // The terms after the leading one add up to at most 1.01 units of its last place.
        const double candidate = leading * (1.0 - 0x1p-50);
        T largest{0.0};
        for (index_t i = 0; i < x.size; ++i) {
            if (std::fabs(x.data()[i]) >= candidate) {
                const T xi = abs(x.load(i));
                largest = largest < xi ? xi : largest;
            }
        }
        return largest;
    }
}

#define RESIDUA_INSTANTIATE(...)                                                                                      \
    template __VA_ARGS__ detail::norm2_of(const host_executor&, const vector_view<host_executor, const __VA_ARGS__>&, \
                                          const __VA_ARGS__&);                                                        \
    template __VA_ARGS__ detail::norm_inf_of(const host_executor&,                                                    \
                                             const vector_view<host_executor, const __VA_ARGS__>&);
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)

}  // namespace residua::blas
