#pragma once

#include <limits>

#include <residua/arith/base/bits.hpp>
#include <residua/arith/expansion/type.hpp>
#include <residua/arith/real/real.hpp>

namespace residua {

/// For how many bits numeric_limits<real> answers in this thread while the object lives; 53 without one.
///
/// A number of type real carries its own precision, but limits are asked of a type. No result of arithmetic depends
/// on this, only what algorithms make of epsilon: Eigen's SVD and eigenvalues, ranks and thresholds.
/// throws  error unless 2 <= bits <= real::max_bits
class limits_precision {
public:
    explicit limits_precision(long bits);
    ~limits_precision();
    limits_precision(const limits_precision&) = delete;
    limits_precision& operator=(const limits_precision&) = delete;

    static long bits();

private:
    long outer_;
};

namespace detail {

/// The members of numeric_limits that are the same for all formats.
struct common_limits {
    static constexpr bool is_specialized = true;
    static constexpr bool is_signed = true;
    static constexpr bool is_integer = false;
    static constexpr bool is_exact = false;
    static constexpr bool has_infinity = true;
    static constexpr bool has_quiet_NaN = true;
    static constexpr bool has_signaling_NaN = false;
    static constexpr bool is_iec559 = false;
    static constexpr bool is_bounded = true;
    static constexpr bool is_modulo = false;
    static constexpr bool traps = false;
    static constexpr bool tinyness_before = false;
    static constexpr bool has_denorm_loss = false;
    static constexpr int radix = 2;
};

/// The greatest number of N terms that to_double() does not round to infinity, each term below half an ulp of the one
/// before.
template <int N>
constexpr expansion<double, N> greatest_expansion()
{
    expansion<double, N> x;
    for (int k = 0; k < N; ++k) {
        const int e = max_exponent - 54 * k;  // half an ulp of the term before is just not reached
        x.t[k] = e < max_exponent
                     ? pow2(e + 1) - pow2(e - fraction_bits < min_ulp_exponent ? min_ulp_exponent : e - fraction_bits)
                     : std::numeric_limits<double>::max();
    }
    return x;
}

real greatest_real(long bits);
real least_real(long bits);
real special_real(double value, long bits);

}  // namespace detail
}  // namespace residua

/// Every number of 53 N bits in the range has N terms. epsilon() is 2^(1 - 53 N): results of operations are accurate
/// to a small multiple of it, docs/error_bounds.md. From min() on all N terms hold full precision.
template <int N>
class std::numeric_limits<residua::expansion<double, N>> : public residua::detail::common_limits {
    using number = residua::expansion<double, N>;

public:
    static constexpr float_denorm_style has_denorm = denorm_present;
    static constexpr float_round_style round_style = round_indeterminate;
    static constexpr int digits = 53 * N;
    static constexpr int digits10 = static_cast<int>((digits - 1) * 0.30102999566398120);
    static constexpr int max_digits10 = static_cast<int>(digits * 0.30102999566398120) + 2;
    static constexpr int min_exponent = residua::min_exponent + 53 * (N - 1) + 1;
    static constexpr int max_exponent = residua::max_exponent + 1;
    static constexpr int min_exponent10 = static_cast<int>((min_exponent - 1) * 0.30102999566398120);
    static constexpr int max_exponent10 = 308;

    static constexpr number min() noexcept { return residua::pow2(min_exponent - 1); }
    static constexpr number max() noexcept { return residua::detail::greatest_expansion<N>(); }
    static constexpr number lowest() noexcept
    {
        number x = max();
        for (double& t : x.t) {
            t = -t;
        }
        return x;
    }
    /// 2^(1 - 53 N), or the least double where that is less.
    static constexpr number epsilon() noexcept { return residua::pow2(1 - digits < -1074 ? -1074 : 1 - digits); }
    static constexpr number round_error() noexcept { return 1.0; }
    static constexpr number infinity() noexcept { return std::numeric_limits<double>::infinity(); }
    static constexpr number quiet_NaN() noexcept { return std::numeric_limits<double>::quiet_NaN(); }
    static constexpr number signaling_NaN() noexcept { return quiet_NaN(); }
    static constexpr number denorm_min() noexcept { return residua::pow2(-1074); }
};

/// For residua::limits_precision::bits() bits. What would have to be a constant, such as digits, is not there.
template <>
class std::numeric_limits<residua::real> : public residua::detail::common_limits {
    using number = residua::real;

public:
    static constexpr float_denorm_style has_denorm = denorm_absent;
    static constexpr float_round_style round_style = round_to_nearest;

    static number min() { return residua::detail::least_real(residua::limits_precision::bits()); }
    static number max() { return residua::detail::greatest_real(residua::limits_precision::bits()); }
    static number lowest() { return -max(); }
    static number epsilon()
    {
        const long bits = residua::limits_precision::bits();
        return ldexp(number(1.0, bits), 1 - bits);
    }
    static number round_error() { return number(0.5, residua::limits_precision::bits()); }
    static number infinity()
    {
        return residua::detail::special_real(std::numeric_limits<double>::infinity(),
                                             residua::limits_precision::bits());
    }
    static number quiet_NaN()
    {
        return residua::detail::special_real(std::numeric_limits<double>::quiet_NaN(),
                                             residua::limits_precision::bits());
    }
    static number denorm_min() { return min(); }
};
