#pragma once

#include <algorithm>
#include <complex>
#include <concepts>
#include <limits>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <residua/arith/expansion/convert.hpp>
#include <residua/arith/native/double.hpp>
#include <residua/arith/native/float.hpp>
#include <residua/arith/real/real.hpp>

namespace residua {

template <class T>
class complex_number;

/// x, exactly.
template <std::same_as<long double> T>
real to_real(T x)
{
    real exact(0.0, std::numeric_limits<long double>::digits);
    mpfr_set_ld(exact.mpfr(), x, MPFR_RNDN);
    return exact;
}

/// A number that `real` holds exactly: binary64, binary32, long double, an integer, an expansion, a multi-digit float, an RNS number.
template <class T>
concept exact_number = std::integral<T> || requires(const T& x) {
    {
        to_real(x)
    } -> std::convertible_to<real>;
};

/// A vector, span, array or other range of such numbers.
template <class R>
concept number_range = std::ranges::input_range<R> && exact_number<std::ranges::range_value_t<R>>;

/// The numbers of a range, exactly. A std::vector<real> that is moved here is what comes back.
template <number_range R>
std::vector<real> reals(R&& numbers)
{
    using value = std::ranges::range_value_t<R>;
    if constexpr (std::same_as<R, std::vector<real>>) {
        return std::forward<R>(numbers);
    } else {
        std::vector<real> all;
        if constexpr (std::ranges::sized_range<R>) {
            all.reserve(static_cast<std::size_t>(std::ranges::size(numbers)));
        }
        for (const auto& x : numbers) {
            if constexpr (std::integral<value>) {
                all.push_back(real(x));
            } else {
                all.push_back(to_real(x));
            }
        }
        return all;
    }
}

namespace detail {

template <class T>
inline constexpr bool is_exact_complex = false;
template <class T>
inline constexpr bool is_exact_complex<complex_number<T>> = exact_number<T>;
template <>
inline constexpr bool is_exact_complex<std::complex<double>> = true;

}  // namespace detail

/// A complex number whose parts `real` holds: std::complex<double>, or a complex_number of exact numbers.
template <class T>
concept exact_complex = detail::is_exact_complex<T>;

/// A vector, span, array or other range of such numbers.
template <class R>
concept complex_range = std::ranges::input_range<R> && exact_complex<std::ranges::range_value_t<R>>;

/// The real form of a vector, exactly.
template <complex_range R>
std::vector<real> real_form(const R& numbers)
{
    std::vector<real> form;
    for (const auto& z : numbers) {
        form.push_back(to_real(z.real()));
        form.push_back(to_real(z.imag()));
    }
    return form;
}

/// The real form of a real vector.
std::vector<real> with_zero_parts(std::vector<real> numbers);

/// The complex vector whose real form this is, in the numbers of arith/complex/complex.hpp.
///
/// throws  dimension_error if it has an odd number of numbers
std::vector<complex_number<real>> complex_numbers(std::span<const real> form);

/// A format that numbers can be rounded to one by one: double, float, expansion<double, N>.
template <class T>
concept rounding_target = requires(const real& x) {
    {
        from_real<T>(x)
    } -> std::same_as<T>;
};

/// x in the format T: to[i] = from_real<T>(x[i]).
///
/// errors  as from_real<T>; infinite beyond the range of T
/// throws  dimension_error if the sizes differ
template <rounding_target T>
void round_to(std::span<const real> x, std::span<T> to)
{
    if (x.size() != to.size()) {
        throw dimension_error("round_to: sizes differ: " + std::to_string(x.size()) + " numbers and room for " +
                              std::to_string(to.size()));
    }
    std::transform(x.begin(), x.end(), to.begin(), [](const real& each) { return from_real<T>(each); });
}

/// round_to() into a new vector: rounded_to<double>(result.x).
template <rounding_target T>
std::vector<T> rounded_to(std::span<const real> x)
{
    std::vector<T> all(x.size());
    round_to<T>(x, all);
    return all;
}

}  // namespace residua
