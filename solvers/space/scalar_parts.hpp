#pragma once

/// What methods ask of a scalar that may be real or complex. A real number is its own real part and its own conjugate.
namespace residua {

template <class T>
class complex_number;

namespace detail {

template <class T>
struct real_type_of {
    using type = T;
};
template <class T>
struct real_type_of<complex_number<T>> {
    using type = T;
};

}  // namespace detail

/// The type of the parts of a scalar: T itself, or that of both parts of a complex number.
template <class T>
using real_type = typename detail::real_type_of<T>::type;

template <class T>
T real_part(const T& a)
{
    return a;
}
template <class T>
T real_part(const complex_number<T>& a)
{
    return a.real();
}

template <class T>
T conjugate(const T& a)
{
    return a;
}
template <class T>
complex_number<T> conjugate(const complex_number<T>& a)
{
    return conj(a);
}

/// |a|^2
///
/// errors  as a product of real numbers, or norm() of complex ones
template <class T>
T squared_magnitude(const T& a)
{
    return a * a;
}
template <class T>
T squared_magnitude(const complex_number<T>& a)
{
    return norm(a);
}

/// The number of the direction of a whose absolute value is `length`; `length` itself where a = 0.
///
/// errors  none for a real a; else those of abs(), a quotient and a product
template <class T>
T with_magnitude(const T& a, const T& length)
{
    const T zero = a - a;  // NOLINT(misc-redundant-expression): of the number's own precision
    return a < zero ? -length : length;
}
template <class T>
complex_number<T> with_magnitude(const complex_number<T>& a, const T& length)
{
    const T size = abs(a);
    const T zero = size - size;  // NOLINT(misc-redundant-expression)
    return size == zero ? complex_number<T>(length) : a / size * length;
}

}  // namespace residua
