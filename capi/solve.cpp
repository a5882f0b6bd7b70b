#include <concepts>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include <residua/solvers/option_text.hpp>
#include <residua/solvers/report_json.hpp>

#include "errors.hpp"
#include "handles.hpp"
#include "numbers.hpp"

namespace residua::capi {
namespace {

/// A solver is at work while this lives.
class working {
public:
    explicit working(residua_solver& solver) : flag_(solver.at_work)
    {
        if (flag_.test_and_set(std::memory_order_acquire)) {
            throw busy_handle("the solver is at work for another call");
        }
    }
    ~working() { flag_.clear(std::memory_order_release); }
    working(const working&) = delete;
    working& operator=(const working&) = delete;

private:
    std::atomic_flag& flag_;
};

/// Frees what MPFR keeps for a thread when the thread ends.
struct mpfr_caches {
    ~mpfr_caches() { mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE); }
};

template <class Value>
std::unique_ptr<residua_solution> solved(residua_solver* which, int transposed, std::int64_t columns, const Value* b,
                                         std::int64_t stride)
{
    thread_local const mpfr_caches until_the_thread_ends;
    static_cast<void>(until_the_thread_ends);
    residua_solver& s = handle(which, "solver");
    const working until_done(s);
    const linear_system& a = s.solver.system();
    const std::int64_t size = transposed != 0 ? a.cols : a.rows;
    if (columns < 1) {
        throw invalid_argument(std::to_string(columns) + " right-hand sides; there is at least one");
    }
    if (stride != 0 && stride < size) {
        throw invalid_argument("a stride of " + std::to_string(stride) + " is less than the " + std::to_string(size) +
                               " numbers of a right-hand side");
    }
    if (size > 0) {
        require_pointer(b, "b");
    }
    std::vector<std::vector<real>> right_hand_sides(static_cast<std::size_t>(columns));
    for (std::int64_t j = 0; j < columns; ++j) {
        std::vector<real>& column = right_hand_sides[static_cast<std::size_t>(j)];
        column.reserve(static_cast<std::size_t>(size));
        for (std::int64_t i = 0; i < size; ++i) {
            column.push_back(number_of(b[j * (stride == 0 ? size : stride) + i], [&] {
                return "number " + std::to_string(i) + " of column " + std::to_string(j) + " of b";
            }));
        }
    }
    auto solution = std::make_unique<residua_solution>();
    solution->columns =
        transposed != 0 ? s.solver.solve_transposed(right_hand_sides) : s.solver.solve(right_hand_sides);
    for (solve_result& column : solution->columns) {
        column.report.message = explain(column.report, [](const suggestion& what) { return named_option(what, ""); });
        solution->reports.push_back(to_json(column.report));
    }
    return solution;
}

template <class Value>
void update(residua_solver* which, const Value* value, std::int64_t count)
{
    residua_solver& s = handle(which, "solver");
    const working until_done(s);
    const std::int64_t entries = s.solver.system().nonzeros();
    if (count != entries) {
        throw invalid_argument(std::to_string(count) + " values; the matrix has " + std::to_string(entries) +
                               " entries");
    }
    std::vector<real> numbers = numbers_of(value, count, "value");
    if constexpr (std::same_as<Value, double>) {
        s.solver.update_values(std::vector<double>(value, value + count));
    } else {
        s.solver.update_values(std::move(numbers));
    }
}

}  // namespace
}  // namespace residua::capi

using namespace residua::capi;

int residua_solver_new(const residua_system* system, const residua_options* options, residua_solver** solver)
{
    return guarded_making(__func__, solver, "solver", [&] {
        const auto& matrix = handle(system, "system").matrix;
        const residua::solve_options with =
            options == nullptr ? residua::solve_options{} : handle(options, "options").options;
        return std::unique_ptr<residua_solver>(new residua_solver{.solver = residua::solver(matrix, with)});
    });
}

int residua_solve(residua_solver* solver, int transposed, int64_t columns, const double* b, int64_t stride,
                  residua_solution** solution)
{
    return guarded_making(__func__, solution, "solution",
                          [&] { return solved(solver, transposed, columns, b, stride); });
}

int residua_solve_text(residua_solver* solver, int transposed, int64_t columns, const char* const* b, int64_t stride,
                       residua_solution** solution)
{
    return guarded_making(__func__, solution, "solution",
                          [&] { return solved(solver, transposed, columns, b, stride); });
}

int residua_solver_update(residua_solver* solver, const double* value, int64_t count)
{
    return guarded(__func__, [&] { update(solver, value, count); });
}

int residua_solver_update_text(residua_solver* solver, const char* const* value, int64_t count)
{
    return guarded(__func__, [&] { update(solver, value, count); });
}

int residua_solver_condition(residua_solver* solver, double* condition)
{
    return guarded(__func__, [&] {
        residua_solver& s = handle(solver, "solver");
        require_pointer(condition, "condition");
        const working until_done(s);
        const auto found = s.solver.condition();
        *condition = found ? to_double(found->condition) : std::numeric_limits<double>::quiet_NaN();
    });
}

int residua_solver_determinant(residua_solver* solver, int digits, char* text, size_t size, size_t* needed,
                               double* relative_error)
{
    return guarded(__func__, [&] {
        residua_solver& s = handle(solver, "solver");
        if (digits < 0 || digits > most_digits_written) {
            throw invalid_argument(std::to_string(digits) + " digits; there are from 0 to " +
                                   std::to_string(most_digits_written));
        }
        if (size > 0) {
            require_pointer(text, "text");
        }
        const working until_done(s);
        const auto found = s.solver.determinant();
        if (!found) {
            throw residua::unsupported_error(
                "the determinant is not known: the matrix looks singular, factors in the bits "
                "that it needs are out of reach, or the time limit has passed");
        }
        const std::string decimal = digits == 0 ? to_string(found->value) : to_string(found->value, digits);
        if (relative_error != nullptr) {
            *relative_error = to_double(found->relative_error_of(decimal));
        }
        put_text(decimal, text, size, needed);
    });
}

int residua_solver_inertia(residua_solver* solver, int64_t* positive, int64_t* negative, int64_t* zero)
{
    return guarded(__func__, [&] {
        residua_solver& s = handle(solver, "solver");
        const working until_done(s);
        const auto found = s.solver.inertia();
        if (!found) {
            throw residua::unsupported_error(
                "the inertia is not known: the matrix looks singular, factors in the bits that "
                "it needs are out of reach, or the time limit has passed");
        }
        for (const auto& [to, count] : {std::pair(positive, found->positive), std::pair(negative, found->negative),
                                        std::pair(zero, found->zero)}) {
            if (to != nullptr) {
                *to = count;
            }
        }
    });
}

void residua_solver_free(residua_solver* solver) { delete solver; }
