#pragma once

#include <concepts>
#include <cstdint>

#include <residua/arith/base/host_device.hpp>

namespace residua {

/// Digits of multi-digit floats: 64 bits on the host, 32 on a device.
template <class D>
concept machine_digit = std::same_as<D, std::uint32_t> || std::same_as<D, std::uint64_t>;

/// Exponents of numbers other than zero.
inline constexpr std::int32_t multidigit_least_exponent = -0x7ffffff0;
inline constexpr std::int32_t multidigit_most_exponent = 0x7ffffff0;

/// The lowest and the highest precision, in bits.
inline constexpr int multidigit_least_bits = 64;
inline constexpr int multidigit_most_bits = 4096;

/// How many of N digits may be unused; there is a compiled size for every number of digits up to 8.
template <int N>
inline constexpr int spare_digits = N <= 8 ? 0 : N / 6;

/// A positional floating-point number: (-1)^negative 0.d_{N-1} ... d_1 d_0 2^exponent, the highest bit of d_{N-1} set.
///
/// The precision p in bits is a parameter of each operation, the same for its operands: multidigit_least_bits <= p,
/// and p is more than digit_bits (N - 1 - spare_digits<N>) and at most digit_bits N. The last digit_bits N - p bits are zero.
/// Every operation is correctly rounded to nearest even with p bits, so that results do not depend on the digits.
///
/// An exponent beyond the ends is one of three codes: zero, which has no sign; infinity; and NaN. Their digits are 0.
/// from  the format of GARPREC and CUMP; operations as MPFR [FHL+07] defines them
template <machine_digit Digit, int N>
struct multidigit_float {
    static constexpr int digit_bits = 8 * sizeof(Digit);
    static constexpr int digits = N;

    Digit d[N];
    std::int32_t exponent;
    bool negative;
};

namespace detail {

inline constexpr std::int32_t multidigit_zero_code = -0x7fffffff - 1;
inline constexpr std::int32_t multidigit_infinity_code = 0x7ffffffe;
inline constexpr std::int32_t multidigit_nan_code = 0x7fffffff;

template <class Digit, int N>
RESIDUA_HD multidigit_float<Digit, N> multidigit_special(std::int32_t code, bool negative = false)
{
    return {{}, code, negative};
}

/// Whether the code or exponent is that of a finite number other than zero.
RESIDUA_HD bool is_regular(std::int32_t exponent)
{
    return exponent >= multidigit_least_exponent && exponent <= multidigit_most_exponent;
}

}  // namespace detail

template <class Digit, int N>
RESIDUA_HD bool is_zero(const multidigit_float<Digit, N>& x)
{
    return x.exponent == detail::multidigit_zero_code;
}

template <class Digit, int N>
RESIDUA_HD bool is_nan(const multidigit_float<Digit, N>& x)
{
    return x.exponent == detail::multidigit_nan_code;
}

template <class Digit, int N>
RESIDUA_HD bool is_finite(const multidigit_float<Digit, N>& x)
{
    return x.exponent <= multidigit_most_exponent;
}

/// -x
template <class Digit, int N>
RESIDUA_HD multidigit_float<Digit, N> negated(multidigit_float<Digit, N> x)
{
    x.negative = x.negative != (x.exponent != detail::multidigit_zero_code && !is_nan(x));
    return x;
}

/// |x|
template <class Digit, int N>
RESIDUA_HD multidigit_float<Digit, N> abs(multidigit_float<Digit, N> x)
{
    x.negative = false;
    return x;
}

/// x 2^k; infinite or zero beyond the range.
///
/// errors  exact within the range; next to its lower end as round_to_nearest()
template <class Digit, int N>
RESIDUA_HD multidigit_float<Digit, N> ldexp(const multidigit_float<Digit, N>& x, std::int64_t k);

}  // namespace residua
