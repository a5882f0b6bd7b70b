#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <residua/arith/expansion/error_bounds.hpp>
#include <residua/blas/base/single_threaded_blas.hpp>
#include <residua/solvers/dense_direct/block_elimination.hpp>
#include <residua/solvers/space/blas_space.hpp>

namespace residua::support {

/// A space, and matrices over reals.
template <class S, long Bits>
struct kind {
    using space = S;
    static constexpr long bits = Bits;
    static S make()
    {
        if constexpr (requires { multidigit_space<host_executor>(S{{}, multidigit_format(Bits)}); }) {
            return S{{}, multidigit_format(Bits)};
        } else {
            return S{};
        }
    }
};

using rows = std::vector<std::vector<real>>;

struct shape {
    index_t rows, columns, candidates, beyond;
};

template <class Kind>
struct block_elimination_of : testing::Test {
    using space = typename Kind::space;
    using matrix = typename space::matrix;
    using elimination = block_elimination<space>;
    static constexpr long bits = Kind::bits;
    static constexpr long most = 3 * bits + 700;  // for sums of products that are nearly exact

    const space on = Kind::make();
    std::mt19937_64 random{631};

    /// A number of all bits in (-1, 1).
    real any()
    {
        real x(0.0, bits);
        for (long k = 0; k < bits; k += 50) {
            x = ldexp(x, -50) + real(std::ldexp(static_cast<double>(random() >> 14), -50), bits);
        }
        return random() % 2 == 0 ? x : -x;
    }

    rows any(index_t m, index_t n)
    {
        rows a(static_cast<std::size_t>(m));
        for (auto& row : a) {
            for (index_t j = 0; j < n; ++j) {
                row.push_back(any());
            }
        }
        return a;
    }

    rows any_definite(index_t n)
    {
        rows a = any(n, n);
        for (index_t i = 0; i < n; ++i) {
            for (index_t j = 0; j < i; ++j) {
                a[j][i] = a[i][j];
            }
            a[i][i] += real(static_cast<double>(n));
        }
        return a;
    }

    matrix block_of(const rows& a, index_t i0, index_t j0, index_t m, index_t n) const
    {
        matrix b = on.make_matrix(m, n);
        for (index_t i = 0; i < m; ++i) {
            for (index_t j = 0; j < n; ++j) {
                b.set(i, j, on.make_scalar(a[i0 + i][j0 + j]));
            }
        }
        return b;
    }

    static real at(const matrix& a, index_t i, index_t j) { return to_real(a.get(i, j)).with_precision(most); }

    /// Theorem 23 of docs/error_bounds.md for k pivots, in units of 2^-p.
    static double bound(index_t k, index_t panel)
    {
        double d = 1.0;
        if constexpr (number_traits_of_terms() > 1) {
            d = accumulation_error_bound<number_traits_of_terms()>(1);
        }
        const double size = static_cast<double>(k) + 1.0;
        const double widest = number_traits_of_terms() > 0 ? size : 8.0;
        const double width = std::min({size, static_cast<double>(panel), widest});
        return size * (2.0 + 2.0 * d * (width + std::ceil(std::log2(std::ceil(size / width)))));
    }
    static constexpr int number_traits_of_terms()
    {
        if constexpr (number<typename space::element>) {
            return number_traits<typename space::element>::terms;
        } else {
            return 0;
        }
    }

    struct lu_result {
        lu_pivots pivots;
        matrix a, r, c;
        index_t panel;
    };

    lu_result run_lu(const rows& a, const shape& s, double threshold, index_t panel) const
    {
        const blas::detail::single_threaded_blas one_thread;
        elimination e(on, {.panel = panel});
        lu_result x{{},
                    block_of(a, 0, 0, s.rows, s.columns),
                    block_of(a, 0, s.columns, s.candidates, s.beyond),
                    block_of(a, s.candidates, s.columns, s.rows - s.candidates, s.beyond),
                    0};
        x.pivots = e.lu(x.a.view(), s.candidates, threshold);
        x.panel = e.panel();
        e.lu_beyond(x.a.view(), x.pivots, x.r.view(), x.c.view());
        return x;
    }

    static real entry(const lu_result& x, const shape& s, index_t i, index_t j)
    {
        if (j < s.columns) {
            return at(x.a, i, j);
        }
        return i < s.candidates ? at(x.r, i, j - s.columns) : at(x.c, i - s.candidates, j - s.columns);
    }

