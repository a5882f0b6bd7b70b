#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include <residua/blas/base/error_bounds.hpp>
#include <residua/blas/level1/asum.hpp>
#include <residua/blas/level1/axpy.hpp>
#include <residua/blas/level1/dot.hpp>
#include <residua/blas/level1/norm.hpp>
#include <residua/blas/level1/scal.hpp>
#include <residua/blas/level1/waxpby.hpp>
#include <residua/blas/level1/xpay.hpp>
#include <residua/blas/level2/gemv.hpp>
#include <residua/blas/level2/gemv_t.hpp>
#include <residua/blas/level2/trsv.hpp>
#include <residua/blas/level3/gemm.hpp>
#include <residua/blas/sparse/spmv.hpp>
#include <residua/blas/sparse/trsv.hpp>
#include <tests/blas/formats.hpp>

namespace residua {
namespace {

using namespace support;
using blas::diag;
using blas::uplo;

const host_executor exec;

/// The formats with one_term_a_lane. Their terms reach so far down that operands must be large: about 2^400, so that
/// products are about 2^800, in the range that lanes::product asks for, and hold 1500 bits above 2^-1074.
template <class T>
struct long_formats_test : testing::Test {
    static constexpr long p = number_traits<T>::precision_bits;
    static constexpr int terms = terms_of<T>;
    static constexpr int low = 385;
    static constexpr int high = 415;
    biased_random random;

    std::vector<T> vector_of(index_t n) { return random_numbers<T>(random, n, low, high); }

    /// In units of 2^-p |magnitude|, and what the range of binary64 does not hold.
    static void expect_close(const T& computed, const exact_products& exact, double bound)
    {
        const double range = p > 1460 ? std::exp2(p - 1460) : 0.0;
        EXPECT_LE(error_units(wide(computed), exact.value, exact.magnitude, p), bound + range);
    }

