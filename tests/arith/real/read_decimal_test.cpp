#include <residua/arith/real/read_decimal.hpp>

#include <random>
#include <string>
#include <vector>

#include <gmpxx.h>
#include <gtest/gtest.h>

#include "tests/support/scale.hpp"

namespace residua {
namespace {

/// Reads digits and an exponent at every precision, and compares with MPFR's own reading of text.
void expect_as_mpfr(const std::string& digits, std::int64_t exponent, bool negative,
                    const std::vector<long>& precisions)
{
    const std::string text = (negative ? "-" : "") + digits + "e" + std::to_string(exponent);
    for (const long bits : precisions) {
        real expected(0.0, bits), found(0.0, bits);
        const int side = mpfr_strtofr(expected.mpfr(), text.c_str(), nullptr, 10, MPFR_RNDN);
        const int rounded = set_decimal(found, negative, digits, exponent);
        ASSERT_EQ(found, expected) << text << " at " << bits;
        ASSERT_EQ(signbit(found), negative);
        ASSERT_EQ((rounded > 0) - (rounded < 0), (side > 0) - (side < 0)) << text << " at " << bits;
        if (digits.size() <= 19) {
            const int of_word = set_decimal(found, negative, std::stoull(digits), static_cast<std::int32_t>(exponent));
            ASSERT_EQ(found, expected) << text << " at " << bits;
            ASSERT_EQ((of_word > 0) - (of_word < 0), (side > 0) - (side < 0)) << text << " at " << bits;
        }
    }
}

const std::vector<long> all_precisions{1, 2, 24, 53, 63, 64, 65, 106, 117, 128, 159, 276, 500, 1000, 4096};

std::string random_digits(std::mt19937_64& random, std::size_t count)
{
    std::string digits(count, '0');
    for (char& c : digits) {
        c = static_cast<char>('0' + random() % 10);
    }
    return digits;
}

TEST(set_decimal_test, takes_decimals_that_a_reader_can_check)
{
    real x(0.0, 53);
    EXPECT_EQ(set_decimal(x, false, 25, -2), 0);
    EXPECT_EQ(x, 0.25);
    EXPECT_NE(set_decimal(x, true, 1, -1), 0);
    EXPECT_EQ(x, -0.1);
    EXPECT_EQ(set_decimal(x, false, "0000000000000000000000000000000000000000000007", 1), 0);
    EXPECT_EQ(x, 70.0);
    EXPECT_EQ(set_decimal(x, true, "00000000000000000000000000000000", -7), 0);
    EXPECT_TRUE(is_zero(x) && signbit(x));
    EXPECT_GT(set_decimal(x, false, "90071992547409950000000000000000000000000000000", -31), 0);  // 2^53 + 3, a tie
    EXPECT_EQ(x, 9007199254740996.0);
}

TEST(set_decimal_test, rounds_random_decimals_as_mpfr_does)
{
    std::mt19937_64 random(11);
    for (std::int64_t k = support::scaled(20000); k > 0; --k) {
        const std::string digits = random_digits(random, 1 + random() % (k % 8 == 0 ? 200 : 60));
        const long widest = k % 16 == 0 ? 100000 : k % 2 == 0 ? 420 : 40;
        const auto exponent = static_cast<long>(random() % static_cast<unsigned long>(2 * widest + 1)) - widest;
        ASSERT_NO_FATAL_FAILURE(expect_as_mpfr(digits, exponent, random() % 2 == 0,
                                               {53, 64, 106, 276, 1 + static_cast<long>(random() % 1000)}));
    }
    for (const long exponent : {-323228460L, -324L, -308L, 308L, 323228460L}) {
        expect_as_mpfr("49406564584124654", exponent, false, all_precisions);
        expect_as_mpfr(std::string(25, '9'), exponent, true, all_precisions);
    }
}

TEST(set_decimal_test, rounds_numbers_at_and_beside_ties_as_mpfr_does)
{
    std::mt19937_64 random(12);
    gmp_randclass bits_of(gmp_randinit_default);
    bits_of.seed(13);
    for (std::int64_t k = support::scaled(20000); k > 0; --k) {
        // m 2^-below with one bit more than the precision, m odd: a tie, as m 5^below 10^-below. With m even it is exact.
        const auto bits = static_cast<unsigned>(2 + random() % 250);
        const auto below = static_cast<unsigned>(random() % 300);
        mpz_class m = bits_of.get_z_bits(bits + 1), power;
        mpz_setbit(m.get_mpz_t(), bits);
        mpz_ui_pow_ui(power.get_mpz_t(), 5, below);
        std::string digits = mpz_class(m * power).get_str();
        long exponent = -static_cast<long>(below);
        if (random() % 2 == 0) {  // beside it, at any distance
            const std::size_t places = 1 + random() % 120;
            digits += std::string(places, '0');
            digits = mpz_class(mpz_class(digits) + (random() % 2 == 0 ? 1 : -1)).get_str();
            exponent -= static_cast<long>(places);
        }
        const auto precision = static_cast<long>(bits);
        ASSERT_NO_FATAL_FAILURE(
            expect_as_mpfr(digits, exponent, random() % 2 == 0, {precision, precision + 1, 2 * precision}));
    }
}

TEST(set_decimal_test, rounds_powers_of_ten_and_their_neighbours_as_mpfr_does)
{
    for (long exponent = -410; exponent <= 410; exponent += support::scaled(10) >= 10 ? 1 : 10) {
        for (const std::string digits : {"1", "5", "9999999999999999999", "18446744073709551615",
                                         "18446744073709551616", "340282366920938463463374607431768211455"}) {
            ASSERT_NO_FATAL_FAILURE(expect_as_mpfr(digits, exponent, false, all_precisions));
        }
    }
}

TEST(set_decimal_test, leaves_the_flags_of_mpfr_as_they_were)
{
    mpfr_clear_flags();
    real x(0.0, 100);
    set_decimal(x, false, 1, -1);
    set_decimal(x, false, 1, -300);
    EXPECT_EQ(mpfr_flags_save(), mpfr_flags_t{0});
}

}  // namespace
}  // namespace residua
