#pragma once

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <random>
#include <span>
#include <string>

#include <residua/arith/base/bits.hpp>
#include <residua/arith/base/number_traits.hpp>

namespace residua::support {

/// How close the terms of a random expansion may lie.
enum class nonoverlap {
    nearest,  // RN(x[i-1] + x[i]) == x[i-1]: what renormalisation delivers
    ulp,      // |x[i]| <= ulp(x[i-1]): what the algorithms of [JMMP16] accept
};

/// Random numbers biased to what breaks floating-point code: ties, powers of two, short and
/// full significands, cancelling partners, subnormals, extremes.
///
/// One seed gives one sequence on every platform: no expression below draws twice, because the
/// order of its operands is the compiler's choice. The seed is RESIDUA_TEST_SEED if set; print
/// it on failure with SCOPED_TRACE(random.trace()).
class biased_random {
public:
    biased_random() : biased_random(seed_from_environment()) {}
    explicit biased_random(std::uint64_t seed) : seed_(seed), engine_(seed) {}

    std::uint64_t seed() const { return seed_; }
    std::string trace() const { return "RESIDUA_TEST_SEED=" + std::to_string(seed_); }

    std::uint64_t bits() { return engine_(); }

    /// Uniform in lo..hi, both included.
    int integer(int lo, int hi)
    {
        const auto span = static_cast<std::uint64_t>(std::int64_t{hi} - lo) + 1;
        return static_cast<int>(lo + static_cast<std::int64_t>(engine_() % span));
    }

    /// True once in n.
    bool one_in(int n) { return integer(1, n) == 1; }

    double sign() { return one_in(2) ? -1.0 : 1.0; }
    double with_random_sign(double x) { return one_in(2) ? -x : x; }

    /// Uniform in [0, 1), 53 bits.
    double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }

    /// +-m 2^e, 1 <= m < 2, all 53 bits random, e uniform in lo..hi.
    double full(int lo, int hi)
    {
        const double m = from_bits((engine_() & fraction_mask) | to_bits(1.0));
        return with_random_sign(std::ldexp(m, integer(lo, hi)));
    }

    /// Exponent in lo..hi; significand full, of few bits, all ones, a power of two or next to one
    /// (and so an ulp or two below 2^lo).
    double value(int lo, int hi)
    {
        const double x = full(lo, hi);
        const std::uint64_t b = to_bits(x);
        switch (integer(0, 7)) {
            case 0:
                return from_bits(b & ~fraction_mask);
            case 1:
                return from_bits(b & ~(fraction_mask >> integer(1, 8)));
            case 2:
                return from_bits(b | (fraction_mask >> integer(0, 40)));
            case 3:
                return neighbour(from_bits(b & ~fraction_mask), integer(-2, 2));
            case 4:
                return from_bits(b & ~((std::uint64_t{1} << integer(20, 32)) - 1));
            default:
                return x;
        }
    }

    /// Any finite double: often ordinary, sometimes zero, subnormal or next to the overflow threshold.
    double any()
    {
        switch (integer(0, 15)) {
            case 0:
                return sign() * 0.0;
            case 1:
                return with_random_sign(from_bits(engine_() & fraction_mask));
            case 2: {
                const int zeros = integer(13, 63);
                return with_random_sign(from_bits(engine_() >> zeros));
            }
            case 3:
                return value(max_exponent - 3, max_exponent - 1);
            case 4:
                return value(min_exponent - 2, min_exponent + 60);
            case 5:
                return sign() * std::numeric_limits<double>::max();
            case 6:
                return value(min_ulp_exponent, max_exponent - 1);
            default:
                return value(-60, 60);
        }
    }

    /// x moved by k units in the last place.
    static double neighbour(double x, int k)
    {
        const double target = std::copysign(std::numeric_limits<double>::infinity(), k);
        for (int i = 0; i < std::abs(k); ++i) {
            x = std::nextafter(x, target);
        }
        return x;
    }

