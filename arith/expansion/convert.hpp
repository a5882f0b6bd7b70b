#pragma once

#include <span>
#include <string>
#include <string_view>

#include <residua/arith/expansion/functions.hpp>
#include <residua/arith/real/real.hpp>

/// Expansions from and to real numbers and text; host only.
namespace residua {

/// x, exactly.
template <int N>
real to_real(const expansion<double, N>& x)
{
    return is_finite(x) ? exact_sum(x.t) : real(x.t[0]);
}

namespace detail {

template <class T>
inline constexpr bool is_expansion = false;
template <int N>
inline constexpr bool is_expansion<expansion<double, N>> = true;

}  // namespace detail

/// The expansion nearest to x term by term: t[0] = RN(x), t[1] = RN(x - t[0]), ...
///
/// errors  u^N |x|, and what lies below 2^-1075; an x beyond binary64 becomes infinite
template <class T>
    requires detail::is_expansion<T>
T from_real(const real& x)
{
    T r;
    split_nearest(x, r.t);
    if constexpr (number_traits<T>::terms == 2) {
        // t[1] may have been rounded to just half an ulp of an odd t[0].
        const rounded sum = fast_two_sum(r.t[0], r.t[1]);
        r.t[0] = sum.value;
        r.t[1] = is_finite(r) ? sum.error : 0.0;
    }
    return r;
}

/// The decimal rounded correctly to precision_bits, in the grammar of real(text, bits).
///
/// throws  error if text is not one whole decimal, or if its magnitude rounds to 2^1024 or more
template <class T>
    requires detail::is_expansion<T>
T from_string(std::string_view text)
{
    const T r = from_real<T>(real(text, number_traits<T>::precision_bits));
    if (!is_finite(r)) {
        throw error("number out of range: " + std::string(text));
    }
    return r;
}

/// x <- from_string(decimal), for the constructor.
template <int N>
void read_decimal_into(expansion<double, N>& x, std::string_view decimal)
{
    x = from_string<expansion<double, N>>(decimal);
}

/// x rounded correctly to `significant_digits` decimal digits: "1.500e-03" for 4.
///
/// throws  error if significant_digits < 1
template <int N>
std::string to_string(const expansion<double, N>& x, int significant_digits)
{
    return to_string(to_real(x), significant_digits);
}

/// A decimal that reads back as x, rounded to precision_bits: gaps between the terms can hold more.
template <int N>
std::string to_string(const expansion<double, N>& x)
{
    return to_string(to_real(x).with_precision(number_traits<expansion<double, N>>::precision_bits));
}

}  // namespace residua
