#pragma once

#include <residua/arith/base/bits.hpp>
#include <residua/arith/multidigit/round.hpp>

namespace residua {

namespace detail {

/// (-1)^negative 0.b_63 ... b_0 2^exponent, b_63 set, of the bits of `top`.
template <machine_digit Digit, int N>
RESIDUA_HD multidigit_float<Digit, N> from_top(std::uint64_t top, std::int32_t exponent, bool negative)
{
    static_assert(N * bits_of<Digit> >= 64);
    multidigit_float<Digit, N> r = multidigit_special<Digit, N>(exponent, negative);
    if constexpr (sizeof(Digit) == 8) {
        r.d[N - 1] = top;
    } else {
        r.d[N - 1] = static_cast<Digit>(top >> 32);
        r.d[N - 2] = static_cast<Digit>(top);
    }
    return r;
}

/// d, which is zero, subnormal, infinite or NaN.
template <machine_digit Digit, int N>
RESIDUA_HD_RARE multidigit_float<Digit, N> from_unusual_double(double d)
{
    const bool negative = (to_bits(d) & sign_mask) != 0;
    const std::uint64_t fraction = to_bits(d) & fraction_mask;
    if (!(d - d == 0.0)) {
        return multidigit_special<Digit, N>(fraction == 0 ? multidigit_infinity_code : multidigit_nan_code,
                                            fraction == 0 && negative);
    }
    if (fraction == 0) {
        return multidigit_special<Digit, N>(multidigit_zero_code);
    }
    const int zeros = leading_zeros(fraction);
    return from_top<Digit, N>(fraction << zeros, -1074 + 64 - zeros, negative);
}

}  // namespace detail

/// d, exactly: 64 bits hold it.
template <machine_digit Digit, int N>
RESIDUA_HD multidigit_float<Digit, N> to_multidigit(double d)
{
    const std::uint64_t word = to_bits(d);
    const int field = static_cast<int>(word >> fraction_bits) & 0x7ff;
    if (field == 0 || field == 0x7ff) {
        return detail::from_unusual_double<Digit, N>(d);
    }
    constexpr int unused = 63 - fraction_bits;
    return detail::from_top<Digit, N>((word << unused) | sign_mask, field - 1022, (word & sign_mask) != 0);
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
    const double magnitude = rounded_to_binary64(top, sticky, x.exponent);
    return x.negative ? -magnitude : magnitude;
}

}  // namespace residua
