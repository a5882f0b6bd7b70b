#pragma once

#include <cmath>

#include <residua/arith/base/bits.hpp>
#include <residua/arith/multidigit/round.hpp>

namespace residua {

/// d, exactly: 64 bits hold it.
template <machine_digit Digit, int N>
RESIDUA_HD multidigit_float<Digit, N> to_multidigit(double d)
{
    static_assert(N * detail::bits_of<Digit> >= 64);
    const bool negative = (to_bits(d) & sign_mask) != 0;
    const int field = static_cast<int>((to_bits(d) & ~sign_mask) >> fraction_bits);
    const std::uint64_t fraction = to_bits(d) & fraction_mask;
    multidigit_float<Digit, N> r = detail::multidigit_special<Digit, N>(detail::multidigit_zero_code);
    if (!(d - d == 0.0)) {
        r.exponent = fraction == 0 ? detail::multidigit_infinity_code : detail::multidigit_nan_code;
        r.negative = fraction == 0 && negative;
    } else if (field != 0 || fraction != 0) {
        const std::uint64_t whole = fraction | (field != 0 ? fraction_mask + 1 : 0);
        const int zeros = detail::leading_zeros(whole);
        const std::uint64_t top = whole << zeros;
        r.exponent = (field != 0 ? field : 1) - 1075 + 64 - zeros;
        r.negative = negative;
        if constexpr (sizeof(Digit) == 8) {
            r.d[N - 1] = top;
        } else {
            r.d[N - 1] = static_cast<Digit>(top >> 32);
            r.d[N - 2] = static_cast<Digit>(top);
        }
    }
    return r;
}

/// x rounded to nearest even; infinite beyond binary64's range.
template <class Digit, int N>
RESIDUA_HD double to_double(const multidigit_float<Digit, N>& x)
{
    if (!detail::is_regular(x.exponent)) {
        constexpr std::uint64_t quiet = std::uint64_t{1} << (fraction_bits - 1);
        return is_zero(x) ? 0.0 : from_bits(exponent_mask | (is_nan(x) ? quiet : x.negative ? sign_mask : 0));
    }
    std::uint64_t top = 0;
    bool sticky = false;
    for (int k = 0; k < N; ++k) {
        if constexpr (sizeof(Digit) == 8) {
            top = k == N - 1 ? x.d[k] : 0;
            sticky |= k < N - 1 && x.d[k] != 0;
        } else {
            top = top >> 32 | static_cast<std::uint64_t>(x.d[k]) << 32;
            sticky |= k < N - 2 && x.d[k] != 0;
        }
    }
    constexpr int full = 11;  // bits of `top` that binary64 does not take
    const int exponent = x.exponent;
    const int drop = exponent >= -1021 ? full : exponent < -1075 ? 65 : full - 1021 - exponent;
    double magnitude = 0.0;
    if (exponent > 1024) {
        magnitude = from_bits(exponent_mask);
    } else if (drop <= 64) {
        const std::uint64_t half = std::uint64_t{1} << (drop - 1);
        const std::uint64_t tail = top & (half - 1);
        std::uint64_t whole = drop < 64 ? top >> drop : 0;
        whole += (top & half) != 0 && (tail != 0 || sticky || (whole & 1) != 0) ? 1 : 0;
        magnitude = std::ldexp(static_cast<double>(whole), exponent - 64 + drop);
    }
    return x.negative ? -magnitude : magnitude;
}

}  // namespace residua
