#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <residua/blas/level3/getrf.hpp>

#include "tests/support/biased_random.hpp"
#include "tests/support/oracle.hpp"

namespace residua::support {

/// A matrix of binary32 or binary64 numbers by columns, `more` words apart from the next one.
template <class Real>
struct columns_of {
    index_t n = 0;
    index_t ld = 0;
    std::vector<Real> words;

    explicit columns_of(index_t order, index_t more = 0)
        : n(order), ld(order + more), words(static_cast<std::size_t>(ld * order), Real{7})
    {}

    Real& at(index_t i, index_t j) { return words[static_cast<std::size_t>(j * ld + i)]; }
    Real at(index_t i, index_t j) const { return words[static_cast<std::size_t>(j * ld + i)]; }
};

/// Numbers of all bits, with exponents from -spread to 0; rows of every size.
template <class Real>
columns_of<Real> random_columns(biased_random& random, index_t n, int spread, index_t more = 0)
{
    columns_of<Real> a(n, more);
    for (index_t j = 0; j < n; ++j) {
        for (index_t i = 0; i < n; ++i) {
            a.at(i, j) = i != j && random.one_in(10) ? Real{0} : static_cast<Real>(random.full(-spread, 0));
        }
    }
    return a;
}

/// |P A - L U| <= gamma_n |L| |U|, in the arithmetic of Real.
template <class Real>
void expect_factors(const columns_of<Real>& a, const columns_of<Real>& lu, const std::vector<std::int64_t>& pivots,
                    const std::string& what)
{
    const std::vector<index_t> order = blas::row_order(pivots);
    const double nu = static_cast<double>(a.n) * 0.5 * static_cast<double>(std::numeric_limits<Real>::epsilon());
    const double gamma = nu / (1.0 - nu);
    for (index_t i = 0; i < a.n; ++i) {
        for (index_t j = 0; j < a.n; ++j) {
            exact_products sum;
            for (index_t k = 0; k <= std::min(i, j); ++k) {
                const real l = wide(k == i ? 1.0 : static_cast<double>(lu.at(i, k)));
                sum.add(l * wide(static_cast<double>(lu.at(k, j))));
            }
            const real exact = wide(static_cast<double>(a.at(order[static_cast<std::size_t>(i)], j)));
            EXPECT_LE(error_units(sum.value, exact, sum.magnitude, 0), gamma)
                << "entry " << i << ", " << j << " of " << what;
            EXPECT_TRUE(i <= j || std::abs(lu.at(i, j)) <= Real{1})
                << "multiplier " << i << ", " << j << " of " << what;
        }
    }
}

}  // namespace residua::support
