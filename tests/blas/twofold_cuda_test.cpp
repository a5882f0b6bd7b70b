#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <residua/blas/level1/dot2.hpp>
#include <residua/blas/level2/gemv2.hpp>
#include <residua/blas/level3/gemm2.hpp>
#include <residua/blas/sparse/spmv2.hpp>

#include "tests/support/cuda_formats.hpp"

using namespace residua;
using namespace residua::support;

namespace {

constexpr host_executor host;

struct twofold_cuda_test : on_cuda<double> {
    /// Every kind of alpha and beta.
    std::vector<std::pair<double, double>> scalars()
    {
        const double some = random.full(-3, 3);
        return {{1.0, 0.0}, {1.0, 1.0}, {-2.0, 0.0}, {some, 0.0}, {some, 1.0}, {0.0, 1.0}, {-2.0, some}, {some, -some}};
    }

    csr<host_executor, double> random_csr(index_t m, index_t n)
    {
        io::coo<double> a;
        a.rows = m;
        a.cols = n;
        for (index_t i = 0; i < m; ++i) {
            for (index_t j = 0; j < n; ++j) {
                if (i % 11 != 5 && (i % 17 == 3 || random.one_in(9))) {
                    a.row.push_back(i);
                    a.col.push_back(j);
                    a.value.push_back(random_number<double>(random));
                }
            }
        }
        return csr_from_coo(a);
    }
};

}  // namespace

TEST_F(twofold_cuda_test, dot2_gives_the_bits_of_the_host)
{
    SCOPED_TRACE(random.trace());
    for (const index_t n : {0, 1, 31, 32, 33, 511, 512, 513, 4095, 4096, 4097, 100003, 5000011}) {
        const auto x = random_vector<double>(n, random);
        const auto y = random_vector<double>(n, random);
        const auto dx = to_device(device, x);
        const auto dy = to_device(device, y);
        const double expected = blas::dot2(host, x, y);
        device_scalar<double> result(device);
        blas::dot2(device, dx, dy, result);
        EXPECT_TRUE(same_bits(blas::dot2(device, dx, dy), expected)) << n;
        EXPECT_TRUE(same_bits(to_host(device, result), expected)) << n;
    }
}

/// The result is one word: what lies behind it stays.
TEST_F(twofold_cuda_test, dot2_writes_one_word)
{
    for (const index_t n : {0, 100, 10000}) {
        const auto x = to_device(device, random_vector<double>(n, random));
        const auto other = to_device(device, random_vector<double>(3, random));
        device_scalars<double> results(2, device);
        blas::dot2(device, other, other, results[1]);
        const double before = to_host(device, results, 2)[1];
        blas::dot2(device, x, x, results[0]);
        EXPECT_TRUE(same_bits(to_host(device, results, 2)[1], before)) << n;
    }
}

TEST_F(twofold_cuda_test, dot2_of_what_is_not_finite_is_not_finite)
{
    for (const double bad : {std::numeric_limits<double>::infinity(), std::nan("")}) {
        vector<host_executor, double> x(700);
        x.set(650, bad);
        const auto dx = to_device(device, x);
        EXPECT_FALSE(std::isfinite(blas::dot2(device, dx, dx)));
    }
}

TEST_F(twofold_cuda_test, gemv2_gives_the_bits_of_the_host)
{
    SCOPED_TRACE(random.trace());
    for (const auto& [m, n] : {std::pair<index_t, index_t>{0, 3},
                               {3, 0},
                               {1, 1},
                               {33, 64},
                               {257, 65},
                               {129, 300},
                               {5, 1300},
                               {9000, 3},
                               {300000, 2}}) {
        const auto a = random_matrix<double>(m, n, random);
        const auto x = random_vector<double>(n, random);
        const auto y = random_vector<double>(m, random);
        const auto da = to_device(device, a);
        const auto dx = to_device(device, x);
        for (const auto& [alpha, beta] : scalars()) {
            auto w = y;
            auto dw = to_device(device, y);
            blas::gemv2(host, alpha, a, x, beta, w.view());
            blas::gemv2(device, alpha, da, dx, beta, dw.view());
            EXPECT_TRUE(same_bits(w, to_host(device, dw))) << m << " x " << n;
        }
    }
}

TEST_F(twofold_cuda_test, scalars_may_lie_in_device_memory)
{
    const auto a = random_matrix<double>(40, 70, random);
    const auto x = random_vector<double>(70, random);
    auto y = random_vector<double>(40, random);
    auto dy = to_device(device, y);
    const auto dx = to_device(device, x);
    device_scalar<double> square(device);
    blas::dot2(device, dx, dx, square);
    const double s = blas::dot2(host, x, x);
    blas::gemv2(host, -s, a, x, s, y.view());
    blas::gemv2(device, scalar_argument<double>::negative(square), to_device(device, a), dx, square, dy.view());
    EXPECT_TRUE(same_bits(y, to_host(device, dy)));
}

TEST_F(twofold_cuda_test, gemm2_gives_the_bits_of_the_host)
{
    SCOPED_TRACE(random.trace());
    for (const auto& [m, k, n] : {std::array<index_t, 3>{1, 0, 1}, {33, 70, 5}, {7, 260, 3}, {65, 129, 2}}) {
        const auto a = random_matrix<double>(m, k, random);
        const auto b = random_matrix<double>(k, n, random);
        const auto c = random_matrix<double>(m, n, random);
        const auto da = to_device(device, a);
        const auto db = to_device(device, b);
        for (const auto& [alpha, beta] : scalars()) {
            auto w = c;
            auto dw = to_device(device, c);
            blas::gemm2(host, alpha, a, b, beta, w.view());
            blas::gemm2(device, alpha, da, db, beta, dw.view());
            EXPECT_TRUE(same_bits(w, to_host(device, dw))) << m << " x " << k << " x " << n;
        }
    }
}

TEST_F(twofold_cuda_test, spmv2_gives_the_bits_of_the_host)
{
    SCOPED_TRACE(random.trace());
    for (const auto& [m, n] : {std::pair<index_t, index_t>{0, 0}, {1, 1}, {31, 40}, {33, 32}, {100, 257}, {700, 90}}) {
        const auto a = random_csr(m, n);
        const auto da = to_device(device, a);
        const auto dsliced = to_device(device, sliced_ell<host_executor, double>(a));
        const auto x = random_vector<double>(n, random);
        const auto y = random_vector<double>(m, random);
        const auto dx = to_device(device, x);
        for (const auto& [alpha, beta] : scalars()) {
            auto w = y;
            auto by_rows = to_device(device, y);
            auto by_slices = to_device(device, y);
            blas::spmv2(host, alpha, a, x, beta, w.view());
            blas::spmv2(device, alpha, da, dx, beta, by_rows.view());
            blas::spmv2(device, alpha, dsliced, dx, beta, by_slices.view());
            EXPECT_TRUE(same_bits(w, to_host(device, by_rows))) << "csr " << m << " x " << n;
            EXPECT_TRUE(same_bits(w, to_host(device, by_slices))) << "sliced " << m << " x " << n;
        }
    }
}
