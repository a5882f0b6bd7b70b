#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

#include <gtest/gtest.h>

#include <residua/arith/complex/complex.hpp>

#include "tests/support/biased_random.hpp"
#include "tests/support/scale.hpp"

namespace residua::testing {

/// Bits with which sums of two products of all numbers of the tests are exact, and quotients and roots nearly so.
inline constexpr long oracle_bits = 10'000;

inline real in_full(const real& x) { return x.with_precision(std::max(oracle_bits, x.precision())); }

template <class T>
real in_full(const T& x)
{
    return in_full(to_real(x));
}

/// A complex number, or the bounds of its parts, in MPFR.
struct real_pair {
    real re;
    real im;
};

template <class T>
real_pair in_full(const complex_number<T>& z)
{
    return {in_full(z.real()), in_full(z.imag())};
}

inline real_pair exact_product(const real_pair& z, const real_pair& w)
{
    return {z.re * w.re - z.im * w.im, z.re * w.im + z.im * w.re};
}

inline real exact_norm(const real_pair& z) { return z.re * z.re + z.im * z.im; }
inline real exact_abs(const real_pair& z) { return sqrt(exact_norm(z)); }

inline real_pair exact_quotient(const real_pair& z, const real_pair& w)
{
    const real_pair p = exact_product(z, {w.re, -w.im});
    const real below = exact_norm(w);
    return {p.re / below, p.im / below};
}

/// The principal root; z is not 0.
inline real_pair exact_root(const real_pair& z)
{
    const real large = sqrt(ldexp(exact_abs(z) + abs(z.re), -1));
    const real small = abs(z.im) / ldexp(large, 1);
    const bool right = !signbit(z.re);
    const real im = right ? small : large;
    return {right ? large : small, signbit(z.im) ? -im : im};
}

/// What a test of a type of parts needs beside the type.
template <class T>
struct part_kind {
    static constexpr bool is_binary64 = std::is_same_v<T, double>;
    static constexpr bool in_range_of_binary64 = true;
    static constexpr int bits = number_traits<T>::precision_bits;
    static T make(const real& x) { return from_real<T>(x); }
    static int terms() { return number_traits<T>::terms; }
};
template <int Bits>
struct part_kind<multidigit_fixed<Bits>> {
    using T = multidigit_fixed<Bits>;
    static constexpr bool is_binary64 = false;
    static constexpr bool in_range_of_binary64 = false;
    static constexpr int bits = Bits;
    static constexpr long least = -1'000'000'000;  // of exponents
    static T make(const real& x) { return T(x); }
    static int terms() { return 0; }
};
template <>
struct part_kind<multidigit_number> : part_kind<multidigit_fixed<300>> {
    static multidigit_number make(const real& x) { return {multidigit_format(bits), x}; }
};
template <>
struct part_kind<real> : part_kind<multidigit_fixed<150>> {
    static real make(const real& x) { return x.with_precision(bits); }
};
template <>
struct part_kind<rns_number> : part_kind<multidigit_fixed<200>> {
    static rns_format format() { return rns_format(200); }
    static rns_number make(const real& x) { return {format(), x}; }
};

/// The u of complex_number<T>; of an RNS float, whose u lies between 2^-p and 2^(1-p), the larger of the two.
template <class T>
real unit()
{
    if constexpr (std::is_same_v<T, rns_number>) {
        return ldexp(real(1.0), 1 - part_kind<T>::format().precision_bits());
    } else {
        return ldexp(real(1.0), -part_kind<T>::bits);
    }
}

/// Random parts and numbers that are hard for complex arithmetic.
template <class T>
class complex_source {
public:
    using kind = part_kind<T>;

    support::biased_random& random() { return random_; }
    std::string trace() const { return random_.trace(); }

    /// A part with an exponent of about lo..hi, of all its bits or few.
    T part(long lo, long hi)
    {
        const long e = lo + static_cast<long>(random_.bits() % static_cast<std::uint64_t>(hi - lo + 1));
        real x(random_.value(0, 0), kind::bits + 64);
        if (!random_.one_in(4)) {
            int below = 0;
            while (below < kind::bits) {
                below += random_.one_in(8) ? 53 + random_.integer(0, 90) : 53;
                x = x + ldexp(real(random_.value(0, 0), kind::bits + 64), -below);
            }
        }
        return kind::make(ldexp(x, e));
    }

    complex_number<T> number(long lo, long hi)
    {
        const T zero = kind::make(real(0.0));
        switch (random_.integer(0, 11)) {
            case 0:
                return {part(lo, hi), zero};
            case 1:
                return {zero, part(lo, hi)};
            case 2: {
                const T x = part(lo, hi);
                return {x, random_.one_in(2) ? x : -x};
            }
            default: {
                const T re = part(lo, hi);
                return {re, part(lo, hi)};
            }
        }
    }

    /// A number with which products or quotients of z cancel in one part, all or nearly.
    complex_number<T> partner(const complex_number<T>& z, long lo, long hi)
    {
        const T x = part(lo, hi);
        complex_number<T> w(z.imag(), z.real());
        switch (random_.integer(0, 3)) {
            case 0:
                w = conj(z);
                break;
            case 1:
                w = z.real() == kind::make(real(0.0)) ? z : complex_number<T>(z.imag() * x / z.real(), x);
                break;
            case 2:
                w = z.real() == kind::make(real(0.0)) ? z : complex_number<T>(x, z.imag() * x / z.real());
                break;
            default:
                break;
        }
        if (random_.one_in(2)) {
            w = {w.real(), w.imag() + kind::make(ldexp(to_real(w.imag()), -kind::bits + random_.integer(0, 9)))};
        }
        return w;
    }

private:
    support::biased_random random_;
};

/// Fails unless |result - exact| <= bound; of a result that is not finite unless it may be.
inline void expect_within(const char* what, const real& result, const real& exact, const real& bound,
                          bool may_overflow = false)
{
    if (!is_finite(result) && may_overflow) {
        return;
    }
    ASSERT_TRUE(is_finite(result)) << what << " is not finite, but is " << to_string(exact, 20);
    ASSERT_TRUE(abs(in_full(result) - exact) <= bound)
        << what << "\nresult " << to_string(result, 40) << "\nexact  " << to_string(exact, 40) << "\nerror  "
        << to_string(abs(in_full(result) - exact), 5) << "\nbound  " << to_string(bound, 5);
}

}  // namespace residua::testing
