// Which candidate comes next, and when more bits are needed.
#include <algorithm>
#include <string>
#include <utility>

#include <residua/solvers/session/session.hpp>

namespace residua {
namespace {

/// Whether a higher precision may help against the way the last candidate ended.
bool more_bits_may_help(const session& s, const solve_column& c)
{
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
    if (!c.had_engine) {  // no preconditioner, which more bits do not change, but for factors that are too long for these
        return std::any_of(candidates.begin(), candidates.end(),
                           [&](const candidate& each) { return each.factor_bits > c.report.precision_bits; });
    }
    // those that do not break down by accident can be wrong only where rounding errors are as large as what they judge by
    const condition_estimate* known = s.prepared.condition();
    const long lost = known != nullptr ? exponent(known->condition) : c.report.precision_bits;
    return traits_of(c.used.method).breaks_down_by_accident || lost + 20 > c.report.precision_bits;
}

/// Leaves what the column was corrected by, with the iterations since the last time.
void leave_for_next(solve_column& c, long bits)
{
    const std::string why = c.had_engine ? std::string(to_string(c.report.status)) : c.note;
    leave(c, bits, c.report.iterations - c.left_at, why);
    c.left_at = c.report.iterations;
}

/// Whether a candidate has failed in a way that leaves the next one a chance.
bool next_may_help(const solve_column& c)
{
    return c.report.status == solve_status::stagnated || c.report.status == solve_status::breakdown;
}

/// The columns by one candidate after the other, in one precision; the last candidate that was tried.
std::size_t try_candidates(session& s, std::size_t first, long bits, column_list columns)
{
    const std::vector<candidate>& candidates = s.prepared.plan().candidates;
    std::size_t last = first;
    for (std::size_t k = first; k < candidates.size() && !columns.empty(); ++k) {
        if (candidates[k].factor_bits > std::max(bits, candidates.front().factor_bits)) {
            continue;  // longer than what they are to correct
        }
        if (k != first) {
            for (solve_column* c : columns) {
                leave_for_next(*c, bits);
            }
        }
        last = k;
        correct(s, candidates[k], bits, columns);
        std::erase_if(columns, [](const solve_column* c) { return !next_may_help(*c); });
    }
    return last;
}

/// Whether factors broke down because they are too short for the condition, and not because A is singular.
bool was_too_short(const session& s, const solve_column& c)
{
    const condition_estimate* known = s.prepared.condition();
    const bool by_factors = !c.had_engine || traits_of(c.used.method).dense;
    return c.report.status == solve_status::breakdown && by_factors && known != nullptr && !c.report.looks_singular &&
           exponent(known->condition) + 10 > c.report.precision_bits;
}

void end_as_singular(session& s, const column_list& columns)
{
    for (solve_column* c : columns) {
        c->report.status = solve_status::breakdown;
        c->note = "the matrix is singular: it has a row or a column without entries";
        c->used = s.prepared.plan().candidates.front();
        judge(s, *c);
    }
}

}  // namespace

long next_precision(const session& s, const solve_column& c, long bits)
{
    const bool free_choice = s.options().precision_bits == 0 || s.options().digits > 0;
    if (c.out_of_memory || !free_choice) {
        return 0;
    }
    const std::vector<long>& all = available_precisions(s.options().format);
    const auto next = std::upper_bound(all.begin(), all.end(), bits);
    return next == all.end() ? 0 : *next;
}

void leave(solve_column& c, long bits, index_t iterations, std::string why)
{
    c.report.escalations.push_back(
        {bits, c.used.method, c.used.factor_bits, iterations, c.at_x.norm2 / c.report.rhs_norm, std::move(why)});
}

void solve_by_plan(session& s, const column_list& columns)
{
    const matrix_structure& structure = s.prepared.structure();
    if (!s.prepared.is_least_squares() && (structure.zero_rows > 0 || structure.zero_cols > 0)) {
        return end_as_singular(s, columns);
    }
    const std::vector<candidate>& candidates = s.prepared.plan().candidates;
    column_list going = columns;
    std::size_t first = 0;
    long bits = s.prepared.first_bits();
    while (!going.empty()) {
        const std::size_t last = try_candidates(s, first, bits, going);
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
            leave_for_next(*c, bits);
            next_bits = next;
            again.push_back(c);
        }
        going = std::move(again);
        bits = next_bits;
        if (candidates[last].method == candidates[first].method &&
            candidates[last].factor_bits > candidates[first].factor_bits) {
            first = last;  // shorter factors have failed
        }
    }
}

}  // namespace residua
