#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/dense_direct/block_elimination.hpp>
#include <residua/solvers/space/blas_space.hpp>

namespace residua::support {

template <class S, long Bits>
struct kind {
    using space = S;
    static constexpr long bits = Bits;
    static S make()
    {
        if constexpr (requires { multidigit_space<host_executor>(S{{}, multidigit_format(Bits)}); }) {
            return S{{}, multidigit_format(Bits)};
        } else if constexpr (requires { rns_space<host_executor>(S{{}, rns_format(Bits)}); }) {
            return S{{}, rns_format(Bits)};
        } else {
            return S{};
        }
    }
};

inline constexpr double threshold = 0.01;

using rows = std::vector<std::vector<real>>;

/// Partial L D L' of a matrix, and whether it is one.
template <class Kind>
struct ldl_front : testing::Test {
    using space = typename Kind::space;
    using matrix = typename space::matrix;
    static constexpr long bits = Kind::bits;
    static constexpr bool has_products = !std::is_same_v<typename space::element, rns>;

    const space on = Kind::make();
    const unsigned seed = 20261125;
    std::mt19937_64 random{seed};
    double largest_error = 0.0;

    /// A number of all bits in (-1, 1).
    real any()
    {
        real x(0.0, bits);
        for (long k = 0; k < bits; k += 50) {
            x = ldexp(x, -50) + real(std::ldexp(static_cast<double>(random() >> 14), -50), bits);
        }
        return random() % 2 == 0 ? x : -x;
    }

    static rows zeros(index_t n)
    {
        return rows(static_cast<std::size_t>(n), std::vector<real>(static_cast<std::size_t>(n), real(0.0)));
    }

    static void set(rows& a, index_t i, index_t j, const real& x) { a[i][j] = a[j][i] = x; }

    rows any(index_t n)
    {
        rows a = zeros(n);
        for (index_t i = 0; i < n; ++i) {
            for (index_t j = 0; j <= i; ++j) {
                set(a, i, j, any());
            }
        }
        return a;
    }

    /// The first columns and the rest of a matrix of n rows, after the elimination.
    struct front {
        matrix p, c;
        ldl_pivots pivots;

        /// Entry (i, j) of what is stored, i >= j.
        real at(index_t i, index_t j) const
        {
            const index_t k = p.cols();
            return to_real(j < k ? p.get(i, j) : c.get(i - k, j - k));
        }
    };

    front eliminate(const rows& a, index_t k, const elimination_options& options = {})
    {
        const auto n = static_cast<index_t>(a.size());
        front f{on.make_matrix(n, k), on.make_matrix(n - k, n - k), {}};
        const auto above = on.make_scalar(std::nan(""));  // is not read
        for (index_t i = 0; i < n; ++i) {
            for (index_t j = 0; j < n; ++j) {
                const auto x = j <= i ? on.make_scalar(a[i][j]) : above;
                if (j < k) {
                    f.p.set(i, j, x);
                } else if (i >= k) {
                    f.c.set(i - k, j - k, x);
                }
            }
        }
        block_elimination<space> by(on, options);
        f.pivots = by.ldl(f.p.view(), threshold);
        if constexpr (has_products) {
            by.ldl_beyond(f.p.view(), f.pivots, f.c.view());
        }
        return f;
    }

    /// L is bounded by the threshold, D is where the contract has it, and their product is A but for n roundings.
    void expect_factors_of(const rows& a, const front& f)
    {
        const auto n = static_cast<index_t>(a.size());
        const index_t k = f.p.cols(), t = f.pivots.count;
        std::vector<index_t> from(static_cast<std::size_t>(n));
        for (index_t i = 0; i < n; ++i) {
            from[i] = i < k ? f.pivots.column[i] : i;
        }
        std::vector<index_t> sorted = from;
        std::sort(sorted.begin(), sorted.end());
        for (index_t i = 0; i < n; ++i) {
            ASSERT_EQ(sorted[i], i);
        }
        const long most = 3 * bits + 200;
        const auto l = [&](index_t i, index_t j) {
            return (i == j ? real(1.0) : i > j ? f.at(i, j) : real(0.0)).with_precision(most);
        };
        rows w(static_cast<std::size_t>(n), std::vector<real>(static_cast<std::size_t>(t)));  // L D
        real largest_l(0.0), largest_w(0.0);
        for (index_t j = 0; j < t; ++j) {
            const bool pair = f.pivots.is_pair[j] != 0;
            const real beside = pair ? to_real(f.p.get(j, j + 1)).with_precision(most) : real(0.0);
            if (pair) {
                ASSERT_LT(j + 1, t);
                ASSERT_EQ(f.pivots.is_pair[j + 1], 0);
                ASSERT_EQ(f.at(j + 1, j), real(0.0));
                ASSERT_NE(beside, real(0.0));
            }
            for (index_t i = 0; i < n; ++i) {
                w[i][j] = l(i, j) * f.at(j, j);
                if (pair) {
                    w[i][j] += l(i, j + 1) * beside;
                    w[i][j + 1] = l(i, j) * beside + l(i, j + 1) * f.at(j + 1, j + 1);
                }
                largest_l = max(largest_l, abs(l(i, j)));
            }
            j += pair ? 1 : 0;
        }
        EXPECT_LE(to_double(largest_l), (1.0 + 1e-12) / threshold);
        real largest_rest(0.0), worst(0.0);
        for (index_t i = 0; i < n; ++i) {
            for (index_t j = 0; j < t; ++j) {
                largest_w = max(largest_w, abs(w[i][j]));
            }
        }
        for (index_t i = 0; i < n; ++i) {
            for (index_t j = 0; j <= i; ++j) {
                if (!has_products && j >= k) {
                    continue;
                }
                const real rest = j >= t ? f.at(i, j) : real(0.0);
                real error = a[from[i]][from[j]].with_precision(most) - rest;
                for (index_t q = 0; q < std::min({t, i + 1, j + 2}); ++q) {
                    error -= w[i][q] * l(j, q);
                }
                worst = max(worst, abs(error));
                largest_rest = max(largest_rest, abs(rest));
            }
        }
        const real size = max(largest_rest, largest_w * max(largest_l, real(1.0)));
        if (size != real(0.0)) {
            largest_error = std::max(largest_error, to_double(ldexp(worst / size, bits).with_precision(64)));
            EXPECT_LT(to_double(ldexp(worst / size, bits).with_precision(64)), 8.0 * static_cast<double>(n));
        }
    }

    front expect_good(const rows& a, index_t k, const elimination_options& options = {})
    {
        const front f = eliminate(a, k, options);
        expect_factors_of(a, f);
        return f;
    }

    static index_t pairs(const front& f) { return std::count(f.pivots.is_pair.begin(), f.pivots.is_pair.end(), 1); }
};

}  // namespace residua::support
