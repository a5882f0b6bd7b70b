#include <residua/arith/rns/real.hpp>

#include <algorithm>
#include <limits>

#include <gmp.h>

#include <residua/arith/rns/modular.hpp>

namespace residua {
namespace {

/// An mpz_t that owns its memory.
class integer {
public:
    integer() { mpz_init(value_); }
    integer(const integer&) = delete;
    integer& operator=(const integer&) = delete;
    ~integer() { mpz_clear(value_); }

    operator mpz_ptr() { return value_; }
    operator mpz_srcptr() const { return value_; }

private:
    mpz_t value_;
};

}  // namespace

real detail::rns_value(const rns_constants& constants, const rns_modulus* moduli, const rns_head& head,
                       const std::uint32_t* digit)
{
    if (!is_finite(head)) {
        return real(std::numeric_limits<double>::quiet_NaN());
    }
    if (is_zero(head)) {
        return real(0.0);
    }
    integer product, sum, term;
    mpz_set_ui(product, 1);
    for (int i = 0; i < constants.count; ++i) {
        mpz_mul_ui(product, product, moduli[i].m);
    }
    for (int i = 0; i < constants.count; ++i) {
        const rns_modulus& q = moduli[i];
        mpz_divexact_ui(term, product, q.m);
        mpz_mul_ui(term, term, montgomery(digit[i], q.weight, q.m, q.inverse));
        mpz_add(sum, sum, term);
    }
    mpz_mod(sum, sum, product);
    real result(0.0, std::max<long>(64, static_cast<long>(mpz_sizeinbase(sum, 2))));
    mpfr_set_z(result.mpfr(), sum, MPFR_RNDN);
    result = residua::ldexp(result, head.exponent);
    return head.negative ? -result : result;
}

rns_head detail::rns_rounded(const rns_constants& constants, const rns_modulus* moduli, const real& x,
                             std::uint32_t* digit)
{
    if (!is_finite(x)) {
        return not_finite_head();
    }
    if (is_zero(x)) {
        return {};
    }
    const real rounded = x.with_precision(constants.width);
    integer significand;
    rns_head head;
    head.exponent = mpfr_get_z_2exp(significand, rounded.mpfr());
    head.negative = mpz_sgn(static_cast<mpz_srcptr>(significand)) < 0;
    mpz_abs(significand, significand);
    const mp_bitcnt_t zeros = mpz_scan1(significand, 0);
    mpz_tdiv_q_2exp(significand, significand, zeros);
    head.exponent += static_cast<std::int64_t>(zeros);
    for (int i = 0; i < constants.count; ++i) {
        digit[i] = static_cast<std::uint32_t>(mpz_fdiv_ui(significand, moduli[i].m));
    }
    const auto bits = static_cast<int>(mpz_sizeinbase(significand, 2));
    const int below = bits > 60 ? bits - 60 : 0;
    mpz_tdiv_q_2exp(significand, significand, static_cast<mp_bitcnt_t>(below));
    const std::uint64_t top = mpz_get_ui(significand);
    head.range = make_range(top, top + (below > 0 ? 1 : 0), below);
    return checked(head);
}

}  // namespace residua
