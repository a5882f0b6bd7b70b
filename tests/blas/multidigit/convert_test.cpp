#include <algorithm>
#include <limits>
#include <utility>

#include <gtest/gtest.h>

#include <residua/arith/expansion/convert.hpp>
#include <residua/arith/expansion/expansion.hpp>
#include <residua/arith/real/real.hpp>
#include <residua/blas/multidigit/level1.hpp>

#include "tests/blas/multidigit/hostile.hpp"
#include "tests/support/scale.hpp"

using namespace residua;
using namespace residua::support;

namespace {

using numbers = vector<host_executor, multidigit>;
const host_executor host;
constexpr double infinity = std::numeric_limits<double>::infinity();

numbers converted(const numbers& x, long bits)
{
    numbers y(multidigit_format(bits), x.size());
    blas::convert<host_executor>(host, x.view(), y.view());
    return y;
}

multidigit_number rounded_by_mpfr(const multidigit_number& x, long bits)
{
    const multidigit_format format(bits);
    if (!residua::detail::is_regular(x.value().exponent)) {
        return {format, x.value()};
    }
    auto near_one = x.value();
    near_one.exponent = 0;
    auto value = multidigit_number(format, to_real(multidigit_number(x.format(), near_one))).value();
    const std::int64_t exponent = std::int64_t{value.exponent} + x.value().exponent;
    if (exponent > multidigit_most_exponent) {
        return {format, x.value().negative ? -infinity : infinity};
    }
    value.exponent = static_cast<std::int32_t>(exponent);
    return {format, value};
}

const std::vector<long> precisions{64, 65, 95, 96, 97, 127, 128, 129, 192, 250, 256, 300, 511, 1024, 2000, 4096};

}  // namespace

// By hand.

TEST(multidigit_convert_test, ties_go_to_even_and_a_carry_moves_the_exponent)
{
    const multidigit_format longer(128), shorter(64);
    numbers x(longer, 4);
    x.set(0, {longer, ldexp(real(1.0, 128), -64) + real(1.0, 128)});      // a tie, down to 1
    x.set(1, {longer, ldexp(real(3.0, 128), -64) + real(1.0, 128)});      // a tie, up to 1 + 2^-62
    x.set(2, {longer, -(real(1.0, 128) - ldexp(real(1.0, 128), -128))});  // all ones
    x.set(3, {longer, ldexp(real(1.0, 128), -64) + real(1.0, 128) + ldexp(real(1.0, 128), -127)});
    const numbers y = converted(x, 64);
    EXPECT_EQ(to_real(y.get(0)), real(1.0));
    EXPECT_EQ(to_real(y.get(1)), real(1.0, 128) + ldexp(real(1.0, 128), -62));
    EXPECT_EQ(to_real(y.get(2)), real(-1.0));
    EXPECT_EQ(to_real(y.get(3)), real(1.0, 128) + ldexp(real(1.0, 128), -63));
    EXPECT_EQ(y.format(), shorter);
}

TEST(multidigit_convert_test, vectors_of_different_sizes_are_refused)
{
    const numbers x(multidigit_format(128), 3);
    numbers y(multidigit_format(256), 4);
    vector<host_executor, double> z(2);
    EXPECT_THROW(blas::convert<host_executor>(host, x.view(), y.view()), dimension_error);
    EXPECT_THROW(blas::convert<host_executor>(host, x.view(), z.view()), dimension_error);
    EXPECT_THROW(blas::convert<host_executor>(host, std::as_const(z).view(), y.view()), dimension_error);
}

// Against MPFR.

TEST(multidigit_convert_test, any_precision_is_rounded_correctly_to_any_other)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    for (const long from : precisions) {
        const auto n = static_cast<index_t>(scaled(100));
        numbers x(multidigit_format(from), n);
        for (const long to : precisions) {
            for (index_t i = 0; i < n; ++i) {
                x.set(i, hostile_multidigit(x.format(), to, random));
            }

            const numbers y = converted(x, to);

            for (index_t i = 0; i < n; ++i) {
                ASSERT_TRUE(same_words(y.get(i), rounded_by_mpfr(x.get(i), to)))
                    << "from " << from << " to " << to << " bits, element " << i << ", " << to_real(x.get(i));
            }
        }
    }
}

TEST(multidigit_convert_test, binary64_is_rounded_correctly_and_taken_exactly)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    for (const long bits : precisions) {
        const auto n = static_cast<index_t>(scaled(1000));
        numbers x(multidigit_format(bits), n);
        vector<host_executor, double> y(n);
        for (index_t i = 0; i < n; ++i) {
            auto value = hostile_multidigit(x.format(), 53, random).value();
            if (residua::detail::is_regular(value.exponent) && random.one_in(2)) {
                value.exponent = random.one_in(2) ? random.integer(-1080, -1015) : random.integer(1015, 1030);
            }
            x.set(i, {x.format(), value});
        }

        blas::convert<host_executor>(host, x.view(), y.view());

        for (index_t i = 0; i < n; ++i) {
            const double expected = to_double(to_real(x.get(i)));
            ASSERT_TRUE(y.get(i) == expected || (y.get(i) != y.get(i) && expected != expected))
                << to_real(x.get(i)) << " of " << bits << " bits became " << y.get(i);
        }
        for (index_t i = 0; i < n; ++i) {
            y.set(i, random.one_in(20) ? random.sign() * (random.one_in(2) ? infinity : 0.0) : random.any());
        }
        y.set(0, infinity - infinity);

        blas::convert<host_executor>(host, std::as_const(y).view(), x.view());

        for (index_t i = 0; i < n; ++i) {
            ASSERT_TRUE(same_words(x.get(i), multidigit_number(x.format(), y.get(i)))) << y.get(i);
        }
    }
}

