#include <cmath>

#include <gtest/gtest.h>

#include <residua/arith/base/random.hpp>

using namespace residua;

TEST(splitmix64_test, gives_the_published_numbers)
{
    splitmix64 random{0};
    EXPECT_EQ(random(), 0xe220a8397b1dcdafU);
    EXPECT_EQ(random(), 0x6e789e6aa1b965f4U);
    EXPECT_EQ(random(), 0x06c45d188009454fU);
}

TEST(splitmix64_test, uniform_numbers_are_multiples_of_2_to_the_minus_52_from_minus_1_to_1)
{
    splitmix64 random{7};
    double least = 1.0, most = -1.0, sum = 0.0;
    for (int i = 0; i < 10000; ++i) {
        const double x = uniform(random);
        EXPECT_EQ(std::ldexp(x, 52), std::trunc(std::ldexp(x, 52)));
        least = std::fmin(least, x);
        most = std::fmax(most, x);
        sum += x;
    }
    EXPECT_GE(least, -1.0);
    EXPECT_LT(most, 1.0);
    EXPECT_LT(least, -0.99);
    EXPECT_GT(most, 0.99);
    EXPECT_LT(std::abs(sum / 10000.0), 0.03);  // the deviation of the mean is 0.006
}
