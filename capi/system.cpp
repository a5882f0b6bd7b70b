#include <memory>
#include <span>
#include <string>
#include <utility>

#include <residua/solvers/files/load.hpp>
#include <residua/solvers/files/save.hpp>
#include <residua/solvers/matrix/complex_form.hpp>
#include <residua/solvers/matrix/make_system.hpp>
#include <residua/solvers/options/option_text.hpp>

#include "errors.hpp"
#include "handles.hpp"
#include "numbers.hpp"

namespace residua::capi {
namespace {

void require_sizes(std::int64_t rows, std::int64_t cols)
{
    constexpr std::int64_t most = std::int64_t{1} << 48;  // beyond any memory
    if (rows < 0 || cols < 0 || rows > most || cols > most) {
        throw invalid_argument("there is no matrix of " + std::to_string(rows) + " x " + std::to_string(cols) +
                               " numbers");
    }
}

std::unique_ptr<residua_system> kept(linear_system made)
{
    auto system = std::make_unique<residua_system>();
    system->matrix = std::make_shared<const linear_system>(std::move(made));
    return system;
}

/// Makes a system. Whatever is wrong with its matrix is reported as an invalid argument.
template <class View>
linear_system made_of(const View& view)
{
    try {
        return make_system(view);
    } catch (const unsupported_error& e) {
        throw invalid_argument(e.what());
    }
}

constexpr auto no_gap = [](std::size_t) { return false; };

/// Makes a system of `size` numbers, real or complex ones: view_of(values) is the matrix with real values. A number for which
/// is_gap(k) holds is not looked at.
template <class Gap, class ViewOf>
std::unique_ptr<residua_system> made_of(const residua_numbers& value, std::size_t size, const Gap& is_gap,
                                        const ViewOf& view_of)
{
    if (!are_complex(value, "value")) {
        return with_values(value, size, is_gap, [&](auto values) { return kept(made_of(view_of(values))); });
    }
    const auto is_gap_of_parts = [&](std::size_t k) { return is_gap(k / 2); };
    return with_values(value, 2 * size, is_gap_of_parts, [&]<class Value>(std::span<const Value> values) {
        std::vector<Value> first, second;
        for (std::size_t k = 0; k < values.size(); k += 2) {
            first.push_back(values[k]);
            second.push_back(values[k + 1]);
        }
        const linear_system of_first = made_of(view_of(std::span<const Value>(first)));
        return kept(make_complex(of_first, made_of(view_of(std::span<const Value>(second))), {}));
    });
}

/// The number of entries, from the positions at which rows or columns begin.
template <class Index>
std::size_t entries_of(const char* array, const Index* begin, std::int64_t lines, int base)
{
    require_pointer(begin, array);
    const std::int64_t entries = static_cast<std::int64_t>(begin[lines]) - base;
    if ((base != 0 && base != 1) || entries < 0 || begin[0] != base) {
        throw invalid_argument(std::string(array) + " goes from " + std::to_string(begin[0]) + " to " +
                               std::to_string(begin[lines]) + " with base " + std::to_string(base) +
                               "; it begins with the base, which is 0 or 1, and ascends");
    }
    return static_cast<std::size_t>(entries);
}

template <class Index>
std::span<const Index> indices_of(const char* array, const Index* first, std::size_t size)
{
    if (size > 0) {
        require_pointer(first, array);
    }
    return {first, size};
}

template <class Index>
std::unique_ptr<residua_system> of_rows(std::int64_t rows, std::int64_t cols, const Index* row_begin,
                                        const Index* column, const residua_numbers& value, int base)
{
    require_sizes(rows, cols);
    const std::size_t size = entries_of("row_begin", row_begin, rows, base);
    const auto columns = indices_of("column", column, size);
    return made_of(value, size, no_gap, [&]<class Value>(std::span<const Value> values) {
        return csr_view<Index, Value>{.rows = rows,
                                      .cols = cols,
                                      .row_begin = {row_begin, static_cast<std::size_t>(rows) + 1},
                                      .column = columns,
                                      .value = values,
                                      .base = base};
    });
}

template <class Index>
std::unique_ptr<residua_system> of_columns(std::int64_t rows, std::int64_t cols, const Index* col_begin,
                                           const Index* row, const residua_numbers& value, int base)
{
    require_sizes(rows, cols);
    const std::size_t size = entries_of("col_begin", col_begin, cols, base);
    const auto indices = indices_of("row", row, size);
    return made_of(value, size, no_gap, [&]<class Value>(std::span<const Value> values) {
        return csc_view<Index, Value>{.rows = rows,
                                      .cols = cols,
                                      .col_begin = {col_begin, static_cast<std::size_t>(cols) + 1},
                                      .row = indices,
                                      .value = values,
                                      .base = base};
    });
}

template <class Index>
std::unique_ptr<residua_system> of_coordinates(std::int64_t rows, std::int64_t cols, std::int64_t count,
                                               const Index* row, const Index* column, const residua_numbers& value,
                                               int base)
{
    require_sizes(rows, cols);
    if (count < 0) {
        throw invalid_argument(std::to_string(count) + " entries");
    }
    const auto size = static_cast<std::size_t>(count);
    const auto row_numbers = indices_of("row", row, size);
    const auto columns = indices_of("column", column, size);
    return made_of(value, size, no_gap, [&]<class Value>(std::span<const Value> values) {
        return coo_view<Index, Value>{
            .rows = rows, .cols = cols, .row = row_numbers, .column = columns, .value = values, .base = base};
    });
}

std::unique_ptr<residua_system> of_array(std::int64_t rows, std::int64_t cols, const residua_numbers& value,
                                         residua_order order, std::int64_t stride)
{
    require_sizes(rows, cols);
    if (order != RESIDUA_ROW_MAJOR && order != RESIDUA_COLUMN_MAJOR) {
        throw invalid_argument("there is no order " + std::to_string(static_cast<int>(order)));
    }
    const bool by_rows = order == RESIDUA_ROW_MAJOR;
    const std::int64_t inner = by_rows ? cols : rows;
    const std::int64_t outer = by_rows ? rows : cols;
    if (stride != 0 && stride < inner) {
        throw invalid_argument("a stride of " + std::to_string(stride) + " is less than the " + std::to_string(inner) +
                               " numbers of a " + (by_rows ? "row" : "column"));
    }
    constexpr std::int64_t most_numbers = std::int64_t{1} << 58;  // beyond any memory
    const std::int64_t step = stride == 0 ? inner : stride;
    const bool none = inner == 0 || outer == 0;
    if (!none && (inner > most_numbers || outer - 1 > (most_numbers - inner) / step)) {
        throw invalid_argument("an array of " + std::to_string(outer) + " times " + std::to_string(step) +
                               " numbers is larger than any memory");
    }
    const auto numbers = static_cast<std::size_t>(none ? 0 : step * (outer - 1) + inner);
    const auto is_gap = [&](std::size_t k) { return static_cast<std::int64_t>(k) % step >= inner; };
    return made_of(value, numbers, is_gap, [&]<class Value>(std::span<const Value> values) {
        return dense_view<Value>{.rows = rows,
                                 .cols = cols,
                                 .value = values,
                                 .order = by_rows ? storage_order::row_major : storage_order::column_major,
                                 .stride = stride};
    });
}

entry_reading reading_of(const char* reading)
{
    static const choices<entry_reading> words{
        {"auto", entry_reading::automatic}, {"binary64", entry_reading::binary64}, {"decimal", entry_reading::decimal}};
    return reading == nullptr ? entry_reading::automatic : choose("reading", words, reading);
}

}  // namespace
}  // namespace residua::capi

