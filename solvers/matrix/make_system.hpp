#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <residua/io/coo.hpp>
#include <residua/io/decimal.hpp>
#include <residua/solvers/matrix/linear_system.hpp>
#include <residua/solvers/matrix/matrix_views.hpp>
#include <residua/solvers/matrix/numbers.hpp>

namespace residua {

namespace detail {

template <class Index>
concept matrix_index = std::signed_integral<Index> && (sizeof(Index) == 4 || sizeof(Index) == 8);

template <class Value>
concept decimal_text = std::convertible_to<const Value&, std::string_view>;

/// Rows and columns of entries; as csr_arrays without values.
struct csr_pattern {
    index_t rows = 0;
    index_t cols = 0;
    std::vector<index_t> row_begin;
    std::vector<std::int32_t> column;
};

/// How given entries become entries of a system.
struct arrangement {
    std::vector<index_t> order;  ///< entry k of the sorted ones was the order[k]-th; empty: they were sorted
    std::vector<index_t>
        begin;  ///< where runs of entries in one place begin among the sorted ones; empty: no place twice
};

/// throws  dimension_error for a base that is neither 0 nor 1, a negative size, too many columns, arrays of other lengths
void require_sizes(index_t rows, index_t cols, std::size_t columns, std::size_t values, int base);
/// throws  dimension_error for another number of positions than rows, or columns, need
void require_positions(const char* array, index_t lines, std::size_t positions);
[[noreturn]] void refuse_position(const char* array, std::size_t k, index_t position, const std::string& why);
[[noreturn]] void refuse_index(const char* array, std::size_t k, index_t index, int base, index_t size);
[[noreturn]] void refuse_array(std::size_t values, const std::string& needed);
index_t dense_stride(index_t rows, index_t cols, storage_order order, index_t stride, std::size_t values);

/// Sorts the columns of each row; entries in one place keep their order.
///
/// throws  dimension_error unless row_begin ascends from 0 to the entries, and columns are inside
arrangement arrange(csr_pattern& p);

/// Makes the system of arranged entries. Values are sorted, and those of one place are still side by side.
///
/// throws  dimension_error if b is neither empty nor has a number for each row; unsupported_error for what is not finite,
///         decimals in one place or beyond MPFR's range
linear_system finish(csr_pattern p, const arrangement& a, std::vector<double> values, std::vector<real> b);
linear_system finish(csr_pattern p, const arrangement& a, std::vector<real> values, std::vector<real> b);
linear_system finish(csr_pattern p, const arrangement& a, const std::vector<std::string_view>& values,
                     std::vector<real> b);
/// Entry k is the sum of terms[each k], ..., terms[each k + each - 1].
linear_system finish(csr_pattern p, const arrangement& a, std::shared_ptr<const double> terms, int each,
                     std::vector<real> b);

template <class Value>
linear_system finish(csr_arrays<Value> from, std::vector<real> b)
{
    require_sizes(from.rows, from.cols, from.column.size(), from.value.size(), 0);
    csr_pattern p{from.rows, from.cols, std::move(from.row_begin), std::move(from.column)};
    const arrangement a = arrange(p);
    if (!a.order.empty()) {
        io::detail::permute(from.value, a.order);
    }
    if constexpr (std::same_as<Value, double> || std::same_as<Value, real> || std::same_as<Value, std::string_view>) {
        return finish(std::move(p), a, std::move(from.value), std::move(b));
    } else if constexpr (is_expansion<Value>) {
        const auto owner = std::make_shared<const std::vector<Value>>(std::move(from.value));
        const double* const first = owner->empty() ? nullptr : owner->data()->t;
        return finish(std::move(p), a, std::shared_ptr<const double>(owner, first), number_traits<Value>::terms,
                      std::move(b));
    } else {
        return finish(std::move(p), a, reals(from.value), std::move(b));
    }
}

template <class Value>
auto kept_value(const Value& x)
{
    if constexpr (std::same_as<Value, double> || std::same_as<Value, real> || is_expansion<Value>) {
        return x;
    } else if constexpr (decimal_text<Value>) {
        return std::string_view(x);
    } else if constexpr (std::integral<Value>) {
        return real(x);
    } else {
        return to_real(x);
    }
}

/// The type in which a system keeps values: binary64, reals and expansions as they are, views of text, others as reals.
template <class Value>
using kept_type = decltype(kept_value(std::declval<const Value&>()));

template <class Value>
std::vector<kept_type<Value>> owned(std::span<const Value> values)
{
    if constexpr (std::same_as<Value, kept_type<Value>>) {
        return {values.begin(), values.end()};
    } else {
        std::vector<kept_type<Value>> kept;
        kept.reserve(values.size());
        for (const Value& x : values) {
            kept.push_back(kept_value(x));
        }
        return kept;
    }
}

/// Whether all indices are in base, ..., base + size - 1.
template <class Index>
bool are_inside(std::span<const Index> indices, int base, index_t size)
{
    bool outside = false;
    for (const Index i : indices) {
        outside |= static_cast<std::uint64_t>(static_cast<index_t>(i) - base) >= static_cast<std::uint64_t>(size);
    }
    return !outside;
}

template <class Index>
void require_inside(const char* array, std::span<const Index> indices, int base, index_t size)
{
    if (!are_inside(indices, base, size)) {
        for (std::size_t k = 0; k < indices.size(); ++k) {
            if (!are_inside(indices.subspan(k, 1), base, size)) {
                refuse_index(array, k, indices[k], base, size);
            }
        }
    }
}

/// The indices of base 0, in another width; one copy.
template <class To, class Index>
std::vector<To> rebased(std::span<const Index> indices, int base)
{
    if constexpr (std::same_as<To, Index>) {
        if (base == 0) {
            return {indices.begin(), indices.end()};
        }
    }
    std::vector<To> moved(indices.size());
    for (std::size_t k = 0; k < indices.size(); ++k) {
        moved[k] = static_cast<To>(indices[k] - base);
    }
    return moved;
}

/// The row or the column, from 0, of each entry of compressed rows or columns.
///
/// throws  dimension_error, naming the place, unless the positions ascend from base to the number of entries
template <class Index>
std::vector<std::int32_t> line_of_entries(const char* array, std::span<const Index> begin, std::size_t entries,
                                          int base)
{
    if (begin[0] != base) {
        refuse_position(array, 0, begin[0], "the first entry is " + std::to_string(base));
    }
    std::vector<std::int32_t> line(entries);
    for (std::size_t j = 0; j + 1 < begin.size(); ++j) {
        const auto first = static_cast<index_t>(begin[j]) - base;
        const auto last = static_cast<index_t>(begin[j + 1]) - base;
        if (last < first || last > static_cast<index_t>(entries)) {
            refuse_position(array, j + 1, begin[j + 1],
                            last < first ? "the position before it is " + std::to_string(begin[j])
                                         : "there are " + std::to_string(entries) + " entries");
        }
        std::fill(line.begin() + first, line.begin() + last, static_cast<std::int32_t>(j));
    }
    if (static_cast<index_t>(begin.back()) - base != static_cast<index_t>(entries)) {
        refuse_position(array, begin.size() - 1, begin.back(), "there are " + std::to_string(entries) + " entries");
    }
    return line;
}

/// Compressed rows of entries that come in any order: entry k is in row row_of(k) and column column_of(k), from 0.
template <class Value, class Row, class Column>
csr_arrays<kept_type<Value>> by_rows(index_t rows, index_t cols, std::span<const Value> value, const Row& row_of,
                                     const Column& column_of)
{
    csr_arrays<kept_type<Value>> to{rows, cols, std::vector<index_t>(static_cast<std::size_t>(rows) + 1),
                                    std::vector<std::int32_t>(value.size()),
                                    std::vector<kept_type<Value>>(value.size())};
    for (std::size_t k = 0; k < value.size(); ++k) {
        ++to.row_begin[static_cast<std::size_t>(row_of(k)) + 1];
    }
    for (std::size_t i = 1; i < to.row_begin.size(); ++i) {
        to.row_begin[i] += to.row_begin[i - 1];
    }
    std::vector<index_t> next = to.row_begin;
    for (std::size_t k = 0; k < value.size(); ++k) {
        const auto place = static_cast<std::size_t>(next[static_cast<std::size_t>(row_of(k))]++);
        to.column[place] = static_cast<std::int32_t>(column_of(k));
        to.value[place] = kept_value(value[k]);
    }
    return to;
}

}  // namespace detail

/// A number in a matrix: double, an expansion, real, others that `real` holds; or text, a decimal that is kept as it is written.
template <class Value>
concept matrix_value = exact_number<Value> || detail::decimal_text<Value>;

/// A x = b with the matrix that the caller has in compressed rows, or without b.
///
/// b        numbers of any kind that `real` holds, in a vector, span or other range; a std::vector<real> is moved
/// order    the columns of a row may come in any order; entries in one place are added, and the sum is held exactly,
///          in `real` if binary64 does not hold it. Decimals are not added
/// cost     one copy of the arrays; where rows are not sorted, a sort and two copies of the values more
/// throws   dimension_error, naming the place, if sizes do not fit each other, row_begin does not ascend from base to its
///          end, or a column is outside; unsupported_error if an entry or a number of b is not finite, or for text that
///          is no decimal, or is in one place with another
template <detail::matrix_index Index, matrix_value Value, number_range B = std::vector<real>>
linear_system make_system(const csr_view<Index, Value>& a, B&& b = {})
{
    detail::require_sizes(a.rows, a.cols, a.column.size(), a.value.size(), a.base);
    detail::require_positions("row_begin", a.rows, a.row_begin.size());
    detail::require_inside("column", a.column, a.base, a.cols);
    using kept = detail::kept_type<Value>;
    return detail::finish(csr_arrays<kept>{a.rows, a.cols, detail::rebased<index_t>(a.row_begin, a.base),
                                           detail::rebased<std::int32_t>(a.column, a.base), detail::owned(a.value)},
                          reals(std::forward<B>(b)));
}

/// make_system() from arrays that become the system's: `make_system(std::move(arrays), b)` copies nothing of binary64
/// values, and of others nothing but their rounding to binary64.
template <matrix_value Value, number_range B = std::vector<real>>
    requires(!detail::decimal_text<Value>)
linear_system make_system(csr_arrays<Value>&& a, B&& b = {})
{
    return detail::finish(std::move(a), reals(std::forward<B>(b)));
}

/// make_system() from coordinates, in any order.
///
/// cost     one copy of the arrays, and a sort of each row
template <detail::matrix_index Index, matrix_value Value, number_range B = std::vector<real>>
linear_system make_system(const coo_view<Index, Value>& a, B&& b = {})
{
    detail::require_sizes(a.rows, a.cols, a.column.size(), a.value.size(), a.base);
    if (a.row.size() != a.column.size()) {
        detail::refuse_array(a.row.size(), std::to_string(a.column.size()) + " row numbers, as many as columns");
    }
    detail::require_inside("row", a.row, a.base, a.rows);
    detail::require_inside("column", a.column, a.base, a.cols);
    return detail::finish(
        detail::by_rows(
            a.rows, a.cols, a.value, [&](std::size_t k) { return static_cast<index_t>(a.row[k]) - a.base; },
            [&](std::size_t k) { return static_cast<index_t>(a.column[k]) - a.base; }),
        reals(std::forward<B>(b)));
}

/// make_system() from compressed columns, whose rows may come in any order.
///
/// cost     as from coordinates
template <detail::matrix_index Index, matrix_value Value, number_range B = std::vector<real>>
linear_system make_system(const csc_view<Index, Value>& a, B&& b = {})
{
    detail::require_sizes(a.rows, a.cols, a.row.size(), a.value.size(), a.base);
    detail::require_positions("col_begin", a.cols, a.col_begin.size());
    detail::require_inside("row", a.row, a.base, a.rows);
    const auto column = detail::line_of_entries("col_begin", a.col_begin, a.value.size(), a.base);
    return detail::finish(
        detail::by_rows(
            a.rows, a.cols, a.value, [&](std::size_t k) { return static_cast<index_t>(a.row[k]) - a.base; },
            [&](std::size_t k) { return column[k]; }),
        reals(std::forward<B>(b)));
}

/// make_system() from a dense array.
///
/// throws   also dimension_error if the stride is smaller than a row or column, or the array than the matrix
template <matrix_value Value, number_range B = std::vector<real>>
linear_system make_system(const dense_view<Value>& a, B&& b = {})
{
    const index_t stride = detail::dense_stride(a.rows, a.cols, a.order, a.stride, a.value.size());
    using kept = detail::kept_type<Value>;
    csr_arrays<kept> rows{a.rows, a.cols, {}, {}, {}};
    rows.column.reserve(static_cast<std::size_t>(a.rows * a.cols));
    rows.value.reserve(static_cast<std::size_t>(a.rows * a.cols));
    const bool by_rows = a.order == storage_order::row_major;
    for (index_t i = 0; i < a.rows; ++i) {
        rows.row_begin.push_back(i * a.cols);
        for (index_t j = 0; j < a.cols; ++j) {
            rows.column.push_back(static_cast<std::int32_t>(j));
            rows.value.push_back(
                detail::kept_value(a.value[static_cast<std::size_t>(by_rows ? i * stride + j : j * stride + i)]));
        }
    }
    rows.row_begin.push_back(a.rows * a.cols);
    return detail::finish(std::move(rows), reals(std::forward<B>(b)));
}

namespace detail {

template <class View>
struct types_of_view;
template <template <class, class> class View, class Index, class Value>
struct types_of_view<View<Index, Value>> {
    static constexpr bool indices = matrix_index<Index>;
    static constexpr bool values = matrix_value<Value>;
    static constexpr bool complex = exact_complex<Value>;

