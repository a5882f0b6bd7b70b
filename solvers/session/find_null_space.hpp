#pragma once

#include <optional>

#include <residua/solvers/base/determinant.hpp>
#include <residua/solvers/options/solve_options.hpp>
#include <residua/solvers/session/clock.hpp>
#include <residua/solvers/session/rank_part.hpp>

namespace residua {

/// The rank of a matrix, what shows it, and the part of A that is not singular.
struct shown_rank {
    known_rank known;
    rank_source source;
};

/// The rank of A by its entries, in which nothing is rounded: by structure, or by elimination modulo primes.
///
/// shapes   A (m x n)
/// returns  empty if elimination would take more than 10^9 steps of some 5 ns
/// cost     one pass over the entries for a Laplacian, otherwise find_rank(), and a matching for a square A that is singular
/// stops    by io::ask_for_stop()
std::optional<shown_rank> show_rank(const linear_system& a, const matrix_structure& structure);

/// An orthonormal basis of the null space of A.
///
/// The vectors are those by which the columns outside of the part depend on the part, orthonormalised. Digits are
/// raised until the errors of these vectors suffice, four times at most.
///
/// digits   wanted of the basis; 0: 16
/// errors   estimated from the forward errors of the systems with the part. Of a Laplacian the vectors are rounded, and exact
///          otherwise
/// cost     factors of the part, a solve for each vector, and 2 n k^2 multiply-adds of MPFR for k vectors of n numbers
/// stops    by the clock
/// throws   resource_error if memory does not suffice for the vectors; io::stopped_error if the clock ends it
null_space_basis find_null_space(const linear_system& a, const shown_rank& shown, const solve_options& options,
                                 const solve_clock& clock);

}  // namespace residua
