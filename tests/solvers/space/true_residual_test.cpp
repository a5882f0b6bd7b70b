#include <cmath>
#include <initializer_list>
#include <optional>
#include <random>

#include <gtest/gtest.h>

#include <residua/solvers/assess/condition.hpp>
#include <residua/solvers/matrix/make_csr.hpp>
#include <residua/solvers/matrix/scaled_matrix.hpp>
#include <residua/solvers/matrix/value_range.hpp>
#include <residua/solvers/space/exact_residual.hpp>
#include <residua/solvers/space/true_residual.hpp>

#include "tests/support/oracle.hpp"
#include "tests/support/stopping.hpp"
#include "tests/support/systems.hpp"

using namespace residua;
using namespace residua::support;

namespace {

scaled_doubles leading(const std::vector<real>& v) { return {v.begin(), v.end()}; }

}  // namespace

TEST(true_residual_test, is_exact_on_integers)
{
    const linear_system system = system_of(from_rows({{2, 1}, {1, 3}}));

    const residual_evaluation at = evaluate_residual(system, {real(1.0), real(2.0)}, real(1e-30));

    EXPECT_EQ(at.r.numbers(), (std::vector<real>{real(-3.0), real(-6.0)}));
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

        const std::vector<real> r = at.r.numbers();
        real error(0.0, oracle_bits);
        for (index_t i = 0; i < 2; ++i) {
            real exact = wide(system.b[i]);
            for (index_t k = system.row_begin[i]; k < system.row_begin[i + 1]; ++k) {
                exact -= wide(x[system.column[k]]) * wide(system.values[k]);
            }
            error += (exact - r[i]) * (exact - r[i]);
        }
        EXPECT_LE(sqrt(error), at.error) << "trial " << trial;
        EXPECT_LE(at.error, real("1e-200", 64));
    }
}

TEST(exact_residual_test, every_element_is_the_exact_one_rounded_once)
{
    std::mt19937_64 random(32);
    std::uniform_real_distribution<double> value(-1.0, 1.0);
    for (int trial = 0; trial < 200; ++trial) {
        const index_t n = 1 + static_cast<index_t>(random() % 8);
        const long bits_of_x = 53 + static_cast<long>(random() % 2000);
        std::vector<std::vector<double>> rows(static_cast<std::size_t>(n),
                                              std::vector<double>(static_cast<std::size_t>(n)));
        for (std::vector<double>& row : rows) {
            for (double& a : row) {
                a = std::ldexp(value(random), static_cast<int>(random() % 300) - 150);
            }
        }
        linear_system system = system_of(from_rows(rows));
        std::vector<real> x;
        for (index_t j = 0; j < n; ++j) {
            const real third = real(value(random), bits_of_x) / real(3.0, bits_of_x);
            x.push_back(ldexp(third, static_cast<long>(random() % 4000) - 2000));
        }
        for (index_t i = 0; i < n; ++i) {  // half of the rows cancel to the last bits of x
            real b(0.0, i % 2 == 0 ? bits_of_x : 53);
            for (index_t k = system.row_begin[i]; k < system.row_begin[i + 1]; ++k) {
                b += x[system.column[k]] * real(system.values[k]);
            }
            system.b[i] = b.with_precision(i % 2 == 0 ? bits_of_x : 53);
        }

        const scaled_matrix a = unscaled(system, false);
        matrix_storage storage(a);
        std::optional<residual_matrix> matrix = residual_matrix::of(system, storage);
        ASSERT_TRUE(matrix && matrix->is_binary64());
        long_vector b = long_vector::exactly(system.b);
        const residual_evaluation at = evaluate_exactly(*matrix, b, long_vector::exactly(x));

        EXPECT_TRUE(at.is_rounded_once);
        EXPECT_EQ(b.numbers(20000), long_vector(system.b).numbers(20000));
        const std::vector<real> r = at.r.numbers();
        real squares(0.0, 20000);
        for (index_t i = 0; i < n; ++i) {
            real exact = system.b[i].with_precision(20000);
            for (index_t k = system.row_begin[i]; k < system.row_begin[i + 1]; ++k) {
                exact -= x[system.column[k]].with_precision(20000) * real(system.values[k], 20000);
            }
            const real error = abs(exact - r[i].with_precision(20000));
            EXPECT_LE(error, at.relative_error * abs(exact)) << "trial " << trial << ", row " << i;
            squares += error * error;
        }
        EXPECT_LE(sqrt(squares), at.error) << "trial " << trial;
        EXPECT_LE(at.error, ldexp(at.norm2, -60));
    }
}

