#include <residua/solvers/matrix/prime_field.hpp>

#include <cstdlib>
#include <random>
#include <string>

#include <gmp.h>
#include <gtest/gtest.h>

#include "tests/support/scale.hpp"

namespace residua {
namespace {

/// +-digits 10^exponent modulo the prime, by integers of GMP.
double by_integers(bool negative, const std::string& digits, long exponent, unsigned long prime)
{
    mpz_t x, power, modulus;
    mpz_init_set_str(x, digits.c_str(), 10);
    mpz_init_set_ui(power, 10);
    mpz_init_set_ui(modulus, prime);
    mpz_powm_ui(power, power, static_cast<unsigned long>(std::abs(exponent)), modulus);
    if (exponent < 0) {
        mpz_invert(power, power, modulus);
    }
    mpz_mul(x, x, power);
    if (negative) {
        mpz_neg(x, x);
    }
    mpz_mod(x, x, modulus);
    const auto result = static_cast<double>(mpz_get_ui(x));
    mpz_clears(x, power, modulus, nullptr);
    return result;
}

TEST(prime_field, decimals_of_any_length_have_the_residues_of_their_integers)
{
    std::mt19937_64 random(11);
    for (const std::uint32_t prime : {prime_field::first_prime, prime_field::second_prime}) {
        const prime_field field(prime);
        for (std::int64_t k = 0; k < support::scaled(5000); ++k) {
            std::string digits;
            for (std::uint64_t count = 1 + random() % 60; digits.size() < count;) {
                digits += static_cast<char>(k % 5 == 0 ? '9' : '0' + random() % 10);
            }
            const long exponent = static_cast<long>(random() % 6001) - 3000;
            const bool negative = random() % 2 == 0;
            const std::string written = (negative ? "-" : "") + digits + "e" + std::to_string(exponent);
            ASSERT_EQ(field.of_decimal(written), by_integers(negative, digits, exponent, prime)) << written;
        }
        EXPECT_EQ(field.of_decimal(std::to_string(prime) + "e0"), 0.0);
        EXPECT_EQ(field.of_decimal("-" + std::to_string(prime) + "00000000e-8"), 0.0);
    }
}

}  // namespace
}  // namespace residua
