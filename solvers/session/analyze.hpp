#pragma once

#include <optional>
#include <string>
#include <vector>

#include <residua/solvers/matrix/linear_system.hpp>
#include <residua/solvers/matrix/structure.hpp>
#include <residua/solvers/options/solve_options.hpp>
#include <residua/solvers/planning/plan.hpp>

namespace residua {

/// What the matrix of a system looks like, and what solve() would begin with.
struct analysis : matrix_structure {
    real smallest_entry, largest_entry;     ///< the extremes of |a_ij| != 0
    std::optional<long> entry_bits = 0;     ///< that hold each entry; empty: not all are binary fractions
    std::optional<bool> positive_definite;  ///< as is_positive_definite() proves; empty: undecided
    std::optional<index_t> rank;            ///< of a singular matrix; empty: A is not, or nobody looked
    std::optional<real> condition;          ///< 1-norm estimate; empty: not computed
    std::string condition_note;             ///< how it was computed, or why not
    std::optional<decisions> picks;         ///< what solve() picks; empty: nothing
    residua::executor executor = residua::executor::host;
    std::string device;                 ///< the GPU's name; empty on the host
    double density = 0.0;               ///< nonzeros per entry of the matrix
    std::vector<predicted_cost> costs;  ///< predictions, first for what solve() picks, then for alternatives
    std::vector<double> bytes;  ///< predicted_bytes() in each of available_precisions(); empty: nothing is picked
    std::string reason;         ///< why nothing is picked, or all reasons in one line
};

/// digits  wanted of x, as in solve_options
/// throws  nothing for a rectangular or singular matrix: the fields say so, without definiteness and condition
analysis analyze(const linear_system& system, int digits = 0);

}  // namespace residua
