#pragma once

#include <cstdint>

#include <residua/blas/base/cuda_executor.hpp>

namespace residua::support {

struct cache_policies {
    std::uint64_t used;  ///< by read_once.cuh
    std::uint64_t made;  ///< by the instruction of this device
};
cache_policies half_leaves_first(const cuda_executor& exec);

}  // namespace residua::support
