#pragma once

#include <cmath>
#include <concepts>
#include <string>

#include <residua/arith/base/bits.hpp>
#include <residua/arith/base/host_device.hpp>
#include <residua/arith/base/number_traits.hpp>

namespace residua {

class real;  // arith/real/real.hpp; not included here, so that device code may include this file
double to_double(const real& x);

/// binary64 under the names that every format has, so that generic code says sqrt(x), abs(x),
/// ldexp(x, k), is_finite(x), to_double(x) without a prefix and finds the format's own function.
using std::abs;
using std::sqrt;
RESIDUA_HD double ldexp(double x, int k) { return scale_pow2(x, k); }
RESIDUA_HD double to_double(double x) { return x; }

/// Neither infinite nor NaN.
RESIDUA_HD bool is_finite(double x) { return (to_bits(x) & exponent_mask) != exponent_mask; }

/// x with 53 bits, exactly.
real to_real(double x);

/// RN(x), gradual underflow and overflow to infinity as in IEEE 754.
template <std::same_as<double> T>
T from_real(const real& x)
{
    return to_double(x);
}

/// The shortest scientific decimal that reads back as x: "1.5e-03", "-0e+00", "inf", "nan".
std::string to_string(double x);

/// x rounded correctly to `significant_digits` decimal digits: "1.500e-03" for 4.
///
/// throws  error if significant_digits < 1
std::string to_string(double x, int significant_digits);

}  // namespace residua
