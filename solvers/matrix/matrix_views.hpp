#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <residua/io/error.hpp>

namespace residua {

/// A sparse matrix by rows over arrays of the caller: entry p of row i, row_begin[i] <= p + base < row_begin[i + 1], is
/// value[p] in column column[p] - base.
///
/// Index  a signed integer of 32 or 64 bits
/// Value  double, an expansion, real, another number that to_real() takes, or text: a decimal, kept as it is written
/// base   0 or 1, of row_begin and column alike
/// order  the columns of a row may come in any order and more than once; entries in one place are added, exactly
template <class Index, class Value>
struct csr_view {
    index_t rows = 0;
    index_t cols = 0;
    std::span<const Index> row_begin;  ///< rows + 1 positions
    std::span<const Index> column;
    std::span<const Value> value;  ///< as long as column
    int base = 0;
};

/// A sparse matrix by columns over arrays of the caller: entry p of column j, col_begin[j] <= p + base <
/// col_begin[j + 1], is value[p] in row row[p] - base. Index, Value, base and order are as in csr_view.
template <class Index, class Value>
struct csc_view {
    index_t rows = 0;
    index_t cols = 0;
    std::span<const Index> col_begin;  ///< cols + 1 positions
    std::span<const Index> row;
    std::span<const Value> value;  ///< as long as row
    int base = 0;
};

/// A sparse matrix by coordinates over arrays of the caller: entry k is value[k] in row row[k] - base and column
/// column[k] - base. Index, Value, base and order are as in csr_view; rows may come in any order, too.
template <class Index, class Value>
struct coo_view {
    index_t rows = 0;
    index_t cols = 0;
    std::span<const Index> row;
    std::span<const Index> column;  ///< as long as row
    std::span<const Value> value;   ///< as long as row
    int base = 0;
};

enum class storage_order { row_major, column_major };

/// A dense matrix over an array of the caller: (i, j) is value[i * stride + j] by rows, value[j * stride + i] by columns.
/// All of its entries are entries of the system, zeros too.
///
/// Value  as csr_view has it
template <class Value>
struct dense_view {
    index_t rows = 0;
    index_t cols = 0;
    std::span<const Value> value;
    storage_order order = storage_order::row_major;
    index_t stride = 0;  ///< from one row, or column, to the next; 0: they follow each other without gaps
};

/// The arrays of a system, to be moved into it: as csr_view has them, with the types of the system and base 0.
template <class Value>
struct csr_arrays {
    index_t rows = 0;
    index_t cols = 0;
    std::vector<index_t> row_begin;
    std::vector<std::int32_t> column;
    std::vector<Value> value;
};

}  // namespace residua
