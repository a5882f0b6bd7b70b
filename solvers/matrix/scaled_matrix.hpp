#pragma once

#include <vector>

#include <residua/solvers/matrix/sparse_matrix.hpp>

namespace residua {

struct value_range;

/// R A C with diagonal matrices of powers of two, such that binary64's exponent range holds it.
///
/// Nearly always R = C = I. If entries are out of binary64's range, or close to its ends, A is
/// multiplied by one power of two. Rows and columns are scaled one by one, by the duals of a matching of largest product, if
/// entries spread over more than 2^600, or the largest ones of rows, or then of columns, over more than 2^40: no pivot
/// is chosen then, and no residual judged, by what units a row was written in.
/// It shares the arrays of A, but for the entries where R or C is not I.
struct scaled_matrix : sparse_matrix {
    std::vector<int> row_exponent, column_exponent;
    bool symmetric = false;          ///< R = C, for a symmetric A
    bool complex_symmetric = false;  ///< R = C, for the real form A of a complex symmetric matrix; A is not symmetric
    bool out_of_range = false;       ///< A has entries out of binary64's range, or close to its ends

    bool is_scaled() const;  ///< R or C is not I
};

/// R = C = I: entries beyond binary64's range are right in `exact` only.
///
/// symmetric   whether A is; complex_symmetric  whether it is the real form of a complex matrix that is
scaled_matrix unscaled(const sparse_matrix& a, bool symmetric, bool complex_symmetric = false);

/// C A' R, where `transposed` is A'.
scaled_matrix scale_transposed(const sparse_matrix& transposed, const scaled_matrix& scaled);

/// Whether the range of the entries alone tells that scale() has nothing to do: R = C = I.
bool needs_no_scaling(const value_range& range);

/// keep_symmetry   A is symmetric, and R A C must be, too; or the complex matrices that they are real forms of
/// shapes   A (n x n)
/// throws   dimension_error if A is not square
scaled_matrix scale(const sparse_matrix& a, bool keep_symmetry, bool keep_complex_symmetry = false);

/// scale() for least squares, which scaling single rows and columns would change: R = 2^e I, C = I.
///
/// shapes   A (m x n)
/// throws   unsupported_error if entries are more than 2^600 apart
scaled_matrix scale_uniformly(const sparse_matrix& a);

}  // namespace residua
