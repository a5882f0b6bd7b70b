#pragma once

#include <cstdint>
#include <span>

#include <gmp.h>
#include <mpfr.h>

/// Numbers of GMP, of MPFR and of arrays of limbs: integers times powers of two. Nothing here allocates.
namespace residua {

/// (-1)^negative (limb[0] + limb[1] 2^64 + ...) 2^exponent, zero if all limbs are. The limbs are somebody else's.
struct limb_number {
    std::span<const std::uint64_t> limb;
    std::int64_t exponent = 0;
    bool negative = false;
};

/// x, exactly, in the limbs of x, or for a double in *room.
///
/// throws  error "nan, not a finite number", or for an infinity
limb_number limbs_of(mpf_srcptr x);
limb_number limbs_of(mpfr_srcptr x);
limb_number limbs_of(double x, std::uint64_t* room);

bool is_zero(const limb_number& x);

/// The e of |x| = m 2^e, 1/2 <= m < 1; x != 0.
///
/// throws  error if the exponent of x is more than 2^40 in size
std::int64_t exponent(const limb_number& x);

/// x rounded to nearest even with `bits` bits, x != 0: an integer with the highest bit of its last limb set, and zeros
/// behind the bits that are kept. Returns the exponent of that integer.
///
/// shapes  to has at least bits / 64 limbs, bits >= 1; x has none of them
/// throws  as exponent()
std::int64_t round_limbs(const limb_number& x, long bits, std::span<std::uint64_t> to);

/// *to becomes x, rounded to nearest even with the limbs that *to has room for: one more than its precision needs.
///
/// throws  as exponent()
void store(const limb_number& x, mpf_ptr to);

/// *to becomes x, rounded to nearest even with its own bits; infinite or zero beyond MPFR's range.
///
/// throws  as exponent()
void store(const limb_number& x, mpfr_ptr to);

}  // namespace residua
