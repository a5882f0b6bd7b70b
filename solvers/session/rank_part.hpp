#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <residua/arith/real/real.hpp>
#include <residua/solvers/matrix/components.hpp>
#include <residua/solvers/matrix/linear_system.hpp>
#include <residua/solvers/matrix/structure.hpp>
#include <residua/solvers/sparse_direct/rank.hpp>

namespace residua {

class solver;

/// The rank of a matrix, with what shows it.
struct known_rank {
    matrix_rank part;                      ///< rows and columns in which A is not singular
    matrix_components components{};        ///< of a Laplacian alone
    std::vector<std::int32_t> floating{};  ///< the components of a Laplacian whose rows sum to zero; otherwise empty

    index_t rank() const { return part.rank; }
};

/// The rank of a symmetric matrix that is a singular Laplacian; empty: it is not.
std::optional<known_rank> rank_of_laplacian(const sparse_matrix& a, const matrix_structure& structure);

/// What the rows of a singular Laplacian have to do with each other: "the 5 rows that are connected with row 1 sum to
/// zero".
std::string words_about(const known_rank& laplacian);

/// find_rank() in up to 10^9 steps, of some 5 ns each. Of a symmetric matrix the part has the same rows as columns.
std::optional<matrix_rank> find_rank_in_time(const sparse_matrix& a, const matrix_structure& structure);

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
