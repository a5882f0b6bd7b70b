#include <residua/solvers/solve.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include <residua/solvers/base/seconds.hpp>
#include <residua/solvers/build/engine.hpp>
#include <residua/solvers/planning/plan.hpp>
#include <residua/solvers/precond/factorize.hpp>
#include <residua/solvers/session/session.hpp>
#include <residua/solvers/solver.hpp>

namespace residua {

double predicted_bytes(const linear_system& system, const solve_options& options, index_t right_hand_sides)
{
    return predicted_bytes(system, options, {options.precision_bits}, right_hand_sides).front();
}

std::vector<double> predicted_bytes(const linear_system& system, const solve_options& options,
                                    const std::vector<long>& precisions, index_t right_hand_sides)
{
    const bool by_factors = system.rows == system.cols && options.method != method::lsqr && may_need_factors(options);
    return predicted_bytes(by_factors ? facts_of(system, options) : system_facts{.sizes = sizes_of(system)}, options,
                           precisions, right_hand_sides);
}

solve_result solve(const linear_system& system, const solve_options& options)
{
    const std::shared_ptr<const linear_system> not_owned(std::shared_ptr<void>(), &system);
    double making = 0.0;
    double removing = 0.0;
    std::optional<solver> by;
    timed(&making, [&] { by.emplace(not_owned, options); });
    by->parts_->alone = true;
    solve_result result = std::move(by->solve_columns({given_rhs(system)}).front());
    timed(&removing, [&] { by.reset(); });
    result.report.setup_seconds += making;
    result.report.solve_seconds += removing;
    if (result.report.parts) {
        result.report.parts->rest += making + removing;
    }
    return result;
}

solve_status worst_status(const std::vector<solve_result>& results)
{
    constexpr std::array from_worst{solve_status::interrupted, solve_status::breakdown, solve_status::stagnated,
                                    solve_status::time_limit, solve_status::not_converged};
    for (const solve_status status : from_worst) {
        if (std::any_of(results.begin(), results.end(),
                        [&](const solve_result& r) { return r.report.status == status; })) {
            return status;
        }
    }
    return solve_status::converged;
}

}  // namespace residua
