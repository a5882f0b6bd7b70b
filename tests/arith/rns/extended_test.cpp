#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include <residua/arith/real/real.hpp>
#include <residua/arith/rns/extended.hpp>

#include "tests/support/biased_random.hpp"
#include "tests/support/scale.hpp"

using namespace residua;
using namespace residua::support;

namespace {

constexpr long wide = 6000;

real value(const extended& x) { return ldexp(real(x.f, wide), x.e); }

/// x rounded to 53 bits.
real directed(const real& x, toward to)
{
    real r(0.0, 53);
    mpfr_set(r.mpfr(), x.mpfr(), to == toward::down ? MPFR_RNDD : MPFR_RNDU);
    return r;
}

extended random_extended(biased_random& random)
{
    if (random.one_in(20)) {
        return {};
    }
    const double f = std::clamp(std::abs(random.value(0, 0)), 1.0, 2.0 - 0x1p-52);
    const bool near = random.one_in(2);
    return {f, near ? random.integer(-60, 60) : random.integer(-2000, 2000)};
}

template <toward To>
void check_every_operation(biased_random& random)
{
    for (std::int64_t k = scaled(50000); k > 0; --k) {
        const extended a = random_extended(random);
        extended b = random_extended(random);
        if (random.one_in(4) && !is_zero(a)) {  // close to a
            b = {std::min(a.f, 1.5), a.e - random.integer(0, 3)};
        }
        ASSERT_EQ(value(mul<To>(a, b)), directed(value(a) * value(b), To));
        const real sum = value(a) + value(b);
        const real difference = max(value(a) - value(b), real(0.0));
        ASSERT_EQ(value(add<To>(a, b)), directed(sum, To)) << sum;
        ASSERT_EQ(value(sub<To>(a, b)), directed(difference, To)) << difference;
        if (!is_zero(b)) {
            const real quotient = value(a) / value(b);  // of 6000 bits: close to no number of 53
            ASSERT_EQ(value(div<To>(a, b)), directed(quotient, To)) << quotient;
        }
        ASSERT_EQ(a < b, value(a) < value(b));
        ASSERT_EQ(value(ldexp(a, 77)), ldexp(value(a), 77));
    }
}

}  // namespace

TEST(extended_test, multiplies_and_adds_by_hand)
{
    const extended three = to_extended<toward::down>(3);

    EXPECT_EQ(three.f, 1.5);
    EXPECT_EQ(three.e, 1);
    EXPECT_EQ(value(mul<toward::up>(three, three)), real(9.0));
    EXPECT_EQ(value(div<toward::down>(to_extended<toward::down>(1), three)), real(1.0 / 3.0));  // below 1/3
    EXPECT_EQ(value(div<toward::up>(to_extended<toward::down>(1), three)), real(std::nextafter(1.0 / 3.0, 1.0)));
    EXPECT_EQ(value(sub<toward::down>(three, mul<toward::down>(three, three))), real(0.0));
}

TEST(extended_test, rounds_downwards_as_mpfr_does)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    check_every_operation<toward::down>(random);
}

TEST(extended_test, rounds_upwards_as_mpfr_does)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    check_every_operation<toward::up>(random);
}

TEST(extended_test, rounds_integers_of_64_bits)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    for (std::int64_t k = scaled(200000); k > 0; --k) {
        const std::uint64_t x = random.bits() >> random.integer(0, 63);
        const real exact(x);
        ASSERT_EQ(value(to_extended<toward::down>(x)), directed(exact, toward::down));
        ASSERT_EQ(value(to_extended<toward::up>(x)), directed(exact, toward::up));
    }
}

TEST(extended_test, has_no_ends_of_range)
{
    extended x{1.25, 0};
    extended y = x;
    for (int k = 0; k < 100; ++k) {
        x = ldexp(mul<toward::down>(x, x), 1000);
        y = mul<toward::up>(y, extended{1.0, -(std::int64_t{1} << 40)});
        ASSERT_GE(x.f, 1.0);
        ASSERT_LT(x.f, 2.0);
        x.e %= std::int64_t{1} << 50;
    }
    EXPECT_EQ(y.f, 1.25);
    EXPECT_EQ(y.e, -100 * (std::int64_t{1} << 40));
}
