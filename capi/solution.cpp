#include <string>

#include "errors.hpp"
#include "handles.hpp"

namespace residua::capi {
namespace {

template <residua_status C, solve_status Cpp>
constexpr bool same = static_cast<int>(C) == static_cast<int>(Cpp);
static_assert(same<RESIDUA_CONVERGED, solve_status::converged>);
static_assert(same<RESIDUA_NOT_CONVERGED, solve_status::not_converged>);
static_assert(same<RESIDUA_STAGNATED, solve_status::stagnated>);
static_assert(same<RESIDUA_BREAKDOWN, solve_status::breakdown>);
static_assert(same<RESIDUA_INTERRUPTED, solve_status::interrupted>);
static_assert(same<RESIDUA_TIME_LIMIT, solve_status::time_limit>);

std::size_t place_of(const residua_solution& solution, std::int64_t column)
{
    const auto columns = static_cast<std::int64_t>(solution.reports.size());
    if (column < 0 || column >= columns) {
        throw invalid_argument("there is no column " + std::to_string(column) + "; the solution has " +
                               std::to_string(columns));
    }
    return static_cast<std::size_t>(column);
}

}  // namespace
}  // namespace residua::capi

using namespace residua::capi;

int residua_solution_status(const residua_solution* solution, int64_t column, residua_status* status, int* digits)
{
    return guarded(__func__, [&] {
        const residua_solution& all = handle(solution, "solution");
        const residua::solve_report& report = all.reports[place_of(all, column)];
        put(status, static_cast<residua_status>(report.status));
        put(digits, report.digits);
    });
}

const residua_vector* residua_solution_x(const residua_solution* solution)
{
    const residua_vector* x = nullptr;
    guarded(__func__, [&] { x = &handle(solution, "solution").x; });
    return x;
}

int residua_solution_report(const residua_solution* solution, int64_t column, const char** json)
{
    return guarded(__func__, [&] {
        require_pointer(json, "json");
        *json = nullptr;
        const residua_solution& all = handle(solution, "solution");
        *json = all.texts[place_of(all, column)].c_str();
    });
}

void residua_solution_free(residua_solution* solution) { delete solution; }
