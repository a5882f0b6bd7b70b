#pragma once

#include <optional>

#include <residua/blas/base/cuda_executor.hpp>

namespace residua {

/// Where the products of blocks in dense factors are computed: on the host, or large ones on a device, from copies of
/// their operands. Of sparse factors, where fronts are eliminated.
struct product_place {
    std::optional<cuda_executor> device = {};  ///< empty: the host computes all
    /// The least multiply-adds times bits of a number that make a product large, or a front; empty: the tuning table
    /// says for products, and multifrontal for fronts.
    std::optional<double> least_work = {};
};

}  // namespace residua
