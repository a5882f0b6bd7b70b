// What the preconditioners are for: fewer iterations than without one, or than with a simpler one, through solve().
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/solve.hpp>
#include <residua/solvers/space/true_residual.hpp>

#include "tests/support/systems.hpp"

using namespace residua;
using namespace residua::support;
using p = residua::preconditioner;

namespace {

/// A right-hand side without the symmetries of a grid, from which CG would profit.
linear_system with_uneven_right_hand_side(const io::coo<double>& a)
{
    linear_system system = system_of(a);
    std::uint64_t state = 1;
    for (real& b : system.b) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        b = real(static_cast<double>(state >> 40) - 0x1p23);
    }
    return system;
}

index_t iterations(const linear_system& system, method m, p with, std::optional<index_t> fill = {})
{
    solve_options options;
    options.method = m;
    options.preconditioner = with;
    options.fill = fill;
    options.precision_bits = 106;
    options.rtol = real(1e-20);
    options.estimate_condition = false;
    const solve_result result = solve(system, options);
    EXPECT_EQ(result.report.status, solve_status::converged) << to_string(with) << ": " << result.report.message;
    return result.report.iterations;
}

std::optional<io::coo<double>> public_matrix(const std::string& name)
{
    const char* const folder = std::getenv("RESIDUA_MATRIX_DIR");
    if (folder == nullptr || *folder == '\0') {
        return std::nullopt;
    }
    return read_binary64((std::filesystem::path(folder) / "public" / (name + ".mtx")).string());
}

}  // namespace

TEST(precond_iterations_test, drop_for_poisson)
{
    const linear_system system = with_uneven_right_hand_side(poisson_2d(30));
    for (const method m : {method::cg, method::minres}) {
        const index_t jacobi = iterations(system, m, p::jacobi);
        EXPECT_LT(iterations(system, m, p::block_jacobi), jacobi);
        EXPECT_LT(5 * iterations(system, m, p::ssor), 4 * jacobi);
        EXPECT_LT(3 * iterations(system, m, p::chebyshev), jacobi);
    }
    for (const method m : {method::gmres, method::bicgstab}) {
        const index_t ilu0 = iterations(system, m, p::ilu0);
        EXPECT_LT(iterations(system, m, p::ssor), iterations(system, m, p::jacobi));
        const index_t level_1 = iterations(system, m, p::iluk);
        EXPECT_LT(level_1, ilu0);
        EXPECT_LT(iterations(system, m, p::iluk, 3), level_1);
        EXPECT_EQ(iterations(system, m, p::iluk, 0), ilu0);
        EXPECT_LT(2 * iterations(system, m, p::ilut), level_1);  // minimum degree takes twice as many
    }
}

TEST(precond_iterations_test, of_ic0_do_not_depend_on_the_order_of_a_grid)
{
    io::coo<double> a = poisson_2d(40);
    const index_t in_order = iterations(with_uneven_right_hand_side(a), method::cg, p::ic0);
    std::vector<index_t> place(static_cast<std::size_t>(a.rows));
    std::iota(place.begin(), place.end(), 0);
    std::shuffle(place.begin(), place.end(), std::mt19937_64(5));
    std::map<std::pair<index_t, index_t>, double> mixed;
    for (std::size_t k = 0; k < a.value.size(); ++k) {
        mixed[{place[a.row[k]], place[a.col[k]]}] = a.value[k];
    }
    a.row.clear();
    a.col.clear();
    a.value.clear();
    for (const auto& [at, value] : mixed) {
        a.row.push_back(at.first);
        a.col.push_back(at.second);
        a.value.push_back(value);
    }

    EXPECT_LT(10 * iterations(with_uneven_right_hand_side(a), method::cg, p::ic0), 11 * in_order);
}

TEST(precond_iterations_test, drop_for_public_matrices)
{
    if (!public_matrix("nos5")) {
        GTEST_SKIP() << "RESIDUA_MATRIX_DIR is not set";
    }
    for (const char* name : {"nos5", "662_bus"}) {
        const linear_system system = with_uneven_right_hand_side(*public_matrix(name));
        const index_t jacobi = iterations(system, method::cg, p::jacobi);
        for (const p each : {p::block_jacobi, p::ssor, p::chebyshev}) {
            EXPECT_LT(iterations(system, method::cg, each), jacobi) << name << ' ' << to_string(each);
        }
    }
    for (const char* name : {"orsirr_1", "sherman5"}) {
        const linear_system system = with_uneven_right_hand_side(*public_matrix(name));
        const index_t ilu0 = iterations(system, method::gmres, p::ilu0);
        for (const p each : {p::iluk, p::ilut}) {
            EXPECT_LT(iterations(system, method::gmres, each), ilu0) << name << ' ' << to_string(each);
        }
    }
}

