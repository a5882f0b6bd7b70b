#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <residua/blas/base/matrix.hpp>
#include <residua/blas/base/vector.hpp>
#include <residua/blas/level2/block_triangle.hpp>

#include "tests/support/biased_random.hpp"
#include "tests/support/oracle.hpp"

namespace residua::support {

/// Diagonals that a triangle of random entries can have.
enum class diagonal { large, graded };

/// Entries of about 2^-5, some of them zero; on the diagonal about 4, or from 2^-100 to 2^100 as rows go on.
inline matrix<host_executor, double> random_triangles(biased_random& random, index_t n, diagonal kind)
{
    matrix<host_executor, double> a(n, n);
    for (index_t j = 0; j < n; ++j) {
        for (index_t i = 0; i < n; ++i) {
            const double entry = random.full(-8, -4);
            const int grade = static_cast<int>(200 * i / std::max<index_t>(n - 1, 1)) - 100;
            a.set(i, j, i != j ? (random.one_in(10) ? 0.0 : entry) : random.full(2, 2));
            if (kind == diagonal::graded) {
                a.set(i, j, std::ldexp(a.get(i, j), grade));
            }
        }
    }
    return a;
}

inline vector<host_executor, double> random_right_side(biased_random& random, index_t n)
{
    vector<host_executor, double> b(n);
    for (index_t i = 0; i < n; ++i) {
        b.set(i, random.one_in(10) ? 0.0 : random.full(-20, 20));
    }
    return b;
}

/// gamma_i = i u / (1 - i u), u = 2^-53
inline real gamma(index_t i)
{
    const real iu = ldexp(wide(static_cast<double>(i)), -53);
    return iu / (wide(1.0) - iu);
}

/// The bound of block_triangle in every row, with the inverses that it has.
inline void expect_solved(const matrix<host_executor, double>& a, blas::uplo triangle, blas::diag unit, index_t m,
                          const buffer<host_executor, double>& inverses, const vector<host_executor, double>& b,
                          const vector<host_executor, double>& x, const std::string& what)
{
    const index_t n = a.cols();
    const auto place = [&](index_t s) { return triangle == blas::uplo::lower ? s : n - 1 - s; };
    const auto t = [&](index_t i, index_t j) {
        return i == j && unit == blas::diag::unit ? 1.0 : a.get(place(i), place(j));
    };
    const index_t p = m / 32 + 32;
    const real of_block = gamma(m + p), of_sums = gamma(p + n / m);
    for (index_t first = 0; first < n; first += m) {
        const index_t rows = std::min(m, n - first);
        const double* const inverse = inverses.data() + first * m;
        std::vector<real> bound;  // |c_k| + gamma_q g_k, then |X_k| times that
        std::vector<real> residual, sums;
        for (index_t i = first; i < first + rows; ++i) {
            exact_products c;
            c.add(wide(b.get(place(i))));
            for (index_t j = 0; j < first; ++j) {
                c.add(wide(-t(i, j)) * wide(x.get(place(j))));
            }
            sums.push_back(of_sums * c.magnitude);
            bound.push_back(abs(c.value) + sums.back());
            for (index_t j = first; j <= i; ++j) {
                c.value -= wide(t(i, j)) * wide(x.get(place(j)));
            }
            residual.push_back(c.value);
        }
        std::vector<real> inner;
        for (index_t i = 0; i < rows; ++i) {
            real sum = wide(0.0);
            for (index_t j = 0; j <= i; ++j) {
                sum += abs(wide(inverse[j * m + i])) * bound[static_cast<std::size_t>(j)];
            }
            inner.push_back(sum);
        }
        for (index_t i = 0; i < rows; ++i) {
            real sum = wide(0.0);
            for (index_t j = 0; j <= i; ++j) {
                sum += abs(wide(t(first + i, first + j))) * inner[static_cast<std::size_t>(j)];
            }
            const real most = of_block * sum + sums[static_cast<std::size_t>(i)];
            EXPECT_TRUE(is_finite(residual[static_cast<std::size_t>(i)])) << "step " << first + i << " of " << what;
            EXPECT_FALSE(most < abs(residual[static_cast<std::size_t>(i)])) << "step " << first + i << " of " << what;
        }
    }
}

inline std::string describe(blas::uplo triangle, blas::diag unit, index_t n, index_t m)
{
    return std::string(triangle == blas::uplo::lower ? "lower" : "upper") + (unit == blas::diag::unit ? ", unit" : "") +
           ", n " + std::to_string(n) + ", blocks of " + std::to_string(m);
}

}  // namespace residua::support
