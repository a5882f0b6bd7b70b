#pragma once

#include <concepts>

#include <residua/arith/native/double.hpp>
#include <residua/arith/real/real.hpp>

namespace residua {

/// x rounded to 24 bits, and below 2^-126 once more; infinity beyond the range of binary32.
template <std::same_as<float> T>
T from_real(const real& x)
{
    return static_cast<float>(to_double(x.with_precision(number_traits<float>::precision_bits)));
}

/// x with 53 bits, exactly.
inline double to_double(float x) { return static_cast<double>(x); }

/// Neither infinite nor NaN.
inline bool is_finite(float x) { return is_finite(static_cast<double>(x)); }

}  // namespace residua
