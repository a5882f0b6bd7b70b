#include <residua/solvers/methods/corrections.hpp>

#include <algorithm>
#include <utility>

#include <residua/io/interruption.hpp>

namespace residua {
namespace {

/// Why x is not corrected again; empty: it is.
std::optional<solve_status> end_before(corrected& x)
{
    if (x.passes()) {
        return solve_status::converged;
    }
    x.sharpen();
    if (const auto stop = x.stop_requested()) {
        return stop;
    }
    x.status = solve_status::not_converged;
    return x.may_iterate() ? std::nullopt : std::optional(solve_status::not_converged);
}

std::optional<solve_status> usual_end(const corrected& x, bool halved)
{
    switch (x.status) {
        case solve_status::interrupted:
        case solve_status::time_limit:
            return x.status;
        case solve_status::not_converged:
            return x.may_iterate() ? solve_status::stagnated : solve_status::not_converged;
        default:
            break;
    }
    if (halved) {
        return std::nullopt;
    }
    return x.status == solve_status::breakdown ? solve_status::breakdown : solve_status::stagnated;
}

/// Takes x + d where that is better. Returns why no other correction follows; empty: one does.
std::optional<solve_status> end_after(corrected& x)
{
    const real before = x.merit();
    std::optional<real> after;
    try {
        after = x.evaluate_sum();
    } catch (const io::stopped_error&) {
        if (!x.why_stopped) {
            throw;
        }
        return x.why_stopped();
    }
    const bool better = after && *after < before;
    correction_step step{.finite = after.has_value(), .halved = better && *after * real(2.0) <= before};
    if (better) {
        x.accept();
    }
    x.tell(step);
    if (x.passes()) {
        return solve_status::converged;
    }
    step.end = usual_end(x, step.halved);
    return x.judge(step);
}

/// Whether the loop ends for x, which `how` says.
bool ends(corrected& x, const std::optional<solve_status>& how)
{
    x.status = how.value_or(x.status);
    x.at_work = !how;
    return !x.at_work;
}

}  // namespace

void run_corrections(std::vector<corrected>& all, std::size_t together, const correction_runner& run)
{
    std::vector<std::size_t> going;
    do {
        going.clear();
        for (std::size_t j = 0; j < all.size(); ++j) {
            if (all[j].at_work && !ends(all[j], end_before(all[j]))) {
                going.push_back(j);
            }
        }
        for (std::size_t first = 0; first < going.size(); first += together) {
            const std::size_t count = std::min(together, going.size() - first);
            const auto group = std::span<const std::size_t>(going).subspan(first, count);
            run(group);
            for (const std::size_t j : group) {
                ends(all[j], end_after(all[j]));
            }
        }
    } while (!going.empty());
}

void run_corrections(corrected x, const std::function<void()>& run)
{
    std::vector<corrected> one;
    one.push_back(std::move(x));
    run_corrections(one, 1, [&](std::span<const std::size_t>) { run(); });
}

}  // namespace residua
