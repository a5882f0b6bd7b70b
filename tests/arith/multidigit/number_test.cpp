#include <cmath>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

#include <residua/arith/multidigit/number.hpp>
#include <residua/arith/multidigit/real.hpp>
#include <residua/io/error.hpp>

#include "tests/support/biased_random.hpp"

using namespace residua;

namespace {

TEST(multidigit_format, has_64_to_4096_bits)
{
    EXPECT_THROW(multidigit_format(63), unsupported_error);
    EXPECT_THROW(multidigit_format(4097), unsupported_error);
    EXPECT_EQ(multidigit_format(64).digits(), 2);
    EXPECT_EQ(multidigit_format(4096).digits(), 128);
    EXPECT_EQ(multidigit_format(212).bytes(), 32.0);
}

TEST(multidigit_number, has_the_bits_of_real_at_every_precision)
{
    support::biased_random random;
    SCOPED_TRACE(random.trace());
    for (long p = 64; p <= 4096; p += p < 700 ? 1 : 37) {
        const multidigit_format format(p);
        const auto any = [&] {
            real x(random.value(-3, 3), p);
            for (long bits = 50; bits < p; bits += 50) {
                x += real(std::ldexp(random.value(0, 1), static_cast<int>(-bits % 1000)), p) *
                     pow(real(0.5, p), bits / 1000 * 1000);
            }
            return x;
        };
        const real x = any();
        const real y = any();
        const multidigit_number a(format, x);
        const multidigit_number b(format, y);

        ASSERT_EQ(to_real(a), x) << p;
        ASSERT_EQ(to_real(a + b), x + y) << p;
        ASSERT_EQ(to_real(a - b), x - y) << p;
        ASSERT_EQ(to_real(a * b), x * y) << p;
        ASSERT_EQ(to_real(a / b), x / y) << p;
        ASSERT_EQ(to_real(sqrt(abs(a))), sqrt(abs(x))) << p;
        ASSERT_EQ(to_real(ldexp(-a, -70)), ldexp(-x, -70)) << p;
        ASSERT_EQ(to_double(a), to_double(x)) << p;
        ASSERT_EQ(exponent(a), exponent(x)) << p;
        ASSERT_EQ(a < b, x < y) << p;
        ASSERT_TRUE(a == a && is_finite(a));
    }
}

/// Whether reals of any precision are rounded once to p bits, in digits of this type.
template <class Digit, int N>
void expect_one_rounding(support::biased_random& random)
{
    for (int p = 64; p <= N * 8 * static_cast<int>(sizeof(Digit)); p += 5) {
        for (const long bits : {24L, 64L, 65L, long{p}, p + 1L, 2L * p, 700L}) {
            const real x = ldexp(real(random.value(-3, 3), bits) / real(3.0, bits), random.integer(-3000, 3000));
            for (const real& each : {x, -x, x.with_precision(p) + ldexp(x, -p), ldexp(real(1.0, 700), p) + real(0.5)}) {
                const real rounded = each.with_precision(p);
                const auto y = from_real<Digit, N>(each, p);
                ASSERT_EQ(to_real(y), rounded) << p << " of " << bits << " bits";
                ASSERT_EQ(y.exponent, exponent(rounded));
                ASSERT_EQ(y.negative, sign(rounded) < 0);
            }
        }
    }
}

TEST(multidigit_float, is_the_nearest_of_a_real_of_any_precision)
{
    support::biased_random random;
    SCOPED_TRACE(random.trace());
    expect_one_rounding<std::uint32_t, 2>(random);
    expect_one_rounding<std::uint32_t, 3>(random);
    expect_one_rounding<std::uint32_t, 7>(random);
    expect_one_rounding<std::uint64_t, 1>(random);
    expect_one_rounding<std::uint64_t, 4>(random);
}

TEST(multidigit_number, says_what_has_no_value)
{
    const multidigit_format format(212);
    const multidigit_number zero(format);
    const multidigit_number one(format, 1.0);

    EXPECT_FALSE(is_finite(one / zero));
    EXPECT_FALSE(is_finite(sqrt(-one)));
    EXPECT_FALSE(zero / zero == zero / zero);
    EXPECT_FALSE(is_finite(multidigit_number(format, std::numeric_limits<double>::infinity())));
    EXPECT_EQ(to_double(zero), 0.0);
    EXPECT_EQ(to_double(multidigit_number(format, 0x1p-1074)), 0x1p-1074);
}

TEST(multidigit_number, refuses_to_mix_precisions)
{
    const multidigit_number a(multidigit_format(212), 1.0);
    const multidigit_number b(multidigit_format(213), 1.0);
    EXPECT_THROW(a + b, error);
    EXPECT_THROW((void)(a < b), error);
}

}  // namespace
