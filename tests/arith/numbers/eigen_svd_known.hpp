#pragma once

#include <cstddef>
#include <type_traits>
#include <vector>

#include "eigen_scalars.hpp"

namespace residua {

/// A matrix and its singular values, both exact.
struct known_svd {
    dense<real> a;
    std::vector<double> sigma;
};

/// How far a decomposition is off, in units of Eigen's epsilon: Frobenius norms, formed with 600 bits.
struct svd_errors {
    double residual;  ///< A - U S V', divided by the largest singular value
    double left;      ///< U' U - I
    double right;     ///< V' V - I
    double values;    ///< the largest error of a singular value, divided by the largest one
};

/// The binary logarithm of NumTraits::epsilon() in units of 2^-bits. The tests have it from here, for one that is
/// wrong in the traits would move their bounds with it.
template <class T>
inline constexpr int epsilon_shift = 3;
template <int N>
inline constexpr int epsilon_shift<expansion<double, N>> = 6;

template <class T>
dense<real> exact(const dense<T>& a)
{
    dense<real> r(a.rows(), a.cols());
    for (Eigen::Index i = 0; i < a.rows(); ++i) {
        for (Eigen::Index j = 0; j < a.cols(); ++j) {
            r(i, j) = to_real(a(i, j)).with_precision(600);
        }
    }
    return r;
}

/// A B'.
inline dense<real> times_transposed(const dense<real>& a, const dense<real>& b)
{
    dense<real> c(a.rows(), b.rows());
    for (Eigen::Index i = 0; i < a.rows(); ++i) {
        for (Eigen::Index j = 0; j < b.rows(); ++j) {
            c(i, j) = real(0.0, 600);
            for (Eigen::Index k = 0; k < a.cols(); ++k) {
                c(i, j) += a(i, k) * b(j, k);
            }
        }
    }
    return c;
}

/// I - (2 / n) s s' for a vector s of n signs, the bits of signs: an orthogonal matrix, exact if n is a power of two.
inline dense<real> reflection(int n, unsigned signs)
{
    dense<real> h(n, n);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            const bool differ = (((signs >> i) ^ (signs >> j)) & 1U) != 0;
            h(i, j) = real((i == j ? 1.0 : 0.0) + (differ ? 2.0 : -2.0) / n, 600);
        }
    }
    return h;
}

/// U S V' of products U and V of two reflections each. The numbers of rows and columns are powers of two. The entries
/// have at most 16 bits more than the ratio of the largest to the last bit in sigma.
inline known_svd matrix_of(int rows, int columns, const std::vector<double>& sigma)
{
    const dense<real> u = times_transposed(reflection(rows, 0x5a31), reflection(rows, 0x0c95));
    const dense<real> v = times_transposed(reflection(columns, 0x93e2), reflection(columns, 0x2b07));
    dense<real> left(rows, static_cast<Eigen::Index>(sigma.size()));
    dense<real> right(columns, static_cast<Eigen::Index>(sigma.size()));
    for (Eigen::Index k = 0; k < left.cols(); ++k) {
        left.col(k) = u.col(k) * real(sigma[static_cast<std::size_t>(k)]);
        right.col(k) = v.col(k);
    }
    return {times_transposed(left, right), sigma};
}

/// The number of singular values that are not zero.
inline Eigen::Index rank_of(const known_svd& known)
{
    Eigen::Index rank = 0;
    for (const double s : known.sigma) {
        rank += s != 0 ? 1 : 0;
    }
    return rank;
}

/// The matrix in the format, without a rounding.
template <class T>
dense<T> in_format(const dense<real>& a)
{
    dense<T> r(a.rows(), a.cols());
    for (Eigen::Index i = 0; i < a.rows(); ++i) {
        for (Eigen::Index j = 0; j < a.cols(); ++j) {
            if constexpr (std::is_same_v<T, real>) {
                r(i, j) = a(i, j).with_precision(real_bits);
            } else {
                r(i, j) = from_real<T>(a(i, j));
            }
        }
    }
    return r;
}

inline real norm(const dense<real>& a)
{
    real sum(0.0, 600);
    for (Eigen::Index i = 0; i < a.rows(); ++i) {
        for (Eigen::Index j = 0; j < a.cols(); ++j) {
            sum += a(i, j) * a(i, j);
        }
    }
    return sqrt(sum);
}

template <class T>
double in_epsilons(const real& x)
{
    return to_double(ldexp(x, scalar<T>::bits - epsilon_shift<T>));
}

/// ||Q' Q - I||.
template <class T>
double off_orthogonal(const dense<T>& q)
{
    const dense<real> t = exact<T>(q.transpose());
    dense<real> product = times_transposed(t, t);
    for (Eigen::Index k = 0; k < product.rows(); ++k) {
        product(k, k) -= 1;
    }
    return in_epsilons<T>(norm(product));
}

template <class SVD, class T = typename SVD::Scalar>
svd_errors errors_of(const SVD& svd, const known_svd& known)
{
    const auto terms = static_cast<Eigen::Index>(known.sigma.size());
    const real largest(known.sigma[0]);
    dense<real> left = exact<T>(svd.matrixU().leftCols(terms));
    const dense<real> right = exact<T>(svd.matrixV().leftCols(terms));
    real values(0.0);
    for (Eigen::Index k = 0; k < terms; ++k) {
        const real s = to_real(svd.singularValues()(k)).with_precision(600);
        values = max(values, abs(s - known.sigma[static_cast<std::size_t>(k)]));
        for (Eigen::Index i = 0; i < left.rows(); ++i) {
            left(i, k) *= s;
        }
    }
    dense<real> rest = times_transposed(left, right);
    for (Eigen::Index i = 0; i < rest.rows(); ++i) {
        for (Eigen::Index j = 0; j < rest.cols(); ++j) {
            rest(i, j) -= known.a(i, j);
        }
    }
    return {in_epsilons<T>(norm(rest) / largest), off_orthogonal<T>(svd.matrixU()), off_orthogonal<T>(svd.matrixV()),
            in_epsilons<T>(values / largest)};
}

}  // namespace residua
