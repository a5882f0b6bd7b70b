#pragma once

#include "tests/blas/level3/lu_factors.hpp"

namespace residua::support {

/// Symmetric and positive definite, by its diagonal, with rows and columns of sizes far apart.
template <class Real>
columns_of<Real> random_definite(biased_random& random, index_t n, index_t more = 0)
{
    columns_of<Real> a(n, more);
    std::vector<int> exponent;
    for (index_t i = 0; i < n; ++i) {
        exponent.push_back(random.integer(-8, 8));
    }
    for (index_t j = 0; j < n; ++j) {
        for (index_t i = 0; i <= j; ++i) {
            const int power = exponent[static_cast<std::size_t>(i)] + exponent[static_cast<std::size_t>(j)];
            const double x = i == j ? static_cast<double>(n) + std::abs(random.full(-1, -1)) : random.full(-20, -1);
            a.at(i, j) = a.at(j, i) = static_cast<Real>(std::ldexp(x, power));
        }
    }
    return a;
}

/// |A - L L'| <= gamma_(n+more) |L| |L'|, in the arithmetic of Real.
template <class Real>
void expect_cholesky(const columns_of<Real>& a, const columns_of<Real>& l, int more, const std::string& what)
{
    const double nu = static_cast<double>(a.n + more) * 0.5 * static_cast<double>(std::numeric_limits<Real>::epsilon());
    const double gamma = nu / (1.0 - nu);
    for (index_t i = 0; i < a.n; ++i) {
        for (index_t j = 0; j <= i; ++j) {
            exact_products sum;
            for (index_t k = 0; k <= j; ++k) {
                sum.add(wide(static_cast<double>(l.at(i, k))) * wide(static_cast<double>(l.at(j, k))));
            }
            const real exact = wide(static_cast<double>(a.at(i, j)));
            EXPECT_LE(error_units(sum.value, exact, sum.magnitude, 0), gamma)
                << "entry " << i << ", " << j << " of " << what;
        }
        EXPECT_GT(l.at(i, i), Real{0}) << what;
    }
}

/// A definite matrix whose leading matrix of order k is not so.
template <class Real>
columns_of<Real> indefinite_from(biased_random& random, index_t n, index_t k)
{
    columns_of<Real> a = random_definite<Real>(random, n);
    a.at(k - 1, k - 1) = -a.at(k - 1, k - 1);
    return a;
}

}  // namespace residua::support
