#pragma once

namespace residua {

/// The bytes of `count` reals of `bits` bits: MPFR's header, what malloc adds, and the limbs.
constexpr double real_bytes(double count, long bits)
{
    const long limbs = (bits + 63) / 64;
    return count * (32.0 + 16.0 + 8.0 * static_cast<double>(limbs));
}

}  // namespace residua
