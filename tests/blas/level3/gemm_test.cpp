#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <omp.h>

#include <residua/blas/base/error_bounds.hpp>
#include <residua/blas/base/simd.hpp>
#include <residua/blas/level2/gemv.hpp>
#include <residua/blas/level3/gemm.hpp>
#include <tests/blas/formats.hpp>

namespace residua {
namespace {

using namespace support;
using blas::isa;

const host_executor exec;

template <class T>
struct gemm_test : testing::Test {
    static constexpr long p = number_traits<T>::precision_bits;
    static constexpr int terms = terms_of<T>;
    biased_random random;
    const int threads = omp_get_max_threads();

    ~gemm_test() override
    {
        blas::limit_isa(isa::avx512);
        omp_set_num_threads(threads);
    }

    /// C <- alpha A B + beta C of parts of larger matrices: each column has the bits that gemv gives, on any instruction
    /// set and number of threads, and what is around C stays.
    void expect_columns_of_gemv(index_t m, index_t k, index_t n, const T& alpha, const T& beta)
    {
        SCOPED_TRACE("m = " + std::to_string(m) + ", k = " + std::to_string(k) + ", n = " + std::to_string(n));
        const auto a = random_matrix<T>(random, m + 3, k, -20, 20);
        const auto b = random_matrix<T>(random, k + 2, n, -20, 20);
        const auto c = random_matrix<T>(random, m + 5, n, -20, 20);
        auto expected = c;
        blas::limit_isa(isa::portable);
        omp_set_num_threads(1);
        for (index_t j = 0; j < n; ++j) {
            blas::gemv<T>(exec, blas::trans::no, alpha, part(a.view(), 2, m), column_part(b.view(), j, 1, k), beta,
                          column_part(expected.view(), j, 4, m));
        }
        for (const auto& [set, count] :
             {std::pair{isa::portable, 1}, {isa::avx2, 1}, {isa::avx512, 1}, {isa::avx512, 3}}) {
            blas::limit_isa(set);
            omp_set_num_threads(count);
            auto found = c;
            blas::gemm<T>(exec, blas::trans::no, blas::trans::no, alpha, part(a.view(), 2, m), part(b.view(), 1, k),
                          beta, part(found.view(), 4, m));
            for (index_t j = 0; j < n; ++j) {
                for (index_t i = 0; i < c.rows(); ++i) {
                    ASSERT_TRUE(same_bits(found.get(i, j), expected.get(i, j)))
                        << "(" << i << ", " << j << "), instruction set " << static_cast<int>(blas::host_isa()) << ", "
                        << count << " threads";
                }
            }
        }
    }

    /// Rows first, ..., first + rows - 1.
    template <class E>
    static matrix_view<host_executor, E> part(matrix_view<host_executor, E> a, index_t first, index_t rows)
    {
        return a.block(first, 0, rows, a.cols);
    }

