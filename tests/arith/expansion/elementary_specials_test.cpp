#include "tests/arith/expansion/elementary_oracle.hpp"

namespace residua::testing {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

template <class Terms>
struct elementary_specials_test : ::testing::Test {};
using elementary_terms = ::testing::Types<terms<2>, terms<3>, terms<4>>;
TYPED_TEST_SUITE(elementary_specials_test, elementary_terms);

TYPED_TEST(elementary_specials_test, exp_and_log_follow_binary64)
{
    using number = expansion<double, TypeParam::value>;

    EXPECT_EQ(show(exp(number{})), show(number{1.0}));
    EXPECT_EQ(show(exp(number{-0.0})), show(number{1.0}));
    EXPECT_EQ(exp(number{inf}).t[0], inf);
    EXPECT_EQ(exp(number{709.79}).t[0], inf);
    EXPECT_EQ(exp(number{710.0}).t[0], inf);
    EXPECT_EQ(exp(number{0x1p1000}).t[0], inf);
    EXPECT_TRUE(is_finite(exp(number{709.78})));
    EXPECT_EQ(exp(number{-745.1}).t[0], 0x1p-1074);
    EXPECT_EQ(show(exp(number{-745.2})), show(number{}));
    EXPECT_EQ(show(exp(number{-0x1p1000})), show(number{}));
    EXPECT_EQ(show(exp(number{-inf})), show(number{}));
    EXPECT_TRUE(std::isnan(exp(number{nan}).t[0]));

    EXPECT_EQ(show(log(number{1.0})), show(number{}));
    EXPECT_EQ(log(number{}).t[0], -inf);
    EXPECT_EQ(log(number{-0.0}).t[0], -inf);
    EXPECT_EQ(log(number{inf}).t[0], inf);
    EXPECT_TRUE(std::isnan(log(number{-1.0}).t[0]));
    EXPECT_TRUE(std::isnan(log(number{-inf}).t[0]));
    EXPECT_TRUE(std::isnan(log(number{nan}).t[0]));
}

TYPED_TEST(elementary_specials_test, trigonometric_functions_keep_zeros_and_end_at_the_limit)
{
    using number = expansion<double, TypeParam::value>;

    for (const double zero : {0.0, -0.0}) {
        EXPECT_EQ(show(sin(number{zero})), show(number{zero}));
        EXPECT_EQ(show(tan(number{zero})), show(number{zero}));
        EXPECT_EQ(show(atan(number{zero})), show(number{zero}));
        EXPECT_EQ(show(cos(number{zero})), show(number{1.0}));
        number s, c;
        sincos(number{zero}, s, c);
        EXPECT_EQ(show(s), show(number{zero}));
        EXPECT_EQ(show(c), show(number{1.0}));
    }
    for (const double x : {trigonometric_limit, -trigonometric_limit, 0x1p1000, inf, -inf, nan}) {
        number s, c;
        sincos(number{x}, s, c);
        EXPECT_TRUE(std::isnan(s.t[0]) && std::isnan(c.t[0])) << x;
        EXPECT_TRUE(std::isnan(sin(number{x}).t[0])) << x;
        EXPECT_TRUE(std::isnan(cos(number{x}).t[0])) << x;
        EXPECT_TRUE(std::isnan(tan(number{x}).t[0])) << x;
    }
    EXPECT_TRUE(is_finite(sin(number{0x1.fffffffffffffp51})));
}

TYPED_TEST(elementary_specials_test, atan_ends_at_half_pi)
{
    using number = expansion<double, TypeParam::value>;
    const number half_pi = detail::half_pi<TypeParam::value>();

    EXPECT_EQ(show(atan(number{inf})), show(half_pi));
    EXPECT_EQ(show(atan(number{-inf})), show(-half_pi));
    EXPECT_EQ(show(atan(number{0x1p1023})), show(half_pi));
    EXPECT_TRUE(std::isnan(atan(number{nan}).t[0]));
}

TYPED_TEST(elementary_specials_test, powers_of_zero_infinity_and_nan_follow_binary64)
{
    using number = expansion<double, TypeParam::value>;
    constexpr int least = std::numeric_limits<int>::min();

    for (const double x : {0.0, -0.0, 1.0, -3.0, inf, -inf, nan}) {
        EXPECT_EQ(show(pow(number{x}, 0)), show(number{1.0})) << x;
    }
    for (const int n : {1, 2, 3, -1, -2, -3, 1000, -1001}) {
        for (const double x : {0.0, -0.0, inf, -inf}) {
            const double expected = std::pow(x, n);
            const double result = pow(number{x}, n).t[0];
            EXPECT_EQ(result, expected) << x << "^" << n;
            EXPECT_EQ(std::signbit(result), std::signbit(expected)) << x << "^" << n;
        }
        EXPECT_TRUE(std::isnan(pow(number{nan}, n).t[0])) << n;
    }
    EXPECT_EQ(show(pow(number{2.0}, -1074)), show(number{0x1p-1074}));
    EXPECT_EQ(show(pow(number{0x1p-1074}, -1)), show(number{inf}));
    EXPECT_EQ(show(pow(number{-3.0}, 3)), show(number{-27.0}));
    EXPECT_EQ(show(pow(number{-1.0}, least)), show(number{1.0}));
    EXPECT_EQ(show(pow(number{2.0}, least)), show(number{}));
    EXPECT_EQ(pow(number{-0.5}, -2001).t[0], -inf);

    EXPECT_EQ(reciprocal(number{}).t[0], inf);
    EXPECT_EQ(reciprocal(number{-0.0}).t[0], -inf);
    EXPECT_EQ(show(reciprocal(number{inf})), show(number{}));
    EXPECT_EQ(show(reciprocal(number{-inf})), show(number{-0.0}));
    EXPECT_EQ(show(reciprocal(number{0x1p1023})), show(number{0x1p-1023}));
    EXPECT_EQ(reciprocal(number{0x1p-1024}).t[0], inf);
    EXPECT_TRUE(std::isnan(reciprocal(number{nan}).t[0]));
}

TYPED_TEST(elementary_specials_test, inverse_functions_undo_each_other)
{
    using number = expansion<double, TypeParam::value>;
    const double unit = pow2(-53 * TypeParam::value);
    argument_source<TypeParam::value> source;
    SCOPED_TRACE(source.trace());

    for (std::int64_t i = 0; i < support::scaled(5000); ++i) {
        const number x = source.of_size(-8, 2);
        const number y = exp(x);
        number s, c;
        sincos(x, s, c);

        ASSERT_LE(std::fabs((log(y) - x).t[0]), 8.0 * unit * (1.0 + std::fabs(x.t[0]))) << show(x);
        ASSERT_LE(std::fabs((y * exp(-x) - 1.0).t[0]), 32.0 * unit) << show(x);
        ASSERT_LE(std::fabs((s * s + c * c - 1.0).t[0]), 32.0 * unit) << show(x);
        ASSERT_EQ(show(s), show(sin(x)));
        ASSERT_EQ(show(c), show(cos(x)));
        ASSERT_EQ(show(sin(-x)), show(-s));
        ASSERT_EQ(show(cos(-x)), show(c));
        ASSERT_LE(std::fabs((tan(x) * c - s).t[0]), 32.0 * unit * std::fabs(s.t[0])) << show(x);
        ASSERT_LE(std::fabs((tan(atan(x)) - x).t[0]), 32.0 * unit * (std::fabs(x.t[0]) + x.t[0] * x.t[0])) << show(x);
        ASSERT_TRUE(pow(x, 1) == x) << show(x);
    }
}

}  // namespace
}  // namespace residua::testing
