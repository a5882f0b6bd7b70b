#include <residua/arith/expansion/error_bounds.hpp>

#include "tests/arith/expansion/expansion_oracle.hpp"

namespace residua::testing {
namespace {

// Not 32 or 39 terms: the root of a number below 2^1024 has no room for so many above 2^-1074.
using terms_of_roots =
    ::testing::Types<terms<2>, terms<3>, terms<4>, terms<5>, terms<6>, terms<8>, terms<12>, terms<16>, terms<24>>;

template <class Terms>
struct expansion_sqrt_test : ::testing::Test {};
TYPED_TEST_SUITE(expansion_sqrt_test, terms_of_roots);

TYPED_TEST(expansion_sqrt_test, is_exact_for_squares_of_short_numbers)
{
    using number = expansion<double, TypeParam::value>;
    const number root = number{3.0} + 0x1p-51;

    EXPECT_EQ(show(sqrt(root * root)), show(root));
    EXPECT_EQ(show(sqrt(number{4.0})), show(number{2.0}));
}

TYPED_TEST(expansion_sqrt_test, meets_the_bound)
{
    // s - sqrt(x) relative to sqrt(x) is (s^2 - x) / (2 x) up to its own square.
    constexpr int n = TypeParam::value;
    operand_source<n> source;
    SCOPED_TRACE(source.trace());
    error_watch watch("sqrt(x)", n, root_error_bound<n>());

    for (std::int64_t i = 0; i < cases<n>(); ++i) {
        const expansion<double, n> x = abs(source.number(low_exponent<n>, high_exponent<n>));

        const expansion<double, n> root = sqrt(x);

        const double error = units(exact_sum_of{}.add(x, -1.0).add_product(root, root), exact_sum_of{}.add(x), n) / 2.0;
        ASSERT_TRUE(watch.accepts(error, root, x));
    }
}

TYPED_TEST(expansion_sqrt_test, follows_binary64_for_zero_infinity_and_negative_numbers)
{
    using number = expansion<double, TypeParam::value>;
    constexpr double inf = std::numeric_limits<double>::infinity();

    EXPECT_EQ(show(sqrt(number{})), show(number{}));
    EXPECT_EQ(sqrt(number{inf}).t[0], inf);
    EXPECT_TRUE(std::isnan(sqrt(number{-1.0}).t[0]));
    EXPECT_TRUE(std::isnan(sqrt(number{std::nan("")}).t[0]));
}

}  // namespace
}  // namespace residua::testing
