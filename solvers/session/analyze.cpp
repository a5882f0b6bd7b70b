#include <residua/solvers/session/analyze.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <residua/solvers/assess/inverse.hpp>
#include <residua/solvers/base/tuning_table.hpp>
#include <residua/solvers/build/engine.hpp>
#include <residua/solvers/files/load.hpp>
#include <residua/solvers/matrix/scaled_matrix.hpp>
#include <residua/solvers/matrix/structure.hpp>
#include <residua/solvers/options/method_bytes.hpp>
#include <residua/solvers/planning/placement.hpp>
#include <residua/solvers/planning/plan.hpp>
#include <residua/solvers/precond/factor_kinds.hpp>
#include <residua/solvers/session/definiteness.hpp>
#include <residua/solvers/session/prepared.hpp>

namespace residua {
namespace {

/// The number of bits from the highest to the lowest set bit of a nonzero number.
long significant_bits(const real& x)
{
    // mpfr_min_prec() leaves out the trailing zeros of the significand
    return mpfr_min_prec(x.mpfr());
}

/// Whether x is no binary fraction. Such a number has a nonzero bit among its last 64, but for one in 2^64. A binary
/// fraction has none there, since x was read with many more bits than its digits need.
bool is_cut_off(const real& x) { return significant_bits(x) > x.precision() - 64; }

void inspect_entries(const linear_system& system, analysis& result)
{
    bool first = true;
    for (std::size_t k = 0; k < system.values.size(); ++k) {
        const real a = abs(entry(system, static_cast<index_t>(k), decimal_bits()));
        if (is_zero(a)) {
            continue;
        }
        if (!system.exact.empty() && is_cut_off(a)) {
            result.entry_bits.reset();
        } else if (result.entry_bits) {
            result.entry_bits = std::max(*result.entry_bits, significant_bits(a));
        }
        if (first || a < result.smallest_entry) {
            result.smallest_entry = a;
        }
        if (first || result.largest_entry < a) {
            result.largest_entry = a;
        }
        first = false;
    }
}

std::string condition_note(const prepared_system& prepared, const analysis& found)
{
    const binary64_factors& factors = prepared.factors();
    if (factors.trusted()) {
        return "Hager-Higham estimate by binary64 " + std::string(words_for(kind_of(factors.kind))) + " factors";
    }
    switch (prepared.inverse_found()) {
        case inverse_state::found:
            return "Hager-Higham estimate by factors in a longer format";
        case inverse_state::looks_singular:
            return "beyond the formats tried: the matrix looks singular in " + std::to_string(prepared.sought_bits()) +
                   " bits";
        default:
            return found.condition ? "at least: the factors within reach do not suffice for it"
                                   : "not computed: there are no factors";
    }
}

std::string why(const candidate& choice, const binary64_factors& factors, const analysis& found)
{
    if (choice.factor_bits > binary64_bits) {
        return std::string(words_for(kind_of(choice.preconditioner))) + " factors in " +
               std::to_string(choice.factor_bits) + " bits";
    }
    switch (choice.preconditioner) {
        case preconditioner::lu:
            return "the binary64 factors, with " + std::to_string(static_cast<index_t>(factors.factors.entries())) +
                   " entries in L and U";
        case preconditioner::cholesky:
            return "the binary64 factors, with " +
                   std::to_string(static_cast<index_t>(factors.factors.lower_entries())) + " entries in L, by Cholesky";
        case preconditioner::ldl:
            return "the binary64 factors, with " +
                   std::to_string(static_cast<index_t>(factors.factors.lower_entries())) +
                   " entries in L and D of L D L'";
        case preconditioner::ic0:
            return "symmetric with a positive diagonal";
        case preconditioner::ilu0:
        case preconditioner::jacobi:
            return "no zero on the diagonal";
        default:
            return choice.method == method::direct ? "a direct method takes none"
                   : choice.method == method::lsqr ? "least squares take none"
                   : found.nonzero_diagonal        ? "none fits"
                                                   : "zeros on the diagonal";
    }
}

std::string why_precision(const solve_options& options, const real& condition, long bits)
{
    if (is_zero(condition)) {
        return std::to_string(bits) + " bits to begin with: the condition is not known";
    }
    const long wanted = wanted_bits(options, condition);
    return std::to_string(options.digits > 0 ? options.digits : 16) + " digits at a condition of " +
           to_string(condition, 2) + " take " + std::to_string(wanted) + " bits" +
           (wanted > bits   ? ", more than there are"
            : wanted < bits ? ", served by " + std::to_string(bits)
                            : "");
}

std::string why_executor(const placement& place, const arithmetic& in, const candidate& choice, index_t unknowns)
{
    if (place.device) {
        return "from " + std::to_string(tuning::row_of(tuning::devices, in.bits).least_unknowns) +
               " unknowns on a GPU is faster";
    }
    if (!built_with_cuda()) {
        return "this build computes on the host only";
    }
    if (!takes_gpu_unasked(choice)) {
        return "auto takes a GPU for Krylov methods without a preconditioner, or with one made of products";
    }
    const index_t least = tuning::row_of(tuning::devices, in.bits).least_unknowns;
    return unknowns < least
               ? std::to_string(unknowns) + " unknowns, and a GPU is faster from " + std::to_string(least) + " on"
               : "no GPU can be used, or it has too little memory";
}

/// Predicts what solve() begins with, by the functions that solve() calls.
void pick(const prepared_system& prepared, analysis& result)
{
    const linear_system& system = prepared.system();
    const solve_options& options = prepared.options();
    const candidate choice = prepared.plan().candidates.front();
    const index_t larger = prepared.largest_size();
    result.method = choice.method;
    result.preconditioner = choice.preconditioner;
    result.factor_bits = choice.factor_bits;
    result.precision_bits = prepared.first_bits();
    const arithmetic in = arithmetic_of(options.format, result.precision_bits, choice.method);
    result.format = in.format;
    const placement place =
        find_place(options, in, choice, larger,
                   engine_bytes(in, choice.method, larger, system.nonzeros(), system.exact.empty(), options.restart));
    result.executor = place.device ? executor::cuda : executor::host;
    result.device = place.name;
    pick_reasons& reasons = result.reasons;
    reasons.method = prepared.plan().reason;
    reasons.preconditioner = why(choice, prepared.factors(), result);
    reasons.precision = why_precision(options, prepared.loss(), result.precision_bits);
    reasons.format =
        "by the tuning table, up to " + std::to_string(format_row_of(in.bits, choice.method).most_bits) + " bits";
    reasons.executor = why_executor(place, in, choice, larger);
    result.reason =
        reasons.method + "; " + reasons.precision + "; " + std::string(to_string(in.format)) + " " + reasons.format;
}

void describe(const matrix_structure& structure, const linear_system& system, analysis& result)
{
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
    result.zeros = zero_words(structure);
    const double places = static_cast<double>(system.rows) * static_cast<double>(system.cols);
    result.density = places > 0.0 ? static_cast<double>(system.nonzeros()) / places : 0.0;
    inspect_entries(system, result);
}

}  // namespace

analysis analyze(const linear_system& system, int digits)
{
    require_valid(system);
    analysis result;
    const matrix_structure structure = inspect(system);
    describe(structure, system, result);
    if (system.rows == 0 || system.cols == 0) {
        result.reason = "the matrix is empty: there is nothing to solve";
        return result;
    }
    if (structure.square && (structure.zero_rows > 0 || structure.zero_cols > 0)) {
        result.reason = "singular: " + result.zeros;
        result.condition_note = "infinite: " + result.reason;
        result.positive_definite = false;
        return result;
    }
    solve_options options;
    options.digits = digits;
    const solve_clock clock(options);
    prepared_system prepared(std::shared_ptr<const linear_system>(std::shared_ptr<void>(), &system), options, clock, {},
                             true);
    if (structure.square) {
        prepared.seek_inverse(0);
        result.positive_definite = is_positive_definite(structure, prepared.matrix(), prepared.trusted_bits());
        if (const auto known = prepared.condition_for_report();
            known && prepared.inverse_found() != inverse_state::looks_singular) {
            result.condition = known->value;
        }
        result.condition_note = condition_note(prepared, result);
    }
    pick(prepared, result);
    result.costs = prepared.costs();
    return result;
}

}  // namespace residua