    /// A second summand for x: cancels it wholly or partly, lies at a half-ulp tie, or just apart.
    double partner(double x)
    {
        const int e = x == 0.0 ? 0 : floor_log2(x);
        switch (integer(0, 7)) {
            case 0:
                return -x;
            case 1:
                return neighbour(-x, integer(-3, 3));
            case 2:
                return -x * 0.5;
            case 3:
                return with_random_sign(std::ldexp(x, -integer(1, 60))) - x;
            case 4:
                return sign() * scale_pow2(1.0, e - 53);  // tie
            case 5:
                return neighbour(with_random_sign(scale_pow2(1.0, e - 53)), 1);
            case 6:
                return sign() * scale_pow2(1.0, e - 54);  // tie below 2^e
            default: {
                const int apart = integer(0, 110);
                return scale_pow2(value(0, 0), e - apart);
            }
        }
    }

    /// Terms of an expansion with |t[0]| about 2^e, e in lo..hi: dense, with gaps, with terms at
    /// ties, or ending in zeros. Terms that would fall below 2^-1074 are zero.
    void fill_expansion(std::span<double> t, int lo, int hi, nonoverlap rule = nonoverlap::nearest)
    {
        t[0] = value(lo, hi);
        extend(t, 1, rule);
    }

    /// As fill_expansion, and some of the terms are zero: the others obey the rule among themselves.
    void fill_expansion_with_zeros(std::span<double> t, int lo, int hi, nonoverlap rule = nonoverlap::nearest)
    {
        fill_expansion(t, lo, hi, rule);
        for (double& x : t) {
            x = one_in(3) ? 0.0 : x;
        }
    }

    /// y cancels the first terms of x, at least one, and goes on with terms of its own.
    void fill_cancelling(std::span<const double> x, std::span<double> y, nonoverlap rule = nonoverlap::nearest)
    {
        const int n = static_cast<int>(y.size());
        const int same = integer(1, n);
        for (int i = 0; i < n; ++i) {
            y[i] = -x[i];
        }
        if (same < n) {
            extend(y, static_cast<std::size_t>(same), rule);
        }
    }

    /// A number of any format with |x| about 2^e, e in lo..hi, and as many terms as it has.
    template <class T>
    T number(int lo, int hi)
    {
        if constexpr (number_traits<T>::terms == 1) {
            return T(value(lo, hi));
        } else {
            double t[number_traits<T>::terms];
            fill_expansion(t, lo, hi);
            T x;
            for (int i = 0; i < number_traits<T>::terms; ++i) {
                x[i] = t[i];
            }
            return x;
        }
    }

private:
    static std::uint64_t seed_from_environment()
    {
        const char* text = std::getenv("RESIDUA_TEST_SEED");
        return text != nullptr ? std::strtoull(text, nullptr, 10) : 20170101u;
    }

    /// Fills t[first..], first >= 1, below t[first - 1].
    void extend(std::span<double> t, std::size_t first, nonoverlap rule)
    {
        enum style { dense, gaps, ties, short_tail };
        const auto how = static_cast<style>(integer(dense, short_tail));
        const std::size_t last =
            how == short_tail ? static_cast<std::size_t>(integer(static_cast<int>(first), static_cast<int>(t.size())))
                              : t.size();
        for (std::size_t i = first; i < t.size(); ++i) {
            if (i >= last || t[i - 1] == 0.0) {
                t[i] = 0.0;
                continue;
            }
            const int top = floor_log2(t[i - 1]) - (rule == nonoverlap::ulp ? 52 : 53);
            const bool tie = how == ties && one_in(2);
            const int gap = how == gaps ? integer(0, 70) : integer(0, 2);
            t[i] = tie ? with_random_sign(scale_pow2(1.0, top)) : scale_pow2(value(0, 0), top - 1 - gap);
            while (rule == nonoverlap::nearest && t[i - 1] + t[i] != t[i - 1]) {
                t[i] *= 0.5;
            }
        }
    }

    std::uint64_t seed_;
    std::mt19937_64 engine_;
};

}  // namespace residua::support