    template <class E>
    static vector_view<host_executor, E> column_part(const matrix_view<host_executor, E>& a, index_t j, index_t first,
                                                     index_t rows)
    {
        return part(a, first, rows).column(j);
    }
};
TYPED_TEST_SUITE(gemm_test, formats, format_name);

TYPED_TEST(gemm_test, columns_have_the_bits_of_gemv)
{
    using T = TypeParam;
    SCOPED_TRACE(this->random.trace());
    const T third = T{1.0} / T{3.0};
    for (const index_t k : {1, 3, 4, 5, 63, 64, 65, 130, 200, 321}) {
        this->expect_columns_of_gemv(13, k, 18, T{1.0}, T{0.0});
    }
    for (const index_t m : {0, 1, 7, 8, 9, 16, 100}) {
        for (const index_t n : {0, 1, 2, 15, 16, 17, 19}) {
            this->expect_columns_of_gemv(m, 70, n, T{-1.0}, T{1.0});
        }
    }
    this->expect_columns_of_gemv(20, 0, 3, third, third);
    this->expect_columns_of_gemv(300, 40, 17, third, T{-2.0});
    if (this->terms > 1 && this->terms <= 4) {
        this->expect_columns_of_gemv(40, 2000, 16, T{2.0}, third);                        // a few strips of A at a time
        this->expect_columns_of_gemv(9, 65536 / 8 / this->terms + 1, 16, T{2.0}, third);  // too long for strips
    }
}

TYPED_TEST(gemm_test, sums_are_within_their_bound)
{
    using T = TypeParam;
    SCOPED_TRACE(this->random.trace());
    const index_t m = 11;
    const index_t k = 150;
    const index_t n = 17;
    const auto a = random_matrix<T>(this->random, m, k, -20, 20);
    auto b = random_matrix<T>(this->random, k, n, -20, 20);
    for (index_t l = 0; l + 1 < k; l += 2) {  // the first column cancels where rows of A agree
        b.set(l + 1, 0, -b.get(l, 0));
    }
    residua::matrix<host_executor, T> c(m, n);
    blas::gemm<T>(exec, blas::trans::no, blas::trans::no, T{1.0}, a.view(), b.view(), T{0.0}, c.view());
    for (index_t i = 0; i < m; ++i) {
        for (index_t j = 0; j < n; ++j) {
            exact_products exact;
            for (index_t l = 0; l < k; ++l) {
                exact.add(wide(a.get(i, l)) * wide(b.get(l, j)));
            }
            EXPECT_LE(error_units(wide(c.get(i, j)), exact.value, exact.magnitude, this->p),
                      blas::dense_row_error_bound<gemm_test<T>::terms>(k))
                << "(" << i << ", " << j << ")";
        }
    }
}

TYPED_TEST(gemm_test, what_is_not_finite_stays_in_its_row_or_column)
{
    using T = TypeParam;
    SCOPED_TRACE(this->random.trace());
    const index_t n = 19;
    auto a = random_matrix<T>(this->random, n, n, -20, 20);
    auto b = random_matrix<T>(this->random, n, n, -20, 20);
    residua::matrix<host_executor, T> c(n, n);
    for (index_t i = 0; i < n; ++i) {
        for (index_t j = 0; j < n; ++j) {
            c.set(i, j, T{std::numeric_limits<double>::quiet_NaN()});  // not read
        }
    }
    a.set(8, 4, T{std::numeric_limits<double>::quiet_NaN()});
    b.set(3, 17, T{std::numeric_limits<double>::quiet_NaN()});
    blas::gemm<T>(exec, blas::trans::no, blas::trans::no, T{1.0}, a.view(), b.view(), T{0.0}, c.view());
    for (index_t i = 0; i < n; ++i) {
        for (index_t j = 0; j < n; ++j) {
            EXPECT_EQ(is_finite(c.get(i, j)), i != 8 && j != 17) << "(" << i << ", " << j << ")";
        }
    }
}

TYPED_TEST(gemm_test, sizes_that_do_not_fit_are_refused)
{
    using T = TypeParam;
    const residua::matrix<host_executor, T> a(2, 3);
    residua::matrix<host_executor, T> c(2, 3);
    EXPECT_THROW(blas::gemm<T>(exec, blas::trans::no, blas::trans::no, T{1.0}, a.view(), a.view(), T{0.0}, c.view()),
                 dimension_error);
    residua::matrix<host_executor, T> square(3, 3);
    EXPECT_THROW(
        blas::gemm<T>(exec, blas::trans::no, blas::trans::no, T{1.0}, a.view(), square.view(), T{0.0}, square.view()),
        dimension_error);
    EXPECT_THROW(
        blas::gemm<T>(exec, blas::trans::no, blas::trans::no, T{1.0}, square.view(), square.view(), T{0.0}, c.view()),
        dimension_error);
}

}  // namespace
}  // namespace residua
