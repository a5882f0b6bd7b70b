#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include <residua/arith/native/double.hpp>
#include <residua/io/decimal.hpp>
#include <residua/io/error.hpp>

#include "tests/support/biased_random.hpp"
#include "tests/support/scale.hpp"

namespace residua {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double largest = std::numeric_limits<double>::max();

static_assert(number<double>);

/// Generic code names the functions of a format like this.
template <class T>
double generic(const T& x)
{
    return is_finite(x) ? to_double(ldexp(sqrt(abs(x)), 1)) : -1.0;
}

TEST(native_double, serves_generic_code)
{
    EXPECT_EQ(generic(-4.0), 4.0);
    EXPECT_EQ(generic(infinity), -1.0);
    EXPECT_EQ(generic(-infinity), -1.0);
    EXPECT_EQ(generic(nan), -1.0);
    EXPECT_EQ(residua::sqrt(2.25), 1.5);
    EXPECT_EQ(residua::abs(-0.0), 0.0);
    EXPECT_TRUE(is_finite(largest) && is_finite(0.0) && is_finite(0x1p-1074));
}

TEST(native_double, ldexp_is_that_of_the_standard_library)
{
    support::biased_random random;
    SCOPED_TRACE(random.trace());

    for (auto i = support::scaled(500'000); i > 0; --i) {
        const double x = random.any();
        const int k = random.integer(-2200, 2200);
        ASSERT_EQ(to_bits(residua::ldexp(x, k)), to_bits(std::ldexp(x, k))) << std::hexfloat << x << " " << k;
    }
}

TEST(native_double, prints_the_shortest_decimal_that_reads_back)
{
    EXPECT_EQ(to_string(0.1), "1e-01");
    EXPECT_EQ(to_string(-0.0), "-0e+00");
    EXPECT_EQ(to_string(1.0 / 3.0), "3.333333333333333e-01");
    EXPECT_EQ(to_string(largest), "1.7976931348623157e+308");
    EXPECT_EQ(to_string(-0x1p-1074), "-5e-324");
    EXPECT_EQ(to_string(-infinity), "-inf");
    EXPECT_EQ(to_string(nan), "nan");
    EXPECT_EQ(to_string(-nan), "nan");
}

TEST(native_double, prints_a_number_of_digits)
{
    EXPECT_EQ(to_string(0.1, 20), "1.0000000000000000555e-01");
    EXPECT_EQ(to_string(-2.5, 1), "-2e+00");
    EXPECT_EQ(to_string(0.0, 3), "0.00e+00");
    EXPECT_THROW(to_string(1.0, 0), error);
}

TEST(native_double, text_makes_the_round_trip)
{
    support::biased_random random;
    SCOPED_TRACE(random.trace());

    for (auto i = support::scaled(200'000); i > 0; --i) {
        const double x = random.any();
        ASSERT_EQ(to_bits(io::parse_binary64(to_string(x))), to_bits(x)) << to_string(x);
    }
}

}  // namespace
}  // namespace residua
