#include <gtest/gtest.h>
#include <Eigen/SVD>

#include <residua/arith/numbers/eigen.hpp>

#include "eigen_scalars.hpp"
#include "eigen_svd_known.hpp"

namespace residua {
namespace {

template <class T>
class eigen_jacobi_svd : public ::testing::Test {
protected:
    limits_precision limits_{real_bits};
};

using scalars =
    ::testing::Types<expansion<double, 2>, expansion<double, 3>, expansion<double, 4>, multidigit_fixed<200>, real>;
TYPED_TEST_SUITE(eigen_jacobi_svd, scalars);

/// Sweeps end when no entry off the diagonal is above 2 epsilon times the largest on it: of n rows the norm of all of
/// them is then below 2 n epsilon times the largest singular value. Roundings may take as much again, which is no
/// theorem: a rotation is off by less than epsilon, and few sweeps are needed.
template <class T>
void expect_decomposed(const known_svd& known, unsigned options)
{
    const Eigen::JacobiSVD<dense<T>> svd(in_format<T>(known.a), options);
    ASSERT_EQ(svd.info(), Eigen::Success);
    EXPECT_EQ(svd.rank(), rank_of(known));
    const double bound = 4.0 * static_cast<double>(known.sigma.size());
    const svd_errors off = errors_of(svd, known);
    EXPECT_LT(off.residual, bound);
    EXPECT_LT(off.left, bound);
    EXPECT_LT(off.right, bound);
    EXPECT_LT(off.values, bound);
}

TYPED_TEST(eigen_jacobi_svd, epsilon)
{
    EXPECT_EQ(in_epsilons<TypeParam>(to_real(Eigen::NumTraits<TypeParam>::epsilon())), 1);
}

TYPED_TEST(eigen_jacobi_svd, square)
{
    expect_decomposed<TypeParam>(matrix_of(8, 8, {23, 17, 11, 9, 7, 5, 3, 1}),
                                 Eigen::ComputeFullU | Eigen::ComputeFullV);
    expect_decomposed<TypeParam>(matrix_of(8, 8, {8, 8, 8, 5, 5, 1, 1, 1}), Eigen::ComputeFullU | Eigen::ComputeFullV);
    expect_decomposed<TypeParam>(matrix_of(8, 8, {1, 0x1p-8, 0x1p-16, 0x1p-24, 0x1p-32, 0x1p-40, 0x1p-48, 0}),
                                 Eigen::ComputeFullU | Eigen::ComputeFullV);
}

TYPED_TEST(eigen_jacobi_svd, rectangular)
{
    expect_decomposed<TypeParam>(matrix_of(16, 8, {23, 17, 11, 9, 7, 5, 3, 1}),
                                 Eigen::ComputeThinU | Eigen::ComputeThinV);
    expect_decomposed<TypeParam>(matrix_of(8, 16, {23, 17, 11, 9, 7, 5, 3, 1}),
                                 Eigen::ComputeFullU | Eigen::ComputeFullV);
}

}  // namespace
}  // namespace residua
