#pragma once

#include <cstdint>
#include <span>

#include <residua/blas/base/buffer.hpp>
#include <residua/blas/base/vector.hpp>
#include <residua/blas/sparse/csr.hpp>

namespace residua {

/// A sparse matrix for SIMD over rows: slices of 32 rows, in each slice the k-th entries of its
/// rows side by side, in the memory of Exec, with values of V (binary64 or a format).
///
/// Entry k < length[i] of row i, in lane l = i % 32 of slice s = i / 32, is at
/// p = 32 (slice_begin[s] + k) + l: value[p] at column col[p]. A slice is as wide as its longest
/// row; the rest is padding, which no operation lets into a result.
///
/// Where the columns of the k-th entries of a slice are consecutive, as on grids,
/// is_run[slice_begin[s] + k] is 1: then col[p + l] = col[p] + l for all 32 lanes, padding included,
/// and their elements of a vector can be loaded without looking at each column.
template <class Exec, class V>
class sliced_ell {
public:
    using value_type = V;
    static constexpr index_t slice_rows = 32;

    sliced_ell() = default;

    /// The entries of `a` in their order.
    ///
    /// cost    one pass; memory for 32 sum_s width_s entries: ask padding(a) before
    /// throws  resource_error if the memory is not there
    explicit sliced_ell(const csr<host_executor, V>& a);

    /// Rows of entries in these columns, all of them zeros, whose places are written next.
    ///
    /// shapes  row_begin and col as a csr has them
    /// throws  resource_error if the memory is not there
    sliced_ell(index_t cols, std::span<const index_t> row_begin, std::span<const column_t> col,
               const typename vector<Exec, V>::format_type& format);

    /// The parts of another one, moved to this executor by `move`, one by one.
    template <class Other, class Move>
    sliced_ell(const sliced_ell<Other, V>& a, const Move& move)
        : rows_(a.rows_),
          cols_(a.cols_),
          entries_(a.entries_),
          slice_begin_(move(a.slice_begin_)),
          length_(move(a.length_)),
          col_(move(a.col_)),
          is_run_(move(a.is_run_)),
          value_(move(a.value_))
    {}

    /// Places of the sliced form, padding included, for each entry of `a`; 1 if there is none.
    static double padding(const csr<host_executor, V>& a);

    index_t rows() const { return rows_; }
    index_t cols() const { return cols_; }
    index_t entries() const { return entries_; }
    index_t slices() const { return slice_begin_.size() - 1; }

    std::span<const index_t> slice_begin() const { return slice_begin_.span(); }
    std::span<const std::int32_t> length() const { return length_.span(); }
    std::span<const column_t> col() const { return col_.span(); }
    std::span<const std::uint8_t> is_run() const { return is_run_.span(); }
    vector_view<Exec, const V> value() const { return value_.view(); }
    vector_view<Exec, V> value() { return value_.view(); }

    /// Where entry k of row i is.
    index_t place(index_t i, index_t k) const
    {
        return (slice_begin()[static_cast<std::size_t>(i / slice_rows)] + k) * slice_rows + i % slice_rows;
    }

private:
    template <class, class>
    friend class sliced_ell;

    index_t rows_ = 0;
    index_t cols_ = 0;
    index_t entries_ = 0;
    buffer<Exec, index_t> slice_begin_{1};
    buffer<Exec, std::int32_t> length_;
    buffer<Exec, column_t> col_;
    buffer<Exec, std::uint8_t> is_run_;
    vector<Exec, V> value_;
};

/// A copy on the device.
template <class V>
sliced_ell<cuda_executor, V> to_device(const cuda_executor& exec, const sliced_ell<host_executor, V>& a)
{
    return {a, [&](const auto& words) { return to_device(exec, words); }};
}

}  // namespace residua
