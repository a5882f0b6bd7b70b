#include <memory>
#include <span>
#include <string>
#include <utility>

#include <residua/solvers/system/make_system.hpp>

#include "errors.hpp"
#include "handles.hpp"

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

template <class Value>
void require_values(const Value* value, std::size_t size)
{
    if (size > 0) {
        require_pointer(value, "value");
    }
    if constexpr (std::same_as<Value, const char*>) {
        for (std::size_t k = 0; k < size; ++k) {
            if (value[k] == nullptr) {
                throw invalid_argument("value[" + std::to_string(k) + "] is NULL");
            }
        }
    }
}

/// Whatever is wrong with a matrix is an argument that makes no sense.
template <class View>
std::unique_ptr<residua_system> made_of(const View& view)
{
    try {
        auto system = std::make_unique<residua_system>();
        system->matrix = std::make_shared<const linear_system>(make_system(view));
        return system;
    } catch (const unsupported_error& e) {
        throw invalid_argument(e.what());
    }
}

template <class Index, class Value>
std::unique_ptr<residua_system> of_rows(std::int64_t rows, std::int64_t cols, const Index* row_begin,
                                        const Index* column, const Value* value, int base)
{
    require_sizes(rows, cols);
    require_pointer(row_begin, "row_begin");
    const std::int64_t entries = static_cast<std::int64_t>(row_begin[rows]) - base;
    if ((base != 0 && base != 1) || entries < 0 || row_begin[0] != base) {
        throw invalid_argument("row_begin goes from " + std::to_string(row_begin[0]) + " to " +
                               std::to_string(row_begin[rows]) + " with base " + std::to_string(base) +
                               "; it begins with the base, which is 0 or 1, and ascends");
    }
    const auto size = static_cast<std::size_t>(entries);
    if (size > 0) {
        require_pointer(column, "column");
    }
    require_values(value, size);
    return made_of(csr_view<Index, Value>{.rows = rows,
                                          .cols = cols,
                                          .row_begin = {row_begin, static_cast<std::size_t>(rows) + 1},
                                          .column = {column, size},
                                          .value = {value, size},
                                          .base = base});
}

template <class Value>
std::unique_ptr<residua_system> of_array(std::int64_t rows, std::int64_t cols, const Value* value, residua_order order,
                                         std::int64_t stride)
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
    if (numbers > 0) {
        require_pointer(value, "value");
    }
    if constexpr (std::same_as<Value, const char*>) {
        for (std::int64_t i = 0; numbers > 0 && i < outer; ++i) {  // what is in gaps is not looked at
            require_values(value + i * step, static_cast<std::size_t>(inner));
        }
    }
    return made_of(dense_view<Value>{.rows = rows,
                                     .cols = cols,
                                     .value = {value, numbers},
                                     .order = by_rows ? storage_order::row_major : storage_order::column_major,
                                     .stride = stride});
}

}  // namespace
}  // namespace residua::capi

using namespace residua::capi;

int residua_system_csr32(int64_t rows, int64_t cols, const int32_t* row_begin, const int32_t* column,
                         const double* value, int base, residua_system** system)
{
    return guarded_making(__func__, system, "system",
                          [&] { return of_rows(rows, cols, row_begin, column, value, base); });
}

int residua_system_csr64(int64_t rows, int64_t cols, const int64_t* row_begin, const int64_t* column,
                         const double* value, int base, residua_system** system)
{
    return guarded_making(__func__, system, "system",
                          [&] { return of_rows(rows, cols, row_begin, column, value, base); });
}

int residua_system_csr32_text(int64_t rows, int64_t cols, const int32_t* row_begin, const int32_t* column,
                              const char* const* value, int base, residua_system** system)
{
    return guarded_making(__func__, system, "system",
                          [&] { return of_rows(rows, cols, row_begin, column, value, base); });
}

int residua_system_csr64_text(int64_t rows, int64_t cols, const int64_t* row_begin, const int64_t* column,
                              const char* const* value, int base, residua_system** system)
{
    return guarded_making(__func__, system, "system",
                          [&] { return of_rows(rows, cols, row_begin, column, value, base); });
}

int residua_system_dense(int64_t rows, int64_t cols, const double* value, residua_order order, int64_t stride,
                         residua_system** system)
{
    return guarded_making(__func__, system, "system", [&] { return of_array(rows, cols, value, order, stride); });
}

int residua_system_dense_text(int64_t rows, int64_t cols, const char* const* value, residua_order order, int64_t stride,
                              residua_system** system)
{
    return guarded_making(__func__, system, "system", [&] { return of_array(rows, cols, value, order, stride); });
}

int residua_system_size(const residua_system* system, int64_t* rows, int64_t* cols, int64_t* entries)
{
    return guarded(__func__, [&] {
        const residua::linear_system& a = *handle(system, "system").matrix;
        for (const auto& [to, size] :
             {std::pair(rows, a.rows), std::pair(cols, a.cols), std::pair(entries, a.nonzeros())}) {
            if (to != nullptr) {
                *to = size;
            }
        }
    });
}

void residua_system_free(residua_system* system) { delete system; }
