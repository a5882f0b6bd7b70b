#pragma once

#include <algorithm>
#include <concepts>
#include <limits>

#include <residua/arith/numbers/functions.hpp>
#include <residua/arith/numbers/limits.hpp>

/// The functions of <cmath> that take numbers apart or change them by a bit; host only, exact but where it is said.
namespace residua {

/// |x|, as abs(x).
template <detail::full_number T>
T fabs(const T& x)
{
    return abs(x);
}

/// m, and the e of x = m 2^e, 1/2 <= |m| < 1; x itself, and e = 0, of zeros, infinities and NaN.
///
/// order  the type of e is long, for a real may need it; an int is taken where the range of the format fits
template <detail::full_number T, class I>
    requires std::same_as<I, long> || (std::same_as<I, int> && !std::same_as<T, real>)
T frexp(const T& x, I* e)
{
    if (!is_finite(x) || x == 0) {
        *e = 0;
        return x;
    }
    const long k = exponent(to_real(x));
    *e = static_cast<I>(k);
    if constexpr (detail::is_expansion<T>) {
        // In two steps: 2^-k itself may lie beyond the range.
        const int half = static_cast<int>(k) / 2;
        return ldexp(ldexp(x, -half), half - static_cast<int>(k));
    } else {
        return ldexp(x, -k);
    }
}

/// x 2^k, as ldexp(x, k).
template <detail::full_number T>
T scalbn(const T& x, int k)
{
    return ldexp(x, k);
}

/// The e of x = m 2^e, 1 <= |m| < 2. Of zero, infinities and NaN as <cmath>: -infinity, infinity, NaN.
template <detail::full_number T>
T logb(const T& x)
{
    if (!is_finite(x)) {
        return abs(x);
    }
    return x == 0 ? -std::numeric_limits<T>::infinity() : T(exponent(to_real(x)) - 1);
}

/// The part of x behind the point, with the sign of x; *whole is trunc(x). x - trunc(x) is exact but in expansions whose
/// terms lie far apart, where it is rounded.
template <detail::full_number T>
T modf(const T& x, T* whole)
{
    *whole = trunc(x);
    return isinf(x) ? T(0.0) : x - *whole;
}

/// The nearest integer, ties to even.
template <detail::full_number T>
T rint(const T& x)
{
    return detail::whole_by_mpfr(mpfr_rint_roundeven, x);
}

template <detail::full_number T>
T nearbyint(const T& x)
{
    return rint(x);
}

/// |x| with the sign of y.
template <class X, class Y>
    requires detail::numbers_of_call<X, Y>
detail::number_of_call<X, Y> copysign(const X& x, const Y& y)
{
    using T = detail::number_of_call<X, Y>;
    const T a(x);
    const T b(y);
    return signbit(a) != signbit(b) ? -a : a;
}

/// The positive difference: x - y, rounded, or 0 where that is negative.
template <class X, class Y>
    requires detail::numbers_of_call<X, Y>
detail::number_of_call<X, Y> fdim(const X& x, const Y& y)
{
    using T = detail::number_of_call<X, Y>;
    const T a(x);
    const T b(y);
    return isnan(a) || isnan(b) || b < a ? a - b : T(0.0);
}

/// The number next to x on the way to y: of p bits, p = 53 N for an expansion, which may hold more, and else the precision.
/// y if they are equal. Beyond max() is infinity, next to zero is denorm_min(), for a real at its precision.
template <class X, class Y>
    requires detail::numbers_of_call<X, Y>
detail::number_of_call<X, Y> nextafter(const X& x, const Y& y)
{
    using T = detail::number_of_call<X, Y>;
    const T from(x);
    const T to(y);
    if (isnan(from) || isnan(to)) {
        return std::numeric_limits<T>::quiet_NaN();
    }
    if (from == to) {
        return to;
    }
    const bool up = from < to;
    const real exact = to_real(from);
    long p = 0;
    if constexpr (detail::is_expansion<T>) {
        p = 53L * number_traits<T>::terms;
        if (is_finite(from) &&
            (from == 0 || exponent(exact) - p <= -1074)) {  // the numbers around are multiples of 2^-1074
            return from + (up ? std::numeric_limits<T>::denorm_min() : -std::numeric_limits<T>::denorm_min());
        }
        if (isinf(from)) {
            return up ? std::numeric_limits<T>::lowest() : std::numeric_limits<T>::max();
        }
    } else {
        p = detail::working_bits(from);
    }
    real next(0.0, p);
    const int rounding = mpfr_set(next.mpfr(), exact.mpfr(), up ? MPFR_RNDU : MPFR_RNDD);
    if (rounding == 0) {
        up ? mpfr_nextabove(next.mpfr()) : mpfr_nextbelow(next.mpfr());
    }
    if constexpr (std::same_as<T, real>) {
        return next;
    } else {
        const T result = from_real<T>(next);
        if (isfinite(from) && abs(result) > std::numeric_limits<T>::max()) {
            return up ? std::numeric_limits<T>::infinity() : -std::numeric_limits<T>::infinity();
        }
        return result;
    }
}

}  // namespace residua
