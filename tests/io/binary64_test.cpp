#include <residua/io/binary64.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>

#include <gtest/gtest.h>
#include <mpfr.h>

#include <residua/io/digits.hpp>

#include "tests/support/scale.hpp"

namespace residua::io {
namespace {

/// The nearest binary64 by MPFR, and whether it is the decimal itself.
struct by_mpfr {
    double value = 0.0;
    bool exact = false;

    by_mpfr(std::uint64_t coefficient, std::int32_t exponent)
    {
        const std::string decimal = std::to_string(coefficient) + "e" + std::to_string(exponent);
        mpfr_t x;
        mpfr_init2(x, 53);
        const mpfr_exp_t least = mpfr_get_emin();
        const mpfr_exp_t most = mpfr_get_emax();
        mpfr_set_emin(-1073);
        mpfr_set_emax(1024);
        const int rounded = mpfr_strtofr(x, decimal.c_str(), nullptr, 10, MPFR_RNDN);
        exact = mpfr_subnormalize(x, rounded, MPFR_RNDN) == 0;
        value = mpfr_get_d(x, MPFR_RNDN);
        mpfr_set_emin(least);
        mpfr_set_emax(most);
        mpfr_clear(x);
    }
};

/// The digits of x as printf rounds it to so many.
std::string printed_digits(double x, int digits)
{
    std::array<char, 64> text;
    const int size = std::snprintf(text.data(), text.size(), "%.*e", digits - 1, x);
    std::string all(text.data(), static_cast<std::size_t>(size));
    all.resize(all.find('e'));
    std::erase(all, '.');
    return all;
}

TEST(nearest_binary64, is_right_for_every_power_of_ten)
{
    const std::uint64_t seed = 31;
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    std::int64_t known = 0;
    std::int64_t all = 0;
    for (std::int32_t q = -400; q <= 330; ++q) {
        for (std::int64_t k = 0; k < support::scaled(60); ++k) {
            const std::uint64_t coefficient = k == 0 ? 1 : k == 1 ? ~std::uint64_t{0} : random() >> (random() % 64);
            const by_mpfr expected(coefficient, q);
            const std::optional<nearest_number> x = nearest_binary64(coefficient, q);
            const bool normal = std::isnormal(expected.value);
            ASSERT_TRUE(!x || x->value == expected.value) << coefficient << "e" << q;
            ASSERT_TRUE(!x || coefficient == 0 || normal) << coefficient << "e" << q;
            if (normal) {
                ASSERT_EQ(fits_53_bits(coefficient, q), expected.exact) << coefficient << "e" << q;
                known += x.has_value();
                ++all;
            }
        }
    }
    EXPECT_GT(known, all * 99 / 100) << "one in hundred may be a tie, an exact quotient, or close to them";
}

TEST(nearest_binary64, leaves_ties_and_their_neighbours_alone_or_rounds_them_right)
{
    const std::uint64_t seed = 32;
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    for (std::int64_t k = 0; k < support::scaled(20000); ++k) {
        // An odd number of 54 bits is a tie; times 5^j it is one over 10^j.
        std::uint64_t coefficient = (random() >> 10) | (std::uint64_t{1} << 53) | 1;
        std::int32_t q = 0;
        for (; random() % 3 != 0 && coefficient < (std::uint64_t{1} << 61); --q) {
            coefficient *= 5;
        }
        for (const std::uint64_t beside : {coefficient - 1, coefficient, coefficient + 1}) {
            const std::optional<nearest_number> x = nearest_binary64(beside, q);
            ASSERT_TRUE(!x || x->value == by_mpfr(beside, q).value) << beside << "e" << q;
        }
    }
    EXPECT_FALSE(nearest_binary64(9007199254740993, 0));
}

TEST(nearest_binary64, knows_nearly_all_decimals_that_are_printed_numbers)
{
    const std::uint64_t seed = 33;
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    std::int64_t known = 0;
    std::int64_t printed = 0;
    for (std::int64_t k = 0; k < support::scaled(40000); ++k) {
        const int digits = 1 + static_cast<int>(random() % 19);
        const std::int32_t q = k % 2 == 0 ? -digits : static_cast<std::int32_t>(random() % 560) - 290;
        std::uint64_t coefficient = random() % powers_of_ten[static_cast<std::size_t>(digits)];
        if (k % 7 == 0) {
            coefficient = powers_of_ten[static_cast<std::size_t>(digits - 1)];
        } else if (k % 3 == 0 &&
                   coefficient > 0) {  // near a number, where random ones of 17 digits and more seldom are
            const double x = by_mpfr(coefficient, q).value;
            coefficient = static_cast<std::uint64_t>(std::stold(printed_digits(x, digits)));
        }
        const std::optional<nearest_number> x = nearest_binary64(coefficient, q);
        if (!x || coefficient == 0) {
            continue;
        }
        const std::string text = std::to_string(coefficient);
        const bool expected = printed_digits(x->value, static_cast<int>(text.size())) == text &&
                              std::fabs(std::log10(x->value) - std::log10(static_cast<double>(coefficient)) - q) < 0.5;
        ASSERT_TRUE(expected || !x->is_printed) << coefficient << "e" << q;
        known += x->is_printed;
        printed += expected;
    }
    EXPECT_GT(printed, support::scaled(20000));
    EXPECT_GT(known, printed * 8 / 10);  // powers of ten are left to others
}

TEST(nearest_binary64, knows_zero_and_leaves_the_ends_of_the_range)
{
    EXPECT_EQ(nearest_binary64(0, -100000)->value, 0.0);
    EXPECT_EQ(nearest_binary64(22250738585072014, -324)->value, 0x1p-1022);
    EXPECT_FALSE(nearest_binary64(22250738585072011, -324));  // subnormal
    EXPECT_FALSE(nearest_binary64(5, -324));
    EXPECT_FALSE(nearest_binary64(1, 309));
    EXPECT_FALSE(nearest_binary64(18446744073709551615U, 290));
}

}  // namespace
}  // namespace residua::io
