#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <residua/arith/base/bits.hpp>

#include "tests/support/biased_random.hpp"
#include "tests/support/scale.hpp"

namespace residua {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double largest = std::numeric_limits<double>::max();
constexpr double smallest = std::numeric_limits<double>::denorm_min();

// By hand, at compile time.
static_assert(pow2(0) == 1.0 && pow2(-1) == 0.5 && pow2(1023) == 0x1p1023);
static_assert(pow2(-1022) == 0x1p-1022 && pow2(-1023) == 0x1p-1023 && pow2(-1074) == smallest);
static_assert(pow2(-1075) == 0.0 && pow2(1024) == infinity);
static_assert(pow2(-2000000000) == 0.0 && pow2(2000000000) == infinity);

static_assert(floor_log2(1.0) == 0 && floor_log2(-1.5) == 0 && floor_log2(0x1.fffffffffffffp0) == 0);
static_assert(floor_log2(largest) == 1023 && floor_log2(0x1p-1022) == -1022);
static_assert(floor_log2(0x1.8p-1023) == -1023 && floor_log2(-smallest) == -1074);
static_assert(floor_log2(0.0) == std::numeric_limits<int>::min());
static_assert(floor_log2(-0.0) == std::numeric_limits<int>::min());
static_assert(floor_log2(infinity) == 1024 && floor_log2(nan) == 1024);

static_assert(ufp(1.75) == 1.0 && ufp(-1.75) == 1.0 && ufp(0x1.8p-1070) == 0x1p-1070);
static_assert(ufp(smallest) == smallest && ufp(0.0) == 0.0 && ufp(-0.0) == 0.0);
static_assert(ufp(largest) == 0x1p1023 && ufp(infinity) == infinity);

static_assert(ulp(1.0) == 0x1p-52 && ulp(-1.99) == 0x1p-52 && ulp(2.0) == 0x1p-51);
static_assert(ulp(0.0) == smallest && ulp(0x1p-1022) == smallest && ulp(0x1p-1021) == 2 * smallest);
static_assert(ulp(largest) == 0x1p971 && ulp(-infinity) == infinity);

static_assert(ceil_pow2(1.0) == 1.0 && ceil_pow2(-1.25) == 2.0 && ceil_pow2(3.0) == 4.0);
static_assert(ceil_pow2(0.0) == 0.0 && ceil_pow2(3 * smallest) == 4 * smallest);
static_assert(ceil_pow2(0x1p1023) == 0x1p1023);

static_assert(scale_pow2(3.0, 4) == 48.0 && scale_pow2(smallest, 2097) == 0x1p1023);
static_assert(scale_pow2(0x1p1023, -2097) == smallest);

TEST(bits, powers_of_two_beyond_the_range_are_infinite)  // not constant expressions
{
    EXPECT_EQ(ceil_pow2(largest), infinity);
    EXPECT_EQ(scale_pow2(largest, 1), infinity);
    EXPECT_EQ(scale_pow2(-smallest, 2098), -infinity);
}

/// A bit pattern drawn uniformly, so that every exponent comes, or a biased value.
double any_pattern(support::biased_random& random)
{
    return random.one_in(2) ? from_bits(random.bits()) : random.any();
}

TEST(bits, floor_log2_agrees_with_ilogb)
{
    support::biased_random random;
    SCOPED_TRACE(random.trace());

    for (auto i = support::scaled(1'000'000); i > 0; --i) {
        const double x = any_pattern(random);
        if (x != 0.0 && std::isfinite(x)) {
            ASSERT_EQ(floor_log2(x), std::ilogb(x)) << std::hexfloat << x;
        }
    }
}

TEST(bits, ufp_and_ceil_pow2_are_the_powers_of_two_around_a_number)
{
    support::biased_random random;
    SCOPED_TRACE(random.trace());

    for (auto i = support::scaled(1'000'000); i > 0; --i) {
        const double x = any_pattern(random);
        if (x != 0.0 && std::isfinite(x)) {
            int e = 0;
            const double m = std::fabs(std::frexp(x, &e));
            ASSERT_EQ(ufp(x), std::ldexp(0.5, e)) << std::hexfloat << x;
            ASSERT_EQ(ceil_pow2(x), std::ldexp(m == 0.5 ? 0.5 : 1.0, e)) << std::hexfloat << x;
        }
    }
}

TEST(bits, ulp_is_the_distance_to_the_next_number_away_from_zero)
{
    support::biased_random random;
    SCOPED_TRACE(random.trace());

    for (auto i = support::scaled(1'000'000); i > 0; --i) {
        const double x = std::fabs(any_pattern(random));
        if (x < largest) {
            ASSERT_EQ(ulp(x), std::nextafter(x, infinity) - x) << std::hexfloat << x;
        }
    }
}

TEST(bits, scale_pow2_rounds_once_as_ldexp_does)
{
    support::biased_random random;
    SCOPED_TRACE(random.trace());

    for (auto i = support::scaled(2'000'000); i > 0; --i) {
        const double x = any_pattern(random);
        const int to_subnormal = std::isfinite(x) && x != 0.0 ? -1050 - std::ilogb(x) : 0;
        const int k = random.one_in(2) ? to_subnormal + random.integer(-30, 30) : random.integer(-2300, 2300);
        const double expected = std::ldexp(x, k);
        if (std::isnan(x)) {
            ASSERT_TRUE(std::isnan(scale_pow2(x, k)));
        } else {
            ASSERT_EQ(to_bits(scale_pow2(x, k)), to_bits(expected)) << std::hexfloat << x << " " << k;
        }
    }
}

TEST(bits, scale_pow2_takes_every_int)
{
    constexpr int most = std::numeric_limits<int>::max();
    constexpr int least = std::numeric_limits<int>::min();

    EXPECT_EQ(scale_pow2(smallest, most), infinity);
    EXPECT_EQ(to_bits(scale_pow2(-largest, least)), to_bits(-0.0));
    EXPECT_EQ(to_bits(scale_pow2(-0.0, most)), to_bits(-0.0));
    EXPECT_EQ(scale_pow2(infinity, least), infinity);
}

}  // namespace
}  // namespace residua
