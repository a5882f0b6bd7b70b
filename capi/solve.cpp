#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include <residua/solvers/matrix/complex_form.hpp>
#include <residua/solvers/matrix/numbers.hpp>
#include <residua/solvers/options/verdict.hpp>
#include <residua/solvers/report_json.hpp>
#include <residua/solvers/solve_operator.hpp>

#include "errors.hpp"
#include "handles.hpp"
#include "numbers.hpp"
#include "working.hpp"

namespace residua::capi {
namespace {

/// Frees what MPFR keeps for a thread when the thread ends.
struct mpfr_caches {
    ~mpfr_caches() { mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE); }
};

void free_caches_with_the_thread()
{
    thread_local const mpfr_caches until_the_thread_ends;
    static_cast<void>(until_the_thread_ends);
}

/// The options of a solve of real or of complex systems.
///
/// throws  invalid_argument for complex numbers beside a real system; unsupported_error for nodes beside a complex one
solve_options fitting(const residua_options& given, bool complex)
{
    solve_options options = given.options;
    if (!complex) {
        if (given.has_complex_guess || given.has_complex_null_space) {
            throw invalid_argument(std::string(given.has_complex_guess ? "the initial guess" : "the null space") +
                                   " is complex, and the matrix is real");
        }
        return options;
    }
    if (options.nodes.block_size > 0 || !options.nodes.near_null_space.empty() || !options.nodes.coordinates.empty()) {
        throw unsupported_error(
            "block-size, near-null space and coordinates are of real systems, and this one is complex");
    }
    if (!given.has_complex_guess) {
        options.initial_guess = with_zero_parts(std::move(options.initial_guess));
    }
    for (std::vector<real>& each : options.null_space) {
        each = given.has_complex_null_space ? std::move(each) : with_zero_parts(std::move(each));
    }
    std::vector<real> of_parts;
    for (const real& each : options.weights) {
        of_parts.insert(of_parts.end(), 2, each);
    }
    options.weights = std::move(of_parts);
    return options;
}

void add_column(residua_solution& to, solve_result column)
{
    solve_report& report = column.report;
    report.message = explain(report, vocabulary::c);
    if (const std::string open = caveat(report, vocabulary::c); !open.empty()) {
        report.message += (report.message.empty() ? "" : ". ") + open;
    }
    to.texts.push_back(to_json(report));
    to.reports.push_back(std::move(report));
    to.x.columns.push_back(std::move(column.x));
}

std::unique_ptr<residua_solution> solved(residua_solver* which, int transposed, std::int64_t columns,
                                         const residua_numbers& b, std::int64_t stride)
{
    free_caches_with_the_thread();
    residua_solver& s = handle(which, "solver");
    const working until_done(s);
    const linear_system& a = s.solver.system();
    const std::int64_t size = transposed != 0 ? unknowns(a) : equations(a);
    if (columns < 1) {
        throw invalid_argument(std::to_string(columns) + " right-hand sides; there is at least one");
    }
    if (stride != 0 && stride < size) {
        throw invalid_argument("a stride of " + std::to_string(stride) + " is less than the " + std::to_string(size) +
                               " numbers of a right-hand side");
    }
    if (!a.complex && are_complex(b, "b")) {
        throw invalid_argument(
            "b is complex, and the matrix is real; residua_complex() makes a complex one of its numbers");
    }
    std::vector<std::vector<real>> right_hand_sides(static_cast<std::size_t>(columns));
    for (std::int64_t j = 0; j < columns; ++j) {
        right_hand_sides[static_cast<std::size_t>(j)] =
            parts_of(b, j * (stride == 0 ? size : stride), size, "b", a.complex, j);
    }
    auto solution = std::make_unique<residua_solution>();
    solution->x.complex = a.complex;
    for (solve_result& column :
         transposed != 0 ? s.solver.solve_transposed(right_hand_sides) : s.solver.solve(right_hand_sides)) {
        add_column(*solution, std::move(column));
    }
    return solution;
}

/// A product that a function of C computes.
product_function product_by(residua_product_function f, void* user, std::int64_t size, bool complex, const char* name)
{
    if (f == nullptr) {
        return {};
    }
    return [=](std::vector<real> v) {
        residua_vector from;
        from.complex = complex;
        from.columns.push_back(std::move(v));
        residua_numbers y = residua_doubles(nullptr);
        if (const int failed = f(&from, &y, user); failed != 0) {
            throw invalid_argument(std::string("the product with ") + name + " failed: its function returned " +
                                   std::to_string(failed));
        }
        return complex ? parts_of(y, 0, size, "y", true) : numbers_of(y, size, "y");
    };
}

std::unique_ptr<residua_solution> solved(const residua_operator* given, const residua_options* options,
                                         const residua_numbers& b, bool complex)
{
    free_caches_with_the_thread();
    require_pointer(given, "a");
    const residua_operator& a = *given;
    constexpr std::int64_t most = std::int64_t{1} << 48;  // beyond any memory
    const std::int64_t parts = complex ? 2 : 1;
    const given_operator of{.rows = parts * std::min(a.rows, most),
                            .cols = parts * std::min(a.cols, most),
                            .a = product_by(a.a, a.user, a.rows, complex, "A"),
                            .a_t = product_by(a.a_t, a.user, a.cols, complex, "A'"),
                            .m = product_by(a.m, a.user, a.cols, complex, "M"),
                            .m_t = product_by(a.m_t, a.user, a.rows, complex, "M'"),
                            .in_binary64 = a.in_binary64 != 0,
                            .m_in_binary64 = a.m_in_binary64 != 0,
                            .complex = complex};
    const std::int64_t rows = std::max<std::int64_t>(a.rows, 0);
    auto solution = std::make_unique<residua_solution>();
    solution->x.complex = complex;
    add_column(*solution, solve(of, complex ? parts_of(b, 0, rows, "b", true) : numbers_of(b, rows, "b"),
                                fitting(handle(options, "options"), complex)));
    return solution;
}

void update(residua_solver* which, const residua_numbers& value, std::int64_t count)
{
    residua_solver& s = handle(which, "solver");
    const working until_done(s);
    const linear_system& a = s.solver.system();
    const std::int64_t entries = a.complex ? complex_entries(a) : a.nonzeros();
    if (count != entries) {
        throw invalid_argument(std::to_string(count) + " values; the matrix has " + std::to_string(entries) +
                               " entries");
    }
    std::vector<real> numbers =
        a.complex ? parts_of(value, 0, count, "value", true) : numbers_of(value, count, "value");
    if (!a.complex && value.kind == RESIDUA_DOUBLES) {
        s.solver.update_values(std::span(static_cast<const double*>(value.at), static_cast<std::size_t>(count)));
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
            options == nullptr ? residua::solve_options{} : fitting(handle(options, "options"), matrix->complex);
        return std::unique_ptr<residua_solver>(new residua_solver{.solver = residua::solver(matrix, with)});
    });
}

int residua_solve(residua_solver* solver, int transposed, int64_t columns, residua_numbers b, int64_t stride,
                  residua_solution** solution)
{
    return guarded_making(__func__, solution, "solution",
                          [&] { return solved(solver, transposed, columns, b, stride); });
}

int residua_solve_operator(const residua_operator* a, const residua_options* options, residua_numbers b,
                           residua_solution** solution)
{
    return guarded_making(__func__, solution, "solution", [&] { return solved(a, options, b, false); });
}

int residua_solve_complex_operator(const residua_operator* a, const residua_options* options, residua_numbers b,
                                   residua_solution** solution)
{
    return guarded_making(__func__, solution, "solution", [&] { return solved(a, options, b, true); });
}

int residua_solver_update(residua_solver* solver, residua_numbers value, int64_t count)
{
    return guarded(__func__, [&] { update(solver, value, count); });
}

void residua_solver_free(residua_solver* solver) { delete solver; }
