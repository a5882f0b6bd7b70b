#include <gtest/gtest.h>

#include "apps/residua/text/number_text.hpp"

namespace residua {
namespace {

TEST(plain_text, writes_numbers_as_people_do)
{
    EXPECT_EQ(plain_text(real("0", 53), 5), "0");
    EXPECT_EQ(plain_text(real("2", 53), 5), "2");
    EXPECT_EQ(plain_text(real("-120", 53), 5), "-120");
    EXPECT_EQ(plain_text(real("1000000000", 53), 5), "1000000000");
    EXPECT_EQ(plain_text(real("0.125", 53), 5), "0.125");
    EXPECT_EQ(plain_text(real("12.5", 53), 5), "12.5");
    EXPECT_EQ(plain_text(real("0.0001", 100), 5), "0.0001");
    EXPECT_EQ(plain_text(real("0.00001", 100), 5), "1e-05");
    EXPECT_EQ(plain_text(real("-1.5e-400", 100), 5), "-1.5e-400");
    EXPECT_EQ(plain_text(real("1e40", 200), 5), "1e+40");
}

TEST(plain_text, rounds_to_the_digits_asked_for)
{
    EXPECT_EQ(plain_text(real("0.66666", 53), 3), "0.667");
    EXPECT_EQ(plain_text(real("9.999", 53), 3), "10");
    EXPECT_EQ(plain_text(real("123456", 53), 3), "123000");
    EXPECT_EQ(plain_text(real("0.00009999", 53), 2), "0.0001");
}

TEST(plain_text, reads_back_as_what_to_string_says)
{
    for (const char* text :
         {"3.14159", "2718281828", "1e9", "1e10", "99999e5", "6.02e23", "1.6e-19", "0.1", "123.456e-3"}) {
        const real x(text, 200);
        EXPECT_EQ(real(plain_text(x, 30), 300), real(to_string(x, 30), 300)) << text;
    }
}

TEST(exact_text, keeps_every_digit)
{
    for (const double x : {1.0, -3.0, 0.1, 1e22, 1e23, 0x1p-1074, 0x1.fffffffffffffp+1023, 0x1.8p-30, 123456789.125}) {
        const real exact(x);
        EXPECT_EQ(real(exact_text(exact), 3000), exact) << x;
    }
    const real wide = ldexp(real("12345678901234567890123456789012345678901234567890", 400), -200);
    EXPECT_EQ(real(exact_text(wide), 1000), wide);
    EXPECT_EQ(exact_text(real(0.5)), "0.5");
}

TEST(short_text, has_three_digits_and_a_plain_zero)
{
    EXPECT_EQ(short_text(real("1.23456e-400", 100)), "1.23e-400");
    EXPECT_EQ(short_text(real()), "0");
}

TEST(bytes_text, names_the_bytes_themselves)
{
    EXPECT_EQ(bytes_text(7.0), "7 bytes");
    EXPECT_EQ(bytes_text(1610612736.0), "1.5 GiB (1610612736 bytes)");
    EXPECT_EQ(short_bytes_text(1e30), "8.67e+11 EiB");
}

}  // namespace
}  // namespace residua
