#include <string>

#include <residua/arith/expansion/convert.hpp>
#include <residua/arith/expansion/error_bounds.hpp>

#include "tests/arith/expansion/expansion_oracle.hpp"
#include "tests/support/oracle.hpp"

namespace residua::testing {
namespace {

template <class Terms>
struct expansion_convert_test : ::testing::Test {};
TYPED_TEST_SUITE(expansion_convert_test, all_terms);

TYPED_TEST(expansion_convert_test, to_real_is_exact)
{
    constexpr int n = TypeParam::value;
    operand_source<n> source;
    SCOPED_TRACE(source.trace());

    for (std::int64_t i = 0; i < cases<n>() / 10; ++i) {
        const expansion<double, n> x = source.number(-1000, 1000);

        real sum(0.0, support::oracle_bits);
        for (double t : x.t) {
            sum += real(t);
        }
        ASSERT_TRUE(to_real(x) == sum) << show(x);
    }
}

TYPED_TEST(expansion_convert_test, from_real_takes_the_nearest_term_each_time)
{
    constexpr int n = TypeParam::value;
    operand_source<n> source;
    SCOPED_TRACE(source.trace());

    for (std::int64_t i = 0; i < cases<n>() / 10; ++i) {
        const expansion<double, n> x = source.number(low_exponent<n>, high_exponent<n>);
        const real third = to_real(x).with_precision(support::oracle_bits) / real(3.0);

        const auto r = from_real<expansion<double, n>>(third);

        real rest = third;
        for (double t : r.t) {
            const double nearest = to_double(rest);
            const bool tie = n == 2 && std::fabs(r.t[1]) == 0.5 * ulp(r.t[0]);
            ASSERT_TRUE(t == nearest || tie) << show(r);
            rest -= real(t);
        }
        ASSERT_TRUE(is_nonoverlapping(r));
    }
}

TYPED_TEST(expansion_convert_test, returns_every_expansion_that_is_nearest_term_by_term)
{
    constexpr int n = TypeParam::value;
    operand_source<n> source;
    SCOPED_TRACE(source.trace());

    for (int i = 0; i < 1000; ++i) {
        const expansion<double, n> x = source.number(-100, 1000);

        const auto r = from_real<expansion<double, n>>(to_real(x));

        EXPECT_TRUE(r == x) << show(r) << "\n" << show(x);
    }
}

TYPED_TEST(expansion_convert_test, reads_a_decimal_to_full_precision)
{
    constexpr int n = TypeParam::value;
    const auto tenth = from_string<expansion<double, n>>("1.0E-001");

    const double error = to_double(abs(to_real(tenth) * real(10) - real(1)));

    EXPECT_LE(error, std::ldexp(1.0, -53 * n) + 0x1p-1070);  // 39 terms end at 2^-1074
    EXPECT_EQ(tenth.t[0], 0.1);
    EXPECT_LT(tenth.t[1], 0.0);
}

TYPED_TEST(expansion_convert_test, writes_decimals_that_read_back)
{
    constexpr int n = TypeParam::value;
    operand_source<n> source;
    SCOPED_TRACE(source.trace());

    for (int i = 0; i < 200; ++i) {
        const expansion<double, n> x = source.number(low_exponent<n>, high_exponent<n>);

        const auto r = from_string<expansion<double, n>>(to_string(x));

        EXPECT_TRUE(to_real(r) == to_real(x).with_precision(53 * n)) << show(r) << "\n" << show(x);
    }
    EXPECT_EQ(to_string(expansion<double, n>{1.5}, 4), "1.500e+00");
}

TYPED_TEST(expansion_convert_test, refuses_what_is_not_a_finite_decimal)
{
    using number = expansion<double, TypeParam::value>;

    EXPECT_THROW(from_string<number>("1.0x"), error);
    EXPECT_THROW(from_string<number>(""), error);
    EXPECT_THROW(from_string<number>("1e400"), error);
    EXPECT_TRUE(from_string<number>("1e-400") == 0.0);
}

TYPED_TEST(expansion_convert_test, passes_infinity_and_nan_on)
{
    using number = expansion<double, TypeParam::value>;
    constexpr double inf = std::numeric_limits<double>::infinity();

    number overflowed{inf};
    overflowed.t[1] = -inf;

    EXPECT_TRUE(is_inf(to_real(number{inf})));
    EXPECT_TRUE(is_inf(to_real(overflowed)));
    EXPECT_TRUE(is_nan(to_real(number{std::nan("")})));
    EXPECT_EQ(from_real<number>(real(-inf)).t[0], -inf);
    EXPECT_EQ(from_real<number>(ldexp(real(1.0), 2000)).t[0], inf);
}

}  // namespace
}  // namespace residua::testing
