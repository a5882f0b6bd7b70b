// Numbers that are kept between corrections, against MPFR.
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/space/long_vector.hpp>

#include "tests/support/biased_random.hpp"

using namespace residua;
using namespace residua::support;

namespace {

/// Numbers of so many bits, among them zeros and short ones, with exponents up to `widest`.
std::vector<real> numbers_of(long bits, int widest, biased_random& random)
{
    std::vector<real> v;
    for (int i = 0; i < 70; ++i) {
        real x = real(random.with_random_sign(1.0), bits);
        for (int k = 0; k < (random.one_in(4) ? 1 : 8); ++k) {
            x = x + ldexp(real(random.integer(1, 1 << 20), bits), -20 - random.integer(0, static_cast<int>(bits)));
        }
        v.push_back(random.one_in(9) ? real(0.0, bits) : ldexp(x, random.integer(-widest, widest)));
    }
    return v;
}

}  // namespace

TEST(long_vector_test, holds_numbers_exactly_and_rounds_them_once)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    for (const long bits : {53L, 64L, 100L, 212L, 1000L, 4096L}) {
        const std::vector<real> v = numbers_of(bits, 500, random);
        const long_vector x = long_vector::exactly(v);
        ASSERT_FALSE(x.in_mpfr());
        EXPECT_LE(x.bits(), std::max(bits, 64L));
        EXPECT_EQ(x.numbers(), v);
        for (const long to : {30L, 53L, 64L, 77L, 212L}) {
            const std::vector<real> rounded = x.numbers(to);
            const long_vector same_place = x.rounded(to);
            for (std::size_t i = 0; i < v.size(); ++i) {
                EXPECT_EQ(rounded[i], v[i].with_precision(to)) << bits << " to " << to;
            }
            EXPECT_EQ(same_place.numbers(), rounded);
        }
        const scaled_doubles leading = x.leading();
        for (std::size_t i = 0; i < v.size(); ++i) {
            EXPECT_LE(abs(to_real(leading[i]).with_precision(bits + 64) - v[i]), ldexp(abs(v[i]), -52));
        }
    }
}

TEST(long_vector_test, sums_are_rounded_and_norms_are_those_of_mpfr)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    for (const long bits : {64L, 106L, 300L}) {
        const std::vector<real> u = numbers_of(bits, 100, random);
        const std::vector<real> v = numbers_of(2 * bits, 100, random);
        const std::vector<real> sum = long_vector::exactly(u).plus(long_vector::exactly(v), 3 * bits).numbers();
        const std::vector<real> in_mpfr = long_vector(u).plus(long_vector::exactly(v), 3 * bits).numbers();
        for (std::size_t i = 0; i < u.size(); ++i) {
            EXPECT_EQ(sum[i], (u[i].with_precision(3000) + v[i]).with_precision(3 * bits));
            EXPECT_EQ(in_mpfr[i], sum[i]);
        }
        const long_vector x = long_vector::exactly(v);
        const long_vector y(v);
        EXPECT_EQ(x.norm_inf(), y.norm_inf());
        EXPECT_LE(abs(x.norm2() - y.norm2()), ldexp(y.norm2(), -58));
    }
}

TEST(long_vector_test, leaves_to_mpfr_what_multidigit_floats_do_not_hold)
{
    const real third = real(1.0, 4097) / real(3.0, 4097);
    EXPECT_TRUE(long_vector::exactly({third}).in_mpfr());
    EXPECT_TRUE(long_vector::exactly({ldexp(real(1.0), 2000000)}).in_mpfr());
    EXPECT_TRUE(long_vector::exactly({ldexp(real(1.0), -2000000), real(1.0)}).in_mpfr());
    EXPECT_TRUE(long_vector::exactly({real(std::numeric_limits<double>::infinity())}).in_mpfr());
    EXPECT_FALSE(long_vector::exactly({real(1.0, 8000)}).in_mpfr());  // of few bits all the same
    const long_vector one = long_vector::exactly({real(1.0)});
    const long_vector sum = one.plus(long_vector({third}), 8000);
    EXPECT_TRUE(sum.in_mpfr());
    EXPECT_EQ(sum.numbers().front(), real(1.0, 8000) + third);
    const long_vector mixed = one.plus(long_vector({real(0.25)}), 64);
    EXPECT_FALSE(mixed.in_mpfr());
    EXPECT_EQ(mixed.numbers().front(), real(1.25));
}

TEST(long_vector_test, says_what_is_zero_and_what_is_not_finite)
{
    EXPECT_TRUE(long_vector::zeros(3).is_zero());
    EXPECT_TRUE(long_vector(std::vector<real>{real(0.0)}).is_zero());
    EXPECT_FALSE(long_vector::exactly({real(0.0), real(1e-300)}).is_zero());
    EXPECT_TRUE(long_vector::exactly({real(1e300)}).is_finite());
    EXPECT_FALSE(long_vector({real(1.0), real(std::nan(""))}).is_finite());
    vector<host_executor, multidigit> v(multidigit_format(64), 2);
    v.set(1, multidigit_number(v.format(), std::nan("")));
    EXPECT_FALSE(long_vector(host_executor{}, v, 64).is_finite());
    EXPECT_TRUE(std::isnan(long_vector(host_executor{}, v, 64).leading()[1].m));
}

TEST(scaled_double_test, operations_are_those_of_mpfr_at_any_size)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    const auto any = [&] {
        return scaled_double::normalized(
            random.with_random_sign(1.0 + random.integer(0, 1 << 30) * 0x1p-30),
            random.one_in(2) ? random.integer(-60, 60) : random.integer(-1000000, 1000000));
    };
    const auto expect_near = [](const scaled_double& got, const real& exact) {
        EXPECT_LE(abs(to_real(got).with_precision(200) - exact), ldexp(abs(exact), -52)) << exact;
    };
    for (int k = 0; k < 500; ++k) {
        const scaled_double a = any(), b = any();
        const real x = to_real(a).with_precision(200), y = to_real(b).with_precision(200);
        EXPECT_EQ(a < b, x < y);
        expect_near(a * b, x * y);
        expect_near(a / b, x / y);
        const real sum = x.with_precision(3000000) + y;
        EXPECT_LE(abs(to_real(a + b).with_precision(3000000) - sum), ldexp(max(abs(x), abs(y)), -52));
        EXPECT_TRUE(is_zero(a + scaled_double(-1.0) * a));
        expect_near(ldexp(a, 77), ldexp(x, 77));
        EXPECT_EQ(to_real(scaled_double(x)), to_real(a));
    }
    const scaled_double infinite(std::numeric_limits<double>::infinity());
    EXPECT_FALSE(is_finite(infinite + any()));
    EXPECT_FALSE(is_finite(scaled_double(1.0) / scaled_double()));
    EXPECT_TRUE(std::isnan(norm_inf({1.0, scaled_double(std::nan("")), 2.0}).m));
    EXPECT_EQ(to_double(norm1({1.0, -2.0, 3.0})), 6.0);
}
