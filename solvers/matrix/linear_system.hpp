#pragma once

#include <memory>
#include <vector>

#include <residua/arith/real/real.hpp>
#include <residua/io/coo.hpp>
#include <residua/solvers/matrix/sparse_matrix.hpp>

namespace residua {

class long_vector;
class rows_elsewhere;

/// A x = b as the user gave it: A, with b in `real`; of a complex system its real form: docs/format-complex.md.
struct linear_system : sparse_matrix {
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
    /// Where the entries are if several processes have the rows of A (load_shared()): the arrays are empty then. Null: here.
    std::shared_ptr<const rows_elsewhere> elsewhere{};
    /// b, if the processes that have the rows of A have those of b too (share_rhs()): the array is empty then. Null: here.
    std::shared_ptr<const long_vector> b_in_pieces{};
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

/// A * (1, ..., 1), exactly as row_sums() of a sparse_matrix: of a complex system in real form.
std::vector<real> row_sums(const linear_system& a);

/// The complex system with the entries and the right-hand side of a real one.
linear_system as_complex(const linear_system& a);

/// The complex system with these parts of the entries. Decimals stay decimals.
///
/// b        real form of a right-hand side, or empty
/// shapes   both of the same sizes, with entries in the same places
/// throws   as make_system()
linear_system make_complex(const linear_system& real_part, const linear_system& imaginary_part, std::vector<real> b);

}  // namespace residua