    template <class Part>
    static View<Index, Part> with(const View<Index, Value>& a, std::span<const Part> parts)
    {
        const auto& [rows, cols, first, second, value, base] = a;
        return {rows, cols, first, second, parts, base};
    }
};
template <template <class> class View, class Value>
struct types_of_view<View<Value>> {
    static constexpr bool indices = true;
    static constexpr bool values = matrix_value<Value>;
    static constexpr bool complex = exact_complex<Value>;

    template <class Part>
    static View<Part> with(const View<Value>& a, std::span<const Part> parts)
    {
        return {a.rows, a.cols, parts, a.order, a.stride};
    }
};

template <class View>
inline constexpr bool is_view = false;
template <class Index, class Value>
inline constexpr bool is_view<csr_view<Index, Value>> = true;
template <class Index, class Value>
inline constexpr bool is_view<csc_view<Index, Value>> = true;
template <class Index, class Value>
inline constexpr bool is_view<coo_view<Index, Value>> = true;
template <class Value>
inline constexpr bool is_view<dense_view<Value>> = true;

}  // namespace detail

/// make_system() of a matrix of complex numbers in any of these views, with b of complex or of real numbers, or without
/// one: the real form, with linear_system::complex. complex_numbers(x) are the unknowns.
///
/// cost     the real and the imaginary parts as reals, and what make_system() makes of either
template <class View, class B = std::vector<real>>
    requires(detail::is_view<View> && detail::types_of_view<View>::indices && detail::types_of_view<View>::complex &&
             (number_range<B> || complex_range<B>))
linear_system make_system(const View& a, const B& b = {})
{
    using types = detail::types_of_view<View>;
    using part = std::decay_t<decltype(a.value[0].real())>;
    std::vector<part> of_re, of_im;
    for (const auto& z : a.value) {
        of_re.push_back(z.real());
        of_im.push_back(z.imag());
    }
    std::vector<real> form;
    if constexpr (complex_range<B>) {
        form = real_form(b);
    } else {
        form = with_zero_parts(reals(b));
    }
    return make_complex(make_system(types::with(a, std::span<const part>(of_re))),
                        make_system(types::with(a, std::span<const part>(of_im))), std::move(form));
}

/// What the functions above do not take: the compiler says the reason in words.
template <class View, class B = std::vector<real>>
    requires(detail::is_view<View> &&
             !(detail::types_of_view<View>::indices &&
               ((detail::types_of_view<View>::values && number_range<B>) ||
                (detail::types_of_view<View>::complex && (number_range<B> || complex_range<B>)))))
linear_system make_system(const View&, const B& = {})
{
    static_assert(detail::types_of_view<View>::indices,
                  "indices of a matrix are signed integers of 32 or 64 bits, such as std::int32_t");
    static_assert(
        detail::types_of_view<View>::values || detail::types_of_view<View>::complex,
        "entries of a matrix are real numbers (double, integers, expansions, multi-digit floats, real), complex "
        "numbers with such parts, or decimals as text");
    static_assert(number_range<B> || detail::types_of_view<View>::complex,
                  "a right-hand side of a real matrix is a range of real numbers (double, integers, expansions, "
                  "multi-digit floats, real); text is not taken, and for complex numbers as_complex() makes a complex "
                  "system of a real one");
    static_assert(number_range<B> || complex_range<B>, "a right-hand side is a range of numbers");
    return {};
}

}  // namespace residua
