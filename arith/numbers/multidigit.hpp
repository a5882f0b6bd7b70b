#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <istream>
#include <limits>
#include <ostream>
#include <string>
#include <string_view>
#include <type_traits>

#include <residua/arith/base/number_traits.hpp>
#include <residua/arith/expansion/convert.hpp>
#include <residua/arith/multidigit/multidigit.hpp>
#include <residua/arith/multidigit/real.hpp>
#include <residua/arith/multidigit/sizes.hpp>
#include <residua/arith/numbers/hash.hpp>
#include <residua/arith/numbers/limits.hpp>
#include <residua/arith/numbers/stream.hpp>

namespace residua {

/// A multi-digit float of Bits bits as a number; host only. multidigit_number has its length at run time.
///
/// errors     + - * / sqrt and fma are correctly rounded to nearest even; comparisons are exact
/// range      2^(-2^31 + 15) to 2^(2^31 - 16). Text, hashes and the functions of numbers/functions.hpp go through real and
///            have its range: numbers beyond it count as infinite or zero there
/// specials   infinities and NaN as IEEE 754; zero has no sign
template <int Bits>
    requires(multidigit_least_bits <= Bits && Bits <= multidigit_most_bits)
class multidigit_fixed {
public:
    static constexpr int bits = Bits;
    using value_type = multidigit_float<std::uint64_t, multidigit_count<std::uint64_t>(Bits)>;

    /// Zero.
    constexpr multidigit_fixed() : value_{{}, detail::multidigit_zero_code, false} {}

    /// x, exactly: a double or an integer has 64 bits at most.
    template <class A>
        requires(std::is_arithmetic_v<A> && !std::same_as<A, long double>)
    multidigit_fixed(A x) : value_(of_plain(x))
    {}

    /// x, exactly where it has no more bits, else rounded.
    template <int Other>
        requires(Other != Bits)
    explicit(Other > Bits) multidigit_fixed(const multidigit_fixed<Other>& x) : value_(resized(x.value()))
    {}

    /// RN(x)
    explicit multidigit_fixed(const real& x) : value_(residua::from_real<std::uint64_t, value_type::digits>(x, Bits)) {}
    template <int N>
    explicit multidigit_fixed(const expansion<double, N>& x) : multidigit_fixed(to_real(x))
    {}

    /// The decimal, rounded; the grammar is that of real.
    ///
    /// throws  error with the text if it is no decimal, or beyond the range of real
    explicit multidigit_fixed(std::string_view decimal) : multidigit_fixed(real(decimal, Bits)) {}

    constexpr explicit multidigit_fixed(const value_type& value) : value_(value) {}

    constexpr const value_type& value() const { return value_; }

    /// RN(x)
    explicit operator double() const { return residua::to_double(value_); }

    multidigit_fixed& operator+=(const multidigit_fixed& y) { return *this = *this + y; }
    multidigit_fixed& operator-=(const multidigit_fixed& y) { return *this = *this - y; }
    multidigit_fixed& operator*=(const multidigit_fixed& y) { return *this = *this * y; }
    multidigit_fixed& operator/=(const multidigit_fixed& y) { return *this = *this / y; }

    friend multidigit_fixed operator+(const multidigit_fixed& x) { return x; }
    friend multidigit_fixed operator-(const multidigit_fixed& x) { return multidigit_fixed(negated(x.value_)); }
    friend multidigit_fixed operator+(const multidigit_fixed& x, const multidigit_fixed& y)
    {
        return multidigit_fixed(add(x.value_, y.value_, Bits));
    }
    friend multidigit_fixed operator-(const multidigit_fixed& x, const multidigit_fixed& y)
    {
        return multidigit_fixed(sub(x.value_, y.value_, Bits));
    }
    friend multidigit_fixed operator*(const multidigit_fixed& x, const multidigit_fixed& y)
    {
        return multidigit_fixed(mul(x.value_, y.value_, Bits));
    }
    friend multidigit_fixed operator/(const multidigit_fixed& x, const multidigit_fixed& y)
    {
        return multidigit_fixed(div(x.value_, y.value_, Bits));
    }

    /// By value; NaN is unordered.
    friend bool operator==(const multidigit_fixed& x, const multidigit_fixed& y) { return x.value_ == y.value_; }
    friend std::partial_ordering operator<=>(const multidigit_fixed& x, const multidigit_fixed& y)
    {
        if (is_nan(x.value_) || is_nan(y.value_)) {
            return std::partial_ordering::unordered;
        }
        return detail::compare(x.value_, y.value_) <=> 0;
    }

    friend multidigit_fixed sqrt(const multidigit_fixed& x) { return multidigit_fixed(sqrt(x.value_, Bits)); }
    friend multidigit_fixed abs(const multidigit_fixed& x) { return multidigit_fixed(abs(x.value_)); }
    /// x 2^k, exact within the range.
    friend multidigit_fixed ldexp(const multidigit_fixed& x, std::int64_t k)
    {
        return multidigit_fixed(ldexp(x.value_, k));
    }

