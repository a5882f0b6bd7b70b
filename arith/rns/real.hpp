#pragma once

#include <string>
#include <string_view>

#include <residua/arith/real/real.hpp>
#include <residua/arith/rns/type.hpp>

/// RNS floats from and to real numbers and text; host only.
namespace residua {
namespace detail {

/// (-1)^negative X 2^exponent, exactly; NaN if it is not finite.
real rns_value(const rns_constants& constants, const rns_modulus* moduli, const rns_head& head,
               const std::uint32_t* digit);

/// x rounded to nearest even with rns_constants::width bits, X odd: its head, and the residues of X.
rns_head rns_rounded(const rns_constants& constants, const rns_modulus* moduli, const real& x, std::uint32_t* digit);

}  // namespace detail

/// x, exactly; NaN if x is not finite.
template <int N>
real to_real(const rns_set<N>& set, const rns_float<N>& x)
{
    return detail::rns_value(set.constants, set.moduli, x, x.digit);
}

/// x rounded to nearest even with rns_constants::width bits.
///
/// errors  u / 2 relative; an x beyond the range, or not finite, becomes not finite, one below it zero
template <int N>
rns_float<N> from_real(const rns_set<N>& set, const real& x)
{
    rns_float<N> r = rns_zero<N>();
    detail::head(r) = detail::rns_rounded(set.constants, set.moduli, x, r.digit);
    return r;
}

/// The decimal rounded to nearest with rns_constants::width bits, in the grammar of real(text, bits).
///
/// throws  error if text is not one whole decimal, or is out of range
template <int N>
rns_float<N> from_string(const rns_set<N>& set, std::string_view text)
{
    const rns_float<N> r = from_real(set, real(text, set.constants.width));
    if (!is_finite(r)) {
        throw error("number out of range: " + std::string(text));
    }
    return r;
}

/// x rounded correctly to `significant_digits` decimal digits: "1.500e-03" for 4.
///
/// throws  error if significant_digits < 1
template <int N>
std::string to_string(const rns_set<N>& set, const rns_float<N>& x, int significant_digits)
{
    return to_string(to_real(set, x), significant_digits);
}

/// A decimal that reads back as x.
template <int N>
std::string to_string(const rns_set<N>& set, const rns_float<N>& x)
{
    return to_string(to_real(set, x).with_precision(set.constants.width));
}

}  // namespace residua