TEST(exact_residual_test, at_zero_is_the_right_hand_side)
{
    linear_system system = system_of(from_rows({{2, 1}, {1, 3}}));
    const std::vector<real> b{real(1.0), real(2.0)};
    linear_system spoilt = system;
    spoilt.values = std::vector<double>(4, std::nan(""));  // nothing is to be multiplied
    matrix_storage storage(spoilt);
    long_vector right = long_vector::exactly(b);
    std::optional<residual_matrix> matrix = residual_matrix::of(system, storage);
    const residual_evaluation at = evaluate_exactly(*matrix, right, long_vector::zeros(2));
    EXPECT_EQ(at.r.numbers(53), b);
    EXPECT_TRUE(is_zero(at.error));
    EXPECT_TRUE(matrix->is_binary64());
    system.reading_error = ldexp(real(1.0), -300);
    EXPECT_FALSE(residual_matrix::of(system, storage));
}

namespace {

/// Random entries of up to so many bits, some of them zeros, shorter ones or in the range of binary64 only just.
linear_system long_system(index_t n, long bits, std::mt19937_64& random)
{
    std::uniform_real_distribution<double> value(-1.0, 1.0);
    io::coo<real> a{n, n, {}, {}, {}};
    std::vector<real> b;
    for (index_t i = 0; i < n; ++i) {
        for (index_t j = 0; j < n; ++j) {
            const long own_bits = random() % 5 == 0 ? 20 : bits;
            const real third = real(value(random), own_bits) / real(3.0, own_bits);
            a.row.push_back(i);
            a.col.push_back(j);
            a.value.push_back(random() % 7 == 0 ? real(0.0) : ldexp(third, static_cast<long>(random() % 90) - 45));
        }
        b.push_back(real(value(random), 100));
    }
    return make_system(a, b);
}

matrix_storage no_storage()
{
    return matrix_storage({});  // there are no entries of binary64
}

}  // namespace

TEST(exact_residual_test, of_long_entries_is_rounded_once_too)
{
    std::mt19937_64 random(33);
    std::uniform_real_distribution<double> value(-1.0, 1.0);
    for (int trial = 0; trial < 60; ++trial) {
        const index_t n = 1 + static_cast<index_t>(random() % 40);
        const long bits = 54 + static_cast<long>(random() % (trial % 10 == 0 ? 1500 : 300));
        const linear_system system = long_system(n, bits, random);
        matrix_storage storage = no_storage();
        std::optional<residual_matrix> matrix = residual_matrix::of(system, storage);
        ASSERT_TRUE(matrix);
        if (system.exact.empty()) {
            continue;  // all entries came out short
        }
        ASSERT_FALSE(matrix->is_binary64());
        EXPECT_LE(matrix->bits(), std::max(bits, 64L));
        long_vector b = long_vector::exactly(system.b);
        for (const long bits_of_x : {60L, 220L, 900L, 220L}) {
            std::vector<real> x;
            for (index_t j = 0; j < n; ++j) {
                x.push_back(real(value(random), bits_of_x) / real(7.0, bits_of_x));
            }
            const residual_evaluation at = evaluate_exactly(*matrix, b, long_vector::exactly(x));
            EXPECT_TRUE(at.is_rounded_once);
            EXPECT_GE(at.r.bits(), matrix->bits());
            const std::vector<real> r = at.r.numbers();
            for (index_t i = 0; i < n; ++i) {
                real exact = system.b[i].with_precision(8000);
                for (index_t k = system.row_begin[i]; k < system.row_begin[i + 1]; ++k) {
                    exact -= x[system.column[k]].with_precision(8000) * entry(system, k, 8000);
                }
                EXPECT_LE(abs(exact - r[i].with_precision(8000)), at.relative_error * abs(exact)) << trial << ' ' << i;
            }
        }
    }
}

