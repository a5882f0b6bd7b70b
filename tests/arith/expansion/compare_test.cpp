#include <limits>
#include <vector>

#include "tests/arith/expansion/expansion_oracle.hpp"

namespace residua::testing {
namespace {

template <class Terms>
struct expansion_compare_test : ::testing::Test {};
TYPED_TEST_SUITE(expansion_compare_test, all_terms);

/// Lengths of which a number has several forms; two terms have one.
template <class Terms>
struct expansion_compare_forms_test : ::testing::Test {};
TYPED_TEST_SUITE(expansion_compare_forms_test, three_terms_or_more);

/// -1, 0, 1 for the exact difference.
int sign_of(const exact_sum_of& s)
{
    const double m = s.value().first;
    return (m > 0.0) - (m < 0.0);
}

template <class X, class Y>
bool agree(const X& x, const Y& y, int sign)
{
    return (x == y) == (sign == 0) && (x != y) == (sign != 0) && (x < y) == (sign < 0) && (x > y) == (sign > 0) &&
           (x <= y) == (sign <= 0) && (x >= y) == (sign >= 0);
}

TYPED_TEST(expansion_compare_forms_test, calls_two_forms_of_one_number_equal)
{
    constexpr int n = TypeParam::value;
    expansion<double, n> one_form{1.0};
    one_form.t[1] = 0x1p-52;
    const expansion<double, n> other{1.0 + 0x1p-52};

    EXPECT_TRUE(one_form == other);
    EXPECT_FALSE(one_form < other);
    EXPECT_TRUE(one_form == 1.0 + 0x1p-52);
}

TYPED_TEST(expansion_compare_test, agrees_with_the_exact_difference)
{
    constexpr int n = TypeParam::value;
    operand_source<n> source;
    SCOPED_TRACE(source.trace());

    for (std::int64_t i = 0; i < cases<n>() / 2; ++i) {
        auto [x, y] = source.pair(low_exponent<n>, high_exponent<n>);
        if (source.random().one_in(2)) {
            y = -y;
        }

        ASSERT_TRUE(agree(x, y, sign_of(exact_sum_of{}.add(x).add(y, -1.0)))) << show(x) << "\n" << show(y);
    }
}

TYPED_TEST(expansion_compare_test, agrees_with_the_exact_difference_from_a_double)
{
    constexpr int n = TypeParam::value;
    operand_source<n> source;
    SCOPED_TRACE(source.trace());

    for (std::int64_t i = 0; i < cases<n>() / 2; ++i) {
        const expansion<double, n> x = source.number(low_exponent<n>, high_exponent<n>);
        const double y = source.random().one_in(2) ? x.t[0] : -source.random().partner(x.t[0]);
        const int sign = sign_of(exact_sum_of{}.add(x).add(-y));

        ASSERT_TRUE(agree(x, y, sign)) << show(x) << y;
        ASSERT_TRUE(agree(y, x, -sign)) << show(x) << y;
    }
}

TYPED_TEST(expansion_compare_test, orders_numbers_whose_difference_overflows)
{
    constexpr int n = TypeParam::value;
    using number = expansion<double, n>;
    constexpr double most = std::numeric_limits<double>::max();

    std::vector<number> ascending{number{-most},     number{-1e308},   number{-0x1p1022}, number{-1.0}, number{},
                                  number{0x1p-1074}, number{0x1p1022}, number{1e308},     number{most}};
    for (const double sign : {-1.0, 1.0}) {
        number close{sign * most};
        close.t[1] = sign * 0x1p-1074;
        ascending.insert(sign < 0.0 ? ascending.begin() : ascending.end(), close);
        if constexpr (n > 2) {  // next to 2^1024, on which the sum of the first two terms lies
            for (const double last : {-0x1p-1074, 0x1p-1074}) {
                close.t[1] = sign * 0x1p970;
                close.t[2] = sign * last;
                ascending.insert(sign < 0.0 ? ascending.begin() : ascending.end(), close);
            }
        }
    }
    for (std::size_t i = 0; i < ascending.size(); ++i) {
        for (std::size_t j = 0; j < ascending.size(); ++j) {
            const number& x = ascending[i];
            const number& y = ascending[j];
            const int sign = (i > j) - (i < j);
            EXPECT_TRUE(agree(x, y, sign)) << show(x) << "\n" << show(y);
            if (y == number{y.t[0]}) {
                EXPECT_TRUE(agree(x, y.t[0], sign)) << show(x) << y.t[0];
                EXPECT_TRUE(agree(y.t[0], x, -sign)) << show(x) << y.t[0];
            }
        }
    }
}

TYPED_TEST(expansion_compare_test, orders_infinities_and_leaves_nan_unordered)
{
    using number = expansion<double, TypeParam::value>;
    const number inf{std::numeric_limits<double>::infinity()};
    const number nan{std::nan("")};

    EXPECT_TRUE(inf == inf);
    EXPECT_TRUE(number{1.0} < inf);
    EXPECT_TRUE(-inf < number{1.0});
    EXPECT_TRUE(-inf < inf.t[0]);
    EXPECT_FALSE(nan == nan);
    EXPECT_TRUE(nan != nan);
    EXPECT_FALSE(nan < inf);
    EXPECT_FALSE(nan >= 1.0);
}

}  // namespace
}  // namespace residua::testing
