#include <residua/io/decimal.hpp>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tests/io/rational.hpp"
#include "tests/support/scale.hpp"

namespace residua::io {
namespace {

using support::scaled;
using testing::to_rational;

constexpr double infinity = std::numeric_limits<double>::infinity();

binary64_result rounded(const std::string& decimal) { return round_to_binary64(decimal); }

TEST(scan_decimal, takes_every_form_of_the_standard)
{
    for (const char* decimal : {"0",
                                "7",
                                "-7",
                                "+7",
                                "007",
                                "1.5",
                                "1.",
                                ".5",
                                "-.5",
                                "+.5",
                                "1e5",
                                "1E5",
                                "1d5",
                                "1D5",
                                "1e+5",
                                "1e-5",
                                ".5e5",
                                "5.e5",
                                "1e005",
                                "-0.0",
                                "12345678901234567890.123456789012345",
                                "1e9223372036854775807",
                                "1e-9223372036854775808",
                                "1e+9223372036854775807",
                                "1e000000000000000000000000000001"}) {
        EXPECT_TRUE(is_decimal(decimal)) << decimal;
    }
}

TEST(scan_decimal, takes_nothing_else)
{
    for (const char* word :
         {"",      "+",   "-",     ".",   "-.",  "e5",    ".e5",       "1e",       "1e+",      "1e-",
          "--1",   "+-1", "1.2.3", "1,5", "1 ",  " 1",    "1x",        "0x10",     "1e5e5",    "1e5.",
          "1e5.5", "nan", "inf",   "1f5", "1-5", "1_000", "12345678x", "1234567:", "1234567/", "0.12345678x"}) {
        EXPECT_FALSE(is_decimal(word)) << word;
    }
    EXPECT_FALSE(is_decimal(std::string_view("1\0", 2)));
    EXPECT_TRUE(is_decimal(std::string_view("123456789x", 9)));
    EXPECT_FALSE(
        is_decimal(std::string_view("1\0"
                                    "2",
                                    3)));
}

TEST(scan_decimal, finds_digits_wherever_they_end)
{
    for (std::size_t digits = 1; digits < 40; ++digits) {
        for (std::size_t point = 0; point <= digits; ++point) {
            std::string decimal(digits, '7');
            decimal.insert(point, 1, '.');
            ASSERT_TRUE(is_decimal(decimal)) << decimal;
            for (std::size_t k = 0; k <= decimal.size(); ++k) {
                for (const char c : {':', '/', '\x80', '\xb0'}) {
                    std::string word = decimal;
                    word.insert(k, 1, c);
                    ASSERT_FALSE(is_decimal(word)) << word;
                    ASSERT_EQ(scan_decimal(word).end, word.data() + k) << word;
                }
            }
        }
    }
}

TEST(scan_decimal, tells_an_exponent_beyond_64_bits)
{
    for (const char* decimal :
         {"1e9223372036854775808", "1e-9223372036854775809", "1e99999999999999999999", "0d+99999999999999999999"}) {
        EXPECT_EQ(scan_decimal(decimal).result, decimal_scan::outcome::exponent_too_large) << decimal;
    }
}

struct parts_case {
    const char* decimal;
    const char* digits;
    index_t significant_digits;
    index_t exponent;
    bool negative;
};

TEST(take_apart, strips_outer_zeros)
{
    constexpr index_t largest = std::numeric_limits<index_t>::max();
    constexpr index_t smallest = std::numeric_limits<index_t>::min();
    for (const parts_case& c : std::vector<parts_case>{
             {"0", "", 0, 0, false},
             {"-0.000e7", "", 0, 0, true},
             {"1", "1", 1, 0, false},
             {"-1200", "12", 2, 2, true},
             {"0012.3400", "12.34", 4, -2, false},
             {"12.00", "12", 2, 0, false},
             {"1200.00", "12", 2, 2, false},
             {".0012", "12", 2, -4, false},
             {"0.0012e3", "12", 2, -1, false},
             {"10.01", "10.01", 4, -2, false},
             {"+5.D-3", "5", 1, -3, false},
             {"100e+9223372036854775807", "1", 1, largest, false},
             {".01e-9223372036854775808", "1", 1, smallest, false},
         }) {
        const decimal_parts parts = take_apart(c.decimal);
        EXPECT_EQ(parts.digits, c.digits) << c.decimal;
        EXPECT_EQ(parts.significant_digits, c.significant_digits) << c.decimal;
        EXPECT_EQ(parts.exponent, c.exponent) << c.decimal;
        EXPECT_EQ(parts.negative, c.negative) << c.decimal;
    }
}

TEST(take_apart, knows_integers)
{
    for (const char* integer : {"0", "0.0", "7", "7.0", "1.5e1", "12e0", "0e-5", "-3D2"}) {
        EXPECT_TRUE(take_apart(integer).is_integer()) << integer;
    }
    for (const char* fraction : {"0.5", "7.01", "15e-2", "1e-9223372036854775808"}) {
        EXPECT_FALSE(take_apart(fraction).is_integer()) << fraction;
    }
}

struct rounding_case {
    const char* decimal;
    double value;
    binary64_status status;
};

TEST(round_to_binary64, tells_what_was_lost)
{
    using enum binary64_status;
    for (const rounding_case& c : std::vector<rounding_case>{
             {"0", 0.0, exact},
             {"-0e99", -0.0, exact},
             {"0e9223372036854775807", 0.0, exact},
             {"1", 1.0, exact},
             {"+1.5", 1.5, exact},
             {"2.5D1", 25.0, exact},
             {"1d-1", 0.1, inexact},
             {"-0.1", -0.1, inexact},
             {"0.5", 0.5, exact},
             {"0.05", 0.05, inexact},
             {"0.25e-1", 0.025, inexact},
             {"1e22", 1e22, exact},
             {"1e23", 1e23, inexact},
             {"9007199254740992", 0x1p53, exact},
             {"9007199254740993", 0x1p53, inexact},
             {"9007199254740994", 0x1p53 + 2, exact},
             {"18014398509481984", 0x1p54, exact},
             {"123456789012345678901234567890", 123456789012345678901234567890.0, inexact},
             {"1267650600228229401496703205376", 0x1p100, exact},
             {"7450580596923828125e-27", 0x1p-27, exact},
             {"37252902984619140625e-28", 0x1p-28, exact},
             {"37252902984619140626e-28", 0x1p-28, inexact},
             {"1.7976931348623157e308", 0x1.fffffffffffffp1023, inexact},
             {"1.7976931348623159e308", infinity, overflow},
             {"-1e400", -infinity, overflow},
             {"1e9223372036854775807", infinity, overflow},
             {"100000d308", infinity, overflow},
             {"1e-400", 0.0, underflow},
             {"-1e-9223372036854775808", -0.0, underflow},
             {"5e-324", 0x1p-1074, underflow},
             {"3e-310", 3e-310, underflow},
         }) {
        const binary64_result result = rounded(c.decimal);
        EXPECT_EQ(result.value, c.value) << c.decimal;
        EXPECT_EQ(std::signbit(result.value), std::signbit(c.value)) << c.decimal;
        EXPECT_EQ(result.status, c.status) << c.decimal;
    }
}

TEST(parse_binary64, refuses_what_overflows)
{
    EXPECT_EQ(parse_binary64("-2.5d+1"), -25.0);
    EXPECT_EQ(parse_binary64("1e-400"), 0.0);
    try {
        parse_binary64("1e400");
        FAIL();
    } catch (const error& e) {
        EXPECT_EQ(e.what(), std::string("'1e400' is beyond binary64's largest number, about "
                                        "1.8e308; it needs a format of wider range"));
    }
}

TEST(binary64_tally, counts)
{
    binary64_tally tally;
    for (const char* decimal :
         {"1", "0.1", "0.12345678901234567890", "1e400", "1e-400", "1e-310", "0.000100000000000000000000"}) {
        tally(decimal);
    }
    EXPECT_EQ(tally.numbers, 7);
    EXPECT_EQ(tally.inexact, 6);
    EXPECT_EQ(tally.overflows, 1);
    EXPECT_EQ(tally.underflows, 2);
    EXPECT_EQ(tally.most_digits, 19);
}

TEST(binary64_tally, knows_files_that_mean_more_than_binary64)
{
    const auto exceeds = [](std::string_view decimal) {
        binary64_tally tally;
        tally("1");
        tally(decimal);
        return tally.exceeds_binary64();
    };
    EXPECT_FALSE(exceeds("0.10000000000000001"));
    EXPECT_FALSE(exceeds("1234567890123456700000e-200"));
    EXPECT_TRUE(exceeds("0.100000000000000001"));
    EXPECT_TRUE(exceeds("1e400"));
    EXPECT_TRUE(exceeds("1e-320"));
}

TEST(to_decimal, is_the_shortest_that_reads_back)
{
    EXPECT_EQ(to_decimal(0.1), "0.1");
    EXPECT_EQ(to_decimal(-1e300), "-1e+300");
    EXPECT_EQ(parse_binary64(to_decimal(0x1.fffffffffffffp-1022)), 0x1.fffffffffffffp-1022);
    EXPECT_THROW(to_decimal(infinity), error);
    EXPECT_THROW(to_decimal(-std::numeric_limits<double>::quiet_NaN()), error);
}

/// Whether x is the nearest binary64 to v, ties to even; by exact arithmetic. No overflow.
bool is_nearest(double x, const mpq_class& v)
{
    const auto distance = [&](double y) { return mpq_class(abs(mpq_class(y) - v)); };
    std::uint64_t bits = 0;
    std::memcpy(&bits, &x, sizeof bits);
    const bool even = bits % 2 == 0;
    for (const double neighbour : {std::nextafter(x, -infinity), std::nextafter(x, infinity)}) {
        if (std::isinf(neighbour)) {
            continue;
        }
        if (distance(neighbour) < distance(x) || (!even && distance(neighbour) == distance(x))) {
            return false;
        }
    }
    return true;
}

/// m 2^e as a decimal, exactly, in one of several spellings.
std::string spell(const mpz_class& m, long e, std::mt19937_64& random)
{
    mpz_class digits = abs(m);
    long exponent = 0;
    mpz_class factor;
    mpz_ui_pow_ui(factor.get_mpz_t(), e < 0 ? 5 : 2, static_cast<unsigned long>(std::labs(e)));
    digits *= factor;
    exponent = e < 0 ? e : 0;
    std::string text = digits.get_str();
    const std::size_t point = random() % (text.size() + 1);
    exponent += static_cast<long>(text.size() - point);
    text.insert(point, 1, '.');
    if (random() % 2 == 0) {
        text.insert(0, random() % 4, '0');
        text += std::string(random() % 4, '0');
    }
    return (m < 0 ? "-" : "") + text + "eEdD"[random() % 4] + std::to_string(exponent);
}

TEST(round_to_binary64, is_right_at_and_beside_ties_of_any_length)
{
    const std::uint64_t seed = 977;
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    int exact = 0;
    for (int trial = 0; trial < scaled(20000); ++trial) {
        // A binary64, a tie (one more bit), or either with a digit appended far behind.
        const long e = static_cast<long>(random() % 2 ? random() % 80 : random() % 2040) - 1074;
        const std::uint64_t most_dropped = random() % 8 == 0 ? 50 : 1;
        mpz_class m = static_cast<unsigned long>(random() >> (10 + random() % most_dropped));
        m *= random() % 2 ? 1 : -1;
        std::string decimal = spell(m, std::min(e, 900L), random);
        if (random() % 2) {
            const std::size_t letter = decimal.find_first_of("eEdD");
            decimal.insert(letter, std::string(random() % 30, '0') + "1");
        }

        const mpq_class v = to_rational([&] {
            std::string plain = decimal;
            plain[plain.find_first_of("eEdD")] = 'e';
            return plain;
        }());
        const binary64_result result = rounded(decimal);

        ASSERT_TRUE(is_nearest(result.value, v)) << decimal;
        const bool is_exact = mpq_class(result.value) == v;
        ASSERT_EQ(result.status == binary64_status::exact, is_exact) << decimal;
        exact += is_exact;
    }
    EXPECT_GT(exact, 0);
}

TEST(round_to_binary64, is_right_for_short_and_long_random_decimals)
{
    const std::uint64_t seed = 4242;
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    int exact = 0;
    for (int trial = 0; trial < scaled(50000); ++trial) {
        std::string digits;
        for (std::uint64_t k = 1 + random() % 24; k > 0; --k) {
            digits += random() % 3 == 0 ? "0005"[random() % 4] : "0123456789"[random() % 10];
        }
        std::string decimal = digits;
        decimal.insert(random() % digits.size(), 1, '.');
        decimal += 'e';
        decimal += std::to_string(static_cast<int>(random() % 60) - 30);

        const mpq_class v = to_rational(decimal);
        const binary64_result result = rounded(decimal);

        ASSERT_TRUE(is_nearest(result.value, v)) << decimal;
        ASSERT_EQ(result.value, parse_binary64(decimal)) << decimal;
        const bool is_exact = mpq_class(result.value) == v;
        ASSERT_EQ(result.status == binary64_status::exact, is_exact) << decimal;
        exact += is_exact;
    }
    EXPECT_GT(exact, 0);
}

}  // namespace
}  // namespace residua::io
