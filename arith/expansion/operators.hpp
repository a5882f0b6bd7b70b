#pragma once

#include <compare>
#include <concepts>
#include <type_traits>

#include <residua/arith/expansion/expansion.hpp>
#include <residua/arith/expansion/resize.hpp>

/// What an expansion needs beside its arithmetic to behave like a number: compound assignments, operands that are
/// integers of 64 bits, and a three-way comparison. With expansion.hpp alone such integers are rounded to binary64.
namespace residua {

namespace detail {

template <class I>
concept long_integer = std::integral<I> && (sizeof(I) > 4);

template <class A>
concept operand_of_expansion = std::is_arithmetic_v<A> && !std::same_as<A, long double>;

/// f(x, n), by the binary64 overload where that holds n.
template <int N, long_integer I, class F>
RESIDUA_HD auto with_integer(const expansion<double, N>& x, I n, const F& f)
{
    const expansion<double, N> y{n};
    return y.t[1] == 0.0 ? f(x, y.t[0]) : f(x, y);
}

}  // namespace detail

/// The integer counts exactly; errors as with a double, or as with an expansion where a double does not hold it.
template <int N, detail::long_integer I>
RESIDUA_HD expansion<double, N> operator+(const expansion<double, N>& x, I n)
{
    return detail::with_integer(x, n, [](const auto& a, const auto& b) { return a + b; });
}

template <int N, detail::long_integer I>
RESIDUA_HD expansion<double, N> operator+(I n, const expansion<double, N>& x)
{
    return x + n;
}

template <int N, detail::long_integer I>
RESIDUA_HD expansion<double, N> operator-(const expansion<double, N>& x, I n)
{
    return detail::with_integer(x, n, [](const auto& a, const auto& b) { return a - b; });
}

template <int N, detail::long_integer I>
RESIDUA_HD expansion<double, N> operator-(I n, const expansion<double, N>& x)
{
    return -x + n;
}

template <int N, detail::long_integer I>
RESIDUA_HD expansion<double, N> operator*(const expansion<double, N>& x, I n)
{
    return detail::with_integer(x, n, [](const auto& a, const auto& b) { return a * b; });
}

template <int N, detail::long_integer I>
RESIDUA_HD expansion<double, N> operator*(I n, const expansion<double, N>& x)
{
    return x * n;
}

template <int N, detail::long_integer I>
RESIDUA_HD expansion<double, N> operator/(const expansion<double, N>& x, I n)
{
    return detail::with_integer(x, n, [](const auto& a, const auto& b) { return a / b; });
}

template <int N, detail::long_integer I>
RESIDUA_HD expansion<double, N> operator/(I n, const expansion<double, N>& x)
{
    return expansion<double, N>{n} / x;
}

/// x <- x + y and the other compound assignments, with the bits of the operation on two numbers.
template <int N, class Y>
    requires detail::operand_of_expansion<Y> || std::same_as<Y, expansion<double, N>>
RESIDUA_HD expansion<double, N>& operator+=(expansion<double, N>& x, const Y& y)
{
    return x = x + y;
}

template <int N, class Y>
    requires detail::operand_of_expansion<Y> || std::same_as<Y, expansion<double, N>>
RESIDUA_HD expansion<double, N>& operator-=(expansion<double, N>& x, const Y& y)
{
    return x = x - y;
}

template <int N, class Y>
    requires detail::operand_of_expansion<Y> || std::same_as<Y, expansion<double, N>>
RESIDUA_HD expansion<double, N>& operator*=(expansion<double, N>& x, const Y& y)
{
    return x = x * y;
}

template <int N, class Y>
    requires detail::operand_of_expansion<Y> || std::same_as<Y, expansion<double, N>>
RESIDUA_HD expansion<double, N>& operator/=(expansion<double, N>& x, const Y& y)
{
    return x = x / y;
}

/// By value, exact; NaN is unordered.
template <int N, class Y>
    requires detail::operand_of_expansion<Y> || std::same_as<Y, expansion<double, N>>
std::partial_ordering operator<=>(const expansion<double, N>& x, const Y& y)
{
    if constexpr (detail::long_integer<Y>) {
        return x <=> expansion<double, N>{y};
    } else if constexpr (std::is_arithmetic_v<Y>) {
        return detail::signed_difference(x, static_cast<double>(y)) <=> 0.0;
    } else {
        return detail::signed_difference(x, y) <=> 0.0;
    }
}

/// By value, exact.
template <int N, detail::long_integer I>
RESIDUA_HD bool operator==(const expansion<double, N>& x, I n)
{
    return x == expansion<double, N>{n};
}

}  // namespace residua
