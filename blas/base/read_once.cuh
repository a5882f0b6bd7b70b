#pragma once

#include <cstdint>

#include <residua/blas/base/view.hpp>

namespace residua::blas::detail {

/// What the second cache is to do with a word that was read: nothing special, for matrices, beside which results stay.
inline constexpr std::uint64_t no_preference = 0;

/// Half of all words are to leave it before all else. Of vectors that this cache cannot hold half stays there then until
/// they are used again; else the words read last would push out those read first, which are the next to be used.
///
/// It is what `createpolicy.fractional.L2::evict_first.b64 policy, 0.5` gives on every device. The instruction itself
/// would leave it where each load had to fetch it from.
inline constexpr std::uint64_t half_leaves_first = 0x1270000000000000;

/// The same with 1.0 for 0.5: for a vector beside one that is read and written, which is to stay.
inline constexpr std::uint64_t all_leaves_first = 0x12f0000000000000;

/// Reads what no thread reads again: the first cache is not to keep it.
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

/// A vector whose elements a kernel reads once each and nothing writes meanwhile: they pass the first cache by.
template <class View, std::uint64_t Policy = no_preference>
struct read_once : View {
    __device__ explicit read_once(const View& x) : View(x) {}

    __device__ typename View::value_type load(index_t i) const
    {
        typename View::value_type x;
        residua::detail::unroll<View::terms>([&](int k) __attribute__((always_inline)) {
            term(x, k) = passing_read<Policy>{}(this->data + k * this->plane_stride + i);
        });
        return x;
    }
};

}  // namespace residua::blas::detail
