#pragma once

#include <string>

#include <residua/arith/real/real.hpp>
#include <residua/arith/rns/type.hpp>

namespace residua {

/// A precision of RNS floats chosen at run time: a set of moduli. Cheap to copy.
class rns_format {
public:
    using set_type = rns_set<rns_most_moduli>;

    /// The smallest set with a precision of at least `bits` bits.
    ///
    /// throws  unsupported_error unless 1 <= bits <= most_bits
    explicit rns_format(long bits);

    /// The highest precision, in bits.
    static constexpr long most_bits = rns_precision(rns_most_moduli);

    const set_type& set() const { return *set_; }
    int count() const { return set_->constants.count; }
    long precision_bits() const { return rns_precision(count()); }

    /// What one number takes in an array, in bytes.
    double bytes() const { return 4.0 * count() + 16.0; }

    friend bool operator==(const rns_format& a, const rns_format& b) { return a.set_ == b.set_; }

private:
    const set_type* set_;
};

/// A number of a format chosen at run time, on the host: what vectors and matrices of rns are made of.
///
/// Operations on two numbers need one format for both; they have the errors of arith/rns.
class rns_number {
public:
    using value_type = rns_float<rns_most_moduli>;

    /// Zero.
    explicit rns_number(rns_format format);
    /// d, exactly, or rounded if the format has fewer than 53 bits.
    rns_number(rns_format format, double d);
    /// x rounded to nearest; not finite beyond the range
    rns_number(rns_format format, const real& x);
    rns_number(rns_format format, const value_type& value) : format_(format), value_(value) {}

    rns_format format() const { return format_; }
    const value_type& value() const { return value_; }

    friend rns_number operator+(const rns_number& a, const rns_number& b);
    friend rns_number operator-(const rns_number& a, const rns_number& b);
    friend rns_number operator*(const rns_number& a, const rns_number& b);
    friend rns_number operator/(const rns_number& a, const rns_number& b);
    friend rns_number operator-(const rns_number& a);
    friend bool operator<(const rns_number& a, const rns_number& b);  ///< false if one is not finite
    friend bool operator==(const rns_number& a, const rns_number& b);

    friend rns_number sqrt(const rns_number& a);
    friend rns_number abs(const rns_number& a);
    friend rns_number ldexp(const rns_number& a, long k);  ///< exact
    friend bool is_finite(const rns_number& a);
    friend double to_double(const rns_number& a);  ///< to nearest
    friend real to_real(const rns_number& a);      ///< exact
    /// The e of a = m 2^e, 1/2 <= |m| < 1; a != 0, finite.
    friend long exponent(const rns_number& a);

private:
    rns_format format_;
    value_type value_;
};

}  // namespace residua
