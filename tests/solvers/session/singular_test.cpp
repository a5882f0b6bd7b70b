// Singular systems against exact rational arithmetic: rank, range, the shortest solution, and what is said of them.
#include <residua/solvers/solver.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/session/analyze.hpp>
#include <tests/support/rational_matrix.hpp>

namespace residua {
namespace {

using namespace residua::support;

void expect_true(const rational_matrix& a, const rational_vector& b, const std::string& what, int digits = 20)
{
    const judgement truth = judge_exactly(a, b);
    solve_options options;
    options.digits = digits;
    const linear_system system = system_of(a, b);
    const solve_result result = solve(system, options);
    const solve_report& report = result.report;
    const bool is_zero_b = std::all_of(b.begin(), b.end(), [](const mpq_class& x) { return x == 0; });
    if (truth.rank == a.size()) {
        EXPECT_FALSE(report.rank) << what;
        EXPECT_EQ(report.status, solve_status::converged) << what << ": " << report.message;
    } else {
        if (!is_zero_b) {
            ASSERT_TRUE(report.rank) << what << ": " << report.message;
            EXPECT_EQ(*report.rank, static_cast<index_t>(truth.rank)) << what;
            EXPECT_EQ(report.nullity, static_cast<index_t>(a.size() - truth.rank)) << what;
            EXPECT_EQ(is_zero(*report.part_outside), truth.in_range) << what << ": " << report.message;
        }
        EXPECT_EQ(report.status, truth.in_range ? solve_status::converged : solve_status::breakdown)
            << what << ": " << report.message;
    }
    const bool is_solved = truth.rank == a.size() || truth.in_range;
    EXPECT_EQ(report.digits >= digits, is_solved) << what << ": " << report.message;
    EXPECT_LE(relative_error(result.x, truth.x), std::pow(10.0, -std::max(report.digits, digits))) << what;
}

TEST(singular_test, random_matrices_of_any_rank)
{
    random_integers random{{1}};
    for (int k = 0; k < 300; ++k) {
        const auto n = static_cast<std::size_t>(1 + random.below(9));
        const auto rank = static_cast<std::size_t>(random.below(static_cast<int>(n) + 1));
        const int zeros = random.below(8);
        rational_matrix a = product(random.matrix(n, rank, 5, zeros), random.matrix(rank, n, 5, zeros));
        if (rank == 0) {
            a.assign(n, rational_vector(n));
        }
        if (random.below(3) == 0) {
            const rational_matrix other = transposed(a);
            for (std::size_t i = 0; i < n; ++i) {
                for (std::size_t j = 0; j < n; ++j) {
                    a[i][j] += other[i][j];  // symmetric
                }
            }
        }
        const rational_matrix x = random.matrix(n, 1, 9, 2);
        rational_matrix b = product(a, x);
        if (random.below(2) == 0) {
            b[0][0] += 1;  // outside of the range for most singular matrices
        }
        expect_true(a, transposed(b)[0], "number " + std::to_string(k));
    }
}

TEST(singular_test, laplacians_of_paths_cycles_forests_and_lone_vertices)
{
    const std::vector<std::pair<std::size_t, std::size_t>> path{{0, 1}, {1, 2}, {2, 3}, {3, 4}};
    const std::vector<std::pair<std::size_t, std::size_t>> cycle{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 0}};
    const std::vector<std::pair<std::size_t, std::size_t>> forest{{0, 3}, {3, 6}, {1, 4}, {2, 5}, {5, 7}};
    for (const auto& [n, edges] : {std::pair(5, path), std::pair(5, cycle), std::pair(9, forest),
                                   std::pair(3, std::vector<std::pair<std::size_t, std::size_t>>{})}) {
        const rational_matrix a = laplacian(static_cast<std::size_t>(n), edges);
        rational_matrix x(a.size(), rational_vector(1));
        for (std::size_t i = 0; i < x.size(); ++i) {
            x[i][0] = static_cast<int>(7 * i % 5) - 2;
        }
        rational_vector b = transposed(product(a, x))[0];
        expect_true(a, b, "consistent " + std::to_string(n));
        b[0] += 1;
        expect_true(a, b, "inconsistent " + std::to_string(n));
        rational_matrix grounded = a;
        for (std::size_t i = 0; i < grounded.size(); ++i) {
            grounded[i][i] += 1;
        }
        expect_true(grounded, b, "grounded " + std::to_string(n));
    }
}

TEST(singular_test, says_which_rows_depend_on_each_other)
{
    const solve_report floating = solve(system_of(laplacian(5, {{0, 2}, {1, 3}, {3, 4}}), {1, 2, -1, 0, -2})).report;
    EXPECT_EQ(floating.message,
              "A is singular, of rank 3 of 5: the 2 rows that are connected with row 1 sum to zero, the first "
              "of 2 such parts; b is in its range, and x is the shortest solution");
    const solve_report dense =
        solve(system_of({{1, 2, 3, 0}, {4, 5, 6, 0}, {0, 1, 1, 1}, {5, 7, 9, 0}}, {1, 1, 1, 3})).report;
    EXPECT_EQ(dense.status, solve_status::breakdown);
    EXPECT_EQ(dense.message.rfind(
                  "A is singular, of rank 3 of 4: rows 1, 2 and 4 are linearly dependent; no x solves A x = b, "
                  "since a part of b is outside of its range",
                  0),
              0U)
        << dense.message;
}

TEST(singular_test, rows_of_other_sizes_and_small_multiples_are_named)
{
    const mpz_class large = mpz_class(1) << 60;
    const auto words_of = [](const rational_matrix& a) {
        const std::string all = solve(system_of(a, rational_vector(a.size(), 1))).report.message;
        return all.substr(0, all.find(" are linearly"));
    };
    const std::string two = "A is singular, of rank 1 of 2: rows 1 and 2";
    EXPECT_EQ(words_of({{1, large}, {large, large * large}}), two);
    EXPECT_EQ(words_of({{large * large, large}, {large, 1}}), two);
    const mpz_class less = mpz_class(1) << 45;
    EXPECT_EQ(words_of({{less, 0, less}, {0, less, less}, {less, 1, less + 1}}),
              "A is singular, of rank 2 of 3: rows 1, 2 and 3");
}

TEST(singular_test, a_right_hand_side_of_zeros_has_the_same_figures_beside_others)
{
    const linear_system dense = system_of({{1, 2, 3}, {4, 5, 6}, {5, 7, 9}}, {});
    const linear_system islands = system_of(laplacian(5, {{0, 2}, {1, 3}, {3, 4}}), {});
    for (const linear_system& a : {dense, islands}) {
        for (const method m : {method::automatic, method::direct, method::minres}) {
            for (const int digits : {0, 20}) {
                const solve_options options{.method = a.rows == 3 && m == method::minres ? method::gmres : m,
                                            .digits = digits};
                const std::vector<real> zeros(static_cast<std::size_t>(a.rows), real(0.0));
                std::vector<real> other = zeros;
                other[0] = real(1.0);
                const solve_report alone = solver(a, options).solve(zeros).report;
                solver by(a, options);
                for (const solve_report& beside : {by.solve({other, zeros})[1].report, by.solve(zeros).report}) {
                    EXPECT_EQ(beside.status, alone.status);
                    EXPECT_EQ(beside.message, alone.message);
                    EXPECT_EQ(beside.rank, alone.rank);
                    EXPECT_EQ(beside.digits, alone.digits);
                    EXPECT_EQ(beside.forward_error, alone.forward_error);
                    EXPECT_EQ(beside.precision_bits, alone.precision_bits);
                }
            }
        }
    }
}

TEST(singular_test, a_condition_beyond_all_factors_is_not_taken_for_singular)
{
    for (const long exponent : {300L, 1200L, 2800L}) {  // [1 1; 1 1 + 2^-exponent] x = (1, 1)
        const real one(1.0);
        const linear_system system = make_system(
            io::coo<real>{
                2, 2, {0, 0, 1, 1}, {0, 1, 0, 1}, {one, one, one, real(1.0, 4000) + ldexp(real(1.0, 4000), -exponent)}},
            {one, one});
        solve_options options;
        options.digits = 16;
        const solve_result result = solve(system, options);
        EXPECT_EQ(result.report.status, solve_status::converged) << exponent << ": " << result.report.message;
        EXPECT_FALSE(result.report.rank);
        EXPECT_GE(result.report.digits, 16) << exponent;
        EXPECT_LT(abs(result.x[0] - one), real(1e-16)) << exponent;
        EXPECT_LT(abs(result.x[1]), real(1e-16)) << exponent;
    }
}

TEST(singular_test, a_solve_that_has_to_end_says_why_and_claims_nothing)
{
    constexpr index_t n = 20000;
    io::coo<double> path{n, n, {}, {}, {}};
    std::vector<real> b(static_cast<std::size_t>(n), real(0.0));
    b.front() = real(1.0);
    b.back() = real(-1.0);
    for (index_t i = 0; i + 1 < n; ++i) {
        for (const auto& [row, column, value] : {std::tuple(i, i, 1.0), std::tuple(i + 1, i + 1, 1.0),
                                                 std::tuple(i, i + 1, -1.0), std::tuple(i + 1, i, -1.0)}) {
            path.row.push_back(row);
            path.col.push_back(column);
            path.value.push_back(value);
        }
    }
    const linear_system system = make_system(path, std::move(b));
    const auto expect = [&](const solve_options& options, solve_status when_ended) {
        const solve_report report = solve(system, options).report;
        const bool solved = report.status == solve_status::converged;
        EXPECT_TRUE(solved || report.status == when_ended) << report.message;
        EXPECT_EQ(report.part_outside.has_value(), solved);
        EXPECT_EQ(report.digits >= 30, solved);
        EXPECT_TRUE(solved || report.digits == 0);
        return solved;
    };
    for (const double seconds : {0.003, 0.01, 0.03, 0.1, 0.3}) {
        expect({.digits = 30, .time_limit_seconds = seconds}, solve_status::time_limit);
    }
    bool solved = false;
    for (int most = 1; !solved; most *= 2) {
        int calls = 0;
        solved = expect({.digits = 30, .interrupted = [&] { return ++calls > most; }}, solve_status::interrupted);
    }
}

TEST(singular_test, several_right_hand_sides_determinant_and_inertia)
{
    const rational_matrix a{{2, -1, -1, 0}, {-1, 0, 1, 0}, {-1, 1, 0, 0}, {0, 0, 0, -3}};
    const linear_system system = system_of(a, {});
    solver by(system, {.digits = 30});
    std::vector<rational_vector> right{{1, -1, 0, 3}, {1, 1, 1, 1}, {0, 0, 0, 0}};
    std::vector<std::vector<real>> columns;
    for (const rational_vector& b : right) {
        std::vector<real>& to = columns.emplace_back();
        for (const mpq_class& x : b) {
            to.push_back(to_real(x, 64));
        }
    }
    const std::vector<solve_result> results = by.solve(columns);
    for (std::size_t k = 0; k < right.size(); ++k) {
        const judgement truth = judge_exactly(a, right[k]);
        EXPECT_LE(relative_error(results[k].x, truth.x), 1e-30) << k;
        EXPECT_EQ(results[k].report.status, truth.in_range ? solve_status::converged : solve_status::breakdown) << k;
    }
    ASSERT_TRUE(by.determinant());
    EXPECT_TRUE(is_zero(by.determinant()->value));
    ASSERT_TRUE(by.inertia());
    EXPECT_EQ(by.inertia()->zero, 1);
    EXPECT_EQ(by.inertia()->positive + by.inertia()->negative, 3);
    EXPECT_EQ(analyze(system).rank, std::optional<index_t>(3));
}

TEST(singular_test, right_hand_sides_have_the_bits_that_they_have_alone)
{
    const mpq_class large("1000000000000000000000000");  // what is left of an unknown beside it has few digits
    const rational_matrix a{{1, 2, 0, 0}, {1, 2, 0, 0}, {0, 0, 1, large}, {0, 0, 1, large}};
    const linear_system system = system_of(a, rational_vector(4));
    solve_options options;
    options.digits = 20;
    solver together(system, options);
    long bits[2] = {0, 0};
    for (const double share : {1.0, 0.0, 1.0, 3.0, 0.0}) {
        const std::vector<real> b{real(1.0 - share), real(1.0 - share), real(share), real(share)};
        solver alone(system, options);
        const solve_result expected = alone.solve(b);
        const solve_result found = together.solve(b);
        EXPECT_EQ(found.report.message, expected.report.message) << share;
        EXPECT_EQ(found.x, expected.x) << share;
        EXPECT_GE(expected.report.digits, 20) << share;
        bits[share == 1.0 ? 1 : 0] = expected.report.solution_bits;
    }
    EXPECT_GT(bits[1], bits[0]) << "no digits were raised";
}

TEST(singular_test, methods_by_factors_tell_the_rank)
{
    const rational_matrix skew{{0, -2, 0}, {2, 0, 2}, {0, -2, 0}};
    const rational_matrix full{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
    for (const method m : {method::direct, method::refine, method::gmres_ir}) {
        for (const int digits : {0, 16, 40}) {
            for (const rational_matrix& a : {skew, full}) {
                const rational_vector b = transposed(product(a, {{1}, {2}, {4}}))[0];
                const solve_result result = solve(system_of(a, b), {.method = m, .digits = digits});
                const solve_report& report = result.report;
                EXPECT_EQ(report.status, solve_status::converged) << to_string(m) << ": " << report.message;
                if (digits > 0 || m != method::direct) {  // without digits rounding may leave a pivot to direct
                    EXPECT_EQ(report.rank, std::optional<index_t>(2)) << to_string(m) << ": " << report.message;
                    EXPECT_LE(relative_error(result.x, judge_exactly(a, b).x), 1e-16) << to_string(m);
                }
            }
        }
    }
    const solve_report zero = solve(system_of(full, {0, 0, 0}), {.method = method::direct, .digits = 16}).report;
    EXPECT_EQ(zero.status, solve_status::converged) << zero.message;
}

TEST(singular_test, the_most_digits_that_can_be_asked_for)
{
    const linear_system system = system_of({{1, 2, 0}, {2, 4, 0}, {0, 0, 3}}, {5, 10, 7});
    const solve_result result = solve(system, {.digits = 1233});
    EXPECT_EQ(result.report.status, solve_status::converged) << result.report.message;
    EXPECT_GE(result.report.digits, 1233);
    solver by(system, {.digits = 1233});
    ASSERT_TRUE(by.null_space());
    EXPECT_GE(by.null_space()->digits, 1233);
    solve_options damped{.digits = 1233};
    damped.damp = real(0.5);
    EXPECT_GE(solve(system, damped).report.digits, 1233);
}

TEST(singular_test, rows_of_far_different_sizes)
{
    for (const double small : {1e-12, 1e-25, 1e-70}) {
        for (const int digits : {10, 16, 30}) {
            expect_true({{0, 0, 0}, {0, 0, small}, {-13, 20, -2}}, {0, 1, 0}, "one row of " + std::to_string(small),
                        digits);
        }
    }
}

/// [H B'; B 0] with a definite H: so many eigenvalues are positive as H has rows, negative as B has independent rows,
/// and zero as B has others.
TEST(singular_test, constraints_that_depend_on_others_are_zeros_of_the_inertia)
{
    random_integers random{{2}};
    for (const std::size_t dependent : {0, 1, 2, 5, 10, 20}) {
        constexpr std::size_t unknowns = 24, independent = 4;
        rational_matrix rows = random.matrix(independent, unknowns, 5, 2);
        for (std::size_t k = 0; k < independent; ++k) {
            for (std::size_t j = 0; j <= k; ++j) {
                rows[k][j] = j == k ? 1 : 0;
            }
        }
        if (dependent > 0) {
            const rational_matrix more = product(random.matrix(dependent, independent, 3, 2), rows);
            rows.insert(rows.end(), more.begin(), more.end());
        }
        rational_matrix a(unknowns + rows.size(), rational_vector(unknowns + rows.size()));
        for (std::size_t j = 0; j < unknowns; ++j) {
            a[j][j] = 3;
            if (j + 1 < unknowns) {
                a[j][j + 1] = a[j + 1][j] = -1;
            }
            for (std::size_t k = 0; k < rows.size(); ++k) {
                a[unknowns + k][j] = a[j][unknowns + k] = rows[k][j];
            }
        }
        solver by(system_of(a, {}), {.digits = 20});
        const std::optional<inertia> found = by.inertia();
        ASSERT_TRUE(found) << dependent;
        EXPECT_EQ(found->positive, static_cast<index_t>(unknowns)) << dependent;
        EXPECT_EQ(found->negative, static_cast<index_t>(independent)) << dependent;
        EXPECT_EQ(found->zero, static_cast<index_t>(dependent)) << dependent;
    }
}

}  // namespace
}  // namespace residua
