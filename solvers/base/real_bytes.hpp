#pragma once

namespace residua {

/// Bytes of so many reals with so many bits each: MPFR's header, malloc's own, and the limbs.
constexpr double real_bytes(double count, long bits)
{
    return count * (32.0 + 16.0 + 8.0 * static_cast<double>((bits + 63) / 64));
}

}  // namespace residua
