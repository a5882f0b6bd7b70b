#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include <residua/solvers/true_residual.hpp>

#include "tests/support/oracle.hpp"
#include "tests/support/systems.hpp"

using namespace residua;
using namespace residua::support;

TEST(true_residual_test, is_exact_on_integers)
{
    const linear_system system = system_of(from_rows({{2, 1}, {1, 3}}));

    const residual_evaluation at = evaluate_residual(system, {real(1.0), real(2.0)}, real(1e-30));

    EXPECT_EQ(at.r, (std::vector<real>{real(-3.0), real(-6.0)}));
    EXPECT_EQ(at.norm_inf, real(6.0));
    EXPECT_TRUE(is_zero(at.error));
    EXPECT_NEAR(to_double(at.norm2), std::sqrt(45.0), 1e-12);
}

TEST(true_residual_test, keeps_its_error_bound_under_cancellation)
{
    std::mt19937_64 random(31);
    std::uniform_real_distribution<double> value(-1.0, 1.0);
    for (int trial = 0; trial < 200; ++trial) {
        // two rows that cancel to the last bits, exponents far apart
        const double big = std::ldexp(value(random), static_cast<int>(random() % 200));
        linear_system system = system_of(from_rows({{big, 1.0, value(random)}, {big, value(random), 1.0}}));
        system.rows = 2;
        std::vector<real> x;
        for (int j = 0; j < 3; ++j) {
            x.push_back(real(value(random), 300) * real(value(random), 300) / real(3.0));
        }
        for (index_t i = 0; i < 2; ++i) {  // b = A x, rounded to 300 bits
            real b(0.0, 300);
            for (index_t k = system.row_begin[i]; k < system.row_begin[i + 1]; ++k) {
                b += x[system.column[k]] * real(system.values[k]);
            }
            system.b[i] = b;
        }

        const residual_evaluation at = evaluate_residual(system, x, real("1e-200", 64));

        real error(0.0, oracle_bits);
        for (index_t i = 0; i < 2; ++i) {
            real exact = wide(system.b[i]);
            for (index_t k = system.row_begin[i]; k < system.row_begin[i + 1]; ++k) {
                exact -= wide(x[system.column[k]]) * wide(system.values[k]);
            }
            error += (exact - at.r[i]) * (exact - at.r[i]);
        }
        EXPECT_LE(sqrt(error), at.error) << "trial " << trial;
        EXPECT_LE(at.error, real("1e-200", 64));
    }
}

TEST(true_residual_test, holds_numbers_outside_the_range_of_binary64)
{
    io::coo<real> a;
    a.rows = a.cols = 1;
    a.row = a.col = {0};
    a.value = {real("1e400", 200)};
    const linear_system system = make_system(a, {real("3e-100", 400)});

    const residual_evaluation at = evaluate_residual(system, {real("1e-500", 200)}, real("1e-300", 64));

    EXPECT_NEAR(to_double(at.norm2 / real("2e-100", 64)), 1.0, 1e-12);
}

TEST(true_residual_test, refuses_a_vector_of_the_wrong_size)
{
    EXPECT_THROW(evaluate_residual(system_of(poisson_1d(3)), ones(2), real(1.0)), dimension_error);
}
