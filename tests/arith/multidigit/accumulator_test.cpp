#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <residua/arith/multidigit/accumulator.hpp>

#include "tests/arith/multidigit/multidigit_source.hpp"
#include "tests/support/scale.hpp"

using namespace residua;
using namespace residua::support;

namespace {

template <class Digit, int N, int Bits>
struct size {
    using digit = Digit;
    static constexpr int digits = N;
    static constexpr int bits = Bits;
};

/// The definition of multidigit_sum, in integers of any size.
class integer_sum {
public:
    explicit integer_sum(int p) : p_(p) { mpz_init(sum_); }
    integer_sum(const integer_sum& other)
        : p_(other.p_), top_(other.top_), empty_(other.empty_), special_(other.special_)
    {
        mpz_init_set(sum_, other.sum_);
    }
    integer_sum& operator=(const integer_sum&) = delete;
    ~integer_sum() { mpz_clear(sum_); }

    /// x y, exactly, below 2^exponent
    void add(mpfr_srcptr product, std::int64_t exponent)
    {
        if (!mpfr_regular_p(product)) {
            special_ |= mpfr_zero_p(product) ? 0 : mpfr_nan_p(product) ? 3 : mpfr_signbit(product) ? 2 : 1;
            return;
        }
        if (empty_ || exponent > top_) {
            raise(exponent + 16);
        }
        mpz_t term;
        mpz_init(term);
        const std::int64_t e = mpfr_get_z_2exp(term, product);
        const std::int64_t shift = e - (top_ - p_ - 40);
        if (shift >= 0) {
            mpz_mul_2exp(term, term, static_cast<mp_bitcnt_t>(shift));
        } else {
            mpz_tdiv_q_2exp(term, term, static_cast<mp_bitcnt_t>(-shift));
        }
        mpz_add(sum_, sum_, term);
        mpz_clear(term);
    }

    void merge(std::vector<integer_sum> others)
    {
        for (const integer_sum& other : others) {
            special_ |= other.special_;
            if (!other.empty_ && (empty_ || other.top_ > top_)) {
                raise(other.top_);
            }
        }
        for (integer_sum& other : others) {
            if (!other.empty_) {
                other.raise(top_);
                mpz_add(sum_, sum_, other.sum_);
            }
        }
    }

    void result(mpfr_ptr r) const
    {
        if (special_ == 3) {
            mpfr_set_nan(r);
        } else if (special_ != 0) {
            mpfr_set_inf(r, special_ == 1 ? 1 : -1);
        } else {
            mpfr_set_z_2exp(r, sum_, empty_ ? 0 : top_ - p_ - 40, MPFR_RNDN);
        }
    }

private:
    void raise(std::int64_t top)
    {
        if (!empty_) {
            mpz_fdiv_q_2exp(sum_, sum_, static_cast<mp_bitcnt_t>(top - top_));
        }
        empty_ = false;
        top_ = top;
    }

    int p_;
    std::int64_t top_ = 0;
    bool empty_ = true;
    int special_ = 0;
    mpz_t sum_;
};

}  // namespace

template <class Size>
struct multidigit_sum_test : ::testing::Test {};
using sizes = ::testing::Types<size<std::uint64_t, 1, 64>, size<std::uint64_t, 2, 106>, size<std::uint64_t, 4, 212>,
                               size<std::uint64_t, 7, 424>, size<std::uint64_t, 27, 1696>, size<std::uint64_t, 10, 513>,
                               size<std::uint32_t, 2, 64>, size<std::uint32_t, 3, 65>, size<std::uint32_t, 7, 212>,
                               size<std::uint32_t, 7, 224>, size<std::uint32_t, 14, 424>, size<std::uint32_t, 53, 1696>,
                               size<std::uint32_t, 23, 609>>;
TYPED_TEST_SUITE(multidigit_sum_test, sizes);

