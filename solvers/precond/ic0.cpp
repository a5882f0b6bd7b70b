#include <cmath>
#include <string>

#include <residua/io/interruption.hpp>
#include <residua/solvers/matrix/transpose.hpp>
#include <residua/solvers/precond/factors.hpp>
#include <residua/solvers/sparse_direct/ordering.hpp>

namespace residua {
namespace {

/// sum_k l_ik l_jk over the columns below `bound` that rows i and j of L share.
double shared_product(const sparse_matrix& l, index_t i, index_t j, index_t bound)
{
    double sum = 0.0;
    index_t p = l.row_begin[i];
    index_t q = l.row_begin[j];
    while (l.column[p] < bound && l.column[q] < bound) {
        if (l.column[p] == l.column[q]) {
            sum += l.values[p++] * l.values[q++];
        } else if (l.column[p] < l.column[q]) {
            ++p;
        } else {
            ++q;
        }
    }
    return sum;
}

}  // namespace

triangular_factors factorize_ic0(const sparse_matrix& of)
{
    triangular_factors factors;
    factors.row_order = find_order(pattern_of(of), ordering::reverse_cuthill_mckee);
    factors.column_order = factors.row_order;
    const sparse_matrix a = arranged(of, factors);
    const auto row = [&](index_t i) { return std::to_string(factors.row_order[i] + 1); };
    sparse_matrix& l = factors.lower;
    l.rows = l.cols = a.rows;
    l.row_begin.push_back(0);
    std::vector<double>& value = l.values.own();
    for (index_t i = 0; i < a.rows; ++i) {
        io::ask_for_stop_at(i);
        bool has_diagonal = false;
        for (index_t p = a.row_begin[i]; p < a.row_begin[i + 1] && a.column[p] <= i; ++p) {
            l.column.push_back(a.column[p]);
            value.push_back(a.values[p]);
            has_diagonal = a.column[p] == i;
        }
        if (!has_diagonal) {
            factors.failure = "IC(0) needs the diagonal entry of row " + row(i);
            return factors;
        }
        l.row_begin.push_back(static_cast<index_t>(l.column.size()));

        const index_t diagonal = l.row_begin[i + 1] - 1;
        for (index_t p = l.row_begin[i]; p < diagonal; ++p) {
            io::ask_for_stop_at(p);
            const index_t j = l.column[p];
            value[p] = (value[p] - shared_product(l, i, j, j)) / value[l.row_begin[j + 1] - 1];
        }
        for (index_t p = l.row_begin[i]; p < diagonal; ++p) {
            value[diagonal] -= value[p] * value[p];
        }
        if (!(value[diagonal] > 0.0) || !std::isfinite(value[diagonal])) {
            factors.failure = "IC(0) met a pivot that is not positive in row " + row(i);
            return factors;
        }
        value[diagonal] = std::sqrt(value[diagonal]);
    }
    factors.upper = transpose(l);
    return factors;
}

}  // namespace residua
