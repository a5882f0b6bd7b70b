#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <residua/arith/real/decimal_digits.hpp>

#include "tests/support/biased_random.hpp"

namespace residua {
namespace {

using support::biased_random;

/// By mpfr_get_str, which is the definition.
digit_string by_mpfr(const real& x, int count)
{
    std::string buffer(static_cast<std::size_t>(count) + 8, '\0');
    mpfr_exp_t exponent = 0;
    mpfr_get_str(buffer.data(), &exponent, 10, static_cast<std::size_t>(count), abs(x).mpfr(), MPFR_RNDN);
    return {buffer.substr(0, static_cast<std::size_t>(count)), exponent};
}

void expect_digits(const real& x, int count)
{
    if (count == 1 && MPFR_VERSION < MPFR_VERSION_NUM(4, 0, 0)) {
        return;  // takes two at least
    }
    const digit_string found = rounded_digits(x, count);
    const digit_string expected = by_mpfr(x, count);
    ASSERT_EQ(found.digits, expected.digits) << to_double(x) << ", 2^" << exponent(x) << ", " << count << " digits";
    ASSERT_EQ(found.exponent, expected.exponent) << to_double(x) << ", 2^" << exponent(x) << ", " << count << " digits";
}

real random_real(biased_random& random, long bits, int exponent)
{
    real x(0.0, bits);
    for (long k = 0; k < bits; k += 53) {
        x = x + ldexp(real(random.any(), bits), -k);
    }
    return is_zero(x) || !is_finite(x) ? real(1.0, bits) : ldexp(x, exponent - residua::exponent(x));
}

TEST(decimal_digits_test, are_those_of_mpfr)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    for (const long bits : {2, 24, 53, 64, 65, 106, 212, 424, 1000, 3392}) {
        for (int k = 0; k < 400; ++k) {
            const int range = random.one_in(4) ? 9000 : random.one_in(2) ? 300 : 4;
            const real x = random_real(random, bits, random.integer(-range, range));
            expect_digits(x, random.integer(1, bits < 1000 ? 140 : 1300));
        }
    }
}

TEST(decimal_digits_test, powers_of_ten_and_what_is_beside_them)
{
    for (const long bits : {53, 106, 424}) {
        for (int power = -330; power <= 330; ++power) {
            real x("1e" + std::to_string(power), bits);
            for (int step = -1; step <= 1; ++step) {
                real near = x;
                step<0 ? mpfr_nextbelow(near.mpfr()) : step> 0 ? mpfr_nextabove(near.mpfr()) : void();
                for (const int count : {1, 2, 15, 16, 17, 34, 130}) {
                    expect_digits(near, count);
                    expect_digits(-near, count);
                }
            }
        }
    }
}

// A digit and a half that is exact goes to the even one, and what lies below decides.
TEST(decimal_digits_test, ties_go_to_even)
{
    for (int whole = 1; whole < 1000; ++whole) {
        for (const char* rest : {"5", "49999999", "50000001", "5000000000000000000000000000000000001"}) {
            for (const int power : {-3, 0, 7, 40}) {
                const real x(std::to_string(whole) + rest + "e" + std::to_string(power), 400);
                for (int count = 1; count <= 4; ++count) {
                    expect_digits(x, count);
                }
            }
        }
        for (const int power : {-40, -1, 1, 70}) {  // halves below the point, and above, that binary has exactly
            const real x = ldexp(real(whole + 0.5, 400), power);
            for (int count = 1; count <= 40; ++count) {
                expect_digits(x, count);
            }
        }
    }
}

}  // namespace
}  // namespace residua
