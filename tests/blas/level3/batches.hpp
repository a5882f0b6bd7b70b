#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <residua/blas/base/batch.hpp>
#include <residua/blas/level2/residual_batch.hpp>
#include <residua/blas/level3/getrf_batch.hpp>
#include <residua/blas/level3/inverse_sums_batch.hpp>

#include "tests/support/biased_random.hpp"

namespace residua::support {

using batch_formats = testing::Types<double, expansion<double, 2>, expansion<double, 3>, expansion<double, 4>>;

/// Systems of one size with a vector each.
template <class T>
struct systems_of {
    matrix_batch<host_executor, T> a;
    vector_batch<host_executor, T> b;

    systems_of(index_t n, index_t count) : a(n, count), b(n, count) {}

    void set(index_t s, index_t i, index_t j, const T& x) { a.view().column(s, j).store(i, x); }
    T get(index_t s, index_t i, index_t j) const { return a.view().column(s, j).load(i); }

    /// System s <- system t of another batch.
    void copy(index_t s, const systems_of& from, index_t t)
    {
        for (index_t j = 0; j < a.size(); ++j) {
            b.view()[s].store(j, from.b.view()[t].load(j));
            for (index_t i = 0; i < a.size(); ++i) {
                set(s, i, j, from.get(t, i, j));
            }
        }
    }
};

/// System s: numbers of all kinds; every third one with entries of equal sizes, every fifth one with small integers, where
/// pivots tie and powers of two abound. System 1 is zero, system 2 has two equal rows, system 3 a NaN.
template <class T>
systems_of<T> random_systems(biased_random& random, index_t n, index_t count, bool with_singular = true)
{
    systems_of<T> x(n, count);
    for (index_t s = 0; s < count; ++s) {
        for (index_t j = 0; j < n; ++j) {
            x.b.view()[s].store(j, random.number<T>(-3, 3));
            for (index_t i = 0; i < n; ++i) {
                const T any = random.number<T>(-6, 0);
                x.set(s, i, j,
                      s % 5 == 4            ? T{static_cast<double>(random.integer(-3, 3))}
                      : s % 3 == 2 && i > 0 ? T{x.get(s, 0, j) + any * 0x1p-70}
                                            : any);
            }
        }
        if (s % 5 == 4 || s % 3 == 2) {
            for (index_t i = 0; i < n; ++i) {
                x.set(s, i, i, T{x.get(s, i, i) + T{static_cast<double>(n)}});
            }
        }
    }
    for (index_t j = 0; with_singular && count > 3 && j < n; ++j) {
        for (index_t i = 0; i < n; ++i) {
            x.set(1, i, j, T{0.0});
        }
        x.set(2, n - 1, j, n > 1 ? x.get(2, 0, j) : T{0.0});
    }
    if (with_singular && count > 3) {
        x.set(3, n / 2, n / 2, T{std::numeric_limits<double>::quiet_NaN()});
    }
    return x;
}

/// What blas makes of a batch on the host.
template <class T>
struct host_results {
    systems_of<T> factors;
    std::vector<std::int32_t> pivots, info;
    vector_batch<host_executor, blas::doubled<T>> r;
    vector_batch<host_executor, double> sizes, inverse, upper;

    explicit host_results(const systems_of<T>& x)
        : factors(x),
          pivots(static_cast<std::size_t>(x.a.size() * x.a.count())),
          info(static_cast<std::size_t>(x.a.count())),
          r(x.a.size(), x.a.count()),
          sizes(x.a.size(), x.a.count()),
          inverse(x.a.size(), x.a.count()),
          upper(x.a.size(), x.a.count())
    {
        const host_executor exec;
        blas::getrf_batch<T>(exec, factors.a.view(), pivots, info);
        blas::getrs_batch<T>(exec, factors.a.view(), pivots, info, factors.b.view());
        for (index_t s = 0; s < x.a.count(); ++s) {
            for (index_t i = 0; i < x.a.size(); ++i) {
                r.view()[s].store(i, blas::doubled<T>{x.b.view()[s].load(i)});
            }
        }
        blas::residual_batch<T, T>(exec, x.a.view(), std::as_const(factors.b).view(), r.view(), sizes.view());
        blas::inverse_sums_batch<T>(exec, std::as_const(factors.a).view(), info, inverse.view(), upper.view());
    }
};

/// Whether all words of vector s and vector t are the same.
template <class T>
bool same_words(const vector_batch<host_executor, T>& x, index_t s, const vector_batch<host_executor, T>& y, index_t t)
{
    for (int k = 0; k < number_traits<T>::terms; ++k) {
        for (index_t i = 0; i < x.size(); ++i) {
            if (to_bits(x.view()[s].plane(k)[i]) != to_bits(y.view()[t].plane(k)[i])) {
                return false;
            }
        }
    }
    return true;
}

/// The same of matrices.
template <class T>
bool same_words(const matrix_batch<host_executor, T>& x, index_t s, const matrix_batch<host_executor, T>& y, index_t t)
{
    for (int k = 0; k < number_traits<T>::terms; ++k) {
        for (index_t e = 0; e < x.size() * x.size(); ++e) {
            if (to_bits(x.view()[s].plane(k)[e]) != to_bits(y.view()[t].plane(k)[e])) {
                return false;
            }
        }
    }
    return true;
}

/// System s of one batch has the results of system t of another; those without factors only what is promised.
template <class T>
void expect_same(const host_results<T>& x, index_t s, const host_results<T>& y, index_t t, const std::string& what)
{
    const auto at_s = static_cast<std::size_t>(s), at_t = static_cast<std::size_t>(t);
    const auto n = static_cast<std::size_t>(x.r.size());
    ASSERT_EQ(x.info[at_s], y.info[at_t]) << what;
    EXPECT_TRUE(same_words(x.factors.b, s, y.factors.b, t)) << what << ": x";
    EXPECT_TRUE(same_words(x.inverse, s, y.inverse, t)) << what << ": inverse";
    EXPECT_TRUE(same_words(x.upper, s, y.upper, t)) << what << ": upper";
    if (x.info[at_s] == 0) {
        EXPECT_TRUE(same_words(x.factors.a, s, y.factors.a, t)) << what << ": factors";
        EXPECT_TRUE(same_words(x.r, s, y.r, t)) << what << ": residual";
        EXPECT_TRUE(same_words(x.sizes, s, y.sizes, t)) << what << ": sizes";
        for (std::size_t k = 0; k < n; ++k) {
            EXPECT_EQ(x.pivots[at_s * n + k], y.pivots[at_t * n + k]) << what << ": pivot " << k + 1;
        }
    }
}

}  // namespace residua::support
