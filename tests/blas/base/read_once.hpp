#pragma once

#include <array>
#include <cstdint>

#include <residua/blas/base/cuda_executor.hpp>

namespace residua::support {

/// By which half of what is read leaves the second cache first, and all of it.
struct cache_policies {
    std::array<std::uint64_t, 2> used;  ///< by read_once.cuh
    std::array<std::uint64_t, 2> made;  ///< by the instruction of this device
};
cache_policies leave_first(const cuda_executor& exec);

}  // namespace residua::support
