#include <residua/solvers/precond/chebyshev.hpp>

#include <algorithm>
#include <cmath>

#include <residua/io/interruption.hpp>
#include <residua/solvers/processes/row_pieces.hpp>

namespace residua {
namespace {

/// The roots of the diagonal entries of rows from `first` on; 0 where one is not positive.
std::vector<double> diagonal_roots(const sparse_matrix& rows, index_t first)
{
    std::vector<double> root(static_cast<std::size_t>(rows.rows), 0.0);
    for (index_t i = 0; i < rows.rows; ++i) {
        for (index_t p = rows.row_begin[i]; p < rows.row_begin[i + 1]; ++p) {
            if (rows.column[p] == first + i && rows.values[p] > 0.0) {
                root[i] = std::sqrt(rows.values[p]);
            }
        }
    }
    return root;
}

}  // namespace

chebyshev_interval find_chebyshev_interval(const sparse_matrix& a)
{
    one_process alone;
    return find_chebyshev_interval(alone, partition({0, a.rows}), a);
}

chebyshev_interval find_chebyshev_interval(processes& all, const partition& rows, const sparse_matrix& own)
{
    constexpr double upwards = 1.0 + 0x1p-20;  // more than the roundings of entries, roots, quotients and any sum
    chebyshev_interval result{.upper = 1.0, .failure = {}};  // the bound for a diagonal matrix
    const index_t first = rows.first(all.rank());
    const index_t last = rows.last(all.rank());
    const std::vector<double> root = diagonal_roots(own, first);
    const index_t zero = std::find(root.begin(), root.end(), 0.0) - root.begin();
    const index_t missing = -maximum(all, -(zero < own.rows ? first + zero : rows.n()));  // the first of all rows
    if (missing < rows.n()) {
        result.failure =
            "the Chebyshev preconditioner needs a positive diagonal: row " + std::to_string(missing + 1) + " has none";
        return result;
    }
    const std::vector<index_t> ghosts = ghosts_of(own, first, last);
    const std::vector<double> ghost_root = numbers_of_ghosts(all, plan_halo(all, rows, ghosts), root);
    const auto root_of = [&](index_t column) {
        return column >= first && column < last
                   ? root[static_cast<std::size_t>(column - first)]
                   : ghost_root[std::lower_bound(ghosts.begin(), ghosts.end(), column) - ghosts.begin()];
    };
    for (index_t i = 0; i < own.rows; ++i) {
        io::ask_for_stop_at(i);
        double sum = 0.0;
        for (index_t p = own.row_begin[i]; p < own.row_begin[i + 1]; ++p) {
            sum += std::abs(own.values[p]) / root[i] / root_of(own.column[p]);
        }
        result.upper = std::max(result.upper, upwards * sum);
    }
    result.upper = maximum(all, result.upper);
    if (!std::isfinite(result.upper)) {
        result.failure = "the Chebyshev preconditioner: entries over the diagonal leave binary64's range";
    }
    result.lower = result.upper / chebyshev_ratio;
    return result;
}

}  // namespace residua
