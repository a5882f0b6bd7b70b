#include <residua/solvers/session/analyze.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <residua/solvers/files/load.hpp>
#include <residua/solvers/matrix/complex_form.hpp>
#include <residua/solvers/matrix/structure.hpp>
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

/// Lines of the complex matrix for those of its real form, which has two each.
void take_as_complex(matrix_structure& structure)
{
    for (index_t* const count : {&structure.lower_bandwidth, &structure.upper_bandwidth, &structure.zero_rows,
                                 &structure.zero_cols, &structure.first_zero_row, &structure.first_zero_col}) {
        *count /= 2;
    }
}

std::string condition_note(const prepared_system& prepared, const analysis& found)
{
    const factor_level& short_ones = prepared.made().binary64();
    if (short_ones.trusted()) {
        const bool complex_symmetric = prepared.structure().complex_symmetric;
        return "Hager-Higham estimate by binary64 " +
               std::string(words_for(short_ones.factors.kind(), complex_symmetric)) + " factors";
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

}  // namespace

analysis analyze(const linear_system& system, int digits)
{
    require_valid(system);
    analysis result;
    static_cast<matrix_structure&>(result) = inspect(system);
    const index_t parts = system.complex ? 2 : 1;
    if (system.complex) {
        take_as_complex(result);
    }
    const double places = static_cast<double>(equations(system)) * static_cast<double>(unknowns(system));
    const index_t nonzeros = system.complex ? complex_entries(system) : system.nonzeros();
    result.density = places > 0.0 ? static_cast<double>(nonzeros) / places : 0.0;
    inspect_entries(system, result);
    if (system.rows == 0 || system.cols == 0) {
        result.reason = "the matrix is empty: there is nothing to solve";
        return result;
    }
    if (result.square && result.has_zero_lines()) {
        result.reason = "singular: " + zero_words(result);
        result.condition_note = "infinite: " + result.reason;
        result.positive_definite = false;
        return result;
    }
    solve_options options;
    options.digits = digits;
    const solve_clock clock(options);
    prepared_system prepared(std::shared_ptr<const linear_system>(std::shared_ptr<void>(), &system), options, clock, {},
                             true);
    if (const std::optional<known_rank>& known = prepared.rank()) {
        result.rank = known->rank() / parts;
        result.reason = "singular: of rank " + std::to_string(*result.rank) + " of " + std::to_string(unknowns(system));
        result.condition_note = "infinite: " + result.reason;
        result.positive_definite = false;
        return result;
    }
    if (result.square) {
        prepared.make_inverse(0);
        result.positive_definite = is_positive_definite(result, prepared.matrix(), prepared.made().trusted_bits());
        if (const auto known = prepared.condition_for_report();
            known && prepared.inverse_found() != inverse_state::looks_singular) {
            result.condition = known->value;
        }
        result.condition_note = condition_note(prepared, result);
    }
    const decisions& made = prepared.decisions();
    const placement place = find_place(made.gpu, options, made.device_bytes);
    result.picks = made;
    result.executor = place.device ? executor::cuda : executor::host;
    result.device = place.name;
    if (made.gpu != gpu_use::none && !place.device) {
        result.picks->reasons.executor = "no GPU can be used, or it has too little memory";
    }
    result.reason = to_string(made);
    result.costs = prepared.costs();
    result.bytes = prepared.predicted_bytes_unasked(available_precisions());
    return result;
}

}  // namespace residua
