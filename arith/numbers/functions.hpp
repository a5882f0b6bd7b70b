#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <type_traits>

#include <residua/arith/expansion/convert.hpp>
#include <residua/arith/expansion/elementary.hpp>
#include <residua/arith/expansion/operators.hpp>
#include <residua/arith/numbers/multidigit.hpp>
#include <residua/arith/real/real.hpp>

/// The functions of <cmath> for expansions, multi-digit floats and reals; host only. What takes numbers apart is in
/// numbers/parts.hpp.
///
/// errors    real and multidigit_fixed: correctly rounded, at the greatest precision of the operands. An expansion of N
///           terms: (1 + 2^-63) u^N |f(x)|, u = 2^-53, or 2^-1074 where that is more, by MPFR with 53 N + 64 bits;
///           but expansion/elementary.hpp computes exp, log, sin, cos, tan and atan of up to four terms, and integer
///           powers, with its own bounds and domains
/// specials  as MPFR, which follows IEEE 754
/// operands  where a function has several, all but one may be doubles or integers, which count exactly
namespace residua {

namespace detail {

template <class T>
concept correctly_rounded = std::same_as<T, real> || is_multidigit_fixed<T>;

template <class T>
concept full_number = correctly_rounded<T> || is_expansion<T>;

template <class A>
concept plain_number = std::is_arithmetic_v<A> && !std::same_as<A, long double>;

/// One of the types of a call that is a full number; several are one type.
template <class... X>
struct number_among;
template <class X, class... Rest>
struct number_among<X, Rest...> {
    using type = typename number_among<Rest...>::type;
};
template <full_number X, class... Rest>
struct number_among<X, Rest...> {
    static_assert(((std::same_as<Rest, X> || plain_number<Rest>)&&...),
                  "operands of two formats: convert one of them first");
    using type = X;
};

template <class... X>
concept numbers_of_call = (full_number<X> || ...) && ((full_number<X> || plain_number<X>)&&...);

template <class... X>
using number_of_call = typename number_among<X...>::type;

/// The precision, in bits, in which f(x, ...) is computed.
template <class T>
long working_bits(const T& x)
{
    if constexpr (std::same_as<T, real>) {
        return x.precision();
    } else if constexpr (correctly_rounded<T>) {
        return T::bits;
    } else {
        return 53L * number_traits<T>::terms + 64;
    }
}

/// f(x, ...) as a T, where f is a function of MPFR; an operand that is no T is converted, exactly.
template <class T, class F, class... X>
T by_mpfr(F f, const X&... x)
{
    const long bits = std::max({working_bits(T(x))...});
    real result(0.0, bits);
    f(result.mpfr(), to_real(T(x)).mpfr()..., MPFR_RNDN);
    if constexpr (std::same_as<T, real>) {
        return result;
    } else {
        return from_real<T>(result);
    }
}

/// f(x) as a T, where the result is an integer that may need more bits than a rounded result has.
template <class T, class F>
T whole_by_mpfr(F f, const T& x)
{
    real exact = to_real(x);
    if constexpr (std::same_as<T, real>) {
        f(exact.mpfr(), x.mpfr(), MPFR_RNDN);
        return exact;
    } else {
        real result(0.0, exact.precision());
        f(result.mpfr(), exact.mpfr(), MPFR_RNDN);
        return from_real<T>(result);
    }
}

}  // namespace detail

/// The classes of IEEE 754; an expansion has the class of its leading term.
template <detail::full_number T>
bool isfinite(const T& x)
{
    return is_finite(x);
}

template <detail::full_number T>
bool isnan(const T& x)
{
    return !(x == x);
}

template <detail::full_number T>
bool isinf(const T& x)
{
    return !is_finite(x) && !isnan(x);
}

template <int N>
bool signbit(const expansion<double, N>& x)
{
    return std::signbit(x.t[0]);
}

/// The smaller and the greater one; the other one if one is NaN.
template <class X, class Y>
    requires detail::numbers_of_call<X, Y>
detail::number_of_call<X, Y> fmin(const X& x, const Y& y)
{
    using T = detail::number_of_call<X, Y>;
    const T a(x);
    const T b(y);
    return isnan(a) || b < a ? b : a;
}

template <class X, class Y>
    requires detail::numbers_of_call<X, Y>
detail::number_of_call<X, Y> fmax(const X& x, const Y& y)
{
    using T = detail::number_of_call<X, Y>;
    const T a(x);
    const T b(y);
    return isnan(a) || b > a ? b : a;
}

/// x y + z without a rounded product.
template <class X, class Y, class Z>
    requires detail::numbers_of_call<X, Y, Z>
detail::number_of_call<X, Y, Z> fma(const X& x, const Y& y, const Z& z)
{
    return detail::by_mpfr<detail::number_of_call<X, Y, Z>>(mpfr_fma, x, y, z);
}

/// The next integer downwards, upwards, towards zero, and the nearest one, halves away from zero.
template <detail::full_number T>
T floor(const T& x)
{
    return detail::whole_by_mpfr(mpfr_rint_floor, x);
}

template <detail::full_number T>
T ceil(const T& x)
{
    return detail::whole_by_mpfr(mpfr_rint_ceil, x);
}

template <detail::full_number T>
T trunc(const T& x)
{
    return detail::whole_by_mpfr(mpfr_rint_trunc, x);
}

template <detail::full_number T>
T round(const T& x)
{
    return detail::whole_by_mpfr(mpfr_rint_round, x);
}

/// These leave out expansions of up to four terms, whose functions are in expansion/elementary.hpp.
template <int N>
    requires(N > 4)
expansion<double, N> exp(const expansion<double, N>& x)
{
    return detail::by_mpfr<expansion<double, N>>(mpfr_exp, x);
}

template <detail::correctly_rounded T>
T exp(const T& x)
{
    return detail::by_mpfr<T>(mpfr_exp, x);
}

template <int N>
    requires(N > 4)
expansion<double, N> log(const expansion<double, N>& x)
{
    return detail::by_mpfr<expansion<double, N>>(mpfr_log, x);
}

template <detail::correctly_rounded T>
T log(const T& x)
{
    return detail::by_mpfr<T>(mpfr_log, x);
}

template <int N>
    requires(N > 4)
expansion<double, N> sin(const expansion<double, N>& x)
{
    return detail::by_mpfr<expansion<double, N>>(mpfr_sin, x);
}

template <detail::correctly_rounded T>
T sin(const T& x)
{
    return detail::by_mpfr<T>(mpfr_sin, x);
}

template <int N>
    requires(N > 4)
expansion<double, N> cos(const expansion<double, N>& x)
{
    return detail::by_mpfr<expansion<double, N>>(mpfr_cos, x);
}

template <detail::correctly_rounded T>
T cos(const T& x)
{
    return detail::by_mpfr<T>(mpfr_cos, x);
}

template <int N>
    requires(N > 4)
expansion<double, N> tan(const expansion<double, N>& x)
{
    return detail::by_mpfr<expansion<double, N>>(mpfr_tan, x);
}

template <detail::correctly_rounded T>
T tan(const T& x)
{
    return detail::by_mpfr<T>(mpfr_tan, x);
}

template <int N>
    requires(N > 4)
expansion<double, N> atan(const expansion<double, N>& x)
{
    return detail::by_mpfr<expansion<double, N>>(mpfr_atan, x);
}

template <detail::correctly_rounded T>
T atan(const T& x)
{
    return detail::by_mpfr<T>(mpfr_atan, x);
}

/// Functions of one number.
template <detail::full_number T>
T asin(const T& x)
{
    return detail::by_mpfr<T>(mpfr_asin, x);
}

template <detail::full_number T>
T acos(const T& x)
{
    return detail::by_mpfr<T>(mpfr_acos, x);
}

template <detail::full_number T>
T sinh(const T& x)
{
    return detail::by_mpfr<T>(mpfr_sinh, x);
}

template <detail::full_number T>
T cosh(const T& x)
{
    return detail::by_mpfr<T>(mpfr_cosh, x);
}

template <detail::full_number T>
T tanh(const T& x)
{
    return detail::by_mpfr<T>(mpfr_tanh, x);
}

template <detail::full_number T>
T asinh(const T& x)
{
    return detail::by_mpfr<T>(mpfr_asinh, x);
}

template <detail::full_number T>
T acosh(const T& x)
{
    return detail::by_mpfr<T>(mpfr_acosh, x);
}

template <detail::full_number T>
T atanh(const T& x)
{
    return detail::by_mpfr<T>(mpfr_atanh, x);
}

template <detail::full_number T>
T cbrt(const T& x)
{
    return detail::by_mpfr<T>(mpfr_cbrt, x);
}

template <detail::full_number T>
T log10(const T& x)
{
    return detail::by_mpfr<T>(mpfr_log10, x);
}

template <detail::full_number T>
T log2(const T& x)
{
    return detail::by_mpfr<T>(mpfr_log2, x);
}

template <detail::full_number T>
T log1p(const T& x)
{
    return detail::by_mpfr<T>(mpfr_log1p, x);
}

template <detail::full_number T>
T expm1(const T& x)
{
    return detail::by_mpfr<T>(mpfr_expm1, x);
}

template <detail::full_number T>
T exp2(const T& x)
{
    return detail::by_mpfr<T>(mpfr_exp2, x);
}

template <detail::full_number T>
T erf(const T& x)
{
    return detail::by_mpfr<T>(mpfr_erf, x);
}

template <detail::full_number T>
T erfc(const T& x)
{
    return detail::by_mpfr<T>(mpfr_erfc, x);
}

template <detail::full_number T>
T tgamma(const T& x)
{
    return detail::by_mpfr<T>(mpfr_gamma, x);
}

/// Functions of two numbers: the angle of (x, y), sqrt(x^2 + y^2), x^y, the remainder of x / y with the sign of x,
/// and the one of the nearest quotient (ties to even).
template <class X, class Y>
    requires detail::numbers_of_call<X, Y>
detail::number_of_call<X, Y> atan2(const X& y, const Y& x)
{
    return detail::by_mpfr<detail::number_of_call<X, Y>>(mpfr_atan2, y, x);
}

template <class X, class Y>
    requires detail::numbers_of_call<X, Y>
detail::number_of_call<X, Y> hypot(const X& x, const Y& y)
{
    return detail::by_mpfr<detail::number_of_call<X, Y>>(mpfr_hypot, x, y);
}

template <class X, class Y>
    requires detail::numbers_of_call<X, Y>
detail::number_of_call<X, Y> pow(const X& x, const Y& y)
{
    return detail::by_mpfr<detail::number_of_call<X, Y>>(mpfr_pow, x, y);
}

template <class X, class Y>
    requires detail::numbers_of_call<X, Y>
detail::number_of_call<X, Y> fmod(const X& x, const Y& y)
{
    return detail::by_mpfr<detail::number_of_call<X, Y>>(mpfr_fmod, x, y);
}

template <class X, class Y>
    requires detail::numbers_of_call<X, Y>
detail::number_of_call<X, Y> remainder(const X& x, const Y& y)
{
    return detail::by_mpfr<detail::number_of_call<X, Y>>(mpfr_remainder, x, y);
}

}  // namespace residua
