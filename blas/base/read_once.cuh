#pragma once

#include <cstdint>

#include <residua/blas/base/view.hpp>

namespace residua::blas::detail {

/// The hint for the second cache (L2) that it has no preference: for matrices, beside which results stay in the cache.
inline constexpr std::uint64_t no_preference = 0;

/// The hint that half of all words leave L2 first. Half of a vector that is too large for L2 then stays there until it
/// is used again; otherwise the words read last would push out those read first, which are the next to be used.
///
/// The constant is what `createpolicy.fractional.L2::evict_first.b64 policy, 0.5` gives on every device. The
/// instruction itself would leave it in a place from which each load had to fetch it.
inline constexpr std::uint64_t half_leaves_first = 0x1270000000000000;

/// The hint that all words leave L2 first: for a vector beside one that is read and written, and is to stay.
inline constexpr std::uint64_t all_leaves_first = 0x12f0000000000000;

/// Reads a word that no thread reads again: the first cache (L1) is not to keep it.
///
/// `volatile` holds the loads of a number and its neighbours together: to save registers the compiler would move each to
/// where it is used, and a dot product of two terms would be a twentieth slower.
template <std::uint64_t Policy = no_preference>
struct passing_read {
    __device__ std::uint32_t operator()(const std::uint32_t* word) const
    {
        std::uint32_t value = 0;
        if constexpr (Policy == no_preference) {
            asm volatile("ld.global.L1::no_allocate.u32 %0, [%1];" : "=r"(value) : "l"(word));
        } else {
            asm volatile("ld.global.L1::no_allocate.L2::cache_hint.u32 %0, [%1], %2;"
                         : "=r"(value)
                         : "l"(word), "l"(Policy));
        }
        return value;
    }
    __device__ double operator()(const double* place) const
    {
        double value = 0.0;
        if constexpr (Policy == no_preference) {
            asm volatile("ld.global.L1::no_allocate.f64 %0, [%1];" : "=d"(value) : "l"(place));
        } else {
            asm volatile("ld.global.L1::no_allocate.L2::cache_hint.f64 %0, [%1], %2;"
                         : "=d"(value)
                         : "l"(place), "l"(Policy));
        }
        return value;
    }
};

/// A vector whose elements a kernel reads once each while nothing writes them: the reads bypass the first cache.
template <class View, std::uint64_t Policy = no_preference>
struct read_once : View {
    __device__ explicit read_once(const View& x) : View(x) {}

    __device__ typename View::value_type load(index_t i) const
    {
        typename View::value_type x;
        residua::detail::unroll<View::terms>([&](int k) __attribute__((always_inline)) {
            term(x, k) = passing_read<Policy>{}(this->plane(k) + i);
        });
        return x;
    }
};

}  // namespace residua::blas::detail
