#include <limits>

#include <gtest/gtest.h>
#include <omp.h>

#include <residua/blas/slices/sparse_product.hpp>
#include <residua/blas/slices/spmv_ozaki.hpp>

#include "tests/blas/sparse/sparse_factors.hpp"

namespace residua {
namespace {

using namespace support;
using host_csr = csr<host_executor, double>;
using host_matrix = matrix<host_executor, double>;

const host_executor exec;
constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

template <class Matrix>
host_matrix product(const Matrix& a, const host_matrix& x, int slices)
{
    host_matrix y(a.rows(), x.cols());
    blas::spmm_ozaki(exec, a, x.view(), y.view(), slices);
    return y;
}

host_matrix rounded_product(const host_csr& a, const host_matrix& x)
{
    host_matrix y(a.rows(), x.cols());
    for (index_t j = 0; j < x.cols(); ++j) {
        for (index_t i = 0; i < a.rows(); ++i) {
            y.set(i, j, to_double(exact_element(a, x, i, j).value));
        }
    }
    return y;
}

host_csr rows_of(const std::vector<std::vector<std::pair<column_t, double>>>& rows, index_t n)
{
    io::coo<double> a;
    a.rows = static_cast<index_t>(rows.size());
    a.cols = n;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (const auto& [j, value] : rows[i]) {
            a.row.push_back(static_cast<index_t>(i));
            a.col.push_back(j);
            a.value.push_back(value);
        }
    }
    return csr_from_coo(a);
}

host_matrix column_of(const std::vector<double>& x)
{
    host_matrix column(static_cast<index_t>(x.size()), 1);
    for (std::size_t l = 0; l < x.size(); ++l) {
        column.set(static_cast<index_t>(l), 0, x[l]);
    }
    return column;
}

TEST(spmv_ozaki_test, small_products)
{
    const auto a = rows_of({{{0, 0x1p60}, {1, 1.0}, {2, -0x1p60}}, {}, {{2, 3.0}}, {{0, 0x1p-600}, {1, 2.0}}}, 3);
    const auto x = column_of({1.0, 0.25, 1.0});
    for (const int slices : {0, 4}) {
        vector<host_executor, double> v(3);
        vector<host_executor, double> y(4);
        for (index_t l = 0; l < 3; ++l) {
            v.set(l, x.get(l, 0));
        }
        y.set(1, 7.0);
        blas::spmv_ozaki(exec, a, v.view(), y.view(), slices);
        EXPECT_EQ(y.get(0), 0.25);  // 2^60 + 1/4 - 2^60
        EXPECT_EQ(y.get(1), 0.0);
        EXPECT_EQ(y.get(2), 3.0);
        EXPECT_EQ(y.get(3), 0.5);
    }
}

TEST(spmv_ozaki_test, all_slices_give_the_rounded_product)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    for (const auto kind : sparse_kinds) {
        for (const auto& lengths : {varied_lengths(), short_lengths()}) {
            const auto a = random_rows(random, kind, lengths, lengths.size() > 10 ? 9500 : 10);
            const auto x = random_columns(random, kind, a.cols(), lengths.size() > 10 ? 2 : 5);
            const auto expected = rounded_product(a, x);
            EXPECT_TRUE(same_elements(product(a, x, 0), expected)) << name(kind);
            EXPECT_TRUE(same_elements(product(sliced_ell<host_executor, double>(a), x, 0), expected)) << name(kind);
        }
    }
}

TEST(spmv_ozaki_test, slices_keep_their_bound)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    for (const auto kind : sparse_kinds) {
        if (kind == sparse_kind::overflowing) {
            continue;
        }
        for (const auto& lengths : {varied_lengths(), short_lengths()}) {
            const auto a = random_rows(random, kind, lengths, lengths.size() > 10 ? 9500 : 10);
            const auto x = random_columns(random, kind, a.cols(), 2);
            double found[6] = {};
            for (const int s : {1, 2, 3, 5}) {
                found[s] = greatest_share_of_bound(product(a, x, s), a, x, s);
                EXPECT_LE(found[s], 1.0) << name(kind) << ' ' << s << " slices";
            }
        }
    }
}

