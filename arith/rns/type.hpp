#pragma once

#include <cstdint>

#include <residua/arith/base/host_device.hpp>
#include <residua/arith/rns/moduli.hpp>
#include <residua/arith/rns/range.hpp>

namespace residua {

/// A number without its residues: sign, exponent and range.
struct rns_head {
    rns_range range;  ///< of the significand X
    bool negative = false;
    std::int64_t exponent = 0;
};

/// A floating-point number with a significand in a residue number system: (-1)^negative X 2^exponent.
///
/// residues   X mod m for each of up to N moduli of a set, 0 <= X <= 2^width; a range that encloses X
///            stands beside them, so that the size of X is known without leaving residues. N is what one
///            thread holds; residues beyond rns_set::held(), and the residues of a zero, mean nothing
/// precision  rns_precision(count) bits, u = 4 / sqrt(M); each operation has a relative error below u
/// range      |exponent| <= rns_exponent_limit; beyond it a result is not finite. Below it a result is zero
/// specials   one value that is not finite, for overflow, division by zero and roots of negatives
/// from       [Isu20]; [IKK20]
template <int N>
struct rns_float : rns_head {
    std::uint32_t digit[N];
};

/// Sums of two exponents never overflow. 2^(2^40) and 2^(-2^40) are in range; but the X of a quotient or root has up
/// to w bits, the width, and an exponent as much lower: a quotient below 2^(w - 2^40) may be zero.
inline constexpr std::int64_t rns_exponent_limit = std::int64_t{1} << 40;

RESIDUA_HD bool is_finite(const rns_head& x) { return x.range.high != detail::no_range; }

/// Whether x is zero: exactly, since the range of a nonzero X has high > 0.
RESIDUA_HD bool is_zero(const rns_head& x) { return x.range.high == 0; }

namespace detail {

/// x if `first`, else y.
RESIDUA_HD rns_head select(bool first, const rns_head& x, const rns_head& y)
{
    return {select(first, x.range, y.range), select(first, x.negative, y.negative),
            select(first, x.exponent, y.exponent)};
}

RESIDUA_HD rns_head not_finite_head()
{
    rns_head r;
    r.range.high = no_range;
    return r;
}

/// x if its exponent is in range; otherwise zero or the value that is not finite.
RESIDUA_HD rns_head checked(const rns_head& x)
{
    if (x.exponent > rns_exponent_limit) {
        return not_finite_head();
    }
    return x.exponent < -rns_exponent_limit ? rns_head{} : x;
}

RESIDUA_HD rns_head ldexp(const rns_head& x, std::int64_t k)
{
    constexpr std::int64_t most = 4 * rns_exponent_limit;  // beyond every exponent, and no sum overflows
    const std::int64_t shift = k < -most ? -most : k > most ? most : k;
    rns_head r = x;
    r.exponent += is_zero(x) || !is_finite(x) ? 0 : shift;
    return checked(r);
}

template <int N>
RESIDUA_HD rns_head& head(rns_float<N>& x)
{
    return x;
}

}  // namespace detail

/// 0
template <int N>
RESIDUA_HD rns_float<N> rns_zero()
{
    rns_float<N> r;
    for (int k = 0; k < N; ++k) {
        r.digit[k] = 0;
    }
    return r;
}

template <int N>
RESIDUA_HD rns_float<N> rns_not_finite()
{
    rns_float<N> r = rns_zero<N>();
    detail::head(r) = detail::not_finite_head();
    return r;
}

template <int N>
RESIDUA_HD rns_float<N> operator-(const rns_float<N>& x)
{
    rns_float<N> r = x;
    r.negative = !x.negative && !is_zero(x);
    return r;
}

template <int N>
RESIDUA_HD rns_float<N> abs(const rns_float<N>& x)
{
    rns_float<N> r = x;
    r.negative = false;
    return r;
}

/// x 2^k, exactly.
template <int N>
RESIDUA_HD rns_float<N> ldexp(const rns_float<N>& x, std::int64_t k)
{
    rns_float<N> r = x;
    detail::head(r) = detail::ldexp(static_cast<const rns_head&>(x), k);
    return r;
}

}  // namespace residua
