#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <residua/blas/base/parallel.hpp>

/// Loops over the elements of vectors that estimates are made of. Several threads share them where that pays.
namespace residua {

/// A thread takes whole blocks of this many elements, and what is summed is summed block by block: so no sum depends on
/// the number of threads.
inline constexpr index_t elements_of_block = 4096;

/// The work of one element, roughly, in operations of blas::detail::threads_for.
inline constexpr double operations_of_element = 100.0;

/// Calls f(i) for i = 0, ..., n - 1, in any order.
template <class F>
void for_each_element(std::size_t n, const F& f)
{
    const auto count = static_cast<index_t>(n);
    blas::detail::parallel_ranges(count, elements_of_block, operations_of_element * static_cast<double>(n),
                                  [&](index_t begin, index_t end) {
                                      for (index_t i = begin; i < end; ++i) {
                                          f(static_cast<std::size_t>(i));
                                      }
                                  });
}

/// Returns join(... join(part(first block), part(second block)) ...); part(begin, end) is for begin, ..., end - 1.
template <class T, class Part, class Join>
T fold_elements(std::size_t n, const Part& part, const Join& join)
{
    constexpr auto block = static_cast<std::size_t>(elements_of_block);
    if (n <= block) {
        return part(std::size_t{0}, n);
    }
    std::vector<T> each((n + block - 1) / block);
    blas::detail::parallel_ranges(static_cast<index_t>(each.size()), 1, operations_of_element * static_cast<double>(n),
                                  [&](index_t begin, index_t end) {
                                      for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end);
                                           ++k) {
                                          each[k] = part(k * block, std::min(n, (k + 1) * block));
                                      }
                                  });
    T result = each.front();
    for (std::size_t k = 1; k < each.size(); ++k) {
        result = join(result, each[k]);
    }
    return result;
}

}  // namespace residua
