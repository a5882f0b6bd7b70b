#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <type_traits>
#include <vector>

#include <mpfr.h>

#include <residua/arith/expansion/convert.hpp>
#include <residua/arith/real/real.hpp>
#include <residua/blas/base/matrix.hpp>
#include <residua/blas/exact/gemm_exact.hpp>

#include "tests/blas/formats.hpp"
#include "tests/support/biased_random.hpp"

/// Exact sums of products by MPFR, from what exact_options says of cutting.
namespace residua::support {

/// A format of exact products and its numbers.
template <class T>
struct exact_format {
    using number = T;
    using matrix = residua::matrix<host_executor, T>;
    using vector = residua::vector<host_executor, T>;

    long precision() const { return 53L * terms_of<T>; }
    long of_sums() const { return oracle_bits; }
    matrix zeros(index_t m, index_t n) const { return matrix(m, n); }
    vector zeros(index_t n) const { return vector(n); }
    number from(double x) const { return T{x}; }
    number from(const real& x) const
    {
        if constexpr (terms_of<T> == 1) {
            return to_double(x);
        } else {
            return from_real<T>(x);
        }
    }
    number power_of_two(long k) const { return from(pow2(static_cast<int>(k))); }
    number any(biased_random& random, int lo, int hi) const { return random.number<T>(lo, hi); }

    static std::vector<real> parts(const number& x)
    {
        std::vector<real> p;
        for (int k = 0; k < terms_of<T>; ++k) {
            p.emplace_back(term(x, k));
        }
        return p;
    }
    static double leading(const number& x) { return term(x, 0); }
    static bool same(const number& x, const number& y) { return same_bits(x, y); }
};

template <>
struct exact_format<multidigit> {
    using number = multidigit_number;
    using matrix = residua::matrix<host_executor, multidigit>;
    using vector = residua::vector<host_executor, multidigit>;

    multidigit_format format;
    long spread = 0;  ///< of sums, beyond that of binary64

    long precision() const { return format.precision_bits(); }
    long of_sums() const { return oracle_bits + 2 * precision() + spread; }
    matrix zeros(index_t m, index_t n) const { return matrix(format, m, n); }
    vector zeros(index_t n) const { return vector(format, n); }
    number from(double x) const { return {format, x}; }
    number from(const real& x) const { return {format, x}; }
    number power_of_two(long k) const { return ldexp(from(1.0), k); }
    number any(biased_random& random, int lo, int hi) const
    {
        const number x(format, random.value(lo, hi));
        return random.one_in(3) ? x : x / number(format, 3.0);
    }

    static std::vector<real> parts(const number& x) { return {to_real(x)}; }
    static double leading(const number& x) { return to_double(x); }
    static bool same(const number& x, const number& y)
    {
        return x.value().exponent == y.value().exponent && x.value().negative == y.value().negative &&
               std::equal(std::begin(x.value().d), std::end(x.value().d), std::begin(y.value().d));
    }
};

template <>
struct exact_format<rns> {
    using number = rns_number;
    using matrix = residua::matrix<host_executor, rns>;
    using vector = residua::vector<host_executor, rns>;

    rns_format format;
    long spread = 0;  ///< of sums, beyond that of binary64

    long precision() const { return format.set().constants.width; }
    long of_sums() const { return oracle_bits + 2 * precision() + spread; }
    matrix zeros(index_t m, index_t n) const { return matrix(format, m, n); }
    vector zeros(index_t n) const { return vector(format, n); }
    number from(double x) const { return {format, x}; }
    number from(const real& x) const { return {format, x}; }
    number power_of_two(long k) const { return ldexp(from(1.0), k); }
    number any(biased_random& random, int lo, int hi) const
    {
        const number x(format, random.value(lo, hi));
        return random.one_in(3) ? x : x / number(format, 3.0);
    }

