#include <cmath>

#include <residua/solvers/precond/factors.hpp>

#include <residua/io/interruption.hpp>

namespace residua {

triangular_factors factorize_ilu0(const sparse_matrix& a)
{
    triangular_factors factors;
    std::vector<double> value(a.values.begin(), a.values.end());
    std::vector<index_t> diagonal(a.rows, -1);
    std::vector<index_t> position(a.rows, -1);  // place of a column in the current row

    for (index_t i = 0; i < a.rows; ++i) {
        io::ask_for_stop_at(i);
        const index_t begin = a.row_begin[i];
        const index_t end = a.row_begin[i + 1];
        for (index_t p = begin; p < end; ++p) {
            position[a.column[p]] = p;
        }
        for (index_t p = begin; p < end && a.column[p] < i; ++p) {
            io::ask_for_stop_at(p);
            const index_t k = a.column[p];
            value[p] /= value[diagonal[k]];
            for (index_t q = diagonal[k] + 1; q < a.row_begin[k + 1]; ++q) {
                if (const index_t target = position[a.column[q]]; target >= 0) {
                    value[target] -= value[p] * value[q];
                }
            }
        }
        diagonal[i] = position[i];
        for (index_t p = begin; p < end; ++p) {
            position[a.column[p]] = -1;
        }
        if (diagonal[i] < 0 || value[diagonal[i]] == 0.0 || !std::isfinite(value[diagonal[i]])) {
            factors.failure = "the incomplete LU factorisation has no usable pivot in row " + std::to_string(i + 1);
            return factors;
        }
    }

    factors.lower.rows = factors.lower.cols = factors.upper.rows = factors.upper.cols = a.rows;
    factors.lower.row_begin.push_back(0);
    factors.upper.row_begin.push_back(0);
    for (index_t i = 0; i < a.rows; ++i) {
        for (index_t p = a.row_begin[i]; p < a.row_begin[i + 1]; ++p) {
            sparse_matrix& side = p < diagonal[i] ? factors.lower : factors.upper;
            side.column.push_back(a.column[p]);
            side.values.push_back(value[p]);
        }
        factors.lower.column.push_back(static_cast<std::int32_t>(i));
        factors.lower.values.push_back(1.0);
        factors.lower.row_begin.push_back(static_cast<index_t>(factors.lower.column.size()));
        factors.upper.row_begin.push_back(static_cast<index_t>(factors.upper.column.size()));
    }
    return factors;
}

}  // namespace residua
