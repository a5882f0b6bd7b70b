#pragma once

#include <algorithm>
#include <cstdint>

#include <residua/arith/base/number_traits.hpp>
#include <residua/blas/sparse/csr.hpp>
#include <residua/blas/sparse/sliced_ell.hpp>

/// The entries of 32 rows side by side, for SIMD over rows, of either storage.
namespace residua::blas::detail {

inline constexpr index_t slice_rows = sliced_ell<host_executor, double>::slice_rows;

/// Entries first, ..., last - 1 of the rows of a slice, side by side: entry k of row l is
/// value[p] at column col[p], p = (k - first) slice_rows + l, if k < length[l], else padding. Where
/// is_run[k - first], columns are consecutive; is_run may be null.
template <class V>
struct slice_piece {
    vector_view<host_executor, const V> value;
    const column_t* col;
    const std::uint8_t* is_run;
    const std::int32_t* length;
    index_t first;
    index_t last;
};

/// A few entries of the rows of a slice of a csr matrix, copied side by side.
template <class V>
class packed_rows {
public:
    static constexpr index_t width = 16;

    packed_rows(const csr<host_executor, V>& a, index_t s)
        : value_(a.value()),
          col_(a.col().data()),
          row_begin_(a.row_begin().data() + s * slice_rows),
          rows_(std::min(slice_rows, a.rows() - s * slice_rows))
    {
        for (index_t l = 0; l < rows_; ++l) {
            length_[l] = static_cast<std::int32_t>(row_begin_[l + 1] - row_begin_[l]);
            longest_ = std::max<index_t>(longest_, length_[l]);
        }
    }

    index_t longest() const { return longest_; }

    /// Entries first, ..., last - 1, at most `width`.
    slice_piece<V> piece(index_t first, index_t last)
    {
        constexpr index_t plane = width * slice_rows;
        for (index_t l = 0; l < slice_rows; ++l) {
            const index_t end = std::min<index_t>(length_[l], last);
            index_t to = l;
            for (index_t k = first; k < end; ++k, to += slice_rows) {
                const index_t p = row_begin_[l] + k;
                packed_col_[to] = col_[p];
                for (int t = 0; t < number_traits<V>::terms; ++t) {
                    packed_value_[t * plane + to] = value_.plane(t)[p];
                }
            }
            for (index_t k = std::max(first, end); k < last; ++k, to += slice_rows) {
                packed_col_[to] = 0;  // padding: any column, any number
                for (int t = 0; t < number_traits<V>::terms; ++t) {
                    packed_value_[t * plane + to] = 0.0;
                }
            }
        }
        return {{{packed_value_, plane}, plane}, packed_col_, nullptr, length_, first, last};
    }

private:
    vector_view<host_executor, const V> value_;
    const column_t* col_;
    const index_t* row_begin_;
    index_t rows_;
    index_t longest_ = 0;
    alignas(64) std::int32_t length_[slice_rows] = {};
    alignas(64) column_t packed_col_[width * slice_rows];
    alignas(64) double packed_value_[number_traits<V>::terms * width * slice_rows];
};

/// Calls f(piece) for the entries of slice s, in pieces from left to right: entries 0, ..., most - 1 of its rows at most.
template <class V, class F>
inline __attribute__((always_inline)) void for_pieces(const sliced_ell<host_executor, V>& a, index_t s, index_t most,
                                                      const F& f)
{
    const index_t begin = a.slice_begin()[s];
    const index_t p = begin * slice_rows;
    const auto value = a.value();
    f(slice_piece<V>{value.part(p, value.size), a.col().data() + p, a.is_run().data() + begin,
                     a.length().data() + s * slice_rows, 0, std::min(a.slice_begin()[s + 1] - begin, most)});
}

template <class V, class F>
inline __attribute__((always_inline)) void for_pieces(const csr<host_executor, V>& a, index_t s, index_t most,
                                                      const F& f)
{
    packed_rows<V> rows(a, s);
    const index_t last = std::min(rows.longest(), most);
    for (index_t k = 0; k < last; k += packed_rows<V>::width) {
        f(rows.piece(k, std::min(k + packed_rows<V>::width, last)));
    }
}

}  // namespace residua::blas::detail
