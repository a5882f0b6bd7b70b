#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include <residua/arith/real/real.hpp>

#include "tests/support/biased_random.hpp"
#include "tests/support/oracle.hpp"
#include "tests/support/scale.hpp"

namespace residua {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

static_assert(std::is_convertible_v<double, real> && std::is_convertible_v<float, real>);
static_assert(std::is_convertible_v<int, real> && std::is_convertible_v<unsigned long, real>);
static_assert(!std::is_convertible_v<const char*, real> && !std::is_constructible_v<real, const char*>);
static_assert(!std::is_convertible_v<long double, real> && !std::is_constructible_v<real, long double>);
static_assert(!std::is_convertible_v<real, double> && std::is_constructible_v<double, real>);
static_assert(std::is_nothrow_move_constructible_v<real> && std::is_nothrow_move_assignable_v<real>);

// Precision and memory.

TEST(real, starts_as_zero_with_53_bits)
{
    const real x;

    EXPECT_EQ(x, 0.0);
    EXPECT_EQ(x.precision(), 53);
    EXPECT_FALSE(signbit(x));
}

TEST(real, copies_moves_and_assignments_take_the_precision_along)
{
    const real third = real(1, 200) / real(3.0);
    EXPECT_EQ(third.precision(), 200);

    const real copy = third;
    EXPECT_EQ(copy.precision(), 200);
    EXPECT_EQ(copy, third);

    real assigned(7.0);
    assigned = third;
    EXPECT_EQ(assigned.precision(), 200);
    EXPECT_EQ(assigned, third);

    real moved;
    moved = std::move(assigned);
    EXPECT_EQ(moved.precision(), 200);
    EXPECT_EQ(moved, third);
}

TEST(real, a_zero_without_memory_is_a_number_like_any_other)
{
    real x(3.0);
    const real y = std::move(x);

    EXPECT_EQ(x, 0.0);  // NOLINT: defined, see real
    EXPECT_EQ(to_string(x), "0e+00");
    EXPECT_EQ(x + y, 3.0);
    EXPECT_EQ(real() * real(), 0.0);
    EXPECT_EQ(sqrt(real()), 0.0);
    EXPECT_EQ(fma(real(), y, real()), 0.0);
    EXPECT_EQ(to_double(real() - y), -3.0);

    const real copy = x;
    EXPECT_EQ(copy, 0.0);
    x += y;
    EXPECT_EQ(x, 3.0);
    real written;
    mpfr_set_si(written.mpfr(), 5, MPFR_RNDN);
    EXPECT_EQ(written, 5.0);
    real assigned;
    assigned = real();
    assigned = y;
    EXPECT_EQ(assigned, 3.0);
}

TEST(real, survives_assignment_to_itself_and_swaps)
{
    real x(3, 100);
    real y(4, 200);

    const real& same = x;
    x = same;
    x += same;
    EXPECT_EQ(x, 6.0);
    x *= same;
    EXPECT_EQ(x, 36.0);
    x -= same;
    EXPECT_EQ(x, 0.0);

    std::swap(x, y);
    EXPECT_EQ(x, 4.0);
    EXPECT_EQ(x.precision(), 200);
    EXPECT_EQ(y.precision(), 100);
}

TEST(real, lives_in_containers)
{
    std::vector<real> v(3);
    for (int i = 0; i < 1000; ++i) {
        v.push_back(real(i, 100 + i));
    }
    v.erase(v.begin(), v.begin() + 3);

    EXPECT_EQ(v[999], 999.0);
    EXPECT_EQ(v[999].precision(), 1099);
    EXPECT_EQ(std::accumulate(v.begin(), v.end(), real()), 499500.0);
}

TEST(real, results_have_the_greatest_precision_of_the_operands)
{
    const real a(1, 100);
    const real b(3, 300);

    EXPECT_EQ((a + b).precision(), 300);
    EXPECT_EQ((b - a).precision(), 300);
    EXPECT_EQ((a * 2.0).precision(), 100);
    EXPECT_EQ((2.0 / a).precision(), 100);
    EXPECT_EQ((real(1, 24) + 1.0).precision(), 53);
    EXPECT_EQ((a + real(1)).precision(), 100);
    EXPECT_EQ(fma(a, a, b).precision(), 300);
    EXPECT_EQ(abs(a).precision(), 100);
    EXPECT_EQ(sqrt(b).precision(), 300);
    EXPECT_EQ((-b).precision(), 300);

    real c = a;
    c += b;
    EXPECT_EQ(c.precision(), 300);
    c = b;
    c += a;
    EXPECT_EQ(c.precision(), 300);
}

TEST(real, refuses_impossible_precisions)
{
    EXPECT_THROW(real(1.0, 0), error);
    EXPECT_THROW(real(1, -5), error);
    EXPECT_THROW(real("1", real::max_bits + 1), error);
    EXPECT_THROW(real(1.0).with_precision(0), error);
    EXPECT_EQ(real(1.75, 1), 2.0);
}

// Conversions.

TEST(real, holds_integers_exactly)
{
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    constexpr auto least = std::numeric_limits<std::int64_t>::min();

    EXPECT_EQ(to_string(real(most), 19), "9.223372036854775807e+18");
    EXPECT_EQ(to_string(real(least), 19), "-9.223372036854775808e+18");
    EXPECT_EQ(to_string(real(~std::uint64_t{0}), 20), "1.8446744073709551615e+19");
    EXPECT_EQ(real(most) - real(most - 1), 1.0);
    EXPECT_EQ(real(most, 53), 0x1p63);
}

TEST(real, holds_every_double_exactly)
{
    support::biased_random random;
    SCOPED_TRACE(random.trace());

    for (auto i = support::scaled(200'000); i > 0; --i) {
        const double x = random.any();
        ASSERT_EQ(to_bits(to_double(to_real(x))), to_bits(x));
        ASSERT_EQ(to_bits(from_real<double>(real(x).with_precision(77))), to_bits(x));
        ASSERT_EQ(static_cast<double>(real(x)), x);
    }
    EXPECT_TRUE(is_nan(real(nan)));
    EXPECT_EQ(to_double(real(-infinity)), -infinity);
}

TEST(real, rounds_to_double_once_ties_to_even_and_gradually_below_the_normal_range)
{
    const real half_ulp(0x1p-53, 300);
    const real bit = ldexp(real(1, 300), -200);

    EXPECT_EQ(to_double(1.0 + half_ulp), 1.0);
    EXPECT_EQ(to_double(1.0 + half_ulp + bit), 1.0 + 0x1p-52);
    EXPECT_EQ(to_double(1.0 + 3.0 * half_ulp), 1.0 + 0x1p-51);
    EXPECT_EQ(to_double(1.0 + 3.0 * half_ulp - bit), 1.0 + 0x1p-52);

    const real tiny = ldexp(real(1, 300), -1075);
    EXPECT_EQ(to_bits(to_double(-tiny)), to_bits(-0.0));
    EXPECT_EQ(to_double(tiny + tiny * bit), 0x1p-1074);
    EXPECT_EQ(to_double(3.0 * tiny), 0x1p-1073);
    EXPECT_EQ(to_double(3.0 * tiny - tiny * bit), 0x1p-1074);

    const real threshold = ldexp(real(2, 300) - 0x1p-53, 1023);  // the tie below 2^1024
    EXPECT_EQ(to_double(threshold), infinity);
    EXPECT_EQ(to_double(threshold * (1.0 - bit)), std::numeric_limits<double>::max());
}

// Arithmetic.

TEST(real, agrees_with_binary64_at_53_bits)
{
    support::biased_random random;
    SCOPED_TRACE(random.trace());

    for (auto i = support::scaled(100'000); i > 0; --i) {
        const double a = random.value(-300, 300);
        const double b = random.one_in(2) ? random.partner(a) : random.value(-300, 300);
        const double c = random.one_in(2) ? -a * b : random.value(-300, 300);
        ASSERT_EQ(to_double(real(a) + real(b)), a + b);
        ASSERT_EQ(to_double(a - real(b)), a - b);
        ASSERT_EQ(to_double(real(a) * b), a * b);
        if (b != 0.0) {
            ASSERT_EQ(to_double(real(a) / real(b)), a / b);
        }
        ASSERT_EQ(to_double(sqrt(abs(real(a)))), std::sqrt(std::fabs(a)));
        ASSERT_EQ(to_double(fma(a, b, c)), std::fma(a, b, c));
        ASSERT_EQ(to_double(floor(real(a))), std::floor(a));
        ASSERT_EQ(to_double(ceil(real(a))), std::ceil(a));
        ASSERT_EQ(to_double(round_even(real(a))), std::nearbyint(a));
        ASSERT_EQ(real(a) < real(b), a < b);
        ASSERT_EQ(real(a) == b, a == b);
    }
}

TEST(real, keeps_what_a_double_would_lose)
{
    const real x = real(1, 200) + ldexp(real(1), -150);

    EXPECT_NE(x, 1.0);
    EXPECT_EQ(x - 1.0, ldexp(real(1), -150));
    EXPECT_EQ(x.with_precision(150), 1.0);
    EXPECT_EQ(x.with_precision(151), x);
}

TEST(real, computes_elementary_functions)
{
    EXPECT_EQ(log10(real("1e-57", 300)).with_precision(200), -57.0);
    EXPECT_EQ(pow(real(10, 400), 100), real("1e100", 400));
    EXPECT_EQ(pow(real(2), -3), 0.125);
    EXPECT_EQ(to_string(sqrt(real(2, 200)), 50), "1.4142135623730950488016887242096980785696718753769e+00");
    EXPECT_EQ(round_even(real(2.5)), 2.0);
    EXPECT_EQ(round_even(real(-3.5)), -4.0);
}

TEST(real, scales_far_beyond_the_range_of_doubles)
{
    const real x = ldexp(real(3), 5'000'000);

    EXPECT_EQ(exponent(x), 5'000'002);
    EXPECT_EQ(ldexp(x, -10'000'000) * x, 9.0);
    EXPECT_EQ(to_double(x), infinity);
    EXPECT_TRUE(is_finite(x));
}

// Specials and order.

TEST(real, orders_numbers_and_leaves_nan_unordered)
{
    const real x(nan);

    EXPECT_EQ(x <=> 1.0, std::partial_ordering::unordered);
    EXPECT_FALSE(x == x);
    EXPECT_FALSE(x < 1.0 || x > 1.0 || x <= x || x >= x);
    EXPECT_TRUE(x != x);
    EXPECT_EQ(real(0.0) <=> real(-0.0), std::partial_ordering::equivalent);
    EXPECT_TRUE(real(-infinity) < real("-1e1000000", 53));
    EXPECT_TRUE(1.0 < real(1, 200) + ldexp(real(1), -190));
}

TEST(real, min_and_max_do_not_hide_a_nan)
{
    EXPECT_EQ(min(real(1.0), real(2.0)), 1.0);
    EXPECT_EQ(max(real(1.0), real(2.0)), 2.0);
    EXPECT_TRUE(is_nan(max(real(nan), real(1.0))) && is_nan(max(real(1.0), real(nan))));
    EXPECT_TRUE(is_nan(min(real(nan), real(1.0))) && is_nan(min(real(1.0), real(nan))));
}

TEST(real, tells_signs_exponents_and_classes)
{
    EXPECT_EQ(sign(real(-2.0)), -1);
    EXPECT_EQ(sign(real(-0.0)), 0);
    EXPECT_EQ(sign(real(infinity)), 1);
    EXPECT_TRUE(signbit(real(-0.0)) && signbit(-real()));
    EXPECT_TRUE(is_zero(real(-0.0)) && is_finite(real(0.0)) && is_inf(real(infinity)));
    EXPECT_FALSE(is_finite(real(nan)) || is_finite(real(infinity)) || is_zero(real(nan)));
    EXPECT_EQ(exponent(real(0.5)), 0);
    EXPECT_EQ(exponent(real(1.0)), 1);
    EXPECT_EQ(exponent(real(-0x1p-1074)), -1073);
    EXPECT_EQ(exponent(real()), std::numeric_limits<long>::min());
    EXPECT_EQ(exponent(real(nan)), std::numeric_limits<long>::max());
    EXPECT_TRUE(is_inf(1.0 / real()) && is_nan(real() / real()) && is_nan(sqrt(real(-1.0))));
}

// Sums of doubles and back.

TEST(real, exact_sum_by_hand)
{
    const std::array<double, 4> cancelling{0x1p1000, 0x1p-1074, -0x1p1000, 1.0};
    const real sum = exact_sum(cancelling);

    EXPECT_EQ(sum - 1.0, ldexp(real(1), -1074));
    EXPECT_EQ(exact_sum({}), 0.0);
    EXPECT_EQ(exact_sum(std::array{0.0, -0.0}), 0.0);
    EXPECT_TRUE(is_nan(exact_sum(std::array{infinity, 1.0, -infinity})));
    EXPECT_EQ(exact_sum(std::vector<double>(1000, std::numeric_limits<double>::max())),
              1000.0 * real(std::numeric_limits<double>::max(), 200));
}

TEST(real, exact_sum_is_exact_and_as_short_as_its_terms_allow)
{
    support::biased_random random;
    SCOPED_TRACE(random.trace());

    for (auto i = support::scaled(20'000); i > 0; --i) {
        std::vector<double> terms(static_cast<std::size_t>(random.integer(1, 9)));
        for (double& t : terms) {
            t = random.any();
        }
        real wide(0.0, 3000);
        for (const double t : terms) {
            wide += t;
        }
        const real sum = exact_sum(terms);
        ASSERT_EQ(sum, wide);
        ASSERT_LE(sum.precision(), 2110);
    }
}

TEST(real, split_nearest_gives_the_nearest_leading_terms_and_the_sum_back)
{
    support::biased_random random;
    SCOPED_TRACE(random.trace());

    for (auto i = support::scaled(50'000); i > 0; --i) {
        std::array<double, 4> t;
        random.fill_expansion(t, -50, 50);
        const real x = exact_sum(t);
        std::array<double, 4> s;
        split_nearest(x, s);
        ASSERT_EQ(s[0], to_double(x));
        ASSERT_EQ(s[1], to_double(x - s[0]));
        for (int k = 1; k < 4; ++k) {
            ASSERT_TRUE(s[k] == 0.0 || 2.0 * std::fabs(s[k]) <= ulp(s[k - 1]));
        }
        const real left = abs(exact_sum(s) - x);
        ASSERT_TRUE(is_zero(left) || s[3] != 0.0);
        ASSERT_LE(left, real(ulp(s[3])));
    }
}

TEST(real, split_nearest_is_that_of_mpfr_for_numbers_of_any_length)
{
    support::biased_random random;
    SCOPED_TRACE(random.trace());

    for (auto i = support::scaled(20'000); i > 0; --i) {
        const long bits = random.integer(1, random.one_in(8) ? 1200 : 300);
        real x(random.with_random_sign(1.0), bits);
        for (int k = random.integer(0, 6); k > 0; --k) {  // runs of ones and of zeros, ties among them
            const int at = random.one_in(2) ? 53 * random.integer(1, 4) : random.integer(0, static_cast<int>(bits));
            x = x + ldexp(real(random.with_random_sign(1.0), bits), -at);
        }
        x = ldexp(x, random.one_in(5) ? random.integer(-1100, 1030) : random.integer(-200, 200));
        std::array<double, 5> s;
        split_nearest(x, s);
        real rest = x.with_precision(1300);
        for (const double t : s) {
            ASSERT_EQ(t, to_double(rest)) << to_string(x, 50) << " of " << bits << " bits";
            rest = is_finite(t) ? rest - t : real();
        }
    }
}

TEST(real, split_nearest_of_extremes)
{
    std::array<double, 2> s{1.0, 1.0};

    split_nearest(real("1e400", 100), s);
    EXPECT_EQ(s[0], infinity);
    EXPECT_EQ(s[1], 0.0);

    split_nearest(ldexp(real(3, 100), -1075), s);  // a tie between subnormals, to even
    EXPECT_EQ(s[0], 0x1p-1073);
    EXPECT_EQ(s[1], 0.0);

    split_nearest(real(nan), s);
    EXPECT_TRUE(std::isnan(s[0]));
    EXPECT_EQ(s[1], 0.0);
}

}  // namespace
}  // namespace residua
