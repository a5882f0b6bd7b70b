#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include <residua/solvers/assess/condition.hpp>
#include <residua/solvers/assess/inverse.hpp>
#include <residua/solvers/session/factor_store.hpp>
#include <residua/solvers/solver.hpp>

#include "tests/support/scale.hpp"
#include "tests/support/systems.hpp"

using namespace residua;
using namespace residua::support;

namespace {

using dense = std::vector<std::vector<double>>;

apply_in_place product_with(const dense& b, bool transposed)
{
    return [&b, transposed](std::vector<scaled_doubles>& columns) {
        for (scaled_doubles& v : columns) {
            scaled_doubles w(v.size());
            for (std::size_t i = 0; i < v.size(); ++i) {
                for (std::size_t j = 0; j < v.size(); ++j) {
                    w[i] = w[i] + scaled_double(transposed ? b[j][i] : b[i][j]) * v[j];
                }
            }
            v = w;
        }
    };
}

dense random_matrix(std::size_t n, std::mt19937_64& random)
{
    std::normal_distribution<double> value;
    dense b(n, std::vector<double>(n));
    for (auto& row : b) {
        for (double& x : row) {
            x = value(random);
        }
    }
    return b;
}

double norm1(const dense& b)
{
    double largest = 0.0;
    for (std::size_t j = 0; j < b.size(); ++j) {
        double sum = 0.0;
        for (std::size_t i = 0; i < b.size(); ++i) {
            sum += std::abs(b[i][j]);
        }
        largest = std::max(largest, sum);
    }
    return largest;
}

}  // namespace

TEST(estimate_norm1_test, is_a_lower_bound_within_a_factor_of_3)
{
    std::mt19937_64 random(20);
    for (int trial = 0; trial < 200; ++trial) {
        const dense b = random_matrix(1 + static_cast<std::size_t>(trial) % 40, random);

        const double estimate =
            to_double(estimate_norm1(static_cast<index_t>(b.size()), product_with(b, false), product_with(b, true)));

        EXPECT_LE(estimate, norm1(b) * (1.0 + 1e-14));
        EXPECT_GE(estimate, norm1(b) / 3.0);
    }
}

TEST(estimate_norm1_test, is_the_norm_up_to_12_rows)
{
    std::mt19937_64 random(21);
    std::uniform_int_distribution<int> exponent(-60, 60);
    for (int trial = 0; trial < 2000; ++trial) {
        dense b = random_matrix(1 + static_cast<std::size_t>(trial) % 12, random);
        for (auto& row : b) {
            for (double& x : row) {
                x = std::ldexp(x, exponent(random));
            }
        }
        const double norm =
            to_double(estimate_norm1(static_cast<index_t>(b.size()), product_with(b, false), product_with(b, true)));
        ASSERT_NEAR(norm, norm1(b), 1e-14 * norm1(b)) << trial;
    }
}

TEST(estimate_norm1_test, sees_through_a_matrix_that_hides_from_the_first_vector)
{
    // columns alternate in sign: the average of all columns is zero
    const dense b{{1e6, -1e6}, {-1e6, 1e6}};

    EXPECT_GE(to_double(estimate_norm1(2, product_with(b, false), product_with(b, true))), 2e6 / 3.0);
}

TEST(estimate_error_inf_test, matches_the_norms_computed_entry_by_entry)
{
    std::mt19937_64 random(21);
    for (int trial = 0; trial < 100; ++trial) {
        const std::size_t n = trial % 2 == 0 ? 8 : 30;  // by columns, and by estimates
        const dense inverse = random_matrix(n, random);
        scaled_doubles f(n), r(n);
        for (std::size_t i = 0; i < n; ++i) {
            f[i] = std::abs(std::normal_distribution<double>()(random));
            r[i] = std::normal_distribution<double>()(random);
        }
        double possible = 0.0, seen = 0.0;
        for (std::size_t i = 0; i < n; ++i) {
            double sum = 0.0, of_r = 0.0;
            for (std::size_t j = 0; j < n; ++j) {
                sum += std::abs(inverse[i][j]) * to_double(f[j]);
                of_r += inverse[i][j] * to_double(r[j]);
            }
            possible = std::max(possible, sum);
            seen = std::max(seen, std::abs(of_r));
        }

        const error_norms found = estimate_error_inf(f, r, product_with(inverse, false), product_with(inverse, true));

        EXPECT_LE(to_double(found.possible), possible * (1.0 + 1e-13));
        EXPECT_GE(to_double(found.possible), possible / 3.0);
        EXPECT_NEAR(to_double(found.seen), seen, 1e-12 * seen);
    }
}

TEST(condition_test, agrees_with_the_published_condition_numbers)
{
    const auto dir = matrix_dir();
    if (!dir) {
        GTEST_SKIP() << "RESIDUA_MATRIX_DIR is not set";
    }
    struct known {
        const char* name;
        double condition1;
    };
    for (const known& k : {known{"bcsstk01", 1.6e6}, known{"LFAT5", 2.07e8}, known{"west0479", 1.42e12},
                           known{"impcol_b", 2.67e5}, known{"sherman5", 3.9e5}}) {
        const linear_system system = system_of(read_binary64((*dir / "public" / k.name).string() + ".mtx"));
        const scaled_matrix matrix = scale(system, false);

        sparse_analyses analyses;
        const factor_level factors = make_binary64_level(system, matrix, preconditioner::automatic, true, analyses);

        ASSERT_TRUE(factors.condition.has_value()) << k.name;
        const double condition = to_double(factors.condition->condition);
        EXPECT_LE(condition, k.condition1 * 1.02) << k.name;
        EXPECT_GE(condition, k.condition1 / 3.0) << k.name;
    }
}

TEST(condition_test, sees_beyond_binary64_with_dense_factors)
{
    const auto dir = matrix_dir();
    if (!dir) {
        GTEST_SKIP() << "RESIDUA_MATRIX_DIR is not set";
    }
    const linear_system system = system_of(read_binary64((*dir / "public/fidapm05.mtx").string()));

    const std::optional<condition_estimate> known = solver(system).condition();

    ASSERT_TRUE(known.has_value());
    EXPECT_GT(to_double(known->condition), 1e28);
    EXPECT_LT(to_double(known->condition), 1e34);
}

TEST(condition_test, is_not_bound_to_the_range_of_a_double)
{
    // diag(1, 1e-500) [[2, 1], [1, 2]] diag(1, 1e-500): the condition is near 1e1000, the factors are fine
    io::coo<real> a{2, 2, {0, 0, 1, 1}, {0, 1, 0, 1}, {}};
    a.value = {real(2.0), real("1e-500", 106), real("1e-500", 106), real("2e-1000", 106)};
    const linear_system system = make_system(a, {real(1.0), real(1.0)});
    const scaled_matrix matrix = scale(system, true);

    sparse_analyses analyses;
    const factor_level factors = make_binary64_level(system, matrix, preconditioner::automatic, true, analyses);

    ASSERT_TRUE(factors.condition.has_value());
    EXPECT_TRUE(factors.trusted());
    EXPECT_LT(factors.condition->scaled, 100.0);
    // ||inverse(A)||_1 = 2/3 1e1000 + ..., ||A||_1 = 2 + 1e-500
    const double ratio = to_double(factors.condition->condition / real("1.3333333333333333e1000", 106));
    EXPECT_NEAR(ratio, 1.0, 1e-6);
}
