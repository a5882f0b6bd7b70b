// Least squares by QR and by the augmented system, against exact rational arithmetic.
#include <cmath>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/solver.hpp>

#include <tests/support/rational_matrix.hpp>

namespace residua {
namespace {

using namespace residua::support;

/// system_of() with entries of more bits than binary64 has.
linear_system long_system_of(const rational_matrix& a, const rational_vector& b)
{
    io::coo<real> entries;
    entries.rows = static_cast<index_t>(a.size());
    entries.cols = static_cast<index_t>(a.front().size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        for (std::size_t j = 0; j < a[i].size(); ++j) {
            if (a[i][j] != 0) {
                entries.row.push_back(static_cast<index_t>(i));
                entries.col.push_back(static_cast<index_t>(j));
                entries.value.push_back(to_real(a[i][j], 600));
            }
        }
    }
    std::vector<real> right;
    for (const mpq_class& x : b) {
        right.push_back(to_real(x, 600));
    }
    return make_system(entries, std::move(right));
}

solve_result expect_digits(const rational_matrix& a, const rational_vector& b, const solve_options& options,
                           const std::string& what)
{
    const judgement truth = judge_exactly(a, b);
    solve_result result = solve(long_system_of(a, b), options);
    const solve_report& report = result.report;
    EXPECT_EQ(report.status, solve_status::converged) << what << ": " << report.message;
    EXPECT_GE(report.digits, options.digits) << what << ": " << report.message;
    EXPECT_LE(relative_error(result.x, truth.x), std::pow(10.0, -std::min(report.digits, 300))) << what;
    return result;
}

rational_vector numbers(random_integers& random, std::size_t n)
{
    rational_vector v = transposed(random.matrix(n, 1, 99, 1))[0];
    v[0] = 7;
    return v;
}

/// Powers of first, first + 1, ... up to a degree.
rational_matrix powers(int rows, int first, int degree)
{
    rational_matrix a;
    for (int i = 0; i < rows; ++i) {
        rational_vector& row = a.emplace_back();
        mpq_class power = 1;
        for (int j = 0; j <= degree; ++j) {
            row.push_back(power);
            power *= first + i;
        }
    }
    return a;
}

}  // namespace

TEST(session_least_squares_test, a_line_through_three_points)
{
    for (const method m : {method::automatic, method::direct}) {
        const solve_result result =
            expect_digits({{1, 0}, {1, 1}, {1, 2}}, {1, 2, 4}, {.method = m, .digits = 25}, "line");
        EXPECT_LT(abs(result.x[0] * real(6.0) - real(5.0)), real(1e-24));
        EXPECT_LT(abs(result.x[1] * real(2.0) - real(3.0)), real(1e-24));
        EXPECT_EQ(result.report.method, method::direct);
        EXPECT_TRUE(result.report.least_squares);
        EXPECT_EQ(result.report.forward_kind, error_kind::estimated);
    }
}

TEST(session_least_squares_test, the_shortest_of_many)
{
    const solve_result result = expect_digits({{1, 1, 0, 0}, {0, 0, 2, 2}}, {6, -4}, {.digits = 40}, "wide");
    EXPECT_EQ(result.report.method, method::direct);
    EXPECT_FALSE(result.report.least_squares);
    EXPECT_LT(abs(result.x[3] + real(1.0)), real(1e-40));
}

TEST(session_least_squares_test, random_matrices_of_any_shape)
{
    random_integers random{{52}};
    for (int k = 0; k < 80; ++k) {
        const auto n = static_cast<std::size_t>(1 + random.below(7));
        auto m = static_cast<std::size_t>(1 + random.below(9));
        m += m == n ? 1 : 0;
        const rational_matrix a = random.matrix(m, n, 50, 3);
        const rational_vector b = numbers(random, m);
        const judgement truth = judge_exactly(a, b);
        if (truth.rank < std::min(m, n)) {
            continue;
        }
        const solve_options options{.method = random.below(2) == 0 ? method::automatic : method::direct,
                                    .digits = 10 + random.below(70)};
        const solve_result result = expect_digits(a, b, options, "number " + std::to_string(k));
        EXPECT_EQ(result.report.method, method::direct) << k;
    }
}

TEST(session_least_squares_test, fits_of_high_degree)
{
    for (const auto& [rows, first, degree] :
         {std::tuple{20, 1, 9}, {30, 1900, 7}, {9, 5, 12}, {40, 1, 30}, {16, 1, 15}}) {
        random_integers random{{static_cast<unsigned>(rows)}};
        const rational_matrix a = powers(rows, first, degree);
        for (const int digits : {16, 30, 100}) {
            const solve_result result = expect_digits(a, numbers(random, a.size()), {.digits = digits},
                                                      std::to_string(rows) + " rows, " + std::to_string(digits));
            EXPECT_EQ(result.report.method, rows == degree + 1 ? result.report.method : method::direct);
        }
    }
}

TEST(session_least_squares_test, columns_that_are_nearly_dependent)
{
    random_integers random{{3}};
    for (const int e : {20, 60, 140, 400}) {
        rational_matrix a = random.matrix(8, 3, 20, 1);
        const mpq_class small = mpq_class(1) / (mpz_class(1) << e);
        for (std::size_t i = 0; i < a.size(); ++i) {
            a[i][2] = a[i][0] + a[i][1] + small * static_cast<int>(i * i % 5);
        }
        const rational_vector b = numbers(random, 8);
        expect_digits(a, b, {.digits = 20}, "2^-" + std::to_string(e));
        expect_digits(transposed(a), {1, 2, 4}, {.digits = 20}, "rows, 2^-" + std::to_string(e));
    }
}

TEST(session_least_squares_test, columns_of_very_different_sizes)
{
    random_integers random{{9}};
    rational_matrix a = random.matrix(9, 4, 30, 1);
    for (rational_vector& row : a) {
        row[1] *= mpz_class(1) << 90;
        row[3] /= mpz_class(1) << 120;
    }
    expect_digits(a, numbers(random, 9), {.digits = 30}, "columns");
    expect_digits(transposed(a), {1, 5, -3, 2}, {.digits = 30}, "rows");
}

TEST(session_least_squares_test, a_matrix_without_full_rank_goes_to_another_method)
{
    random_integers random{{11}};
    for (int k = 0; k < 10; ++k) {
        const rational_matrix a = product(random.matrix(9, 3, 9, 1), random.matrix(3, 5, 9, 1));
        const rational_vector b = numbers(random, 9);
        const solve_result result = expect_digits(a, b, {.digits = 18}, "number " + std::to_string(k));
        EXPECT_NE(result.report.method, method::direct);
        const solve_result asked = solve(system_of(a, b), {.method = method::direct, .digits = 18});
        EXPECT_EQ(asked.report.status, solve_status::breakdown);
        EXPECT_NE(asked.report.message.find("rank 3"), std::string::npos) << asked.report.message;
    }
}

TEST(session_least_squares_test, dependent_rows_of_a_wide_matrix)
{
    const rational_matrix a{{1, 2, 3, 4}, {2, 4, 6, 8}, {1, 0, 1, 0}};
    for (const rational_vector& b : {rational_vector{1, 2, 3}, rational_vector{1, 1, 1}}) {  // in the range, and not
        const solve_result result = expect_digits(a, b, {.digits = 20}, "wide");
        EXPECT_EQ(result.report.rank, judge_exactly(a, b).in_range ? result.report.rank : std::optional<index_t>(2));
    }
    const solve_report zero = solve(system_of({{0, 0, 0}, {0, 0, 0}}, {1, 2}), {.digits = 16}).report;
    EXPECT_EQ(zero.status, solve_status::converged) << zero.message;
}

TEST(session_least_squares_test, decimals_stay_dependent)
{
    const std::vector<std::string_view> words{"0.1", "0.3", "0.2", "0.6", "0.7", "2.1"};
    const linear_system system =
        make_system(dense_view<std::string_view>{3, 2, words}, std::vector<real>{1.0, 2.0, 4.0});
    const solve_result result = solve(system, {.digits = 20});
    EXPECT_EQ(result.report.status, solve_status::converged) << result.report.message;
    EXPECT_EQ(result.report.rank, std::optional<index_t>(1)) << result.report.message;
    const judgement truth = judge_exactly({{1, 3}, {2, 6}, {7, 21}}, {10, 20, 40});
    EXPECT_LE(relative_error(result.x, truth.x), 1e-20) << result.report.message;
}

/// A row of a wide matrix, or a column of a tall one, that is another one but for 2^-gap.
TEST(session_least_squares_test, digits_of_a_nearly_dependent_line)
{
    for (const int gap : {40, 80, 120}) {
        const mpq_class small = mpq_class(1) / (mpz_class(1) << static_cast<mp_bitcnt_t>(gap));
        const rational_matrix wide{
            {4, 0, 4, 4, 0, 5, 2}, {5, -5, 0, 4, 4, 5, -3}, {4, 2 * small, 4, 4 - small, 0, 5, 2}};
        const rational_matrix tall = transposed(wide);
        for (const rational_vector& b : {rational_vector{-23, 40, -23 - 39 * small}, rational_vector{1, 1, 1}}) {
            expect_digits(wide, b, {.digits = 16}, "wide " + std::to_string(gap));
        }
        rational_vector sums;
        for (const rational_vector& row : tall) {
            sums.push_back(row[0] + row[1] + row[2]);
        }
        expect_digits(tall, rational_vector(7, 1), {.digits = 16}, "tall " + std::to_string(gap));
        expect_digits(tall, sums, {.digits = 16}, "tall, in the range " + std::to_string(gap));
    }
}

TEST(session_least_squares_test, several_right_hand_sides_get_what_they_get_alone)
{
    random_integers random{{8}};
    const rational_matrix a = random.matrix(12, 5, 40, 2);
    std::vector<std::vector<real>> b;
    for (int k = 0; k < 3; ++k) {
        std::vector<real>& column = b.emplace_back();
        for (const mpq_class& x : numbers(random, 12)) {
            column.push_back(to_real(x, 100));
        }
    }
    const solve_options options{.digits = 30};
    solver together(system_of(a, numbers(random, 12)), options);
    const std::vector<solve_result> all = together.solve(b);
    for (std::size_t k = 0; k < b.size(); ++k) {
        solver alone(system_of(a, numbers(random, 12)), options);
        EXPECT_EQ(all[k].x, alone.solve(b[k]).x) << k;
    }
}

TEST(session_least_squares_test, of_several_solutions_lsqr_has_the_nearest_to_a_guess)
{
    random_integers random{{7}};
    for (int k = 0; k < 10; ++k) {
        const rational_matrix a = random.matrix(4, 7, 9, 1);
        const rational_vector b = numbers(random, 4), guess = numbers(random, 7);
        rational_vector rest = b;
        for (std::size_t i = 0; i < a.size(); ++i) {
            for (std::size_t j = 0; j < guess.size(); ++j) {
                rest[i] -= a[i][j] * guess[j];
            }
        }
        rational_vector truth = judge_exactly(a, rest).x;
        solve_options options{.method = method::lsqr, .digits = 25};
        for (std::size_t j = 0; j < guess.size(); ++j) {
            truth[j] += guess[j];
            options.initial_guess.push_back(to_real(guess[j], 64));
        }
        const solve_result result = solve(system_of(a, b), options);
        EXPECT_EQ(result.report.status, solve_status::converged) << result.report.message;
        EXPECT_GE(result.report.digits, 25);
        EXPECT_LE(relative_error(result.x, truth), std::pow(10.0, -result.report.digits));
        EXPECT_LE(result.report.precision_bits, 424);
    }
}

TEST(session_least_squares_test, a_residual_longer_than_b_is_not_the_least)
{
    const auto power = [](int k) { return k < 0 ? 1 / mpq_class(mpz_class(1) << -k) : mpq_class(mpz_class(1) << k); };
    const rational_matrix a{{1, 1}, {0, power(-54)}, {0, power(-53)}};
    const rational_vector b{1, 1, -1};
    for (const long bits : {0, 53}) {
        // r = (1, 1, -1) + 2^26 (0, 1, 2) is orthogonal to the columns of A to 2^-54 ||A|| ||r||
        const std::vector<real> far{ldexp(real(1.0), 80), -ldexp(real(1.0), 80)};
        const solve_result result =
            solve(system_of(a, b), {.method = method::lsqr, .precision_bits = bits, .initial_guess = far});
        if (bits == 0) {
            EXPECT_EQ(result.report.status, solve_status::converged) << result.report.message;
        }
        if (result.report.status == solve_status::converged) {
            EXPECT_LE(result.report.relative_residual, real(1.001));
        }
    }
    // b is orthogonal to A: no x has a residual that is shorter than b
    const solve_result none = solve(system_of(rational_matrix{{1, 1}, {1, 2}, {0, 0}}, {0, 0, 1}),
                                    {.method = method::lsqr, .initial_guess = {real(5.0), real(-3.0)}});
    EXPECT_EQ(none.report.status, solve_status::converged) << none.report.message;
    EXPECT_TRUE(none.report.least_squares);
}

TEST(session_least_squares_test, every_format_that_is_asked_for)
{
    random_integers random{{6}};
    const rational_matrix a = random.matrix(11, 4, 40, 2);
    const rational_vector b = numbers(random, 11);
    for (const number_format format : {number_format::expansion, number_format::multidigit, number_format::rns}) {
        const solve_result result = expect_digits(a, b, {.format = format, .digits = 30}, "format");
        EXPECT_EQ(result.report.method, method::direct);
    }
}

TEST(session_least_squares_test, a_sparse_matrix_goes_by_the_augmented_system_where_digits_count)
{
    random_integers random{{21}};
    const std::size_t m = 24, n = 12;
    rational_matrix a(m, rational_vector(n));
    for (std::size_t i = 0; i < m; ++i) {
        a[i][i / 2] = 1 + random.below(9);
        a[i][(i / 2 + 1 + i % 3) % n] = mpq_class(1 + random.below(9)) / (mpz_class(1) << (i % 7 * 6));
    }
    const rational_vector b = numbers(random, m);
    for (const method by : {method::automatic, method::direct}) {
        const solve_result result = expect_digits(a, b, {.method = by, .digits = 30}, "sparse");
        EXPECT_NE(result.report.method, method::lsqr);
        EXPECT_TRUE(result.report.least_squares);
        ASSERT_TRUE(result.report.normal_residual);
        EXPECT_LE(*result.report.normal_residual, result.report.rtol);
        EXPECT_NE(result.report.message.find("x is a least-squares solution"), std::string::npos);
    }
    EXPECT_EQ(solve(system_of(a, b), {.precision_bits = 106}).report.method, method::lsqr);
}

}  // namespace residua
