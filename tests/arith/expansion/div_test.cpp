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
