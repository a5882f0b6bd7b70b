// Sparse complex symmetric systems, whose factors are L D L^T, through the solver, against exact rational arithmetic.
#include <cmath>
#include <complex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/planning/facts.hpp>
#include <residua/solvers/session/analyze.hpp>
#include <residua/solvers/solver.hpp>
#include <tests/support/complex_matrices.hpp>
#include <tests/support/complex_symmetric.hpp>

namespace residua {
namespace {

using namespace residua::support;

/// Ways to solve by factors: method, preconditioner, format.
struct way {
    residua::method method;
    residua::preconditioner preconditioner = residua::preconditioner::automatic;
    number_format format = number_format::automatic;
};

const std::vector<way> ways{{method::automatic},
                            {method::direct},
                            {method::direct, preconditioner::automatic, number_format::expansion},
                            {method::direct, preconditioner::automatic, number_format::rns},
                            {method::refine},
                            {method::refine, preconditioner::ldl},
                            {method::refine, preconditioner::lu},
                            {method::gmres_ir},
                            {method::gmres_ir, preconditioner::ldl},
                            {method::gmres, preconditioner::ldl}};

TEST(complex_symmetric_test, every_way_gives_the_digits)
{
    random_integers random{{11}};
    for (const complex_symmetric_entries& entries :
         {absorbing_grid(5, 4, 0.75), imaginary_grid(5, 4, 0.0), mixed_grid(5, 4, 0.4, 2),
          any_complex_symmetric(17, 0.04, 0, 3), any_complex_symmetric(16, 0.04, 60, 4)}) {
        const linear_system a = entries.form();
        ASSERT_FALSE(takes_dense_factors(a.rows, a.column.size()));
        const rational_matrix exact = rationals(a);
        const rational_vector b = some_vector(random, exact.size());
        const rational_vector x = transposed(solved(exact, transposed({b})))[0];
        const rational_vector y = transposed(solved(transposed(exact), transposed({b})))[0];
        for (const way& each : ways) {
            const std::string what = std::string(to_string(each.method)) + " " +
                                     std::string(to_string(each.preconditioner)) + " " +
                                     std::string(to_string(each.format)) + " " + std::to_string(entries.n);
            solver by(
                a, {.method = each.method, .preconditioner = each.preconditioner, .format = each.format, .digits = 40});
            const solve_result result = by.solve(as_reals(b));
            EXPECT_EQ(result.report.status, solve_status::converged) << what << ": " << result.report.message;
            EXPECT_GE(result.report.digits, 40) << what;
            EXPECT_LE(relative_error(result.x, x), 1e-40) << what;
            const solve_result adjoint = by.solve_transposed(as_reals(b));
            EXPECT_EQ(adjoint.report.status, solve_status::converged) << what << ": " << adjoint.report.message;
            EXPECT_LE(relative_error(adjoint.x, y), 1e-40) << what;
            if (each.method == method::refine && each.preconditioner == preconditioner::automatic) {
                EXPECT_EQ(result.report.preconditioner, preconditioner::ldl) << what;
                EXPECT_EQ(adjoint.report.preconditioner, preconditioner::ldl) << what;
            }
        }
        const std::optional<determinant_estimate> found = solver(a, {.digits = 20}).determinant();
        ASSERT_TRUE(found);
        EXPECT_TRUE(is_true(*found, exact)) << entries.n;
        EXPECT_LE(found->relative_error, real(1e-20));
    }
}

TEST(complex_symmetric_test, factors_of_fewer_bits_serve_refinement)
{
    const linear_system a = absorbing_grid(6, 5, 0.75).form();
    random_integers random{{12}};
    const rational_vector x = some_vector(random, static_cast<std::size_t>(a.rows));
    const std::vector<real> b = as_reals(times(rationals(a), x));
    for (const method m : {method::refine, method::gmres_ir}) {
        for (const long bits : {24L, 53L, 106L, 300L}) {
            const solve_result result = solver(a, {.method = m, .factor_bits = bits, .digits = 50}).solve(b);
            EXPECT_EQ(result.report.status, solve_status::converged) << bits << ": " << result.report.message;
            EXPECT_LE(relative_error(result.x, x), 1e-50) << bits;
            EXPECT_EQ(result.report.preconditioner, preconditioner::ldl) << bits;
        }
    }
}

TEST(complex_symmetric_test, singular_matrices_have_their_rank_and_null_space)
{
    random_integers random{{13}};
    for (int k = 0; k < 12; ++k) {
        // a chain of blocks [1, i; i, -1] of rank 1, of numbers, and of lines of zeros
        complex_symmetric_entries entries{18};
        for (index_t i = 0; i < entries.n; i += 2) {
            const double scale = 1 + random.below(3);
            const int kind = random.below(3);
            entries.set(i, i, scale);
            entries.set(i, i + 1, {0.0, kind == 0 ? scale : 2.0});
            entries.set(i + 1, i + 1, {kind == 0 ? -scale : 1.0, kind == 2 ? 0.5 : 0.0});
        }
        if (k % 3 == 0) {
            entries.set(4, 9, {1.0, 1.0});
        }
        const linear_system a = entries.form();
        const rational_matrix exact = rationals(a);
        const rational_vector image = times(exact, some_vector(random, exact.size()));
        const judgement truth = judge_exactly(exact, image);
        solver by(a, {.digits = 25});
        const solve_result result = by.solve(as_reals(image));
        EXPECT_EQ(result.report.status, solve_status::converged) << k << ": " << result.report.message;
        EXPECT_LE(relative_error(result.x, truth.x), 1e-25) << k;
        ASSERT_TRUE(by.rank());
        EXPECT_EQ(2 * by.rank()->rank, static_cast<index_t>(truth.rank)) << k;
        const std::optional<null_space_basis> null = by.null_space();
        ASSERT_TRUE(null);
        ASSERT_EQ(2 * null->vectors.size(), exact.size() - truth.rank) << k;
        for (const std::vector<real>& v : null->vectors) {
            for (const rational_vector& row : exact) {
                real sum(0.0, 400);
                for (std::size_t j = 0; j < v.size(); ++j) {
                    sum = sum + to_real(row[j], 400) * v[j];
                }
                EXPECT_LT(abs(sum), real(1e-23)) << k;
            }
        }
        if (truth.rank < exact.size()) {
            rational_vector outside = image;
            const rational_matrix adjoint = transposed(exact);
            for (std::size_t i = 0; i < outside.size(); ++i) {
                outside[i] += 1;
            }
            if (!judge_exactly(exact, outside).in_range) {
                EXPECT_EQ(by.solve(as_reals(outside)).report.status, solve_status::breakdown) << k;
            }
        }
    }
}

TEST(complex_symmetric_test, the_plan_takes_half_of_the_work)
{
    const linear_system a = absorbing_grid(30, 30, 0.75).form();
    const system_facts facts = facts_of(a, {});
    const system_facts of_lu = facts_of(a, {.preconditioner = preconditioner::lu});
    EXPECT_TRUE(facts.structure.complex_symmetric);
    EXPECT_EQ(facts.factors.kind, preconditioner::ldl);
    EXPECT_LT(facts.factors.multiply_adds, 0.6 * of_lu.factors.multiply_adds);
    EXPECT_LT(facts.factors.entries, 0.65 * of_lu.factors.entries);
    const analysis found = analyze(a, 0);
    EXPECT_NE(found.condition_note.find("binary64 L D L^T factors"), std::string::npos) << found.condition_note;
}

TEST(complex_symmetric_test, dense_ones_keep_complex_l_u)
{
    complex_symmetric_entries entries{4};
    for (index_t i = 0; i < 4; ++i) {
        for (index_t j = 0; j <= i; ++j) {
            entries.set(i, j, {1.0 + static_cast<double>(i * j), i == j ? 3.0 : 1.0});
        }
    }
    const linear_system a = entries.form();
    const std::vector<real> b(8, real(1.0));
    EXPECT_EQ(facts_of(a, {}).factors.kind, preconditioner::lu);
    EXPECT_EQ(solver(a, {.method = method::refine, .digits = 30}).solve(b).report.preconditioner, preconditioner::lu);
    EXPECT_TRUE(solver(a, {.digits = 30}).determinant()->parts);
    try {
        solver(a, {.method = method::refine, .preconditioner = preconditioner::ldl}).solve(b);
        FAIL();
    } catch (const unsupported_error& e) {
        EXPECT_EQ(std::string(e.what()),
                  "the preconditioner ldl needs a hermitian matrix, and this one is not: use lu");
    }
    EXPECT_THROW(solver(absorbing_grid(5, 5, 0.75).form()).inertia(), unsupported_error);
    const linear_system sparse = absorbing_grid(5, 5, 0.75).form();
    const solve_options definite{.method = method::refine, .preconditioner = preconditioner::cholesky};
    EXPECT_THROW(solver(sparse, definite).solve(std::vector<real>(50, real(1.0))), unsupported_error);
}

}  // namespace
}  // namespace residua