    static exact_products sum_of(std::initializer_list<real> products)
    {
        exact_products sum;
        for (const real& product : products) {
            sum.add(product);
        }
        return sum;
    }
};
using long_formats = testing::Types<expansion<double, 24>, expansion<double, 32>>;
TYPED_TEST_SUITE(long_formats_test, long_formats, format_name);

}  // namespace

TYPED_TEST(long_formats_test, elementwise_operations_meet_their_bounds)
{
    using T = TypeParam;
    constexpr int n = TestFixture::terms;
    SCOPED_TRACE(this->random.trace());
    const auto x = this->vector_of(40);
    auto y = random_numbers<T>(this->random, 40, 785, 815);
    const T a = this->random.template number<T>(TestFixture::low, TestFixture::high);
    const T b{this->random.value(-3, 3)};
    for (std::size_t i = 0; i < y.size(); i += 3) {
        y[i] = -(a * x[i]);  // cancels
    }
    guarded<T> axpy(y), xpay(x), waxpby(y), scal(x);

    blas::axpy<T>(exec, a, guarded<T>(x).view(), axpy.view());
    blas::xpay<T>(exec, guarded<T>(y).view(), a, xpay.view());
    blas::waxpby<T>(exec, a, guarded<T>(x).view(), b, waxpby.view(), waxpby.view());
    blas::scal<T>(exec, a, scal.view());

    for (std::size_t i = 0; i < x.size(); ++i) {
        const real ax = wide(a) * wide(x[i]);
        const auto sum = TestFixture::sum_of({ax, wide(y[i])});
        TestFixture::expect_close(axpy.values()[i], sum, accumulation_error_bound<n>(1));
        TestFixture::expect_close(xpay.values()[i], sum, accumulation_error_bound<n>(1));
        TestFixture::expect_close(waxpby.values()[i], TestFixture::sum_of({ax, wide(b) * wide(y[i])}),
                                  accumulation_error_bound<n>(1) + product_error_bound<n>());
        TestFixture::expect_close(scal.values()[i], TestFixture::sum_of({ax}), product_error_bound<n>());
    }
}

TYPED_TEST(long_formats_test, sums_meet_their_bounds)
{
    using T = TypeParam;
    constexpr int n = TestFixture::terms;
    SCOPED_TRACE(this->random.trace());
    for (const index_t size : {1, 33, 600}) {
        auto x = this->vector_of(size);
        auto y = this->vector_of(size);
        make_cancelling(this->random, x, y);
        const double bound = blas::long_sum_error_bound<n>(size);
        exact_products magnitudes;
        exact_products squares;
        for (const T& xi : x) {
            magnitudes.add(abs(wide(xi)));
            squares.add(wide(xi) * wide(xi));
        }

        TestFixture::expect_close(blas::dot<T>(exec, guarded<T>(x).view(), guarded<T>(y).view()),
                                  exact_dot(x, y, x.size()), bound);
        TestFixture::expect_close(blas::asum<T>(exec, guarded<T>(x).view()), magnitudes, bound);
        for (const int e : {0, -900, -1300}) {  // squares out of range too
            auto scaled = x;
            for (T& xi : scaled) {
                xi = ldexp(xi, e);
            }
            const real norm = wide(blas::norm2<T>(exec, guarded<T>(scaled).view()));
            exact_products exact;
            for (const T& xi : scaled) {
                exact.add(wide(xi) * wide(xi));
            }
            const long bits = std::min(TestFixture::p, 400 + e + 1060L);
            EXPECT_LE(error_units(norm * norm, exact.value, bits), 2.0 + bound * std::exp2(bits - TestFixture::p)) << e;
        }
    }
}

TYPED_TEST(long_formats_test, norms_of_large_numbers_meet_their_bounds)
{
    using T = TypeParam;
    constexpr int n = TestFixture::terms;
    SCOPED_TRACE(this->random.trace());
    for (const int e : {500, 700, 900, 1000}) {
        for (const index_t size : {1, 2, 100}) {
            auto x = random_numbers<T>(this->random, size, e - 3, e + 3);
            x[0] = ldexp(T{1.0} / T{3.0}, e);
            const real exact = sqrt(exact_dot(x, x, x.size()).value);

            const T norm = blas::norm2<T>(exec, guarded<T>(x).view());

            const double bound = 0.51 * blas::long_sum_error_bound<n>(size) + root_error_bound<n>() + 1.0;
            const double range = n < 30 ? 0.0 : std::sqrt(static_cast<double>(size)) * std::exp2(TestFixture::p - 1563);
            EXPECT_LE(error_units(wide(norm), exact, TestFixture::p), bound + range) << e << ' ' << size;
        }
    }
}

TYPED_TEST(long_formats_test, matrix_products_meet_their_bounds)
{
    using T = TypeParam;
    constexpr int n = TestFixture::terms;
    SCOPED_TRACE(this->random.trace());
    constexpr index_t rows = 5;
    constexpr index_t cols = 70;
    const auto a = random_matrix<T>(this->random, rows, cols, TestFixture::low, TestFixture::high);
    const auto binary64 = random_matrix<double>(this->random, rows, cols, -3, 3);
    const auto x = this->vector_of(cols);
    const auto z = this->vector_of(rows);
    guarded<T> y(z), of_doubles(z), transposed(x), sparse(z), sliced(z);
    residua::matrix<host_executor, T> column(cols, 1), product(rows, 1);
    io::coo<T> entries{rows, cols, {}, {}, {}};
    for (index_t j = 0; j < cols; ++j) {
        column.set(j, 0, x[static_cast<std::size_t>(j)]);
    }
    for (index_t i = 0; i < rows; ++i) {
        for (index_t j = 0; j < cols; ++j) {
            entries.row.push_back(i);
            entries.col.push_back(j);
            entries.value.push_back(a.get(i, j));
        }
    }

    blas::gemv<T>(exec, T{1.0}, a, guarded<T>(x).view(), T{0.0}, y.view());
    blas::gemv<T>(exec, T{1.0}, binary64, guarded<T>(x).view(), T{0.0}, of_doubles.view());
    blas::gemv_t<T>(exec, T{1.0}, a, guarded<T>(z).view(), T{0.0}, transposed.view());
    blas::gemm<T>(exec, T{1.0}, a, column, T{0.0}, product.view());
    blas::spmv(exec, T{1.0}, csr_from_coo(entries), guarded<T>(x).view(), T{0.0}, sparse.view());
    blas::spmv(exec, T{1.0}, sliced_ell<host_executor, T>(csr_from_coo(entries)), guarded<T>(x).view(), T{0.0},
               sliced.view());

    for (index_t i = 0; i < rows; ++i) {
        const auto at = static_cast<std::size_t>(i);
        exact_products exact;
        exact_products exact_of_doubles;
        for (index_t j = 0; j < cols; ++j) {
            exact.add(wide(a.get(i, j)) * wide(x[static_cast<std::size_t>(j)]));
            exact_of_doubles.add(wide(binary64.get(i, j)) * wide(x[static_cast<std::size_t>(j)]));
        }
        TestFixture::expect_close(y.values()[at], exact, blas::dense_row_error_bound<n>(cols));
        TestFixture::expect_close(of_doubles.values()[at], exact_of_doubles, blas::dense_row_error_bound<n>(cols));
        TestFixture::expect_close(product.get(i, 0), exact, blas::dense_row_error_bound<n>(cols));
        TestFixture::expect_close(sparse.values()[at], exact, blas::sparse_row_error_bound<n>(cols));
        EXPECT_TRUE(same_bits(sparse.values()[at], sliced.values()[at]));
        EXPECT_TRUE(same_bits(y.values()[at], product.get(i, 0)));
    }
    for (index_t j = 0; j < cols; ++j) {
        exact_products exact;
        for (index_t i = 0; i < rows; ++i) {
            exact.add(wide(a.get(i, j)) * wide(z[static_cast<std::size_t>(i)]));
        }
        TestFixture::expect_close(transposed.values()[static_cast<std::size_t>(j)], exact,
                                  blas::long_sum_error_bound<n>(rows));
    }
}

TYPED_TEST(long_formats_test, triangular_solves_leave_small_residuals)
{
    using T = TypeParam;
    constexpr int n = TestFixture::terms;
    SCOPED_TRACE(this->random.trace());
    constexpr index_t size = 20;
    auto a = random_matrix<T>(this->random, size, size, 380, 390);
    io::coo<T> entries{size, size, {}, {}, {}};
    for (index_t i = 0; i < size; ++i) {
        a.set(i, i, this->random.template number<T>(398, 400));
        for (index_t j = 0; j < size; ++j) {
            entries.row.push_back(i);
            entries.col.push_back(j);
            entries.value.push_back(a.get(i, j));
        }
    }
    const auto b = random_numbers<T>(this->random, size, 800, 810);
    const double bound = 2.0 * blas::sparse_row_error_bound<n>(size) + quotient_error_bound<n>();
    for (const uplo triangle : {uplo::lower, uplo::upper}) {
        guarded<T> dense(b), transposed(b), sparse(b);
        blas::trsv<T>(exec, triangle, diag::non_unit, a, guarded<T>(b).view(), dense.view());
        blas::trsv_t<T>(exec, triangle, diag::non_unit, a, guarded<T>(b).view(), transposed.view());
        blas::trsv(exec, triangle, diag::non_unit, csr_from_coo(entries), guarded<T>(b).view(), sparse.view());
        for (index_t i = 0; i < size; ++i) {
            exact_products of_dense;
            exact_products of_transposed;
            exact_products of_sparse;
            for (index_t j = 0; j < size; ++j) {
                const auto at = static_cast<std::size_t>(j);
                if (i == j || (j < i) == (triangle == uplo::lower)) {
                    of_dense.add(wide(a.get(i, j)) * wide(dense.values()[at]));
                    of_sparse.add(wide(a.get(i, j)) * wide(sparse.values()[at]));
                }
                if (i == j || (i < j) == (triangle == uplo::lower)) {
                    of_transposed.add(wide(a.get(j, i)) * wide(transposed.values()[at]));
                }
            }
            const T& bi = b[static_cast<std::size_t>(i)];
            TestFixture::expect_close(bi, of_dense, bound);
            TestFixture::expect_close(bi, of_transposed, bound);
            TestFixture::expect_close(bi, of_sparse, bound);
        }
    }
}

}  // namespace residua
