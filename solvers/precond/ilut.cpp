#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>
#include <string>
#include <utility>

#include <residua/io/interruption.hpp>
#include <residua/solvers/base/memory.hpp>
#include <residua/solvers/precond/factors.hpp>
#include <residua/solvers/sparse_direct/analysis.hpp>

namespace residua {
namespace {

/// The memory of an entry in the factors, and where they are applied.
constexpr double bytes_of_entry = 36.0;

/// The memory of an entry of A in its matching, its graph and its copies.
constexpr double bytes_of_arranged = 76.0;

/// y <- x + y
void add(const std::vector<int>& x, std::vector<int>& y)
{
    std::transform(x.begin(), x.end(), y.begin(), y.begin(), std::plus<>());
}

/// Finds the orders and the scaling of the factors; why there are none, or nothing.
std::string arrange(const sparse_matrix& a, triangular_factors& factors)
{
    equilibrate(a, factors.row_exponent, factors.column_exponent);  // what follows does not see the units of rows then
    const sparse_matrix scaled = arranged(a, factors);
    const sparse_analysis matched = match_and_scale(scaled);
    if (!matched.failure.empty()) {
        return matched.failure;
    }
    factors.column_order = find_order(pattern_of(scaled, matched.row_of_column), ordering::reverse_cuthill_mckee);
    factors.row_order.reserve(factors.column_order.size());
    for (const std::int32_t j : factors.column_order) {
        factors.row_order.push_back(matched.row_of_column[j]);
    }
    add(matched.row_exponent, factors.row_exponent);
    add(matched.column_exponent, factors.column_exponent);
    return {};
}

/// The row that is being eliminated: values by column, and the columns that have one.
struct working_row {
    std::vector<double> value;
    std::vector<char> there;
    std::vector<std::int32_t> lower, upper;  ///< columns on either side of the diagonal
    /// Columns of the lower part that are still to be eliminated.
    std::priority_queue<std::int32_t, std::vector<std::int32_t>, std::greater<>> waiting;

    explicit working_row(index_t n) : value(static_cast<std::size_t>(n), 0.0), there(static_cast<std::size_t>(n), 0) {}

    /// w_j += x in row i
    void add(index_t i, std::int32_t j, double x)
    {
        if (!there[j]) {
            there[j] = 1;
            if (j < i) {
                waiting.push(j);
                lower.push_back(j);
            } else if (j > i) {
                upper.push_back(j);
            }
        }
        value[j] += x;
    }

    /// Keeps the columns whose values are not below `least`, and of these the largest `most`, in ascending order.
    void keep_largest(std::vector<std::int32_t>& columns, index_t most, double least)
    {
        const auto drop = [&](std::int32_t j) { return value[j] == 0.0 || std::abs(value[j]) < least; };
        const auto kept = std::partition(columns.begin(), columns.end(), std::not_fn(drop));
        std::for_each(kept, columns.end(), [&](std::int32_t j) { clear(j); });
        columns.erase(kept, columns.end());
        if (static_cast<index_t>(columns.size()) > most) {
            const auto larger = [&](std::int32_t j, std::int32_t k) {
                return std::pair(-std::abs(value[j]), j) < std::pair(-std::abs(value[k]), k);
            };
            const auto rest = columns.begin() + most;
            std::nth_element(columns.begin(), rest, columns.end(), larger);
            std::for_each(rest, columns.end(), [&](std::int32_t j) { clear(j); });
            columns.erase(rest, columns.end());
        }
        std::sort(columns.begin(), columns.end());
    }

    void clear(index_t j)
    {
        value[j] = 0.0;
        there[j] = 0;
    }
};

void append(sparse_matrix& rows, std::int32_t column, double value)
{
    rows.column.push_back(column);
    rows.values.push_back(value);
}

}  // namespace

triangular_factors factorize_ilut(const sparse_matrix& a, const ilut_options& options)
{
    triangular_factors factors;
    const index_t fill = std::min(options.fill, a.rows);
    const double n = static_cast<double>(a.rows);
    const double entries = static_cast<double>(a.column.size());
    const double most = std::min(entries + (2.0 * static_cast<double>(fill) + 1.0) * n, n * (n + 1.0));
    require_memory("the ILUT factorisation", bytes_of_entry * most + bytes_of_arranged * entries);

    factors.failure = arrange(a, factors);
    if (!factors.failure.empty()) {
        return factors;
    }
    const sparse_matrix b = arranged(a, factors);
    sparse_matrix& lower = factors.lower;
    sparse_matrix& upper = factors.upper;
    lower.rows = lower.cols = upper.rows = upper.cols = a.rows;
    lower.row_begin.push_back(0);
    upper.row_begin.push_back(0);
    working_row w(a.rows);
    index_t steps = 0;
    for (std::int32_t i = 0; i < a.rows; ++i) {
        io::ask_for_stop_at(++steps);
        double square = 0.0;
        for (index_t p = b.row_begin[i]; p < b.row_begin[i + 1]; ++p) {
            w.add(i, b.column[p], b.values[p]);
            square += b.values[p] * b.values[p];
        }
        const double least = options.drop * std::sqrt(square);
        const index_t most_lower = static_cast<index_t>(w.lower.size()) + fill;
        const index_t most_upper = static_cast<index_t>(w.upper.size()) + fill;

        while (!w.waiting.empty()) {
            io::ask_for_stop_at(++steps);
            const std::int32_t k = w.waiting.top();
            w.waiting.pop();
            index_t q = upper.row_begin[k];  // the diagonal
            w.value[k] /= upper.values[q];
            if (std::abs(w.value[k]) < least) {
                w.value[k] = 0.0;
            }
            for (++q; w.value[k] != 0.0 && q < upper.row_begin[k + 1]; ++q) {
                w.add(i, upper.column[q], -(w.value[k] * upper.values[q]));
            }
        }

        if (std::abs(w.value[i]) < least) {
            w.value[i] = std::copysign(least, w.value[i]);
        }
        const auto overflowed = [&](std::int32_t j) { return !std::isfinite(w.value[j]); };
        if (w.value[i] == 0.0 || overflowed(i) || std::any_of(w.lower.begin(), w.lower.end(), overflowed) ||
            std::any_of(w.upper.begin(), w.upper.end(), overflowed)) {
            factors.failure = "the incomplete LU factorisation has no usable pivot in row " +
                              std::to_string(factors.row_order[i] + 1);
            return factors;
        }
        w.keep_largest(w.lower, most_lower, least);
        w.keep_largest(w.upper, most_upper, least);
        for (const std::int32_t j : w.lower) {
            append(lower, j, w.value[j]);
            w.clear(j);
        }
        append(lower, i, 1.0);
        append(upper, i, w.value[i]);
        w.clear(i);
        for (const std::int32_t j : w.upper) {
            append(upper, j, w.value[j]);
            w.clear(j);
        }
        w.lower.clear();
        w.upper.clear();
        lower.row_begin.push_back(static_cast<index_t>(lower.column.size()));
        upper.row_begin.push_back(static_cast<index_t>(upper.column.size()));
    }
    return factors;
}

}  // namespace residua
