// Cholesky factors as a preconditioner: what they are, when there are none, and who takes them.
#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/precond/factors.hpp>
#include <residua/solvers/solve.hpp>

#include "tests/support/biased_random.hpp"
#include "tests/support/dense.hpp"
#include "tests/support/systems.hpp"

using namespace residua;
using namespace residua::support;

namespace {

constexpr long bits = 400;  // in which products of factors are exact

/// Symmetric, with so much of it stored, definite by its diagonal.
io::coo<double> random_definite(biased_random& random, index_t n, double share)
{
    std::vector<std::vector<double>> rows(static_cast<std::size_t>(n),
                                          std::vector<double>(static_cast<std::size_t>(n)));
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            if (random.uniform() < share) {
                rows[i][j] = rows[j][i] = random.full(-20, -1);
            }
        }
        rows[i][i] = static_cast<double>(n) + random.uniform();
    }
    return from_rows(rows);
}

/// D A D, D of powers of two.
io::coo<double> scaled(io::coo<double> a)
{
    const auto power = [](index_t i) { return static_cast<int>(i * 29 % 61) - 30; };
    for (std::size_t k = 0; k < a.value.size(); ++k) {
        a.value[k] = std::ldexp(a.value[k], power(a.row[k]) + power(a.col[k]));
    }
    return a;
}

/// |L L' - P S P'| <= bound |L| |L'|, S the scaled A.
void expect_factors(const sparse_matrix& a, const triangular_factors& f, double bound)
{
    ASSERT_EQ(f.failure, "");
    const dense l = to_dense(f.lower), u = to_dense(f.upper), entries = to_dense(a);
    const auto n = static_cast<std::size_t>(a.rows);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            ASSERT_EQ(u[i][j], l[j][i]);
            real sum(0.0, bits), size(0.0, bits);
            for (std::size_t k = 0; k <= std::min(i, j); ++k) {
                const real term = real(l[i][k], bits) * real(u[k][j], bits);
                sum += term;
                size += abs(term);
            }
            const std::size_t row = f.row_order.empty() ? i : static_cast<std::size_t>(f.row_order[i]);
            const std::size_t col = f.column_order.empty() ? j : static_cast<std::size_t>(f.column_order[j]);
            const real exact = ldexp(real(entries[row][col], bits), f.row_exponent[row] + f.column_exponent[col]);
            EXPECT_LE(abs(sum - exact), real(bound, bits) * size) << i << ", " << j;
        }
    }
}

/// Hilbert's matrix times lcm(1, ..., 31).
io::coo<double> integer_hilbert(index_t n)
{
    std::vector<std::vector<double>> rows(static_cast<std::size_t>(n),
                                          std::vector<double>(static_cast<std::size_t>(n)));
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (std::size_t j = 0; j < rows.size(); ++j) {
            rows[i][j] = 72201776446800.0 / static_cast<double>(i + j + 1);
        }
    }
    return from_rows(rows);
}

solve_options with(method m, preconditioner p, long factors = 0)
{
    solve_options options;
    options.method = m;
    options.preconditioner = p;
    options.precision_bits = 106;
    options.factor_bits = factors;
    return options;
}

}  // namespace

TEST(cholesky_test, factors_are_those_of_a_matrix_nearby)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    for (const double share : {0.05, 1.0}) {
        for (const index_t n : {1, 2, 40}) {
            const sparse_matrix a = rows_of(random_definite(random, n, share));
            for (const long of : {11L, 24L, 53L}) {
                // [Higham02, Thm 10.3], and the rounding of S
                const double u = std::ldexp(1.0, of == 53 ? -53 : -24);
                expect_factors(a, factorize_cholesky(a, {.bits = of}), static_cast<double>(n + 3) * u);
            }
        }
    }
}

