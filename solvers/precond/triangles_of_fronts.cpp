#include <residua/solvers/precond/triangles_of_fronts.hpp>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>
#include <utility>
#include <vector>

#include <residua/blas/base/parallel.hpp>
#include <residua/io/interruption.hpp>
#include <residua/solvers/base/memory.hpp>
#include <residua/solvers/matrix/transpose.hpp>
#include <residua/solvers/precond/pair_factors.hpp>

namespace residua {
namespace {

/// An entry of a triangle on its way to its row.
struct placed_entry {
    std::int32_t row, column;
    double value;
};

sparse_matrix rows_of(index_t n, const std::vector<placed_entry>& entries)
{
    std::vector<index_t> row_begin(static_cast<std::size_t>(n) + 1, 0);
    for (const placed_entry& e : entries) {
        ++row_begin[e.row + 1];
    }
    std::partial_sum(row_begin.begin(), row_begin.end(), row_begin.begin());
    std::vector<std::int32_t> column(entries.size());
    std::vector<double> values(entries.size());
    std::vector<index_t> next(row_begin.begin(), row_begin.end() - 1);
    for (const placed_entry& e : entries) {
        const index_t at = next[e.row]++;
        column[at] = e.column;
        values[at] = e.value;
    }
    return {n, n, std::move(row_begin), std::move(column), std::move(values), {}};
}

/// The same matrix with columns ascending in each row.
sparse_matrix sorted(const sparse_matrix& a) { return transpose(transpose(a)); }

/// A column of a front, whose numbers are converted to binary64.
template <class View>
auto in_double(const View& column)
{
    return [data = column.data()](index_t i) { return static_cast<double>(data[i]); };
}

/// Factorises the pivot in the columns k and k + 1 of a front.
template <class View>
pair_factors pair_in(const View& columns, index_t k)
{
    const auto x = in_double(columns.column(k)), y = in_double(columns.column(k + 1));
    return {x(k), y(k), y(k + 1)};
}

/// The number of each pivot, counted front by front, by the row and by the column that the pivot is in.
struct pivot_numbers {
    std::vector<std::int32_t> of_row, of_column;