TEST(exact_residual_test, is_the_same_behind_one_that_was_stopped)
{
    std::mt19937_64 random(71);
    const linear_system system = long_system(20, 300, random);
    matrix_storage storage = no_storage();
    residual_matrix matrix = *residual_matrix::of(system, storage);
    residual_matrix other = matrix;
    long_vector b = long_vector::exactly(system.b);
    const long_vector x = long_vector::exactly(system.b);
    for (const int last : {1, 2}) {
        int asked = 0;
        ASSERT_TRUE(is_stopped([&] { return ++asked == last; }, [&] { evaluate_exactly(matrix, b, x); })) << last;
        EXPECT_EQ(evaluate_exactly(matrix, b, x).r.numbers(), evaluate_exactly(other, b, x).r.numbers()) << last;
        matrix = *residual_matrix::of(system, storage);
    }
}

TEST(exact_residual_test, leaves_to_mpfr_what_is_not_held_exactly)
{
    matrix_storage storage = no_storage();
    io::coo<real> a{1, 1, {0}, {0}, {real("1e-30", 150)}};
    linear_system system = make_system(a, {real(1.0)});
    EXPECT_TRUE(residual_matrix::of(system, storage));
    system.reading_error = ldexp(real(1.0), -300);
    EXPECT_FALSE(residual_matrix::of(system, storage));

    a.value[0] = ldexp(real("0.1", 150), 1L << 21);  // sums would be long
    EXPECT_FALSE(residual_matrix::of(make_system(a, {real(1.0)}), storage));
    a.value[0] = real("0.1", 5000);  // more bits than multi-digit floats have
    EXPECT_FALSE(residual_matrix::of(make_system(a, {real(1.0)}), storage));
}

TEST(matrix_norms_test, by_sums_of_binary64_have_the_bits_of_sums_with_exponents)
{
    std::mt19937_64 random(34);
    std::uniform_real_distribution<double> value(-1.0, 1.0);
    for (int trial = 0; trial < 100; ++trial) {
        const index_t n = 1 + static_cast<index_t>(random() % 30);
        std::vector<std::vector<double>> rows(static_cast<std::size_t>(n),
                                              std::vector<double>(static_cast<std::size_t>(n)));
        for (std::vector<double>& row : rows) {
            for (double& a : row) {
                a = random() % 6 == 0 ? 0.0 : std::ldexp(value(random), static_cast<int>(random() % 200) - 100);
            }
        }
        linear_system system = system_of(from_rows(rows));
        const scaled_double by_rows = matrix_norm_inf(system), by_columns = matrix_norm1(system);
        const bool is_safe = value_range(system).is_safe();
        for (double& a : system.values.own()) {
            a = std::ldexp(a, -950);  // where sums need exponents
        }
        EXPECT_FALSE(is_safe && value_range(system).is_safe() && value_range(system).greatest > 0.0);
        if (value_range(system).least >= 0x1p-1022) {  // nothing is rounded
            EXPECT_EQ(to_real(matrix_norm_inf(system)), ldexp(to_real(by_rows), -950));
            EXPECT_EQ(to_real(matrix_norm1(system)), ldexp(to_real(by_columns), -950));
        }
    }
}

