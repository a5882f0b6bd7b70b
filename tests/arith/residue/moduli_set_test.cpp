#include <cstdint>
#include <numeric>

#include <gmp.h>
#include <gtest/gtest.h>

#include <residua/arith/residue/moduli_set.hpp>
#include <residua/io/error.hpp>

namespace residua {
namespace {

void value_of(const std::vector<std::int64_t>& digits, int bits, mpz_t value)
{
    mpz_set_ui(value, 0);
    for (std::size_t k = digits.size(); k-- > 0;) {
        mpz_mul_2exp(value, value, static_cast<mp_bitcnt_t>(bits));
        digits[k] < 0 ? mpz_sub_ui(value, value, static_cast<unsigned long>(-digits[k]))
                      : mpz_add_ui(value, value, static_cast<unsigned long>(digits[k]));
    }
}

TEST(moduli_set_test, moduli_are_coprime_and_have_the_product)
{
    for (const int word : {8, 12, 16, 22, 23, 31}) {
        for (const long bits : {1, 30, 200, 300, 3500}) {
            if (word == 8 && bits > 300) {
                EXPECT_THROW(moduli_set(word, bits), unsupported_error);
                continue;
            }
            const moduli_set set(word, bits);
            mpz_t product;
            mpz_init_set_ui(product, 1);
            for (int i = 0; i < set.size(); ++i) {
                EXPECT_LE(set.modulus(i), std::int64_t{1} << word);
                for (int j = 0; j < i; ++j) {
                    EXPECT_EQ(std::gcd(set.modulus(i), set.modulus(j)), 1);
                }
                mpz_mul_ui(product, product, static_cast<unsigned long>(set.modulus(i)));
            }
            EXPECT_EQ(static_cast<long>(mpz_sizeinbase(product, 2)) - 1, set.product_bits());
            EXPECT_GE(set.product_bits(), bits);
            EXPECT_LT(set.product_bits(), bits + word + 1);
            mpz_clear(product);
        }
    }
    EXPECT_THROW(moduli_set(2, 10), dimension_error);
    EXPECT_THROW(moduli_set(8, 0), dimension_error);
}

TEST(moduli_set_test, weights_and_digits_bring_a_number_back)
{
    const moduli_set set(22, 400);
    mpz_t whole;
    mpz_t part;
    mpz_t expected;
    mpz_inits(whole, part, expected, nullptr);
    value_of(set.digits(set.size(), 24), 24, whole);
    for (int i = 0; i < set.size(); ++i) {
        mpz_divexact_ui(expected, whole, static_cast<unsigned long>(set.modulus(i)));
        for (const int bits : {8, 24, 31}) {
            const auto digits = set.digits(i, bits);
            for (const std::int64_t d : digits) {
                EXPECT_LT(d, std::int64_t{1} << (bits - 1));
                EXPECT_GE(d, -(std::int64_t{1} << (bits - 1)));
            }
            value_of(digits, bits, part);
            EXPECT_EQ(mpz_cmp(part, expected), 0);
        }
        mpz_mul_si(part, part, set.weight(i));
        EXPECT_EQ(mpz_fdiv_ui(part, static_cast<unsigned long>(set.modulus(i))), 1u);
        for (const long k : {0L, 1L, 21L, 22L, 1000L}) {
            mpz_set_ui(part, 1);
            mpz_mul_2exp(part, part, static_cast<mp_bitcnt_t>(k));
            const auto r = static_cast<std::int64_t>(mpz_fdiv_ui(part, static_cast<unsigned long>(set.modulus(i))));
            EXPECT_EQ(set.power_of_two(i, k), centred_residue(r, set.modulus(i)));
        }
    }
    mpz_clears(whole, part, expected, nullptr);
}

TEST(moduli_set_test, centred_residues_lie_around_zero)
{
    for (const std::int64_t m : {255, 256}) {
        for (std::int64_t r = -1000; r <= 1000; ++r) {
            const std::int64_t c = centred_residue(r, m);
            EXPECT_EQ((r - c) % m, 0);
            EXPECT_LE(-m, 2 * c);
            EXPECT_LT(2 * c, m);
        }
    }
}

}  // namespace
}  // namespace residua