TEST(cholesky_test, units_of_rows_and_columns_do_not_matter)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    for (const double share : {0.05, 1.0}) {
        const io::coo<double> a = random_definite(random, 50, share);
        for (const long of : {24L, 53L}) {
            EXPECT_EQ(factorize_cholesky(rows_of(a), {.bits = of}).lower.values,
                      factorize_cholesky(rows_of(scaled(a)), {.bits = of}).lower.values);
        }
    }
}

TEST(cholesky_test, has_no_factors_of_what_is_not_definite)
{
    const io::coo<double> negative = from_rows({{2, 1, 0}, {1, -2, 0}, {0, 0, 1}});
    for (const io::coo<double>& a :
         {negative, from_rows({{1, 2}, {2, 1}}), from_rows({{0, 1}, {1, 1}}), from_rows({{1, 1}, {1, 1}}),
          from_rows({{1, 0, 0, 0, 0}, {0, 1, 2, 0, 0}, {0, 2, 1, 0, 0}, {0, 0, 0, 1, 0}, {0, 0, 0, 0, 1}})}) {
        for (const long of : {24L, 53L}) {
            const triangular_factors f = factorize_cholesky(rows_of(a), {.bits = of});
            EXPECT_EQ(f.failure, "the matrix is not positive definite in binary" + std::to_string(of == 24 ? 32 : 64));
            EXPECT_TRUE(f.lower.values.empty());
        }
    }
    EXPECT_THROW(factorize_cholesky(rows_of(negative), {.bits = 25}), unsupported_error);
    EXPECT_THROW(factorize_lu(rows_of(negative), {.bits = 106}), unsupported_error);
}

TEST(cholesky_test, precision_may_be_what_is_missing)
{
    const sparse_matrix a = rows_of(from_rows({{1.0, 1.0}, {1.0, 1.0 + 0x1p-30}}));

    EXPECT_NE(factorize_cholesky(a, {.bits = 24}).failure, "");
    EXPECT_EQ(factorize_cholesky(a).failure, "");
}

TEST(cholesky_test, is_taken_first_for_a_symmetric_matrix_and_ldl_where_there_is_none)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    const linear_system definite = with_solution_ones(random_definite(random, 40, 0.1));
    const linear_system indefinite = with_solution_ones(from_rows({{1, 2, 0}, {2, 1, 0}, {0, 0, 3}}));
    for (const method m : {method::automatic, method::refine, method::gmres_ir}) {
        for (const long factors : {0L, 53L}) {
            if (m == method::automatic && factors > 0) {
                continue;
            }
            EXPECT_EQ(solve(definite, with(m, preconditioner::automatic, factors)).report.preconditioner,
                      preconditioner::cholesky);
            const solve_report ldl = solve(indefinite, with(m, preconditioner::automatic, factors)).report;
            EXPECT_EQ(ldl.preconditioner, preconditioner::ldl);
            EXPECT_EQ(ldl.status, solve_status::converged) << ldl.message;
        }
    }
    EXPECT_EQ(solve(definite, with(method::refine, preconditioner::lu)).report.preconditioner, preconditioner::lu);
}

TEST(cholesky_test, serves_every_method_that_takes_it)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    for (const double share : {0.05, 1.0}) {
        const linear_system system = with_solution_ones(random_definite(random, 40, share));
        for (const method m : {method::cg, method::minres, method::gmres, method::bicgstab, method::bicgstabl,
                               method::idr, method::tfqmr, method::bicg, method::refine, method::gmres_ir}) {
            const solve_result result = solve(system, with(m, preconditioner::cholesky));
            EXPECT_EQ(result.report.status, solve_status::converged) << to_string(m) << ": " << result.report.message;
            EXPECT_LE(result.report.iterations, 5) << to_string(m);
            for (const real& x : result.x) {
                EXPECT_LE(abs(x - real(1.0, bits)), real(1e-25)) << to_string(m);
            }
        }
        const solve_report single = solve(system, with(method::refine, preconditioner::cholesky, 24)).report;
        EXPECT_EQ(single.status, solve_status::converged) << single.message;
        EXPECT_EQ(single.factor_bits, 24);
    }
}

