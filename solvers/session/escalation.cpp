// What is tried next: another candidate, longer factors, or a longer format.
#include <algorithm>
#include <string>
#include <utility>

#include <residua/solvers/session/driver.hpp>

namespace residua {

bool driver::may_escalate(const solve_column& c) const
{
    if (c.out_of_memory) {
        return false;
    }
    const bool free_choice = options_.precision_bits == 0 || options_.digits > 0;
    return free_choice && next_precision(c.report.precision_bits) > 0;
}

bool driver::more_bits_may_help(const solve_column& c) const
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
    if (!c.had_engine) {  // no preconditioner, which more bits do not change, but for factors that are too long for these
        return std::any_of(plan_.candidates.begin(), plan_.candidates.end(),
                           [&](const candidate& each) { return each.factor_bits > c.report.precision_bits; });
    }
    // BiCGSTAB and its kin break down by accident. The others say that the matrix is singular or not positive
    // definite; they can be wrong only where rounding errors are as large as what they judge by
    const long lost = factors_.condition ? exponent(factors_.condition->condition) : c.report.precision_bits;
    return traits_of(c.used.method).breaks_down_by_accident || lost + 20 > c.report.precision_bits;
}

long driver::next_precision(long bits) const
{
    const std::vector<long>& all = available_precisions(options_.format);
    const auto next = std::upper_bound(all.begin(), all.end(), bits);
    return next == all.end() ? 0 : *next;
}

void driver::leave(solve_column& c, long bits, index_t iterations, std::string why) const
{
    c.report.escalations.push_back(
        {bits, c.used.method, c.used.factor_bits, iterations, c.at_x.norm2 / c.report.rhs_norm, std::move(why)});
}

void driver::leave_for_next(solve_column& c, long bits) const
{
    leave(c, bits, c.report.iterations - c.left_at, std::string(to_string(c.report.status)));
    c.left_at = c.report.iterations;
}

void driver::solve_by_plan(const column_list& columns)
{
    if (!transposed_ && (structure_.zero_rows > 0 || structure_.zero_cols > 0)) {
        for (solve_column* c : columns) {
            c->report.status = solve_status::breakdown;
            c->engine_message = "the matrix is singular: it has a row or a column without entries";
            c->used = plan_.candidates.front();
            judge(*c);
        }
        return;
    }
    column_list going = columns;
    auto first = plan_.candidates.begin();
    for (long bits = first_bits_; !going.empty(); bits = next_precision(bits)) {
        column_list trying = going;
        auto last = first;
        for (auto choice = first; choice != plan_.candidates.end(); ++choice) {
            if (choice->factor_bits > std::max(bits, plan_.candidates.front().factor_bits)) {
                break;  // longer than what they are to correct
            }
            if (choice != first) {
                for (solve_column* c : trying) {
                    leave_for_next(*c, bits);
                }
            }
            last = choice;
            attempt(*choice, bits, trying);
            std::erase_if(trying, [](const solve_column* c) {
                return c->report.status != solve_status::stagnated && c->report.status != solve_status::breakdown;
            });
            if (trying.empty()) {
                break;
            }
        }
        column_list again;
        for (solve_column* c : going) {
            if (!more_bits_may_help(*c) || !may_escalate(*c) || c->report.iterations >= max_iterations_) {
                judge(*c);
                if (c->report.looks_singular &&
                    (c->report.status == solve_status::stagnated || c->report.status == solve_status::not_converged)) {
                    c->report.status = solve_status::breakdown;
                }
                continue;
            }
            leave_for_next(*c, bits);
            again.push_back(c);
        }
        going = std::move(again);
        if (last->method == first->method && last->factor_bits > first->factor_bits) {
            first = last;  // shorter factors have failed
        }
    }
}

}  // namespace residua
