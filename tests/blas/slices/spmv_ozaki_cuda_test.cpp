#include <gtest/gtest.h>

#include <residua/blas/slices/spmv_ozaki.hpp>

#include "tests/blas/sparse/sparse_factors.hpp"
#include "tests/support/cuda_formats.hpp"

namespace residua {
namespace {

using namespace support;
using host_matrix = matrix<host_executor, double>;

const host_executor host;

struct spmv_ozaki_cuda_test : on_cuda<double> {
    void expect_the_bits_of_the_host(const csr<host_executor, double>& a, const host_matrix& x, const char* what)
    {
        const sliced_ell<host_executor, double> sliced(a);
        const auto da = to_device(device, a);
        const auto dsliced = to_device(device, sliced);
        const auto dx = to_device(device, x);
        for (const int slices : {0, 1, 2, 3, 7}) {
            host_matrix expected(a.rows(), x.cols());
            blas::spmm_ozaki(host, a, x.view(), expected.view(), slices);
            matrix<cuda_executor, double> y(a.rows(), x.cols(), device);
            blas::spmm_ozaki(device, da, dx.view(), y.view(), slices);
            EXPECT_TRUE(same_elements(to_host(device, y), expected)) << what << ", rows, " << slices << " slices";
            matrix<cuda_executor, double> z(a.rows(), x.cols(), device);
            blas::spmm_ozaki(device, dsliced, dx.view(), z.view(), slices);
            EXPECT_TRUE(same_elements(to_host(device, z), expected)) << what << ", sliced, " << slices << " slices";
        }
    }
};

TEST_F(spmv_ozaki_cuda_test, products_have_the_bits_of_the_host)
{
    SCOPED_TRACE(random.trace());
    for (const auto kind : sparse_kinds) {
        for (const auto& lengths : {varied_lengths(), short_lengths()}) {
            const auto a = random_rows(random, kind, lengths, lengths.size() > 10 ? 9500 : 10);
            for (const index_t columns : {1, 3}) {
                expect_the_bits_of_the_host(a, random_columns(random, kind, a.cols(), columns), name(kind));
            }
        }
    }
}

TEST_F(spmv_ozaki_cuda_test, many_rows_have_the_bits_of_the_host)
{
    SCOPED_TRACE(random.trace());
    std::vector<index_t> lengths;
    for (index_t i = 0; i < 100003; ++i) {
        lengths.push_back(random.integer(0, 7));
    }
    for (const auto kind : {sparse_kind::uniform, sparse_kind::cancelling}) {
        const auto a = random_rows(random, kind, lengths, 50000);
        expect_the_bits_of_the_host(a, random_columns(random, kind, a.cols(), 2), name(kind));
    }
}

TEST_F(spmv_ozaki_cuda_test, what_is_not_finite_stays_in_its_rows)
{
    SCOPED_TRACE(random.trace());
    const double inf = std::numeric_limits<double>::infinity();
    auto a = random_rows(random, sparse_kind::uniform, varied_lengths(), 9500);
    auto x = random_columns(random, sparse_kind::uniform, 9500, 3);
    a.value().store(3, inf);
    a.value().store(a.entries() - 1, std::numeric_limits<double>::quiet_NaN());
    x.set(17, 1, -inf);
    x.set(5000, 2, std::numeric_limits<double>::quiet_NaN());
    expect_the_bits_of_the_host(a, x, "not finite");
}

TEST_F(spmv_ozaki_cuda_test, vectors_are_products_of_one_column)
{
    SCOPED_TRACE(random.trace());
    const auto a = random_rows(random, sparse_kind::cancelling, varied_lengths(), 9500);
    const auto da = to_device(device, a);
    const auto x = random_vector<double>(9500, random);
    const auto dx = to_device(device, x);
    for (const int slices : {0, 2}) {
        vector<host_executor, double> expected(a.rows());
        blas::spmv_ozaki(host, a, x.view(), expected.view(), slices);
        vector<cuda_executor, double> y(a.rows(), device);
        blas::spmv_ozaki(device, da, dx.view(), y.view(), slices);
        EXPECT_TRUE(same_bits(expected, to_host(device, y))) << slices;
    }
}

}  // namespace
}  // namespace residua
