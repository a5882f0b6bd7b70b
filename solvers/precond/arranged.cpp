#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include <residua/io/interruption.hpp>
#include <residua/solvers/matrix/transpose.hpp>
#include <residua/solvers/precond/factors.hpp>

namespace residua {

sparse_matrix arranged(const sparse_matrix& a, const triangular_factors& by)
{
    const auto n = static_cast<std::size_t>(a.rows);
    std::vector<std::int32_t> place(n);  // the new place of each column
    for (std::size_t k = 0; k < n; ++k) {
        const std::size_t j = by.column_order.empty() ? k : static_cast<std::size_t>(by.column_order[k]);
        place[j] = static_cast<std::int32_t>(k);
    }
    const auto exponent = [](const std::vector<int>& of, std::size_t k) { return of.empty() ? 0 : of[k]; };
    sparse_matrix result;
    result.rows = result.cols = a.rows;
    result.row_begin.reserve(n + 1);
    result.row_begin.push_back(0);
    result.column.reserve(a.column.size());
    result.values.reserve(a.values.size());
    std::vector<std::pair<std::int32_t, double>> row;
    for (std::size_t k = 0; k < n; ++k) {
        io::ask_for_stop_at(static_cast<index_t>(k));
        const std::size_t i = by.row_order.empty() ? k : static_cast<std::size_t>(by.row_order[k]);
        row.clear();
        for (index_t p = a.row_begin[i]; p < a.row_begin[i + 1]; ++p) {
            const auto j = static_cast<std::size_t>(a.column[p]);
            const int by_2_to = exponent(by.row_exponent, i) + exponent(by.column_exponent, j);
            row.emplace_back(place[j], std::ldexp(a.values[p], by_2_to));
        }
        std::sort(row.begin(), row.end());
        for (const auto& [column, value] : row) {
            result.column.push_back(column);
            result.values.push_back(value);
        }
        result.row_begin.push_back(static_cast<index_t>(result.column.size()));
    }
    return result;
}

triangular_factors transpose(const triangular_factors& f)
{
    triangular_factors t;
    t.lower = transpose(f.upper);
    t.upper = transpose(f.lower);
    t.row_order = f.column_order;
    t.column_order = f.row_order;
    t.row_exponent = f.column_exponent;
    t.column_exponent = f.row_exponent;
    t.failure = f.failure;
    return t;
}

}  // namespace residua