// Factors of which the first digits leave as much as they can, with one sign, and last bits that products round.
TEST(spmv_ozaki_test, slices_keep_their_bound_when_rests_are_the_largest)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    for (const index_t length : {3, 60, 2000}) {
        const int b = slice_bits(53, length);
        auto a = random_rows(random, sparse_kind::uniform, {length, length}, 2 * length);
        host_matrix x(2 * length, 1);
        const auto number = [&] {  // (2^(b-1) - 1 + almost 1/2) 2^(1-b)
            return 1.0 - pow2(1 - b) + pow2(-b) - pow2(-b - random.integer(2, 20)) + random.uniform() * pow2(-b - 20);
        };
        for (index_t p = 0; p < a.entries(); ++p) {
            a.value().store(p, number() * (p < length ? 1.0 : random.sign()));
        }
        for (index_t l = 0; l < x.rows(); ++l) {
            x.set(l, 0, number());
        }
        for (int s = 1; s <= 5; ++s) {
            EXPECT_LE(greatest_share_of_bound(product(a, x, s), a, x, s), 1.0) << length << ' ' << s;
        }
    }
}

// Two digits leave more than twice 53 bits: what one misses by far, two have.
TEST(spmv_ozaki_test, a_second_slice_survives_cancellation)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    const std::vector<index_t> lengths(20, 64);
    const auto a = random_rows(random, sparse_kind::cancelling, lengths, 128);
    const auto x = random_columns(random, sparse_kind::cancelling, 128, 1);
    const auto exact = product(a, x, 0);
    const auto greatest_error = [&](int slices) {
        const auto y = product(a, x, slices);
        double greatest = 0.0;
        for (index_t i = 0; i < a.rows(); ++i) {
            greatest = std::max(greatest, std::abs(y.get(i, 0) - exact.get(i, 0)));
        }
        return greatest;
    };
    EXPECT_GT(greatest_error(1), 1e4 * greatest_error(2));
    EXPECT_GT(greatest_error(1), 0x1p-53);
}

TEST(spmv_ozaki_test, more_slices_than_there_are_change_nothing)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    const auto a = random_rows(random, sparse_kind::gap, short_lengths(), 10);
    const auto x = random_columns(random, sparse_kind::gap, 10, 2);
    EXPECT_TRUE(same_elements(product(a, x, 200), product(a, x, 2000000000)));
    EXPECT_LE(greatest_share_of_bound(product(a, x, 200), a, x, 200), 1.0);
}

TEST(spmv_ozaki_test, storages_threads_and_columns_change_no_bit)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    const int threads = omp_get_max_threads();
    for (const auto kind : {sparse_kind::uniform, sparse_kind::spread, sparse_kind::cancelling}) {
        const auto a = random_rows(random, kind, varied_lengths(), 9500);
        const sliced_ell<host_executor, double> sliced(a);
        const auto x = random_columns(random, kind, 9500, 4);
        for (const int slices : {0, 1, 2, 3}) {
            omp_set_num_threads(1);
            const auto expected = product(a, x, slices);
            for (const int n : {2, 3, 4}) {
                omp_set_num_threads(n);
                EXPECT_TRUE(same_elements(product(a, x, slices), expected)) << name(kind) << ' ' << slices;
                EXPECT_TRUE(same_elements(product(sliced, x, slices), expected)) << name(kind) << ' ' << slices;
            }
            for (index_t j = 0; j < x.cols(); ++j) {
                vector<host_executor, double> y(a.rows());
                blas::spmv_ozaki(exec, sliced, x.view().column(j), y.view(), slices);
                for (index_t i = 0; i < a.rows(); ++i) {
                    ASSERT_EQ(to_bits(y.get(i)), to_bits(expected.get(i, j))) << name(kind) << ' ' << slices;
                }
            }
            const blas::detail::compressed_rows rows = blas::detail::rows_of<0>(a);
            blas::detail::sparse_product<host_executor, blas::detail::compressed_rows> factors(
                exec, "test", {rows, a.rows(), a.value().data()}, a.entries(), x.view());
            host_matrix y(a.rows(), x.cols());
            if (slices == 0) {  // with little memory: a column at a time
                factors.whole(y.view(), 1.0);
            } else {
                factors.split(slices, y.view(), 1.0);
            }
            EXPECT_TRUE(same_elements(y, expected)) << name(kind) << ' ' << slices;
        }
    }
    omp_set_num_threads(threads);
}

