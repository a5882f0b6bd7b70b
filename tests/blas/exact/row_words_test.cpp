#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <omp.h>

#include <residua/arith/multidigit/real.hpp>
#include <residua/blas/exact/row_words.hpp>
#include <residua/blas/exact/sparse_product.hpp>
#include <residua/blas/exact/spmv_exact.hpp>

#include "tests/blas/exact/exact_sparse.hpp"

namespace residua {
namespace {

using namespace support;
using namespace blas::detail;

/// The number as its words have it.
real value_of(const numbers_in_words::number& x)
{
    real sum(0.0, 8192);
    for (std::int32_t k = 0; k < x.words; ++k) {
        real word(0.0, 64);
        mpfr_set_uj(word.mpfr(), x.word[k], MPFR_RNDN);
        sum += ldexp(word, 64 * (long{x.place} + k));
    }
    return x.negative ? -sum : sum;
}

/// The one number of a vector, as exact sums read it.
struct read_number {
    std::vector<std::uint64_t> memory;
    numbers_in_words::number number;

    explicit read_number(const exact_format<multidigit>& format, const multidigit_number& x)
    {
        auto v = format.zeros(1);
        v.set(0, x);
        const vector_view<host_executor, const multidigit> view = v;
        const exact_digits digits{view.start, 1, 0};
        memory.assign(static_cast<std::size_t>(numbers_in_words::words_for(digits.start.digits)) + 1, 0x5a5a);
        number = numbers_in_words::read(digits.at(0, 0), memory.data());
        EXPECT_EQ(memory.back(), 0x5a5aU) << "beyond its memory";
    }
};

TEST(row_words_test, numbers_keep_their_values_and_lose_their_zeros)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    for (const long bits : {64, 65, 96, 97, 128, 129, 212, 1000, 4096}) {
        SCOPED_TRACE(std::to_string(bits) + " bits");
        const exact_format<multidigit> format{multidigit_format(bits)};
        for (int k = 0; k < 300; ++k) {
            const multidigit_number x = ldexp(format.any(random, -200, 200), random.integer(-100000, 100000));
            const read_number read(format, x);
            ASSERT_TRUE(read.number.is_finite);
            ASSERT_EQ(value_of(read.number), to_real(x)) << "2^" << exponent(x);
        }
        for (long up = -130; up < 130; ++up) {  // a binary64 number lies in two words at most
            const read_number read(format, ldexp(multidigit_number(format.format, -0x1.fffffffffffffp0), up));
            ASSERT_EQ(value_of(read.number), ldexp(real(-0x1.fffffffffffffp0), up)) << up;
            ASSERT_LE(read.number.words, 2) << up;
        }
        EXPECT_EQ(read_number(format, format.from(0.0)).number.words, 0);
        EXPECT_TRUE(read_number(format, format.from(0.0)).number.is_finite);
        EXPECT_FALSE(read_number(format, format.from(std::numeric_limits<double>::infinity())).number.is_finite);
        EXPECT_FALSE(read_number(format, format.from(std::numeric_limits<double>::quiet_NaN())).number.is_finite);
    }
}

/// A row of entries times numbers, and b, summed by row_in_words.
struct one_row {
    exact_format<multidigit> format;
    csr<host_executor, double> a;
    exact_format<multidigit>::vector x, b;

    one_row(long bits, const std::vector<double>& entries, const std::vector<multidigit_number>& factors)
        : format{multidigit_format(bits)},
          a(1, static_cast<index_t>(entries.size()), static_cast<index_t>(entries.size())),
          x(format.zeros(static_cast<index_t>(entries.size()))),
          b(format.zeros(1))
    {
        a.row_begin()[1] = x.size();
        for (index_t l = 0; l < x.size(); ++l) {
            const auto at = static_cast<std::size_t>(l);
            a.col()[at] = static_cast<column_t>(l);
            a.value().data()[l] = entries[at];
            x.set(l, factors[at]);
        }
    }