using namespace residua::capi;

int residua_system_csr32(int64_t rows, int64_t cols, const int32_t* row_begin, const int32_t* column,
                         residua_numbers value, int base, residua_system** system)
{
    return guarded_making(__func__, system, "system",
                          [&] { return of_rows(rows, cols, row_begin, column, value, base); });
}

int residua_system_csr64(int64_t rows, int64_t cols, const int64_t* row_begin, const int64_t* column,
                         residua_numbers value, int base, residua_system** system)
{
    return guarded_making(__func__, system, "system",
                          [&] { return of_rows(rows, cols, row_begin, column, value, base); });
}

int residua_system_csc32(int64_t rows, int64_t cols, const int32_t* col_begin, const int32_t* row,
                         residua_numbers value, int base, residua_system** system)
{
    return guarded_making(__func__, system, "system",
                          [&] { return of_columns(rows, cols, col_begin, row, value, base); });
}

int residua_system_csc64(int64_t rows, int64_t cols, const int64_t* col_begin, const int64_t* row,
                         residua_numbers value, int base, residua_system** system)
{
    return guarded_making(__func__, system, "system",
                          [&] { return of_columns(rows, cols, col_begin, row, value, base); });
}

int residua_system_coo32(int64_t rows, int64_t cols, int64_t count, const int32_t* row, const int32_t* column,
                         residua_numbers value, int base, residua_system** system)
{
    return guarded_making(__func__, system, "system",
                          [&] { return of_coordinates(rows, cols, count, row, column, value, base); });
}

int residua_system_coo64(int64_t rows, int64_t cols, int64_t count, const int64_t* row, const int64_t* column,
                         residua_numbers value, int base, residua_system** system)
{
    return guarded_making(__func__, system, "system",
                          [&] { return of_coordinates(rows, cols, count, row, column, value, base); });
}

int residua_system_dense(int64_t rows, int64_t cols, residua_numbers value, residua_order order, int64_t stride,
                         residua_system** system)
{
    return guarded_making(__func__, system, "system", [&] { return of_array(rows, cols, value, order, stride); });
}

int residua_system_read(const char* path, const char* reading, residua_system** system)
{
    return guarded_making(__func__, system, "system", [&] {
        require_pointer(path, "path");
        const residua::entry_reading as = reading_of(reading);
        return kept(residua::load_matrix(residua::io::load(path), as).system);
    });
}

int residua_system_write(const residua_system* system, const char* path)
{
    return guarded(__func__, [&] {
        const auto& matrix = handle(system, "system").matrix;
        require_pointer(path, "path");
        residua::save_matrix(path, *matrix);
    });
}

int residua_system_size(const residua_system* system, int64_t* rows, int64_t* cols, int64_t* entries)
{
    return guarded(__func__, [&] {
        const residua::linear_system& a = *handle(system, "system").matrix;
        put(rows, residua::equations(a));
        put(cols, residua::unknowns(a));
        put(entries, a.complex ? residua::complex_entries(a) : a.nonzeros());
    });
}

int residua_system_is_complex(const residua_system* system, int* is_complex)
{
    return guarded(__func__, [&] {
        require_pointer(is_complex, "is_complex");
        *is_complex = handle(system, "system").matrix->complex ? 1 : 0;
    });
}

void residua_system_free(residua_system* system) { delete system; }
