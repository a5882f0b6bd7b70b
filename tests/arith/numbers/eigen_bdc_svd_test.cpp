#include <cmath>

#include <gtest/gtest.h>
#include <Eigen/SVD>

#include <residua/arith/numbers/eigen.hpp>

#include "eigen_scalars.hpp"
#include "eigen_svd_known.hpp"

namespace residua {
namespace {

template <class T>
class eigen_bdc_svd : public ::testing::Test {
protected:
    limits_precision limits_{real_bits};
};

using scalars = ::testing::Types<RESIDUA_TEST_SCALAR>;
TYPED_TEST_SUITE(eigen_bdc_svd, scalars);

/// A merge deflates entries below 8 epsilon times the largest: n of them have a norm of at most 8 sqrt(n) epsilon. There
/// are fewer than log2(n) merges one above the other. The secular equation stops at the same 8 epsilon, and its vectors
/// are those of a matrix as near. That Jacobi's share and the roundings stay below it too is no theorem.
template <class T>
void expect_decomposed(const known_svd& known, unsigned options)
{
    Eigen::BDCSVD<dense<T>> svd;
    svd.setSwitchSize(4);  // the least there is: a matrix of fewer columns is left to Jacobi
    svd.compute(in_format<T>(known.a), options);
    ASSERT_EQ(svd.info(), Eigen::Success);
    EXPECT_GT(svd.m_numIters, 0);
    EXPECT_EQ(svd.rank(), rank_of(known));
    const double n = static_cast<double>(known.sigma.size());
    const double bound = 8 * std::sqrt(n) * std::log2(n);
    const svd_errors off = errors_of(svd, known);
    EXPECT_LT(off.residual, bound);
    EXPECT_LT(off.left, bound);
    EXPECT_LT(off.right, bound);
    EXPECT_LT(off.values, bound);
}

TYPED_TEST(eigen_bdc_svd, square)
{
    expect_decomposed<TypeParam>(matrix_of(16, 16, {31, 29, 23, 19, 17, 15, 14, 13, 12, 11, 9, 7, 5, 3, 2, 1}),
                                 Eigen::ComputeFullU | Eigen::ComputeFullV);
    expect_decomposed<TypeParam>(matrix_of(16, 16, {8, 8, 8, 8, 8, 8, 8, 5, 5, 5, 5, 3, 3, 1, 1, 1}),
                                 Eigen::ComputeFullU | Eigen::ComputeFullV);
    expect_decomposed<TypeParam>(matrix_of(16, 16,
                                           {1, 0x1p-2, 0x1p-4, 0x1p-6, 0x1p-8, 0x1p-12, 0x1p-16, 0x1p-20, 0x1p-24,
                                            0x1p-28, 0x1p-32, 0x1p-36, 0x1p-40, 0x1p-48, 0, 0}),
                                 Eigen::ComputeFullU | Eigen::ComputeFullV);
}

TYPED_TEST(eigen_bdc_svd, rectangular)
{
    expect_decomposed<TypeParam>(matrix_of(16, 8, {23, 17, 11, 9, 7, 5, 3, 1}),
                                 Eigen::ComputeThinU | Eigen::ComputeThinV);
    expect_decomposed<TypeParam>(matrix_of(8, 16, {23, 17, 11, 9, 7, 5, 3, 1}),
                                 Eigen::ComputeFullU | Eigen::ComputeFullV);
}

}  // namespace
}  // namespace residua
