#pragma once

#include <cstdint>

#include <residua/arith/complex/type.hpp>

/// Quotients and functions of complex numbers, for host and device as their parts are. complex_number has the errors
/// of quotients, bounds_of_complex() all constants.
namespace residua {

namespace detail {

/// The k with which the larger part of 2^k z has the exponent `wanted`; 0 if z is 0 or not finite.
template <class T>
RESIDUA_HD std::int64_t scale_of_complex(const T& a, const T& b, int wanted = complex_part<T>::centre)
{
    using part = complex_part<T>;
    const T zero = part::like(a, 0.0);
    if (!is_finite(a) || !is_finite(b) || (a == zero && b == zero)) {
        return 0;
    }
    const std::int64_t of_a = part::exponent(a);
    const std::int64_t of_b = part::exponent(b);
    return wanted - (of_a < of_b ? of_b : of_a);
}

/// The absolute value of a number whose scale is 0; one that is not finite if a part is not.
template <class T>
RESIDUA_HD T root_of_squares(const T& a, const T& b)
{
    if (!is_finite(a) || !is_finite(b)) {
        return abs(a) + abs(b);
    }
    return sqrt(complex_part<T>::sum_of_products(a, a, b, b));
}

/// (a + i b) / (c + i d), of operands whose quotient has the exponent `centre` as well: a part of it that is much
/// smaller than the other one loses nothing.
template <class T>
RESIDUA_HD_LONG complex_number<T> complex_quotient(const T& a, const T& b, const T& c, const T& d)
{
    using part = complex_part<T>;
    const std::int64_t up = scale_of_complex(a, b, 2 * part::centre);
    const std::int64_t up_below = scale_of_complex(c, d);
    const T p = part::scaled(a, up);
    const T q = part::scaled(b, up);
    const T r = part::scaled(c, up_below);
    const T s = part::scaled(d, up_below);
    const T square = part::sum_of_products(r, r, s, s);
    return {part::scaled(part::sum_of_products(p, r, q, s) / square, up_below - up),
            part::scaled(part::sum_of_products(q, r, -p, s) / square, up_below - up)};
}

}  // namespace detail

/// |z|^2 = re^2 + im^2
///
/// errors  complex_bounds::norm u, relative: 2u in binary64
/// range   that of the squares
template <class T>
RESIDUA_HD T norm(const complex_number<T>& z)
{
    return complex_part<T>::sum_of_products(z.real(), z.real(), z.imag(), z.imag());
}

/// |z|, scaled so that no square overflows or underflows
///
/// errors    complex_bounds::abs u, relative: 2u in binary64; and N 2^-1074 in binary64 and expansions of N terms
/// specials  not finite if a part is not
template <class T>
RESIDUA_HD_LONG T abs(const complex_number<T>& z)
{
    using part = complex_part<T>;
    const std::int64_t up = detail::scale_of_complex(z.real(), z.imag());
    return part::scaled(detail::root_of_squares(part::scaled(z.real(), up), part::scaled(z.imag(), up)), -up);
}

/// 2^k z, part by part; exact in range.
template <class T>
RESIDUA_HD complex_number<T> ldexp(const complex_number<T>& z, std::int64_t k)
{
    return {complex_part<T>::scaled(z.real(), k), complex_part<T>::scaled(z.imag(), k)};
}

/// The square root of z with a real part that is not negative, of two imaginary ones the one with the sign of im(z).
///
/// From r = sqrt((|re| + |z|) / 2) and im / (2 r), in which nothing cancels; scaled as abs(z).
/// errors    complex_bounds::root u, relative, in each part: 3.5u in binary64; and N 2^-1074 as of abs(z)
/// specials  the branch cut is the negative real axis, continuous with the sign bit of im: the root of -1 + 0i is +i,
///           of -1 - 0i it is -i, and that of +-0 + i im with a zero im is +0 + i im. Zeros of multi-digit and RNS
///           floats have no sign and count as +0. Not finite in a part if z is not finite
/// from      [Kah87]
template <class T>
RESIDUA_HD_LONG complex_number<T> sqrt(const complex_number<T>& z)
{
    using part = complex_part<T>;
    const T zero = part::like(z.real(), 0.0);
    if (z.real() == zero && z.imag() == zero) {
        return {zero, z.imag()};
    }
    std::int64_t up = detail::scale_of_complex(z.real(), z.imag());
    up -= up % 2;
    const T a = abs(part::scaled(z.real(), up));
    const T b = part::scaled(z.imag(), up);
    // r has the exponent `centre` too, so that long expansions keep their terms.
    const T r = sqrt(part::scaled(a + detail::root_of_squares(a, b), part::centre - 1));
    const std::int64_t down = -(up + part::centre) / 2;
    const T large = part::scaled(r, down);
    T small = z.imag();
    if (!(small == zero)) {
        // An imaginary part that scaling upwards keeps exact is divided there; downwards it might lose bits.
        small = up >= 0 ? part::scaled(part::scaled(b, part::centre) / part::scaled(r, 1), down)
                        : z.imag() / part::scaled(large, 1);
    }
    if (!part::is_negative(z.real())) {
        return {large, small};
    }
    return {abs(small), part::is_negative(z.imag()) ? -large : large};
}

}  // namespace residua
