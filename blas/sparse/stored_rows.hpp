#pragma once

#include <cstdint>

#include <residua/arith/base/host_device.hpp>
#include <residua/io/error.hpp>

namespace residua::blas::detail {

/// The entries of a matrix in either storage, told apart at run time, and their columns.
struct stored_rows {
    static constexpr index_t slice_rows = 32;

    const index_t* begin = nullptr;        ///< of rows, or of slices
    const std::int32_t* length = nullptr;  ///< the lengths of rows if there are slices, otherwise null
    const std::int32_t* col = nullptr;

    /// The entries of row i lie at first(i), first(i) + step(), ..., count(i) of them.
    RESIDUA_HD index_t first(index_t i) const
    {
        return length == nullptr ? begin[i] : begin[i / slice_rows] * slice_rows + i % slice_rows;
    }
    RESIDUA_HD index_t count(index_t i) const { return length == nullptr ? begin[i + 1] - begin[i] : length[i]; }
    RESIDUA_HD index_t step() const { return length == nullptr ? 1 : slice_rows; }
};

}  // namespace residua::blas::detail
