// Numbers of GMP, of MPFR and of limbs as integers times powers of two, and multi-digit floats of them, against MPFR.
#include <residua/arith/multidigit/limbs.hpp>
#include <residua/arith/real/limbs.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <residua/arith/real/real.hpp>
#include <residua/io/error.hpp>

#include "tests/support/scale.hpp"

using namespace residua;
using namespace residua::support;

namespace {

using limbs = std::vector<std::uint64_t>;

/// x, exactly, by way of an integer of GMP.
real exact(const limb_number& x)
{
    mpz_t integer;
    mpz_init(integer);
    mpz_import(integer, x.limb.size(), -1, 8, 0, 0, x.limb.data());
    real r(0.0, std::max(64L, 64L * static_cast<long>(x.limb.size())));
    mpfr_set_z_2exp(r.mpfr(), integer, x.exponent, MPFR_RNDN);
    mpz_clear(integer);
    return x.negative ? -r : r;
}

struct mpf_number {
    explicit mpf_number(unsigned long bits) { mpf_init2(value, bits); }
    mpf_number(const mpf_number&) = delete;
    mpf_number& operator=(const mpf_number&) = delete;
    ~mpf_number() { mpf_clear(value); }
    mpf_t value;
};

/// x, exactly, by MPFR's own function.
real exact(mpf_srcptr x)
{
    real r(0.0, 64L * (std::abs(x->_mp_size) + 1));
    EXPECT_EQ(mpfr_set_f(r.mpfr(), x, MPFR_RNDN), 0);
    return r;
}

class limbs_of_numbers : public testing::Test {
public:
    /// Limbs that are random, zero or all ones, and a few bits here and there: what makes ties and long carries.
    limbs any_limbs(std::size_t count)
    {
        limbs all(count);
        for (std::uint64_t& limb : all) {
            const std::uint64_t kind = random() % 5;
            limb = kind == 0   ? 0
                   : kind == 1 ? ~std::uint64_t{0}
                   : kind == 2 ? std::uint64_t{1} << random() % 64
                   : kind == 3 ? ~std::uint64_t{0} << random() % 64
                               : random();
        }
        return all;
    }

    long up_to(long most) { return 1 + static_cast<long>(random() % static_cast<std::uint64_t>(most)); }

    std::mt19937_64 random{20261128};
};

}  // namespace

TEST_F(limbs_of_numbers, three_is_three_in_every_form)
{
    const limbs three{3, 0};
    const limb_number x{three, -1, true};  // -3/2
    EXPECT_EQ(exponent(x), 1);
    limbs to(2, 77);
    EXPECT_EQ(round_limbs(x, 100, to), 1 - 128);
    EXPECT_EQ(to, (limbs{0, std::uint64_t{3} << 62}));
    EXPECT_EQ(round_limbs(x, 1, to), 2 - 128);  // 2, the even neighbour of 3/2
    EXPECT_EQ(to, (limbs{0, std::uint64_t{1} << 63}));
    mpf_number as_mpf(64);
    store(x, as_mpf.value);
    EXPECT_EQ(mpf_get_d(as_mpf.value), -1.5);
    real as_mpfr(0.0, 2);
    store(x, as_mpfr.mpfr());
    EXPECT_EQ(as_mpfr, real(-1.5));
    std::uint64_t room = 0;
    EXPECT_EQ(exact(limbs_of(-1.5, &room)), real(-1.5));
    EXPECT_EQ(to_double(from_limbs(multidigit_format(64), x)), -1.5);
}

TEST_F(limbs_of_numbers, rounding_is_that_of_mpfr)
{
    for (std::int64_t round = 0; round < scaled(20000); ++round) {
        const limbs from = any_limbs(static_cast<std::size_t>(up_to(20)));
        const limb_number x{from, static_cast<std::int64_t>(random() % 4000) - 2000, random() % 2 == 0};
        const real wanted = exact(x);
        ASSERT_EQ(is_zero(x), is_zero(wanted));
        if (is_zero(x)) {
            continue;
        }
        ASSERT_EQ(exponent(x), residua::exponent(wanted));
        const long bits = up_to(1300);
        limbs to(static_cast<std::size_t>((bits + 63) / 64 + static_cast<long>(random() % 3)), 1);
        const std::int64_t e = round_limbs(x, bits, to);
        ASSERT_EQ(to.back() >> 63, 1U);
        ASSERT_EQ(exact({to, e, x.negative}), wanted.with_precision(bits)) << bits << " bits, round " << round;
        real as_mpfr(0.0, bits);
        store(x, as_mpfr.mpfr());
        ASSERT_EQ(as_mpfr, wanted.with_precision(bits));
        ASSERT_EQ(mpfr_get_prec(as_mpfr.mpfr()), bits);
    }
}

