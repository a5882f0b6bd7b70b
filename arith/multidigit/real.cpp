#include <residua/arith/multidigit/real.hpp>

#include <cstring>
#include <limits>

#include <gmp.h>

namespace residua {

real detail::multidigit_value(const void* digits, int bytes, std::int32_t exponent, bool negative)
{
    const double inf = std::numeric_limits<double>::infinity();
    if (!is_regular(exponent)) {
        return real(exponent == multidigit_zero_code  ? 0.0
                    : exponent == multidigit_nan_code ? std::numeric_limits<double>::quiet_NaN()
                    : negative                        ? -inf
                                                      : inf);
    }
    mpz_t whole;
    mpz_init(whole);
    mpz_import(whole, static_cast<std::size_t>(bytes), -1, 1, 0, 0, digits);
    real result(0.0, 8L * bytes);
    mpfr_set_z_2exp(result.mpfr(), whole, std::int64_t{exponent} - 8L * bytes, MPFR_RNDN);
    mpz_clear(whole);
    return negative ? -result : result;
}

std::int32_t detail::multidigit_rounded(const real& x, int p, void* digits, int bytes, bool& negative)
{
    std::memset(digits, 0, static_cast<std::size_t>(bytes));
    negative = false;
    if (mpfr_nan_p(x.mpfr()) != 0) {
        return multidigit_nan_code;
    }
    if (is_zero(x)) {
        return multidigit_zero_code;
    }
    negative = x < real(0.0);
    if (!is_finite(x)) {
        return multidigit_infinity_code;
    }
    const real rounded = x.with_precision(p);
    mpz_t whole;
    mpz_init(whole);
    mpfr_get_z_2exp(whole, rounded.mpfr());
    const auto size = static_cast<long>(mpz_sizeinbase(whole, 2));
    if (size < 8L * bytes) {
        mpz_mul_2exp(whole, whole, static_cast<mp_bitcnt_t>(8L * bytes - size));
    } else {
        mpz_tdiv_q_2exp(whole, whole, static_cast<mp_bitcnt_t>(size - 8L * bytes));
    }
    mpz_export(digits, nullptr, -1, 1, 0, 0, whole);
    mpz_clear(whole);
    return static_cast<std::int32_t>(exponent(rounded));
}

}  // namespace residua
