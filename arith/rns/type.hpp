#pragma once

#include <cstdint>
#include <string_view>

#include <residua/arith/base/host_device.hpp>
#include <residua/arith/rns/extended.hpp>
#include <residua/arith/rns/moduli.hpp>

namespace residua {

/// Bounds of a fraction X / M: low <= X / M <= high.
struct interval {
    extended low, high;
};

/// A floating-point number with a significand in a residue number system: (-1)^negative X 2^exponent.
///
/// digits     X mod m for each of the L moduli, 0 <= X <= 2^width; an interval that encloses X / M
///            stands beside them, so that the size of X is known without leaving residues
/// precision  rns_precision(L) bits, u = 4 / sqrt(M); each operation has a relative error below u
/// range      |exponent| <= exponent_limit; beyond it a result is not finite. Below it a result is zero
/// specials   one value that is not finite, for overflow, division by zero and roots of negatives
/// from       [Isu20]; [IKK20]
template <int L>
struct rns_float {
    std::uint32_t digit[L] = {};
    interval bounds;
    std::int64_t exponent = 0;
    bool negative = false;
};

/// 2^(2^40) and its reciprocal are in range, and sums of two exponents never overflow.
inline constexpr std::int64_t rns_exponent_limit = std::int64_t{1} << 40;

template <int L>
RESIDUA_HD bool is_finite(const rns_float<L>& x)
{
    return x.bounds.low.f == x.bounds.low.f;
}

/// Whether x is zero: exactly, since bounds of a nonzero X have high > 0.
template <int L>
RESIDUA_HD bool is_zero(const rns_float<L>& x)
{
    return x.bounds.high.f == 0.0;
}

template <int L>
RESIDUA_HD rns_float<L> rns_not_finite()
{
    rns_float<L> r;
    r.bounds.low.f = r.bounds.high.f = __builtin_nan("");
    return r;
}

template <int L>
RESIDUA_HD rns_float<L> operator-(const rns_float<L>& x)
{
    rns_float<L> r = x;
    r.negative = !x.negative && !is_zero(x);
    return r;
}

template <int L>
RESIDUA_HD rns_float<L> abs(const rns_float<L>& x)
{
    rns_float<L> r = x;
    r.negative = false;
    return r;
}

/// x 2^k, exactly.
template <int L>
RESIDUA_HD rns_float<L> ldexp(const rns_float<L>& x, std::int64_t k)
{
    rns_float<L> r = x;
    r.exponent = is_zero(x) || !is_finite(x) ? 0 : x.exponent + k;
    if (r.exponent > rns_exponent_limit) {
        return rns_not_finite<L>();
    }
    if (r.exponent < -rns_exponent_limit) {
        return {};
    }
    return r;
}

}  // namespace residua
