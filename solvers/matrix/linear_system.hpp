#pragma once

#include <cstdint>
#include <vector>

#include <residua/arith/real/real.hpp>
#include <residua/io/coo.hpp>
#include <residua/io/error.hpp>
#include <residua/solvers/base/scaled_double.hpp>
#include <residua/solvers/matrix/exact_entries.hpp>

namespace residua {

/// A x = b as the user gave it: A in compressed rows, b in `real`.
///
/// If all entries of A are binary64 numbers, `exact` is empty and `values` is A. Otherwise
/// `exact` is A and `values` its rounding to binary64.
struct linear_system {
    index_t rows = 0;
    index_t cols = 0;
    std::vector<index_t> row_begin;    ///< rows + 1 positions in the three arrays below
    std::vector<std::int32_t> column;  ///< ascending in each row
    std::vector<double> values;
    exact_entries exact;  ///< empty, or as long as `values`
    std::vector<real> b;
    /// Bound on |written - held| / |held| over all numbers of A that were read from decimals; 0 if every one is held exactly,
    /// as entries that are kept as decimals are. Of entries that were summed at one position: relative to the sum of their
    /// sizes. Numbers that were read as binary64 mean what is held.
    real reading_error = 0.0;
    /// reading_error for each right-hand side that a solve is given, in their order; 0 for those beyond. A b that was
    /// computed from A means what is held.
    std::vector<real> rhs_reading_errors;
    /// Bound on |other - held| / |held| over the numbers of A, plus that over those of b, where `other` is what the other of the
    /// two readings of a text makes of it, as binary64 numbers or as decimals. 0: both are the same, or one was asked for.
    double other_reading = 0.0;

    index_t nonzeros() const { return static_cast<index_t>(column.size()); }
};

/// The system with matrix `a` and right-hand side `b`, or without one. Entries may come in any order; those in one place are
/// added, exactly. Other sources of a matrix are in make_system.hpp.
///
/// throws  dimension_error if b is neither empty nor has as many numbers as a has rows, if a has 2^31 columns or more, or if an
///         entry lies outside of a; unsupported_error if a number is not finite
linear_system make_system(const io::coo<double>& a, std::vector<real> b);
linear_system make_system(const io::coo<real>& a, std::vector<real> b);
/// make_system() for entries that are given twice: rounded to binary64, and as they are. They must be sorted by row,
/// then by column, each place once.
///
/// shapes  exact as long as a.value
linear_system make_system(const io::coo<double>& rounded, exact_entries exact, std::vector<real> b);

/// Entry k, rounded to `bits` bits if it is a decimal, otherwise as it is held.
inline real entry(const linear_system& a, index_t k, long bits)
{
    const auto place = static_cast<std::size_t>(k);
    return a.exact.empty() ? real(a.values[place]) : a.exact.at(place, bits);
}

inline bool is_zero_entry(const linear_system& a, index_t k)
{
    const auto place = static_cast<std::size_t>(k);
    return a.values[place] == 0.0 && (a.exact.empty() || a.exact.sign(place) == 0);
}

/// Entry k to binary64's precision, whatever its size.
scaled_double leading_part(const linear_system& a, index_t k);

/// An e with 2^(e - 1) <= |a_k| (1 + 2^-52) and |a_k| <= 2^e, for an entry that is not zero.
long entry_exponent(const linear_system& a, index_t k);

/// Throws unless the matrix is as `linear_system` says: sizes, positions and order of columns.
///
/// throws  dimension_error
void require_valid(const linear_system& system);

/// A * (1, ..., 1), exactly: the right-hand side whose solution is all ones. Sums of decimals are rounded once, to 8256 bits.
std::vector<real> row_sums(const linear_system& system);

}  // namespace residua
