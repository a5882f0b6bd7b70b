#include <gtest/gtest.h>
#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <Eigen/QR>

#include <residua/arith/complex/eigen.hpp>

#include "tests/arith/numbers/eigen_scalars.hpp"

namespace residua {
namespace {

constexpr int n = 6;
/// Of matrices with a condition number below 20: what is lost is less than eight bits.
constexpr double tolerated = 256;

template <class T>
class complex_eigen : public ::testing::Test {
protected:
    using number = complex_number<T>;
    using matrix = dense<number>;
    using vector = column<number>;

    static number of(double re, double im) { return {scalar<T>::of(re), scalar<T>::of(im)}; }

    /// A real test matrix, and i times another one that is skew-symmetric if the whole is to be hermitian.
    static matrix make(bool hermitian)
    {
        const dense<T> re = test_matrix<T>(n, hermitian);
        matrix a(n, n);
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) {
                a(i, j) = number(re(i, j), scalar<T>::of((i - j) / 16.0));
                a(i, j) += hermitian ? of(0, 0) : of(0, 1.0 / (1 << (i + j)));
            }
        }
        return a;
    }

    /// The largest part of b - A x in units of 2^-bits, computed with 600 bits and then rounded.
    static double residual(const matrix& a, const vector& x, const vector& b)
    {
        real largest(0.0);
        for (int i = 0; i < n; ++i) {
            complex_number<real> r(to_real(b(i).real()).with_precision(600), to_real(b(i).imag()).with_precision(600));
            for (int j = 0; j < n; ++j) {
                const complex_number<real> entry(to_real(a(i, j).real()).with_precision(600), to_real(a(i, j).imag()));
                r -= entry * complex_number<real>(to_real(x(j).real()).with_precision(600), to_real(x(j).imag()));
            }
            largest = max(largest, abs(r));
        }
        return to_double(ldexp(largest, scalar<T>::bits));
    }

    limits_precision limits_{real_bits};
};

using scalars = ::testing::Types<expansion<double, 2>, real>;
TYPED_TEST_SUITE(complex_eigen, scalars);

TYPED_TEST(complex_eigen, decompositions_solve)
{
    using M = dense<complex_number<TypeParam>>;
    using V = column<complex_number<TypeParam>>;
    V b(n);
    for (int i = 0; i < n; ++i) {
        b(i) = this->of(1.0, i);
    }
    const M a = this->make(false);
    const M h = this->make(true);
    EXPECT_LT(this->residual(a, V(Eigen::PartialPivLU<M>(a).solve(b)), b), tolerated);
    EXPECT_LT(this->residual(a, V(Eigen::HouseholderQR<M>(a).solve(b)), b), tolerated);
    EXPECT_LT(this->residual(h, V(Eigen::LLT<M>(h).solve(b)), b), tolerated);
}

TYPED_TEST(complex_eigen, adjoints_and_products_are_those_of_complex_numbers)
{
    using M = dense<complex_number<TypeParam>>;
    const M h = this->make(true);
    EXPECT_TRUE(M(h.adjoint()) == h);
    EXPECT_FALSE(M(h.transpose()) == h);
    const M a = this->make(false);
    const M gram = a.adjoint() * a;
    for (int i = 0; i < n; ++i) {
        TypeParam sum = scalar<TypeParam>::of(0);
        for (int k = 0; k < n; ++k) {
            sum = sum + norm(a(k, i));
        }
        const TypeParam error = abs(gram(i, i) - complex_number<TypeParam>(sum));
        EXPECT_LT(to_double(ldexp(to_real(error), scalar<TypeParam>::bits)), 64);
    }
    EXPECT_LT(to_double(abs(a.norm() * a.norm() - gram.trace().real())), 1e-12);
    EXPECT_TRUE((a * scalar<TypeParam>::of(2))(1, 2) == a(1, 2) + a(1, 2));
}

}  // namespace
}  // namespace residua
