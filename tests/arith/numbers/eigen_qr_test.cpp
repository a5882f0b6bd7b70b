#include <gtest/gtest.h>
#include <Eigen/QR>

#include <residua/arith/numbers/eigen.hpp>

#include "eigen_scalars.hpp"

namespace residua {
namespace {

constexpr int n = 8;
/// Of matrices with a condition number below 20: what is lost is less than eight bits.
constexpr double tolerated = 256;

template <class T>
class eigen_qr : public ::testing::Test {
protected:
    limits_precision limits_{real_bits};
};

using scalars = ::testing::Types<expansion<double, 2>, multidigit_fixed<200>, real>;
TYPED_TEST_SUITE(eigen_qr, scalars);

/// The error of the solution of A x = (1, ..., 1), in units of 2^-bits.
template <class Decomposition, class T>
double error_of(const dense<T>& a)
{
    const column<T> x = Decomposition(a).solve(column<T>::Constant(n, scalar<T>::of(1)));
    return error_in_ulps<T>(x, exact_solution(a));
}

TYPED_TEST(eigen_qr, solves)
{
    using T = TypeParam;
    const dense<T> a = test_matrix<T>(n, false);
    EXPECT_LT((error_of<Eigen::HouseholderQR<dense<T>>, T>(a)), tolerated);
    EXPECT_LT((error_of<Eigen::ColPivHouseholderQR<dense<T>>, T>(a)), tolerated);
}

TYPED_TEST(eigen_qr, finds_the_rank)
{
    using T = TypeParam;
    dense<T> a = test_matrix<T>(n, false);
    a.row(3) = a.row(1) / 3 + a.row(2) / 7;
    EXPECT_EQ(Eigen::ColPivHouseholderQR<dense<T>>(a).rank(), n - 1);
}

}  // namespace
}  // namespace residua
