// Iterative methods with a null space that is given, against exact rational arithmetic.
#include <residua/solvers/solver.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <tests/support/rational_matrix.hpp>

namespace residua {
namespace {

using namespace residua::support;

std::vector<real> reals_of(const rational_vector& v)
{
    std::vector<real> all;
    for (const mpq_class& x : v) {
        all.push_back(to_real(x, 64));
    }
    return all;
}

std::vector<real> ones(std::size_t n) { return std::vector<real>(n, real(1.0)); }

/// The Laplacian of a grid of rows x columns vertices, without its boundary: a Neumann problem.
rational_matrix neumann(std::size_t rows, std::size_t columns)
{
    std::vector<std::pair<std::size_t, std::size_t>> edges;
    for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t j = 0; j < columns; ++j) {
            const std::size_t k = i * columns + j;
            if (j + 1 < columns) {
                edges.emplace_back(k, k + 1);
            }
            if (i + 1 < rows) {
                edges.emplace_back(k, k + columns);
            }
        }
    }
    return laplacian(rows * columns, edges);
}

rational_vector consistent(const rational_matrix& a)
{
    rational_matrix x(a.size(), rational_vector(1));
    for (std::size_t i = 0; i < x.size(); ++i) {
        x[i][0] = static_cast<int>(7 * i % 11) - 4;
    }
    return transposed(product(a, x))[0];
}

TEST(deflated_test, a_neumann_problem_has_the_digits_of_its_shortest_solution)
{
    const rational_matrix a = neumann(5, 7);
    const rational_vector b = consistent(a);
    const judgement truth = judge_exactly(a, b);
    for (const method m : {method::automatic, method::cg, method::minres, method::gmres}) {
        for (const preconditioner p : {preconditioner::automatic, preconditioner::jacobi}) {
            for (const int digits : {10, 30}) {
                if (m == method::automatic && p == preconditioner::jacobi) {
                    continue;  // auto chooses its own
                }
                const std::string what = std::string(to_string(m)) + " " + std::string(to_string(p));
                const solve_result result =
                    solve(system_of(a, b),
                          {.method = m, .preconditioner = p, .digits = digits, .null_space = {ones(a.size())}});
                EXPECT_EQ(result.report.status, solve_status::converged) << what << ": " << result.report.message;
                EXPECT_GE(result.report.digits, digits) << what;
                EXPECT_LE(relative_error(result.x, truth.x), std::pow(10.0, -result.report.digits)) << what;
                EXPECT_EQ(result.report.nullity, 1);
                ASSERT_TRUE(result.report.part_outside) << what;
                EXPECT_TRUE(is_zero(*result.report.part_outside));
            }
        }
    }
}

TEST(deflated_test, a_part_of_b_outside_of_the_range_is_told)
{
    const rational_matrix a = neumann(4, 4);
    rational_vector b = consistent(a);
    b[3] += 1;
    const judgement truth = judge_exactly(a, b);
    const solve_result result = solve(system_of(a, b), {.digits = 20, .null_space = {ones(16)}});
    EXPECT_EQ(result.report.status, solve_status::breakdown);
    ASSERT_TRUE(result.report.part_outside);
    const double outside = 0.25 / to_double(result.report.rhs_norm);  // 1 of one vertex is 1/4 of the unit vector
    EXPECT_NEAR(to_double(*result.report.part_outside), outside, 1e-12 * outside);
    EXPECT_LE(relative_error(result.x, truth.x), 1e-20);
    EXPECT_EQ(result.report.digits, 0);
    EXPECT_EQ(result.report.message.rfind("A is singular, of rank 15 of 16: by the null space that was given; no x "
                                          "solves A x = b",
                                          0),
              0U)
        << result.report.message;
}

TEST(deflated_test, a_b_without_a_part_in_the_range_has_the_solution_zero)
{
    const rational_matrix a = neumann(3, 3);
    const solve_result result = solve(system_of(a, rational_vector(9, 2)), {.null_space = {ones(9)}});
    EXPECT_EQ(result.report.status, solve_status::breakdown) << result.report.message;
    EXPECT_TRUE(std::all_of(result.x.begin(), result.x.end(), [](const real& x) { return is_zero(x); }));
    EXPECT_NEAR(to_double(*result.report.part_outside), 1.0, 1e-15);
}

