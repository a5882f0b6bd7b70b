#include <gtest/gtest.h>

#include <cfloat>
#include <cmath>
#include <limits>

#include <residua/arith/base/bits.hpp>
#include <residua/arith/base/eft.hpp>
#include <residua/arith/real/real.hpp>

#include "tests/support/biased_random.hpp"
#include "tests/support/scale.hpp"

namespace residua {
namespace {

constexpr double largest = std::numeric_limits<double>::max();

/// Exact sums and products of doubles fit: 2^1024 down to 2^-1074, or 106 bits.
constexpr long exact_bits = 2200;

/// A fixed MPFR number for millions of operations without a new allocation each.
class checker {
public:
    /// value + error == a op b exactly, and value == RN(a op b).
    template <class Op>
    bool transforms(Op op, double a, double b, const rounded& r)
    {
        mpfr_set_d(exact_.mpfr(), a, MPFR_RNDN);
        op(exact_.mpfr(), exact_.mpfr(), b, MPFR_RNDN);
        if (mpfr_get_d(exact_.mpfr(), MPFR_RNDN) != r.value) {
            return false;
        }
        mpfr_sub_d(exact_.mpfr(), exact_.mpfr(), r.value, MPFR_RNDN);
        return mpfr_cmp_d(exact_.mpfr(), r.error) == 0;
    }

private:
    real exact_{0.0, exact_bits};
};

/// x, unknown to the optimiser.
double opaque(double x)
{
    const volatile double hidden = x;
    return hidden;
}

TEST(eft, two_sum_by_hand)
{
    const rounded tie = two_sum(1.0, 0x1p-53);
    EXPECT_EQ(tie.value, 1.0);
    EXPECT_EQ(tie.error, 0x1p-53);

    const rounded odd_tie = two_sum(1.0 + 0x1p-52, 0x1p-53);
    EXPECT_EQ(odd_tie.value, 1.0 + 0x1p-51);
    EXPECT_EQ(odd_tie.error, -0x1p-53);

    const rounded swapped = two_sum(1.0, 0x1p60);
    EXPECT_EQ(swapped.value, 0x1p60);
    EXPECT_EQ(swapped.error, 1.0);
}

TEST(eft, two_prod_by_hand)
{
    const rounded r = two_prod(1.0 + 0x1p-30, 1.0 - 0x1p-30);
    EXPECT_EQ(r.value, 1.0);
    EXPECT_EQ(r.error, -0x1p-60);
}

TEST(eft, two_sum_is_exact_for_all_doubles_whose_sum_does_not_overflow)
{
    support::biased_random random;
    SCOPED_TRACE(random.trace());
    checker check;

    for (auto i = support::scaled(1'000'000); i > 0; --i) {
        const double a = random.any();
        const double b = random.one_in(3) ? random.any() : random.partner(a);
        // An operand of +-DBL_MAX may overflow inside although the sum does not.
        if (std::isfinite(a + b) && std::fabs(a) != largest && std::fabs(b) != largest) {
            ASSERT_TRUE(check.transforms(mpfr_add_d, a, b, two_sum(a, b))) << std::hexfloat << a << " " << b;
        }
    }
}

TEST(eft, fast_two_sum_is_exact_for_ordered_operands_and_for_a_zero_first)
{
    support::biased_random random;
    SCOPED_TRACE(random.trace());
    checker check;

    for (auto i = support::scaled(1'000'000); i > 0; --i) {
        double a = random.any();
        double b = random.one_in(3) ? random.any() : random.partner(a);
        if (a != 0.0 && std::fabs(a) < std::fabs(b)) {
            std::swap(a, b);
        }
        if (std::isfinite(a + b)) {
            ASSERT_TRUE(check.transforms(mpfr_add_d, a, b, fast_two_sum(a, b))) << std::hexfloat << a << " " << b;
        }
    }
}

TEST(eft, two_prod_is_exact_down_to_its_exponent_limit)
{
    support::biased_random random;
    SCOPED_TRACE(random.trace());
    checker check;

    for (auto i = support::scaled(1'000'000); i > 0; --i) {
        const double a = random.any();
        double b = random.any();
        if (a != 0.0 && random.one_in(3)) {  // at the limit: exponents add up to -1022 + 52
            const int e = min_exponent + fraction_bits - floor_log2(a) + random.integer(0, 2);
            b = random.sign() * scale_pow2(random.value(0, 0), e);
        }
        const bool in_range = a == 0.0 || b == 0.0 || floor_log2(a) + floor_log2(b) >= min_exponent + fraction_bits;
        if (in_range && std::isfinite(a * b)) {
            ASSERT_TRUE(check.transforms(mpfr_mul_d, a, b, two_prod(a, b))) << std::hexfloat << a << " " << b;
        }
    }
}

TEST(eft, two_prod_fails_below_its_exponent_limit)  // so the limit above is no idle caution
{
    checker check;
    const double a = 1.0 + 0x1p-52;
    const double b = scale_pow2(1.0 + 0x1p-52, min_exponent + fraction_bits - 1);

    EXPECT_FALSE(check.transforms(mpfr_mul_d, a, b, two_prod(a, b)));
}

// The flags of this build. These expressions have other values when the compiler fuses,
// reorders, or assumes away zeros, NaNs and subnormals.

static_assert(FLT_EVAL_METHOD == 0, "binary64 expressions must be evaluated in binary64");

#if defined(__x86_64__)
/// Compiled for a processor with FMA, where contraction would be possible.
__attribute__((noinline, target("fma"))) double product_plus(double a, double b, double c) { return a * b + c; }
__attribute__((noinline, target("fma"))) double mul_rn_plus(double a, double b, double c) { return mul_rn(a, b) + c; }
__attribute__((noinline, target("fma"))) rounded two_sum_of_product(double a, double b, double c)
{
    return two_sum(a * b, c);
}

TEST(flags, products_and_sums_are_not_fused)
{
    if (!__builtin_cpu_supports("fma")) {
        GTEST_SKIP() << "this processor has no FMA";
    }

    const double a = opaque(1.0 + 0x1p-30);
    const double b = opaque(1.0 - 0x1p-30);  // a b = 1 - 2^-60, rounded 1
    const double c = opaque(-1.0);
    EXPECT_EQ(product_plus(a, b, c), 0.0);
    EXPECT_EQ(mul_rn_plus(a, b, c), 0.0);
    EXPECT_EQ(two_sum_of_product(a, b, c).value, 0.0);
}
#endif

TEST(flags, sums_are_not_reassociated)
{
    const double big = opaque(0x1p60);
    const double small = opaque(1.0);

    EXPECT_EQ((small + big) - big, 0.0);
    EXPECT_EQ((big + small) - big, 0.0);
    EXPECT_EQ(two_sum(big, small).error, 1.0);
    EXPECT_EQ(fast_two_sum(big, small).error, 1.0);
}

TEST(flags, divisions_are_not_turned_into_multiplications)
{
    const double three = opaque(3.0);

    EXPECT_EQ(opaque(5.0) / three, 0x1.aaaaaaaaaaaabp0);  // 5 * RN(1/3) ends in ...aaa
    EXPECT_EQ(opaque(5.0) / 3.0, 0x1.aaaaaaaaaaaabp0);
}

TEST(flags, signed_zeros_nans_and_infinities_are_kept)
{
    const double minus_zero = opaque(-0.0);
    const double nan = opaque(std::numeric_limits<double>::quiet_NaN());
    const double infinity = opaque(std::numeric_limits<double>::infinity());

    EXPECT_FALSE(std::signbit(minus_zero + 0.0));
    EXPECT_TRUE(std::signbit(minus_zero * 1.0));
    EXPECT_TRUE(nan != nan);
    EXPECT_FALSE(std::isfinite(infinity));
    EXPECT_TRUE(std::isnan(infinity - infinity));
}

TEST(flags, subnormals_are_not_flushed_to_zero)
{
    const double tiny = opaque(0x1p-1074);

    EXPECT_EQ(to_bits(tiny + tiny), 2u);
    EXPECT_EQ(to_bits(opaque(0x1p-1022) * opaque(0.5)), std::uint64_t{1} << 51);
}

TEST(flags, rounding_is_to_nearest_even)
{
    EXPECT_EQ(opaque(1.0) + opaque(0x1p-53), 1.0);
    EXPECT_EQ(opaque(1.0 + 0x1p-52) + opaque(0x1p-53), 1.0 + 0x1p-51);
    EXPECT_EQ(opaque(-1.0) - opaque(0x1p-53), -1.0);
}

}  // namespace
}  // namespace residua