TEST_F(limbs_of_numbers, multi_digit_floats_round_once_and_come_back)
{
    for (std::int64_t round = 0; round < scaled(4000); ++round) {
        const multidigit_format format(63 + up_to(4096 - 63));
        const limbs from = any_limbs(static_cast<std::size_t>(up_to(70)));
        const limb_number x{from, static_cast<std::int64_t>(random() % 4000) - 2000, random() % 2 == 0};
        const multidigit_number number = from_limbs(format, x);
        ASSERT_EQ(to_real(number), exact(x).with_precision(format.bits())) << format.bits() << " bits";
        ASSERT_TRUE(from_limbs(format, limbs_of(number)) == number);
        ASSERT_EQ(exact(limbs_of(number)), to_real(number));
    }
}

TEST_F(limbs_of_numbers, mpf_goes_in_exactly_and_out_with_the_limbs_that_it_has)
{
    for (std::int64_t round = 0; round < scaled(5000); ++round) {
        const limbs from = any_limbs(static_cast<std::size_t>(up_to(20)));
        const limb_number x{from, static_cast<std::int64_t>(random() % 4000) - 2000, random() % 2 == 0};
        mpf_number to(static_cast<unsigned long>(up_to(900)));
        store(x, to.value);
        const long room = 64L * (to.value->_mp_prec + 1);
        const real wanted = exact(x);
        if (is_zero(x)) {
            ASSERT_EQ(mpf_sgn(to.value), 0);
            continue;
        }
        const long empty = ((-residua::exponent(wanted)) % 64 + 64) % 64;  // bits of the first limb above the number
        ASSERT_EQ(exact(to.value), wanted.with_precision(room - empty)) << "round " << round;
        ASSERT_EQ(exact(limbs_of(to.value)), exact(to.value));
        mpf_number again(static_cast<unsigned long>(64L * to.value->_mp_prec));
        store(limbs_of(to.value), again.value);
        ASSERT_EQ(mpf_cmp(again.value, to.value), 0);
        ASSERT_NE(to.value->_mp_d[std::abs(to.value->_mp_size) - 1], 0U);  // what GMP relies on
    }
}

TEST_F(limbs_of_numbers, mpf_that_gmp_made_has_any_size)
{
    mpf_number x(512);
    for (const char* text : {"0", "1", "-1", "1e100", "-3.14159265358979323846264338327950288", "1e-300", "2e40"}) {
        mpf_set_str(x.value, text, 10);
        ASSERT_EQ(exact(limbs_of(x.value)), exact(x.value)) << text;
    }
    mpf_set_ui(x.value, 1);
    mpf_div_ui(x.value, x.value, 3);
    ASSERT_EQ(exact(limbs_of(x.value)), exact(x.value));
    EXPECT_EQ(from_limbs(multidigit_format(640), limbs_of(x.value)),
              multidigit_number(multidigit_format(640), exact(x.value)));
}

TEST_F(limbs_of_numbers, doubles_are_exact)
{
    for (const double d : {0.0, -0.0, 1.0, -0.1, 0x1p-1074, 0x1.fffffffffffffp1023, 0x1.8p-1060}) {
        std::uint64_t room = 0;
        EXPECT_EQ(exact(limbs_of(d, &room)), real(d)) << d;
    }
}

TEST_F(limbs_of_numbers, what_is_not_finite_is_refused)
{
    std::uint64_t room = 0;
    EXPECT_THROW(limbs_of(std::numeric_limits<double>::infinity(), &room), error);
    EXPECT_THROW(limbs_of(std::nan(""), &room), error);
    real x(0.0, 100);
    mpfr_set_nan(x.mpfr());
    EXPECT_THROW(limbs_of(x.mpfr()), error);
    mpfr_set_inf(x.mpfr(), -1);
    try {
        limbs_of(x.mpfr());
        FAIL();
    } catch (const error& e) {
        EXPECT_EQ(std::string(e.what()), "-inf, not a finite number");
    }
}

TEST_F(limbs_of_numbers, exponents_have_ends)
{
    const limbs one{1};
    const multidigit_format format(100);
    EXPECT_NO_THROW(from_limbs(format, {one, multidigit_most_exponent - 1, false}));
    EXPECT_THROW(from_limbs(format, {one, multidigit_most_exponent, false}), error);
    EXPECT_NO_THROW(from_limbs(format, {one, multidigit_least_exponent, false}));
    EXPECT_THROW(from_limbs(format, {one, multidigit_least_exponent - 2, false}), error);
    EXPECT_THROW(from_limbs(format, {one, std::numeric_limits<std::int64_t>::max(), false}), error);
    EXPECT_THROW(from_limbs(format, {one, std::numeric_limits<std::int64_t>::min(), false}), error);
    real x(0.0, 100);  // whose range is less
    store({one, multidigit_most_exponent - 1, true}, x.mpfr());
    EXPECT_TRUE(mpfr_inf_p(x.mpfr()) != 0 && mpfr_sgn(x.mpfr()) < 0);
    store({one, multidigit_least_exponent, false}, x.mpfr());
    EXPECT_TRUE(mpfr_zero_p(x.mpfr()) != 0);
    mpf_number far(64);
    mpf_set_ui(far.value, 1);
    far.value->_mp_exp = std::numeric_limits<mp_exp_t>::max();
    EXPECT_THROW(from_limbs(format, limbs_of(far.value)), error);
}
