#pragma once

#include <optional>
#include <vector>

#include <residua/solvers/planning/ladder.hpp>

namespace residua {

/// Bits by which an iteration of refinement reduces the residual, by factors in `factor_bits` bits of n unknowns: the
/// bits that the condition of the scaled matrix leaves, which counts as its 1-norm condition over sqrt(n). At least 1.
///
/// from  [Higham02, Sec. 12.1, Table 6.2]
double bits_of_refinement(long factor_bits, const condition_estimate& condition, double n);

/// Predicts a candidate whose method works in `bits` bits, for one right-hand side, by the counts of the algorithms:
/// multiply-adds of factors by the analysis, entries of A and of the factors for each iteration. Refinement iterates as
/// often as the tolerance needs by bits_of_refinement(), CG with Jacobi by facts.cg if known. Otherwise CG and MINRES
/// without factors take at most kappa^(1/2)/2 or kappa/2 times ln(2/tolerance), kappa the condition; others: unknown.
///
/// made  the bits of factors that exist, so that they cost nothing
/// from  [Saad03, Sec. 6.11]
predicted_cost predict(const system_facts& facts, const solve_options& options, const candidate& choice, long bits,
                       const std::vector<long>& made = {});

/// Predicts what solve() begins with for these options, then what else the plan has and what it might have taken
/// instead, without refinement by factors whose precision is too low for the condition. Bounds beyond the limit of
/// iterations say nothing, and count as unknown.
std::vector<predicted_cost> predict_all(const system_facts& facts, const solve_options& options, const solve_plan& plan,
                                        long bits);

/// A plan begins with another candidate only if that is predicted to be this many times as fast, with its factors.
inline constexpr double clear_factor = 1.5;

/// Puts refinement by factors in more bits before the refinement that the plan begins with, where such factors are
/// within reach and faster by clear_factor. Only built-in rates count, so that machine and threads do not matter.
void prefer_longer_factors(solve_plan& plan, const system_facts& facts, const solve_options& options,
                           const factor_reach& reach, long bits);

/// A plan takes it that CG with Jacobi needs at most this many times the iterations that it needs with IC(0). On
/// Poisson's equation it needs 1.5 to 2.2 times as many (docs/performance_trials.md).
inline constexpr double most_gained_by_ic0 = 4.0;

/// Whether CG with IC(0) comes before CG with Jacobi: if an iteration is predicted to take less than most_gained_by_ic0
/// times as long, in one thread. With more threads Jacobi gains at least as much as IC(0), whose rows wait for each
/// other, so that the choice depends on no machine.
bool prefers_ic0(const system_facts& facts, const solve_options& options, long bits);

// cg_first.cpp: whether CG comes before factors, and what comes where these are out of reach.

/// Whether CG with multigrid comes first: where factors are out of reach, for a sparse symmetric matrix whose
/// diagonal is positive and dominates, and where it is predicted to take less time than CG with Jacobi by the rate of
/// 40 iterations in binary64. Options of the caller's about method, preconditioner, GPU or RNS floats leave it out,
/// and so do several processes, and memory of which multigrid might take more than automatic_share.
///
/// matrix  as scaled
/// stops   as bits_of_cg()
multigrid_use find_multigrid(const system_facts& facts, const solve_options& options, const factor_reach& reach,
                             const sparse_matrix& matrix, const machine& on);

/// Decides whether CG comes first: if it is predicted to take less than half of the time of factors in binary64, and
/// these a second or more, for a sparse symmetric matrix with a positive diagonal, where digits are wanted: systems
/// that CG solves then give the error. To decide, it runs a few iterations in binary64, in a fiftieth of that time.
///
/// matrix  as scaled
std::optional<cg_first> find_cg_first(const system_facts& facts, const solve_options& options,
                                      const factor_reach& reach, const sparse_matrix& matrix);

/// By how many bits an iteration of CG with Jacobi reduces the residual, on average over the first ones in binary64,
/// from a residual without structure; 0: it breaks down.
///
/// shapes  A (n x n), symmetric with a nonzero diagonal
/// order   one thread
/// stops   by io::ask_for_stop()
/// from    [HS52]
double bits_of_cg(const sparse_matrix& a, index_t iterations);

}  // namespace residua
