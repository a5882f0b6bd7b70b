// Complex systems with checkpoints, weights, damping and null spaces that are given, against exact rational arithmetic.
#include <residua/solvers/solver.hpp>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/matrix/complex_form.hpp>
#include <tests/support/complex_matrices.hpp>

namespace residua {
namespace {

using namespace residua::support;

TEST(complex_options_test, goes_on_from_a_checkpoint_to_the_same_x)
{
    const std::string path = testing::TempDir() + "complex_test.state";
    random_integers random{{8}};
    const rational_matrix half = random_form(random, 12, 12);
    const rational_matrix a = product(transposed(half), half);
    const linear_system system = complex_system(a, times(a, some_vector(random, 24)));
    for (const method m : {method::minres, method::gmres, method::lsqr}) {
        solve_options options{.method = m, .digits = 25};
        const std::vector<real> expected = solve(system, options).x;
        std::filesystem::remove(path);
        options.checkpoint = path;
        options.checkpoint_seconds = 0.0;
        int steps = 0;
        options.on_history = [&](const history_entry&) { ++steps; };
        options.interrupted = [&] { return steps > 5; };
        EXPECT_EQ(solve(system, options).report.status, solve_status::interrupted) << to_string(m);
        options.interrupted = {};
        options.on_history = {};
        options.resume = true;
        EXPECT_EQ(solve(system, options).x, expected) << to_string(m);
    }
    std::filesystem::remove(path);
}

TEST(complex_options_test, weights_and_damping)
{
    random_integers random{{9}};
    for (int k = 0; k < 20; ++k) {
        const auto m = static_cast<std::size_t>(1 + random.below(6));
        const auto n = static_cast<std::size_t>(1 + random.below(5));
        const rational_matrix a = random_form(random, m, n);
        const rational_vector b = some_vector(random, 2 * m);
        rational_matrix w(2 * m, rational_vector(2 * m));
        std::vector<real> weights;
        for (std::size_t i = 0; i < 2 * m; i += 2) {
            w[i][i] = w[i + 1][i + 1] = 1 + random.below(5);
            weights.insert(weights.end(), 2, to_real(w[i][i], 64));
        }
        rational_matrix normal = product(transposed(a), product(w, a));
        for (std::size_t j = 0; j < normal.size(); ++j) {
            normal[j][j] += mpq_class(1, 4);
        }
        const rational_vector truth = judge_exactly(normal, times(transposed(a), times(w, b))).x;
        for (const method m_used : {method::automatic, method::lsqr}) {
            const solve_result result =
                solve(complex_system(a, b), {.method = m_used, .digits = 20, .damp = real(0.5), .weights = weights});
            EXPECT_EQ(result.report.status, solve_status::converged) << k << ": " << result.report.message;
            EXPECT_LE(relative_error(result.x, truth), 1e-20) << k;
        }
    }
}

/// D^H L D with the Laplacian of a cycle of n vertices and the phases 1, i, -1, -i: D^H (1, ..., 1) is taken to zero.
std::pair<rational_matrix, rational_vector> turned_cycle(std::size_t n)
{
    std::vector<std::pair<std::size_t, std::size_t>> edges;
    for (std::size_t i = 0; i < n; ++i) {
        edges.emplace_back(i, (i + 1) % n);
    }
    const int re_of[] = {1, 0, -1, 0};
    rational_matrix re(n, rational_vector(n)), im(n, rational_vector(n));
    rational_vector null;
    for (std::size_t i = 0; i < n; ++i) {
        re[i][i] = re_of[i % 4];
        im[i][i] = re_of[(i + 3) % 4];
        null.insert(null.end(), {re[i][i], -im[i][i]});
    }
    const rational_matrix d = form_of(re, im);
    const rational_matrix l = form_of(laplacian(n, edges), rational_matrix(n, rational_vector(n)));
    return {product(transposed(d), product(l, d)), null};
}

TEST(complex_options_test, messages_count_rows_and_columns_of_the_complex_matrix)
{
    const rational_matrix a = form_of({{1, 2}, {3, 4}}, {{0, 1}, {1, 0}});
    const std::vector<real> first = {real(1.0), real(1.0), real(0.0), real(0.0)};
    const solve_report report = solve(complex_system(a, {1, 2, 3, 4}), {.digits = 20, .weights = first}).report;
    EXPECT_EQ(report.rank, 1);
    EXPECT_NE(report.message.find("the columns of A have rank 1 in the rows with weights, and x is the shortest"),
              std::string::npos)
        << report.message;

    const auto message_of = [](const auto& f) {
        try {
            f();
        } catch (const dimension_error& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    const rational_matrix wide = form_of({{1, 2}}, {{0, 1}});
    solver by(complex_system(wide, {1, 1}), {});
    EXPECT_EQ(message_of([&] { by.determinant(); }), "determinant: rows and columns of A differ: 1 and 2");
    EXPECT_EQ(message_of([&] { by.solve_transposed({real(1.0)}); }),
              "solve_transposed: rows and columns of A differ: 1 and 2");
    EXPECT_EQ(message_of([&] {
                  solve(complex_system(wide, {1, 1}), {.method = method::cg});
              }),
              "the method cg needs a square matrix, and this one is 1 x 2: use lsqr, direct or auto");
}

TEST(complex_options_test, both_parts_of_a_row_have_one_weight)
{
    const linear_system system = complex_system({{1, -2}, {2, 1}}, {1, 1});
    EXPECT_THROW(solve(system, {.weights = {real(1.0), real(2.0)}}), unsupported_error);
    EXPECT_THROW(solve(system, {.weights = {real(1.0)}}), dimension_error);
}

TEST(complex_options_test, a_null_space_that_is_given_is_taken_with_its_image)
{
    random_integers random{{10}};
    const auto [a, null] = turned_cycle(9);
    const rational_vector b = times(a, some_vector(random, 18));
    const judgement truth = judge_exactly(a, b);
    ASSERT_EQ(truth.rank, 16U);
    for (const method m : {method::cg, method::minres, method::gmres}) {
        const solve_result result =
            solve(complex_system(a, b), {.method = m, .digits = 20, .null_space = {as_reals(null)}});
        EXPECT_EQ(result.report.status, solve_status::converged) << to_string(m) << ": " << result.report.message;
        EXPECT_GE(result.report.digits, 20) << to_string(m);
        EXPECT_LE(relative_error(result.x, truth.x), 1e-20) << to_string(m);
    }
    const std::vector<real> one = as_reals(null);
    EXPECT_THROW(solve(complex_system(a, b), {.method = method::cg, .null_space = {one, times_i(one)}}),
                 unsupported_error);  // i times a vector is no other vector
}

}  // namespace
}  // namespace residua
