#pragma once

#include <cstdint>

#include <residua/blas/exact/elements.hpp>

/// The terms of numbers as strings of digits of 32 bits, on host and device.
namespace residua::blas::detail {

/// A finite binary64 number: +-0.d_1 d_0 2^exponent, the highest bit of d_1 set.
struct binary64_part {
    static constexpr int digits = 2;

    std::uint64_t significand = 0;
    std::int64_t exponent = vector_extent::none;  ///< `none` for zero
    bool negative = false;

    RESIDUA_HD explicit binary64_part(double x) : negative{x < 0.0}
    {
        const auto [whole, last] = residua::detail::integer_of(x);
        if (whole != 0) {
            const int up = residua::detail::leading_zeros(whole);
            significand = whole << up;
            exponent = last + 64 - up;
        }
    }

    RESIDUA_HD bool is_zero() const { return exponent == vector_extent::none; }

    /// Cuts the number towards zero to a multiple of 2^unit.
    RESIDUA_HD void cut(std::int64_t unit)
    {
        const std::int64_t lost = unit - (exponent - 64);  // bits
        if (lost >= 64) {
            exponent = vector_extent::none;
        } else if (lost > 0) {
            significand = significand >> lost << lost;
        }
    }

    RESIDUA_HD std::uint32_t operator[](int k) const { return static_cast<std::uint32_t>(significand >> (32 * k)); }
};

/// A finite multi-digit float: +-0.d_{n-1} ... d_0 2^exponent.
struct digits_part {
    exact_digits::number from;
    int digits;
    std::int64_t exponent;
    bool negative;
    std::int64_t lost = 0;  ///< the bits that were cut off

    RESIDUA_HD explicit digits_part(const exact_digits::number& x)
        : from{x},
          digits{x.digits},
          exponent{residua::detail::is_regular(x.exponent()) ? x.exponent() : vector_extent::none},
          negative{x.negative()}
    {}

    RESIDUA_HD bool is_zero() const { return exponent == vector_extent::none; }

    RESIDUA_HD void cut(std::int64_t unit)
    {
        lost = unit - (exponent - 32 * digits);
        exponent = lost >= 32 * digits ? vector_extent::none : exponent;
    }

    RESIDUA_HD std::uint32_t operator[](int k) const
    {
        const std::uint32_t digit = from[k];
        const std::int64_t here = lost - 32 * k;
        return here <= 0 ? digit : here >= 32 ? 0 : digit >> here << here;
    }
};

/// Term t of number l of a vector.
template <int Terms>
RESIDUA_HD binary64_part part_of(const exact_terms<Terms>& x, index_t l, int t)
{
    return binary64_part(x.at(l, 0)[t * x.plane]);
}

RESIDUA_HD digits_part part_of(const exact_digits& x, index_t l, int) { return digits_part(x.at(l, 0)); }

/// The number of digits of each part.
template <int Terms>
RESIDUA_HD constexpr int digits_of_parts(const exact_terms<Terms>&)
{
    return binary64_part::digits;
}
RESIDUA_HD int digits_of_parts(const exact_digits& x) { return x.start.digits; }

}  // namespace residua::blas::detail
