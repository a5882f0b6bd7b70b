// Factors by a BLAS that skips products with zeros, as the reference BLAS's trsm does: where L or U has left the range, pivots
// may all be finite. This program has routines of its own, which come before those of the library.
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/dense_direct/direct.hpp>
#include <residua/solvers/precond/dense_lu.hpp>
#include <residua/solvers/precond/factors.hpp>

#include "tests/solvers/sparse_direct/multifrontal.hpp"

namespace {

int calls = 0;

/// y <- y - a x, but for a = 0
template <class T>
void subtract(int n, T a, const T* x, T* y)
{
    for (int i = 0; a != T{0} && i < n; ++i) {
        y[i] -= x[i] != T{0} ? a * x[i] : T{0};
    }
}

/// C <- C - A B
template <class T>
void gemm(const int* m, const int* n, const int* k, const T* a, const int* lda, const T* b, const int* ldb, T* c,
          const int* ldc)
{
    ++calls;
    for (int j = 0; j < *n; ++j) {
        for (int l = 0; l < *k; ++l) {
            subtract(*m, b[j * *ldb + l], a + l * *lda, c + j * *ldc);
        }
    }
}

/// B <- inverse(A) B, A unit lower triangular
template <class T>
void trsm(const int* m, const int* n, const T* a, const int* lda, T* b, const int* ldb)
{
    ++calls;
    for (int j = 0; j < *n; ++j) {
        for (int k = 0; k < *m; ++k) {
            subtract(*m - k - 1, b[j * *ldb + k], a + k * *lda + k + 1, b + j * *ldb + k + 1);
        }
    }
}

/// P A = L U
template <class T>
void getrf(const int* m, const int* n, T* a, const int* lda, int* pivots, int* info)
{
    ++calls;
    *info = 0;
    for (int k = 0; k < *n; ++k) {
        int p = k;
        for (int i = k; i < *m; ++i) {
            p = std::abs(a[k * *lda + i]) > std::abs(a[k * *lda + p]) ? i : p;
        }
        pivots[k] = p + 1;
        for (int j = 0; j < *n; ++j) {
            std::swap(a[j * *lda + k], a[j * *lda + p]);
        }
        for (int i = k + 1; i < *m; ++i) {
            a[k * *lda + i] /= a[k * *lda + k];
        }
        for (int j = k + 1; j < *n; ++j) {
            subtract(*m - k - 1, a[j * *lda + k], a + k * *lda + k + 1, a + j * *lda + k + 1);
        }
    }
}

}  // namespace

extern "C" {
#define ROUTINES(letter, T)                                                                                      \
    void letter##gemm_(const char*, const char*, const int* m, const int* n, const int* k, const T*, const T* a, \
                       const int* lda, const T* b, const int* ldb, const T*, T* c, const int* ldc)               \
    {                                                                                                            \
        gemm(m, n, k, a, lda, b, ldb, c, ldc);                                                                   \
    }                                                                                                            \
    void letter##trsm_(const char*, const char*, const char*, const char*, const int* m, const int* n, const T*, \
                       const T* a, const int* lda, T* b, const int* ldb)                                         \
    {                                                                                                            \
        trsm(m, n, a, lda, b, ldb);                                                                              \
    }                                                                                                            \
    void letter##getrf_(const int* m, const int* n, T* a, const int* lda, int* pivots, int* info)                \
    {                                                                                                            \
        getrf(m, n, a, lda, pivots, info);                                                                       \
    }
ROUTINES(s, float)
ROUTINES(d, double)
}

namespace residua {
namespace {

using namespace support;

constexpr index_t growing = 140, n = 204;

/// -1 below the diagonal in the first 140 rows, 1 on it; the last column doubles at each of these, from s on, and leaves the
/// range of T at row 128. The rows below take no part: their pivots are 1.
template <class T>
double entry(index_t i, index_t j)
{
    const double s = std::ldexp(1.0, std::numeric_limits<T>::max_exponent - 128);
    return i == j ? 1.0 : i >= growing ? 0.0 : j == n - 1 ? s : j < i ? -1.0 : 0.0;
}

/// With zeros as entries, so that the matrix is one front.
template <class T>
sparse_matrix all_entries()
{
    sparse_matrix a;
    a.rows = a.cols = n;
    a.row_begin.push_back(0);
    for (index_t i = 0; i < n; ++i) {
        for (index_t j = 0; j < n; ++j) {
            a.column.push_back(static_cast<std::int32_t>(j));
            a.values.push_back(entry<T>(i, j));
        }
        a.row_begin.push_back(static_cast<index_t>(a.column.size()));
    }
    return a;
}

template <class T>
std::string failure_of_fronts()
{
    const sparse_matrix a = all_entries<T>();
    std::vector<std::int32_t> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    const auto analysis = std::make_shared<const sparse_analysis>(analysis_by_diagonal(a, order, false));
    return multifrontal<host_space<T>>{host_space<T>{}, analysis, a}.failure();
}

matrix<host_executor, double> dense_of_double()
{
    matrix<host_executor, double> a(n, n);
    for (index_t i = 0; i < n; ++i) {
        for (index_t j = 0; j < n; ++j) {
            a.set(i, j, entry<double>(i, j));
        }
    }
    return a;
}

/// These tests call what they are about.
struct zeros_skipped : testing::Test {
    void SetUp() override { calls = 0; }
    void TearDown() override { EXPECT_GT(calls, 0); }
};

TEST_F(zeros_skipped, fronts_that_left_the_range_are_a_failure)
{
    EXPECT_EQ(failure_of_fronts<float>(), "no usable pivot in column 204: the matrix is singular in binary32");
    EXPECT_EQ(failure_of_fronts<double>(),
              "no usable pivot in column 204: the matrix is singular to working precision");
}

TEST_F(zeros_skipped, dense_factors_that_left_the_range_are_a_failure)
{
    EXPECT_EQ((dense_factors<host_space<double>>({}, dense_of_double(), false).failure()),
              "no usable pivot in column 204: the matrix is singular to working precision");
    EXPECT_EQ(dense_lu<host_executor>(host_executor{}, dense_of_double(), false).failure(),
              "the matrix is singular in binary64");
}

TEST_F(zeros_skipped, factors_of_24_and_11_bits_that_left_the_range_are_a_failure)
{
    const sparse_matrix a = all_entries<float>();
    EXPECT_EQ(factorize_lu(a, {.bits = 24}).failure, "the matrix is singular in binary32");
    EXPECT_EQ(factorize_lu(a, {.bits = 53}).failure, "");
}

}  // namespace
}  // namespace residua
