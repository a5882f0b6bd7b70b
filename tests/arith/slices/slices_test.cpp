#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <residua/arith/expansion/convert.hpp>
#include <residua/arith/slices/round.hpp>
#include <residua/arith/slices/slices.hpp>

#include "tests/support/biased_random.hpp"
#include "tests/support/oracle.hpp"
#include "tests/support/scale.hpp"

namespace residua {
namespace {

using namespace support;

real whole(const std::vector<std::uint64_t>& words)
{
    real value(words.back() >> 63 != 0 ? -1.0 : 0.0, oracle_bits);
    for (std::size_t k = words.size(); k-- > 0;) {
        const real high(static_cast<double>(words[k] >> 32), oracle_bits);
        const real low(static_cast<double>(words[k] & 0xffffffffu), oracle_bits);
        value = ldexp(ldexp(value, 32) + high, 32) + low;
    }
    return value;
}

TEST(slices_test, bits_are_the_most_that_are_exact)
{
    for (const int exact : {11, 24, 31, 53}) {
        for (const std::int64_t terms : {1, 2, 3, 4, 5, 1000, 1024, 1025, 4096, 100000}) {
            const int b = slice_bits(exact, terms);
            const auto sum = [&](int bits) { return ldexp(static_cast<double>(terms), 2 * bits - 2); };
            EXPECT_TRUE(b == 1 || sum(b) <= pow2(exact)) << exact << ' ' << terms;
            EXPECT_GT(sum(b + 1), pow2(exact) / 2) << exact << ' ' << terms;
        }
    }
}

TEST(slices_test, digits_add_up_to_the_number)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    for (std::int64_t run = 0; run < scaled(20'000); ++run) {
        const double x = random.any();
        const int b = random.integer(1, 24);
        const int e = (x == 0.0 ? 0 : floor_log2(x) + 1) + (random.one_in(2) ? 0 : random.integer(0, 100));
        const int last = x == 0.0 ? e : last_bit_exponent(x);
        if (x != 0.0) {
            ASSERT_EQ(to_double(ldexp(wide(x), -last)), std::rint(to_double(ldexp(wide(x), -last))));
            ASSERT_NE(to_double(ldexp(wide(x), -last - 1)), std::rint(to_double(ldexp(wide(x), -last - 1))));
        }
        const int count = slices_needed(e, last, b);
        real sum(0.0, oracle_bits);
        for (int s = 0; s < count; ++s) {
            // what is left is as slice_rest has it, also before the last digit
            const real rest = ldexp(wide(x) - sum, b - 1 - e);
            if (s > 0 && random.one_in(4)) {
                const real found = wide(slice_rest(x, e, b, s));
                ASSERT_TRUE(found == rest || abs(found - rest) <= ldexp(wide(1.0), -1074))
                    << x << " digit " << s << " of " << b << " bits";
            }
            const double digit = slice_digit(x, e, b, s);
            ASSERT_EQ(digit, std::rint(digit));
            ASSERT_LE(std::abs(digit), pow2(b - 1)) << x << " digit " << s << " of " << b << " bits";
            sum += ldexp(wide(digit), e + 1 - b * (s + 1));
        }
        ASSERT_TRUE(sum == wide(x)) << x << " in " << count << " digits of " << b << " bits";
        EXPECT_EQ(slice_digit(x, e, b, count), 0.0);
    }
}

TEST(slices_test, long_integers_add_and_round_as_mpfr)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    for (std::int64_t run = 0; run < scaled(20'000); ++run) {
        const int words = random.integer(1, 6);
        std::vector<std::uint64_t> word(static_cast<std::size_t>(words));
        const long_integer sum{word.data(), 1, words};
        real expected(0.0, oracle_bits);
        for (int k = random.integer(1, 12); k > 0; --k) {
            const auto x = static_cast<std::int64_t>(random.bits()) >> random.integer(5, 63);
            const int shift = random.integer(0, 64 * words - 62);
            const bool fits = shift + 60 < 64 * words;
            if (!fits) {
                continue;
            }
            sum.add(x, shift);
            expected += ldexp(real(static_cast<double>(x >> 32), oracle_bits) * real(0x1p32, oracle_bits) +
                                  real(static_cast<double>(x & 0xffffffff), oracle_bits),
                              shift);
        }
        ASSERT_TRUE(whole(word) == expected) << words << " words";
        const int scale = random.one_in(2) ? random.integer(-100, 100) : random.integer(-1500, 1100);
        ASSERT_EQ(to_bits(sum.rounded(scale)), to_bits(to_double(ldexp(expected, scale))))
            << to_string(expected) << " 2^" << scale;
    }
}

/// Integers of some words: any bits, runs of ones or zeros, few bits.
std::vector<std::uint64_t> random_words(biased_random& random)
{
    std::vector<std::uint64_t> word(static_cast<std::size_t>(random.integer(1, 9)));
    for (std::uint64_t& w : word) {
        const int kind = random.integer(0, 4);
        w = kind == 0   ? 0
            : kind == 1 ? ~std::uint64_t{0}
            : kind == 2 ? std::uint64_t{1} << random.integer(0, 63)
            : kind == 3 ? ~std::uint64_t{0} << random.integer(0, 63)
                        : random.bits();
    }
    return word;
}

TEST(slices_test, long_integers_round_to_digits_as_mpfr)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    for (std::int64_t run = 0; run < scaled(70'000); ++run) {
        std::vector<std::uint64_t> word = random_words(random);
        const long_magnitude x(word.data(), 1, static_cast<int>(word.size()));
        const int p = random.integer(1, 700);
        const real value = whole(word);
        real expected = value;
        mpfr_prec_round(expected.mpfr(), p, MPFR_RNDN);
        ASSERT_EQ(x.is_zero(), value == real(0.0, 53));
        if (x.is_zero()) {
            continue;
        }
        std::vector<std::uint32_t> digit(static_cast<std::size_t>((p + 31) / 32));
        const std::int64_t e =
            round_to_digits(x, p, [&](int k, std::uint32_t d) { digit[static_cast<std::size_t>(k)] = d; });
        ASSERT_NE(digit.back() >> 31, 0u);
        real found(0.0, oracle_bits);
        for (std::size_t k = digit.size(); k-- > 0;) {
            found = ldexp(found, 32) + real(static_cast<double>(digit[k]), oracle_bits);
        }
        found = ldexp(found, e - 32 * static_cast<std::int64_t>(digit.size()));
        ASSERT_TRUE((x.negative ? -found : found) == expected) << to_string(value) << ", " << p << " bits";
    }
}

template <int N>
void expect_terms(std::vector<std::uint64_t> word, int scale)
{
    const auto expected = from_real<expansion<double, N>>(ldexp(whole(word), scale));
    const auto found = rounded_to_expansion<N>({word.data(), 1, static_cast<int>(word.size())}, scale);
    for (int k = 0; k < N; ++k) {
        EXPECT_EQ(to_bits(found.t[k]), to_bits(expected.t[k])) << "term " << k << " of " << N;
    }
}

TEST(slices_test, long_integers_round_to_terms_as_mpfr)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    for (std::int64_t run = 0; run < scaled(10'000); ++run) {
        const std::vector<std::uint64_t> word = random_words(random);
        const int scale = random.one_in(2) ? random.integer(-100, 100) : random.integer(-1500, 1100);
        expect_terms<2>(word, scale);
        expect_terms<3>(word, scale);
        expect_terms<12>(word, scale);
        ASSERT_FALSE(testing::Test::HasFailure()) << to_string(whole(word)) << " 2^" << scale;
    }
}

TEST(slices_test, numbers_are_cut_towards_zero)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    for (std::int64_t run = 0; run < scaled(20'000); ++run) {
        std::vector<std::uint64_t> word(5);
        const int shift = random.integer(-700, 700);
        const double x = random.value(-shift - 80, -shift + 250);
        long_integer{word.data(), 1, 5}.add_cut(x, shift);
        real expected = ldexp(wide(x), shift);
        mpfr_trunc(expected.mpfr(), expected.mpfr());
        ASSERT_TRUE(whole(word) == expected) << x << " 2^" << shift;
    }
}

TEST(slices_test, ties_and_the_ends_of_the_range_round_as_mpfr)
{
    for (const std::uint64_t top : {std::uint64_t{1} << 63, ~std::uint64_t{0}, (std::uint64_t{1} << 63) + 1,
                                    (std::uint64_t{1} << 63) + (1u << 10), (std::uint64_t{1} << 63) + (3u << 10),
                                    ~std::uint64_t{0} << 11, ~std::uint64_t{0} << 10}) {
        for (const bool sticky : {false, true}) {
            for (int e = -1080; e <= 1030; e += e == -1015 ? 2030 : 1) {
                real x = ldexp(real(static_cast<double>(top >> 32), 200) * real(0x1p32, 200) +
                                   real(static_cast<double>(top & 0xffffffffu), 200) + real(sticky ? 0.25 : 0.0, 200),
                               e - 64);
                ASSERT_EQ(rounded_to_binary64(top, sticky, e), to_double(x)) << std::hex << top << ' ' << std::dec << e;
            }
        }
    }
}

}  // namespace
}  // namespace residua
