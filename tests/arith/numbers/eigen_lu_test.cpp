#include <gtest/gtest.h>
#include <Eigen/Cholesky>
#include <Eigen/LU>

#include <residua/arith/numbers/eigen.hpp>

#include "eigen_scalars.hpp"

namespace residua {
namespace {

constexpr int n = 8;
/// Of matrices with a condition number below 20: what is lost is less than eight bits.
constexpr double tolerated = 256;

template <class T>
class eigen_lu : public ::testing::Test {
protected:
    limits_precision limits_{real_bits};
};

using scalars = ::testing::Types<expansion<double, 2>, multidigit_fixed<200>, real>;
TYPED_TEST_SUITE(eigen_lu, scalars);

/// The error of the solution of A x = (1, ..., 1), in units of 2^-bits.
template <class Decomposition, class T>
double error_of(const dense<T>& a)
{
    const column<T> x = Decomposition(a).solve(column<T>::Constant(n, scalar<T>::of(1)));
    return error_in_ulps<T>(x, exact_solution(a));
}

TYPED_TEST(eigen_lu, solves)
{
    using T = TypeParam;
    const dense<T> a = test_matrix<T>(n, false);
    const dense<T> s = test_matrix<T>(n, true);
    EXPECT_LT((error_of<Eigen::PartialPivLU<dense<T>>, T>(a)), tolerated);
    EXPECT_LT((error_of<Eigen::FullPivLU<dense<T>>, T>(a)), tolerated);
    EXPECT_LT((error_of<Eigen::LLT<dense<T>>, T>(s)), tolerated);
    EXPECT_LT((error_of<Eigen::LDLT<dense<T>>, T>(s)), tolerated);
}

TYPED_TEST(eigen_lu, finds_the_rank)
{
    using T = TypeParam;
    dense<T> a = test_matrix<T>(n, false);
    a.row(3) = a.row(1) / 3 + a.row(2) / 7;
    const Eigen::FullPivLU<dense<T>> lu(a);
    EXPECT_EQ(lu.rank(), n - 1);
    EXPECT_LT(abs((a * lu.kernel()).norm()), ldexp(scalar<T>::of(1), 8 - scalar<T>::bits));
    EXPECT_EQ(Eigen::FullPivLU<dense<T>>(test_matrix<T>(n, false)).rank(), n);
}

}  // namespace
}  // namespace residua
