#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include <residua/arith/complex/functions.hpp>
#include <residua/arith/complex/multidigit.hpp>
#include <residua/arith/multidigit/number.hpp>
#include <residua/arith/numbers/functions.hpp>
#include <residua/arith/numbers/multidigit.hpp>
#include <residua/arith/real/real.hpp>
#include <residua/arith/rns/number.hpp>

/// The parts of complex numbers that are on the host alone: complex_part says what each has.
namespace residua {

namespace detail {

/// What is the same for the formats with a range beyond that of binary64.
template <class T>
struct wide_complex_part {
    static constexpr int centre = 0;

    static T scaled(const T& x, std::int64_t k) { return ldexp(x, k); }
};

}  // namespace detail

template <int Bits>
struct complex_part<multidigit_fixed<Bits>> : detail::wide_complex_part<multidigit_fixed<Bits>> {
    using number = multidigit_fixed<Bits>;
    static constexpr part_bounds bounds{1.0, 1.0, false, 1.0, 1.0};

    static number like(const number&, double d) { return {d}; }
    static number sum_of_products(const number& a, const number& b, const number& c, const number& d)
    {
        return number(residua::sum_of_products(a.value(), b.value(), c.value(), d.value(), Bits));
    }
    static std::int64_t exponent(const number& x) { return x.value().exponent; }
    static bool is_negative(const number& x) { return x.value().negative; }
};

template <>
struct complex_part<multidigit_number> : detail::wide_complex_part<multidigit_number> {
    static constexpr part_bounds bounds{1.0, 1.0, false, 1.0, 1.0};

    static multidigit_number like(const multidigit_number& x, double d) { return {x.format(), d}; }
    /// throws  error if they have different formats
    static multidigit_number sum_of_products(const multidigit_number& a, const multidigit_number& b,
                                             const multidigit_number& c, const multidigit_number& d);
    static std::int64_t exponent(const multidigit_number& x) { return x.value().exponent; }
    static bool is_negative(const multidigit_number& x) { return x.value().negative; }
};

/// Each product is rounded, and the sum.
template <>
struct complex_part<rns_number> : detail::wide_complex_part<rns_number> {
    static constexpr part_bounds bounds{1.0, 2.0, true, 1.0, 1.0};

    static rns_number like(const rns_number& x, double d) { return {x.format(), d}; }
    static rns_number sum_of_products(const rns_number& a, const rns_number& b, const rns_number& c,
                                      const rns_number& d)
    {
        return a * b + c * d;
    }
    static std::int64_t exponent(const rns_number& x) { return residua::exponent(to_real(x)); }
    static bool is_negative(const rns_number& x) { return x.value().negative && !is_zero(x.value()); }
};

/// At the greatest precision of the operands.
template <>
struct complex_part<residua::real> : detail::wide_complex_part<residua::real> {
    static constexpr part_bounds bounds{1.0, 1.0, false, 1.0, 1.0};

    static residua::real like(const residua::real& x, double d) { return {d, x.precision()}; }
    static residua::real sum_of_products(const residua::real& a, const residua::real& b, const residua::real& c,
                                         const residua::real& d)
    {
        residua::real r(0.0, std::max({a.precision(), b.precision(), c.precision(), d.precision()}));
        mpfr_fmma(r.mpfr(), a.mpfr(), b.mpfr(), c.mpfr(), d.mpfr(), MPFR_RNDN);
        return r;
    }
    static std::int64_t exponent(const residua::real& x) { return residua::exponent(x); }
    static bool is_negative(const residua::real& x) { return signbit(x); }
};

/// The angle of z, in [-pi, pi], as atan2(im, re); for binary64, expansions, multidigit_fixed and real.
///
/// errors  as a function of numbers/functions.hpp; binary64: correctly rounded
template <class T>
    requires std::same_as<T, double> || detail::full_number<T>
T arg(const complex_number<T>& z)
{
    if constexpr (std::same_as<T, double>) {
        return to_double(atan2(to_real(z.imag()), to_real(z.real())));
    } else {
        return atan2(z.imag(), z.real());
    }
}

}  // namespace residua
