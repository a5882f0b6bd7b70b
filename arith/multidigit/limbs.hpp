#pragma once

#include <residua/arith/multidigit/number.hpp>
#include <residua/arith/real/limbs.hpp>

/// Multi-digit floats from and to limbs, without a detour through real.
namespace residua {

/// x rounded to nearest even.
///
/// throws  error beyond the range of exponents, which ends at 2^31 in size
multidigit_number from_limbs(multidigit_format format, const limb_number& x);

/// x, exactly, in the digits of x, which has to live as long; x is finite.
limb_number limbs_of(const multidigit_number& x);

}  // namespace residua
