#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <clocale>
#include <limits>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <gmpxx.h>

#include <residua/arith/real/read_decimal.hpp>
#include <residua/arith/real/real.hpp>

#include "tests/io/rational.hpp"
#include "tests/support/biased_random.hpp"
#include "tests/support/scale.hpp"

namespace residua {
namespace {

/// x exactly. GMP's rationals are the oracle for text, independent of MPFR's conversions.
mpq_class to_rational(const real& x)
{
    mpq_class q;
    mpfr_get_q(q.get_mpq_t(), x.mpfr());
    return q;
}

/// The middle between x and its neighbour of the same precision, above or below.
real middle(const real& x, bool above)
{
    real neighbour = x;
    above ? mpfr_nextabove(neighbour.mpfr()) : mpfr_nextbelow(neighbour.mpfr());
    const long wide = x.precision() + 2;
    return ldexp(x.with_precision(wide) + neighbour, -1);
}

/// Whether x == RN(q) at its precision, ties to even.
bool is_nearest(const real& x, const mpq_class& q)
{
    const mpq_class below = to_rational(middle(x, false));
    const mpq_class above = to_rational(middle(x, true));
    const bool even = x.precision() > 1 && x.with_precision(x.precision() - 1) == x;
    return even ? below <= q && q <= above : below < q && q < above;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string random_digits(support::biased_random& random, int count)
{
    std::string digits;
    for (int i = 0; i < count; ++i) {
        digits += static_cast<char>('0' + random.integer(i == 0 ? 1 : 0, 9));
    }
    return digits;
}

// Reading.

TEST(real_text, reads_the_decimals_of_matrix_files)
{
    EXPECT_EQ(real("1", 53), 1.0);
    EXPECT_EQ(real("+1.5", 53), 1.5);
    EXPECT_EQ(real("-.5", 53), -0.5);
    EXPECT_EQ(real("5.", 53), 5.0);
    EXPECT_EQ(real("1e3", 53), 1000.0);
    EXPECT_EQ(real("1E+03", 53), 1000.0);
    EXPECT_EQ(real("25d-2", 53), 0.25);
    EXPECT_EQ(real("25.D-2", 53), 0.25);
    EXPECT_EQ(real("000125e-3", 53), 0.125);
    EXPECT_EQ(real("0.1", 53), 0.1);
    EXPECT_EQ(real("0.1", 200) * 10.0, real(1, 200));
    EXPECT_NE(real("0.1", 200), 0.1);
}

TEST(real_text, keeps_60_digits)
{
    const std::string text = "1.23456789012345678901234567890123456789012345678901234567890e-05";

    EXPECT_EQ(to_string(real(text, 212), 60), text);
}

TEST(real_text, keeps_the_sign_of_zero)
{
    EXPECT_TRUE(signbit(real("-0", 53)));
    EXPECT_TRUE(signbit(real("-0.000e5", 53)));
    EXPECT_FALSE(signbit(real("+0", 53)));
    EXPECT_EQ(real("0e999999999999999999", 53), 0.0);
}

TEST(real_text, refuses_everything_else)
{
    for (const std::string text :
         {"",      "+",     "-",   ".",    "+.",  "e5",       ".e5",  "1e",    "1e+",  "1d-", " 1",  "1 ",
          "1\n",   "1e5 ",  "inf", "-inf", "nan", "Infinity", "0x10", "0x1p3", "1p3",  "1@5", "1,5", "1.2.3",
          "1e5.0", "1e5e5", "--1", "+-1",  "1-5", "1_000",    "1f",   "one",   "1.5i", "١"}) {
        EXPECT_THROW(real(text, 100), error) << text;
    }
    EXPECT_THROW(real(std::string_view("1\0", 2), 100), error);
}

TEST(real_text, says_what_it_refused)
{
    try {
        real("1.5x", 100);
        FAIL();
    } catch (const error& e) {
        EXPECT_STREQ(e.what(), "'1.5x' is not a decimal number");
    }
}

TEST(real_text, reads_exponents_far_beyond_double)
{
    EXPECT_EQ(real("1e-400", 100) * real("1e400", 100), 1.0);
    EXPECT_EQ(to_string(real("1e-1000000", 100), 20), "1.0000000000000000000e-1000000");
    EXPECT_EQ(to_string(real("-9.99e+4000", 100), 3), "-9.99e+4000");
    EXPECT_EQ(real("0." + std::string(5000, '0') + "1e5001", 100), 1.0);
    EXPECT_EQ(real("1" + std::string(5000, '0') + "e-5000", 100), 1.0);
}

TEST(real_text, refuses_exponents_beyond_its_range_instead_of_infinity_or_zero)
{
    for (const std::string text : {"1e323228497", "-1e400000000", "1e-400000000", "1e99999999999999999999999999",
                                   "-1e-99999999999999999999999999", "1e9223372036854775807", "1e-9223372036854775808",
                                   "1e18446744073709551617"}) {
        EXPECT_THROW(real(text, 100), error) << text;
    }
    EXPECT_TRUE(is_finite(real("1e323228496", 100)));
    EXPECT_FALSE(is_zero(real("1e-323228496", 100)));
}

TEST(real_text, rounds_ties_to_even_and_all_else_to_nearest)
{
    EXPECT_EQ(real("2.5", 2), 2.0);  // between 2 and 3
    EXPECT_EQ(real("3.5", 2), 4.0);
    EXPECT_EQ(real("2.5000000000000000000000000000000000000000000000000000000001", 2), 3.0);
    EXPECT_EQ(real("3.4999999999999999999999999999999999999999999999999999999999", 2), 3.0);
    EXPECT_EQ(real("9007199254740993", 53), 9007199254740992.0);
    EXPECT_EQ(real("9007199254740995", 53), 9007199254740996.0);
    EXPECT_EQ(real("9007199254740993" + std::string(500, '0') + "1e-501", 53), 9007199254740994.0);
}

TEST(real_text, reading_is_correctly_rounded)
{
    support::biased_random random;
    SCOPED_TRACE(random.trace());

    for (auto i = support::scaled(20'000); i > 0; --i) {
        const int count = random.integer(1, 80);
        const std::string digits = random_digits(random, count);
        const int point = random.integer(0, count);
        const std::string sign = random.one_in(2) ? "-" : "";
        const std::string text = sign + digits.substr(0, point) + "." + digits.substr(point) + "e" +
                                 std::to_string(random.integer(-300, 300));
        const real x(text, random.integer(2, 300));
        ASSERT_TRUE(is_nearest(x, testing::to_rational(text))) << text << " at " << x.precision() << " bits";
    }
}

TEST(real_text, reading_is_correctly_rounded_at_and_next_to_ties)
{
    support::biased_random random;
    SCOPED_TRACE(random.trace());

    for (auto i = support::scaled(10'000); i > 0; --i) {
        const int bits = random.integer(2, 120);
        real x(random.value(-40, 40), bits);
        for (int k = bits; k > 0; k -= 50) {
            x += ldexp(real(random.uniform(), bits), exponent(x) - k);
        }
        const real tie = middle(x, random.one_in(2));
        // A p-bit number with exponent e has at most p + |e| + 2 digits: all of them, exactly.
        std::string text = to_string(tie, 400);
        if (random.one_in(2)) {
            text.insert(text.find('e'), "00000000000000000000001");
        }
        ASSERT_TRUE(is_nearest(real(text, bits), testing::to_rational(text))) << text << " at " << bits << " bits";
    }
}

// Writing.

TEST(real_text, writes_scientific_decimals)
{
    EXPECT_EQ(to_string(real("-1.2344e-57", 200), 4), "-1.234e-57");
    EXPECT_EQ(to_string(real(1.0), 1), "1e+00");
    EXPECT_EQ(to_string(real(1.0), 3), "1.00e+00");
    EXPECT_EQ(to_string(real("9.9996e99", 100), 4), "1.000e+100");
    EXPECT_EQ(to_string(real(0.0), 4), "0.000e+00");
    EXPECT_EQ(to_string(real(-0.0), 1), "-0e+00");
    EXPECT_EQ(to_string(real(-std::numeric_limits<double>::infinity()), 5), "-inf");
    EXPECT_EQ(to_string(real(std::numeric_limits<double>::quiet_NaN())), "nan");
    EXPECT_THROW(to_string(real(1.0), 0), error);
    EXPECT_THROW(to_string(real(1.0), -3), error);
}

TEST(real_text, writes_ties_to_even)
{
    EXPECT_EQ(to_string(real(0.125), 2), "1.2e-01");
    EXPECT_EQ(to_string(real(0.375), 2), "3.8e-01");
    EXPECT_EQ(to_string(real(2.5), 1), "2e+00");
}

TEST(real_text, writing_is_correctly_rounded)
{
    support::biased_random random;
    SCOPED_TRACE(random.trace());

    for (auto i = support::scaled(20'000); i > 0; --i) {
        const real x = real(random.value(-300, 300), random.integer(53, 200)) / random.value(-3, 3);
        const int digits = random.integer(1, 80);
        const std::string text = to_string(x, digits);

        const std::string mantissa = text.substr(0, text.find('e'));
        ASSERT_EQ(std::count_if(mantissa.begin(), mantissa.end(), is_digit), digits) << text;

        const long last = std::stol(text.substr(mantissa.size() + 1)) - (digits - 1);
        const mpq_class half_unit = testing::to_rational("5e" + std::to_string(last - 1));
        const mpq_class difference = abs(testing::to_rational(text) - to_rational(x));
        const bool even = (mantissa.back() - '0') % 2 == 0;
        ASSERT_TRUE(even ? difference <= half_unit : difference < half_unit) << text;
    }
}

TEST(real_text, writing_and_reading_gives_the_same_number_at_every_precision)
{
    support::biased_random random;
    SCOPED_TRACE(random.trace());

    for (auto i = support::scaled(40'000); i > 0; --i) {
        const long bits = random.integer(1, 1000);
        real x(random.value(-1000, 1000), bits);
        for (int k = 1; k * 50 < bits; ++k) {
            x += ldexp(real(random.uniform(), bits), exponent(x) - 50 * k);
        }
        x = ldexp(x, random.integer(-20000, 20000));
        ASSERT_EQ(real(to_string(x), bits), x) << to_string(x) << " at " << bits << " bits";
        ASSERT_EQ(real(to_string(x, round_trip_digits(bits)), bits), x);
    }
}

TEST(real_text, says_whether_a_decimal_was_rounded)
{
    for (const auto& [decimal, is_rounded] : {std::pair{"0", false},
                                              {"0.375", false},
                                              {"9007199254740992", false},
                                              {"0.1", true},
                                              {"9007199254740993", true},
                                              {"1e-400", true}}) {
        const read_decimal read(decimal, 53);
        EXPECT_EQ(read.value, real(decimal, 53)) << decimal;
        EXPECT_EQ(read.rounded, is_rounded) << decimal;
    }
}

TEST(real_text, round_trip_digits_are_the_known_numbers)
{
    EXPECT_EQ(round_trip_digits(24), 9);
    EXPECT_EQ(round_trip_digits(53), 17);
    EXPECT_EQ(round_trip_digits(113), 36);
    EXPECT_EQ(round_trip_digits(106), 33);
}

TEST(real_text, gives_the_same_in_every_thread)
{
    ASSERT_NE(mpfr_buildopt_tls_p(), 0) << "this MPFR is not made for threads";
    const real expected = real("1.25e-7654321", 300) * sqrt(real(2, 300));
    std::array<real, 4> results;

    std::vector<std::thread> threads;
    for (real& result : results) {
        threads.emplace_back([&result] {
            for (int i = 0; i < 1000; ++i) {
                result = real("1.25e-7654321", 300) * sqrt(real(2, 300));
            }
            mpfr_free_cache();
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }

    for (const real& result : results) {
        EXPECT_EQ(result, expected);
        EXPECT_EQ(real(to_string(result), 300), expected);
    }
}

TEST(real_text, leaves_the_flags_of_mpfr_as_they_were)
{
    mpfr_clear_flags();
    mpfr_set_underflow();

    EXPECT_THROW(real("1e400000000", 53), error);
    EXPECT_EQ(real("0.1", 53), 0.1);

    EXPECT_EQ(mpfr_flags_save(), mpfr_flags_t{MPFR_FLAGS_UNDERFLOW});
    mpfr_clear_flags();
}

TEST(real_text, does_not_depend_on_the_locale)
{
    // Only where a locale with a comma is installed; "C" otherwise, which proves nothing.
    if (std::setlocale(LC_NUMERIC, "de_DE.UTF-8") == nullptr) {
        GTEST_SKIP() << "no locale with a decimal comma here";
    }

    EXPECT_EQ(real("1.5", 53), 1.5);
    EXPECT_THROW(real("1,5", 53), error);
    EXPECT_EQ(to_string(real(1.5), 2), "1.5e+00");
    std::setlocale(LC_NUMERIC, "C");
}

TEST(real_text, goes_to_streams)
{
    std::ostringstream out;
    out << real("-0.25", 100);

    EXPECT_EQ(out.str(), "-2.5e-01");
}

}  // namespace
}  // namespace residua
