#include <gtest/gtest.h>
#include <Eigen/Eigenvalues>

#include <residua/arith/numbers/eigen.hpp>

#include "eigen_scalars.hpp"

namespace residua {
namespace {

constexpr int n = 8;
/// Of matrices with a condition number below 20: what is lost is less than eight bits.
constexpr double tolerated = 256;

template <class T>
class eigen_eigenvalues : public ::testing::Test {
protected:
    limits_precision limits_{real_bits};
};

using scalars = ::testing::Types<RESIDUA_TEST_SCALAR>;
TYPED_TEST_SUITE(eigen_eigenvalues, scalars);

TYPED_TEST(eigen_eigenvalues, symmetric)
{
    using T = TypeParam;
    const dense<T> s = test_matrix<T>(n, true);
    const Eigen::SelfAdjointEigenSolver<dense<T>> found(s);
    ASSERT_EQ(found.info(), Eigen::Success);
    const dense<T>& v = found.eigenvectors();
    EXPECT_LT((s * v - v * found.eigenvalues().asDiagonal()).norm(), ldexp(scalar<T>::of(tolerated), -scalar<T>::bits));
    EXPECT_LT((v.transpose() * v - dense<T>::Identity(n, n)).norm(), ldexp(scalar<T>::of(tolerated), -scalar<T>::bits));
}

/// The second differences with 2 on the diagonal: 2 - 2 cos(k pi / (n + 1)), by MPFR.
TYPED_TEST(eigen_eigenvalues, are_those_of_a_formula)
{
    using T = TypeParam;
    dense<T> s = dense<T>::Constant(n, n, scalar<T>::of(0));
    for (int i = 0; i < n; ++i) {
        s(i, i) = scalar<T>::of(2);
        if (i > 0) {
            s(i, i - 1) = s(i - 1, i) = scalar<T>::of(-1);
        }
    }
    const column<T> found = Eigen::SelfAdjointEigenSolver<dense<T>>(s, Eigen::EigenvaluesOnly).eigenvalues();
    std::vector<real> exact;
    for (int k = 1; k <= n; ++k) {
        exact.push_back(2 - 2 * cos(4 * k * atan(real(1.0, 600)) / (n + 1)));
    }
    EXPECT_LT(error_in_ulps<T>(found, exact), tolerated);
}

/// Two eigenvalues are a conjugate pair.
TYPED_TEST(eigen_eigenvalues, of_a_matrix_that_is_not_symmetric)
{
    using T = TypeParam;
    dense<T> a = test_matrix<T>(4, false);
    a(3, 0) -= 5;
    const Eigen::EigenSolver<dense<T>> found(a);
    ASSERT_EQ(found.info(), Eigen::Success);
    const dense<T> d = found.pseudoEigenvalueMatrix();
    const dense<T> v = found.pseudoEigenvectors();
    EXPECT_LT((a * v - v * d).norm(), ldexp(scalar<T>::of(tolerated), -scalar<T>::bits));
    int complex = 0;
    for (int k = 0; k < 4; ++k) {
        complex += found.eigenvalues()(k).imag() != 0 ? 1 : 0;
    }
    EXPECT_EQ(complex, 2);
}

}  // namespace
}  // namespace residua
