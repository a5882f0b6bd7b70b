// Least squares with weights and damping, against exact rational arithmetic.
#include <residua/solvers/solver.hpp>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <tests/support/rational_matrix.hpp>

namespace residua {
namespace {

using namespace residua::support;

/// A'WA + T^2 I and A'W b, whose shortest solution is the x that is sought.
judgement judge_weighted(const rational_matrix& a, const rational_vector& b, const rational_vector& w,
                         const mpq_class& damp)
{
    rational_matrix wa = a;
    rational_matrix right(b.size(), rational_vector(1));
    for (std::size_t i = 0; i < a.size(); ++i) {
        for (mpq_class& x : wa[i]) {
            x *= w[i];
        }
        right[i][0] = b[i];
    }
    rational_matrix normal = product(transposed(wa), a);
    for (std::size_t j = 0; j < normal.size(); ++j) {
        normal[j][j] += damp * damp;
    }
    return judge_exactly(normal, transposed(product(transposed(wa), right))[0]);
}

std::vector<real> reals_of(const rational_vector& v)
{
    std::vector<real> all;
    for (const mpq_class& x : v) {
        all.push_back(to_real(x, 200));
    }
    return all;
}

void expect_least(const rational_matrix& a, const rational_vector& b, const rational_vector& w,
                  const std::optional<mpq_class>& damp, int digits, const std::string& what,
                  method by = method::automatic)
{
    const judgement truth = judge_weighted(a, b, w, damp.value_or(0));
    solve_options options{.method = by, .digits = digits, .weights = reals_of(w)};
    if (damp) {
        options.damp = to_real(*damp, 100);
    }
    const solve_result result = solve(system_of(a, b), options);
    const solve_report& report = result.report;
    EXPECT_EQ(report.status, solve_status::converged) << what << ": " << report.message;
    EXPECT_TRUE(by == method::automatic || report.method == by) << to_string(report.method);
    EXPECT_GE(report.digits, digits) << what << ": " << report.message;
    EXPECT_LE(relative_error(result.x, truth.x), std::pow(10.0, -std::min(report.digits, 300))) << what;
    ASSERT_TRUE(report.normal_residual);
    EXPECT_LE(*report.normal_residual, real(1e-10)) << what;
    EXPECT_EQ(report.nullity, static_cast<index_t>(a.front().size() - truth.rank)) << what;
    EXPECT_EQ(report.message.rfind("x makes sum w (b - A x)^2", 0), 0U) << report.message;
}

TEST(weighted_test, a_mean_with_weights)
{
    const solve_result result =
        solve(system_of({{1}, {1}, {1}}, {1, 2, 6}), {.digits = 20, .weights = reals_of({1, 3, 0})});
    EXPECT_EQ(result.report.status, solve_status::converged) << result.report.message;
    EXPECT_LT(abs(result.x[0] - real(1.75)), real(1e-20));
    EXPECT_TRUE(result.report.least_squares);
}

TEST(weighted_test, an_x_that_both_ways_find_exactly)
{
    const solve_options options{.method = method::lsqr, .digits = 16, .weights = {real(1.0)}};
    const solve_result result = solve(system_of({{16}}, {1}), options);
    EXPECT_EQ(result.report.status, solve_status::converged) << result.report.message;
    EXPECT_EQ(result.x[0], real(0.0625));
    EXPECT_GE(result.report.digits, 16);
}

TEST(weighted_test, damping_alone_of_any_shape)
{
    solve_options options{.digits = 25};
    options.damp = real(2.0);
    const solve_result result = solve(system_of({{3, 0}, {0, 0}}, {13, 5}), options);  // 3 * 13 / (9 + 4)
    EXPECT_LT(abs(result.x[0] - real(3.0)), real(1e-24)) << result.report.message;
    EXPECT_TRUE(is_zero(result.x[1]));
    EXPECT_GE(result.report.digits, 25);
}

void expect_least_of_random_problems(int count, std::uint64_t seed, int spread, method by)
{
    random_integers random{{seed}};
    for (int k = 0; k < count; ++k) {
        const auto m = static_cast<std::size_t>(2 + random.below(7));
        const auto n = static_cast<std::size_t>(1 + random.below(6));
        const auto rank = static_cast<std::size_t>(1 + random.below(static_cast<int>(std::min(m, n))));
        rational_matrix a = product(random.matrix(m, rank, 5, 2), random.matrix(rank, n, 5, 2));
        a[0][0] += 1;
        rational_vector w;
        for (std::size_t i = 0; i < m; ++i) {
            const mpz_class power = mpz_class(1) << random.below(spread);
            w.push_back(random.below(8) == 0 ? mpq_class(0) : mpq_class(2 * random.below(20) + 1) / power);
        }
        const std::optional<mpq_class> damp =
            random.below(2) == 0 ? std::optional<mpq_class>(mpq_class(2 * random.below(40) + 1) / 16) : std::nullopt;
        rational_vector b = transposed(random.matrix(m, 1, 9, 1))[0];
        b[0] = 7;
        if (judge_weighted(a, b, w, damp.value_or(0)).rank > 0) {
            expect_least(a, b, w, damp, 15 + random.below(30), "number " + std::to_string(k), by);
        }
    }
}

TEST(weighted_test, random_problems_of_any_shape_and_rank)
{
    expect_least_of_random_problems(120, 5, 50, method::automatic);
}

TEST(weighted_test, lsqr_has_the_digits_too) { expect_least_of_random_problems(60, 6, 50, method::lsqr); }

TEST(weighted_test, lsqr_that_is_stopped_claims_the_digits_of_its_own_x)
{
    random_integers random{{8}};
    rational_matrix a = random.matrix(90, 30, 99, 1);
    for (rational_vector& row : a) {
        for (std::size_t j = 0; j < row.size(); ++j) {
            row[j] /= mpz_class(1) << (7 * j / 8);
        }
    }
    const rational_vector b = transposed(random.matrix(90, 1, 99, 1))[0];
    const rational_vector x = judge_weighted(a, b, rational_vector(90, 1), mpq_class(1, 1 << 20)).x;
    const linear_system system = system_of(a, b);
    int claimed = 0, short_of_digits = 0;
    for (int last = 10; last < 250; last += 3) {
        int asked = 0;
        solve_options options{.method = method::lsqr, .digits = 8};
        options.damp = ldexp(real(1.0), -20);
        options.interrupted = [&] { return ++asked > last; };
        const solve_result result = solve(system, options);
        const solve_report& report = result.report;
        claimed += report.digits > 0 ? 1 : 0;
        short_of_digits += report.status == solve_status::interrupted ? 1 : 0;
        if (report.digits > 0) {
            EXPECT_LE(relative_error(result.x, x), 1.01 * to_double(*report.forward_error))
                << last << ": " << report.message;
        }
    }
    EXPECT_GT(claimed, 0);
    EXPECT_GT(short_of_digits, 0);
}

TEST(weighted_test, lsqr_without_digits_goes_by_its_tolerance)
{
    solve_options options{.method = method::lsqr, .rtol = real(1e-12), .weights = reals_of({1, 4, 0})};
    options.damp = real(3.0);
    const solve_result result = solve(system_of({{1}, {2}, {1}}, {1, 5, 100}), options);  // (1 + 40) / (1 + 16 + 9)
    EXPECT_EQ(result.report.status, solve_status::converged) << result.report.message;
    EXPECT_EQ(result.report.digits, 0);
    EXPECT_LT(abs(result.x[0] - real(41.0) / real(26.0)), real(1e-11));
    const solve_result zero = solve(system_of({{1}, {1}, {5}}, {1, -1, 0}), options);
    EXPECT_LT(abs(zero.x[0] + real(3.0) / real(14.0)), real(1e-11)) << zero.report.message;
}

TEST(weighted_test, right_hand_sides_have_the_bits_that_they_have_alone)
{
    const linear_system system = system_of({{1}, {1}, {3}}, rational_vector(3));
    const solve_options options{.digits = 20, .weights = reals_of({1, 1, 2})};
    const std::vector<real> large =
        reals_of({mpq_class("1000000000000000000000001"), mpq_class("-1000000000000000000000000"), 1});
    const std::vector<real> small = reals_of({1, 0, 1});
    solver together(system, options);
    for (const std::vector<real>& b : {small, large, small, large}) {
        solver alone(system, options);
        const solve_result expected = alone.solve(b);
        const solve_result found = together.solve(b);
        EXPECT_EQ(found.report.message, expected.report.message);
        EXPECT_EQ(found.x, expected.x);
        EXPECT_EQ(found.report.solution_bits, expected.report.solution_bits);
        EXPECT_LT(abs(found.x[0] - real(7.0, 200) / real(20.0, 200)), real(1e-20));
    }
    EXPECT_GT(solver(system, options).solve(large).report.solution_bits,
              solver(system, options).solve(small).report.solution_bits)
        << "no digits were raised";
}

TEST(weighted_test, weights_far_from_each_other_and_a_fit_of_high_degree)
{
    rational_matrix a;
    rational_vector b;
    rational_vector w;
    for (int i = 0; i < 14; ++i) {
        rational_vector& row = a.emplace_back();
        mpq_class power = 1;
        for (int j = 0; j < 8; ++j) {
            row.push_back(power);
            power *= i;
        }
        b.emplace_back((5 * i * i) % 13 - 4);
        w.push_back(i % 3 == 0 ? mpq_class(mpz_class(1) << 90) : mpq_class(1) / (mpz_class(1) << (6 * i)));
    }
    expect_least(a, b, w, std::nullopt, 40, "fit");
    expect_least(a, b, w, mpq_class(1) / 1024, 40, "damped fit");
}

TEST(weighted_test, several_right_hand_sides)
{
    const rational_matrix a{{1, 2}, {3, 4}, {5, 7}};
    const rational_vector w{1, 2, 3};
    solver by(system_of(a, {}), {.digits = 20, .weights = reals_of(w)});
    const std::vector<rational_vector> right{{1, 2, 3}, {4, -5, 6}, {0, 0, 0}};
    std::vector<std::vector<real>> columns;
    for (const rational_vector& b : right) {
        columns.push_back(reals_of(b));
    }
    const std::vector<solve_result> results = by.solve(columns);
    for (std::size_t k = 0; k < right.size(); ++k) {
        EXPECT_LE(relative_error(results[k].x, judge_weighted(a, right[k], w, 0).x), 1e-20) << k;
        EXPECT_EQ(results[k].report.status, solve_status::converged) << k << results[k].report.message;
    }
}

/// 1 / n in so many bits that no product with it is exact.
real fraction(int n) { return real(1.0, 8256) / real(static_cast<double>(n), 8256); }

TEST(weighted_test, no_rounding_makes_dependent_columns_independent)
{
    const rational_vector w{mpq_class(1) / 10, mpq_class(1) / 7, 3, 0};
    const std::vector<real> rounded{fraction(10), fraction(7), real(3.0), real(0.0)};
    const rational_vector b{1, -2, 5, 7};
    const std::vector<std::string> text{"0.1", "0.3", "0.7", "2.1", "-0.2", "-0.6", "1", "5"};  // in 4 rows
    rational_matrix a;
    for (const auto& [p, q] : {std::pair(1, 3), std::pair(7, 21), std::pair(-2, -6), std::pair(10, 50)}) {
        a.push_back({mpq_class(p, 10), mpq_class(q, 10)});
    }
    const std::vector<std::string_view> words(text.begin(), text.end());
    const linear_system of_decimals = make_system(dense_view<std::string_view>{4, 2, words}, reals_of(b));
    rational_matrix whole = a;
    for (rational_vector& row : whole) {
        for (mpq_class& x : row) {
            x *= 10;
        }
    }
    for (const auto& [system, matrix] : {std::pair(of_decimals, a), std::pair(system_of(whole, b), whole)}) {
        const judgement truth = judge_weighted(matrix, b, w, 0);
        const solve_result result = solve(system, {.digits = 30, .weights = rounded});
        EXPECT_EQ(result.report.status, solve_status::converged) << result.report.message;
        EXPECT_EQ(result.report.rank, std::optional<index_t>(1)) << result.report.message;
        EXPECT_LE(relative_error(result.x, truth.x), 1e-30) << result.report.message;
    }
}

TEST(weighted_test, an_x_that_is_far_smaller_than_the_residual)
{
    const mpq_class small = mpq_class(1) / (mpz_class(1) << 95);
    expect_least({{small, 0}, {0, 0}}, {8, -4}, {mpq_class(7) / 2, 0}, mpq_class(1) / 2, 16, "small");
}

TEST(weighted_test, zero_where_nothing_of_b_is_in_the_range)
{
    const solve_result result =
        solve(system_of({{1, 2}, {-1, -2}, {3, 5}}, {4, 4, 9}), {.digits = 16, .weights = reals_of({2, 2, 0})});
    EXPECT_EQ(result.report.status, solve_status::converged) << result.report.message;
    EXPECT_TRUE(is_zero(result.x[0]) && is_zero(result.x[1]));
    EXPECT_GE(result.report.digits, 16);
}

TEST(weighted_test, says_what_is_wrong)
{
    const auto refused = [](solve_options options) -> std::string {
        try {
            (void)solve(system_of({{1, 2}, {3, 4}, {5, 6}}, {1, 2, 3}), options);
        } catch (const error& e) {
            return e.what();
        }
        return "";
    };
    const auto says = [](const std::string& text, const char* words) { return text.find(words) != std::string::npos; };
    EXPECT_TRUE(says(refused({.weights = reals_of({1, 2})}), "2 weights for 3 rows"));
    EXPECT_TRUE(says(refused({.weights = reals_of({1, -2, 1})}), "weight 2 has to be"));
    EXPECT_TRUE(says(refused({.damp = real(-1.0)}), "damp has to be"));
    solve_options guess{.method = method::lsqr, .initial_guess = reals_of({1, 1})};
    guess.damp = real(1.0);
    EXPECT_TRUE(says(refused(guess), "an initial guess"));
}

}  // namespace
}  // namespace residua
