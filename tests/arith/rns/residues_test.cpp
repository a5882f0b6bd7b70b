// Moduli, modular arithmetic, scaling and evaluation: what the operations stand on.
#include <gmp.h>

#include "tests/arith/rns/rns_oracle.hpp"

using namespace residua;
using namespace residua::support;

TEST(rns_moduli_test, are_the_largest_primes_below_2_31)
{
    const std::vector<std::uint32_t> moduli = rns_moduli(110);

    EXPECT_EQ(moduli[0], 2147483647u);
    EXPECT_EQ(moduli[1], 2147483629u);
    EXPECT_EQ(moduli[2], 2147483587u);
    mpz_t next;
    mpz_init_set_ui(next, moduli.back() - 1);
    for (int i = 109; i >= 0; --i) {
        mpz_nextprime(next, next);
        EXPECT_EQ(mpz_get_ui(next), moduli[static_cast<std::size_t>(i)]);
    }
    mpz_clear(next);
    EXPECT_THROW(rns_moduli(1), error);
    EXPECT_THROW(rns_moduli(1001), error);
}

TEST(rns_moduli_test, counts_serve_the_precisions)
{
    for (const int bits : {53, 106, 159, 212, 318, 424, 636, 848, 1272, 1696, 4000}) {
        const int count = rns_count(bits);
        real product(1.0, 32L * count);
        for (const std::uint32_t m : rns_moduli(count)) {
            product *= real(static_cast<double>(m));
        }
        EXPECT_GE(rns_precision(count), bits);
        EXPECT_LT(rns_precision(count - 1), bits);
        EXPECT_EQ(rns_precision(count), to_double(floor(log10(sqrt(product)) / log10(real(2.0, 64)))) - 1) << count;
    }
}

TEST(modular_test, montgomery_reduction_is_exact)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    const rns_set<112>& set = rns_set<112>::host();  // the last ones are the farthest from 2^31
    for (std::int64_t k = scaled(300000); k > 0; --k) {
        const int at = random.integer(0, 111);
        const rns_modulus& q = set.modulus(at);
        const auto residue = [&] {
            const int what = random.integer(0, 5);
            return what == 0 ? 0u : what == 1 ? q.m - 1 : static_cast<std::uint32_t>(random.bits() % q.m);
        };
        const std::uint32_t a = residue();
        const std::uint32_t b = residue();
        const std::uint32_t r = detail::montgomery(a, b, q.m, q.inverse);
        ASSERT_LT(r, q.m);
        ASSERT_EQ((static_cast<std::uint64_t>(r) << 32) % q.m, static_cast<std::uint64_t>(a) * b % q.m);
        ASSERT_EQ(detail::mul_mod(set, at, a, b), static_cast<std::uint64_t>(a) * b % q.m);
        const int up = random.integer(0, detail::short_shift);
        ASSERT_EQ(detail::shift_shortly(a, up, q.m), (static_cast<std::uint64_t>(a) << up) % q.m);
        ASSERT_EQ(detail::add_mod(a, b, q.m), (static_cast<std::uint64_t>(a) + b) % q.m);
        ASSERT_EQ(detail::sub_mod(a, b, q.m), (static_cast<std::uint64_t>(a) + q.m - b) % q.m);
    }
}

template <class Count>
struct residues_test : ::testing::Test {
    static constexpr int count = Count::count;
    const rns_set<count>& set = rns_set<count>::host();
    rns_source<count> source;

    void SetUp() override
    {
        mpz_init_set_ui(modulus, 1);
        mpz_inits(x, y, nullptr);
        for (int i = 0; i < count; ++i) {
            mpz_mul_ui(modulus, modulus, set.moduli[i].m);
        }
    }
    void TearDown() override { mpz_clears(modulus, x, y, nullptr); }