    static std::vector<real> parts(const number& x) { return {to_real(x)}; }
    static double leading(const number& x) { return to_double(x); }
    static bool same(const number& x, const number& y)
    {
        const auto& a = x.value();
        const auto& b = y.value();
        if (!is_finite(x) || !is_finite(y) || is_zero(a) || is_zero(b)) {
            return is_finite(x) == is_finite(y) && is_zero(a) == is_zero(b);
        }
        return a.range.low == b.range.low && a.range.high == b.range.high && a.range.exponent == b.range.exponent &&
               a.exponent == b.exponent && a.negative == b.negative &&
               std::equal(a.digit, a.digit + x.format().count(), b.digit);
    }
};

/// Whether the leading term of x is that number; RNS floats have NaN for infinities.
template <class T>
bool has_leading(const typename exact_format<T>::number& x, double expected)
{
    const double found = exact_format<T>::leading(x);
    const bool is_nan = std::isnan(expected) || (std::is_same_v<T, rns> && std::isinf(expected));
    return is_nan ? std::isnan(found) : found == expected;
}

/// x 2^-unit cut to an integer, times 2^unit
inline real cut(const real& x, long unit)
{
    real r = ldexp(x, -unit);
    mpfr_trunc(r.mpfr(), r.mpfr());
    return ldexp(r, unit);
}

/// The least E with |t| < 2^E for all of the terms, if one is not zero.
template <class T>
std::optional<long> exponent_above(const std::vector<typename exact_format<T>::number>& x)
{
    std::optional<long> e;
    for (const auto& number : x) {
        for (const real& t : exact_format<T>::parts(number)) {
            if (is_finite(t) && !is_zero(t)) {
                long here = 0;
                mpfr_get_d_2exp(&here, t.mpfr(), MPFR_RNDZ);
                e = std::max(e.value_or(here), here);
            }
        }
    }
    return e;
}

/// A vector as it is multiplied, of q bits or of all for q = 0.
template <class T>
std::vector<real> cut_numbers(const std::vector<typename exact_format<T>::number>& x, long q, long of_sums)
{
    const std::optional<long> e = exponent_above<T>(x);
    std::vector<real> r;
    for (const auto& number : x) {
        real sum(0.0, of_sums);
        for (const real& t : exact_format<T>::parts(number)) {
            sum += q > 0 && e.has_value() ? cut(t, *e - q) : t;
        }
        r.push_back(sum);
    }
    return r;
}

inline real sum_of_products(const std::vector<real>& x, const std::vector<real>& y, long of_sums)
{
    real sum(0.0, of_sums);
    for (std::size_t l = 0; l < x.size(); ++l) {
        sum += x[l] * y[l];
    }
    return sum;
}

template <class Matrix>
auto row_of(const Matrix& a, index_t i)
{
    std::vector<decltype(a.get(0, 0))> x;
    for (index_t l = 0; l < a.cols(); ++l) {
        x.push_back(a.get(i, l));
    }
    return x;
}

template <class Matrix>
auto column_of(const Matrix& a, index_t j)
{
    std::vector<decltype(a.get(0, 0))> x;
    for (index_t l = 0; l < a.rows(); ++l) {
        x.push_back(a.get(l, j));
    }
    return x;
}

/// Random factors that are hard to multiply.
enum class exact_kind { uniform, spread, cancelling, subnormal, overflowing, zeros };
inline constexpr exact_kind exact_kinds[] = {exact_kind::uniform,   exact_kind::spread,      exact_kind::cancelling,
                                             exact_kind::subnormal, exact_kind::overflowing, exact_kind::zeros};

/// Number l of vector i of either factor; of the second one if `second`.
template <class T>
auto exact_number(const exact_format<T>& format, biased_random& random, exact_kind kind, index_t i, index_t l)
{
    switch (kind) {
        case exact_kind::spread:
            return random.one_in(6) ? format.from(0.0) : format.any(random, -500, 500);
        case exact_kind::cancelling:
            return format.any(random, l % 4 == 3 ? -345 : 340, l % 4 == 3 ? -340 : 345);
        case exact_kind::subnormal:
            return format.any(random, -545, -530);
        case exact_kind::overflowing:
            return format.any(random, 508, 512);
        case exact_kind::zeros:
            return random.one_in(3) || i % 3 == 0 ? format.from(0.0) : format.any(random, -3, 3);
        default:
            return format.any(random, -1, 1);
    }
}

/// In each four of a cancelling sum the second product undoes the first, and the fourth is 2^-1300 of them.
template <class T>
struct exact_factors {
    typename exact_format<T>::matrix a, b;

    exact_factors(const exact_format<T>& format, biased_random& random, exact_kind kind, index_t m, index_t k,
                  index_t n)
        : a(format.zeros(m, k)), b(format.zeros(k, n))
    {
        const bool cancels = kind == exact_kind::cancelling;
        for (index_t l = 0; l < k; ++l) {
            const index_t from = cancels && l % 4 == 1 ? l - 1 : l;
            const bool none = cancels && l % 4 == 2;
            for (index_t i = 0; i < m; ++i) {
                a.set(i, l, from < l ? a.get(i, from) : exact_number(format, random, kind, i, l));
            }
            for (index_t j = 0; j < n; ++j) {
                const auto x = exact_number(format, random, kind, j, l);
                b.set(l, j, from < l ? -b.get(from, j) : none ? format.from(0.0) : x);
            }
        }
    }
};

}  // namespace residua::support
