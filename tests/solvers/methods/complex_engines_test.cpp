// Engines with complex scalars against Eigen over pairs of MPFR numbers.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/build/engine.hpp>
#include <residua/solvers/precond/made_preconditioner.hpp>

#include "tests/support/complex_systems.hpp"
#include "tests/support/krylov.hpp"

using namespace residua;
using namespace residua::support;

namespace {

/// The correction of an engine for the real form of a complex system.
correction engine_correction(const arithmetic& in, engine_request request, long_vector& b, double tolerance)
{
    stop_rule rule;
    rule.relative_residual = tolerance;
    rule.max_iterations = 500;
    std::vector<correction> columns{{.r = b, .rule = rule}};
    make_engine(in, request)->correct(columns);
    return columns.front();
}

std::vector<arithmetic> formats_of_engines()
{
    return {{number_format::native, 53},      {number_format::expansion, 106}, {number_format::expansion, 159},
            {number_format::expansion, 212},  {number_format::expansion, 318}, {number_format::expansion, 424},
            {number_format::multidigit, 200}, {number_format::rns, 106}};
}

}  // namespace

TEST(complex_engines, have_complex_scalars_in_every_format)
{
    const complex_rows general = random_rows(30, {1.5, 1.0});
    complex_rows symmetric = general;
    for (std::size_t i = 0; i < 30; ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            symmetric[i][j] = symmetric[j][i];
        }
    }
    const std::vector<double> parts = random_parts(30);
    long_vector b = long_vector::exactly({parts.begin(), parts.end()});
    for (const method_traits& each : all_methods()) {
        if (!each.complex_scalars) {
            continue;
        }
        const complex_rows& a = each.complex_symmetric ? symmetric : general;
        const scaled_matrix matrix = unscaled(rows_of(real_form(a)), false);
        const std::vector<real> reference = complex_reference(a, parts);
        for (const arithmetic& in : formats_of_engines()) {
            engine_request request{.matrix = matrix, .method = each.method, .complex = true};
            const double tolerance = in.bits > 60 ? 1e-24 : 1e-12;
            const correction made = engine_correction(in, request, b, tolerance);
            const std::string what = std::string(each.name) + " " + std::to_string(in.bits);
            EXPECT_EQ(made.report.status, solve_status::converged) << what << " " << made.report.message;
            EXPECT_LE(distance(made.d.numbers(), reference), 100.0 * tolerance) << what;

            request.complex = false;
            const correction in_real_numbers = engine_correction(in, request, b, tolerance);
            if (each.method == method::gmres) {
                EXPECT_LE(made.report.iterations, 30) << what;
                EXPECT_GT(in_real_numbers.report.iterations, made.report.iterations) << what;
            }
        }
    }
}

// Incomplete factors of a real form leave out entries of one part of a number, and round both parts apart: as they are, they
// let a correction have 16 digits at most. Both kinds of Jacobi are real forms and taken as they are.
TEST(complex_engines, take_the_complex_linear_part_of_a_preconditioner)
{
    const complex_rows a = shifted_laplacian(8, {0.6, -0.5});
    scaled_matrix matrix = unscaled(rows_of(real_form(a)), false);
    matrix.complex = true;
    const std::vector<double> parts = random_parts(64);
    const std::vector<real> reference = complex_reference(a, parts);
    long_vector b = long_vector::exactly({parts.begin(), parts.end()});
    for (const preconditioner p :
         {preconditioner::ilu0, preconditioner::ssor, preconditioner::jacobi, preconditioner::block_jacobi}) {
        const made_preconditioner by = make_preconditioner(p, matrix);
        ASSERT_EQ(by.failure, "");
        EXPECT_EQ(by.inverse && by.inverse->complex, by.inverse.has_value());
        for (const method_traits& each : all_methods()) {
            if (!each.complex_scalars) {
                continue;
            }
            engine_request request{.matrix = matrix, .method = each.method, .restart = 64, .complex = true};
            request.triangles = by.factors ? &*by.factors : nullptr;
            request.inverse = by.inverse ? &*by.inverse : nullptr;
            const correction made = engine_correction({number_format::expansion, 212}, request, b, 1e-50);
            const std::string what = std::string(each.name) + " " + std::string(to_string(p));
            EXPECT_EQ(made.report.status, solve_status::converged) << what << " " << made.report.message;
            EXPECT_LE(made.report.iterations, each.restarts ? 64 : 130) << what;
            EXPECT_LE(distance(made.d.numbers(), reference), 1e-48) << what;
        }
    }
}

TEST(complex_engines, leave_methods_with_real_scalars_as_they_are)
{
    const scaled_matrix matrix = unscaled(rows_of(real_form(hermitian_rows(20, 2.5))), true);
    long_vector b = long_vector::exactly([] {
        const std::vector<double> parts = random_parts(20);
        return std::vector<real>(parts.begin(), parts.end());
    }());
    for (const method_traits& each : all_methods()) {
        if (each.complex_scalars || each.dense || each.by_factors) {
            continue;
        }
        engine_request request{.matrix = matrix, .method = each.method};
        const correction of_real = engine_correction({number_format::expansion, 106}, request, b, 1e-20);
        request.complex = true;
        const correction of_complex = engine_correction({number_format::expansion, 106}, request, b, 1e-20);
        EXPECT_EQ(of_real.report.iterations, of_complex.report.iterations) << each.name;
        EXPECT_TRUE(of_real.d.numbers() == of_complex.d.numbers()) << each.name;
    }
}

TEST(complex_engines, bound_a_cycle_by_the_number_of_complex_unknowns_and_refuse_an_odd_number_of_rows)
{
    const complex_rows a = random_rows(8, {1.0, 1.0});
    const scaled_matrix matrix = unscaled(rows_of(real_form(a)), false);
    const std::vector<double> parts = random_parts(8);
    long_vector b = long_vector::exactly({parts.begin(), parts.end()});
    engine_request request{.matrix = matrix, .method = method::gmres, .complex = true};
    const correction made = engine_correction({number_format::expansion, 106}, request, b, 1e-25);
    EXPECT_EQ(made.report.status, solve_status::converged);
    EXPECT_LE(made.report.iterations, 8);

    const scaled_matrix odd = unscaled(rows_of(poisson_1d(5)), true);
    const engine_request refused{.matrix = odd, .method = method::gmres, .complex = true};
    EXPECT_THROW((void)make_engine({number_format::expansion, 106}, refused), dimension_error);
}
