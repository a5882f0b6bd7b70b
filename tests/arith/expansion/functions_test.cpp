#include <type_traits>

#include <residua/arith/expansion/expansion.hpp>

#include "tests/arith/expansion/expansion_oracle.hpp"

namespace residua::testing {
namespace {

template <class Terms>
struct expansion_functions_test : ::testing::Test {};
TYPED_TEST_SUITE(expansion_functions_test, all_terms);

/// Numbers whose third term decides how to_double() rounds.
template <class Terms>
struct expansion_third_term_test : ::testing::Test {};
TYPED_TEST_SUITE(expansion_third_term_test, three_terms_or_more);

TYPED_TEST(expansion_functions_test, is_a_number_format)
{
    constexpr int n = TypeParam::value;
    using value = expansion<double, n>;

    static_assert(number<value>);
    static_assert(std::is_trivially_copyable_v<value> && sizeof(value) == n * sizeof(double));
    static_assert(std::is_trivially_copyable_v<accumulator<n>>);
    EXPECT_EQ(number_traits<value>::name, "expansion<" + std::to_string(n) + ">");
    EXPECT_EQ(number_traits<value>::terms, n);
    EXPECT_EQ(number_traits<value>::precision_bits, 53 * n);
}

TYPED_TEST(expansion_functions_test, abs_and_minus_keep_every_bit)
{
    constexpr int n = TypeParam::value;
    operand_source<n> source;

    for (int i = 0; i < 1000; ++i) {
        const expansion<double, n> x = source.number(-1000, 1000);

        EXPECT_EQ(show(abs(x)), show(abs(-x)));
        EXPECT_EQ(show(-(-x)), show(x));
        EXPECT_GE(abs(x).t[0], 0.0);
        EXPECT_TRUE(abs(x) == x || abs(x) == -x);
    }
}

TYPED_TEST(expansion_functions_test, ldexp_scales_every_term)
{
    constexpr int n = TypeParam::value;
    operand_source<n> source;

    for (int i = 0; i < 1000; ++i) {
        const expansion<double, n> x = source.number(-10, 10);
        const int k = source.random().integer(-900, 900);

        const expansion<double, n> r = ldexp(x, k);

        for (int j = 0; j < n; ++j) {
            EXPECT_EQ(r.t[j], std::ldexp(x.t[j], k));
        }
    }
}

TYPED_TEST(expansion_functions_test, to_double_rounds_correctly)
{
    constexpr int n = TypeParam::value;
    operand_source<n> source;
    SCOPED_TRACE(source.trace());

    for (std::int64_t i = 0; i < cases<n>() / 2; ++i) {
        const expansion<double, n> x = source.number(-40, 40);

        const double nearest = to_double(x);

        mpfr_t exact;
        mpfr_init2(exact, 53);
        mpfr_t terms[n];
        mpfr_ptr pointers[n];
        for (int k = 0; k < n; ++k) {
            mpfr_init2(terms[k], 53);
            mpfr_set_d(terms[k], x.t[k], MPFR_RNDN);
            pointers[k] = terms[k];
        }
        mpfr_sum(exact, pointers, n, MPFR_RNDN);
        const double expected = mpfr_get_d(exact, MPFR_RNDN);
        for (int k = 0; k < n; ++k) {
            mpfr_clear(terms[k]);
        }
        mpfr_clear(exact);
        ASSERT_EQ(nearest, expected) << show(x);
    }
}

TYPED_TEST(expansion_third_term_test, to_double_looks_beyond_a_tie)
{
    constexpr int n = TypeParam::value;
    expansion<double, n> x{1.0};
    x.t[1] = 0x1p-53;
    x.t[n - 1] = 0x1p-1000;
    if constexpr (n == 3) {
        EXPECT_EQ(to_double(x), 1.0 + 0x1p-52);
        EXPECT_EQ(to_double(-x), -1.0 - 0x1p-52);
    }
    x.t[2] = -0x1p-200;
    EXPECT_EQ(to_double(x), 1.0);
}

TYPED_TEST(expansion_functions_test, to_double_of_a_sum_beyond_the_range_is_infinite)
{
    constexpr double most = std::numeric_limits<double>::max();
    expansion<double, TypeParam::value> x{most};
    x.t[1] = 0.25 * ulp(most);
    EXPECT_EQ(to_double(x), most);
    x.t[1] = 0.5 * ulp(most);
    EXPECT_EQ(to_double(x), std::numeric_limits<double>::infinity());
    EXPECT_EQ(to_double(-x), -std::numeric_limits<double>::infinity());
}

TYPED_TEST(expansion_third_term_test, to_double_looks_beyond_the_middle_of_the_largest_number_and_the_next)
{
    constexpr int n = TypeParam::value;
    constexpr double most = std::numeric_limits<double>::max();
    expansion<double, n> x{most};
    x.t[1] = 0x1p970;
    for (const double below : {0x1p917, 0x1p900, 0x1p-1074}) {
        x.t[2] = -below;
        EXPECT_EQ(to_double(x), most) << below;
        EXPECT_EQ(to_double(-x), -most) << below;
        x.t[2] = below;
        EXPECT_EQ(to_double(x), std::numeric_limits<double>::infinity()) << below;
    }
    x.t[1] = -0x1p970;  // a tie of the largest two
    x.t[2] = 0.0;
    EXPECT_EQ(to_double(x), most - ulp(most));
    x.t[2] = 0x1p-1074;
    EXPECT_EQ(to_double(x), most);
    x.t[2] = -0x1p-1074;
    EXPECT_EQ(to_double(-x), ulp(most) - most);
    x.t[1] = -ulp(most);
    EXPECT_EQ(to_double(x), most - ulp(most));
}

TYPED_TEST(expansion_functions_test, is_finite_looks_at_the_leading_term)
{
    using number = expansion<double, TypeParam::value>;
    constexpr double inf = std::numeric_limits<double>::infinity();

    EXPECT_TRUE(is_finite(number{}));
    EXPECT_TRUE(is_finite(number{-0x1.fffffffffffffp1023}));
    EXPECT_FALSE(is_finite(number{-inf}));
    EXPECT_FALSE(is_finite(number{std::nan("")}));
    EXPECT_EQ(to_double(number{inf}), inf);
}

}  // namespace
}  // namespace residua::testing
