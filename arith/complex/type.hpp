#pragma once

#include <complex>
#include <concepts>
#include <type_traits>

#include <residua/arith/complex/part.hpp>

namespace residua {

template <class T>
class complex_number;

namespace detail {

template <class T>
RESIDUA_HD_LONG complex_number<T> complex_quotient(const T& a, const T& b, const T& c, const T& d);

}  // namespace detail

/// re + i im with two parts of one format, as they come: nothing else is stored.
///
/// errors    in units of the u of the part, bounds_of_complex(complex_part<T>::bounds) has the constants:
///             z + w     each part as a sum of T
///             z t, z/t  each part as a product or quotient of T, for a t of type T
///             z w       each part is one sum of two products. binary64: 2u relative; multi-digit floats and
///                       `real`: rounded correctly, once; expansions and RNS floats: relative to |a c| + |b d|,
///                       and |a d| + |b c|. Of |z w| the whole is off by sqrt(2) times as much at most
///             z / w     (a c + b d) / |w|^2 and (b c - a d) / |w|^2 of scaled operands: no overflow or underflow
///                       on the way to a result in range. binary64: 5u and 13 u^2 in each part; multi-digit floats and
///                       `real`: 3u. In binary64 and expansions 2^-1300 |z / w| and N 2^-1074 more
/// range     of z w: that of the products of T, also where they cancel
/// specials  an operand that is not finite, and a divisor zero, make one part at least infinite or NaN; which one is
///           not said. A quotient by a real t has the quotients of both parts. Zeros have the signs that T's operations give
/// from      z w: [Jea16], [BPZ07], [JKLM17]; z / w: [JLM13], [Pri04]; docs/format-complex.md
template <class T>
class complex_number {
    using part = complex_part<T>;

public:
    using value_type = T;

    /// Zero.
    constexpr complex_number() = default;

    RESIDUA_HD complex_number(const T& re) : re_(re), im_(part::like(re, 0.0)) {}
    RESIDUA_HD constexpr complex_number(const T& re, const T& im) : re_(re), im_(im) {}

    /// Both parts converted, as T is made of U.
    template <class U>
        requires(!std::same_as<U, T> && std::constructible_from<T, U>)
    RESIDUA_HD constexpr explicit(!std::convertible_to<U, T>) complex_number(const complex_number<U>& z)
        : re_(z.real()), im_(z.imag())
    {}

    /// Exact.
    template <std::same_as<double> D>
        requires std::constructible_from<T, D>
    complex_number(const std::complex<D>& z) : re_(z.real()), im_(z.imag())
    {}

    /// Both parts rounded to nearest.
    explicit operator std::complex<double>() const { return {to_double(re_), to_double(im_)}; }

    RESIDUA_HD constexpr const T& real() const { return re_; }
    RESIDUA_HD constexpr const T& imag() const { return im_; }

    friend RESIDUA_HD complex_number operator+(const complex_number& z) { return z; }
    friend RESIDUA_HD complex_number operator-(const complex_number& z) { return {-z.re_, -z.im_}; }

    /// re - i im, exactly.
    friend RESIDUA_HD complex_number conj(const complex_number& z) { return {z.re_, -z.im_}; }

    friend RESIDUA_HD complex_number operator+(const complex_number& z, const complex_number& w)
    {
        return {z.re_ + w.re_, z.im_ + w.im_};
    }
    friend RESIDUA_HD complex_number operator+(const complex_number& z, const T& t) { return {z.re_ + t, z.im_}; }
    friend RESIDUA_HD complex_number operator+(const T& t, const complex_number& z) { return {t + z.re_, z.im_}; }

    friend RESIDUA_HD complex_number operator-(const complex_number& z, const complex_number& w)
    {
        return {z.re_ - w.re_, z.im_ - w.im_};
    }
    friend RESIDUA_HD complex_number operator-(const complex_number& z, const T& t) { return {z.re_ - t, z.im_}; }
    friend RESIDUA_HD complex_number operator-(const T& t, const complex_number& z) { return {t - z.re_, -z.im_}; }

    friend RESIDUA_HD complex_number operator*(const complex_number& z, const complex_number& w)
    {
        return {part::sum_of_products(z.re_, w.re_, -z.im_, w.im_), part::sum_of_products(z.re_, w.im_, z.im_, w.re_)};
    }
    friend RESIDUA_HD complex_number operator*(const complex_number& z, const T& t) { return {z.re_ * t, z.im_ * t}; }
    friend RESIDUA_HD complex_number operator*(const T& t, const complex_number& z) { return {t * z.re_, t * z.im_}; }

    friend RESIDUA_HD complex_number operator/(const complex_number& z, const complex_number& w)
    {
        return detail::complex_quotient(z.re_, z.im_, w.re_, w.im_);
    }
    friend RESIDUA_HD complex_number operator/(const complex_number& z, const T& t) { return {z.re_ / t, z.im_ / t}; }
    friend RESIDUA_HD complex_number operator/(const T& t, const complex_number& w) { return complex_number(t) / w; }

    template <class Y>
    RESIDUA_HD complex_number& operator+=(const Y& y)
    {
        return *this = *this + y;
    }
    template <class Y>
    RESIDUA_HD complex_number& operator-=(const Y& y)
    {
        return *this = *this - y;
    }
    template <class Y>
    RESIDUA_HD complex_number& operator*=(const Y& y)
    {
        return *this = *this * y;
    }
    template <class Y>
    RESIDUA_HD complex_number& operator/=(const Y& y)
    {
        return *this = *this / y;
    }

    /// By value, exact; false if a part is NaN. Complex numbers have no order.
    friend RESIDUA_HD bool operator==(const complex_number& z, const complex_number& w)
    {
        return z.re_ == w.re_ && z.im_ == w.im_;
    }
    friend RESIDUA_HD bool operator==(const complex_number& z, const T& t) { return z == complex_number(t); }

    /// Neither part is infinite or NaN.
    friend RESIDUA_HD bool is_finite(const complex_number& z) { return is_finite(z.re_) && is_finite(z.im_); }

private:
    T re_{};
    T im_{};
};

}  // namespace residua
