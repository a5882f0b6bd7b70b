#include <residua/solvers/analyze.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <residua/solvers/base/scaled_matrix.hpp>
#include <residua/solvers/engine.hpp>
#include <residua/solvers/inverse.hpp>
#include <residua/solvers/plan.hpp>
#include <residua/solvers/structure.hpp>

namespace residua {
namespace {

/// Bits from the highest to the lowest one of a nonzero number.
long significant_bits(const real& x)
{
    // the trailing zeros of the significand: shorten until it no longer fits
    return mpfr_min_prec(x.mpfr());
}

void inspect_entries(const linear_system& system, analysis& result)
{
    bool first = true;
    for (std::size_t k = 0; k < system.values.size(); ++k) {
        const real a = abs(system.exact.empty() ? real(system.values[k]) : system.exact[k]);
        if (is_zero(a)) {
            continue;
        }
        result.entry_bits = std::max(result.entry_bits, significant_bits(a));
        if (first || a < result.smallest_entry) {
            result.smallest_entry = a;
        }
        if (first || result.largest_entry < a) {
            result.largest_entry = a;
        }
        first = false;
    }
}

/// Definiteness by dense Cholesky in 106 bits. If that fails, a small matrix gets a second chance
/// in 424 bits; a large one stays undecided, since rounding may have been the reason.
std::optional<bool> positive_definite(const matrix_structure& structure, const scaled_matrix& matrix)
{
    if (!structure.symmetric || !structure.positive_diagonal) {
        return false;
    }
    if (matrix.a.n > largest_automatic_direct) {
        return std::nullopt;
    }
    const engine_request request{.matrix = matrix, .method = method::direct, .factors = nullptr, .symmetric = true};
    if (make_engine(arithmetic_of(number_format::automatic, 106), request)->positive_definite()) {
        return true;
    }
    if (matrix.a.n > largest_dense_inverse) {
        return std::nullopt;
    }
    return make_engine(arithmetic_of(number_format::automatic, 424), request)->positive_definite();
}

/// With what the plan says first, and the bits for its condition.
analysis picked(analysis result, const solve_plan& plan)
{
    result.method = plan.candidates.front().method;
    result.preconditioner = plan.candidates.front().preconditioner;
    result.precision_bits = choose_precision({}, result.condition.value_or(real(0.0)));
    result.reason = plan.reason + "; " + std::to_string(result.precision_bits) +
                    (result.condition ? " bits for 16 correct digits at this condition" : " bits to begin with") +
                    ", in the format " + std::string(to_string(format_of(result.precision_bits))) +
                    " by the tuning table";
    return result;
}

}  // namespace

analysis analyze(const linear_system& system)
{
    analysis result;
    const matrix_structure structure = inspect(system);
    result.square = structure.square;
    result.symmetric = structure.symmetric;
    result.skew_symmetric = structure.skew_symmetric;
    result.nonzero_diagonal = structure.nonzero_diagonal;
    result.positive_diagonal = structure.positive_diagonal;
    result.diagonally_dominant = structure.diagonally_dominant;
    result.lower_bandwidth = structure.lower_bandwidth;
    result.upper_bandwidth = structure.upper_bandwidth;
    result.zero_rows = structure.zero_rows;
    result.zero_cols = structure.zero_cols;
    inspect_entries(system, result);

    const solve_options options;
    if (!structure.square && system.cols > 0) {
        return picked(std::move(result), make_plan(system, structure, options, {}));
    }
    if (system.rows == 0 || system.cols == 0) {
        result.reason = "the matrix is empty: there is nothing to solve";
        return result;
    }
    if (structure.zero_rows > 0 || structure.zero_cols > 0) {
        result.reason = "singular: a row or a column has no entries";
        result.condition_note = "infinite: " + result.reason;
        result.positive_definite = false;
        return result;
    }

    const scaled_matrix matrix = scale(system, structure.symmetric);
    result.positive_definite = positive_definite(structure, matrix);
    binary64_factors factors;
    if (wants_factors(system, options)) {
        factors = factorize(system, matrix, true);
    }
    if (factors.trusted()) {
        result.condition_note = "Hager-Higham estimate by binary64 LU factors";
    } else if (const auto inverse = inverse_by_direct(system, matrix, {})) {
        factors.condition = inverse->condition;
        result.condition_note = "Hager-Higham estimate by dense LU factors in a longer format";
    } else if (system.rows <= largest_dense_inverse) {
        factors.condition.reset();
        result.condition_note =
            "beyond the formats tried: the matrix looks singular in " + std::to_string(most_inverse_bits) + " bits";
    } else if (factors.condition) {
        result.condition_note =
            "at least: binary64 factors do not see beyond 1e16, and the matrix is "
            "too large for dense ones in a longer format";
    } else {
        result.condition_note = "not computed: there are no factors";
    }

    if (factors.condition) {
        result.condition = factors.condition->condition;
    }
    return picked(std::move(result), make_plan(system, structure, options, factors));
}

}  // namespace residua
