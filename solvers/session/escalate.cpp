// Which candidate comes next, and when more bits are needed.
#include <algorithm>
#include <string>
#include <utility>

#include <residua/solvers/session/least_squares.hpp>
#include <residua/solvers/session/session.hpp>

namespace residua {
namespace {

/// Whether GMRES stagnated although it restarted: in as few bits as the condition takes, longer cycles are what it lacks.
bool stagnated_in_cycles(const session& s, const solve_column& c)
{
    const index_t length = restart_of(c.used, s.options());
    return c.used.method == method::gmres && c.report.status == solve_status::stagnated &&
           length < s.prepared.sizes().elements(method::gmres) && c.report.iterations - c.left_at > length;
}

/// Whether the condition leaves bits to spare.
bool has_bits_to_spare(session& s, solve_column& c)
{
    if (!c.report.condition) {
        s.parts.in(&part_seconds::estimates, [&] { estimate_forward_error(s, c); });
    }
    return c.report.condition && c.report.condition_source != condition_source::lower_bound &&
           exponent(*c.report.condition) + 20 <= c.report.precision_bits;
}

/// The rank that A lacks, if it is known: 0 where rows or columns are linearly independent, so that there is a QR in some
/// precision.
std::optional<index_t> lacking_rank(session& s)
{
    const shown_rank* const rank = s.kept.find_rank();
    return rank == nullptr ? std::nullopt
                           : std::optional(std::min(s.system().rows, s.system().cols) - rank->known.rank());
}

/// Whether A is shown to have no QR in any precision. The note says so.
bool lacks_rank(session& s, solve_column& c)
{
    const bool lacks = lacking_rank(s).value_or(0) > 0;
    if (lacks) {
        const shown_rank* const rank = s.kept.find_rank();
        c.note = "the matrix has rank " + std::to_string(rank->known.rank()) + ": lsqr and auto find the shortest x";
    }
    return lacks;
}

/// Whether a higher precision may help against the way the last candidate ended.
bool more_bits_may_help(session& s, solve_column& c)
{
    if (traits_of(c.used.method).dense && c.report.status == solve_status::breakdown &&
        (is_by_qr(s, c.used) ? lacks_rank(s, c) : s.prepared.seek_rank())) {
        return false;
    }
    if (c.preconditioner_failed || (stagnated_in_cycles(s, c) && has_bits_to_spare(s, c))) {
        return false;
    }
    switch (c.report.status) {
        case solve_status::not_converged:
        case solve_status::stagnated:
            return true;
        case solve_status::breakdown:
            break;
        default:
            return false;
    }
    const std::vector<candidate>& candidates = s.prepared.plan().candidates;
    if (!c.had_engine) {  // no preconditioner: more bits help only factors that exceed this precision
        return std::any_of(candidates.begin(), candidates.end(),
                           [&](const candidate& each) { return each.factor_bits > c.report.precision_bits; });
    }
    // a method that does not break down by accident errs only where rounding errors are as large as what it tests
    const condition_estimate* known = s.prepared.planned_condition();
    const long lost = known != nullptr ? exponent(known->condition) : c.report.precision_bits;
    return traits_of(c.used.method).breaks_down_by_accident || lost + 20 > c.report.precision_bits;
}

/// Records that the column leaves its candidate, with the iterations that the candidate took.
void leave_for_next(const session& s, solve_column& c, long bits)
{
    std::string why = c.had_engine && !c.refused ? std::string(to_string(c.report.status)) : c.note;
    if (stagnated_in_cycles(s, c)) {
        why += " in cycles of " + std::to_string(restart_of(c.used, s.options()));
    }
    leave(c, bits, c.report.iterations - c.left_at, why);
    c.left_at = c.report.iterations;
}

/// The length of cycles with which GMRES may go on where it stagnated; 0: it had none, the caller chose their length, or
/// longer ones do not fit in memory.
index_t longer_restart(const session& s, const candidate& choice, long bits, const column_list& columns)
{
    const solve_options& options = s.options();
    const bool restarted = std::any_of(columns.begin(), columns.end(), [&](const solve_column* c) {
        return stagnated_in_cycles(s, *c) && c->report.iterations < s.max_iterations;
    });
    if (options.restart != default_restart || !restarted) {
        return 0;
    }
    candidate longer = choice;
    longer.restart = std::min(4 * restart_of(choice, options), s.prepared.sizes().elements(choice.method));
    const arithmetic in = arithmetic_of(options.format, bits, choice.method);
    const double bytes = engine_bytes(s.prepared.sizes(), options, in, longer, static_cast<index_t>(columns.size()));
    return bytes <= this_machine().memory ? longer.restart : 0;
}

/// Whether a candidate has failed in a way that leaves the next one a chance.
bool next_may_help(const solve_column& c)
{
    return !c.preconditioner_failed &&
           (c.report.status == solve_status::stagnated || c.report.status == solve_status::breakdown);
}

/// Whether a candidate needs no less memory than one that did not fit, in the same bits or fewer.
bool takes_what_was_refused(const session& s, const candidate& choice)
{
    return std::any_of(s.refused.begin(), s.refused.end(), [&](const candidate& each) {
        return each.method == choice.method && each.preconditioner == choice.preconditioner &&
               each.factor_bits <= choice.factor_bits;
    });
}

/// Whether QR ended for want of bits, of which the next ones are within reach. LSQR in these bits would leave parts in
/// x that no correction reaches.
bool needs_longer_qr(session& s, const candidate& choice, long bits, const column_list& columns)
{
    if (!is_by_qr(s, choice) || s.options().digits == 0 || columns.empty()) {
        return false;
    }
    const long next = next_precision(s, *columns.front(), bits);  // 0 if it was refused for memory
    return next > 0 && next <= s.prepared.reach().automatic && lacking_rank(s) == index_t{0};
}

/// Solves the columns by one candidate after the other, in one precision. Returns the index of the last one tried.
std::size_t try_candidates(session& s, std::size_t first, long bits, column_list columns)
{
    const std::vector<candidate>& candidates = s.prepared.plan().candidates;
    std::size_t last = first;
    bool tried = false;
    for (std::size_t k = first; k < candidates.size() && !columns.empty(); ++k) {
        if (candidates[k].factor_bits > std::max(bits, candidates.front().factor_bits) ||
            takes_what_was_refused(s, candidates[k])) {
            continue;  // factors in more bits than they are to correct, or too large for the memory
        }
        if (std::exchange(tried, true)) {
            for (solve_column* c : columns) {
                leave_for_next(s, *c, bits);
            }
        }
        last = k;
        candidate choice = candidates[k];
        choice.restart = choice.method == method::gmres ? s.restart : 0;
        correct(s, choice, bits, columns);
        std::erase_if(columns, [&](solve_column* c) { return !next_may_help(*c) || has_digits_already(s, *c); });
        if (needs_longer_qr(s, choice, bits, columns)) {
            break;
        }
        while (k + 1 == candidates.size() && (choice.restart = longer_restart(s, choice, bits, columns)) > 0) {
            std::erase_if(columns, [](const solve_column* c) { return c->report.status != solve_status::stagnated; });
            for (solve_column* c : columns) {
                leave_for_next(s, *c, bits);
            }
            s.restart = choice.restart;
            correct(s, choice, bits, columns);
            std::erase_if(columns, [&](solve_column* c) { return !next_may_help(*c) || has_digits_already(s, *c); });
        }
    }
    return last;
}

/// Whether factors broke down because their precision is too low for the condition, and not because A is singular.
bool was_too_short(const session& s, const solve_column& c)
{
    const condition_estimate* known = s.prepared.made().condition();
    const bool by_factors = !c.had_engine || traits_of(c.used.method).dense;
    return c.report.status == solve_status::breakdown && by_factors && known != nullptr && !c.report.looks_singular &&
           exponent(known->condition) + 10 > c.report.precision_bits;
}

/// The highest precision below `bits` in which factors of `direct` fit; 0: none, or the caller chose the precision.
long shorter_precision(session& s, long bits)
{
    if (!traits_of(s.options().method).dense || s.options().precision_bits > 0) {
        return 0;
    }
    const double available = this_machine().memory;
    return precision_below(available_precisions(s.options().format), bits, [&](long shorter) {
        return s.prepared.direct_bytes(arithmetic_of(s.options().format, shorter, method::direct)) <= available;
    });
}

/// throws  resource_error, which says what did not fit, and what may be asked for instead of such factors
[[noreturn]] void end_without_room(session& s, long bits)
{
    const solve_options& options = s.options();
    const bool by_factors = traits_of(options.method).by_factors || are_factors(options.preconditioner);
    const bool named = (by_factors || traits_of(options.method).dense) && !s.prepared.is_least_squares();
    const long asked = options.factor_bits > 0 ? options.factor_bits : binary64_bits;
    const long of_factors = by_factors ? asked : bits;
    throw resource_error(s.lack + (named ? ": " + s.prepared.advice(of_factors) : ""));
}

void end_as_singular(session& s, const column_list& columns)
{
    for (solve_column* c : columns) {
        c->report.status = solve_status::breakdown;
        c->note = "the matrix is singular: " + zero_words(s.prepared.structure());
        c->used = s.prepared.plan().candidates.front();
        judge(s, *c);
    }
}

/// Tries CG before factors are made. Returns the columns that it does not solve, for which factors are made then: none,
/// if the solve has to end meanwhile, with the x of CG.
column_list try_without_factors(session& s, column_list columns)
{
    const candidate choice = s.prepared.plan().candidates.front();
    const long bits = s.prepared.first_bits();
    correct(s, choice, bits, columns);
    std::erase_if(columns, [&](solve_column* c) {
        const bool goes_on = c->refused || next_may_help(*c) || c->report.status == solve_status::not_converged;
        if (!goes_on) {
            judge(s, *c);
        }
        return !goes_on;
    });
    if (!columns.empty()) {
        for (solve_column* c : columns) {
            leave_for_next(s, *c, bits);
            c->refused.reset();
        }
        s.refused.clear();
        try {
            s.parts.in(&part_seconds::factors,
                       [&] { s.prepared.clock().interruptible([&] { s.prepared.make_postponed_factors(); }); });
        } catch (const io::stopped_error&) {
            for (solve_column* c : columns) {
                c->note = "stopped while factors were made";
                c->report.status = s.prepared.clock().why_stopped();
                judge(s, *c);
            }
            columns.clear();
        }
    }
    return columns;
}

}  // namespace

long next_precision(const session& s, const solve_column& c, long bits)
{
    const bool free_choice = s.options().precision_bits == 0 || s.options().digits > 0;
    return c.refused || !free_choice ? 0 : precision_above(available_precisions(s.options().format), bits);
}

void leave(solve_column& c, long bits, index_t iterations, std::string why)
{
    const candidate& left = c.refused ? *c.refused : c.used;
    c.report.escalations.push_back(
        {bits, left.method, left.factor_bits, iterations, c.at_x.norm2 / c.report.rhs_norm, std::move(why)});
}

bool session::has_corrections() const
{
    return std::any_of(columns.begin(), columns.end(), [](const solve_column& c) { return c.report.corrections > 0; });
}

void solve_by_plan(session& s, const column_list& columns)
{
    if (s.prepared.is_singular()) {
        return end_as_singular(s, columns);
    }
    column_list going = s.prepared.has_postponed_factors() ? try_without_factors(s, columns) : columns;
    const std::vector<candidate>& candidates = s.prepared.plan().candidates;
    std::size_t first = 0;
    long bits = s.prepared.first_bits();
    while (!going.empty()) {
        const std::size_t last = try_candidates(s, first, bits, going);
        if (!s.has_corrections() && std::any_of(going.begin(), going.end(), [](auto* c) { return c->refused; })) {
            const long shorter = shorter_precision(s, bits);
            if (shorter == 0) {
                end_without_room(s, bits);
            }
            for (solve_column* c : going) {
                leave(*c, bits, 0, c->note + ": factors in " + std::to_string(shorter) + " bits");
            }
            s.refused.clear();
            bits = shorter;
            continue;
        }
        column_list again;
        long next_bits = 0;
        for (solve_column* c : going) {
            const long next = next_precision(s, *c, c->report.precision_bits);
            if (next == 0 || !more_bits_may_help(s, *c) || c->report.iterations >= s.max_iterations) {
                judge(s, *c);
                if (was_too_short(s, *c)) {
                    c->report.status = solve_status::stagnated;
                }
                if (c->report.looks_singular &&
                    (c->report.status == solve_status::stagnated || c->report.status == solve_status::not_converged)) {
                    c->report.status = solve_status::breakdown;
                }
                continue;
            }
            leave_for_next(s, *c, bits);
            next_bits = next;
            again.push_back(c);
        }
        going = std::move(again);
        bits = next_bits;
        if (candidates[last].method == candidates[first].method &&
            candidates[last].factor_bits > candidates[first].factor_bits) {
            first = last;  // factors in fewer bits have failed
        }
    }
}

}  // namespace residua
