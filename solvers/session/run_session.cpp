// A session from its first residual to its reports.
#include <residua/solvers/session/session.hpp>

namespace residua {

void run_session(session& s)
{
    column_list at_work;
    for (solve_column& c : s.columns) {
        if (c.report.status != solve_status::converged) {
            at_work.push_back(&c);
        }
    }
    for (solve_column* c : at_work) {
        s.prepared.clock().interruptible([&] { begin(s, *c); });
    }
    solve_by_plan(s, at_work);
    if (s.options().digits > 0) {
        column_list converged = at_work;
        std::erase_if(converged, [](const solve_column* c) { return c->report.status != solve_status::converged; });
        pursue_digits(s, converged);
        for (solve_column& c : s.columns) {
            if (is_zero(c.report.rhs_norm)) {
                s.parts.in(&part_seconds::estimates, [&] { judge_zero(s, c); });
            }
        }
    }
    for (solve_column* c : at_work) {
        s.parts.in(&part_seconds::estimates, [&] { finish(s, *c); });
    }
}

}  // namespace residua
