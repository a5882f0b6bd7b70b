// Solves with sparse triangles, of one right-hand side and of several.
#include <algorithm>
#include <cstddef>

#include <gtest/gtest.h>
#include <omp.h>

#include <residua/blas/base/error_bounds.hpp>
#include <residua/blas/sparse/trsv.hpp>
#include <tests/blas/sparse/random_coo.hpp>

namespace residua {
namespace {

using namespace support;
using blas::diag;
using blas::uplo;

const host_executor exec;

template <class T>
struct trsv_test : testing::Test {
    static constexpr long p = number_traits<T>::precision_bits;
    static constexpr int terms = terms_of<T>;
    biased_random random;

    template <class V>
    void expect_small_residual(uplo triangle, diag diagonal, index_t n)
    {
        auto entries = random_coo<V>(random, n, n, 0.2);
        auto full = io::coo<V>{n, n, {}, {}, {}};
        for (std::size_t k = 0, i = 0; i < static_cast<std::size_t>(n); ++i) {
            const index_t row = static_cast<index_t>(i);
            bool placed = false;
            const auto place = [&](index_t j, const V& v) {
                full.row.push_back(row);
                full.col.push_back(j);
                full.value.push_back(v);
            };
            for (; k < entries.value.size() && entries.row[k] == row; ++k) {
                if (!placed && entries.col[k] >= row) {
                    place(row, random.template number<V>(23, 24));
                    placed = true;
                }
                if (entries.col[k] != row) {
                    place(entries.col[k], entries.value[k]);
                }
            }
            if (!placed) {
                place(row, random.template number<V>(23, 24));
            }
        }
        const auto a = csr_from_coo(full);
        const auto b = random_numbers<T>(random, n, -20, 20);
        guarded<T> from(b);
        guarded<T> to(b);
        guarded<T> in_place(b);

        blas::trsv(exec, triangle, diagonal, a, from.view(), to.view());
        blas::trsv(exec, triangle, diagonal, a, in_place.view(), in_place.view());

        EXPECT_TRUE(same_bits(in_place.values(), to.values()));
        const auto x = to.values();
        std::vector<exact_products> sum(b.size());
        for (std::size_t k = 0; k < full.value.size(); ++k) {
            const index_t i = full.row[k];
            const index_t j = full.col[k];
            if (i == j || (j < i) == (triangle == uplo::lower)) {
                const real entry = i == j && diagonal == diag::unit ? real(1.0) : wide(full.value[k]);
                sum[static_cast<std::size_t>(i)].add(entry * wide(x[static_cast<std::size_t>(j)]));
            }
        }
        constexpr double division = terms == 1 ? 1.0 : quotient_error_bound<std::max(2, terms)>();
        for (std::size_t i = 0; i < b.size(); ++i) {
            EXPECT_LE(error_units(sum[i].value, wide(b[i]), sum[i].magnitude, p),
                      2.0 * blas::sparse_row_error_bound<terms>(n + 1) + division)
                << "row " << i;
        }
    }
};
TYPED_TEST_SUITE(trsv_test, formats, format_name);

TEST(trsm_test, each_right_hand_side_has_the_bits_that_it_has_alone)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    constexpr index_t n = 40;
    auto entries = random_coo<double>(random, n, n, 0.4);
    for (std::size_t k = 0; k < entries.value.size(); ++k) {
        entries.value[k] = entries.row[k] == entries.col[k] ? 3.0 : random.uniform() - 0.5;
    }
    const auto a = csr_from_coo(entries);
    for (const index_t count : {0, 1, 2, 7, 8, 9, 33}) {
        for (const uplo triangle : {uplo::lower, uplo::upper}) {
            for (const diag diagonal : {diag::unit, diag::non_unit}) {
                residua::matrix<host_executor, double> x_t(count, n);
                for (index_t j = 0; j < count; ++j) {
                    for (index_t i = 0; i < n; ++i) {
                        x_t.set(j, i, random.value(-30, 30));
                    }
                }
                const residua::matrix<host_executor, double> b_t = x_t;

                blas::trsm_t(exec, triangle, diagonal, a, x_t.view());

                for (index_t j = 0; j < count; ++j) {
                    residua::vector<host_executor, double> x(n);
                    for (index_t i = 0; i < n; ++i) {
                        x.set(i, b_t.get(j, i));
                    }
                    blas::trsv(exec, triangle, diagonal, a, x.view(), x.view());
                    for (index_t i = 0; i < n; ++i) {
                        const double together = x_t.get(j, i);
                        const double alone = x.get(i);
                        ASSERT_TRUE(together == alone || (together != together && alone != alone)) << i << ' ' << j;
                    }
                }
            }
        }
    }
    residua::matrix<host_executor, double> wrong(2, n + 1);
    EXPECT_THROW(blas::trsm_t(exec, uplo::lower, diag::unit, a, wrong.view()), dimension_error);
}

TYPED_TEST(trsv_test, small_triangles_are_right)
{
    using T = TypeParam;
    const io::coo<double> entries{2, 2, {0, 0, 1, 1}, {0, 1, 0, 1}, {2.0, 3.0, 5.0, 4.0}};
    const auto a = csr_from_coo(entries);
    const auto b = make_vector<T>({T{8.0}, T{28.0}});
    residua::vector<host_executor, T> x(2);

    blas::trsv(exec, uplo::lower, diag::non_unit, a, b, x.view());
    EXPECT_TRUE(same_bits(numbers<T>(x), {T{4.0}, T{2.0}}));
    blas::trsv(exec, uplo::upper, diag::unit, a, b, x.view());
    EXPECT_TRUE(same_bits(numbers<T>(x), {T{-76.0}, T{28.0}}));
}

TYPED_TEST(trsv_test, sizes_that_do_not_fit_are_refused)
{
    const csr<host_executor, double> a(2, 3, 0);
    residua::vector<host_executor, TypeParam> two(2);

    EXPECT_THROW(blas::trsv(exec, uplo::lower, diag::unit, a, two, two.view()), dimension_error);
}

TYPED_TEST(trsv_test, triangles_leave_residuals_as_small_as_promised)
{
    SCOPED_TRACE(this->random.trace());
    for (const uplo triangle : {uplo::lower, uplo::upper}) {
        for (const diag diagonal : {diag::non_unit, diag::unit}) {
            for (const index_t n : {1, 5, 40}) {
                this->template expect_small_residual<double>(triangle, diagonal, n);
            }
            this->template expect_small_residual<TypeParam>(triangle, diagonal, 33);
        }
    }
}

TYPED_TEST(trsv_test, levels_give_the_bits_of_one_row_after_the_other)
{
    using T = TypeParam;
    const index_t layers = 3, width = 7000;
    const auto a = csr_from_coo(layered_coo(this->random, layers, width));
    const auto b = random_numbers<T>(this->random, a.rows(), -20, 20);
    const auto of = make_vector<T>(b);
    const int threads = omp_get_max_threads();
    for (const uplo triangle : {uplo::lower, uplo::upper}) {
        const blas::row_levels levels = blas::find_levels(triangle, a);
        ASSERT_EQ(levels.begin.size(), 4U);
        ASSERT_EQ(levels.widest, width);
        for (const diag diagonal : {diag::non_unit, diag::unit}) {
            residua::vector<host_executor, T> expected(a.rows());
            blas::trsv(exec, triangle, diagonal, a, of, expected.view());
            for (const int count : {1, 2, 5}) {
                omp_set_num_threads(count);
                auto x = of;
                blas::trsv(exec, levels, diagonal, a, x, x.view());
                EXPECT_TRUE(same_bits(numbers<T>(x), numbers<T>(expected))) << count << " threads";
            }
            omp_set_num_threads(threads);
        }
    }
    EXPECT_THROW(blas::trsv(exec, blas::row_levels{}, diag::unit, a, of, residua::vector<host_executor, T>(of).view()),
                 dimension_error);
}

}  // namespace
}  // namespace residua
