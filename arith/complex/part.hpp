#pragma once

#include <cstdint>

#include <residua/arith/base/bits.hpp>
#include <residua/arith/base/eft.hpp>
#include <residua/arith/complex/error_bounds.hpp>
#include <residua/arith/expansion/error_bounds.hpp>
#include <residua/arith/expansion/expansion.hpp>
#include <residua/arith/native/double.hpp>

namespace residua {

/// What complex numbers ask of the type of their parts, beside its own operators. Specialised for each type with
///   bounds           what its operations are off by
///   centre           the exponent to which operands of quotients, roots and absolute values are scaled, even
///   like(x, d)       d, in the format of x
///   sum_of_products  a b + c d
///   exponent(x)      the e with 2^(e-1) <= |x| < 2^e, or e - 1 of an expansion; very small of 0
///   scaled(x, k)     x 2^k
///   is_negative(x)   the sign bit, of zeros too where they have one
/// Here for host and device: binary64 and expansions. complex/host_parts.hpp has the others.
template <class T>
struct complex_part;

template <>
struct complex_part<double> {
    static constexpr part_bounds bounds{1.0, 2.0, false, 1.0, 1.0};
    static constexpr int centre = 300;

    RESIDUA_HD static double like(double, double d) { return d; }

    /// a b + c d; a sum that is not finite is that of the rounded products.
    ///
    /// errors  2u relative to the sum; where a product lies below 2^-960, 3u relative and 2^-1070 more
    /// from    [Jea16]: the method of Cornea, Harrison and Tang
    RESIDUA_HD static double sum_of_products(double a, double b, double c, double d)
    {
        const rounded first = two_prod(a, b);
        const rounded second = two_prod(c, d);
        const double sum = first.value + second.value;
        const double error = first.error + second.error;
        return is_finite(sum) ? sum + error : sum;
    }

    RESIDUA_HD static std::int64_t exponent(double x) { return floor_log2(x) + std::int64_t{1}; }
    RESIDUA_HD static double scaled(double x, std::int64_t k) { return scale_pow2(x, static_cast<int>(k)); }
    RESIDUA_HD static bool is_negative(double x) { return (to_bits(x) & sign_mask) != 0; }
};

template <int N>
struct complex_part<expansion<double, N>> {
    using number = expansion<double, N>;
    static constexpr part_bounds bounds{sum_error_bound<N>(), accumulation_error_bound<N>(2), true,
                                        quotient_error_bound<N>(), root_error_bound<N>()};
    static constexpr int centre = 300;

    RESIDUA_HD static number like(const number&, double d) { return {d}; }

    /// a b + c d
    ///
    /// errors  accumulation_error_bound<N>(2) u^N (|a b| + |c d|), and 4 N^2 2^-1074
    /// range   that of the product of two numbers; from N = 7 on factors and products are below 2^1012
    /// from    docs/error_bounds.md, theorem 3
    RESIDUA_HD static number sum_of_products(const number& a, const number& b, const number& c, const number& d)
    {
        accumulator<N> sum;
        sum.add_product(a, b);
        sum.add_product(c, d);
        return sum.result();
    }

    RESIDUA_HD static std::int64_t exponent(const number& x) { return complex_part<double>::exponent(x.t[0]); }
    RESIDUA_HD static number scaled(const number& x, std::int64_t k) { return ldexp(x, static_cast<int>(k)); }
    RESIDUA_HD static bool is_negative(const number& x) { return complex_part<double>::is_negative(x.t[0]); }
};

}  // namespace residua