    /// An integer of so many bits: full, all ones, a power of two, or next to one.
    void random_integer(mpz_t r, int bits)
    {
        mpz_set_ui(r, 1);
        mpz_mul_2exp(r, r, static_cast<mp_bitcnt_t>(bits - 1));
        switch (source.random().integer(0, 3)) {
            case 0:
                break;
            case 1:
                mpz_add_ui(r, r, 1);
                break;
            case 2:
                mpz_mul_ui(r, r, 2);
                mpz_sub_ui(r, r, 1);
                break;
            default:
                for (int k = 0; k < bits - 1; ++k) {
                    if (source.random().one_in(2)) {
                        mpz_combit(r, static_cast<mp_bitcnt_t>(k));
                    }
                }
        }
    }

    void to_digits(mpz_srcptr r, std::uint32_t* digit)
    {
        for (int i = 0; i < count; ++i) {
            digit[i] = static_cast<std::uint32_t>(mpz_fdiv_ui(r, set.moduli[i].m));
        }
    }

    bool equal(mpz_srcptr r, const std::uint32_t* digit)
    {
        for (int i = 0; i < count; ++i) {
            if (digit[i] != mpz_fdiv_ui(r, set.moduli[i].m)) {
                return false;
            }
        }
        return true;
    }

    mpz_t modulus, x, y;
};
TYPED_TEST_SUITE(residues_test, moduli_counts);

TYPED_TEST(residues_test, scales_by_powers_of_two)
{
    constexpr int L = TypeParam::count;
    constexpr int width = rns_precision(L) + 1;
    SCOPED_TRACE(this->source.trace());
    for (std::int64_t k = cases<L>(20000); k > 0; --k) {
        const int bits = this->source.random().integer(1, 2 * width - 1);
        const int up = this->source.random().integer(0, 2 * width - 1 - bits);
        const int down = this->source.random().integer(0, bits + 40);
        this->random_integer(this->x, bits);
        std::uint32_t digit[L];
        this->to_digits(this->x, digit);

        ASSERT_EQ(detail::low_bits<std::uint64_t>(this->set, digit), mpz_get_ui(this->x));
        ASSERT_EQ(detail::low_bits<std::uint32_t>(this->set, digit), static_cast<std::uint32_t>(mpz_get_ui(this->x)));
        detail::multiply_pow2(this->set, digit, up);
        mpz_mul_2exp(this->y, this->x, static_cast<mp_bitcnt_t>(up));
        ASSERT_TRUE(this->equal(this->y, digit)) << bits << " " << up;

        this->to_digits(this->x, digit);
        const detail::remainder_bits rest = detail::floor_pow2(this->set, digit, down);
        mpz_tdiv_q_2exp(this->y, this->x, static_cast<mp_bitcnt_t>(down));
        ASSERT_TRUE(this->equal(this->y, digit)) << bits << " " << down;
        ASSERT_EQ(rest.half, down > 0 && mpz_tstbit(this->x, static_cast<mp_bitcnt_t>(down - 1)) != 0);
        ASSERT_EQ(rest.rest, down > 1 && mpz_scan1(this->x, 0) < static_cast<mp_bitcnt_t>(down - 1));

        this->to_digits(this->x, digit);
        detail::divide_pow2(this->set, digit, down);
        if (rest.half) {
            mpz_add_ui(this->y, this->y, 1);
        }
        ASSERT_TRUE(this->equal(this->y, digit)) << bits << " " << down;
    }
}

TYPED_TEST(residues_test, evaluation_encloses_the_fraction_and_its_sign)
{
    constexpr int L = TypeParam::count;
    constexpr int width = rns_precision(L) + 1;
    SCOPED_TRACE(this->source.trace());
    constexpr long precision = 64L * L;
    real product(0.0, precision);
    mpfr_set_z(product.mpfr(), this->modulus, MPFR_RNDN);
    for (std::int64_t k = cases<L>(20000); k > 0; --k) {
        const bool zero = this->source.random().one_in(100);
        const int bits = this->source.random().integer(1, 2 * width - 2);
        this->random_integer(this->x, bits);
        if (zero) {
            mpz_set_ui(this->x, 0);
        }
        const bool negative = !zero && this->source.random().one_in(2);
        if (negative) {
            mpz_sub(this->y, this->modulus, this->x);
        } else {
            mpz_set(this->y, this->x);
        }
        std::uint32_t digit[L];
        this->to_digits(this->y, digit);

        const int known = this->source.random().integer(bits, 2 * width - 2);
        const detail::signed_interval s = detail::evaluate(this->set, digit, known);

        real exact(0.0, precision);
        mpfr_set_z(exact.mpfr(), this->x, MPFR_RNDN);
        ASSERT_EQ(s.negative, negative);
        ASSERT_TRUE(this->equal(this->x, digit));
        ASSERT_LE(ldexp(real(s.bounds.low.f, precision), s.bounds.low.e) * product, exact);
        ASSERT_GE(ldexp(real(s.bounds.high.f, precision), s.bounds.high.e) * product, exact);
        ASSERT_FALSE(ldexp(s.bounds.low, -36) < sub<toward::up>(s.bounds.high, s.bounds.low));
    }
}

