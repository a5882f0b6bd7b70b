#pragma once

#include <vector>

#include <residua/solvers/matrix/linear_system.hpp>
#include <residua/solvers/matrix/sparse_rows.hpp>

namespace residua {

/// R A C with diagonal matrices of powers of two, such that binary64's exponent range holds it.
///
/// Nearly always R = C = I. If entries are out of binary64's range, or close to its ends, A is
/// multiplied by one power of two. Rows and columns are scaled one by one, by the duals of a matching of largest product, if
/// entries spread over more than 2^600, or the largest ones of rows, or then of columns, over more than 2^40: no pivot
/// is chosen then, and no residual judged, by what units a row was written in.
struct scaled_matrix {
    sparse_rows a;        ///< rounded to binary64, of cols() columns
    exact_entries exact;  ///< empty if `a` is exact
    std::vector<int> row_exponent, column_exponent;
    bool symmetric = false;     ///< R = C, for a symmetric A
    bool out_of_range = false;  ///< A has entries out of binary64's range, or close to its ends

    bool is_scaled() const;  ///< R or C is not I
    index_t cols() const { return static_cast<index_t>(column_exponent.size()); }
};

/// R = C = I: entries beyond binary64's range are right in `exact` only.
///
/// symmetric   whether A is
scaled_matrix unscaled(const linear_system& system, bool symmetric);

/// keep_symmetry   A is symmetric, and R A C must be, too
/// shapes   A (n x n)
/// throws   dimension_error if A is not square
scaled_matrix scale(const linear_system& system, bool keep_symmetry);

/// scale() for least squares, which scaling single rows and columns would change: R = 2^e I, C = I.
///
/// shapes   A (m x n)
/// throws   unsupported_error if entries are more than 2^600 apart
scaled_matrix scale_uniformly(const linear_system& system);

}  // namespace residua
