#pragma once

#include <cstdint>

#include <residua/arith/multidigit/type.hpp>
#include <residua/arith/real/real.hpp>

namespace residua {

/// A precision of multi-digit floats chosen at run time.
class multidigit_format {
public:
    /// throws  unsupported_error unless multidigit_least_bits <= bits <= multidigit_most_bits
    explicit multidigit_format(long bits);

    /// The highest precision, in bits.
    static constexpr long most_bits = multidigit_most_bits;

    int bits() const { return bits_; }
    long precision_bits() const { return bits_; }

    /// Digits of 32 bits, as arrays have them.
    int digits() const { return (bits_ + 31) / 32; }

    /// The bytes that one number takes in an array.
    double bytes() const { return 4.0 * digits() + 4.0; }

    friend bool operator==(const multidigit_format& a, const multidigit_format& b) { return a.bits_ == b.bits_; }

private:
    int bits_;
};

/// A number of a format chosen at run time, on the host: what vectors and matrices of multidigit are made of.
///
/// Operations on two numbers need one format for both. They are correctly rounded, as operations on multidigit_float.
class multidigit_number {
public:
    /// A number of the highest precision; lower precisions have zeros in the lower digits.
    using value_type = multidigit_float<std::uint64_t, multidigit_most_bits / 64>;

    /// Zero.
    explicit multidigit_number(multidigit_format format);
    /// d, exactly.
    multidigit_number(multidigit_format format, double d);
    /// x rounded to nearest even.
    multidigit_number(multidigit_format format, const real& x);
    multidigit_number(multidigit_format format, const value_type& value) : format_(format), value_(value) {}

    multidigit_format format() const { return format_; }
    const value_type& value() const { return value_; }

    friend multidigit_number operator+(const multidigit_number& a, const multidigit_number& b);
    friend multidigit_number operator-(const multidigit_number& a, const multidigit_number& b);
    friend multidigit_number operator*(const multidigit_number& a, const multidigit_number& b);
    friend multidigit_number operator/(const multidigit_number& a, const multidigit_number& b);
    friend multidigit_number operator-(const multidigit_number& a);
    friend bool operator<(const multidigit_number& a, const multidigit_number& b);  ///< false if one is NaN
    friend bool operator==(const multidigit_number& a, const multidigit_number& b);

    friend multidigit_number sqrt(const multidigit_number& a);
    friend multidigit_number abs(const multidigit_number& a);
    friend multidigit_number ldexp(const multidigit_number& a, long k);
    friend bool is_finite(const multidigit_number& a);
    friend double to_double(const multidigit_number& a);  ///< to nearest even
    friend real to_real(const multidigit_number& a);      ///< exact; infinite or zero beyond the range of real
    /// The e of a = m 2^e, 1/2 <= |m| < 1; a != 0, finite.
    friend long exponent(const multidigit_number& a);

private:
    multidigit_format format_;
    value_type value_;
};

}  // namespace residua
