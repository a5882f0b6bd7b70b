#pragma once

#include <cstddef>
#include <vector>

#include <Eigen/Core>

#include <residua/arith/numbers/eigen.hpp>

namespace residua {

/// The scalars that tests of Eigen's decompositions take: one of each family, for each takes its time to compile.
/// Decompositions meet entries of type real of real_bits bits.
inline constexpr long real_bits = 300;

template <class T>
struct scalar {
    static T of(double x) { return T(x); }
    static constexpr int bits = number_traits<T>::precision_bits;
};
template <>
struct scalar<real> {
    static real of(double x) { return {x, real_bits}; }
    static constexpr int bits = static_cast<int>(real_bits);
};

template <class T>
using dense = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
template <class T>
using column = Eigen::Matrix<T, Eigen::Dynamic, 1>;

/// A Hilbert matrix plus the identity, and a shift of one entry if it is not to be symmetric.
template <class T>
dense<T> test_matrix(int n, bool symmetric)
{
    dense<T> a(n, n);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            a(i, j) = scalar<T>::of(1) / (i + j + 1) + (i == j ? 1 : 0);
        }
    }
    if (!symmetric) {
        a(0, n - 1) += 2;
    }
    return a;
}

/// The solution of A x = (1, ..., 1) by Gauss and Jordan in MPFR, with 600 bits and the pivots as they come.
template <class T>
std::vector<real> exact_solution(const dense<T>& a)
{
    const auto n = static_cast<std::size_t>(a.rows());
    std::vector<std::vector<real>> rows(n, std::vector<real>(n + 1, real(1.0, 600)));
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            rows[i][j] = to_real(a(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)));
        }
    }
    for (std::size_t k = 0; k < n; ++k) {
        for (std::size_t i = 0; i < n; ++i) {
            if (i != k) {
                const real factor = rows[i][k].with_precision(600) / rows[k][k];
                for (std::size_t j = k; j <= n; ++j) {
                    rows[i][j] = rows[i][j].with_precision(600) - factor * rows[k][j];
                }
            }
        }
    }
    std::vector<real> x(n);
    for (std::size_t k = 0; k < n; ++k) {
        x[k] = rows[k][n] / rows[k][k];
    }
    return x;
}

/// The largest error of x, in units of 2^-bits.
template <class T>
double error_in_ulps(const column<T>& x, const std::vector<real>& exact)
{
    real largest(0.0);
    for (std::size_t k = 0; k < exact.size(); ++k) {
        largest = max(largest, abs(to_real(x(static_cast<Eigen::Index>(k))) - exact[k]));
    }
    return to_double(ldexp(largest, scalar<T>::bits));
}

}  // namespace residua
