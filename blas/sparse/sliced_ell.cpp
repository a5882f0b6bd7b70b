#include <residua/blas/sparse/sliced_ell.hpp>

#include <algorithm>

#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/base/multidigit_array.hpp>
#include <residua/blas/base/parallel.hpp>
#include <residua/blas/base/rns_array.hpp>

namespace residua {
namespace {

constexpr index_t slice_rows = sliced_ell<host_executor, double>::slice_rows;
constexpr double operations_of_move = 20.0;  // of an entry, as blas::detail::threads_for counts them

/// The length of the longest row of slice s.
index_t width(std::span<const index_t> row_begin, index_t s)
{
    const index_t rows = static_cast<index_t>(row_begin.size()) - 1;
    index_t longest = 0;
    for (index_t i = s * slice_rows; i < std::min(rows, (s + 1) * slice_rows); ++i) {
        longest = std::max(longest, row_begin[i + 1] - row_begin[i]);
    }
    return longest;
}

/// The number of entries that the sliced form has room for.
index_t places(std::span<const index_t> row_begin)
{
    index_t count = 0;
    for (index_t s = 0; s * slice_rows < static_cast<index_t>(row_begin.size()) - 1; ++s) {
        count += width(row_begin, s) * slice_rows;
    }
    return count;
}

/// Makes the padding continue the columns of the entries if these are consecutive; returns whether it did.
bool make_run(std::span<column_t> col, const std::int32_t* length, index_t k, index_t cols)
{
    index_t first = -1;  // the column that lane 0 has or would have
    for (index_t l = 0; l < slice_rows; ++l) {
        if (k < length[l]) {
            first = first < 0 ? col[l] - l : first;
            if (first < 0 || col[l] != first + l) {
                return false;
            }
        }
    }
    if (first < 0 || first + slice_rows > cols) {
        return false;
    }
    for (index_t l = 0; l < slice_rows; ++l) {
        col[l] = static_cast<column_t>(first + l);
    }
    return true;
}

}  // namespace

template <class Exec, class V>
sliced_ell<Exec, V>::sliced_ell(const csr<host_executor, V>& a)
    : sliced_ell(a.cols(), a.row_begin(), a.col(), a.value_words().format())
{
    const auto to = value_.view();
    blas::detail::parallel_weighted_ranges(
        slices(), [&](index_t s) { return slice_begin()[s]; }, operations_of_move * static_cast<double>(value_.size()),
        [&](index_t first_slice, index_t last_slice) {
            for (index_t i = first_slice * slice_rows; i < std::min(rows_, last_slice * slice_rows); ++i) {
                const index_t first = a.row_begin()[i];
                for (index_t k = 0; k < length()[i]; ++k) {
                    to.store(place(i, k), a.value().load(first + k));
                }
            }
        });
}

template <class Exec, class V>
sliced_ell<Exec, V>::sliced_ell(index_t cols, std::span<const index_t> row_begin, std::span<const column_t> col,
                                const typename vector<Exec, V>::format_type& format)
    : rows_(static_cast<index_t>(row_begin.size()) - 1),
      cols_(cols),
      entries_(static_cast<index_t>(col.size())),
      slice_begin_((rows_ + slice_rows - 1) / slice_rows + 1),
      length_((slice_begin_.size() - 1) * slice_rows),
      col_(places(row_begin)),
      value_(format, col_.size())
{
    const auto begin = slice_begin_.span();
    for (index_t s = 0; s < slices(); ++s) {
        begin[s + 1] = begin[s] + width(row_begin, s);
    }
    is_run_ = buffer<Exec, std::uint8_t>(begin[slices()]);
    const auto length = length_.span();
    const auto to = col_.span();
    const auto is_run = is_run_.span();
    const auto fill = [&](index_t first_slice, index_t last_slice) {
        for (index_t s = first_slice; s < last_slice; ++s) {
            for (index_t i = s * slice_rows; i < std::min(rows_, (s + 1) * slice_rows); ++i) {
                const index_t first = row_begin[i];
                length[i] = static_cast<std::int32_t>(row_begin[i + 1] - first);
                column_t column = 0;
                for (index_t k = 0; k < begin[s + 1] - begin[s]; ++k) {
                    column = k < length[i] ? col[first + k] : column;  // padding reads again what was read before
                    to[place(i, k)] = column;
                }
            }
            for (index_t k = 0; k < begin[s + 1] - begin[s]; ++k) {
                const auto at = static_cast<std::size_t>(place(s * slice_rows, k));
                is_run[begin[s] + k] = make_run(to.subspan(at, slice_rows), &length[s * slice_rows], k, cols_);
            }
        }
    };
    blas::detail::parallel_weighted_ranges(
        slices(), [&](index_t s) { return begin[s]; }, operations_of_move * static_cast<double>(col_.size()), fill);
}

template <class Exec, class V>
double sliced_ell<Exec, V>::padding(const csr<host_executor, V>& a)
{
    return a.entries() > 0 ? static_cast<double>(places(a.row_begin())) / static_cast<double>(a.entries()) : 1.0;
}

#define RESIDUA_INSTANTIATE(...) template class sliced_ell<host_executor, __VA_ARGS__>;
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)
RESIDUA_INSTANTIATE(rns)
RESIDUA_INSTANTIATE(multidigit)

}  // namespace residua