TYPED_TEST(multidigit_sum_test, is_what_its_definition_says)
{
    using digit = typename TypeParam::digit;
    constexpr int n = TypeParam::digits;
    constexpr int p = TypeParam::bits;
    multidigit_source<digit, n> source(p);
    biased_random random;
    SCOPED_TRACE(source.trace());
    const std::int64_t count = scaled(4000 / (1 + p / 200));
    for (std::int64_t i = 0; i < count; ++i) {
        multidigit_sum<digit, n> parts[3];
        integer_sum expected[3] = {integer_sum(p), integer_sum(p), integer_sum(p)};
        const exponent_range range(multidigit_least_exponent, multidigit_most_exponent);
        const int terms = random.integer(0, 12);
        const bool wild = random.one_in(4);
        for (int k = 0; k < terms; ++k) {
            auto o = source.next();
            if (!wild) {  // exponents that lie close, and no special
                const auto tame = [&random](auto& x) {
                    x.exponent = detail::is_regular(x.exponent) ? random.integer(-40, 40) * (random.one_in(8) ? 9 : 1)
                                                                : detail::multidigit_zero_code;
                    x.negative = x.negative && detail::is_regular(x.exponent);
                };
                tame(o.x);
                tame(o.y);
                o.d = std::isfinite(o.d) ? o.d : 1.0;
            } else if (detail::is_regular(o.x.exponent) && std::abs(std::int64_t{o.x.exponent}) > 20000) {
                o.x.exponent %= 20000;  // integers of billions of bits take long
            }
            if (detail::is_regular(o.y.exponent)) {
                o.y.exponent %= 20000;
            }
            const int part = random.integer(0, 2);
            oracle_number x, y, t(8192);
            x.set(o.x);
            y.set(o.y);
            std::int64_t exponent = std::int64_t{o.x.exponent} + o.y.exponent;
            switch (random.integer(0, 4)) {
                case 0:
                    parts[part].add(o.x, p);
                    mpfr_set(t, x, MPFR_RNDN);
                    exponent = o.x.exponent;
                    break;
                case 1:
                    parts[part].add_product(o.x, o.d, p);
                    mpfr_mul_d(t, x, o.d, MPFR_RNDN);
                    exponent = std::int64_t{o.x.exponent} + (mpfr_regular_p(t) ? std::ilogb(o.d) + 1 : 0);
                    break;
                default:
                    parts[part].add_product(o.x, o.y, p);
                    mpfr_mul(t, x, y, MPFR_RNDN);
            }
            expected[part].add(t, exponent);
        }
        expected[0].merge({expected[1], expected[2]});
        oracle_number r(p);
        expected[0].result(r);
        ASSERT_TRUE(is_number(merged(parts, 3).result(p), r, p)) << "sum " << i << " of " << terms << " terms";
    }
}

TEST(multidigit_sum, cuts_a_product_of_which_only_the_last_digits_tell)
{
    // (2^211 + 2^171 + 1)(2^211 - 2^171 + 1) and the like lie just above or below whole units
    constexpr int p = 212;
    for (int shift = 1; shift < 200; ++shift) {
        multidigit_float<std::uint32_t, 7> x{}, y{};
        oracle_number one(p), a(p), b(p), t(2 * p);
        mpfr_set_ui_2exp(one, 1, p - 1, MPFR_RNDN);
        mpfr_set_ui_2exp(a, 1, shift, MPFR_RNDN);
        mpfr_sub(b, one, a, MPFR_RNDN);
        mpfr_add(a, one, a, MPFR_RNDN);
        const auto set = [](multidigit_float<std::uint32_t, 7>& to, mpfr_srcptr from) {
            mpz_t whole;
            mpz_init(whole);
            const auto e = mpfr_get_z_2exp(whole, from);
            mpz_mul_2exp(whole, whole, 224 - mpz_sizeinbase(whole, 2));
            mpz_export(to.d, nullptr, -1, 4, 0, 0, whole);
            mpz_clear(whole);
            to.exponent = static_cast<std::int32_t>(mpfr_get_exp(from));
            return e;
        };
        set(x, a);
        set(y, b);
        multidigit_sum<std::uint32_t, 7> sum;
        integer_sum expected(p);
        sum.add_product(x, y, p);
        mpfr_mul(t, a, b, MPFR_RNDN);
        expected.add(t, std::int64_t{x.exponent} + y.exponent);
        mpfr_neg(t, one, MPFR_RNDN);
        mpfr_mul(t, t, one, MPFR_RNDN);
        set(x, one);
        y = negated(x);
        sum.add_product(x, y, p);  // cancels all but what lies around the units
        expected.add(t, std::int64_t{x.exponent} + y.exponent);
        oracle_number r(p);
        expected.result(r);
        ASSERT_TRUE(is_number(sum.result(p), r, p)) << shift;
    }
}
