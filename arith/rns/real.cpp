#include <residua/arith/rns/real.hpp>

#include <algorithm>

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

template <toward To>
extended to_extended(mpz_srcptr x)
{
    const auto bits = static_cast<long>(mpz_sizeinbase(x, 2));
    const long shift = bits > 64 ? bits - 64 : 0;
    integer top;
    mpz_tdiv_q_2exp(top, x, static_cast<mp_bitcnt_t>(shift));
    const bool exact = mpz_scan1(x, 0) >= static_cast<mp_bitcnt_t>(shift);
    std::uint64_t word = mpz_get_ui(top);
    if (To == toward::up && !exact) {
        if (word == ~std::uint64_t{0}) {
            return residua::ldexp(residua::to_extended<To>(1), bits);
        }
        ++word;
    }
    return residua::ldexp(residua::to_extended<To>(word), shift);
}

}  // namespace

real detail::rns_integer(int count, const rns_modulus* modulus, const std::uint32_t* digit)
{
    integer product, sum, term;
    mpz_set_ui(product, 1);
    for (int i = 0; i < count; ++i) {
        mpz_mul_ui(product, product, modulus[i].m);
    }
    for (int i = 0; i < count; ++i) {
        const rns_modulus& q = modulus[i];
        mpz_divexact_ui(term, product, q.m);
        mpz_mul_ui(term, term, montgomery(digit[i], q.weight, q.m, q.inverse));
        mpz_add(sum, sum, term);
    }
    mpz_mod(sum, sum, product);
    real result(0.0, std::max<long>(64, static_cast<long>(mpz_sizeinbase(sum, 2))));
    mpfr_set_z(result.mpfr(), sum, MPFR_RNDN);
    return result;
}

detail::rns_significand detail::rns_digits(int count, const rns_modulus* modulus, const real& x, int bits,
                                           std::uint32_t* digit)
{
    const real rounded = x.with_precision(bits);
    integer significand;
    long exponent = mpfr_get_z_2exp(significand, rounded.mpfr());
    mpz_abs(significand, significand);
    const mp_bitcnt_t zeros = mpz_scan1(significand, 0);
    mpz_tdiv_q_2exp(significand, significand, zeros);
    exponent += static_cast<long>(zeros);
    for (int i = 0; i < count; ++i) {
        digit[i] = static_cast<std::uint32_t>(mpz_fdiv_ui(significand, modulus[i].m));
    }
    return {to_extended<toward::down>(significand), to_extended<toward::up>(significand), exponent};
}

}  // namespace residua
