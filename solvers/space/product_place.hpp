#pragma once

#include <optional>

#include <residua/blas/base/cuda_executor.hpp>

namespace residua {

/// Where the products of blocks are computed that dense factors are made of: on the host, or large ones on a device,
/// from copies of their operands.
struct product_place {
    std::optional<cuda_executor> device = {};  ///< empty: all on the host
    /// A product is large if its multiply-adds times the bits of a number are so many; empty: by the tuning table
    std::optional<double> least_work = {};
};

}  // namespace residua
