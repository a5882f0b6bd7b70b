#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include <residua/arith/base/bits.hpp>
#include <residua/arith/real/real.hpp>

namespace residua {

/// m 2^e: a number to binary64's precision, whatever its size. m is 0, with e = 0, or 1/2 <= |m| < 1, or not finite.
///
/// errors  sums, products and quotients are rounded to binary64's precision: relative 2^-53 each
struct scaled_double {
    double m = 0.0;
    long e = 0;

    scaled_double() = default;
    scaled_double(double d) : scaled_double(normalized(d, 0)) {}
    explicit scaled_double(const real& x)
    {
        if (residua::is_finite(x)) {
            m = mpfr_get_d_2exp(&e, x.mpfr(), MPFR_RNDN);
        } else {
            m = residua::to_double(x);
        }
    }

    /// d 2^k
    static scaled_double normalized(double d, long k)
    {
        scaled_double r;
        int up = 0;
        r.m = std::frexp(d, &up);
        r.e = r.m == 0.0 || !std::isfinite(r.m) ? 0 : k + up;
        return r;
    }

    friend scaled_double operator*(const scaled_double& a, const scaled_double& b)
    {
        scaled_double r;
        r.m = a.m * b.m;
        r.e = r.m == 0.0 ? 0 : a.e + b.e;
        if (std::abs(r.m) < 0.5 && r.m != 0.0) {
            r.m *= 2.0;
            --r.e;
        }
        return r;
    }
    friend scaled_double operator/(const scaled_double& a, const scaled_double& b)
    {
        return normalized(a.m / b.m, a.e - b.e);
    }
    friend scaled_double operator+(const scaled_double& a, const scaled_double& b)
    {
        constexpr long negligible = 100;
        if (!std::isfinite(a.m) || !std::isfinite(b.m)) {
            return normalized(a.m + b.m, 0);
        }
        if (a.m == 0.0 || b.m == 0.0) {
            return a.m == 0.0 ? b : a;
        }
        const scaled_double& larger = a.e < b.e ? b : a;
        const scaled_double& smaller = a.e < b.e ? a : b;
        const long down = larger.e - smaller.e;
        return down > negligible ? larger : normalized(larger.m + smaller.m * pow2(-static_cast<int>(down)), larger.e);
    }
    friend bool operator<(const scaled_double& a, const scaled_double& b)
    {
        const auto sign = [](double d) { return (d > 0.0) - (d < 0.0); };
        if (sign(a.m) != sign(b.m) || a.e == b.e || !std::isfinite(a.m) || !std::isfinite(b.m)) {
            return a.m < b.m;
        }
        return (a.e < b.e) == (a.m > 0.0);
    }

    friend scaled_double abs(scaled_double a)
    {
        a.m = std::abs(a.m);
        return a;
    }
    friend scaled_double ldexp(scaled_double a, long k)
    {
        a.e += a.m == 0.0 || !std::isfinite(a.m) ? 0 : k;
        return a;
    }
    friend bool is_finite(const scaled_double& a) { return std::isfinite(a.m); }
    friend bool is_zero(const scaled_double& a) { return a.m == 0.0; }
    /// Infinite or zero beyond binary64's range.
    friend double to_double(const scaled_double& a)
    {
        return std::ldexp(a.m, static_cast<int>(std::clamp(a.e, -5000L, 5000L)));
    }
    friend real to_real(const scaled_double& a) { return residua::ldexp(real(a.m, 64), a.e); }
};

using scaled_doubles = std::vector<scaled_double>;

/// The largest |v_i|, or NaN if one is.
scaled_double norm_inf(const scaled_doubles& v);

/// The sum of |v_i|.
scaled_double norm1(const scaled_doubles& v);

}  // namespace residua
