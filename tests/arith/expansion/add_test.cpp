#include <residua/arith/expansion/error_bounds.hpp>

#include "tests/arith/expansion/expansion_oracle.hpp"

namespace residua::testing {
namespace {

template <class Terms>
struct expansion_add_test : ::testing::Test {};
TYPED_TEST_SUITE(expansion_add_test, all_terms);

TYPED_TEST(expansion_add_test, keeps_what_one_binary64_add_would_lose)
{
    using number = expansion<double, TypeParam::value>;

    const number sum = number{1.0} + number{0x1p-80};

    EXPECT_EQ(sum.t[0], 1.0);
    EXPECT_EQ(sum.t[1], 0x1p-80);
}

TYPED_TEST(expansion_add_test, cancels_down_to_the_last_term)
{
    constexpr int n = TypeParam::value;
    using number = expansion<double, n>;
    number x{1.0};
    number y{-1.0};
    x.t[n - 1] = 0x1p-1000;

    const number sum = x + y;

    EXPECT_EQ(sum.t[0], n == 2 ? 0x1p-1000 : x.t[n - 1]);
    EXPECT_EQ(sum.t[1], 0.0);
    EXPECT_EQ((x - x).t[0], 0.0);
}

TYPED_TEST(expansion_add_test, meets_the_bound_relative_to_the_result)
{
    constexpr int n = TypeParam::value;
    operand_source<n> source;
    SCOPED_TRACE(source.trace());
    error_watch watch("x + y", n, sum_error_bound<n>());

    for (std::int64_t i = 0; i < cases<n>(); ++i) {
        const auto [x, y] = source.pair(low_exponent<n>, high_exponent<n>);

        const expansion<double, n> sum = x + y;

        const double error = units(exact_sum_of{}.add(sum, -1.0).add(x).add(y), exact_sum_of{}.add(x).add(y), n);
        ASSERT_TRUE(watch.accepts(error, sum, x, y));
    }
}

TYPED_TEST(expansion_add_test, meets_the_bound_at_the_ends_of_the_exponent_range)
{
    // Addition is exact in the subnormal range, so the bound holds down to the smallest terms.
    constexpr int n = TypeParam::value;
    operand_source<n> source;
    SCOPED_TRACE(source.trace());
    error_watch watch("x + y, extreme", n, sum_error_bound<n>());

    for (std::int64_t i = 0; i < cases<n>() / 10; ++i) {
        const bool large = source.random().one_in(2);
        const auto [x, y] = large ? source.pair(1000, 1020) : source.pair(-1060, -900);

        const expansion<double, n> sum = x + y;

        const double error = units(exact_sum_of{}.add(sum, -1.0).add(x).add(y), exact_sum_of{}.add(x).add(y), n);
        ASSERT_TRUE(watch.accepts(error, sum, x, y));
    }
}

TYPED_TEST(expansion_add_test, meets_the_bound_with_a_double)
{
    constexpr int n = TypeParam::value;
    operand_source<n> source;
    SCOPED_TRACE(source.trace());
    error_watch watch("x + double", n, sum_with_double_error_bound<n>());

    for (std::int64_t i = 0; i < cases<n>(); ++i) {
        const expansion<double, n> x = source.number(low_exponent<n>, high_exponent<n>);
        const double near = source.random().partner(x.t[source.random().integer(0, n - 1)]);
        const double y =
            source.random().one_in(4) ? source.random().value(low_exponent<n> - 20, high_exponent<n>) : near;

        const expansion<double, n> sum = source.random().one_in(2) ? x + y : y + x;

        const double error = units(exact_sum_of{}.add(sum, -1.0).add(x).add(y), exact_sum_of{}.add(x).add(y), n);
        ASSERT_TRUE(watch.accepts(error, sum, x, expansion<double, n>{y}));
    }
}

TYPED_TEST(expansion_add_test, subtracts_as_it_adds_the_negative)
{
    constexpr int n = TypeParam::value;
    operand_source<n> source;
    SCOPED_TRACE(source.trace());

    for (int i = 0; i < 1000; ++i) {
        const auto [x, y] = source.pair(low_exponent<n>, high_exponent<n>);

        EXPECT_EQ(show(x - y), show(x + -y));
        EXPECT_EQ(show(x - y.t[0]), show(x + -y.t[0]));
        EXPECT_EQ(show(x.t[0] - y), show(-y + x.t[0]));
    }
}

TYPED_TEST(expansion_add_test, says_by_its_leading_term_that_it_is_not_finite)
{
    using number = expansion<double, TypeParam::value>;
    constexpr double inf = std::numeric_limits<double>::infinity();

    EXPECT_FALSE(is_finite(number{inf} + number{1.0}));
    EXPECT_FALSE(is_finite(number{inf} - number{inf}));
    EXPECT_FALSE(is_finite(number{0x1.fffffffffffffp1023} + number{0x1.fffffffffffffp1023}));
    EXPECT_FALSE(is_finite(number{std::nan("")} + 1.0));
}

}  // namespace
}  // namespace residua::testing