    /// The largest |(P A Q - L U)_ij|, with what is left where there are no pivots, over 2^-p times the largest of row
    /// i of L and of column j of U and of what is left.
    static double backward_error(rows a, const lu_result& x, const shape& s)
    {
        const index_t n = s.columns + s.beyond, found = x.pivots.count;
        for (index_t k = 0; k < found; ++k) {
            std::swap(a[k], a[x.pivots.row_swap[k]]);
        }
        std::vector<real> row(static_cast<std::size_t>(s.rows), real(1.0)), col(static_cast<std::size_t>(n), real(0.0));
        rows f(static_cast<std::size_t>(s.rows));
        for (index_t i = 0; i < s.rows; ++i) {
            for (index_t j = 0; j < n; ++j) {
                f[i].push_back(entry(x, s, i, j));
                if (j < std::min(i, found)) {
                    row[i] = max(row[i], abs(f[i][j]));
                } else {
                    col[j] = max(col[j], abs(f[i][j]));
                }
            }
        }
        real worst(0.0);
        for (index_t i = 0; i < s.rows; ++i) {
            for (index_t j = 0; j < n; ++j) {
                const index_t from = j < s.columns ? x.pivots.column[j] : j;
                real rest = a[i][from].with_precision(most);
                for (index_t k = 0; k < std::min({i, j, found}); ++k) {
                    rest -= f[i][k] * f[k][j];
                }
                rest -= j < std::min(i, found) ? f[i][j] * f[j][j] : f[i][j];
                if (!is_zero(rest)) {
                    worst = max(worst, abs(rest) / (row[i] * col[j]));
                }
            }
        }
        return to_double(ldexp(worst, bits).with_precision(64));
    }

    /// Multipliers are small, and a column without a pivot has none that is allowed.
    static void expect_threshold(const lu_result& x, const shape& s, double threshold)
    {
        const real slack = real(1.0, most) + ldexp(real(16.0, most), -bits);
        for (index_t j = 0; j < s.columns; ++j) {
            real inside(0.0), outside(0.0);
            for (index_t i = j < x.pivots.count ? j + 1 : x.pivots.count; i < s.rows; ++i) {
                real& largest = i < s.candidates ? inside : outside;
                largest = max(largest, abs(at(x.a, i, j)));
            }
            if (j < x.pivots.count) {
                EXPECT_LE(inside, slack) << "column " << j;
                EXPECT_TRUE(threshold == 0.0 || outside * real(threshold) <= slack) << "column " << j;
            } else {
                EXPECT_TRUE(is_zero(inside) || inside < real(threshold) * outside) << "column " << j;
            }
        }
        std::vector<index_t> places = x.pivots.column;
        std::sort(places.begin(), places.end());
        for (index_t j = 0; j < s.columns; ++j) {
            EXPECT_EQ(places[j], j);
        }
    }

    /// Returns how many pivots there are; the same for every panel.
    index_t expect_lu(const rows& a, const shape& s, double threshold)
    {
        index_t found = -1;
        for (const index_t panel : {index_t{0}, index_t{4}, index_t{16}}) {
            const lu_result x = run_lu(a, s, threshold, panel);
            const std::string where =
                "panel " + std::to_string(panel) + ", " + std::to_string(x.pivots.count) + " pivots";
            SCOPED_TRACE(where);
            expect_threshold(x, s, threshold);
            const double most_allowed = (x.pivots.count < s.columns ? 2.0 : 1.0) * bound(x.pivots.count, x.panel);
            EXPECT_LT(backward_error(a, x, s), most_allowed);
            EXPECT_TRUE(found == -1 || found == x.pivots.count);
            found = x.pivots.count;
        }
        return found;
    }

    void expect_cholesky(index_t m, index_t k)
    {
        const rows a = any_definite(m);
        for (const index_t panel : {index_t{0}, index_t{4}, index_t{16}}) {
            const blas::detail::single_threaded_blas one_thread;
            elimination e(on, {.panel = panel});
            matrix l = block_of(a, 0, 0, m, k), c = block_of(a, k, k, m - k, m - k);
            for (index_t j = 0; j < k; ++j) {
                for (index_t i = 0; i < j; ++i) {
                    l.set(i, j, on.make_scalar(std::nan("")));  // is not read
                }
            }
            ASSERT_TRUE(e.cholesky(l.view()));
            e.subtract_square(block_at(l.view(), k, 0, m - k, k), c.view());
            real worst(0.0);
            for (index_t j = 0; j < m; ++j) {
                for (index_t i = j; i < m; ++i) {
                    real rest = a[i][j].with_precision(most);
                    for (index_t t = 0; t < std::min(j + 1, k); ++t) {
                        rest -= at(l, i, t) * at(l, j, t);
                    }
                    rest -= j < k ? real(0.0) : at(c, i - k, j - k);
                    worst = max(worst, abs(rest) / sqrt(a[i][i] * a[j][j]));
                }
            }
            EXPECT_LT(to_double(ldexp(worst, bits).with_precision(64)), bound(k, e.panel()))
                << m << ", panel " << panel;
        }
    }

    static auto block_at(typename elimination::view a, index_t i, index_t j, index_t m, index_t n)
    {
        if constexpr (number_traits_of_terms() > 0) {
            return a.block(i, j, m, n);
        } else {
            return a.block(i, j, m, n);
        }
    }

    static void expect_same(const matrix& a, const matrix& b, bool lower = false)
    {
        for (index_t j = 0; j < a.cols(); ++j) {
            for (index_t i = lower ? j : 0; i < a.rows(); ++i) {
                ASSERT_EQ(to_real(a.get(i, j)), to_real(b.get(i, j))) << i << ", " << j;
            }
        }
    }
};

}  // namespace residua::support