TEST(precond_iterations_test, ilut_takes_matrices_without_a_diagonal_and_in_any_units)
{
    // Convection and diffusion, rows in another order, equations and unknowns in units from 2^-30 to 2^30; and a saddle
    // point: a quarter of the diagonal is zero.
    const index_t side = 20, n = side * side;
    std::mt19937_64 random(11);
    std::uniform_int_distribution<int> unit(-30, 30);
    std::vector<index_t> place(n);
    std::iota(place.begin(), place.end(), 0);
    std::shuffle(place.begin(), place.end(), random);
    std::vector<std::vector<double>> mixed(n, std::vector<double>(n, 0.0)),
        saddle(n + n / 3, std::vector<double>(n + n / 3));
    for (index_t i = 0; i < n; ++i) {
        const index_t x = i % side, y = i / side;
        for (const auto& [there, j, value] : {std::tuple{true, i, 4.0},
                                              {x > 0, i - 1, -1.5},
                                              {x + 1 < side, i + 1, -0.5},
                                              {y > 0, i - side, -1.25},
                                              {y + 1 < side, i + side, -0.75}}) {
            if (there) {
                mixed[place[i]][j] = value;
                saddle[i][j] = value;
            }
        }
        if (i < n / 3) {
            saddle[n + i][3 * i] = saddle[3 * i][n + i] = 1.0;
            saddle[n + i][3 * i + 1] = saddle[3 * i + 1][n + i] = -0.5;
        }
    }
    std::vector<int> of_column(n);
    std::generate(of_column.begin(), of_column.end(), [&] { return unit(random); });
    for (std::vector<double>& row : mixed) {
        const int of_row = unit(random);
        for (index_t j = 0; j < n; ++j) {
            row[j] = std::ldexp(row[j], of_row + of_column[j]);
        }
    }
    for (const auto& rows : {mixed, saddle}) {
        const linear_system system = with_solution_ones(from_rows(rows));
        solve_options options;
        options.method = method::gmres;
        options.preconditioner = p::ilut;
        options.precision_bits = 106;
        options.estimate_condition = false;

        const solve_result result = solve(system, options);

        EXPECT_EQ(result.report.status, solve_status::converged) << result.report.message;
        EXPECT_LT(result.report.iterations, 60);
        const residual_evaluation exact = evaluate_residual(system, system.b, result.x, real(0x1p-200));
        EXPECT_LE(norm2(exact.r.numbers()), real(0x1p-95) * norm2(system.b));
        options.preconditioner = p::ilu0;
        EXPECT_NE(solve(system, options).report.status, solve_status::converged);
    }
}

TEST(precond_iterations_test, ilut_takes_public_matrices_without_a_diagonal)
{
    if (!public_matrix("west0479")) {
        GTEST_SKIP() << "RESIDUA_MATRIX_DIR is not set";
    }
    for (const char* name : {"west0067", "west0479", "lns_131", "impcol_a", "impcol_b", "fidapm05"}) {
        EXPECT_LT(iterations(with_uneven_right_hand_side(*public_matrix(name)), method::gmres, p::ilut), 80) << name;
    }
}

TEST(precond_solve_test, what_cannot_be_made_ends_in_one_line)
{
    const io::coo<double> indefinite = from_rows({{1, 2, 0}, {2, 1, 0}, {0, 0, -1}});
    const io::coo<double> without_diagonal = from_rows({{0, 1, 0}, {1, 0, 0}, {0, 0, 0.5}});
    const auto message = [](const io::coo<double>& a, method m, p with) {
        solve_options options;
        options.method = m;
        options.preconditioner = with;
        const solve_report report = solve(with_solution_ones(a), options).report;
        EXPECT_EQ(report.status, solve_status::breakdown);
        EXPECT_TRUE(report.escalations.empty());
        return report.message;
    };
    for (const method m : {method::cg, method::minres}) {
        EXPECT_NE(message(indefinite, m, p::block_jacobi).find("rows 1 to 3 is not positive definite"),
                  std::string::npos);
        EXPECT_NE(message(indefinite, m, p::ssor).find("row 3 has none"), std::string::npos);
        EXPECT_NE(message(indefinite, m, p::chebyshev).find("row 3 has none"), std::string::npos);
    }
    EXPECT_NE(message(without_diagonal, method::gmres, p::jacobi).find("row 1 has none"), std::string::npos);
    EXPECT_NE(message(without_diagonal, method::gmres, p::ssor).find("row 1 has none"), std::string::npos);
    EXPECT_NE(message(without_diagonal, method::gmres, p::iluk).find("row 1"), std::string::npos);
    EXPECT_EQ(iterations(with_solution_ones(without_diagonal), method::gmres, p::block_jacobi), 1);
}

TEST(precond_solve_test, refuses_what_does_not_fit)
{
    const linear_system system = with_solution_ones(poisson_1d(5));
    solve_options options;
    options.method = method::gmres;
    options.preconditioner = p::chebyshev;
    EXPECT_THROW(solve(system, options), unsupported_error);
    options.method = method::cg;
    options.preconditioner = p::iluk;
    EXPECT_THROW(solve(system, options), unsupported_error);
    options.preconditioner = p::chebyshev;
    EXPECT_THROW(solve(with_solution_ones(from_rows({{1, 1}, {0, 1}})), options), unsupported_error);
    options.preconditioner = p::iluk;
    options.method = method::gmres;
    options.fill = -1;
    EXPECT_THROW(solve(system, options), unsupported_error);
}
