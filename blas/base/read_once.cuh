#pragma once

#include <cstdint>

#include <residua/blas/base/view.hpp>

namespace residua::blas::detail {

/// For loads of what is read once: half of it is to leave the second cache before all else. Of vectors that this cache
/// cannot hold half stays there then until they are used again; else the words read last would push out those read
/// first, which are the next to be used.
///
/// It is what `createpolicy.fractional.L2::evict_first.b64 policy, 0.5` gives on every device. The instruction itself
/// would leave it where each load had to fetch it from.
inline constexpr std::uint64_t half_leaves_first = 0x1270000000000000;

/// A vector whose elements a kernel reads once each and nothing writes meanwhile: they pass the first cache by.
///
/// `volatile` keeps the loads of neighbouring elements together: to save registers the compiler would move each to
/// where it is used, and a dot product of two terms would be a twentieth slower.
template <class View>
struct read_once : View {
    __device__ explicit read_once(const View& x) : View(x) {}

    __device__ typename View::value_type load(index_t i) const
    {
        typename View::value_type x;
        residua::detail::unroll<View::terms>([&](int k) __attribute__((always_inline)) {
            const double* const place = this->data + k * this->plane_stride + i;
            asm volatile("ld.global.L1::no_allocate.L2::cache_hint.f64 %0, [%1], %2;"
                         : "=d"(term(x, k))
                         : "l"(place), "l"(half_leaves_first));
        });
        return x;
    }
};

}  // namespace residua::blas::detail
