#pragma once

#include <limits>

#include <residua/arith/base/host_device.hpp>
#include <residua/io/error.hpp>

namespace residua::blas::detail {

/// The entries (i, j) of a matrix with least <= i - j <= most.
struct diagonals {
    index_t least = std::numeric_limits<index_t>::min();
    index_t most = std::numeric_limits<index_t>::max();

    RESIDUA_HD bool have(index_t i, index_t j) const { return least <= i - j && i - j <= most; }
};

}  // namespace residua::blas::detail
