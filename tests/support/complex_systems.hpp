#pragma once

#include <cmath>
#include <complex>
#include <cstddef>
#include <vector>

#include <Eigen/LU>

#include <residua/arith/base/random.hpp>
#include <residua/arith/complex/eigen.hpp>
#include <residua/arith/real/eigen.hpp>
#include <residua/io/matrix_market.hpp>

/// Dense complex matrices, their real forms, and solutions by Eigen over pairs of MPFR numbers.
namespace residua::support {

using complex_double = std::complex<double>;
using complex_rows = std::vector<std::vector<complex_double>>;
using complex_real = complex_number<real>;

/// The real form: a + ib becomes [[a, -b], [b, a]]; what is zero is left out.
inline io::coo<double> real_form(const complex_rows& a)
{
    io::coo<double> k;
    k.rows = k.cols = 2 * static_cast<index_t>(a.size());
    const auto put = [&](index_t i, index_t j, double value) {
        if (value != 0.0) {
            k.row.push_back(i);
            k.col.push_back(j);
            k.value.push_back(value);
        }
    };
    for (std::size_t i = 0; i < a.size(); ++i) {
        for (std::size_t part = 0; part < 2; ++part) {
            for (std::size_t j = 0; j < a[i].size(); ++j) {
                const complex_double z = a[i][j];
                const auto row = static_cast<index_t>(2 * i + part);
                const auto col = static_cast<index_t>(2 * j);
                put(row, col, part == 0 ? z.real() : z.imag());
                put(row, col + 1, part == 0 ? -z.imag() : z.real());
            }
        }
    }
    return k;
}

inline complex_rows adjoint(const complex_rows& a)
{
    complex_rows h(a.size(), std::vector<complex_double>(a.size()));
    for (std::size_t i = 0; i < a.size(); ++i) {
        for (std::size_t j = 0; j < a.size(); ++j) {
            h[j][i] = std::conj(a[i][j]);
        }
    }
    return h;
}

inline complex_double random_complex(splitmix64& random)
{
    const double re = uniform(random);
    return {re, uniform(random)};
}

/// Random entries, and `shift` added to the diagonal.
inline complex_rows random_rows(std::size_t n, complex_double shift, std::uint64_t seed = 7)
{
    splitmix64 random{seed};
    complex_rows a(n, std::vector<complex_double>(n));
    for (std::size_t i = 0; i < n; ++i) {
        for (complex_double& each : a[i]) {
            each = random_complex(random) / std::sqrt(static_cast<double>(n));
        }
        a[i][i] += shift;
    }
    return a;
}

/// The Laplacian of a square of m x m points, times h^2, less `shift`: waves in a medium that absorbs them where
/// im(shift) != 0. A complex symmetric matrix.
inline complex_rows shifted_laplacian(std::size_t m, complex_double shift)
{
    complex_rows a(m * m, std::vector<complex_double>(m * m));
    for (std::size_t i = 0; i < m * m; ++i) {
        a[i][i] = 4.0 - shift;
        if (i % m + 1 < m) {
            a[i][i + 1] = a[i + 1][i] = -1.0;
        }
        if (i + m < m * m) {
            a[i][i + m] = a[i + m][i] = -1.0;
        }
    }
    return a;
}

/// A hermitian matrix with a phase in each entry beside the diagonal: positive definite for a diagonal above 2.
inline complex_rows hermitian_rows(std::size_t n, double diagonal)
{
    complex_rows a(n, std::vector<complex_double>(n));
    for (std::size_t i = 0; i < n; ++i) {
        a[i][i] = diagonal + static_cast<double>(i % 7) / 8.0;
        if (i + 1 < n) {
            const auto angle = static_cast<double>(i);
            a[i][i + 1] = complex_double(std::cos(angle), std::sin(angle));
            a[i + 1][i] = std::conj(a[i][i + 1]);
        }
    }
    return a;
}

/// n complex numbers as 2n real ones.
inline std::vector<double> random_parts(std::size_t n, std::uint64_t seed = 11)
{
    splitmix64 random{seed};
    std::vector<double> parts(2 * n);
    for (double& each : parts) {
        each = uniform(random);
    }
    return parts;
}

/// x of A x = b by Eigen's LU in 600 bits, real and imaginary parts in turn.
inline std::vector<real> complex_reference(const complex_rows& a, const std::vector<double>& b)
{
    constexpr long bits = 600;
    const auto n = static_cast<Eigen::Index>(a.size());
    const auto long_complex = [](complex_double z) { return complex_real(real(z.real(), bits), real(z.imag(), bits)); };
    Eigen::Matrix<complex_real, Eigen::Dynamic, Eigen::Dynamic> matrix(n, n);
    Eigen::Matrix<complex_real, Eigen::Dynamic, 1> right(n);
    for (std::size_t i = 0; i < a.size(); ++i) {
        right(static_cast<Eigen::Index>(i)) = long_complex({b[2 * i], b[2 * i + 1]});
        for (std::size_t j = 0; j < a.size(); ++j) {
            matrix(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = long_complex(a[i][j]);
        }
    }
    const Eigen::Matrix<complex_real, Eigen::Dynamic, 1> x = matrix.partialPivLu().solve(right);
    std::vector<real> parts;
    for (const complex_real& each : x) {
        parts.push_back(each.real());
        parts.push_back(each.imag());
    }
    return parts;
}

/// ||x - y|| / ||y|| of lists of real numbers.
inline double distance(const std::vector<real>& x, const std::vector<real>& y)
{
    real of(0.0, 600), all(0.0, 600);
    for (std::size_t i = 0; i < y.size(); ++i) {
        const real d = x[i].with_precision(2000) - y[i];
        of += d * d;
        all += y[i] * y[i];
    }
    return to_double(sqrt(of / all));
}

template <class V>
std::vector<real> reals_of(const V& x)
{
    std::vector<real> all;
    for (index_t i = 0; i < x.size(); ++i) {
        if constexpr (requires { to_real(x.get(i)); }) {
            all.push_back(to_real(x.get(i)));
        } else {
            all.push_back(real(x.get(i)));
        }
    }
    return all;
}

}  // namespace residua::support
