#include <cmath>

#include <residua/solvers/precond/approximate_inverse.hpp>

namespace residua {

approximate_inverse invert_diagonal(const sparse_matrix& a, bool definite, index_t first_row)
{
    approximate_inverse result;
    sparse_matrix& m = result.matrix;
    m.rows = a.rows;
    m.cols = a.cols;
    m.row_begin.push_back(0);
    for (index_t i = 0; i < a.rows; ++i) {
        double reciprocal = 0.0;
        for (index_t p = a.row_begin[i]; p < a.row_begin[i + 1]; ++p) {
            if (a.column[p] == first_row + i && a.values[p] != 0.0) {
                reciprocal = 1.0 / (definite ? std::abs(a.values[p]) : a.values[p]);
            }
        }
        if (reciprocal == 0.0 || !std::isfinite(reciprocal)) {
            result.failure = "the Jacobi preconditioner needs a nonzero diagonal: row " +
                             std::to_string(first_row + i + 1) + " has none";
            return result;
        }
        m.column.push_back(static_cast<std::int32_t>(first_row + i));
        m.values.push_back(reciprocal);
        m.row_begin.push_back(i + 1);
    }
    return result;
}

approximate_inverse jacobi_of(const sparse_matrix& a, const preconditioner_options& options, index_t first_row)
{
    return a.complex && !options.definite
               ? invert_blocks(a, false, first_row, complex_block_rows)
               : invert_diagonal(a, options.definite && options.indefinite_matrix, first_row);
}

}  // namespace residua
