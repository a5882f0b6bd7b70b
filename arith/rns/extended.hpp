#pragma once

#include <cmath>
#include <cstdint>

#include <residua/arith/base/bits.hpp>
#include <residua/arith/base/eft.hpp>

namespace residua {

/// f 2^e with 1 <= f < 2, or zero (f = 0): a binary64 significand that cannot over- or underflow.
///
/// Nothing below zero: these are bounds of magnitudes. Every operation exists twice, rounded down
/// and up, with the exact result whenever 53 bits hold it.
struct extended {
    double f = 0.0;
    std::int64_t e = 0;
};

/// What an operation rounds to.
enum class toward { down, up };

namespace detail {

/// The neighbour of x > 0, a normal number, one ulp below or above.
template <toward To>
RESIDUA_HD double neighbour(double x)
{
    return from_bits(to_bits(x) + (To == toward::up ? 1u : ~std::uint64_t{0}));
}

/// value + error, value = RN(value + error) >= 0, rounded as wanted.
template <toward To>
RESIDUA_HD double direct(double value, double error)
{
    const bool off = To == toward::up ? error > 0.0 : error < 0.0;
    return off ? neighbour<To>(value) : value;
}

/// f 2^e for f >= 0 in binary64's normal range.
RESIDUA_HD extended normalized(double f, std::int64_t e)
{
    const std::uint64_t b = to_bits(f);
    const int shift = static_cast<int>(b >> fraction_bits) - exponent_bias;
    const bool zero = f == 0.0;
    extended r;
    r.f = zero ? 0.0 : from_bits((b & fraction_mask) | to_bits(1.0));
    r.e = zero ? 0 : e + shift;
    return r;
}

/// f 2^(-k) for 1 <= f < 2 and k >= 0, rounded as wanted; far below 1 as 2^-600 or as zero.
template <toward To>
RESIDUA_HD double lowered(double f, std::int64_t k)
{
    if (k > 600) {
        return To == toward::up ? 0x1p-600 : 0.0;
    }
    return f * pow2(-static_cast<int>(k));  // exact
}

}  // namespace detail

/// x in 0, ..., 2^64 - 1
template <toward To>
RESIDUA_HD extended to_extended(std::uint64_t x)
{
    const std::uint64_t low = x & 0xffffffffu;
    const rounded sum = two_sum(static_cast<double>(x - low), static_cast<double>(low));
    return detail::normalized(detail::direct<To>(sum.value, sum.error), 0);
}

RESIDUA_HD bool is_zero(const extended& x) { return x.f == 0.0; }

/// a 2^k, exactly.
RESIDUA_HD extended ldexp(const extended& a, std::int64_t k)
{
    extended r = a;
    r.e = is_zero(a) ? 0 : a.e + k;
    return r;
}

RESIDUA_HD bool operator<(const extended& a, const extended& b)
{
    if (is_zero(a) || is_zero(b)) {
        return a.f < b.f;
    }
    return a.e != b.e ? a.e < b.e : a.f < b.f;
}

template <toward To>
RESIDUA_HD extended mul(const extended& a, const extended& b)
{
    const rounded p = two_prod(a.f, b.f);
    return detail::normalized(detail::direct<To>(p.value, p.error), a.e + b.e);
}

template <toward To>
RESIDUA_HD extended add(const extended& a, const extended& b)
{
    if (is_zero(a) || is_zero(b)) {
        return is_zero(a) ? b : a;
    }
    const extended& big = a.e < b.e ? b : a;
    const extended& small = a.e < b.e ? a : b;
    const rounded s = two_sum(big.f, detail::lowered<To>(small.f, big.e - small.e));
    return detail::normalized(detail::direct<To>(s.value, s.error), big.e);
}

/// max(a - b, 0)
template <toward To>
RESIDUA_HD extended sub(const extended& a, const extended& b)
{
    if (!(b < a)) {
        return {};
    }
    if (is_zero(b)) {
        return a;
    }
    constexpr toward opposite = To == toward::up ? toward::down : toward::up;
    const rounded s = two_sum(a.f, -detail::lowered<opposite>(b.f, a.e - b.e));
    return detail::normalized(detail::direct<To>(s.value, s.error), a.e);
}

/// a / b, b > 0
template <toward To>
RESIDUA_HD extended div(const extended& a, const extended& b)
{
    const double q = a.f / b.f;
    return detail::normalized(detail::direct<To>(q, std::fma(-q, b.f, a.f)), a.e - b.e);
}

}  // namespace residua
