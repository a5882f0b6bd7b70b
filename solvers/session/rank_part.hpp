#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <residua/arith/real/real.hpp>
#include <residua/solvers/matrix/components.hpp>
#include <residua/solvers/matrix/linear_system.hpp>
#include <residua/solvers/matrix/structure.hpp>
#include <residua/solvers/options/solve_options.hpp>
#include <residua/solvers/session/clock.hpp>
#include <residua/solvers/sparse_direct/rank.hpp>

namespace residua {

class solver;

/// The rank of a matrix, with what shows it.
struct known_rank {
    matrix_rank part;  ///< rows and columns in which A is not singular
    /// Sets of unknowns: the components of a Laplacian, or zero_sums::sets; otherwise none
    matrix_components components{};
    /// The sets that A takes to zero: their vectors, which are 1 on one of them and 0 elsewhere, span the null space.
    std::vector<std::int32_t> floating{};
    /// What has shown that A is not singular in the part; null: structure or elimination has.
    std::shared_ptr<solver> shown_by{};
    bool lacked_memory = false;  ///< while that was shown: the solver may have other bits than another one

    index_t rank() const { return part.rank; }
};

/// The rank of a symmetric matrix that is a singular Laplacian; empty: it is not.
std::optional<known_rank> rank_of_laplacian(const sparse_matrix& a, const matrix_structure& structure);

/// What the rows of known_rank::floating have to do with each other: "the 5 rows that are connected with row 1 sum to
/// zero".
std::string words_about(const known_rank& rank);

/// The rank of a symmetric matrix that takes the vectors of some sets of unknowns to zero, as find_zero_sums() finds them: so many less
/// than unknowns, if the rest of A is not singular. That is shown by a random b, which solves of the rest reach to a
/// residual of 10^-12 / n: a matrix that is singular takes some y to zero from the left, and ||b - A x|| is |y'b| / ||y||
/// or more, which is t ||b|| or less in one case of 1 / (n t) or more.
///
/// options, clock  as for the matrix; the digits of the first solves with the part are those of `digits`
/// returns         empty if no set has that property, or the rest is not shown not to be singular
/// cost            one pass over the entries; where sets are found, factors of the rest and a solve
/// throws          io::stopped_error
std::optional<known_rank> show_rank_by_sums(const linear_system& a, const matrix_structure& structure,
                                            const solve_options& options, const solve_clock& clock, int digits);

/// The rank of a symmetric matrix [H B'; B 0] some rows of B of which depend on the others, as elimination modulo
/// primes in 10^9 steps finds them, if A without these rows and columns is not singular, as for show_rank_by_sums().
std::optional<known_rank> show_rank_by_constraints(const linear_system& a, const matrix_structure& structure,
                                                   const solve_options& options, const solve_clock& clock, int digits);

/// The options of a solver of the part of A.
solve_options options_of_part(const solve_options& options, const solve_clock& clock, int digits);

/// find_rank() in up to 10^9 steps, of some 5 ns each. Of a symmetric matrix the part has the same rows as columns.
std::optional<matrix_rank> find_rank_in_time(const sparse_matrix& a, const matrix_structure& structure);

/// Whether A in the part is not singular with the entries as they were written either, where reading has rounded them
/// (linear_system::reading_error): its scaled condition is seen to be too small for that. True where nothing was rounded.
///
/// cost    none where nothing was rounded; otherwise factors of the part that suffice for its condition
/// throws  io::stopped_error
bool outlasts_reading(const linear_system& a, const matrix_rank& part, const solve_options& options,
                      const solve_clock& clock);

/// A in some rows and columns, without b.
linear_system part_of(const linear_system& a, const matrix_rank& of);

/// Vectors that span a null space. Each has a 1 where all others have a 0.
struct spanning_vectors {
    std::vector<std::vector<real>> vectors;
    real error = 0.0;            ///< estimate of the 2-norm of their errors, all together
    bool lacked_memory = false;  ///< while they were computed: others may have other bits
};

/// The vectors that A takes to zero, or those that A' does, one for each column or row outside of the part.
///
/// of_part  solver of part_of(a, part); null: the rank is 0
/// cost     a solve for each vector
/// throws   io::stopped_error if the solver is interrupted
spanning_vectors find_spanning_vectors(const linear_system& a, const matrix_rank& part, solver* of_part,
                                       bool of_transpose);

/// What vectors get beyond the digits that are wanted of them.
struct spare {
    static constexpr long bits = 64;  ///< of sums, for rounding errors
    static constexpr int digits = 3;  ///< of systems with the part
    static constexpr int raises =
        4;  ///< of these digits at most, where a vector is short beside what it is the difference of
};

/// `digits`, or the most that can be asked of a solve if they are fewer.
int attainable(int digits);

/// The digits of another try where `digits` are needed: the next multiple of 16, so that few numbers of digits are made for.
int raised_digits(int digits);

/// The bits in which sums are computed for vectors of `digits` digits.
long bits_of_digits(int digits);

}  // namespace residua
