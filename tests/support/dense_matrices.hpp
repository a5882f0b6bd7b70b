#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <residua/arith/real/real.hpp>
#include <residua/solvers/dense.hpp>

/// Matrices of solvers/dense.hpp beside arrays of reals, in which tests compute.
namespace residua::support {

/// An array of m x n reals, column by column.
struct real_columns {
    index_t rows = 0;
    index_t cols = 0;
    std::vector<real> numbers = {};

    real_columns(index_t m, index_t n) : rows(m), cols(n), numbers(static_cast<std::size_t>(m * n)) {}

    real& operator()(index_t i, index_t j) { return numbers[static_cast<std::size_t>(j * rows + i)]; }
    const real& operator()(index_t i, index_t j) const { return numbers[static_cast<std::size_t>(j * rows + i)]; }

    bool operator==(const real_columns&) const = default;
};

/// The matrix with these numbers, rounded.
inline dense::dense_matrix to_dense(const real_columns& a, long bits, const std::optional<cuda_executor>& device = {})
{
    std::vector<__mpfr_struct> array;
    for (const real& x : a.numbers) {
        array.push_back(*x.mpfr());
    }
    dense::dense_matrix m(a.rows, a.cols, bits, device);
    m.set(static_cast<mpfr_srcptr>(array.data()));
    return m;
}

/// The numbers of a matrix, exactly.
inline real_columns to_reals(const dense::dense_matrix& m)
{
    real_columns a(m.rows(), m.cols());
    std::vector<__mpfr_struct> array;
    for (real& x : a.numbers) {
        x = real(0.0, m.bits());
        array.push_back(*x.mpfr());
    }
    m.get(array.data());
    for (std::size_t k = 0; k < array.size(); ++k) {
        *a.numbers[k].mpfr() = array[k];
    }
    return a;
}

inline real_columns transposed(const real_columns& a)
{
    real_columns t(a.cols, a.rows);
    for (index_t j = 0; j < a.cols; ++j) {
        for (index_t i = 0; i < a.rows; ++i) {
            t(j, i) = a(i, j);
        }
    }
    return t;
}

/// Random numbers of `bits` bits and of magnitudes 2^-spread to 2^spread, a tenth of them zero.
inline real_columns any_columns(std::mt19937_64& random, index_t m, index_t n, long bits, int spread)
{
    real_columns a(m, n);
    for (real& x : a.numbers) {
        x = real(0.0, bits);
        if (random() % 10 != 0) {
            for (long k = 0; k < bits; k += 60) {
                x = ldexp(x, 60) + real(static_cast<double>(random() >> 11), bits);
            }
            const auto e = static_cast<long>(random() % (2 * static_cast<unsigned>(spread) + 1)) - spread;
            x = is_zero(x) ? x : ldexp(x, e - exponent(x));
            x = random() % 2 == 0 ? x : -x;
        }
    }
    return a;
}

/// A B and |A| |B|, exactly as far as `bits` bits go.
struct exact_product {
    real_columns value;
    real_columns magnitude;
};
inline exact_product multiply(const real_columns& a, const real_columns& b, long bits)
{
    exact_product p{{a.rows, b.cols}, {a.rows, b.cols}};
    for (index_t j = 0; j < b.cols; ++j) {
        for (index_t i = 0; i < a.rows; ++i) {
            real value(0.0, bits), magnitude(0.0, bits);
            for (index_t k = 0; k < a.cols; ++k) {
                const real term = a(i, k).with_precision(bits) * b(k, j);
                value += term;
                magnitude += abs(term);
            }
            p.value(i, j) = value;
            p.magnitude(i, j) = magnitude;
        }
    }
    return p;
}

/// A positive definite matrix of condition 2^(2 spread) or so: G G' and something on its diagonal.
inline real_columns any_definite(std::mt19937_64& random, index_t n, long bits, int spread)
{
    const real_columns g = any_columns(random, n, n, bits, spread);
    real_columns a = multiply(g, transposed(g), bits).value;
    for (index_t i = 0; i < n; ++i) {
        a(i, i) += real(1.0);
        for (index_t j = 0; j < i; ++j) {
            a(i, j) = a(j, i);
        }
    }
    return a;
}

constexpr long exact_bits = 3000;

inline real_columns meant(dense::op which, const real_columns& a)
{
    return which == dense::op::plain ? a : transposed(a);
}

inline real_columns from(index_t rows, const std::vector<double>& by_columns)
{
    real_columns a(rows, static_cast<index_t>(by_columns.size()) / rows);
    std::copy(by_columns.begin(), by_columns.end(), a.numbers.begin());
    return a;
}

inline real_columns rounded(real_columns a, long bits)
{
    for (real& x : a.numbers) {
        x = x.with_precision(bits);
    }
    return a;
}

/// The triangle of a matrix, with ones on the diagonal if they are meant.
inline real_columns triangle_of(dense::uplo triangle, dense::diag diagonal, const real_columns& a)
{
    real_columns t(a.rows, a.cols);
    for (index_t j = 0; j < a.cols; ++j) {
        for (index_t i = 0; i < a.rows; ++i) {
            const bool inside = triangle == dense::uplo::lower ? i >= j : i <= j;
            t(i, j) = i == j && diagonal == dense::diag::unit ? real(1.0) : inside ? a(i, j) : real(0.0);
        }
    }
    return t;
}

/// |A - B|_ij <= factor 2^-bits M_ij for all i, j.
inline void expect_near(const real_columns& a, const real_columns& b, double factor, long bits, const real_columns& m)
{
    ASSERT_EQ(a.numbers.size(), b.numbers.size());
    for (std::size_t k = 0; k < a.numbers.size(); ++k) {
        const real difference = abs(a.numbers[k].with_precision(exact_bits) - b.numbers[k]);
        const real bound = ldexp(real(factor) * m.numbers[k], -bits);
        ASSERT_TRUE(difference < bound || difference == bound)
            << "number " << k << ": " << to_double(difference) << " above " << to_double(bound);
    }
}

}  // namespace residua::support
