#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>

#include <residua/blas/base/buffer.hpp>
#include <residua/blas/base/vector.hpp>
#include <residua/io/coo.hpp>
#include <residua/io/error.hpp>

namespace residua {

/// Column numbers of sparse matrices: 32 bits, so that a binary64 entry takes 12 bytes.
using column_t = std::int32_t;
inline constexpr index_t most_columns = std::numeric_limits<column_t>::max();

/// A sparse m x n matrix by rows, in the memory of Exec, with values of V (binary64 or a format):
/// entry p of row i, row_begin[i] <= p < row_begin[i + 1], is value[p] at column col[p].
///
/// invariant  row_begin ascends from 0 to entries(); columns of a row ascend strictly. Whoever
///            writes through the spans keeps it so
template <class Exec, class V>
class csr {
public:
    using value_type = V;

    csr() : csr(0, 0, 0) {}

    /// Room for `entries` entries: zeros, still outside all rows.
    ///
    /// throws  dimension_error if a size is negative, unsupported_error if there are more than
    ///         most_columns columns, resource_error if the memory is not there
    csr(index_t rows, index_t cols, index_t entries)
        : rows_(checked(rows, cols, entries)), cols_(cols), row_begin_(rows + 1), col_(entries), value_(entries)
    {}

    /// A matrix with room for given values, one for each entry; for zeros of a format with run-time precision.
    csr(index_t rows, index_t cols, vector<Exec, V> value)
        : rows_(checked(rows, cols)), cols_(cols), row_begin_(rows + 1), col_(value.size()), value_(std::move(value))
    {}

    /// A matrix of parts that were moved here from another executor.
    csr(index_t rows, index_t cols, buffer<Exec, index_t> row_begin, buffer<Exec, column_t> col, vector<Exec, V> value)
        : rows_(rows), cols_(cols), row_begin_(std::move(row_begin)), col_(std::move(col)), value_(std::move(value))
    {}

    const buffer<Exec, index_t>& row_begin_words() const { return row_begin_; }
    const buffer<Exec, column_t>& col_words() const { return col_; }
    const vector<Exec, V>& value_words() const { return value_; }

    index_t rows() const { return rows_; }
    index_t cols() const { return cols_; }
    index_t entries() const { return col_.size(); }

    std::span<index_t> row_begin() { return row_begin_.span(); }
    std::span<const index_t> row_begin() const { return row_begin_.span(); }
    std::span<column_t> col() { return col_.span(); }
    std::span<const column_t> col() const { return col_.span(); }
    vector_view<Exec, V> value() { return value_.view(); }
    vector_view<Exec, const V> value() const { return value_.view(); }

    /// The bytes that such a matrix takes in memory.
    static double bytes(index_t rows, index_t entries)
    {
        return static_cast<double>(rows + 1) * sizeof(index_t) + static_cast<double>(entries) * sizeof(column_t) +
               vector<Exec, V>::bytes(entries);
    }

private:
    static index_t checked(index_t rows, index_t cols, index_t entries = 0)
    {
        if (rows < 0 || cols < 0) {
            throw dimension_error("csr: size " + std::to_string(rows) + " x " + std::to_string(cols) + " is negative");
        }
        if (entries < 0) {
            throw dimension_error("csr: " + std::to_string(entries) + " entries; the number is negative");
        }
        if (cols > most_columns) {
            throw unsupported_error("csr: " + std::to_string(cols) + " columns; column numbers have 32 bits, at most " +
                                    std::to_string(most_columns) + " are supported");
        }
        return rows;
    }

    index_t rows_;
    index_t cols_;
    buffer<Exec, index_t> row_begin_;
    buffer<Exec, column_t> col_;
    vector<Exec, V> value_;
};

/// A copy on the device.
template <class V>
csr<cuda_executor, V> to_device(const cuda_executor& exec, const csr<host_executor, V>& a)
{
    return {a.rows(), a.cols(), to_device(exec, a.row_begin_words()), to_device(exec, a.col_words()),
            to_device(exec, a.value_words())};
}

/// The entries of `a` with values convert(value), a V each.
///
/// cost    one pass
/// throws  dimension_error if the entries are not sorted by row, then column, if a position
///         comes twice or lies outside the matrix; unsupported_error as the constructor
template <class V, class X, class Convert>
csr<host_executor, V> csr_from_coo(const io::coo<X>& a, const Convert& convert)
{
    csr<host_executor, V> matrix(a.rows, a.cols, a.size());
    const auto begin = matrix.row_begin();
    for (index_t p = 0; p < a.size(); ++p) {
        const auto at = static_cast<std::size_t>(p);
        const index_t i = a.row[at];
        const index_t j = a.col[at];
        const bool inside = 0 <= i && i < a.rows && 0 <= j && j < a.cols;
        const bool ordered = p == 0 || std::pair(a.row[at - 1], a.col[at - 1]) < std::pair(i, j);
        if (!inside || !ordered) {
            throw dimension_error("csr_from_coo: entry " + std::to_string(p) + " at (" + std::to_string(i) + ", " +
                                  std::to_string(j) + ") of a " + std::to_string(a.rows) + " x " +
                                  std::to_string(a.cols) + " matrix is " +
                                  (inside ? "out of order or repeated" : "outside"));
        }
        ++begin[static_cast<std::size_t>(i) + 1];
        matrix.col()[at] = static_cast<column_t>(j);
        matrix.value().store(p, convert(a.value[at]));
    }
    for (std::size_t i = 0; i + 1 < begin.size(); ++i) {
        begin[i + 1] += begin[i];
    }
    return matrix;
}

/// csr_from_coo for values that are a V already.
template <class V>
csr<host_executor, V> csr_from_coo(const io::coo<V>& a)
{
    return csr_from_coo<V>(a, [](const V& x) -> const V& { return x; });
}

/// A'
///
/// cost  O(m + n + entries); as much memory as A
template <class V>
csr<host_executor, V> transpose(const csr<host_executor, V>& a);

}  // namespace residua
