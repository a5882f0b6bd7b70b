#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include <residua/arith/real/read_decimal.hpp>
#include <residua/solvers/option_text.hpp>
#include <residua/solvers/report_json.hpp>
#include <residua/solvers/system/load.hpp>

#include "errors.hpp"
#include "handles.hpp"

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

std::string place_in_b(std::int64_t i, std::int64_t j)
{
    return "number " + std::to_string(i) + " of column " + std::to_string(j) + " of b";
}

real number_of(double x, std::int64_t i, std::int64_t j)
{
    if (!std::isfinite(x)) {
        throw invalid_argument(place_in_b(i, j) + " is " + to_string(x) + ", not a finite number");
    }
    return x;
}

real number_of(const char* text, std::int64_t i, std::int64_t j)
{
    if (text == nullptr) {
        throw invalid_argument(place_in_b(i, j) + " is NULL");
    }
    const io::decimal_word word(text);
    if (!io::is_decimal(text)) {
        throw invalid_argument(place_in_b(i, j) + " is \"" + std::string(text).substr(0, 40) + "\", not a decimal");
    }
    const io::binary64_result nearest = io::round_to_binary64(word);
    return nearest.status == io::binary64_status::exact ? real(nearest.value) : real(text, decimal_bits());
}

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
            column.push_back(number_of(b[j * (stride == 0 ? size : stride) + i], i, j));
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
    return guarded(__func__, [&] {
        residua_solver& s = handle(solver, "solver");
        const working until_done(s);
        const std::int64_t entries = s.solver.system().nonzeros();
        if (count != entries) {
            throw invalid_argument(std::to_string(count) + " values; the matrix has " + std::to_string(entries) +
                                   " entries");
        }
        if (count > 0) {
            require_pointer(value, "value");
        }
        for (std::int64_t k = 0; k < count; ++k) {
            if (!std::isfinite(value[k])) {
                throw invalid_argument("value[" + std::to_string(k) + "] is " + residua::to_string(value[k]) +
                                       ", not a finite number");
            }
        }
        s.solver.update_values(std::vector<double>(value, value + count));
    });
}

void residua_solver_free(residua_solver* solver) { delete solver; }
