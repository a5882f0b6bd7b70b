#include <residua/blas/sparse/levels.hpp>
#include <residua/blas/sparse/spmv.hpp>
#include <residua/blas/sparse/trsv.hpp>

#include "tests/support/cuda_formats.hpp"

using namespace residua;
using namespace residua::support;

namespace {

constexpr host_executor host;

template <class T>
struct sparse_cuda_test : on_cuda<T> {};
TYPED_TEST_SUITE(sparse_cuda_test, cuda_formats);

/// One entry in `every` on average, with a large diagonal.
template <class V>
csr<host_executor, V> random_csr(index_t m, index_t n, int every, biased_random& random)
{
    io::coo<V> a;
    a.rows = m;
    a.cols = n;
    for (index_t i = 0; i < m; ++i) {
        for (index_t j = 0; j < n; ++j) {
            if (i == j || random.one_in(every)) {
                a.row.push_back(i);
                a.col.push_back(j);
                a.value.push_back(i == j ? V{1.5} : random_number<V>(random, 2) * V{0x1p-12});
            }
        }
    }
    return csr_from_coo(a);
}

template <class T, class V>
void expect_same_products(const cuda_executor& exec, index_t m, index_t n, biased_random& random)
{
    const auto a = random_csr<V>(m, n, 9, random);
    const sliced_ell<host_executor, V> sliced(a);
    const auto da = to_device(exec, a);
    const auto dsliced = to_device(exec, sliced);
    const auto x = random_vector<T>(n, random);
    const auto y = random_vector<T>(m, random);
    const auto dx = to_device(exec, x);
    const T some = random_number<T>(random);
    for (const T& beta : {T{0.0}, T{1.0}, some}) {
        auto w = y;
        auto by_rows = to_device(exec, y);
        auto by_slices = to_device(exec, y);
        blas::spmv<T>(host, some, a, x.view(), beta, w.view());
        blas::spmv<T>(exec, some, da, dx.view(), beta, by_rows.view());
        blas::spmv<T>(exec, some, dsliced, dx.view(), beta, by_slices.view());
        EXPECT_TRUE(same_bits(w, to_host(exec, by_rows))) << "csr " << m << " x " << n;
        EXPECT_TRUE(same_bits(w, to_host(exec, by_slices))) << "sliced " << m << " x " << n;
    }
}

template <class T, class V>
void expect_same_solutions(const cuda_executor& exec, const csr<host_executor, V>& a, biased_random& random)
{
    const auto b = random_vector<T>(a.rows(), random);
    const auto da = to_device(exec, a);
    for (const blas::uplo triangle : {blas::uplo::lower, blas::uplo::upper}) {
        const blas::device_levels levels(exec, blas::find_levels(triangle, a));
        for (const blas::diag diagonal : {blas::diag::non_unit, blas::diag::unit}) {
            auto x = b;
            auto dx = to_device(exec, b);
            blas::trsv<T>(host, triangle, diagonal, a, b.view(), x.view());
            blas::trsv<T>(exec, levels, diagonal, da, dx.view(), dx.view());  // in place
            EXPECT_TRUE(same_bits(x, to_host(exec, dx))) << a.rows() << ", " << levels.launches().size() << " launches";
            EXPECT_TRUE(x.size() == 0 || (is_finite(x.get(0)) && is_finite(x.get(x.size() - 1))));
        }
    }
}

}  // namespace

TYPED_TEST(sparse_cuda_test, products_give_the_bits_of_the_host)
{
    SCOPED_TRACE(this->random.trace());
    for (const auto& [m, n] : {std::pair<index_t, index_t>{0, 0}, {1, 1}, {31, 40}, {33, 32}, {100, 257}, {700, 90}}) {
        expect_same_products<TypeParam, TypeParam>(this->device, m, n, this->random);
        if constexpr (number_traits<TypeParam>::terms > 1) {
            expect_same_products<TypeParam, double>(this->device, m, n, this->random);
        }
    }
}

TYPED_TEST(sparse_cuda_test, triangular_solves_by_levels_give_the_bits_of_the_host)
{
    SCOPED_TRACE(this->random.trace());
    for (const index_t n : {0, 1, 33, 300}) {
        expect_same_solutions<TypeParam>(this->device, random_csr<TypeParam>(n, n, 9, this->random), this->random);
    }
    // few wide levels: rows depend on the first and the last one only
    io::coo<double> arrow;
    constexpr index_t n = 2000;
    arrow.rows = arrow.cols = n;
    for (index_t i = 0; i < n; ++i) {
        for (const index_t j : {index_t{0}, i, n - 1}) {
            if (arrow.col.empty() || arrow.row.back() != i || arrow.col.back() < j) {
                arrow.row.push_back(i);
                arrow.col.push_back(j);
                arrow.value.push_back(this->random.full(0, 1));
            }
        }
    }
    expect_same_solutions<TypeParam>(this->device, csr_from_coo(arrow), this->random);
}

TEST(row_levels_test, rows_of_a_level_depend_on_earlier_ones_only)
{
    biased_random random;
    for (const int every : {2, 20, 300}) {
        const auto a = random_csr<double>(200, 200, every, random);
        for (const blas::uplo triangle : {blas::uplo::lower, blas::uplo::upper}) {
            const blas::row_levels levels = blas::find_levels(triangle, a);
            std::vector<index_t> level(200, -1);
            for (std::size_t l = 0; l + 1 < levels.begin.size(); ++l) {
                ASSERT_LT(levels.begin[l], levels.begin[l + 1]);
                for (index_t k = levels.begin[l]; k < levels.begin[l + 1]; ++k) {
                    ASSERT_EQ(level[levels.rows[k]], -1);
                    level[levels.rows[k]] = static_cast<index_t>(l);
                }
            }
            for (index_t i = 0; i < 200; ++i) {
                for (index_t p = a.row_begin()[i]; p < a.row_begin()[i + 1]; ++p) {
                    const index_t j = a.col()[p];
                    if (j != i && (j < i) == (triangle == blas::uplo::lower)) {
                        ASSERT_LT(level[j], level[i]);
                    }
                }
            }
        }
    }
}
