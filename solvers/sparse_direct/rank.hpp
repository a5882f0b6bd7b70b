#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <residua/solvers/matrix/sparse_matrix.hpp>

namespace residua {

/// How many rows of A are linearly independent, and a square part of A that shows it.
struct matrix_rank {
    index_t rank = 0;
    std::vector<std::int32_t> rows;     ///< as many as the rank, ascending
    std::vector<std::int32_t> columns;  ///< as many: A in these rows and columns is not singular
};

/// The rank of A, by L U factors of its exact entries modulo primes: a sparse matrix stays sparse, and nothing is rounded.
///
/// A part of A that is not singular modulo a prime is not singular. So the rank is never less than the one that is
/// returned, and where that is all rows or all columns it is the rank for certain. It is more only if the largest minors
/// of A that are not zero are multiples of two primes of 23 bits: one case in 10^13 where these are like random numbers.
///
/// returns  empty if more than `most_steps` multiplications would be needed
/// cost     the multiply-adds of sparse factors, each a step, and a fortieth of n^3 / 3 steps for a dense rest of order n;
///          twice that where A does not have full rank. 12 bytes an entry of L, and 8 n^2 bytes for the rest
/// order    the matrix alone decides which rows and columns are named
/// stops    by io::ask_for_stop() at each column
/// from     [GP88] the order of work
std::optional<matrix_rank> find_rank(const sparse_matrix& a, double most_steps);

}  // namespace residua
