#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include <residua/arith/multidigit/accumulator.hpp>
#include <residua/blas/base/parallel.hpp>
#include <residua/blas/base/reduction_order.hpp>
#include <residua/blas/multidigit/array.hpp>

/// Runs the elements of an operation on the host, each on its own.
namespace residua::blas::detail {

/// throws  error "op: ..." unless all have the format of the result
inline void require_formats(std::string_view op, std::initializer_list<multidigit_format> all,
                            const multidigit_format& result)
{
    for (const multidigit_format& format : all) {
        if (!(format == result)) {
            throw error(std::string(op) + ": multi-digit floats of " + std::to_string(format.bits()) + " and " +
                        std::to_string(result.bits()) + " bits differ");
        }
    }
}

/// What a multiply-add of numbers of such a format costs, in operations on binary64 words.
inline double operations_of(const multidigit_format& format)
{
    const double n = multidigit_count<std::uint64_t>(format.bits());
    return 2.0 * n * n + 20.0 * n + 40.0;
}

/// f(i) for i < n, in the size that the format takes; `multiply_adds` is the work of one of them.
template <class F>
void run(const multidigit_format& format, index_t n, const F& f, double multiply_adds = 1.0)
{
    with_multidigit_size<std::uint64_t>(multidigit_count<std::uint64_t>(format.bits()), [&]<int N>() {
        parallel_ranges(n, residua::detail::words_apart, operations_of(format) * multiply_adds * static_cast<double>(n),
                        [&](index_t begin, index_t end) {
                            for (index_t i = begin; i < end; ++i) {
                                f.template operator()<std::uint64_t, N>(i);
                            }
                        });
    });
}

/// One block of the order of summation: elements first, ..., last - 1 of what `add` adds.
template <int N, class Add>
multidigit_sum<std::uint64_t, N> sum_of_block(index_t first, index_t last, const Add& add, int p)
{
    multidigit_sum<std::uint64_t, N> lanes[reduction_lanes];
    for (index_t i = first; i < last; ++i) {
        add.template operator()<std::uint64_t, N>(lanes[(i - first) % reduction_lanes], i, p);
    }
    for (index_t half = reduction_lanes / 2; half > 0; half /= 2) {
        for (index_t lane = 0; lane < half; ++lane) {
            lanes[lane].merge(lanes[lane + half]);
        }
    }
    return lanes[0];
}

}  // namespace residua::blas::detail
