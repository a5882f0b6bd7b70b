#include <residua/blas/exact/spmv_exact.hpp>

#include <algorithm>
#include <mutex>
#include <optional>
#include <vector>

#include <residua/blas/base/parallel.hpp>
#include <residua/blas/exact/level_sums.hpp>
#include <residua/blas/exact/row_words.hpp>
#include <residua/blas/exact/sparse_product.hpp>

namespace residua::blas {
namespace {

using namespace detail;

/// Stores the sum of a row of any spread.
template <class Of, class X, class Result>
RESIDUA_HD_RARE void store_row(row_sum<Of, X>& sum, index_t i, const Result& to, index_t k)
{
    sum.store(i, to, k);
}

/// Sums all rows i for which is_done(i) is false. Each range of rows begins with a slice, and has a copy of is_done.
template <class Of, class X, class T, class IsDone>
void sum_rows(const sparse_exact_product<Of, X>& product, const exact_vector_operands<host_executor, T>& of,
              double operations, const IsDone& is_done_anywhere)
{
    std::int64_t top_of_x = vector_extent::none;
    for (index_t j = 0; j < of.x.size && product.bits > 0; ++j) {
        top_of_x = std::max(top_of_x, finite_top(product.x, j));
    }
    const int p = exact_precision(of.y);
    const auto to = exact_result(host_executor{}, of.y);
    parallel_ranges(of.y.size, slice_rows, operations, [&](index_t begin, index_t end) {
        IsDone is_done = is_done_anywhere;
        std::vector<std::uint64_t> memory(static_cast<std::size_t>(row_sum<Of, X>::words(product, p)));
        row_sum<Of, X> sum(product, top_of_x, p, {memory.data(), 1, static_cast<int>(memory.size())});
        for (index_t i = begin; i < end; ++i) {
            if (!is_done(i)) {
                store_row(sum, i, to, i * stride_of(of.y));
            }
        }
    });
}

/// Sums all rows of a matrix of multi-digit floats. Each is tried in a window first, if all numbers have one format.
void sum_rows_of(const sparse_exact_product<exact_digits, exact_digits>& product,
                 const exact_vector_operands<host_executor, multidigit>& of, double operations, bool in_window)
{
    if (!in_window) {
        sum_rows(product, of, operations, [](index_t) { return false; });
        return;
    }
    const row_in_window<exact_digits> window{product, exact_result(host_executor{}, of.y)};
    with_multidigit_size<std::uint64_t>(multidigit_count<std::uint64_t>(of.y.format.bits()), [&]<int N>() {
        sum_rows(product, of, operations, [&](index_t i) { return window.template store<std::uint64_t, N>(i); });
    });
}

/// Whether the first entry of row i is short, as all entries of a row in a digit_window are.
bool begins_short(const sparse_exact_product<exact_terms<1>, exact_digits>& product, index_t i)
{
    return product.rows.count(i) > 0 && odd_binary64(product.a.data[product.rows.first(i)]).bits <= 32;
}

/// Sums all rows of a binary64 matrix times multi-digit floats. Rows of short entries are tried in a window first, if all
/// numbers have one format: while numbers have few digits that is faster where rows have few entries.
void sum_rows_of(const sparse_exact_product<exact_terms<1>, exact_digits>& product,
                 const exact_vector_operands<host_executor, multidigit>& of, double operations, bool in_window)
{
    constexpr int most_digits = 16;  // in a window
    const auto to = exact_result(host_executor{}, of.y);
    std::once_flag is_read;
    std::optional<numbers_in_words> x;  // if a row needs it
    const auto read = [&] { std::call_once(is_read, [&] { x.emplace(product.x, of.x.size); }); };
    const auto sum_in_words = [&, row = std::optional<row_in_words>()](index_t i) mutable {
        if (!row) {
            read();
            row.emplace(product, *x);
        }
        return row->store(i, to, i * stride_of(of.y));
    };
    const int digits = multidigit_count<std::uint64_t>(of.y.format.bits());
    if (!in_window || digits > most_digits) {
        read();
        sum_rows(product, of, operations, sum_in_words);
        return;
    }
    const row_in_window<exact_terms<1>> window{product, to};
    with_multidigit_size<std::uint64_t>(digits, [&]<int N>() {
        if constexpr (N <= most_digits) {
            sum_rows(product, of, operations, [&, in_words = sum_in_words](index_t i) mutable {
                return (begins_short(product, i) && window.template store_short<std::uint64_t, N>(i)) || in_words(i);
            });
        }
    });
}

/// Sums the rows of slice s and stores those that are not lost. Rows are lost that are much longer than the others.
template <class T, class Matrix>
void store_slice(level_sums<T, typename Matrix::value_type>& sums, const Matrix& a, const stored_rows& rows, index_t s,
                 const exact_vector_operands<host_executor, T>& of)
{
    constexpr index_t lanes_in_use = 4;  // at least, of the 32, on the average
    const index_t first = s * slice_rows;
    const index_t count = std::min(slice_rows, of.y.size - first);
    if (of.b == nullptr) {
        sums.clear();
    } else {
        sums.begin(of.b->part(first, first + count));
    }
    index_t entries = 0;
    for (index_t l = 0; l < count; ++l) {
        entries += rows.count(first + l);
    }
    const index_t most = entries / lanes_in_use;
    for_pieces(a, s, most, [&](const auto& piece) { sums.add(piece, of.x, of.b == nullptr ? 1.0 : -1.0); });
    sums.round();
    for (index_t l = 0; l < count; ++l) {
        if (rows.count(first + l) > most) {
            sums.lose(l);
        } else if (!sums.is_lost(l)) {
            sums.store(l, of.y, first + l);
        }
    }
}

}  // namespace

template <class T, class A>
void detail::multiply_exactly(const host_executor&, const A& a, const exact_vector_operands<host_executor, T>& of)
{
    const auto owner = exact_product_of(host_executor{}, a, of);
    const auto product = reading(owner);
    const double digits = digits_of_parts(product.a) * product.a.terms * digits_of_parts(product.x) * product.x.terms;
    const double operations = (20.0 + 4.0 * digits) * static_cast<double>(a.entries());
    if constexpr (std::same_as<T, multidigit>) {
        if (of.options.bits == 0) {
            sum_rows_of(product, of, operations, fits_window(a, of));
            return;
        }
    }
    using entry = typename A::value_type;
    if constexpr (has_level_sums<T, entry>()) {
        if (of.options.bits == 0) {
            sum_rows(product, of, operations, [&, sums = level_sums<T, entry>()](index_t i) mutable {
                if (i % slice_rows == 0) {
                    store_slice<T>(sums, a, product.rows, i / slice_rows, of);
                }
                return !sums.is_lost(i % slice_rows);
            });
            return;
        }
    }
    sum_rows(product, of, operations, [](index_t) { return false; });
}

#define RESIDUA_INSTANTIATE(V, T)                                                                     \
    template void detail::multiply_exactly(const host_executor&, const csr<host_executor, V>&,        \
                                           const exact_vector_operands<host_executor, T>&);           \
    template void detail::multiply_exactly(const host_executor&, const sliced_ell<host_executor, V>&, \
                                           const exact_vector_operands<host_executor, T>&);
RESIDUA_FOR_EACH_EXACT_PAIR(RESIDUA_INSTANTIATE)

}  // namespace residua::blas
