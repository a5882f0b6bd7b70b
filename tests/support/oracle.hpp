#pragma once

#include <cstddef>
#include <limits>

#include <residua/arith/native/double.hpp>
#include <residua/arith/real/real.hpp>

namespace residua::support {

/// Sums of products of any numbers made of doubles are exact at this precision: a product lies
/// between 2^-2148 and 2^2048, and 2^150 of them may be added.
inline constexpr long oracle_bits = 4352;

/// x, of any format, exactly, ready for exact sums and products.
template <class T>
real wide(const T& x)
{
    return to_real(x).with_precision(oracle_bits);
}

/// |computed - exact| in units of 2^-p |magnitude|; 0 for equal numbers, infinity for an error
/// where magnitude is 0 and for NaN and infinities, so that every bound then fails.
inline double error_units(const real& computed, const real& exact, const real& magnitude, long p)
{
    if (!is_finite(computed) || !is_finite(exact) || !is_finite(magnitude)) {
        return std::numeric_limits<double>::infinity();
    }
    const real difference = abs(computed.with_precision(oracle_bits) - exact);
    if (is_zero(difference)) {
        return 0.0;
    }
    return to_double(ldexp(difference / abs(magnitude), p));
}

/// The relative error of computed in units of 2^-p.
inline double error_units(const real& computed, const real& exact, long p)
{
    return error_units(computed, exact, exact, p);
}

/// An exact sum of products and the sum of their absolute values, which error bounds refer to.
struct exact_products {
    real value{0.0, oracle_bits};
    real magnitude{0.0, oracle_bits};

    void add(const real& product)
    {
        value += product;
        magnitude += abs(product);
    }
};

/// sum x[i] y[i] over the first n elements, of any formats and containers.
template <class X, class Y>
exact_products exact_dot(const X& x, const Y& y, std::size_t n)
{
    exact_products sum;
    for (std::size_t i = 0; i < n; ++i) {
        sum.add(wide(x[i]) * wide(y[i]));
    }
    return sum;
}

}  // namespace residua::support
