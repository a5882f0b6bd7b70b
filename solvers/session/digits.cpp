// From a solved system to one with the digits that were asked for.
#include <algorithm>
#include <functional>
#include <string>

#include <residua/solvers/assess/forward_error.hpp>
#include <residua/solvers/session/session.hpp>

namespace residua {
namespace {

/// Raises wanted_bits to the next precision that the options allow; false: there is none.
bool take_longer_format(const session& s, solve_column& c)
{
    const long next = next_precision(s, c, c.report.precision_bits);
    if (next == 0) {
        return false;
    }
    leave(c, c.wanted_bits, c.report.iterations, "too few digits");
    c.wanted_bits = next;
    return true;
}

/// Takes the plan's next factors in more bits, where the present ones were the limit and the next fit wanted_bits.
bool take_longer_factors(const session& s, solve_column& c)
{
    const std::vector<candidate>& candidates = s.prepared.plan().candidates;
    candidate planned = c.used;
    planned.restart = 0;
    const auto next = std::find_if(
        std::find(candidates.begin(), candidates.end(), planned), candidates.end(),
        [&](const candidate& each) { return each.method == c.used.method && each.factor_bits > c.used.factor_bits; });
    if (c.report.status != solve_status::stagnated || next == candidates.end() || next->factor_bits > c.wanted_bits) {
        return false;
    }
    leave(c, c.wanted_bits, c.report.iterations, "too few digits");
    c.used = *next;
    return true;
}

/// How far x has come in its stopping test, as a norm of a residual. For least squares the test of A'r counts as well:
/// where ||r|| does not vanish, it is the only one that improves.
real reached(const session& s, const solve_column& c)
{
    const real& norm2 = c.at_x.norm2;
    return c.at_x.normal && !is_zero(norm2) ? min(norm2, normal_ratio(s, c.at_x) * c.report.rhs_norm) : norm2;
}

void set_tolerance(solve_column& c, const real& tolerance)
{
    c.tolerance = tolerance;
    c.report.rtol = tolerance / c.report.rhs_norm;
}

/// Whether corrections may give more digits; sets their tolerance and their precision.
bool wants_digits(const session& s, solve_column& c)
{
    const int missing = s.options().digits - c.report.digits;
    const real ten(10.0, 128);
    real factor = pow(ten, -missing - 1);
    if (c.at_x.normal && c.report.forward_error && *c.report.forward_error > real(1.0)) {
        factor /= *c.report.forward_error;  // the error stands for the condition, of which nothing else is known
    }
    set_tolerance(c, reached(s, c) * factor);
    c.wanted_bits = c.report.precision_bits;
    // x is carried in 2p bits: only a higher precision gives more digits than these hold
    return decimal_digits(2 * c.wanted_bits) >= s.options().digits + 1 || take_longer_format(s, c);
}

/// Corrects each column in its wanted_bits by the candidate that it used last, columns with the same of both together.
/// Then calls `then` for each column, with the number of corrections that it had before.
void correct_again(session& s, column_list columns, const std::function<void(solve_column&, index_t)>& then)
{
    while (!columns.empty()) {
        const candidate choice = columns.front()->used;
        const long bits = columns.front()->wanted_bits;
        const auto others = std::stable_partition(columns.begin(), columns.end(), [&](const solve_column* c) {
            return c->wanted_bits == bits && c->used == choice;
        });
        const column_list alike(columns.begin(), others);
        std::vector<index_t> corrections;
        for (solve_column* c : alike) {
            corrections.push_back(c->report.corrections);
            c->left_at = c->report.iterations;
        }
        correct(s, choice, bits, alike);
        for (std::size_t k = 0; k < alike.size(); ++k) {
            judge(s, *alike[k]);
            then(*alike[k], corrections[k]);
        }
        columns.erase(columns.begin(), others);
    }
}

bool was_stopped(const solve_column& c)
{
    return c.report.status == solve_status::interrupted || c.report.status == solve_status::time_limit;
}

/// Decides the status of a column by the digits that it has.
void settle(const session& s, solve_column& c)
{
    solve_report& report = c.report;
    const bool unknown = report.forward_kind == error_kind::unknown;
    const bool fell_short = report.status == solve_status::not_converged || report.status == solve_status::stagnated;
    if (fell_short && !unknown && report.digits >= s.options().digits) {
        report.status = solve_status::converged;  // it met an earlier tolerance, which was looser than the last one
        set_tolerance(c, reached(s, c));
    }
    if (report.status == solve_status::converged && (unknown || report.digits < s.options().digits)) {
        const std::optional<solve_status> stop = s.stop_requested();
        report.status = unknown && stop ? *stop : solve_status::not_converged;
    }
}

}  // namespace

bool has_digits_already(session& s, solve_column& c)
{
    if (!s.is_judged_by_digits() || !s.prepared.began_with_trusted_factors() ||
        c.report.status != solve_status::stagnated || c.x.is_zero()) {
        return false;
    }
    judge(s, c);
    settle(s, c);
    return c.report.status == solve_status::converged;
}

void pursue_digits(session& s, const column_list& columns)
{
    const int digits = s.options().digits;
    const auto is_done = [&](const solve_column& c) {
        // where b is not zero, x = 0 has no known digit, but a correction can give it some
        const bool may_grow = c.report.forward_kind != error_kind::unknown || c.x.is_zero();
        return !may_grow || c.report.digits >= digits;
    };
    column_list going = columns;
    while (!going.empty()) {
        std::erase_if(going, [&](solve_column* c) { return is_done(*c) || !wants_digits(s, *c); });
        column_list in_vain;
        correct_again(s, going, [&](solve_column& c, index_t corrections) {
            const bool gained = c.report.status == solve_status::converged && c.report.corrections > corrections;
            if (c.report.digits < digits && !gained) {
                in_vain.push_back(&c);
            }
        });
        std::erase_if(going, [](const solve_column* c) { return was_stopped(*c); });
        std::erase_if(in_vain, [](const solve_column* c) { return was_stopped(*c); });
        for (solve_column* c : column_list(in_vain)) {
            if (!take_longer_factors(s, *c) && !take_longer_format(s, *c)) {
                std::erase(going, c);
                std::erase(in_vain, c);
            }
        }
        correct_again(s, in_vain, [](solve_column&, index_t) {});
    }
    for (solve_column* c : columns) {
        settle(s, *c);
    }
}

}  // namespace residua
