#include <cmath>

#include <residua/solvers/precond/factors.hpp>
#include <residua/solvers/system/transpose.hpp>

namespace residua {
namespace {

/// sum_k l_ik l_jk over the columns below `bound` that rows i and j of L share.
double shared_product(const sparse_rows& l, index_t i, index_t j, index_t bound)
{
    double sum = 0.0;
    index_t p = l.row_begin[i];
    index_t q = l.row_begin[j];
    while (l.column[p] < bound && l.column[q] < bound) {
        if (l.column[p] == l.column[q]) {
            sum += l.value[p++] * l.value[q++];
        } else if (l.column[p] < l.column[q]) {
            ++p;
        } else {
            ++q;
        }
    }
    return sum;
}

}  // namespace

triangular_factors factorize_ic0(const sparse_rows& a)
{
    triangular_factors factors;
    sparse_rows& l = factors.lower;
    l.n = a.n;
    l.row_begin.push_back(0);
    for (index_t i = 0; i < a.n; ++i) {
        bool has_diagonal = false;
        for (index_t p = a.row_begin[i]; p < a.row_begin[i + 1] && a.column[p] <= i; ++p) {
            l.column.push_back(a.column[p]);
            l.value.push_back(a.value[p]);
            has_diagonal = a.column[p] == i;
        }
        if (!has_diagonal) {
            factors.failure = "IC(0) needs the diagonal entry of row " + std::to_string(i + 1);
            return factors;
        }
        l.row_begin.push_back(static_cast<index_t>(l.column.size()));

        const index_t diagonal = l.row_begin[i + 1] - 1;
        for (index_t p = l.row_begin[i]; p < diagonal; ++p) {
            const index_t j = l.column[p];
            l.value[p] = (l.value[p] - shared_product(l, i, j, j)) / l.value[l.row_begin[j + 1] - 1];
        }
        for (index_t p = l.row_begin[i]; p < diagonal; ++p) {
            l.value[diagonal] -= l.value[p] * l.value[p];
        }
        if (!(l.value[diagonal] > 0.0) || !std::isfinite(l.value[diagonal])) {
            factors.failure = "IC(0) met a pivot that is not positive in row " + std::to_string(i + 1);
            return factors;
        }
        l.value[diagonal] = std::sqrt(l.value[diagonal]);
    }
    factors.upper = transpose(l);
    return factors;
}

}  // namespace residua
