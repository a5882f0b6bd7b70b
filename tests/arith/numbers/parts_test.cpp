#include <concepts>
#include <limits>

#include <gtest/gtest.h>

#include <residua/arith/numbers.hpp>

namespace residua {
namespace {

template <class T>
class parts : public ::testing::Test {
protected:
    static constexpr long real_bits = 53;  // those of the limits
    static constexpr int bits = [] {
        if constexpr (std::same_as<T, real>) {
            return static_cast<int>(real_bits);
        } else {
            return number_traits<T>::precision_bits;
        }
    }();

    static T of(double x) { return T(x); }
};

using numbers = ::testing::Types<expansion<double, 2>, expansion<double, 3>, expansion<double, 4>, expansion<double, 8>,
                                 multidigit_fixed<64>, multidigit_fixed<200>, real>;
TYPED_TEST_SUITE(parts, numbers);

TYPED_TEST(parts, of_a_fraction_and_an_exponent)
{
    using T = TypeParam;
    const T third = this->of(1) / 3;
    for (const T& x : {third, -third, ldexp(third, 900), ldexp(third, -500), this->of(1), this->of(-0x1p60),
                       std::numeric_limits<T>::max(), std::numeric_limits<T>::min(), this->of(0x1p-1074)}) {
        long e = 0;
        const T m = frexp(x, &e);
        EXPECT_TRUE(abs(m) >= 0.5 && abs(m) < 1) << x;
        EXPECT_EQ(to_real(m), ldexp(to_real(x), -e)) << x;
        EXPECT_EQ(logb(x), e - 1) << x;
    }
    long e = 7;
    EXPECT_EQ(frexp(this->of(0), &e), 0);
    EXPECT_EQ(e, 0);
    e = 7;
    EXPECT_TRUE(isinf(frexp(std::numeric_limits<T>::infinity(), &e)) && e == 0);
    EXPECT_EQ(logb(this->of(0)), -std::numeric_limits<T>::infinity());
    EXPECT_EQ(logb(-std::numeric_limits<T>::infinity()), std::numeric_limits<T>::infinity());
    EXPECT_EQ(scalbn(third, 3), third * 8);
    if constexpr (!std::same_as<T, real>) {
        int k = 0;
        EXPECT_EQ(frexp(this->of(3), &k), 0.75);
        EXPECT_EQ(k, 2);
    }
}

TYPED_TEST(parts, before_and_behind_the_point)
{
    using T = TypeParam;
    T whole = 7;
    EXPECT_EQ(modf(this->of(-3.25), &whole), -0.25);
    EXPECT_EQ(whole, -3);
    EXPECT_EQ(modf(-std::numeric_limits<T>::infinity(), &whole), 0);
    EXPECT_TRUE(isinf(whole) && whole < 0);
    const T x = this->of(0x1p40) + this->of(0.125);
    EXPECT_EQ(modf(x, &whole), 0.125);
    EXPECT_EQ(whole, 0x1p40);
    for (const double d : {0.5, 1.5, 2.5, -0.5, -1.5, 2.25, -2.75}) {
        EXPECT_EQ(rint(this->of(d)), std::rint(d)) << d;
        EXPECT_EQ(nearbyint(this->of(d)), std::rint(d)) << d;
    }
}

TYPED_TEST(parts, signs_and_differences)
{
    using T = TypeParam;
    const T third = this->of(1) / 3;
    EXPECT_EQ(copysign(third, -2), -third);
    EXPECT_EQ(copysign(-third, 2.0), third);
    EXPECT_EQ(copysign(-third, -third), -third);
    EXPECT_EQ(copysign(2, -third), -2);
    EXPECT_EQ(fdim(third, 0.25), third - 0.25);
    EXPECT_EQ(fdim(0.25, third), 0);
    EXPECT_TRUE(isnan(fdim(third, std::numeric_limits<T>::quiet_NaN())));
    EXPECT_EQ(fabs(-third), third);
}

/// Of no number between x and the next one is it known that it has so many bits.
TYPED_TEST(parts, the_next_number)
{
    using T = TypeParam;
    const real ulp = ldexp(real(1), 1 - this->bits);
    const real one = to_real(nextafter(this->of(1), 2));
    EXPECT_EQ(one - 1, ulp);
    EXPECT_EQ(1 - to_real(nextafter(this->of(1), 0)), ulp / 2);
    EXPECT_EQ(to_real(nextafter(this->of(-1), -2)), -one);
    EXPECT_EQ(nextafter(nextafter(this->of(1), 2), 0), 1);
    EXPECT_EQ(nextafter(this->of(1), 1), 1);
    EXPECT_TRUE(isnan(nextafter(this->of(1), std::numeric_limits<T>::quiet_NaN())));
    const T inf = std::numeric_limits<T>::infinity();
    EXPECT_EQ(nextafter(std::numeric_limits<T>::max(), inf), inf);
    EXPECT_EQ(nextafter(inf, 0), std::numeric_limits<T>::max());
    EXPECT_EQ(nextafter(-inf, 0), std::numeric_limits<T>::lowest());
    EXPECT_EQ(nextafter(this->of(0), 1), std::numeric_limits<T>::denorm_min());
    EXPECT_EQ(nextafter(this->of(0), -1), -std::numeric_limits<T>::denorm_min());
}

TEST(next_number, of_an_expansion_with_a_gap_or_near_the_end_of_the_range)
{
    using dd = expansion<double, 2>;
    dd gap(1.0);
    gap.t[1] = 0x1p-300;
    EXPECT_EQ(nextafter(gap, 2), 1 + dd(0x1p-105));
    EXPECT_EQ(nextafter(gap, 0), 1);
    for (const double d : {0x1p-1074, 0x1p-1073, 0x1p-1022, 0x1p-1000}) {
        EXPECT_EQ(nextafter(dd(d), 1), dd(d) + 0x1p-1074) << d;
        EXPECT_EQ(nextafter(dd(d), 0), dd(d) - 0x1p-1074) << d;
    }
}

}  // namespace
}  // namespace residua
