#include <residua/arith/multidigit/real.hpp>

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>

#include <gmp.h>

namespace residua {
namespace {

constexpr int word = 4;  // bytes: digits have one or two

bool word_is_zero(const unsigned char* bytes)
{
    std::uint32_t value = 0;
    std::memcpy(&value, bytes, sizeof value);
    return value == 0;
}

}  // namespace

real detail::multidigit_value(const void* digits, int bytes, std::int32_t exponent, bool negative)
{
    const double inf = std::numeric_limits<double>::infinity();
    if (!is_regular(exponent)) {
        return real(exponent == multidigit_zero_code  ? 0.0
                    : exponent == multidigit_nan_code ? std::numeric_limits<double>::quiet_NaN()
                    : negative                        ? -inf
                                                      : inf);
    }
    const auto* const first = static_cast<const unsigned char*>(digits);
    int zeros = 0;  // bytes of the zero words at the low end, which may be most of a number of many digits
    while (word_is_zero(first + zeros)) {
        zeros += word;
    }
    mpz_t whole;
    mpz_init(whole);
    mpz_import(whole, static_cast<std::size_t>((bytes - zeros) / word), -1, word, 0, 0, first + zeros);
    real result(0.0, 8L * (bytes - zeros));
    mpfr_set_z_2exp(result.mpfr(), whole, exponent - 8L * (bytes - zeros), MPFR_RNDN);
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
    negative = mpfr_signbit(x.mpfr()) != 0;
    if (!is_finite(x)) {
        return multidigit_infinity_code;
    }
    const std::optional<real> other = x.precision() == p ? std::nullopt : std::optional(x.with_precision(p));
    const real& rounded = other ? *other : x;
    // both have their highest bit in the highest word; what lies below the lowest word of the result is zero
    constexpr long limb = sizeof(mp_limb_t);
    const long there = (p + 8 * limb - 1) / (8 * limb) * limb;
    const long kept = std::min<long>(there, bytes);
    const auto* const from = static_cast<const unsigned char*>(mpfr_custom_get_significand(rounded.mpfr()));
    std::memcpy(static_cast<unsigned char*>(digits) + bytes - kept, from + there - kept,
                static_cast<std::size_t>(kept));
    return static_cast<std::int32_t>(exponent(rounded));
}

}  // namespace residua