TEST(spmv_ozaki_test, what_is_not_finite_stays_in_its_rows)
{
    const auto a = rows_of({{{0, inf}, {1, 1.0}}, {{1, nan}}, {{0, 2.0}, {1, 3.0}}, {}, {{0, 1e300}, {1, 1e300}}}, 3);
    for (const int slices : {0, 1, 2, 3}) {
        auto y = product(a, column_of({-5.0, 7.0, nan}), slices);  // no row has column 2
        EXPECT_EQ(y.get(0, 0), -inf);
        EXPECT_TRUE(std::isnan(y.get(1, 0)));
        EXPECT_EQ(y.get(2, 0), 11.0);
        EXPECT_EQ(to_bits(y.get(3, 0)), to_bits(0.0));
        EXPECT_NEAR(y.get(4, 0), 2e300, 1e285);
        y = product(a, column_of({0.0, inf, 1.0}), slices);
        EXPECT_TRUE(std::isnan(y.get(0, 0)));
        EXPECT_EQ(y.get(2, 0), inf);
        EXPECT_EQ(to_bits(y.get(3, 0)), to_bits(0.0));
        y = product(a, column_of({1e300, -1e300, inf}), slices);
        EXPECT_EQ(y.get(0, 0), inf);
        EXPECT_EQ(y.get(4, 0), 0.0);  // 1e600 - 1e600
        y = product(a, column_of({1e300, 1e300, -inf}), slices);
        EXPECT_EQ(y.get(4, 0), inf);
    }
}

TEST(spmv_ozaki_test, empty_products_are_zero)
{
    for (const int slices : {0, 1, 3}) {
        host_matrix x(0, 2);
        host_matrix y(3, 2);
        y.set(1, 1, 7.0);
        blas::spmm_ozaki(exec, host_csr(3, 0, 0), x.view(), y.view(), slices);
        EXPECT_EQ(to_bits(y.get(1, 1)), to_bits(0.0));
        EXPECT_EQ(product(host_csr(3, 5, 0), host_matrix(5, 1), slices).get(2, 0), 0.0);
        product(host_csr(0, 5, 0), host_matrix(5, 1), slices);
        product(host_csr(4, 5, 0), host_matrix(5, 0), slices);
        product(sliced_ell<host_executor, double>(host_csr(33, 5, 0)), host_matrix(5, 1), slices);
    }
}

TEST(spmv_ozaki_test, misuse_is_refused)
{
    const host_csr a(2, 3, 0);
    host_matrix y(2, 2);
    EXPECT_THROW(product(a, host_matrix(2, 2), 0), dimension_error);
    EXPECT_THROW(product(a, host_matrix(3, 2), -1), dimension_error);
    EXPECT_THROW(blas::spmm_ozaki(exec, a, host_matrix(3, 1).view(), y.view()), dimension_error);
    EXPECT_THROW(blas::spmm_ozaki(exec, host_csr(3, 3, 0), host_matrix(3, 2).view(), y.view()), dimension_error);
}

}  // namespace
}  // namespace residua
