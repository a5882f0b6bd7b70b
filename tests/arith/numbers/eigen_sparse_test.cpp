#include <gtest/gtest.h>

#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCholesky>
#include <Eigen/SparseLU>

#include <residua/arith/numbers/eigen.hpp>

#include "eigen_scalars.hpp"

namespace residua {
namespace {

/// More unknowns than iterations: conjugate gradients do not end by themselves before they stop at the tolerance.
constexpr int n = 200;

template <class T>
class eigen_sparse : public ::testing::Test {
protected:
    using matrix = Eigen::SparseMatrix<T>;
    using vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;

    /// 13/3 to 17/3 on the diagonal and -1 beside it; `skew` is added below it.
    static matrix tridiagonal(double skew)
    {
        matrix a(n, n);
        for (int i = 0; i < n; ++i) {
            a.insert(i, i) = scalar<T>::of(13 + i % 5) / 3;
            if (i > 0) {
                a.insert(i, i - 1) = scalar<T>::of(-1 + skew);
                a.insert(i - 1, i) = scalar<T>::of(-1);
            }
        }
        a.makeCompressed();
        return a;
    }

    static vector ones() { return vector::Constant(n, scalar<T>::of(1)); }

    static double residual(const matrix& a, const vector& x) { return to_double(T((ones() - a * x).norm())); }

    limits_precision limits_{real_bits};
    double tolerance_ = pow2(12 - scalar<T>::bits);
};

using scalars = ::testing::Types<expansion<double, 2>, multidigit_fixed<200>, real>;
TYPED_TEST_SUITE(eigen_sparse, scalars);

TYPED_TEST(eigen_sparse, sparse_lu)
{
    const auto a = this->tridiagonal(0.5);
    Eigen::SparseLU<typename TestFixture::matrix> lu(a);
    ASSERT_EQ(lu.info(), Eigen::Success);
    EXPECT_LT(this->residual(a, lu.solve(this->ones())), this->tolerance_);
}

TYPED_TEST(eigen_sparse, conjugate_gradients_stop_at_the_epsilon_of_the_format)
{
    const auto a = this->tridiagonal(0.0);
    Eigen::ConjugateGradient<typename TestFixture::matrix> cg(a);
    const typename TestFixture::vector x = cg.solve(this->ones());
    EXPECT_EQ(cg.info(), Eigen::Success);
    EXPECT_LT(cg.iterations(), n);
    EXPECT_LT(this->residual(a, x), this->tolerance_);
}

TYPED_TEST(eigen_sparse, sparse_cholesky)
{
    const auto a = this->tridiagonal(0.0);
    Eigen::SimplicialLDLT<typename TestFixture::matrix> ldlt(a);
    ASSERT_EQ(ldlt.info(), Eigen::Success);
    EXPECT_LT(this->residual(a, ldlt.solve(this->ones())), this->tolerance_);
}

TYPED_TEST(eigen_sparse, bicgstab_stops_at_the_epsilon_of_the_format)
{
    const auto a = this->tridiagonal(0.5);
    Eigen::BiCGSTAB<typename TestFixture::matrix> bicgstab(a);
    const typename TestFixture::vector x = bicgstab.solve(this->ones());
    EXPECT_EQ(bicgstab.info(), Eigen::Success);
    EXPECT_LT(bicgstab.iterations(), n);
    EXPECT_LT(this->residual(a, x), this->tolerance_);
}

}  // namespace
}  // namespace residua
