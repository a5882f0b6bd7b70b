#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <residua/solvers/assess/inverse.hpp>
#include <residua/solvers/base/tuning.hpp>
#include <residua/solvers/build/engine.hpp>
#include <residua/solvers/matrix/linear_system.hpp>
#include <residua/solvers/matrix/scaled_matrix.hpp>
#include <residua/solvers/matrix/structure.hpp>
#include <residua/solvers/options/solve_options.hpp>
#include <residua/solvers/options/solve_plan.hpp>
#include <residua/solvers/planning/reach.hpp>
#include <residua/solvers/precond/factorization.hpp>
#include <residua/solvers/sparse_direct/analysis.hpp>

namespace residua {

/// Above this 1-norm condition estimate binary64 factors are not trusted to judge themselves.
inline constexpr double largest_binary64_condition = 1e13;

/// Factors of the scaled matrix in binary64, and the condition that they estimate.
struct binary64_factors {
    factorization factors;
    residua::preconditioner kind = preconditioner::lu;  ///< of `factors`; where there are none what was tried last
    bool available = false;
    /// the condition; empty: not asked for, or overflow
    std::optional<condition_estimate> condition;

    /// Whether the factors are precise enough to estimate errors with.
    bool trusted() const { return available && condition && condition->scaled < largest_binary64_condition; }
};

/// throws  unsupported_error if the matrix is not symmetric, and the method, L L' or L D L' needs that
void require_symmetry(const matrix_structure& structure, const solve_options& options);

/// The format in which more bits than those at work are looked for: `asked`, but automatic for native, which has none.
number_format longer_format(number_format asked);

/// The range of bits that can be asked of a format.
struct precision_range {
    long least = 1;
    long most = 0;

    bool holds(long bits) const { return least <= bits && bits <= most; }
};
precision_range precisions_of(number_format format);

/// throws  unsupported_error if the format does not have `bits` bits
void require_bits(number_format format, long bits);

/// The row of the tuning table for `bits` bits and a method.
const tuning::format_row& format_row_of(long bits, residua::method method);

/// The format that was asked for, or format_of(bits, method) if that is automatic, with `bits` bits, which it must
/// have: see available_precisions().
arithmetic arithmetic_of(number_format asked, long bits, residua::method method = method::automatic);

/// throws  unsupported_error for GMRES-IR in RNS floats or in expansions by name, which are raised beyond what it takes
void require_format(residua::method method, number_format asked);

/// throws  unsupported_error if a precision of factors is asked of a method that has none, or if no format has it, or
///         if it is more than binary64's on a GPU
void require_factors(const solve_options& options);

/// The format and the bits that serve a wanted precision of factors: 24 are binary32, 11 that with products of 11 bits.
arithmetic factors_in(long bits);

/// factors_in() for a matrix: sparse factors have at least 24 bits.
arithmetic factors_in(long bits, const linear_system& system);

/// log2 of the largest condition that GMRES-IR may meet, by the bits of factors, of GMRES and of its products:
/// (u_g + u_p kappa) kappa^2 u_f^2 < 1.
///
/// from  [ABH+24]
double gmres_ir_limit_bits(long factors, long krylov, long products);

/// throws  dimension_error if the matrix is not square and the method needs that, or if it has rows and no columns
void require_shape(const linear_system& system, residua::method method);

/// throws  unsupported_error for a GPU asked for a method that does not run there; auto goes by runs_on_gpu(), and what does
///         not run on a GPU runs on the host
void require_executor(const solve_options& options);

/// Whether factors may be of use for these options, if they are within reach.
bool may_need_factors(const solve_options& options);

/// Bytes of the factors that the options ask for or that the plan begins with, while they are made.
double factor_bytes(const linear_system& system, const solve_options& options, const scaled_matrix& matrix,
                    const factor_reach& reach, sparse_analyses& analyses);

/// Bytes of one right-hand side at work and of its result, beyond their vectors: the numbers, the words and a short history
/// of a report.
inline constexpr double bytes_of_column = 4784.0;

/// Bytes that solve() takes beyond factors.
double bytes_without_factors(const linear_system& system, const solve_options& options, index_t right_hand_sides);

/// The sizes that the bytes of solve() depend on.
struct system_sizes {
    index_t rows = 0;
    index_t cols = 0;
    index_t nonzeros = 0;
    double bytes_of_exact = 0.0;  ///< bytes of an entry that binary64 does not hold; 0: it holds all
};

double bytes_without_factors(const system_sizes& system, const solve_options& options, index_t right_hand_sides);
/// The kind that is asked for of factors in more than binary64. Where Cholesky was asked for it is automatic, since
/// estimates need some factors if there are none by Cholesky.
preconditioner kind_of_long_factors(const solve_options& options);

/// Whether the options name a method or a preconditioner of factors in binary64.
bool needs_factors(const solve_options& options);

/// Whether the plan for these options needs factors in binary64, or profits from such as are within reach.
bool wants_factors(const linear_system& system, const solve_options& options, const factor_reach& reach);

/// The factors, dense ones on a device if one is given and they are worth it, and, on request, the condition estimate.
///
/// kind  of factors, for kinds_of_factors()
binary64_factors factorize(const linear_system& system, const scaled_matrix& matrix, residua::preconditioner kind,
                           bool estimate_condition, sparse_analyses& analyses, const factor_options& options = {});

/// Whether refinement by factors in `factor_bits` bits converges, as far as is known; true if `condition` is null.
bool refines_by(long factor_bits, const condition_estimate* condition);

/// The limit of all iterations of a solve: what was asked for, or by the number of unknowns.
index_t iteration_limit(const solve_options& options, index_t unknowns);

/// Makes the plan, by the best condition estimate (null: unknown) and the lowest precision in which factors are known
/// to suffice for it (0: none is known).
solve_plan make_plan(const linear_system& system, const matrix_structure& structure, const solve_options& options,
                     const binary64_factors& factors, const factor_reach& reach, const condition_estimate* condition,
                     long trusted_bits);

/// Bits for the digits asked for (16 if none are) at this condition (0: unknown), and a few more: what choose_precision()
/// looks for where options.precision_bits is 0.
long wanted_bits(const solve_options& options, const real& condition);

/// The first of available_precisions() of the format that is expected to give `digits` correct digits (16 if
/// not asked for) at this condition (0: unknown), or the one that serves options.precision_bits.
///
/// throws  unsupported_error if bits are asked for that the format does not have
long choose_precision(const solve_options& options, const real& condition);

}  // namespace residua