namespace {

/// x with elements of so many bits near 1, a few of them zero or short, and powers of two.
struct scaled_numbers {
    numbers x;
    std::vector<int> exponent;
    long of_all;

    scaled_numbers(long bits, index_t n, biased_random& random)
        : x(multidigit_format(bits), n), of_all(random.integer(-40, 40))
    {
        for (index_t i = 0; i < n; ++i) {
            auto value = hostile_multidigit(x.format(), 53 * random.integer(1, 5), random).value();
            if (residua::detail::is_regular(value.exponent)) {
                value.exponent = random.integer(-30, 30);
            }
            x.set(i, {x.format(), value});
            exponent.push_back(random.integer(-60, 60));
        }
    }

    blas::powers_of_two<host_executor> by() const { return {exponent.data(), of_all}; }
    multidigit_number product(index_t i) const
    {
        return ldexp(x.get(i), exponent[static_cast<std::size_t>(i)] + of_all);
    }
};

/// Expansions of so many terms, there and back.
template <int N>
void check_terms(long bits, biased_random& random)
{
    using T = std::conditional_t<N == 1, double, expansion<double, N>>;
    const scaled_numbers all(bits, scaled(200), random);
    vector<host_executor, T> y(all.x.size());
    blas::convert<host_executor, T>(host, all.x.view(), y.view(), all.by());
    numbers back(multidigit_format(std::max<long>(bits, 64)), all.x.size());
    const blas::powers_of_two<host_executor> up{nullptr, 100};
    blas::convert<host_executor, T>(host, std::as_const(y).view(), back.view(), up);
    for (index_t i = 0; i < y.size(); ++i) {
        const real exact = to_real(all.product(i));
        if (!is_finite(exact)) {
            const double leading = to_double(y.get(i));
            ASSERT_TRUE(is_nan(exact) ? leading != leading : leading == to_double(exact)) << leading;
            continue;
        }
        const T expected = from_real<T>(exact);
        ASSERT_TRUE(to_real(y.get(i)) == to_real(expected) && y.get(i) == expected)
            << exact << " of " << bits << " bits in " << N << " terms";
        const real rest = to_real(back.get(i)) - ldexp(to_real(y.get(i)), 100);
        ASSERT_LE(abs(rest), ldexp(real(N), -bits) * abs(to_real(back.get(i)))) << exact;
        const real of_terms = to_real(expected);
        if (mpfr_min_prec(of_terms.mpfr()) <= bits) {
            ASSERT_EQ(to_real(back.get(i)), ldexp(of_terms, 100)) << exact;
        }
    }
}

}  // namespace

TEST(multidigit_convert_test, terms_of_expansions_are_the_nearest_ones)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    for (const long bits : {64, 106, 212, 276, 424, 848, 1760}) {
        check_terms<1>(bits, random);
        check_terms<2>(bits, random);
        check_terms<3>(bits, random);
        check_terms<4>(bits, random);
        check_terms<8>(bits, random);
    }
}

TEST(multidigit_convert_test, powers_of_two_are_exact_and_end_where_the_range_does)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    const scaled_numbers all(200, scaled(500), random);
    numbers y(multidigit_format(200), all.x.size());
    blas::convert<host_executor>(host, all.x.view(), y.view(), all.by());
    for (index_t i = 0; i < y.size(); ++i) {
        ASSERT_TRUE(same_words(y.get(i), all.product(i))) << i;
    }
    numbers x(multidigit_format(200), 1), z(multidigit_format(100), 1);
    for (const std::int64_t e : {std::int64_t{multidigit_most_exponent}, std::int64_t{multidigit_least_exponent} - 1}) {
        x.set(0, multidigit_number(x.format(), -1.0));
        blas::convert<host_executor>(host, x.view(), z.view(), {nullptr, e});
        EXPECT_TRUE(same_words(z.get(0), ldexp(multidigit_number(z.format(), -1.0), e))) << e;
    }
}

TEST(multidigit_convert_test, strides_and_places_in_a_tile_do_not_matter)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    numbers x(multidigit_format(300), 100), y(multidigit_format(120), 100);
    for (index_t i = 0; i < 100; ++i) {
        x.set(i, hostile_multidigit(x.format(), 120, random));
    }
    const auto from = std::as_const(x).view();
    auto to = y.view();
    const vector_view<host_executor, const multidigit> every_third{from.start.from(97), 31, -3, from.format};
    blas::convert<host_executor>(host, every_third,
                                 vector_view<host_executor, multidigit>{to.start.from(5), 31, 2, to.format});
    const numbers straight = converted(x, 120);
    for (index_t i = 0; i < 31; ++i) {
        EXPECT_TRUE(same_words(y.get(5 + 2 * i), straight.get(97 - 3 * i))) << i;
    }
    EXPECT_TRUE(same_words(y.get(6), multidigit_number(y.format())));
}
