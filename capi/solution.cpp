#include <algorithm>
#include <cstring>
#include <span>
#include <string>

#include <residua/solvers/system/numbers.hpp>

#include "errors.hpp"
#include "handles.hpp"
#include "numbers.hpp"

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
    const auto columns = static_cast<std::int64_t>(solution.columns.size());
    if (column < 0 || column >= columns) {
        throw invalid_argument("there is no column " + std::to_string(column) + "; the solution has " +
                               std::to_string(columns));
    }
    return static_cast<std::size_t>(column);
}

const solve_result& column_of(const residua_solution* solution, std::int64_t column)
{
    const residua_solution& all = handle(solution, "solution");
    return all.columns[place_of(all, column)];
}

/// Each number of x as `terms` doubles side by side.
void put_terms(const std::vector<real>& x, int terms, double* to, std::int64_t size)
{
    constexpr int most_terms = 39;
    if (terms < 1 || terms > most_terms) {
        throw invalid_argument(std::to_string(terms) + " terms; there are from 1 to " + std::to_string(most_terms));
    }
    const auto each = static_cast<std::size_t>(terms);
    if (size < 0 || static_cast<std::size_t>(size) < x.size() * each) {
        throw invalid_argument("room for " + std::to_string(size) + " doubles; x has " +
                               std::to_string(x.size() * each));
    }
    if (!x.empty()) {
        require_pointer(to, "x");
    }
    for (std::size_t i = 0; i < x.size(); ++i) {
        split_nearest(x[i], std::span<double>(to + i * each, each));
    }
}

}  // namespace

void put_text(const std::string& from, char* text, std::size_t size, std::size_t* needed)
{
    if (size > 0) {
        require_pointer(text, "text");
    }
    if (needed != nullptr) {
        *needed = from.size() + 1;
    }
    if (size > 0) {
        const std::size_t fitting = std::min(from.size(), size - 1);
        std::memcpy(text, from.data(), fitting);
        text[fitting] = '\0';
        if (fitting < from.size()) {
            throw invalid_argument("room for " + std::to_string(size) + " bytes; the decimal takes " +
                                   std::to_string(from.size() + 1));
        }
    }
}

}  // namespace residua::capi

using namespace residua::capi;

int residua_solution_size(const residua_solution* solution, int64_t* rows, int64_t* columns)
{
    return guarded(__func__, [&] {
        const residua_solution& all = handle(solution, "solution");
        if (rows != nullptr) {
            *rows = static_cast<std::int64_t>(all.columns.front().x.size());
        }
        if (columns != nullptr) {
            *columns = static_cast<std::int64_t>(all.columns.size());
        }
    });
}

int residua_solution_status(const residua_solution* solution, int64_t column, residua_status* status, int* digits)
{
    return guarded(__func__, [&] {
        const residua::solve_report& report = column_of(solution, column).report;
        if (status != nullptr) {
            *status = static_cast<residua_status>(report.status);
        }
        if (digits != nullptr) {
            *digits = report.digits;
        }
    });
}

int residua_solution_doubles(const residua_solution* solution, int64_t column, double* x, int64_t size)
{
    return guarded(__func__, [&] { put_terms(column_of(solution, column).x, 1, x, size); });
}

int residua_solution_terms(const residua_solution* solution, int64_t column, int terms, double* x, int64_t size)
{
    return guarded(__func__, [&] { put_terms(column_of(solution, column).x, terms, x, size); });
}

int residua_solution_decimal(const residua_solution* solution, int64_t column, int64_t i, int digits, char* text,
                             size_t size, size_t* needed)
{
    return guarded(__func__, [&] {
        const std::vector<residua::real>& x = column_of(solution, column).x;
        if (i < 0 || i >= static_cast<std::int64_t>(x.size())) {
            throw invalid_argument("there is no number " + std::to_string(i) + "; x has " + std::to_string(x.size()));
        }
        if (digits < 0 || digits > most_digits_written) {
            throw invalid_argument(std::to_string(digits) + " digits; there are from 0 to " +
                                   std::to_string(most_digits_written));
        }
        const residua::real& number = x[static_cast<std::size_t>(i)];
        put_text(digits == 0 ? to_string(number) : to_string(number, digits), text, size, needed);
    });
}

int residua_solution_report(const residua_solution* solution, int64_t column, const char** json)
{
    return guarded(__func__, [&] {
        require_pointer(json, "json");
        *json = nullptr;
        const residua_solution& all = handle(solution, "solution");
        *json = all.reports[place_of(all, column)].c_str();
    });
}

void residua_solution_free(residua_solution* solution) { delete solution; }
