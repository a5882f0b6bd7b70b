#pragma once

#include <residua/arith/multidigit/type.hpp>
#include <residua/arith/real/real.hpp>

/// Multi-digit floats from and to real numbers, and so text and the other formats; host only.
namespace residua {
namespace detail {

/// (-1)^negative 0.d_{n-1} ... d_0 2^exponent, exactly, or the special value of a code; d_0 is the first of the digits.
real multidigit_value(const void* digits, int bytes, std::int32_t exponent, bool negative);

/// x rounded to nearest even with p bits: its digits, and exponent or code.
std::int32_t multidigit_rounded(const real& x, int p, void* digits, int bytes, bool& negative);

}  // namespace detail

/// x, exactly; infinite or zero beyond the range of real.
template <class Digit, int N>
real to_real(const multidigit_float<Digit, N>& x)
{
    return detail::multidigit_value(x.d, sizeof x.d, x.exponent, x.negative);
}

/// x rounded to nearest even with p bits; the range is wider than that of real.
template <machine_digit Digit, int N>
multidigit_float<Digit, N> from_real(const real& x, int p)
{
    multidigit_float<Digit, N> r{};
    r.exponent = detail::multidigit_rounded(x, p, r.d, sizeof r.d, r.negative);
    return r;
}

}  // namespace residua
