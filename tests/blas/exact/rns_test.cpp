#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <residua/blas/exact/gemv_exact.hpp>
#include <residua/blas/exact/operands.hpp>

#include "tests/blas/exact/exact_oracle.hpp"

namespace residua {
namespace {

using namespace support;

const host_executor exec;

rns_number dot(const exact_format<rns>& format, const std::vector<rns_number>& x, const std::vector<rns_number>& y,
               const blas::exact_options& options = {})
{
    auto a = format.zeros(static_cast<index_t>(x.size()));
    auto b = format.zeros(static_cast<index_t>(y.size()));
    for (std::size_t l = 0; l < x.size(); ++l) {
        a.set(static_cast<index_t>(l), x[l]);
        b.set(static_cast<index_t>(l), y[l]);
    }
    auto result = format.zeros(index_t{1});
    blas::dot_exact<rns>(exec, a, b, result, options);
    return result.get(0);
}

class exact_rns_test : public testing::TestWithParam<long> {
protected:
    exact_format<rns> format{rns_format(GetParam())};

    rns_number one() const { return format.from(1.0); }
};

// (2^5000, 3, -2^5000) times (1, 5, 1)
TEST_P(exact_rns_test, what_cancels_leaves_the_rest)
{
    const auto far = format.power_of_two(5000);
    const auto found = dot(format, {far, format.from(3.0), -far}, {one(), format.from(5.0), one()});
    EXPECT_TRUE(exact_format<rns>::same(found, format.from(15.0)));
    EXPECT_TRUE(exact_format<rns>::same(dot(format, {far, far}, {one(), -one()}), format.from(0.0)));
}

// As operations leave them: significands with zeros at their end, up to 2^width, and ranges that enclose them loosely.
TEST_P(exact_rns_test, any_significand_is_an_operand)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    const auto width = format.precision();
    const auto all_ones = format.power_of_two(width) - one();
    std::vector<rns_number> x{one(), -one(), all_ones, -all_ones, format.power_of_two(width - 1), all_ones - one()};
    x.push_back(all_ones + format.from(0.5));  // a tie, rounded up to X = 2^width
    ASSERT_TRUE(exact_format<rns>::same(dot(format, {x.back()}, {one()}), format.power_of_two(width)));
    auto doubled = one();
    for (long k = 0; k < width; ++k) {  // X = 2^k, and its range knows it
        doubled = doubled + doubled;
        x.push_back(doubled);
        x.push_back(-doubled);
    }
    for (int k = 0; k < 300; ++k) {
        const auto y = format.any(random, -40, 40) / format.any(random, -40, 40);
        x.push_back(y);
        x.push_back(y * x[static_cast<std::size_t>(random.integer(0, 5))]);
        x.push_back(y + x[static_cast<std::size_t>(random.integer(0, 5))]);
        x.push_back(y - y * (one() + format.power_of_two(5 - width)));
    }
    for (const rns_number& y : x) {
        const auto found = dot(format, {y}, {one()});
        ASSERT_TRUE(exact_format<rns>::same(found, format.from(to_real(y)))) << to_double(y);
    }
}

// A sum 2^32 bits from one, and what is refused.
TEST_P(exact_rns_test, exponents_of_operands_are_those_of_multidigit_floats)
{
    const long most = blas::detail::most_exact_exponent;
    for (const long e : {most, -most}) {
        const auto x = ldexp(-one(), e);
        EXPECT_TRUE(exact_format<rns>::same(dot(format, {x, x}, {x, x}), ldexp(one(), 2 * e + 1)));
    }
    for (const long e : {most + 1, -most - 1, 1L << 40, -(1L << 40)}) {
        try {
            dot(format, {one(), ldexp(one(), e)}, {one(), one()});
            FAIL() << "accepted";
        } catch (const unsupported_error& refused) {
            const std::string message = refused.what();
            EXPECT_NE(message.find(std::to_string(e)), std::string::npos) << message;
            EXPECT_EQ(message.find('\n'), std::string::npos) << message;
        }
    }
}

TEST_P(exact_rns_test, spreads_that_are_too_wide_need_bits)
{
    const auto tiny = ldexp(one(), -1'000'000'000);
    EXPECT_THROW(dot(format, {one(), tiny}, {one(), one()}), unsupported_error);
    EXPECT_TRUE(exact_format<rns>::same(dot(format, {one(), tiny}, {one(), one()}, {64}), one()));
}

// Integers of every length against rns_number(format, real), whose exponents end earlier; at every scale, also
// where those of RNS floats end.
TEST_P(exact_rns_test, results_are_what_conversion_gives)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    auto to = format.zeros(index_t{1});
    const auto result = blas::detail::exact_result(exec, to.view());
    for (int k = 0; k < 2000; ++k) {
        const int words = random.integer(1, 60);
        std::vector<std::uint64_t> word(static_cast<std::size_t>(words));
        const bool negative = random.one_in(2);
        const int used = random.integer(1, words);
        for (int w = 0; w < words; ++w) {  // long runs of zeros and ones, so that ties and carries occur
            const std::uint64_t bits = random.one_in(3) ? random.bits() : random.one_in(2) ? 0 : ~std::uint64_t{0};
            const std::uint64_t sign = negative ? ~std::uint64_t{0} : 0;
            word[static_cast<std::size_t>(w)] = w < used - 1 ? bits : w == used - 1 ? random.bits() >> 1 ^ sign : sign;
        }
        real exact(0.0, 64 * words + 64);
        for (int w = words; w-- > 0;) {
            const std::uint64_t here = word[static_cast<std::size_t>(w)];
            const double high = w == words - 1 ? static_cast<double>(static_cast<std::int64_t>(here) >> 32)
                                               : static_cast<double>(here >> 32);
            exact = ldexp(exact, 32) + real(high, exact.precision());
            exact = ldexp(exact, 32) + real(static_cast<double>(here & 0xffffffff), exact.precision());
        }
        const long scale = random.one_in(4) ? (random.one_in(2) ? 1 : -1) * rns_exponent_limit - random.integer(0, 4000)
                                            : random.integer(-3000, 3000);
        result.store(0, {word.data(), 1, words}, scale);
        const auto expected = ldexp(format.from(exact), scale);
        ASSERT_TRUE(exact_format<rns>::same(to.get(0), expected)) << words << " words, scale " << scale;
    }
}

// A row of a matrix as x, every other number backwards as y.
TEST_P(exact_rns_test, vectors_have_strides)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    const exact_factors<rns> of(format, random, exact_kind::uniform, 4, 6, 1);
    const exact_factors<rns> rows(format, random, exact_kind::uniform, 3, 6, 1);
    auto y = format.zeros(7);
    y.set(0, format.from(5.0));
    auto view = y.view();
    blas::gemv_exact<rns>(exec, of.a, rows.a.view().row(1),
                          vector_view<host_executor, rns>{view.start.from(6), 4, -2, view.format});
    const long bits = format.of_sums();
    const auto x = cut_numbers<rns>(row_of(rows.a, 1), 0, bits);
    for (index_t i = 0; i < 4; ++i) {
        const real sum = sum_of_products(cut_numbers<rns>(row_of(of.a, i), 0, bits), x, bits);
        EXPECT_TRUE(exact_format<rns>::same(y.get(6 - 2 * i), format.from(sum)));
        EXPECT_TRUE(i == 3 || exact_format<rns>::same(y.get(5 - 2 * i), format.from(0.0)));
    }
}

INSTANTIATE_TEST_SUITE_P(bits, exact_rns_test, testing::Values(60, 76, 106, 212, 700, 1734),
                         testing::PrintToStringParamName());

TEST(exact_rns_formats_test, precisions_may_differ)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    const exact_format<rns> of_a{rns_format(300)};
    const exact_format<rns> of_b{rns_format(60)};
    const exact_format<rns> of_c{rns_format(200)};
    const auto a = exact_factors<rns>(of_a, random, exact_kind::spread, 6, 7, 1).a;
    const auto b = exact_factors<rns>(of_b, random, exact_kind::spread, 1, 7, 5).b;
    auto c = of_c.zeros(6, 5);
    blas::gemm_exact<rns>(exec, a, b, c);
    const long bits = of_a.of_sums();
    for (index_t j = 0; j < 5; ++j) {
        for (index_t i = 0; i < 6; ++i) {
            const real sum = sum_of_products(cut_numbers<rns>(row_of(a, i), 0, bits),
                                             cut_numbers<rns>(column_of(b, j), 0, bits), bits);
            EXPECT_TRUE(exact_format<rns>::same(c.get(i, j), of_c.from(sum)));
        }
    }
}

}  // namespace
}  // namespace residua
