#include <algorithm>

#include <residua/arith/expansion/error_bounds.hpp>

#include "tests/arith/expansion/expansion_oracle.hpp"

namespace residua::testing {
namespace {

template <class Terms>
struct expansion_mul_test : ::testing::Test {};
TYPED_TEST_SUITE(expansion_mul_test, all_terms);

TYPED_TEST(expansion_mul_test, squares_a_number_of_two_bits_exactly)
{
    using number = expansion<double, TypeParam::value>;
    const number x = number{1.0} + 0x1p-52;

    const number square = x * x;  // 1 + 2^-51 + 2^-104

    EXPECT_EQ(square.t[0], 1.0 + 0x1p-51);
    EXPECT_EQ(square.t[1], 0x1p-104);
}

TYPED_TEST(expansion_mul_test, is_exact_for_powers_of_two_and_zero)
{
    constexpr int n = TypeParam::value;
    operand_source<n> source;
    SCOPED_TRACE(source.trace());

    for (int i = 0; i < 1000; ++i) {
        expansion<double, n> x = source.number(low_exponent<n> - 20, low_exponent<n>);
        if (n >= 7) {  // gaps between many terms can hold more digits than a product keeps
            std::fill(x.t + 2, x.t + n, 0.0);
            x.t[1] = std::fabs(x.t[1]) < std::fabs(x.t[0]) * 0x1p-200 ? 0.0 : x.t[1];
        }

        EXPECT_EQ(to_double(x * expansion<double, n>{0x1p10} - ldexp(x, 10)), 0.0);
        EXPECT_EQ(to_double(x * -1.0 + x), 0.0);
        EXPECT_EQ(to_double(x * expansion<double, n>{}), 0.0);
    }
}

TYPED_TEST(expansion_mul_test, meets_the_bound)
{
    constexpr int n = TypeParam::value;
    operand_source<n> source;
    SCOPED_TRACE(source.trace());
    error_watch watch("x y", n, product_error_bound<n>());

    for (std::int64_t i = 0; i < cases<n>(); ++i) {
        const expansion<double, n> x = source.number(low_exponent<n>, high_exponent<n>);
        const expansion<double, n> y = source.number(low_factor<n>, high_factor<n>);

        const expansion<double, n> product = x * y;

        const double error =
            units(exact_sum_of{}.add(product, -1.0).add_product(x, y), exact_sum_of{}.add_product(x, y), n);
        ASSERT_TRUE(watch.accepts(error, product, x, y));
    }
}

TYPED_TEST(expansion_mul_test, meets_the_bound_with_a_double)
{
    constexpr int n = TypeParam::value;
    operand_source<n> source;
    SCOPED_TRACE(source.trace());
    error_watch watch("x double", n, product_error_bound<n, 1>());

    for (std::int64_t i = 0; i < cases<n>(); ++i) {
        const expansion<double, n> x = source.number(low_exponent<n>, high_exponent<n>);
        const double y = source.random().value(low_factor<n>, high_factor<n>);

        const expansion<double, n> product = source.random().one_in(2) ? x * y : y * x;

        const double error =
            units(exact_sum_of{}.add(product, -1.0).add_product(x, y), exact_sum_of{}.add_product(x, y), n);
        ASSERT_TRUE(watch.accepts(error, product, x, expansion<double, n>{y}));
    }
}

TYPED_TEST(expansion_mul_test, loses_nothing_but_what_underflows)
{
    // |x y| is about 2^-960, so the trailing products fall below 2^-1074, each losing at most that.
    constexpr int n = TypeParam::value;
    operand_source<n> source;
    SCOPED_TRACE(source.trace());

    for (std::int64_t i = 0; i < cases<n>() / 100; ++i) {
        const expansion<double, n> x = source.nonzero(-490, -470);
        const expansion<double, n> y = source.nonzero(-490, -470);

        const expansion<double, n> product = x * y;

        const expansion<double, n> exact = ldexp(ldexp(x, 470) * ldexp(y, 470), -940);
        const double rounding = 2.0 * product_error_bound<n>() * std::ldexp(exact.t[0], -53 * n);
        ASSERT_LE(std::fabs(to_double(product - exact)), std::fabs(rounding) + 2.0 * n * n * 0x1p-1074)
            << show(x) << "\n"
            << show(y);
    }
}

TYPED_TEST(expansion_mul_test, a_subnormal_factor_keeps_all_digits)
{
    constexpr int n = TypeParam::value;
    operand_source<n> source;
    SCOPED_TRACE(source.trace());

    for (std::int64_t i = 0; i < cases<n>() / 100; ++i) {
        const int bits = 1 + static_cast<int>(i % 52);
        const expansion<double, n> x{std::ldexp(std::trunc(std::ldexp(source.nonzero(0, 0).t[0], bits)), -1074)};
        const expansion<double, n> y = source.number(990, 1000);

        for (const expansion<double, n>& product : {x * y, y * x}) {
            const double error =
                units(exact_sum_of{}.add(product, -1.0).add_product(x, y), exact_sum_of{}.add_product(x, y), n);
            ASSERT_LE(error, product_error_bound<n>()) << show(x) << "\n" << show(y);
        }
    }
}

TYPED_TEST(expansion_mul_test, says_by_its_leading_term_that_it_is_not_finite)
{
    using number = expansion<double, TypeParam::value>;
    constexpr double inf = std::numeric_limits<double>::infinity();

    EXPECT_FALSE(is_finite(number{inf} * number{2.0}));
    EXPECT_FALSE(is_finite(number{inf} * 0.0));
    EXPECT_FALSE(is_finite(number{0x1p1000} * number{0x1p1000}));
    EXPECT_FALSE(is_finite(number{std::nan("")} * number{1.0}));
}

}  // namespace
}  // namespace residua::testing
