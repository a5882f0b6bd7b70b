#pragma once

#include <optional>
#include <string>
#include <vector>

#include <residua/solvers/assess/inverse.hpp>
#include <residua/solvers/matrix/scaled_matrix.hpp>
#include <residua/solvers/options/predicted_cost.hpp>
#include <residua/solvers/planning/plan.hpp>
#include <residua/solvers/planning/rates.hpp>
#include <residua/solvers/sparse_direct/analysis.hpp>

namespace residua {

/// What predictions are made for. The references must outlive it.
struct cost_question {
    const linear_system& system;
    const solve_options& options;
    const scaled_matrix& matrix;
    sparse_analyses& analyses;
    const condition_estimate* condition = nullptr;  ///< null: unknown
    std::vector<long> made{};                       ///< the bits of factors that exist
    double bits_of_cg = 0.0;                        ///< as bits_of_cg() found them; 0: unknown
};

/// The multiply-adds and the entries of factors.
struct factor_work {
    bool dense = true;
    double multiply_adds = 0.0;
    double entries = 0.0;
};

/// The work of factors of the first kind that is tried.
factor_work work_of_factors(const scaled_matrix& matrix, sparse_analyses& analyses, preconditioner kind);

/// Seconds that one thread takes for factors in `bits` bits, by built-in rates.
double seconds_to_factorise(const factor_work& work, long bits);

/// Bits by which an iteration of refinement reduces the residual, by factors in `factor_bits` bits of n unknowns: the
/// bits that the condition of the scaled matrix leaves, which counts as its 1-norm condition over sqrt(n). At least 1.
///
/// from  [Higham02, Sec. 12.1, Table 6.2]
double bits_of_refinement(long factor_bits, const condition_estimate& condition, double n);

/// Predicts a candidate whose method works in `bits` bits, for one right-hand side, by the counts of the algorithms:
/// multiply-adds of factors by the analysis, entries of A and of the factors for each iteration. Refinement iterates as
/// often as the tolerance needs by bits_of_refinement(), CG with Jacobi by bits_of_cg if known. Otherwise CG and MINRES
/// without factors take at most kappa^(1/2)/2 or kappa/2 times ln(2/tolerance), kappa the condition; others: unknown.
///
/// from  [Saad03, Sec. 6.11]
predicted_cost predict(const cost_question& asked, const candidate& choice, long bits);

/// Predicts what solve() begins with for these options, then what else the plan has and what it might have taken
/// instead, without refinement by factors whose precision is too low for the condition. Bounds beyond the limit of
/// iterations say nothing, and count as unknown.
std::vector<predicted_cost> predict_all(const cost_question& asked, const matrix_structure& structure,
                                        const solve_plan& plan, long bits);

/// A plan begins with another candidate only if that is predicted to be this many times as fast, with its factors.
inline constexpr double clear_factor = 1.5;

/// Puts refinement by factors in more bits before the refinement that the plan begins with, where such factors are
/// within reach and faster by clear_factor. Only built-in rates count, so that machine and threads do not matter.
void prefer_longer_factors(solve_plan& plan, const cost_question& asked, const factor_reach& reach, long bits);

}  // namespace residua
