// Dense symmetric matrices that are singular or nearly so, with rows of far different sizes, against exact rational
// arithmetic: what L D L' factors show of the rank, and no digit that is not there.
#include <residua/solvers/solver.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/matrix/scaled_matrix.hpp>
#include <residua/solvers/precond/factorize.hpp>

#include <tests/support/rational_matrix.hpp>

namespace residua {
namespace {

using namespace residua::support;

struct problem {
    rational_matrix a;
    rational_vector b;
};

mpq_class power_of_two(int e)
{
    const mpz_class power = mpz_class(1) << std::abs(e);
    return e < 0 ? mpq_class(1) / power : mpq_class(power);
}

rational_vector product_with(const rational_matrix& a, const rational_vector& x)
{
    return transposed(product(a, transposed({x})))[0];
}

/// Of all in half of the cases, and otherwise of less.
std::size_t any_rank(random_integers& random, std::size_t all)
{
    return random.below(2) == 0 ? all : static_cast<std::size_t>(1 + random.below(static_cast<int>(all)));
}

/// D (2^near M + e e') D with M of a rank that may be less than its order; near = 0: without the second term.
problem scaled_of_rank(random_integers& random)
{
    const auto n = static_cast<std::size_t>(2 + random.below(13));
    const std::size_t rank = any_rank(random, n);
    const rational_matrix c = random.matrix(n, rank, 999, random.below(4));
    rational_matrix g(rank, rational_vector(rank));
    for (std::size_t k = 0; k < rank; ++k) {
        g[k][k] = random.below(19) - 9;
    }
    rational_matrix a = product(product(c, g), transposed(c));
    const int near = random.below(2) == 0 ? 10 + random.below(14) : 0;
    const int spread = random.below(3) * 20;
    std::vector<mpq_class> d, y;
    for (std::size_t i = 0; i < n; ++i) {
        d.push_back(power_of_two(random.below(spread + 1) - spread / 2));
        y.emplace_back(random.below(7) - 3);
    }
    y[0] = 5;
    for (rational_vector& row : a) {
        for (mpq_class& x : row) {
            x *= power_of_two(near);
        }
    }
    const auto at = static_cast<std::size_t>(random.below(static_cast<int>(n)));
    a[at][at] += near > 0 ? 1 : 0;
    rational_vector b = product_with(a, y);
    for (std::size_t i = 0; i < n; ++i) {
        b[i] *= d[i];
        for (std::size_t j = 0; j < n; ++j) {
            a[i][j] *= d[i] * d[j];
        }
    }
    return {std::move(a), std::move(b)};
}

/// [D A; A' 0] with D of 2^0 to 2^50 and A of any rank.
problem with_constraints(random_integers& random)
{
    const auto m = static_cast<std::size_t>(2 + random.below(7)), n = static_cast<std::size_t>(1 + random.below(6));
    const std::size_t rank = any_rank(random, std::min(m, n));
    const rational_matrix of = product(random.matrix(m, rank, 9, 2), random.matrix(rank, n, 9, 2));
    rational_matrix a(m + n, rational_vector(m + n));
    rational_vector y;
    for (std::size_t i = 0; i < m; ++i) {
        a[i][i] = (2 * random.below(40) + 1) * power_of_two(random.below(45));
        for (std::size_t j = 0; j < n; ++j) {
            a[i][m + j] = a[m + j][i] = of[i][j];
        }
    }
    for (std::size_t i = 0; i < m + n; ++i) {
        y.emplace_back(random.below(9) - 4);
    }
    y[0] = 3;
    rational_vector b = product_with(a, y);
    return {std::move(a), std::move(b)};
}

void expect_true(const problem& p, const solve_options& options, const std::string& what)
{
    const judgement truth = judge_exactly(p.a, p.b);
    const solve_result result = solve(system_of(p.a, p.b), options);
    const solve_report& report = result.report;
    ASSERT_TRUE(truth.in_range) << what;
    EXPECT_EQ(report.status, solve_status::converged) << what << ": " << report.message;
    EXPECT_GE(report.digits, options.digits) << what << ": " << report.message;
    EXPECT_EQ(report.rank.value_or(static_cast<index_t>(p.a.size())), static_cast<index_t>(truth.rank))
        << what << ": " << report.message;
    EXPECT_LE(relative_error(result.x, truth.x), std::pow(10.0, -std::min(report.digits, 300))) << what;
}

bool is_zero_problem(const problem& p)
{
    return std::all_of(p.b.begin(), p.b.end(), [](const mpq_class& x) { return x == 0; });
}

TEST(dense_symmetric_test, of_any_rank_and_any_scales)
{
    random_integers random{{11}};
    const std::vector<method> methods{method::automatic, method::automatic, method::refine, method::gmres_ir,
                                      method::direct};
    for (int k = 0; k < 400; ++k) {
        const problem p = random.below(2) == 0 ? scaled_of_rank(random) : with_constraints(random);
        solve_options options;
        options.method = methods[static_cast<std::size_t>(random.below(static_cast<int>(methods.size())))];
        options.digits = 15 + random.below(20);
        if (!is_zero_problem(p)) {
            expect_true(p, options, "number " + std::to_string(k) + ", " + std::string(to_string(options.method)));
        }
    }
}

/// Partial pivoting of Wilkinson's matrix doubles the last column in each step. The last row and column depend on the
/// others, but after that growth rounding errors in their place are as large as numbers of A [Higham02, Sec. 9.4].
TEST(dense_symmetric_test, growth_hides_no_dependent_row)
{
    constexpr std::size_t n = 55;
    rational_matrix a(n + 1, rational_vector(n + 1));
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            a[i][j] = i == j || j == n - 1 ? 1 : i > j ? -1 : 0;
            a[i][n] +=
                a[i][j] * (j % 2 == 0 ? 1 : -1) * static_cast<int>(8 + j % 3) / 32;  // so small that no row is scaled
        }
    }
    for (std::size_t j = 0; j <= n; ++j) {
        a[n][j] = (a[n - 2][j] + a[n - 1][j]) / 2;
    }
    const scaled_matrix s = scale(system_of(a, rational_vector(n + 1, 1)), false);
    sparse_analyses analyses;
    const factorization factors = factorize_native(s, factor_kind::lu, analyses);
    ASSERT_TRUE(factors.exist()) << factors.failure();
    EXPECT_GT(factors.growth(s), 0x1p40);
    const problem p{a, product_with(a, rational_vector(n + 1, 1))};
    for (const method m : {method::automatic, method::refine}) {
        expect_true(p, {.method = m, .digits = 20}, std::string(to_string(m)));
    }
}

}  // namespace
}  // namespace residua
