#pragma once

#include <cmath>
#include <cstdint>
#include <string>

#include "tests/arith/multidigit/multidigit_oracle.hpp"
#include "tests/support/biased_random.hpp"

namespace residua::support {

/// Random numbers biased to what breaks multi-digit arithmetic.
template <class Digit, int N>
class multidigit_source {
public:
    using number = multidigit_float<Digit, N>;

    explicit multidigit_source(int p) : p_(p) {}
    explicit multidigit_source(int p, std::uint64_t seed) : p_(p), random_(seed) {}

    std::string trace() const { return random_.trace() + ", " + std::to_string(p_) + " bits"; }

    multidigit_operands<Digit, N> next()
    {
        multidigit_operands<Digit, N> o{any(), any(), any(),
                                        random_.one_in(3) ? random_.any() : random_.value(-80, 80)};
        switch (random_.integer(0, 9)) {
            case 0:
                o.y = near(o.x);
                break;
            case 1:
                tie_of_sum(o);
                break;
            case 2:
                tie_of_product(o);
                break;
            case 3:
            case 4:
                tie_of_fma(o, false);
                break;
            case 5:
                tie_of_fma(o, true);
                break;
            case 6:
                quotient(o);
                break;
            case 7:
                o.x = squared(o.x);
                break;
            default:
                break;
        }
        return o;
    }

private:
    static constexpr int bits = detail::bits_of<Digit> * N;

    void set_bit(number& x, int place) const
    {
        x.d[place / detail::bits_of<Digit>] |= Digit{1} << place % detail::bits_of<Digit>;
    }

    /// p bits: random, or runs of ones and zeros, a power of two, all ones, few bits.
    number significand()
    {
        number x{};
        const int kind = random_.integer(0, 9);
        const int kept = kind == 0 ? random_.integer(1, p_) : p_;
        bool one = true;
        for (int place = bits - 1; place >= bits - kept; --place) {
            if (kind <= 4 || place == bits - 1) {
                one = place == bits - 1 || random_.one_in(2);
            } else if (kind <= 6) {
                one = one != random_.one_in(kind == 5 ? 20 : 60);
            } else if (kind == 7) {
                one = false;
            } else if (kind == 8) {
                one = true;
            } else {
                one = place < bits - p_ + 3 && random_.one_in(2);
            }
            if (one) {
                set_bit(x, place);
            }
        }
        return x;
    }

    std::int32_t exponent()
    {
        switch (random_.integer(0, 15)) {
            case 0:
                return multidigit_most_exponent - random_.integer(0, 70);
            case 1:
                return multidigit_least_exponent + random_.integer(0, 70);
            case 2:
                return random_.integer(-1100, 1100);
            case 3:
                return random_.integer(multidigit_least_exponent, multidigit_most_exponent) / 2;
            case 4:
            case 5:
                return random_.integer(-2 * p_ - 70, 2 * p_ + 70);
            default:
                return random_.integer(-40, 40);
        }
    }

    number any()
    {
        number x = significand();
        x.exponent = exponent();
        x.negative = random_.one_in(2);
        if (random_.one_in(40)) {
            switch (random_.integer(0, 3)) {
                case 0:
                    return detail::multidigit_special<Digit, N>(detail::multidigit_nan_code);
                case 1:
                    return detail::multidigit_special<Digit, N>(detail::multidigit_infinity_code, x.negative);
                default:
                    return detail::multidigit_special<Digit, N>(detail::multidigit_zero_code);
            }
        }
        return x;
    }

    number from(mpfr_srcptr value) const
    {
        oracle_number rounded(p_);
        mpfr_set(rounded, value, MPFR_RNDN);
        number x{};
        if (!mpfr_regular_p(rounded)) {
            return detail::multidigit_special<Digit, N>(detail::multidigit_zero_code);
        }
        mpz_t whole;
        mpz_init(whole);
        mpfr_get_z_2exp(whole, rounded);
        mpz_mul_2exp(whole, whole, static_cast<unsigned long>(bits - p_));
        mpz_abs(whole, whole);
        mpz_export(x.d, nullptr, -1, sizeof(Digit), 0, 0, whole);
        mpz_clear(whole);
        x.exponent = static_cast<std::int32_t>(mpfr_get_exp(rounded));
        x.negative = mpfr_signbit(rounded) != 0;
        return x;
    }

    /// A number that shares leading digits with x, so that much of a difference cancels.
    number near(const number& x)
    {
        number y = x;
        const int shared = random_.integer(0, p_);
        const number other = significand();
        for (int place = bits - p_; place < bits - shared; ++place) {
            const Digit bit = Digit{1} << place % detail::bits_of<Digit>;
            const int k = place / detail::bits_of<Digit>;
            y.d[k] = (y.d[k] & ~bit) | (other.d[k] & bit);
        }
        if (detail::is_regular(y.exponent)) {
            y.d[N - 1] |= Digit{1} << (detail::bits_of<Digit> - 1);
            y.exponent -= y.exponent > 0 && random_.one_in(4) ? 1 : 0;
            y.negative = random_.one_in(2);
            return y;
        }
        return x;
    }

