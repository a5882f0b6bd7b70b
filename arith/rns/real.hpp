#pragma once

#include <string>
#include <string_view>

#include <residua/arith/real/real.hpp>
#include <residua/arith/rns/type.hpp>

/// RNS floats from and to real numbers and text; host only.
namespace residua {
namespace detail {

template <class T>
inline constexpr int rns_count_of = 0;
template <int L>
inline constexpr int rns_count_of<rns_float<L>> = L;

/// X of its digits, exactly.
real rns_integer(int count, const rns_modulus* modulus, const std::uint32_t* digit);

/// X 2^exponent = |x| rounded to nearest even, X an odd integer of so many bits at most: bounds of X.
struct rns_significand {
    extended low, high;
    long exponent;
};

/// The parts of a finite x that is not zero, and the digits of X.
rns_significand rns_digits(int count, const rns_modulus* modulus, const real& x, int bits,
                           std::uint32_t* digit);

}  // namespace detail

/// x, exactly; NaN if x is not finite.
template <int L>
real to_real(const rns_float<L>& x)
{
    if (!is_finite(x)) {
        return real(x.bounds.low.f);
    }
    const real magnitude = ldexp(detail::rns_integer(L, rns_set<L>::host().modulus, x.digit), x.exponent);
    return x.negative ? -magnitude : magnitude;
}

/// x rounded to nearest even with rns_set::width bits.
///
/// errors  u / 2 relative; an x beyond the range, or not finite, becomes not finite, one below it zero
template <class T>
    requires(detail::rns_count_of<T> > 0)
T from_real(const real& x)
{
    constexpr int L = detail::rns_count_of<T>;
    if (!is_finite(x)) {
        return rns_not_finite<L>();
    }
    T r;
    if (is_zero(x)) {
        return r;
    }
    const rns_set<L>& set = rns_set<L>::host();
    const detail::rns_significand s =
        detail::rns_digits(L, set.modulus, x, rns_set<L>::width, r.digit);
    r.bounds.low = mul<toward::down>(s.low, set.unit[0]);
    r.bounds.high = mul<toward::up>(s.high, set.unit[1]);
    r.exponent = s.exponent;
    r.negative = x < real(0.0);
    return ldexp(r, 0);
}

/// The decimal rounded to nearest with rns_set::width bits, in the grammar of real(text, bits).
///
/// throws  error if text is not one whole decimal, or is out of range
template <class T>
    requires(detail::rns_count_of<T> > 0)
T from_string(std::string_view text)
{
    const T r = from_real<T>(real(text, rns_set<detail::rns_count_of<T>>::width));
    if (!is_finite(r)) {
        throw error("number out of range: " + std::string(text));
    }
    return r;
}

/// x rounded correctly to so many significant digits: "1.500e-03" for 4.
///
/// throws  error if significant_digits < 1
template <int L>
std::string to_string(const rns_float<L>& x, int significant_digits)
{
    return to_string(to_real(x), significant_digits);
}

/// A decimal that reads back as x.
template <int L>
std::string to_string(const rns_float<L>& x)
{
    return to_string(to_real(x).with_precision(rns_set<L>::width));
}

}  // namespace residua
