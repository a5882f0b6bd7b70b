#pragma once

#include <cstdint>
#include <vector>

#include <residua/io/error.hpp>

namespace residua {

/// A square sparse matrix in compressed rows, entries in binary64, columns ascending in a row.
struct sparse_rows {
    index_t n = 0;
    std::vector<index_t> row_begin;
    std::vector<std::int32_t> column;
    std::vector<double> value;
};

}  // namespace residua
