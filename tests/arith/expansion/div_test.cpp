#include <algorithm>

#include <residua/arith/expansion/error_bounds.hpp>

#include "tests/arith/expansion/expansion_oracle.hpp"

namespace residua::testing {
namespace {

template <class Terms>
struct expansion_div_test : ::testing::Test {};
TYPED_TEST_SUITE(expansion_div_test, all_terms);

TYPED_TEST(expansion_div_test, divides_exactly_where_the_quotient_is_short)
{
    using number = expansion<double, TypeParam::value>;
    const number x = number{1.0} + 0x1p-60;

    EXPECT_EQ(show(x * 3.0 / number{3.0}), show(x));
    EXPECT_EQ(show(x * 3.0 / 3.0), show(x));
    EXPECT_EQ(show(number{} / x), show(number{}));
}

TYPED_TEST(expansion_div_test, gives_the_digits_of_one_third)
{
    constexpr int n = TypeParam::value;
    const expansion<double, n> third = 1.0 / expansion<double, n>{3.0};

    EXPECT_EQ(third.t[0], 1.0 / 3.0);
    EXPECT_EQ(third.t[1], std::ldexp(1.0 / 3.0, -54));
}

TYPED_TEST(expansion_div_test, meets_the_bound)
{
    // q - x / y relative to x / y is (q y - x) / x.
    constexpr int n = TypeParam::value;
    operand_source<n> source;
    SCOPED_TRACE(source.trace());
    error_watch watch("x / y", n, quotient_error_bound<n>());

    for (std::int64_t i = 0; i < cases<n>(); ++i) {
        const expansion<double, n> x = source.number(low_exponent<n>, high_exponent<n>);
        const expansion<double, n> y = source.nonzero(low_factor<n>, high_factor<n>);

        const expansion<double, n> q = x / y;

        const double error = units(exact_sum_of{}.add(x, -1.0).add_product(q, y), exact_sum_of{}.add(x), n);
        ASSERT_TRUE(watch.accepts(error, q, x, y));
    }
}

TYPED_TEST(expansion_div_test, meets_the_bound_with_a_double)
{
    constexpr int n = TypeParam::value;
    operand_source<n> source;
    SCOPED_TRACE(source.trace());
    error_watch watch("x / double", n, n == 2 ? 3.0 : quotient_error_bound<n>());

    for (std::int64_t i = 0; i < cases<n>() / 2; ++i) {
        const expansion<double, n> x = source.number(low_exponent<n>, high_exponent<n>);
        const double y = source.random().value(low_factor<n>, high_factor<n>);

        const expansion<double, n> q = x / y;

        const double error = units(exact_sum_of{}.add(x, -1.0).add_product(q, y), exact_sum_of{}.add(x), n);
        ASSERT_TRUE(watch.accepts(error, q, x, expansion<double, n>{y}));
    }
}

TEST(double_word_div_test, meets_the_bound_wherever_operands_and_quotient_are_in_range)
{
    using number = expansion<double, 2>;
    operand_source<2> source;
    SCOPED_TRACE(source.trace());
    error_watch watch("x / y", 2, quotient_error_bound<2>());

    for (int e = -1022; e <= 1023; ++e) {
        for (int i = 0; i < 100; ++i) {
            // Shorter operands where the last bits are below 2^-1074; quotients that have room for all of theirs.
            const number y = ldexp(source.nonzero(0, 0), e);
            const int least = std::max(-1022, e - 900);
            const int most = std::min(1023, e + 1022);
            number x = ldexp(source.nonzero(0, 0), source.random().integer(least, most));
            if (source.random().one_in(4)) {
                x = i % 2 == 0 ? y : -y;
            }
            if (!is_finite(x) || !is_finite(y)) {
                continue;
            }

            const number q = x / y;

            if (!std::isfinite(x.t[0] / y.t[0]) || !std::isfinite(x.t[0] / y.t[0] * (1.0 + 0x1p-52))) {
                continue;
            }
            const int by_y = -floor_log2(y.t[0]);  // to about 1, so that products are exact
            const int by_q = -floor_log2(q.t[0]);
            const number scaled_x = ldexp(x, by_y + by_q);
            const double error = units(exact_sum_of{}.add(scaled_x, -1.0).add_product(ldexp(q, by_q), ldexp(y, by_y)),
                                       exact_sum_of{}.add(scaled_x), 2);
            ASSERT_TRUE(watch.accepts(error, q, x, y));
        }
    }
}

TEST(double_word_div_test, divides_the_largest_and_the_smallest_numbers)
{
    using number = expansion<double, 2>;
    constexpr double most = std::numeric_limits<double>::max();

    EXPECT_TRUE(abs(number{most} / number{most} - 1.0) <= number{0x1p-103});
    EXPECT_TRUE(abs(number{3e300} / number{1e300} - number{3e300} / 1e300) <= number{0x1p-100});
    for (const double x :
         {0x1p-1074, 0x1p-1030, 0x1p-1024, 0x1p-1022, 0x1p-801, 0x1p-800, 0x1p800, 0x1p801, 0x1p1023}) {
        EXPECT_EQ(show(number{x} / number{x}), show(number{1.0})) << x;
        EXPECT_EQ(show(number{-x} / number{x}), show(number{-1.0})) << x;
        EXPECT_EQ(show(number{} / number{x}), show(number{})) << x;
    }
    EXPECT_EQ(show(number{3 * 0x1p-1074} / number{0x1p-1074}), show(number{3.0}));
}

TYPED_TEST(expansion_div_test, has_the_leading_term_of_binary64_where_that_is_not_finite)
{
    using number = expansion<double, TypeParam::value>;
    constexpr double inf = std::numeric_limits<double>::infinity();

    EXPECT_EQ((number{1.0} / number{}).t[0], inf);
    EXPECT_EQ((number{-1.0} / 0.0).t[0], -inf);
    EXPECT_TRUE(std::isnan((number{} / number{}).t[0]));
    EXPECT_FALSE(is_finite(number{1.0} / number{std::nan("")}));
    EXPECT_FALSE(is_finite(number{inf} / number{3.0}));
}

}  // namespace
}  // namespace residua::testing