TEST(value_range_test, by_hand)
{
    const auto of = [](std::initializer_list<double> row) {
        return value_range(system_of(from_rows({std::vector<double>(row)})));
    };
    const value_range usual = of({3.0, 0.0, -0.25, 1.0, 1.0, 1.0, 1.0, 1.0, -8.0});
    EXPECT_TRUE(usual.is_safe());
    EXPECT_EQ(usual.least, 0.25);
    EXPECT_EQ(usual.greatest, 8.0);
    EXPECT_EQ(usual.least_exponent(), -1);
    EXPECT_EQ(usual.greatest_exponent(), 4);
    EXPECT_TRUE(of({0.0, 0.0}).is_zero());
    EXPECT_FALSE(of({1.0, 0x1p-1060}).is_told);
    EXPECT_FALSE(of({1.0, 0x1p500}).is_safe());
    EXPECT_FALSE(of({1.0, 0x1p-500}).is_safe());

    io::coo<real> a{1, 2, {0, 0}, {0, 1}, {real("0.1", 100), ldexp(real("0.1", 100), -2000)}};
    EXPECT_FALSE(value_range(make_system(a, {real(1.0)})).is_told);  // the second one is zero in binary64
    a.value[1] = real(7.0);
    EXPECT_TRUE(value_range(make_system(a, {real(1.0)})).is_safe());
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

TEST(norm2_test, neither_overflows_nor_underflows)
{
    for (const long e : {0L, 540000000L, -540000000L, 1000000000L, -1000000000L}) {
        const std::vector<real> v{ldexp(real(3.0), e), real(0.0), ldexp(real(-4.0), e)};
        EXPECT_EQ(norm2(v), ldexp(real(5.0), e)) << e;
    }
    EXPECT_TRUE(is_zero(norm2({real(0.0)})));
    EXPECT_TRUE(is_nan(norm2({real(1.0), real(std::nan(""))})));
}

TEST(true_residual_test, refuses_a_vector_of_the_wrong_size)
{
    EXPECT_THROW(evaluate_residual(system_of(poisson_1d(3)), ones(2), real(1.0)), dimension_error);
}

TEST(backward_error_test, by_hand)
{
    // r = (1, -2), |A| |x| + |b| = (3 + 4, 8 + 6)
    linear_system system = system_of(from_rows({{1, -1}, {4, 0}}));
    system.b = {real(4.0), real(6.0)};
    const std::vector<real> x{real(2.0), real(-1.0)};

    const scaled_doubles sizes = residual_sizes(system, leading(system.b), leading(x));
    const residual_evaluation at = evaluate_residual(system, x, real(1e-30));

    EXPECT_EQ(to_double(sizes[0]), 7.0);
    EXPECT_EQ(to_double(sizes[1]), 14.0);
    EXPECT_NEAR(to_double(componentwise_backward_error(at, sizes)), 1.0 / 7.0, 1e-15);
}

TEST(backward_error_test, of_a_row_of_nothing_is_zero)
{
    linear_system system = system_of(from_rows({{1, 0}, {0, 1}}));
    system.b = {real(1.0), real(0.0)};
    const std::vector<real> x{real(1.0), real(0.0)};

    const residual_evaluation at = evaluate_residual(system, x, real(1e-30));

    EXPECT_TRUE(is_zero(componentwise_backward_error(at, residual_sizes(system, leading(system.b), leading(x)))));
}

TEST(backward_error_test, is_the_exact_one_whatever_rows_are_scaled_by)
{
    std::mt19937_64 random(32);
    std::uniform_real_distribution<double> value(-1.0, 1.0);
    for (int trial = 0; trial < 200; ++trial) {
        constexpr index_t n = 5;
        std::vector<std::vector<double>> rows(n, std::vector<double>(n));
        for (auto& row : rows) {
            const int scale = static_cast<int>(random() % 300) - 150;
            for (double& a : row) {
                a = std::ldexp(value(random), scale);
            }
        }
        linear_system system = with_solution_ones(from_rows(rows));
        std::vector<real> x;
        for (index_t j = 0; j < n; ++j) {  // near the solution, so that rows cancel
            x.push_back(real(1.0, 300) + ldexp(real(value(random), 300), -static_cast<long>(random() % 250)));
        }

        const residual_evaluation at = evaluate_residual(system, x, ldexp(norm2(system.b), -300));
        const std::vector<real> evaluated = at.r.numbers();
        const real got = componentwise_backward_error(at, residual_sizes(system, leading(system.b), leading(x)));

        real exact(0.0, oracle_bits);
        for (index_t i = 0; i < n; ++i) {
            real r = wide(system.b[i]);
            real size = abs(wide(system.b[i]));
            for (index_t k = system.row_begin[i]; k < system.row_begin[i + 1]; ++k) {
                const real product = wide(x[system.column[k]]) * wide(system.values[k]);
                r -= product;
                size += abs(product);
            }
            exact = max(exact, abs(r) / size);
            EXPECT_LE(abs(r - evaluated[i]), at.relative_error * size) << "trial " << trial << " row " << i;
        }
        EXPECT_LE(abs(got - exact), ldexp(exact, -20)) << "trial " << trial;
    }
}
