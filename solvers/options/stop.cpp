#include <residua/solvers/options/stop.hpp>

#include <residua/solvers/checkpoint/state_archive.hpp>

namespace residua {

std::string_view to_string(solve_status status) noexcept
{
    switch (status) {
        case solve_status::converged:
            return "converged";
        case solve_status::not_converged:
            return "not_converged";
        case solve_status::stagnated:
            return "stagnated";
        case solve_status::breakdown:
            return "breakdown";
        case solve_status::interrupted:
            return "interrupted";
        case solve_status::time_limit:
            return "time_limit";
    }
    return "";
}

void iteration_report::archive(state_archive& io)
{
    io.at_most(status, solve_status::time_limit);
    for (index_t* const each : {&iterations, &matvecs, &restarts}) {
        io.value(*each);
    }
    io.value(recursive_residual);
    io.value(least_squares);
    io.text(message);
    io.value(preconditioner_failed);
    spectrum.archive(io);
    io.list(precision_changes);
}

}  // namespace residua
