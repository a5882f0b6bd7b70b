#pragma once

#include <cmath>
#include <cstring>
#include <ios>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include <residua/arith/expansion/expansion.hpp>
#include <residua/arith/native/double.hpp>
#include <residua/blas/base/matrix.hpp>
#include <residua/blas/base/vector.hpp>

#include "tests/support/on_cuda.hpp"

namespace residua::support {

/// The formats that blas has on a device.
using cuda_formats = testing::Types<double, expansion<double, 2>, expansion<double, 3>, expansion<double, 4>,
                                    expansion<double, 6>, expansion<double, 8>>;

/// Full, short or zero, with an exponent of up to 2^spread.
template <class T>
T random_number(biased_random& random, int spread = 32)
{
    T x{0.0};
    double scale = std::ldexp(1.0, random.integer(-spread, spread));
    for (int k = 0; k < number_traits<T>::terms && !random.one_in(16); ++k) {
        x = x + T{scale * random.full(-1, 0)};
        scale *= 0x1p-53;
    }
    return x;
}

template <class T>
vector<host_executor, T> random_vector(index_t n, biased_random& random)
{
    vector<host_executor, T> x(n);
    for (index_t i = 0; i < n; ++i) {
        x.set(i, i > 0 && random.one_in(8) ? -x.get(i - 1) : random_number<T>(random));
    }
    return x;
}

template <class T>
matrix<host_executor, T> random_matrix(index_t m, index_t n, biased_random& random)
{
    matrix<host_executor, T> a(m, n);
    for (index_t j = 0; j < n; ++j) {
        for (index_t i = 0; i < m; ++i) {
            a.set(i, j, random_number<T>(random));
        }
    }
    return a;
}

template <class T>
bool same_bits(const T& x, const T& y)
{
    return std::memcmp(&x, &y, sizeof(T)) == 0;
}

/// The terms of x, in hexadecimal.
template <class T>
std::string words(const T& x)
{
    std::ostringstream text;
    text << std::hexfloat;
    for (int k = 0; k < number_traits<T>::terms; ++k) {
        text << (k > 0 ? " " : "") << term(x, k);
    }
    return text.str();
}

template <class T>
testing::AssertionResult same_bits(const vector<host_executor, T>& x, const vector<host_executor, T>& y)
{
    for (index_t i = 0; i < x.size(); ++i) {
        if (!same_bits(x.get(i), y.get(i))) {
            return testing::AssertionFailure()
                   << "element " << i << " of " << x.size() << ": " << words(x.get(i)) << " and " << words(y.get(i));
        }
    }
    return x.size() == y.size() ? testing::AssertionSuccess() : testing::AssertionFailure() << "sizes";
}

template <class T>
testing::AssertionResult same_bits(const matrix<host_executor, T>& a, const matrix<host_executor, T>& b)
{
    for (index_t j = 0; j < a.cols(); ++j) {
        for (index_t i = 0; i < a.rows(); ++i) {
            if (!same_bits(a.get(i, j), b.get(i, j))) {
                return testing::AssertionFailure()
                       << "entry (" << i << ", " << j << "): " << words(a.get(i, j)) << " and " << words(b.get(i, j));
            }
        }
    }
    return testing::AssertionSuccess();
}

}  // namespace residua::support
