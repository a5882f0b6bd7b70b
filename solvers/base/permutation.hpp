#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include <residua/blas/base/executor.hpp>
#include <residua/io/error.hpp>

namespace residua {

/// The sign of the permutation that takes k to to_k.
///
/// cost  n
inline int sign_of(std::vector<std::int32_t> to)
{
    int sign = 1;
    for (std::size_t k = 0; k < to.size(); ++k) {
        while (static_cast<std::size_t>(to[k]) != k) {
            std::swap(to[k], to[static_cast<std::size_t>(to[k])]);
            sign = -sign;
        }
    }
    return sign;
}

/// Swaps of k and the result's k-th number, k = 0, 1, ..., that bring what is in place order[k] to place k. That number is
/// at least k.
///
/// cost  n
inline std::vector<index_t> swaps_of(const std::vector<index_t>& order)
{
    std::vector<index_t> here(order.size()), place(order.size()), swaps;  // what is in a place, and where it is
    std::iota(here.begin(), here.end(), index_t{0});
    std::iota(place.begin(), place.end(), index_t{0});
    for (std::size_t k = 0; k < order.size(); ++k) {
        const index_t from = place[static_cast<std::size_t>(order[k])];
        swaps.push_back(from);
        place[static_cast<std::size_t>(here[k])] = from;
        std::swap(here[k], here[static_cast<std::size_t>(from)]);
    }
    return swaps;
}

/// The row that lies in place k in the end, for all k, once row swaps[k] was swapped with row k for k = 0, 1, ...
///
/// cost  n
inline std::vector<index_t> order_of(const std::vector<index_t>& swaps)
{
    std::vector<index_t> order(swaps.size());
    std::iota(order.begin(), order.end(), index_t{0});
    for (std::size_t k = 0; k < swaps.size(); ++k) {
        std::swap(order[k], order[static_cast<std::size_t>(swaps[k])]);
    }
    return order;
}

}  // namespace residua
