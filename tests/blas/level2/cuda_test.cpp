#include <residua/blas/level1/dot.hpp>
#include <residua/blas/level2/gemv.hpp>
#include <residua/blas/level2/trsv.hpp>
#include <residua/blas/level3/gemm.hpp>

#include "tests/support/cuda_formats.hpp"

using namespace residua;
using namespace residua::support;

namespace {

constexpr host_executor host;

template <class T>
struct level2_cuda_test : on_cuda<T> {
    /// Products of A and of A' with every kind of alpha and beta.
    template <class V>
    void expect_same_products(index_t m, index_t n)
    {
        const auto a = random_matrix<V>(m, n, this->random);
        const auto x = random_vector<T>(n, this->random);
        const auto y = random_vector<T>(m, this->random);
        const auto da = to_device(this->device, a);
        const auto dx = to_device(this->device, x);
        const auto dy = to_device(this->device, y);
        const T some = random_number<T>(this->random);
        for (const T& alpha : {T{1.0}, T{-2.0}, some}) {
            for (const T& beta : {T{0.0}, T{1.0}, some}) {
                auto w = y;
                auto dw = dy;
                blas::gemv<T>(host, blas::trans::no, alpha, a.view(), x.view(), beta, w.view());
                blas::gemv<T>(this->device, blas::trans::no, alpha, da.view(), dx.view(), beta, dw.view());
                EXPECT_TRUE(same_bits(w, to_host(this->device, dw))) << "gemv " << m << " x " << n;
                auto v = x;
                auto dv = dx;
                blas::gemv<T>(host, blas::trans::yes, alpha, a.view(), y.view(), beta, v.view());
                blas::gemv<T>(this->device, blas::trans::yes, alpha, da.view(), dy.view(), beta, dv.view());
                EXPECT_TRUE(same_bits(v, to_host(this->device, dv))) << "gemv_t " << m << " x " << n;
            }
        }
    }

    template <class V>
    void expect_same_solutions(index_t n)
    {
        // small beside the diagonal, also beside ones, so that no solution leaves the range
        matrix<host_executor, V> a(n, n);
        for (index_t j = 0; j < n; ++j) {
            for (index_t i = 0; i < n; ++i) {
                a.set(i, j, i == j ? V{1.0 + this->random.uniform()} : random_number<V>(this->random, 2) * V{0x1p-12});
            }
        }
        const auto b = random_vector<T>(n, this->random);
        const auto da = to_device(this->device, a);
        const auto db = to_device(this->device, b);
        for (const blas::uplo triangle : {blas::uplo::lower, blas::uplo::upper}) {
            for (const blas::diag diagonal : {blas::diag::non_unit, blas::diag::unit}) {
                auto x = b;
                auto dx = db;
                blas::trsv<T>(host, triangle, blas::trans::no, diagonal, a.view(), b.view(), x.view());
                blas::trsv<T>(this->device, triangle, blas::trans::no, diagonal, da.view(), db.view(), dx.view());
                EXPECT_TRUE(same_bits(x, to_host(this->device, dx)))
                    << "trsv " << n << (triangle == blas::uplo::lower ? " lower" : " upper")
                    << (diagonal == blas::diag::unit ? " unit" : "");
                EXPECT_TRUE(n == 0 || (is_finite(x.get(0)) && is_finite(x.get(n - 1))));
                EXPECT_THROW(blas::trsv<T>(this->device, triangle, blas::trans::yes, diagonal, da.view(), db.view(),
                                           dx.view()),
                             unsupported_error);
            }
        }
    }
};
TYPED_TEST_SUITE(level2_cuda_test, cuda_formats);

}  // namespace

TYPED_TEST(level2_cuda_test, products_give_the_bits_of_the_host)
{
    SCOPED_TRACE(this->random.trace());
    for (const auto& [m, n] : {std::pair<index_t, index_t>{0, 0},
                               {0, 3},
                               {3, 0},
                               {1, 1},
                               {33, 64},
                               {257, 65},
                               {129, 300},
                               {1100, 5},
                               {5, 1300},
                               {9000, 3}}) {
        this->template expect_same_products<TypeParam>(m, n);
        if constexpr (number_traits<TypeParam>::terms > 1) {
            this->template expect_same_products<double>(m, n);
        }
    }
}

TYPED_TEST(level2_cuda_test, scalars_may_lie_in_device_memory)
{
    using T = TypeParam;
    const auto a = random_matrix<T>(40, 70, this->random);
    const auto x = random_vector<T>(70, this->random);
    const auto y = random_vector<T>(40, this->random);
    const auto dx = to_device(this->device, x);
    const T square = blas::dot<T>(host, x.view(), x.view());
    device_scalar<T> alpha(this->device), zero(this->device);
    blas::dot<T>(this->device, dx.view(), dx.view(), alpha);
    for (const bool keep : {false, true}) {
        auto w = y;
        auto dw = to_device(this->device, y);
        blas::gemv<T>(host, blas::trans::no, square, a.view(), x.view(), keep ? square : T{0.0}, w.view());
        blas::gemv<T>(this->device, blas::trans::no, alpha, to_device(this->device, a).view(), dx.view(),
                      keep ? alpha : zero, dw.view());
        EXPECT_TRUE(same_bits(w, to_host(this->device, dw)));
    }
}

TYPED_TEST(level2_cuda_test, triangular_solves_give_the_bits_of_the_host)
{
    SCOPED_TRACE(this->random.trace());
    for (const index_t n : {0, 1, 31, 32, 33, 100, 200}) {
        this->template expect_same_solutions<TypeParam>(n);
        if constexpr (number_traits<TypeParam>::terms > 1) {
            this->template expect_same_solutions<double>(n);
        }
    }
}

TYPED_TEST(level2_cuda_test, gemm_gives_the_bits_of_the_host)
{
    using T = TypeParam;
    SCOPED_TRACE(this->random.trace());
    struct shape {
        index_t m, n, k;
    };
    for (const shape& s : {shape{0, 0, 0}, {1, 1, 0}, {33, 5, 70}, {7, 3, 260}, {65, 2, 129}, {3, 2, 430}}) {
        const auto a = random_matrix<T>(s.m, s.k, this->random);
        const auto b = random_matrix<T>(s.k, s.n, this->random);
        const auto c = random_matrix<T>(s.m, s.n, this->random);
        const T some = random_number<T>(this->random);
        for (const T& beta : {T{0.0}, T{1.0}, some}) {
            auto w = c;
            auto dw = to_device(this->device, c);
            blas::gemm<T>(host, blas::trans::no, blas::trans::no, some, a.view(), b.view(), beta, w.view());
            blas::gemm<T>(this->device, blas::trans::no, blas::trans::no, some, to_device(this->device, a).view(),
                          to_device(this->device, b).view(), beta, dw.view());
            EXPECT_TRUE(same_bits(w, to_host(this->device, dw))) << s.m << " x " << s.n << " x " << s.k;
        }
    }
}