    /// y is half a place of x, or next to it.
    void tie_of_sum(multidigit_operands<Digit, N>& o)
    {
        if (!detail::is_regular(o.x.exponent) || o.x.exponent < multidigit_least_exponent + p_ + 2) {
            return;
        }
        o.y = random_.one_in(2) ? number{} : significand();
        set_bit(o.y, bits - 1);
        o.y.exponent = o.x.exponent - p_ + random_.integer(-1, 1);
        o.y.negative = random_.one_in(2);
    }

    /// The digits of x y behind the first ones are half a place and a little more or less.
    void tie_of_product(multidigit_operands<Digit, N>& o)
    {
        if (!detail::is_regular(o.x.exponent)) {
            return;
        }
        set_bit(o.x, bits - p_);
        const int length = p_ - random_.integer(0, 1);
        mpz_t x, y, modulus;
        mpz_inits(x, y, modulus, nullptr);
        mpz_import(x, N, -1, sizeof(Digit), 0, 0, o.x.d);
        mpz_tdiv_q_2exp(x, x, static_cast<unsigned long>(bits - p_));
        mpz_ui_pow_ui(modulus, 2, static_cast<unsigned long>(length));
        mpz_invert(y, x, modulus);
        mpz_ui_pow_ui(x, 2, static_cast<unsigned long>(length - 1));
        const int off = random_.integer(-2, 2);
        off < 0 ? mpz_sub_ui(x, x, static_cast<unsigned long>(-off))
                : mpz_add_ui(x, x, static_cast<unsigned long>(off));
        mpz_mul(y, y, x);
        mpz_mod(y, y, modulus);
        oracle_number value(p_);
        mpfr_set_z(value, y, MPFR_RNDN);
        o.y = from(value);
        mpz_clears(x, y, modulus, nullptr);
    }

    /// x y + z is close to half way between two numbers, or cancels.
    void tie_of_fma(multidigit_operands<Digit, N>& o, bool by_double)
    {
        if (!detail::is_regular(o.x.exponent) || !detail::is_regular(o.y.exponent) || !std::isfinite(o.d) ||
            o.d == 0.0) {
            return;
        }
        oracle_number x, y, wanted(2 * p_ + 64), product(2 * p_ + 64);
        const exponent_range range(multidigit_least_exponent, multidigit_most_exponent);
        x.set(o.x);
        y.set(o.y);
        if (by_double) {
            mpfr_set_d(y, o.d, MPFR_RNDN);
        }
        mpfr_mul(product, x, y, MPFR_RNDN);
        number t = significand();
        set_bit(t, bits - p_);
        t.exponent = o.x.exponent;
        oracle_number tie(bits + 1);
        tie.set(t);
        mpfr_set_prec(wanted, p_ + 1);
        mpfr_set(wanted, tie, MPFR_RNDN);
        if (mpfr_regular_p(product)) {
            mpfr_set_exp(wanted, mpfr_get_exp(product) + random_.integer(-p_ - 30, 30) / (random_.one_in(3) ? 1 : 30));
            mpfr_nextabove(wanted);  // p + 1 bits
            if (random_.one_in(3)) {
                mpfr_set_zero(wanted, 1);
            }
            oracle_number z(2 * p_ + 64);
            mpfr_sub(z, wanted, product, MPFR_RNDN);
            o.z = from(z);
        }
    }

    /// x is close to q y, or to the middle of two such numbers.
    void quotient(multidigit_operands<Digit, N>& o)
    {
        if (!detail::is_regular(o.y.exponent)) {
            return;
        }
        number q = significand();
        q.exponent = random_.integer(-30, 30);
        oracle_number factor, y, x(2 * p_ + 64);
        const exponent_range range(multidigit_least_exponent, multidigit_most_exponent);
        factor.set(q);
        y.set(o.y);
        mpfr_mul(x, factor, y, MPFR_RNDN);
        o.x = from(x);
    }

    /// The square of a number of about half of the bits, or next to it.
    number squared(const number& x)
    {
        if (!detail::is_regular(x.exponent)) {
            return x;
        }
        oracle_number value, root(p_ / 2 + random_.integer(0, 2)), square(p_);
        const exponent_range range(multidigit_least_exponent, multidigit_most_exponent);
        value.set(x);
        mpfr_abs(value, value, MPFR_RNDN);
        mpfr_sqrt(root, value, MPFR_RNDN);
        mpfr_sqr(square, root, MPFR_RNDN);
        if (random_.one_in(2)) {
            random_.one_in(2) ? mpfr_nextabove(square) : mpfr_nextbelow(square);
        }
        return from(square);
    }

    int p_;
    biased_random random_;
};

}  // namespace residua::support