TEST(range_test, arithmetic_encloses_the_exact_result)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    // X itself, and a range of it that is off by a random amount
    const auto draw = [&](std::uint64_t& x) {
        x = random.bits() >> random.integer(2, 62);
        x = x == 0 ? 1 : x;
        const std::uint64_t below = random.one_in(3) ? 0 : x >> random.integer(10, 40);
        return detail::make_range(x - below, x + below / 2, 0);
    };
    const auto encloses = [](const rns_range& r, const real& x) {
        const real low = ldexp(real(static_cast<double>(r.low)), r.exponent);
        const real high = ldexp(real(static_cast<double>(r.high)), r.exponent);
        return low <= x && x <= high && r.high > 1u << 30 && r.high <= 1u << 31;
    };
    const auto exactly = [](std::uint64_t x) {
        return real(static_cast<double>(x >> 32), 200) * real(0x1p32) + real(static_cast<double>(x & 0xffffffffu));
    };
    for (std::int64_t k = scaled(300000); k > 0; --k) {
        std::uint64_t a = 0;
        std::uint64_t b = 0;
        rns_range x = draw(a);
        const rns_range y = draw(b);
        ASSERT_TRUE(encloses(x, exactly(a))) << a;
        ASSERT_TRUE(encloses(detail::mul(x, y), exactly(a) * exactly(b))) << a << " " << b;

        const int up = random.integer(0, 100);
        x.exponent += up;
        const int down = random.integer(1, 170);
        const real shifted = ldexp(exactly(a), up);
        const real rounded = floor(ldexp(shifted, -down) + real(0.5));
        const rns_range d = detail::divided(x, down);
        ASSERT_TRUE(encloses(d, rounded)) << a << " " << up << " " << down;

        const detail::aligned_ranges r = detail::align(x, y);
        ASSERT_LE(ldexp(exactly(r.x_low), r.exponent), shifted);
        ASSERT_GE(ldexp(exactly(r.x_high), r.exponent), shifted);
        ASSERT_LE(ldexp(exactly(r.y_low), r.exponent), exactly(b));
        ASSERT_GE(ldexp(exactly(r.y_high), r.exponent), exactly(b));
        ASSERT_TRUE(encloses(detail::sum(r), shifted + exactly(b))) << a << " " << up << " " << b;
        if (r.x_low > r.y_high) {
            const rns_range left = detail::make_short_range(r.x_low - r.y_high, r.x_high - r.y_low, r.exponent);
            ASSERT_TRUE(encloses(left, shifted - exactly(b))) << a << " " << up << " " << b;
        }
    }
}

TEST(rns_set_test, places_beyond_the_moduli_change_nothing)
{
    const rns_set<11>& exact = rns_set<11>::host();
    const rns_set<14>& roomy = rns_set<14>::host(11);
    const auto third = [](const auto& set) { return div(set, to_rns(set, 1.0), to_rns(set, 3.0)); };
    const auto x = third(exact);
    const auto y = third(roomy);
    const auto p = mul(exact, x, x);
    const auto q = mul(roomy, y, y);
    EXPECT_TRUE(std::equal(p.digit, p.digit + 11, q.digit));
    EXPECT_EQ(to_real(exact, add(exact, p, x)), to_real(roomy, add(roomy, q, y)));
    EXPECT_THROW(rns_set<14>::host(15), error);
    EXPECT_THROW(rns_set<14>::host(3), error);
}
