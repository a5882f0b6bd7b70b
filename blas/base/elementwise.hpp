#pragma once

#include <algorithm>
#include <concepts>

#include <residua/blas/base/lane_window.hpp>
#include <residua/blas/base/parallel.hpp>
#include <residua/blas/base/simd.hpp>

namespace residua::blas::detail {

/// Elements that one SIMD loop runs over: a constant, so that it needs no remainder loop.
inline constexpr index_t elementwise_lanes = 16;

/// y_i <- f(x_i...) for every i: SIMD over elements, threads over ranges. f is a lambda marked
/// always_inline. Any x may be the vector y itself.
template <class T, class F, std::convertible_to<vector_view<host_executor, const T>>... X>
void elementwise(double operations_each, const F& f, vector_view<host_executor, T> y, const X&... x)
{
    constexpr index_t lanes = elementwise_lanes;
    const double operations = operations_each * static_cast<double>(y.size);
    parallel_ranges(y.size, lanes, operations, [&](index_t begin, index_t end) {
        run_simd([&]() __attribute__((always_inline)) {
            for (index_t i = begin; i < end; i += lanes) {
                const index_t count = std::min(lanes, end - i);
                const lane_window<T, lanes> to(y, i, count);
                [&](const auto... from) __attribute__((always_inline))
                {
                    for_lanes(
                        lanes, [&](index_t l)
                                   __attribute__((always_inline)) { to.view().store(l, f(from.load(l)...)); });
                }
                (lane_window<const T, lanes>(x, i, count).view()...);
                to.write_back(y, i, count);
            }
        });
    });
}

}  // namespace residua::blas::detail
