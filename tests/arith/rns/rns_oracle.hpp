#pragma once

#include <algorithm>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include <residua/arith/rns/real.hpp>
#include <residua/arith/rns/rns_float.hpp>

#include "tests/support/biased_random.hpp"
#include "tests/support/scale.hpp"

namespace residua::support {

template <int Count>
struct moduli {
    static constexpr int count = Count;
};

/// The sets of 106, 159, 212, 318, 424, 636, 848, 1272 and 1696 bits.
using moduli_counts = ::testing::Types<moduli<7>, moduli<11>, moduli<14>, moduli<21>, moduli<28>, moduli<42>,
                                       moduli<55>, moduli<83>, moduli<110>>;

/// How many random cases for L moduli: fewer for the wide sets, whose operations take longer.
template <int L>
std::int64_t cases(std::int64_t count)
{
    return scaled(count * 7 / L + 1);
}

/// Exact sums, differences and products of numbers whose exponents are not far apart.
template <int L>
constexpr long wide_bits = 4 * (rns_precision(L) + 1) + 1000;

template <int L>
real wide(const rns_float<L>& x)
{
    return to_real(rns_set<L>::host(), x).with_precision(wide_bits<L>);
}

/// 4 / sqrt(M)
template <int L>
const real& unit_of()
{
    static const real u = [] {
        real product(1.0, 32L * L);
        for (const std::uint32_t m : rns_moduli(L)) {
            product *= real(static_cast<double>(m));
        }
        return real(4.0) / sqrt(product);
    }();
    return u;
}

/// The relative error in units of u; 0 for equal numbers, infinity where the exact result is zero and the
/// computed one is not, or is not finite.
template <int L>
double error_in_u(const rns_float<L>& computed, const real& exact)
{
    if (!is_finite(computed)) {
        return std::numeric_limits<double>::infinity();
    }
    const real difference = abs(wide(computed) - exact);
    if (is_zero(difference)) {
        return 0.0;
    }
    return to_double(difference / abs(exact) / unit_of<L>());
}

/// Whether the number obeys its invariants: X <= 2^width, canonical digits, a range that encloses X.
template <int L>
::testing::AssertionResult well_formed(const rns_float<L>& x)
{
    const rns_set<L>& set = rns_set<L>::host();
    if (is_zero(x)) {
        return x.negative || x.exponent != 0 ? ::testing::AssertionFailure() << "zero with a sign or an exponent"
                                             : ::testing::AssertionSuccess();
    }
    for (int i = 0; i < L; ++i) {
        if (x.digit[i] >= set.moduli[i].m) {
            return ::testing::AssertionFailure() << "digit " << i << " is not below its modulus";
        }
    }
    const real integer = abs(to_real(set, ldexp(x, -x.exponent)));
    const auto bound = [&](std::uint32_t f) { return ldexp(real(static_cast<double>(f)), x.range.exponent); };
    if (bound(x.range.low) > integer || bound(x.range.high) < integer) {
        return ::testing::AssertionFailure() << "X is outside of its range";
    }
    if (x.range.high <= std::uint32_t{1} << 30 || x.range.high > std::uint32_t{1} << 31) {
        return ::testing::AssertionFailure() << "the range is not normal";
    }
    if (integer > ldexp(real(1.0), set.constants.width)) {
        return ::testing::AssertionFailure() << "X is above 2^width";
    }
    return ::testing::AssertionSuccess();
}

/// Random numbers biased to what breaks residues: significands at the rounding threshold, of one bit, all
/// ones; partners that cancel wholly, partly or by one unit; exponents together and far apart.
template <int L>
class rns_source {
public:
    static constexpr int width = rns_precision(L) + 1;

    static real value(const rns_float<L>& x) { return to_real(rns_set<L>::host(), x); }
    static rns_float<L> rounded(const real& x) { return from_real(rns_set<L>::host(), x); }

    std::string trace() const { return random_.trace(); }
    biased_random& random() { return random_; }

    rns_float<L> number(int lo, int hi)
    {
        const int e = random_.integer(lo, hi);
        real x(0.0, width);
        switch (random_.integer(0, 7)) {
            case 0:
                x = real(1.0, width);
                break;
            case 1:
                x = ldexp(real(1.0, width), width) - real(1.0);
                break;  // all ones
            case 2:
                x = ldexp(real(1.0, width), width) + real(0.0);
                break;  // 2^width
            case 3:
                x = real(static_cast<double>(random_.integer(1, 1000)), width);
                break;
            case 4:
                x = bits(random_.integer(1, width));
                break;
            case 5:
                x = ldexp(real(1.0, width), random_.integer(0, width - 1)) + real(1.0);
                break;
            default:
                x = bits(width);
        }
        rns_float<L> r = rounded(random_.one_in(2) ? -x : x);
        return ldexp(r, e);
    }

    /// A second operand: any, or one that cancels x to some depth.
    rns_float<L> partner(const rns_float<L>& x, int lo, int hi)
    {
        switch (is_zero(x) ? 7 : random_.integer(0, 7)) {
            case 0:
                return -x;
            case 1: {
                const real unit = ldexp(real(1.0, width), exponent(value(x)) - random_.integer(1, width));
                return rounded((-value(x)).with_precision(width) + (random_.one_in(2) ? unit : -unit));
            }
            case 2:
                return ldexp(-x, random_.integer(-2, 2));
            case 3:
                return ldexp(number(0, 0), x.exponent + random_.integer(-2 * width, 2 * width));
            default:
                return number(lo, hi);
        }
    }

private:
    real bits(int count)
    {
        real x(0.0, width);
        for (int k = 0; k < count; k += 32) {
            const int step = std::min(32, count - k);
            const auto word = static_cast<double>(random_.bits() >> (64 - step));
            x = ldexp(x, step) + real(word);
        }
        return is_zero(x) ? real(1.0, width) : x;
    }

    biased_random random_;
};

}  // namespace residua::support
