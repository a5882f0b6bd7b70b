#include <gtest/gtest.h>

#include <Eigen/SVD>

#include <residua/arith/numbers/eigen.hpp>

namespace residua {
namespace {

constexpr int n = 8;
constexpr long real_bits = 300;

template <class T>
struct scalar {
    static T one() { return T(1); }
    static double tolerance() { return pow2(16 - number_traits<T>::precision_bits); }
};
template <>
struct scalar<real> {
    static real one() { return {1, real_bits}; }
    static double tolerance() { return pow2(16 - static_cast<int>(real_bits)); }
};

template <class T>
class eigen_svd : public ::testing::Test {
protected:
    using matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
    using vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;

    /// A Hilbert matrix plus the identity, and a shift of one entry if it is not to be symmetric.
    static matrix entries(bool symmetric)
    {
        matrix a(n, n);
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) {
                a(i, j) = scalar<T>::one() / (i + j + 1) + (i == j ? 1 : 0);
            }
        }
        if (!symmetric) {
            a(0, n - 1) += 2;
        }
        return a;
    }

    limits_precision limits_{real_bits};
    double tolerance_ = scalar<T>::tolerance();
};

/// Two formats, for each takes its time to compile.
using scalars = ::testing::Types<expansion<double, 2>, real>;
TYPED_TEST_SUITE(eigen_svd, scalars);

TYPED_TEST(eigen_svd, singular_values)
{
    using M = typename TestFixture::matrix;
    const M a = this->entries(false);
    const Eigen::JacobiSVD<M> jacobi(a, Eigen::ComputeFullU | Eigen::ComputeFullV);
    const M rest = jacobi.matrixU() * jacobi.singularValues().asDiagonal() * jacobi.matrixV().transpose() - a;
    EXPECT_LT(to_double(rest.norm()), this->tolerance_);
    const M identity = jacobi.matrixV().transpose() * jacobi.matrixV() - M::Identity(n, n);
    EXPECT_LT(to_double(identity.norm()), this->tolerance_);
}

}  // namespace
}  // namespace residua