TEST(deflated_test, several_vectors_and_an_indefinite_matrix)
{
    const rational_matrix a{{2, -1, -1, 0, 0}, {-1, 1, 0, 0, 0}, {-1, 0, 1, 0, 0}, {0, 0, 0, -2, 2}, {0, 0, 0, 2, -2}};
    const rational_vector b{1, 1, -2, 3, -3};
    const judgement truth = judge_exactly(a, b);
    const std::vector<std::vector<real>> vectors{reals_of({1, 1, 1, 0, 0}), reals_of({1, 1, 1, 1, 1})};
    const solve_result result =
        solve(system_of(a, b),
              {.method = method::minres, .preconditioner = preconditioner::none, .digits = 25, .null_space = vectors});
    EXPECT_EQ(result.report.status, solve_status::converged) << result.report.message;
    EXPECT_LE(relative_error(result.x, truth.x), 1e-25);
    EXPECT_EQ(*result.report.rank, 3);
}

TEST(deflated_test, a_null_space_that_lacks_a_vector_claims_no_digits)
{
    const rational_matrix a = laplacian(6, {{0, 1}, {1, 2}, {3, 4}, {4, 5}});
    const rational_vector b = consistent(a);
    const solve_result result = solve(system_of(a, b), {.digits = 15, .null_space = {ones(6)}});
    EXPECT_NE(result.report.status, solve_status::converged) << result.report.message;
    EXPECT_LT(result.report.digits, 15);
}

TEST(deflated_test, a_matrix_that_is_not_symmetric)
{
    const rational_matrix a{{3, -1, -2, 0}, {-2, 4, -1, -1}, {-1, -3, 5, -1}, {0, -1, -4, 5}};  // rows sum to zero
    rational_matrix x{{4}, {-1}, {7}, {2}};
    const rational_vector b = transposed(product(a, x))[0];
    const judgement truth = judge_exactly(a, b);
    const solve_result result = solve(system_of(a, b), {.digits = 20, .null_space = {ones(4)}});
    EXPECT_EQ(result.report.status, solve_status::converged) << result.report.message;
    EXPECT_LE(relative_error(result.x, truth.x), 1e-20);
    EXPECT_FALSE(result.report.part_outside);
    EXPECT_EQ(result.report.message,
              "A is singular, of rank 3 of 4: by the null space that was given; x is the shortest solution");
}

TEST(deflated_test, several_right_hand_sides_and_a_guess)
{
    const rational_matrix a = neumann(3, 4);
    const rational_vector b = consistent(a);
    rational_vector c = b;
    std::swap(c[0], c[5]);
    std::vector<real> guess(24, real(3.0));
    guess[15] = real(-8.0);
    solver by(system_of(a, {}), {.digits = 18, .initial_guess = guess, .null_space = {ones(12)}});
    const std::vector<solve_result> results = by.solve({
        reals_of(b),
        reals_of(c),
    });
    EXPECT_LE(relative_error(results[0].x, judge_exactly(a, b).x), 1e-18);
    EXPECT_LE(relative_error(results[1].x, judge_exactly(a, c).x), 1e-18);
}

TEST(deflated_test, says_what_is_wrong_with_the_vectors)
{
    const auto refused = [](const rational_matrix& a, solve_options options) -> std::string {
        try {
            (void)solve(system_of(a, rational_vector(a.size(), 1)), options);
        } catch (const error& e) {
            return e.what();
        }
        return "";
    };
    const rational_matrix a = neumann(2, 2);
    rational_matrix grounded = a;
    grounded[0][0] += 1;
    const auto says = [](const std::string& text, const char* words) { return text.find(words) != std::string::npos; };
    EXPECT_TRUE(says(refused(grounded, {.null_space = {ones(4)}}), "A does not take it to zero"));
    EXPECT_TRUE(says(refused(a, {.null_space = {ones(3)}}), "3 numbers for 4 unknowns"));
    EXPECT_TRUE(says(refused(a, {.null_space = {reals_of({0, 0, 0, 0})}}), "only zeros"));
    EXPECT_TRUE(says(refused(a, {.null_space = {ones(4), reals_of({2, 2, 2, 2})}}), "linearly dependent"));
    EXPECT_TRUE(
        says(refused(a, {.method = method::refine, .null_space = {ones(4)}}), "no factors that refine could use"));
    EXPECT_TRUE(says(refused({{1, -1}}, {.null_space = {ones(2)}}), "square"));
}

}  // namespace
}  // namespace residua
