// Steps of solves in binary64 against their stated order of operations, bit for bit, number by number: with matrices in
// binary64 and in binary32.
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <residua/blas/base/simd.hpp>
#include <residua/solvers/dense_direct/binary64_columns.hpp>

using namespace residua;
using namespace residua::detail;

namespace {

using numbers = std::vector<double>;

template <class T>
struct column_major {
    index_t rows, cols, ld;
    std::vector<T> entry;

    double operator()(index_t i, index_t j) const { return entry[static_cast<std::size_t>(j * ld + i)]; }
    native_block<T> view() { return {{entry.data(), 0}, rows, cols, ld}; }
};

numbers random_numbers(index_t n, std::mt19937_64& random)
{
    std::uniform_real_distribution<double> value(-1.0, 1.0);
    numbers x(static_cast<std::size_t>(n));
    for (double& each : x) {
        each = value(random);
    }
    return x;
}

template <class T>
column_major<T> random_matrix(index_t rows, index_t cols, std::mt19937_64& random)
{
    const index_t ld = rows + static_cast<index_t>(random() % 3);
    column_major<T> a{rows, cols, ld, {}};
    for (const double each : random_numbers(ld * cols, random)) {
        a.entry.push_back(static_cast<T>(each));
    }
    return a;
}

/// In this file a product is rounded before it is subtracted, as everywhere.
double product(double x, double y)
{
    const volatile double rounded = x * y;
    return rounded;
}

/// The sum of a_(first + i)j x_i, i < size, by eights.
template <class T>
double dot(const column_major<T>& a, index_t first, index_t j, const double* x, index_t size)
{
    double sum[8] = {};
    const index_t whole = size / 8 * 8;
    for (index_t i = 0; i < size; ++i) {
        sum[i < whole ? i % 8 : 0] += product(a(first + i, j), x[i]);
    }
    return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
}

template <class T>
void subtract_naively(const column_major<T>& a, const numbers& x, numbers& y)
{
    for (index_t i = 0; i < a.rows; ++i) {
        for (index_t j = 0; j < a.cols; ++j) {
            y[i] -= product(a(i, j), x[j]);
        }
    }
}

template <class T>
void subtract_transposed_naively(const column_major<T>& a, const numbers& x, numbers& y)
{
    for (index_t j = 0; j < a.cols; ++j) {
        y[j] -= dot(a, 0, j, x.data(), a.rows);
    }
}

template <class T>
void solve_naively(bool lower, bool divides, const column_major<T>& t, numbers& x)
{
    for (index_t step = 0; step < t.cols; ++step) {
        const index_t j = lower ? step : t.cols - 1 - step;
        for (index_t k = 0; k < step; ++k) {
            const index_t i = lower ? k : t.cols - 1 - k;
            x[j] -= product(t(j, i), x[i]);
        }
        x[j] = divides ? x[j] / t(j, j) : x[j];
    }
}

template <class T>
void solve_transposed_naively(bool lower, bool divides, const column_major<T>& t, numbers& x)
{
    const index_t n = t.cols;
    for (index_t step = 0; step < n; ++step) {
        const index_t j = lower ? n - 1 - step : step;
        const index_t begin = j / 4 * 4, end = std::min(begin + 4, n);
        x[j] -= lower ? dot(t, end, j, x.data() + end, n - end) : dot(t, 0, j, x.data(), begin);
        if (lower) {
            for (index_t i = end - 1; i > j; --i) {
                x[j] -= product(t(i, j), x[i]);
            }
        } else {
            for (index_t i = begin; i < j; ++i) {
                x[j] -= product(t(i, j), x[i]);
            }
        }
        x[j] = divides ? x[j] / t(j, j) : x[j];
    }
}

/// Vectors side by side, and one of them.
numbers side_by_side(const std::vector<numbers>& x)
{
    numbers all;
    for (std::size_t i = 0; i < x.front().size(); ++i) {
        for (const numbers& each : x) {
            all.push_back(each[i]);
        }
    }
    return all;
}

binary64_columns view(numbers& x, index_t width) { return {x.data(), static_cast<index_t>(x.size()) / width, width}; }

/// For one and eight vectors: `f` on columns, `naive` on each vector.
template <class F, class Naive>
void expect_the_order(index_t x_size, index_t y_size, std::mt19937_64& random, const F& f, const Naive& naive)
{
    for (const index_t width : {1, 8}) {
        std::vector<numbers> x, y;
        for (index_t c = 0; c < width; ++c) {
            x.push_back(random_numbers(x_size, random));
            y.push_back(random_numbers(y_size, random));
        }
        numbers all_x = side_by_side(x), all_y = side_by_side(y);
        for (index_t c = 0; c < width; ++c) {
            naive(x[c], y[c]);
        }
        f(view(all_x, width), view(all_y, width));
        EXPECT_EQ(all_y, side_by_side(y)) << width << " together, " << x_size << " and " << y_size << " numbers";
    }
}

struct binary64_columns_test : testing::TestWithParam<blas::isa> {
    std::mt19937_64 random{37};
    void SetUp() override { blas::limit_isa(GetParam()); }
    void TearDown() override { blas::limit_isa(blas::isa::avx512); }

    template <class T>
    void expect_products(index_t rows, index_t cols);
    template <class T>
    void expect_triangles(index_t n);
};

const std::vector<index_t> sizes{0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 31, 33, 70, 129};

template <class T>
void binary64_columns_test::expect_products(index_t rows, index_t cols)
{
    column_major<T> a = random_matrix<T>(rows, cols, random);
    expect_the_order(
        cols, rows, random, [&](auto x, auto y) { subtract(a.view(), x, y); },
        [&](const numbers& x, numbers& y) { subtract_naively(a, x, y); });
    expect_the_order(
        rows, cols, random, [&](auto x, auto y) { subtract_transposed(a.view(), x, y); },
        [&](const numbers& x, numbers& y) { subtract_transposed_naively(a, x, y); });
}

template <class T>
void binary64_columns_test::expect_triangles(index_t n)
{
    column_major<T> t = random_matrix<T>(n, n, random);
    for (index_t j = 0; j < n; ++j) {
        t.entry[static_cast<std::size_t>(j * t.ld + j)] += T{12};
    }
    for (const bool lower : {false, true}) {
        for (const bool divides : {false, true}) {
            for (const bool transposed : {false, true}) {
                expect_the_order(
                    0, n, random,
                    [&](auto, auto y) {
                        solve_triangle(lower ? blas::uplo::lower : blas::uplo::upper,
                                       divides ? blas::diag::non_unit : blas::diag::unit, transposed, t.view(), y);
                    },
                    [&](const numbers&, numbers& y) {
                        transposed ? solve_transposed_naively(lower, divides, t, y)
                                   : solve_naively(lower, divides, t, y);
                    });
            }
        }
    }
}

}  // namespace

TEST_P(binary64_columns_test, products)
{
    for (const index_t rows : {0, 1, 3, 8, 9, 24, 37, 255, 257, 1025, 1100}) {
        for (const index_t cols : sizes) {
            expect_products<double>(rows, cols);
            expect_products<float>(rows, cols);
        }
    }
}

TEST_P(binary64_columns_test, triangles)
{
    for (const index_t n : sizes) {
        expect_triangles<double>(n);
        expect_triangles<float>(n);
    }
}

INSTANTIATE_TEST_SUITE_P(every, binary64_columns_test,
                         testing::Values(blas::isa::portable, blas::isa::avx2, blas::isa::avx512));