    /// Whether the sum has room; then `sum` is it.
    bool holds(multidigit_number& sum) const
    {
        auto y = format.zeros(1);
        const vector_view<host_executor, const multidigit> of_b = b;
        const exact_vector_operands<host_executor, multidigit> of{"test", x, &of_b, y, {}};
        const auto product = exact_product_of(host_executor{}, a, of);
        const numbers_in_words words(product.x, x.size());
        row_in_words row(product, words);
        const bool held = row.store(0, exact_result(host_executor{}, of.y), 0);
        sum = y.get(0);
        return held;
    }
};

// b - 1 x_0 - 2^-e x_1: the spread of the terms, and the bits that they have, decide.
TEST(row_words_test, a_row_holds_what_its_words_reach)
{
    for (const long bits : {64, 212, 1000, 4096}) {
        SCOPED_TRACE(std::to_string(bits) + " bits");
        const exact_format<multidigit> format{multidigit_format(bits)};
        for (long far = 0; far < 6 * bits + 4000; far += 61) {
            one_row row(bits, {-1.0, -0x1p-40}, {format.from(1.0), format.power_of_two(40 - far)});
            multidigit_number sum = format.from(0.0);
            const bool held = row.holds(sum);
            ASSERT_TRUE(held || far >= 4 * bits + 1800) << far;
            ASSERT_TRUE(!held || far <= 4 * bits + 2200) << far;
            if (held) {
                const real exact = real(1.0, 40000) + ldexp(real(1.0, 40000), -far);
                ASSERT_EQ(to_real(sum), exact.with_precision(bits)) << far;
            }
        }
    }
}

TEST(row_words_test, what_is_not_finite_is_left_to_others)
{
    const exact_format<multidigit> format{multidigit_format(212)};
    const auto one = format.from(1.0);
    const auto infinite = format.from(std::numeric_limits<double>::infinity());
    multidigit_number sum = one;
    EXPECT_FALSE(one_row(212, {1.0, 0.0}, {one, infinite}).holds(sum));
    EXPECT_FALSE(one_row(212, {1.0, std::numeric_limits<double>::quiet_NaN()}, {one, format.from(0.0)}).holds(sum));
    one_row row(212, {0.0, 3.0}, {one, format.from(0.0)});
    EXPECT_TRUE(row.holds(sum));
    EXPECT_TRUE(exact_format<multidigit>::same(sum, format.from(0.0)));
    row.b.set(0, infinite);
    EXPECT_FALSE(row.holds(sum));
}

// Sums of many products that carry through all of their words, of both signs.
TEST(row_words_test, carries_reach_the_end)
{
    constexpr std::size_t n = 3000;
    for (const double sign : {1.0, -1.0}) {
        const exact_format<multidigit> format{multidigit_format(212)};
        const multidigit_number largest = format.power_of_two(0) - format.power_of_two(-212);
        one_row row(212, std::vector<double>(n, sign * 0x1.fffffffffffffp9),
                    std::vector<multidigit_number>(n, largest));
        multidigit_number sum = format.from(0.0);
        ASSERT_TRUE(row.holds(sum));
        const real product = real(0x1.fffffffffffffp9, 400) * to_real(largest).with_precision(400);
        const real exact = real(-sign * static_cast<double>(n), 400) * product;
        EXPECT_EQ(to_real(sum), exact.with_precision(212));
    }
}

// Rows of short entries, of long ones, of both, and of entries far apart.
TEST(row_words_test, threads_change_no_bit)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    constexpr index_t n = 4000;
    constexpr index_t of_row = 6;
    csr<host_executor, double> a(n, n, of_row * n);
    for (index_t i = 0; i < n; ++i) {
        a.row_begin()[static_cast<std::size_t>(i) + 1] = of_row * (i + 1);
        for (index_t k = 0; k < of_row; ++k) {
            const bool is_short = i % 4 == 0 || (i % 4 == 1 && k == 0);
            const int far = i % 4 == 3 && k == 2 ? random.integer(-900, 900) : 0;
            a.col()[static_cast<std::size_t>(of_row * i + k)] = static_cast<column_t>((i + 600 * k) % n);
            a.value().data()[of_row * i + k] = is_short ? random.integer(1, 9) : random.value(far, far + 3);
        }
    }
    const int threads = omp_get_max_threads();
    for (const long bits : {212, 3392}) {
        SCOPED_TRACE(std::to_string(bits) + " bits");
        const exact_format<multidigit> format{multidigit_format(bits)};
        auto x = format.zeros(n);
        for (index_t j = 0; j < n; ++j) {
            x.set(j, j % 3 == 0 ? format.from(static_cast<double>(j)) : format.any(random, -2, 2));
        }
        auto one = format.zeros(n);
        auto several = format.zeros(n);
        auto wide = format.zeros(n);
        omp_set_num_threads(1);
        blas::residual_exact<multidigit, double>(host_executor{}, a, x, x, one);
        omp_set_num_threads(4);
        blas::residual_exact<multidigit, double>(host_executor{}, a, x, x, several);
        blas::residual_exact<multidigit, double>(host_executor{}, a, x, x, wide, {8000});  // by the sums of any spread
        omp_set_num_threads(threads);
        for (index_t i = 0; i < n; ++i) {
            ASSERT_TRUE(exact_format<multidigit>::same(one.get(i), several.get(i))) << i;
            ASSERT_TRUE(exact_format<multidigit>::same(one.get(i), wide.get(i))) << i;
        }
    }
}

}  // namespace
}  // namespace residua