    friend bool is_finite(const multidigit_fixed& x) { return is_finite(x.value_); }
    friend bool signbit(const multidigit_fixed& x) { return x.value_.negative; }
    friend double to_double(const multidigit_fixed& x) { return to_double(x.value_); }
    friend real to_real(const multidigit_fixed& x) { return to_real(x.value_); }

    /// As of a real: digits that read back as x, and significant_digits digits, rounded correctly.
    friend std::string to_string(const multidigit_fixed& x) { return to_string(to_real(x).with_precision(Bits)); }
    friend std::string to_string(const multidigit_fixed& x, int significant_digits)
    {
        return to_string(to_real(x), significant_digits);
    }

    friend std::ostream& operator<<(std::ostream& out, const multidigit_fixed& x) { return out << to_string(x); }
    friend std::istream& operator>>(std::istream& in, multidigit_fixed& x)
    {
        return detail::read_into(in, x, [](const std::string& text) { return multidigit_fixed(text); });
    }

private:
    template <class A>
    static value_type of_plain(A x)
    {
        if constexpr (std::is_floating_point_v<A>) {
            return to_multidigit<std::uint64_t, value_type::digits>(static_cast<double>(x));
        } else {
            const bool negative = x < A{};
            const auto word = static_cast<std::uint64_t>(x);
            const std::uint64_t magnitude = negative ? 0 - word : word;
            if (magnitude == 0) {
                return multidigit_fixed{}.value_;
            }
            const int zeros = detail::leading_zeros(magnitude);
            return detail::from_top<std::uint64_t, value_type::digits>(magnitude << zeros, 64 - zeros, negative);
        }
    }

    /// x without its exponent goes through real, whose range is smaller.
    template <int N>
    static value_type resized(multidigit_float<std::uint64_t, N> x)
    {
        if (!detail::is_regular(x.exponent)) {
            return {{}, x.exponent, x.negative};
        }
        const std::int32_t exponent = x.exponent;
        x.exponent = 0;
        return ldexp(residua::from_real<std::uint64_t, value_type::digits>(to_real(x), Bits), exponent);
    }

    value_type value_;
};

namespace detail {

template <class T>
inline constexpr bool is_multidigit_fixed = false;
template <int Bits>
inline constexpr bool is_multidigit_fixed<multidigit_fixed<Bits>> = true;

}  // namespace detail

/// RN(x)
template <class T>
    requires detail::is_multidigit_fixed<T>
T from_real(const real& x)
{
    return T(x);
}

/// RN of the decimal, as the constructor reads it.
template <class T>
    requires detail::is_multidigit_fixed<T>
T from_string(std::string_view text)
{
    return T(text);
}

template <int Bits>
struct number_traits<multidigit_fixed<Bits>> {
    static constexpr int precision_bits = Bits;
};

}  // namespace residua

template <int Bits>
struct std::hash<residua::multidigit_fixed<Bits>> {
    std::size_t operator()(const residua::multidigit_fixed<Bits>& x) const
    {
        return residua::detail::hash_of(to_real(x));
    }
};

/// min() and max() are those of real. Between them operations, text and functions all work.
template <int Bits>
class std::numeric_limits<residua::multidigit_fixed<Bits>> : public residua::detail::common_limits {
    using number = residua::multidigit_fixed<Bits>;
    using value_type = typename number::value_type;

    static constexpr number special(std::int32_t code) { return number(value_type{{}, code, false}); }
    static constexpr number power(std::int32_t exponent)
    {
        value_type x{{}, exponent + 1, false};
        x.d[value_type::digits - 1] = std::uint64_t{1} << 63;
        return number(x);
    }

public:
    static constexpr float_denorm_style has_denorm = denorm_absent;
    static constexpr float_round_style round_style = round_to_nearest;
    static constexpr int digits = Bits;
    static constexpr int digits10 = static_cast<int>((Bits - 1) * 0.30102999566398120);
    static constexpr int max_digits10 = static_cast<int>(Bits * 0.30102999566398120) + 2;
    static constexpr int min_exponent = -0x3fffffff;
    static constexpr int max_exponent = 0x3fffffff;
    static constexpr int min_exponent10 = static_cast<int>((min_exponent - 1) * 0.30102999566398120);
    static constexpr int max_exponent10 = static_cast<int>(max_exponent * 0.30102999566398120);

    static constexpr number min() noexcept { return power(min_exponent - 1); }
    static constexpr number max() noexcept
    {
        value_type x{{}, max_exponent, false};
        for (std::uint64_t& d : x.d) {
            d = ~std::uint64_t{0};
        }
        x.d[0] <<= 64 * value_type::digits - Bits;
        return number(x);
    }
    static constexpr number lowest() noexcept
    {
        value_type x = max().value();
        x.negative = true;
        return number(x);
    }
    static constexpr number epsilon() noexcept { return power(1 - Bits); }
    static constexpr number round_error() noexcept { return power(-1); }
    static constexpr number infinity() noexcept { return special(residua::detail::multidigit_infinity_code); }
    static constexpr number quiet_NaN() noexcept { return special(residua::detail::multidigit_nan_code); }
    static constexpr number signaling_NaN() noexcept { return quiet_NaN(); }
    static constexpr number denorm_min() noexcept { return min(); }
};
