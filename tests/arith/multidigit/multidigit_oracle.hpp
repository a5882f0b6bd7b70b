#pragma once

#include <cmath>
#include <cstdint>
#include <utility>

#include <gmp.h>
#include <mpfr.h>

#include "tests/arith/multidigit/every_operation.hpp"

namespace residua::support {

/// MPFR numbers in the exponent range of multi-digit floats.
class oracle_number {
public:
    explicit oracle_number(long bits = 8192) { mpfr_init2(value_, bits); }
    oracle_number(const oracle_number&) = delete;
    oracle_number& operator=(const oracle_number&) = delete;
    ~oracle_number() { mpfr_clear(value_); }

    operator mpfr_ptr() { return value_; }
    operator mpfr_srcptr() const { return value_; }

    template <class Digit, int N>
    void set(const multidigit_float<Digit, N>& x)
    {
        if (!detail::is_regular(x.exponent)) {
            if (is_zero(x)) {
                mpfr_set_zero(value_, 1);
            } else if (is_nan(x)) {
                mpfr_set_nan(value_);
            } else {
                mpfr_set_inf(value_, x.negative ? -1 : 1);
            }
            return;
        }
        mpz_t whole;
        mpz_init(whole);
        mpz_import(whole, N, -1, sizeof(Digit), 0, 0, x.d);
        mpfr_set_prec(value_, static_cast<long>(8 * sizeof x.d));
        mpfr_set_z(value_, whole, MPFR_RNDN);
        mpfr_set_exp(value_, x.exponent);
        if (x.negative) {
            mpfr_neg(value_, value_, MPFR_RNDN);
        }
        mpz_clear(whole);
    }

private:
    mpfr_t value_;
};

/// Sets MPFR's exponent range of this thread to `least` ... `most` while it lives.
class exponent_range {
public:
    exponent_range(mpfr_exp_t least, mpfr_exp_t most) : least_(mpfr_get_emin()), most_(mpfr_get_emax())
    {
        mpfr_set_emin(least);
        mpfr_set_emax(most);
    }
    exponent_range(const exponent_range&) = delete;
    exponent_range& operator=(const exponent_range&) = delete;
    ~exponent_range()
    {
        mpfr_set_emin(least_);
        mpfr_set_emax(most_);
    }

private:
    mpfr_exp_t least_, most_;
};

/// Whether x has the digits, sign and exponent of an MPFR number of its precision, and is stored as documented.
template <class Digit, int N>
bool is_number(const multidigit_float<Digit, N>& x, mpfr_srcptr expected, int p)
{
    bool empty = true;
    for (const Digit d : x.d) {
        empty = empty && d == 0;
    }
    if (mpfr_nan_p(expected) || mpfr_zero_p(expected) || mpfr_inf_p(expected)) {
        const std::int32_t code = mpfr_nan_p(expected)    ? detail::multidigit_nan_code
                                  : mpfr_zero_p(expected) ? detail::multidigit_zero_code
                                                          : detail::multidigit_infinity_code;
        return empty && x.exponent == code && x.negative == (mpfr_inf_p(expected) && mpfr_signbit(expected));
    }
    if (!detail::is_regular(x.exponent) || x.d[N - 1] >> (detail::bits_of<Digit> - 1) == 0) {
        return false;
    }
    const int unused = detail::bits_of<Digit> * N - p;
    for (int bit = 0; bit < unused; ++bit) {
        if ((x.d[bit / detail::bits_of<Digit>] >> bit % detail::bits_of<Digit> & 1) != 0) {
            return false;
        }
    }
    oracle_number value;
    value.set(x);
    return mpfr_equal_p(value, expected) != 0;
}

/// What MPFR makes of the operands, operation by operation; the name of the first one that differs, or null.
template <class Digit, int N>
const char* first_difference(const multidigit_operands<Digit, N>& o, int p, const multidigit_results<Digit, N>& r)
{
    oracle_number x, y, z, scaled, e(p), d(64), sum(p);
    const exponent_range widest(mpfr_get_emin_min(), mpfr_get_emax_max());
    x.set(o.x);
    y.set(o.y);
    z.set(o.z);
    mpfr_set_prec(scaled, mpfr_get_prec(x));
    mpfr_mul_2si(scaled, x, short_scaling_of(o.d), MPFR_RNDN);  // exact
    const int rounded = mpfr_add(sum, scaled, y, MPFR_RNDN);
    const exponent_range range(multidigit_least_exponent, multidigit_most_exponent);
    mpfr_set_d(d, o.d, MPFR_RNDN);
    const auto differs = [&](int k) { return !is_number(r.number[k], e, p); };
    using operation = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);
    const std::pair<int, operation> binary[] = {{0, mpfr_add}, {1, mpfr_sub}, {2, mpfr_mul}, {6, mpfr_div}};
    for (const auto& [k, f] : binary) {
        f(e, x, y, MPFR_RNDN);
        if (k == 6 && mpfr_zero_p(y) && !mpfr_nan_p(e)) {  // our zeros have no sign
            mpfr_setsign(e, e, mpfr_signbit(x), MPFR_RNDN);
        }
        if (differs(k)) {
            return multidigit_operation_names[k];
        }
    }
    mpfr_fma(e, x, y, z, MPFR_RNDN);
    if (differs(3)) {
        return multidigit_operation_names[3];
    }
    mpfr_mul(e, x, d, MPFR_RNDN);
    if (differs(4)) {
        return multidigit_operation_names[4];
    }
    mpfr_fma(e, x, d, z, MPFR_RNDN);
    if (differs(5)) {
        return multidigit_operation_names[5];
    }
    mpfr_sqrt(e, x, MPFR_RNDN);
    if (differs(7)) {
        return multidigit_operation_names[7];
    }
    mpfr_mul_2si(e, x, scaling_of(o.d), MPFR_RNDN);
    if (differs(8)) {
        return multidigit_operation_names[8];
    }
    mpfr_check_range(sum, rounded, MPFR_RNDN);
    if (!is_number(r.number[9], sum, p)) {
        return multidigit_operation_names[9];
    }
    const double nearest = mpfr_get_d(x, MPFR_RNDN);
    if (!(r.nearest == nearest || (std::isnan(r.nearest) && std::isnan(nearest)))) {
        return "to_double";
    }
    if (r.less != (mpfr_less_p(x, y) != 0)) {
        return "less";
    }
    return r.equal != (mpfr_equal_p(x, y) != 0) ? "equal" : nullptr;
}

}  // namespace residua::support
