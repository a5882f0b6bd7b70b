#pragma once

#include <optional>
#include <string>
#include <vector>

#include <residua/solvers/assess/inverse.hpp>
#include <residua/solvers/matrix/linear_system.hpp>
#include <residua/solvers/planning/costs.hpp>
#include <residua/solvers/planning/placement.hpp>
#include <residua/solvers/planning/precision.hpp>
#include <residua/solvers/precond/factorization.hpp>

namespace residua {

/// throws  unsupported_error if the matrix is not symmetric, and the method, L L' or L D L' needs that. L D L' takes sparse complex
///         symmetric ones too
void require_symmetry(const system_facts& facts, const solve_options& options);

/// throws  unsupported_error for GMRES-IR in RNS floats or in expansions by name, which are raised beyond what it takes
void require_format(residua::method method, number_format asked);

/// throws  unsupported_error if a precision of factors is asked of a method that has none, or if no format has it, or
///         if it is more than binary64's on a GPU
void require_factors(const solve_options& options);

/// throws  dimension_error if the matrix is not square and the method needs that, or if it has rows and no columns
void require_shape(const linear_system& system, residua::method method);

/// throws  unsupported_error for a GPU asked for a method that does not run there; auto goes by runs_on_gpu(), and what does
///         not run on a GPU runs on the host
void require_executor(const solve_options& options);

/// Bytes of the factors that the options ask for or that the plan begins with, while they are made.
double factor_bytes(const system_facts& facts, const solve_options& options, const factor_reach& reach);

/// Bytes that solve() takes beyond the system and the right-hand sides in each of these precisions, by facts_of() its matrix. Of
/// one that is not square, or for options without factors, the sizes suffice.
std::vector<double> predicted_bytes(const system_facts& facts, const solve_options& options,
                                    const std::vector<long>& precisions, index_t right_hand_sides);

/// Whether the plan for these options needs factors in binary64, or profits from such as are within reach.
bool wants_factors(const system_facts& facts, const solve_options& options, const factor_reach& reach);

/// The candidates that are tried one after the other.
solve_plan make_plan(const system_facts& facts, const solve_options& options, const factor_reach& reach);

/// The reason for each choice of solve(), in words, with the numbers that decide.
struct pick_reasons {
    std::string method{};
    std::string preconditioner{};
    std::string precision{};
    std::string format{};
    std::string executor{};

    bool operator==(const pick_reasons&) const = default;
};

/// What solve() does with a system, as it is decided before a method begins.
struct decisions {
    solve_plan plan{};
    factor_reach reach{};
    predicted_cost first{};       ///< what it begins with: the candidate, its format, seconds and bytes
    gpu_use gpu = gpu_use::none;  ///< whether that is to run on a GPU
    double device_bytes = 0.0;    ///< that it takes there, without a preconditioner
    int threads = 1;              ///< of the host
    pick_reasons reasons{};       ///< of `first`

    bool operator==(const decisions&) const = default;
};

/// Decides by what is known, without a look at anything else, so that it can be done in one place for many: info and
/// solve() ask it alike.
///
/// throws  unsupported_error if the options ask for what the system does not allow
decisions plan(const system_facts& facts, const solve_options& options, const machine& on);

/// The reasons in one line.
std::string to_string(const decisions& made);

}  // namespace residua
