#include <gtest/gtest.h>

#include <residua/solvers/assess/forward_error.hpp>

#include "tests/support/biased_random.hpp"

using namespace residua;

TEST(decimals_below_test, is_the_floor_of_the_logarithm_on_both_sides_of_powers_of_ten)
{
    for (const long k : {-30L, -1L, 0L, 1L, 15L, 31L, 300L, 5000L}) {
        const real power = pow(real(10.0, 20000), -k);  // exact, or far closer than what is compared
        for (const long bits : {20L, 40L, 50L, 60L, 120L}) {
            const real above = power * (real(1.0, 300) + ldexp(real(1.0), -bits));
            const real below = power * (real(1.0, 300) - ldexp(real(1.0), -bits));
            EXPECT_EQ(decimals_below(above.with_precision(300)), k - 1) << "1e-" << k << " + 2^-" << bits;
            EXPECT_EQ(decimals_below(below.with_precision(300)), k) << "1e-" << k << " - 2^-" << bits;
        }
    }
    EXPECT_EQ(decimals_below(real(1.0)), 0);
    EXPECT_EQ(decimals_below(real(1000.0)), -3);
}

TEST(decimals_below_test, is_that_of_mpfr_for_errors_of_any_size)
{
    support::biased_random random;
    SCOPED_TRACE(random.trace());
    for (int k = 0; k < 2000; ++k) {
        const real error = ldexp(real(1.0 + random.integer(0, 1 << 30)), -random.integer(0, 6000));
        EXPECT_EQ(decimals_below(error), static_cast<int>(to_double(floor(-log10(error)))));
    }
}
