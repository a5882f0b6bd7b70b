#include <cmath>

#include <residua/solvers/precond/factors.hpp>

#include <residua/io/interruption.hpp>

namespace residua {

triangular_factors factorize_ssor(const sparse_matrix& a, bool definite)
{
    triangular_factors factors;
    std::vector<double> diagonal(static_cast<std::size_t>(a.rows), 0.0);
    std::vector<double> root(static_cast<std::size_t>(a.rows), 0.0);
    for (index_t i = 0; i < a.rows; ++i) {
        io::ask_for_stop_at(i);
        for (index_t p = a.row_begin[i]; p < a.row_begin[i + 1]; ++p) {
            diagonal[i] = a.column[p] == i ? a.values[p] : diagonal[i];
        }
        root[i] = std::sqrt(std::abs(diagonal[i]));
        if (root[i] == 0.0 || (definite && diagonal[i] < 0.0)) {
            factors.failure = std::string("SSOR needs a ") + (definite ? "positive" : "nonzero") + " diagonal: row " +
                              std::to_string(i + 1) + " has none";
            return factors;
        }
    }

    sparse_matrix& lower = factors.lower;
    sparse_matrix& upper = factors.upper;
    lower.rows = lower.cols = upper.rows = upper.cols = a.rows;
    lower.row_begin.push_back(0);
    upper.row_begin.push_back(0);
    for (index_t i = 0; i < a.rows; ++i) {
        io::ask_for_stop_at(i);
        for (index_t p = a.row_begin[i]; p < a.row_begin[i + 1]; ++p) {
            const index_t j = a.column[p];
            if (j <= i) {
                lower.column.push_back(a.column[p]);
                lower.values.push_back(a.values[p] / root[j]);
            }
            if (j >= i) {
                const double value = a.values[p] / root[i];
                upper.column.push_back(a.column[p]);
                upper.values.push_back(diagonal[i] < 0.0 ? -value : value);
            }
        }
        lower.row_begin.push_back(static_cast<index_t>(lower.column.size()));
        upper.row_begin.push_back(static_cast<index_t>(upper.column.size()));
    }
    return factors;
}

}  // namespace residua
