#pragma once

#include <residua/arith/rns/convert.hpp>

namespace residua {
namespace detail {

/// The first stage of x y: the product without residues, before it is rounded. The second is mul_mod of the residues.
RESIDUA_HD rns_head mul_head(const rns_head& x, const rns_head& y)
{
    if (!is_finite(x) || !is_finite(y)) {
        return not_finite_head();
    }
    if (is_zero(x) || is_zero(y)) {
        return {};
    }
    rns_head r;
    r.range = mul(x.range, y.range);
    r.negative = x.negative != y.negative;
    r.exponent = x.exponent + y.exponent;
    return r;
}

}  // namespace detail

/// x y
///
/// errors  below u relative, unless it leaves the range
/// cost    width / 64 + 1 steps of scaling, each of 3 reductions and 4 products a residue
template <class Set, int N>
RESIDUA_HD rns_float<N> mul(const Set& set, const rns_float<N>& x, const rns_float<N>& y)
{
    rns_float<N> r;
    detail::head(r) = detail::mul_head(x, y);
    detail::for_residues(
        set, [&](int k)
                 __attribute__((always_inline)) { r.digit[k] = detail::mul_mod(set, k, x.digit[k], y.digit[k]); });
    detail::round(set, r);
    return r;
}

/// x prepared for times_prepared: with residues of 2^32 times the number.
template <class Set, int N>
RESIDUA_HD rns_float<N> prepared(const Set& set, const rns_float<N>& x)
{
    rns_float<N> r = x;
    detail::for_residues(
        set, [&](int k) __attribute__((always_inline)) {
            const rns_modulus& q = set.modulus(k);
            r.digit[k] = detail::montgomery(x.digit[k], set.power(0, k), q.m, q.inverse);
        });
    return r;
}

/// x y for an x that has many products and is prepared once: the same bits, with one reduction a residue less.
template <class Set, int N>
RESIDUA_HD rns_float<N> times_prepared(const Set& set, const rns_float<N>& x, const rns_float<N>& y)
{
    rns_float<N> r;
    detail::head(r) = detail::mul_head(x, y);
    detail::for_residues(
        set, [&](int k) __attribute__((always_inline)) {
            const rns_modulus& q = set.modulus(k);
            r.digit[k] = detail::montgomery(x.digit[k], y.digit[k], q.m, q.inverse);
        });
    detail::round(set, r);
    return r;
}

/// d y
///
/// errors  below u relative, unless it leaves the range; exact where d has so few bits that X d needs no rounding
/// cost    as mul, but the steps of scaling are for the bits of d only
template <class Set, int N>
RESIDUA_HD rns_float<N> mul(const Set& set, double d, const rns_float<N>& y)
{
    const detail::odd_integer x = detail::to_odd_integer(d);
    rns_float<N> factor;
    detail::head(factor) = detail::head_of(x);
    detail::for_residues(
        set, [&](int k) __attribute__((always_inline)) {
            const rns_modulus& q = set.modulus(k);
            factor.digit[k] =  // 2^32 times the integer
                detail::montgomery(detail::reduce(x.integer, q.m, q.inverse), set.power(1, k), q.m, q.inverse);
        });
    return times_prepared(set, factor, y);
}

}  // namespace residua