TEST(cholesky_test, refuses_what_it_does_not_have)
{
    const linear_system other = with_solution_ones(from_rows({{3, 1}, {0, 3}}));
    const linear_system indefinite = with_solution_ones(from_rows({{1, 2}, {2, 1}}));

    EXPECT_THROW(solve(other, with(method::refine, preconditioner::cholesky)), unsupported_error);
    EXPECT_THROW(solve(indefinite, with(method::direct, preconditioner::cholesky)), unsupported_error);
    const solve_report report = solve(indefinite, with(method::cg, preconditioner::cholesky)).report;
    EXPECT_EQ(report.status, solve_status::breakdown);
    EXPECT_NE(report.message.find("not positive definite"), std::string::npos) << report.message;
}

TEST(cholesky_test, other_factors_serve_where_a_shorter_format_has_none)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    // definite, but not so in binary32, whose numbers are 8 apart there: 2^26 + {{3, 5}, {5, 11}} becomes {{0, 8}, {8, 8}}
    const linear_system rounded = with_solution_ones(from_rows({{67108867, 67108869}, {67108869, 67108875}}));
    const linear_system dense = with_solution_ones(random_definite(random, 30, 1.0));
    for (const auto& [system, factors, kind] :
         {std::tuple{&rounded, 24L, preconditioner::ldl}, std::tuple{&dense, 11L, preconditioner::lu}}) {
        const solve_report report = solve(*system, with(method::gmres_ir, preconditioner::automatic, factors)).report;
        EXPECT_EQ(report.status, solve_status::converged) << report.message;
        EXPECT_EQ(report.preconditioner, kind);
        EXPECT_EQ(report.factor_bits, factors);
    }
    EXPECT_EQ(solve(rounded, with(method::gmres_ir, preconditioner::cholesky, 24)).report.status,
              solve_status::breakdown);
    const solve_report first = solve(dense, with(method::gmres_ir, preconditioner::automatic, 24)).report;
    EXPECT_EQ(first.preconditioner, preconditioner::cholesky);
    EXPECT_EQ(first.factor_bits, 24);
}

TEST(cholesky_test, no_others_take_over_from_those_that_were_asked_for)
{
    const linear_system indefinite = with_solution_ones(from_rows({{1, 2, 0}, {2, 1, 0}, {0, 0, 3}}));
    for (const method m : {method::refine, method::gmres_ir}) {
        const solve_report report = solve(indefinite, with(m, preconditioner::cholesky)).report;
        EXPECT_EQ(report.status, solve_status::breakdown);
        EXPECT_EQ(report.preconditioner, preconditioner::cholesky);
        EXPECT_NE(report.message.find("not positive definite"), std::string::npos) << report.message;
    }
    const linear_system singular_to_binary64 = with_solution_ones(integer_hilbert(16));
    const solve_report longer = solve(singular_to_binary64, with(method::refine, preconditioner::automatic)).report;
    EXPECT_EQ(longer.preconditioner, preconditioner::cholesky);
    EXPECT_EQ(longer.factor_bits, 106);
    const solve_report asked = solve(singular_to_binary64, with(method::refine, preconditioner::cholesky)).report;
    EXPECT_EQ(asked.status, longer.status);
    EXPECT_EQ(asked.factor_bits, 106);
}

TEST(cholesky_test, tells_the_condition_as_lu_does)
{
    for (const index_t n : {4, 8, 10}) {
        const linear_system system = with_solution_ones(integer_hilbert(n));
        const auto by_cholesky = solve(system, with(method::refine, preconditioner::cholesky)).report.condition;
        const auto by_lu = solve(system, with(method::refine, preconditioner::lu)).report.condition;
        ASSERT_TRUE(by_cholesky && by_lu);
        EXPECT_NEAR(to_double(*by_cholesky / *by_lu), 1.0, 0.1) << n;
    }
}
