#pragma once

#include <residua/blas/base/view.hpp>

namespace residua::blas::detail {

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
            asm volatile("ld.global.L1::no_allocate.f64 %0, [%1];" : "=d"(term(x, k)) : "l"(place));
        });
        return x;
    }
};

}  // namespace residua::blas::detail