    template <class Fronts>
    explicit pivot_numbers(const Fronts& fronts)
        : of_row(static_cast<std::size_t>(fronts.size())), of_column(of_row.size())
    {
        std::int32_t next = 0;
        for (index_t f = 0; f < fronts.fronts(); ++f) {
            const auto at = fronts.factors_of(f);
            for (index_t k = 0; k < at.pivots; ++k, ++next) {
                of_column[at.column[k]] = next;
                of_row[at.row[k]] = next;
            }
            for (index_t k = 0; k < at.pivots && fronts.kind() == factor_kind::ldl; ++k) {
                if (at.is_pair[static_cast<std::size_t>(k)] != 0 && pair_in(at.columns, k).exchanged) {
                    std::swap(of_row[at.row[k]], of_row[at.row[k + 1]]);
                }
            }
        }
    }
};

/// Calls f(row, column, value) for each entry of L below its diagonal, for L L' on it too, and g for each entry of U.
/// Rows and columns are numbers of pivots.
template <class Fronts, class F, class G>
void for_each_entry(const Fronts& fronts, const pivot_numbers& number, const F& f, const G& g)
{
    for (index_t at = 0; at < fronts.fronts(); ++at) {
        io::ask_for_stop_at(at);
        const auto front = fronts.factors_of(at);
        const auto order = static_cast<index_t>(front.row.size());
        for (index_t j = 0; j < order; ++j) {
            const auto column = in_double(j < front.columns.cols ? front.columns.column(j)
                                                                 : front.right.column(j - front.columns.cols));
            const std::int32_t q = number.of_column[front.column[j]];
            if (fronts.is_cholesky() && j >= front.pivots) {
                break;
            }
            for (index_t i = 0; i < std::min(j + 1, front.pivots) && !fronts.is_cholesky(); ++i) {
                g(number.of_row[front.row[i]], q, column(i));
            }
            for (index_t i = fronts.is_cholesky() ? j : j + 1; i < order && j < front.pivots; ++i) {
                f(number.of_row[front.row[i]], q, column(i));
            }
        }
    }
}

/// for_each_entry() for L D L', as the L U that pivot_numbers and pair_factors make of it.
template <class Fronts, class F, class G>
void for_each_entry_of_ldl(const Fronts& fronts, const pivot_numbers& number, const F& f, const G& g)
{
    for (index_t at = 0; at < fronts.fronts(); ++at) {
        io::ask_for_stop_at(at);
        const auto front = fronts.factors_of(at);
        const auto order = static_cast<index_t>(front.row.size());
        for (index_t k = 0; k < front.pivots; ++k) {
            const std::int32_t q = number.of_column[front.column[k]];
            const auto x = in_double(front.columns.column(k));
            if (front.is_pair[static_cast<std::size_t>(k)] == 0) {
                const double d = x(k);
                g(q, q, d);
                for (index_t i = k + 1; i < order; ++i) {
                    f(number.of_row[front.row[i]], q, x(i));
                    g(q, number.of_column[front.row[i]], d * x(i));
                }
                continue;
            }
            const auto y = in_double(front.columns.column(k + 1));
            const pair_factors pair = pair_in(front.columns, k);
            f(q + 1, q, pair.m);
            g(q, q, pair.u_11);
            g(q, q + 1, pair.u_12);
            g(q + 1, q + 1, pair.u_22);
            for (index_t i = k + 2; i < order; ++i) {
                const double first = pair.exchanged ? y(i) : x(i), second = pair.exchanged ? x(i) : y(i);
                f(number.of_row[front.row[i]], q, first + pair.m * second);
                f(number.of_row[front.row[i]], q + 1, second);
                g(q, number.of_column[front.row[i]], pair.u_11 * x(i) + pair.u_12 * y(i));
                g(q + 1, number.of_column[front.row[i]], pair.u_22 * y(i));
            }
            ++k;
        }
    }
}

template <class Fronts>
triangular_factors made_of(const Fronts& fronts)
{
    triangular_factors result;
    result.failure = fronts.failure();
    if (!result.failure.empty()) {
        return result;
    }
    constexpr double bytes_on_the_way = 64.0;  // of an entry: itself, in rows, and transposed twice
    require_memory("the conversion of sparse factors to triangles",
                   (fronts.kind() == factor_kind::ldl ? 2.0 : 1.0) * bytes_on_the_way * fronts.entries());
    const sparse_analysis& known = fronts.analysis();
    const pivot_numbers number(fronts);
    std::vector<placed_entry> lower, upper;
    const auto push_to = [](std::vector<placed_entry>& triangle) {
        return [&triangle](std::int32_t i, std::int32_t j, double value) {
            if (value != 0.0) {
                triangle.push_back({i, j, value});
            }
        };
    };
    if (fronts.kind() == factor_kind::ldl) {
        for_each_entry_of_ldl(fronts, number, push_to(lower), push_to(upper));
    } else {
        for_each_entry(fronts, number, push_to(lower), push_to(upper));
    }
    if (!fronts.is_cholesky()) {
        for (std::int32_t k = 0; k < static_cast<std::int32_t>(fronts.size()); ++k) {
            lower.push_back({k, k, 1.0});
        }
    }
    result.row_order.resize(number.of_row.size());
    result.column_order.resize(number.of_row.size());
    for (std::size_t k = 0; k < number.of_row.size(); ++k) {
        const std::int32_t unknown = known.tree.unknown[k];
        result.row_order[number.of_row[k]] = known.row_of_column[unknown];
        result.column_order[number.of_column[k]] = unknown;
    }
    for (placed_entry& e : lower) {
        e.value = known.negates(result.row_order[e.row]) ? -e.value : e.value;
    }
    result.lower = sorted(rows_of(fronts.size(), lower));
    result.upper = fronts.is_cholesky() ? transpose(result.lower) : sorted(rows_of(fronts.size(), upper));
    result.row_exponent = known.row_exponent;
    result.column_exponent = known.column_exponent;
    return result;
}

/// The largest |l_ik| in the rows of a front, and the largest |u_kj| in its columns.
template <class Front>
std::pair<double, double> largest_in(const Front& front, const sparse_analysis& known)
{
    const auto unscaled = [](double size, int exponent) { return std::ldexp(size, -exponent); };
    const auto order = static_cast<index_t>(front.row.size());
    double of_l = 0.0, of_u = 0.0;
    std::vector<double> row(front.row.size(), 0.0), column(front.row.size(), 0.0);
    const auto raise = [](double& largest, double size) { largest = std::max(largest, std::abs(size)); };
    for (index_t k = 0; k < front.pivots; ++k) {
        const auto x = in_double(front.columns.column(k));
        const bool is_pair = known.is_symmetric() && front.is_pair[static_cast<std::size_t>(k)] != 0;
        const auto y = in_double(front.columns.column(is_pair ? k + 1 : k));
        const double a = std::abs(x(k)), b = is_pair ? std::abs(y(k)) : 0.0, c = is_pair ? std::abs(y(k + 1)) : 0.0;
        for (index_t i = k + 1; i < order; ++i) {
            raise(row[i], x(i));
            if (is_pair) {
                raise(row[i], i == k + 1 ? 0.0 : y(i));
            }
            if (known.is_symmetric()) {
                const double l = i == k + 1 && is_pair ? 0.0 : std::abs(x(i));
                const double m = !is_pair ? 0.0 : i == k + 1 ? 1.0 : std::abs(y(i));
                raise(column[i], std::max(a * l + b * m, b * l + c * m));
            }
        }
        raise(row[k], 1.0);
        raise(column[k], std::max(a, b));
        if (is_pair) {
            ++k;
            raise(row[k], 1.0);
        }
    }
    for (index_t j = 0; j < order; ++j) {
        for (index_t k = 0; k < std::min(j + 1, front.pivots) && !known.is_symmetric(); ++k) {
            raise(column[j], j < front.columns.cols ? in_double(front.columns.column(j))(k)
                                                    : in_double(front.right.column(j - front.columns.cols))(k));
        }
        const std::int32_t of_row = known.row_of_column[known.tree.unknown[front.row[j]]];
        of_l = std::max(of_l, unscaled(row[j], known.row_exponent[of_row]));
        of_u = std::max(of_u, unscaled(column[j], known.column_exponent[known.tree.unknown[front.column[j]]]));
    }
    return {of_l, of_u};
}

template <class Fronts>
double largest_product_in(const Fronts& fronts)
{
    double of_l = 0.0, of_u = 0.0;
    std::mutex turn;
    blas::detail::parallel_ranges(fronts.fronts(), 1, fronts.entries(), [&](index_t from, index_t to) {
        for (index_t f = from; f < to; ++f) {
            const auto [l, u] = largest_in(fronts.factors_of(f), fronts.analysis());
            const std::lock_guard<std::mutex> mine(turn);
            of_l = std::max(of_l, l);
            of_u = std::max(of_u, u);
        }
    });
    return of_l * of_u;
}

}  // namespace

double largest_product(const multifrontal<host_space<double>>& fronts) { return largest_product_in(fronts); }
double largest_product(const multifrontal<host_space<float>>& fronts) { return largest_product_in(fronts); }

triangular_factors triangles_of(const multifrontal<host_space<double>>& fronts) { return made_of(fronts); }
triangular_factors triangles_of(const multifrontal<host_space<float>>& fronts) { return made_of(fronts); }

}  // namespace residua
