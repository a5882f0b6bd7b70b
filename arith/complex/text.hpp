#pragma once

#include <concepts>
#include <ostream>
#include <string>
#include <string_view>

#include <residua/arith/complex/host_parts.hpp>
#include <residua/arith/expansion/convert.hpp>

/// Complex numbers from and to text: "(re,im)", as std::complex has it, each part in the text of its format; host only.
namespace residua {

namespace detail {

template <class T>
inline constexpr bool is_complex = false;
template <class T>
inline constexpr bool is_complex<complex_number<T>> = true;

/// The two parts of "(re,im)".
struct complex_text {
    std::string_view re;
    std::string_view im;
};

/// throws  error with the text if it is not "(", two parts with a comma between them, and ")", without blanks
complex_text parts_of_text(std::string_view text);

/// throws  error if it is no decimal, or overflows
double binary64_of_text(std::string_view decimal);

/// The number whose shortest text reads back as the part.
template <class T>
const T& text_value(const T& x)
{
    return x;
}
inline real text_value(const multidigit_number& x) { return to_real(x); }
real text_value(const rns_number& x);

}  // namespace detail

/// "(re,im)" with decimals that read back as z: "(1.5e+00,-2e-03)"; and "inf" and "nan", which do not.
template <class T>
std::string to_string(const complex_number<T>& z)
{
    return "(" + to_string(detail::text_value(z.real())) + "," + to_string(detail::text_value(z.imag())) + ")";
}

/// The same with each part rounded correctly to `significant_digits` decimal digits.
///
/// throws  error if significant_digits < 1
template <class T>
std::string to_string(const complex_number<T>& z, int significant_digits)
{
    return "(" + to_string(detail::text_value(z.real()), significant_digits) + "," +
           to_string(detail::text_value(z.imag()), significant_digits) + ")";
}

/// The number "(re,im)" whose parts are read(re) and read(im): for formats that are chosen at run time, and for real.
///
/// throws  error as detail::parts_of_text, and what read throws
template <class F>
auto read_complex(std::string_view text, const F& read)
{
    const detail::complex_text parts = detail::parts_of_text(text);
    return complex_number(read(parts.re), read(parts.im));
}

/// The number "(re,im)", each part rounded correctly to its format.
///
/// throws  error if it is not of this form, a part is no decimal in the grammar of real(text, bits), or is out of range
template <class C>
    requires detail::is_complex<C>
C from_string(std::string_view text)
{
    using T = typename C::value_type;
    return read_complex(text, [](std::string_view part) {
        if constexpr (std::same_as<T, double>) {
            return detail::binary64_of_text(part);
        } else {
            return from_string<T>(part);
        }
    });
}

template <class T>
std::ostream& operator<<(std::ostream& out, const complex_number<T>& z)
{
    return out << to_string(z);
}

}  // namespace residua
