#pragma once

#include <cmath>
#include <limits>

#include <residua/solvers/matrix/sparse_matrix.hpp>

namespace residua {

/// The sizes of the entries of a matrix, by their rounding to binary64.
struct value_range {
    double least = std::numeric_limits<double>::infinity();  ///< the least |a_ij| other than zero
    double greatest = 0.0;
    bool is_told = true;  ///< whether values alone decide: each nonzero entry is a normal number, or rounds to one

    /// cost  one pass over the values
    explicit value_range(const sparse_matrix& system);

    /// Whether all entries are well within the range of binary64: sums of them, and of their products with numbers like
    /// them, neither over- nor underflow.
    bool is_safe() const { return is_told && (greatest == 0.0 || (least > 0x1p-400 && greatest < 0x1p400)); }
    bool is_zero() const { return is_told && greatest == 0.0; }

    /// As entry_exponent(); is_told must be true, and is_zero() false.
    long least_exponent() const { return std::ilogb(least) + 1L; }
    long greatest_exponent() const { return std::ilogb(greatest) + 1L; }
};

}  // namespace residua
