// L D L' of sparse symmetric indefinite matrices: solutions over MPFR, inertia and determinants by Eigen.
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <omp.h>

#include <Eigen/Eigenvalues>

#include <residua/solvers/space/blas_space.hpp>
#include <residua/solvers/sparse_direct/multifrontal.hpp>

#include "tests/support/eigen_reference.hpp"
#include "tests/support/stopping.hpp"
#include "tests/support/symmetric_matrices.hpp"

using namespace residua;
using namespace residua::support;

namespace {

struct binary32 {
    using space = host_space<float>;
    static space make() { return {}; }
    static constexpr long bits = 24;
};
struct binary64 {
    using space = host_space<double>;
    static space make() { return {}; }
    static constexpr long bits = 53;
};
struct expansion2 {
    using space = host_space<expansion<double, 2>>;
    static space make() { return {}; }
    static constexpr long bits = 103;
};
struct multidigit300 {
    using space = multidigit_space<host_executor>;
    static space make() { return {{}, multidigit_format(300)}; }
    static constexpr long bits = 300;
};

template <class Kind>
using factors_in = multifrontal<typename Kind::space>;

template <class Kind>
factors_in<Kind> factorize(const sparse_matrix& a, factor_kind kind = factor_kind::ldl)
{
    return {Kind::make(), std::make_shared<const sparse_analysis>(analyze_for_factors(a, kind)), a};
}

template <class Kind>
std::vector<real> solve(const factors_in<Kind>& factors, index_t n, bool transposed = false)
{
    const auto on = detail::solve_space_of<typename Kind::space>::from(Kind::make());
    auto x = on.make_vector(n);
    for (index_t i = 0; i < n; ++i) {
        x.set(i, on.make_scalar(static_cast<double>(i % 7) - 2.5));
    }
    factors.solve(x, transposed);
    std::vector<real> result;
    for (index_t i = 0; i < n; ++i) {
        result.push_back(to_real(x.get(i)));
    }
    return result;
}

eigen_matrix entries_of(const sparse_matrix& a, long bits)
{
    eigen_matrix d = eigen_matrix::Constant(a.rows, a.rows, real(0.0, bits));
    for (index_t i = 0; i < a.rows; ++i) {
        for (index_t p = a.row_begin[i]; p < a.row_begin[i + 1]; ++p) {
            d(i, a.column[p]) = real(a.values[p], bits);
        }
    }
    return d;
}

/// The largest |b - A x|_i over (|A| |x| + |b|)_i, in units of 2^-p.
template <class Kind>
double backward_error(const sparse_matrix& a, const std::vector<real>& x)
{
    const long bits = 2 * Kind::bits + 100;
    double worst = 0.0;
    for (index_t i = 0; i < a.rows; ++i) {
        real rest(static_cast<double>(i % 7) - 2.5, bits);
        real sum = abs(rest);
        for (index_t p = a.row_begin[i]; p < a.row_begin[i + 1]; ++p) {
            const real product = real(a.values[p], bits) * x[a.column[p]].with_precision(bits);
            rest -= product;
            sum += abs(product);
        }
        worst = std::max(worst, to_double(ldexp(abs(rest) / sum, Kind::bits).with_precision(64)));
    }
    return worst;
}

/// The signs of the eigenvalues, by Eigen in binary64, of a matrix that has none near zero.
inertia eigen_inertia(const sparse_matrix& a)
{
    Eigen::MatrixXd d = Eigen::MatrixXd::Zero(a.rows, a.rows);
    for (index_t i = 0; i < a.rows; ++i) {
        for (index_t p = a.row_begin[i]; p < a.row_begin[i + 1]; ++p) {
            d(i, a.column[p]) = a.values[p];
        }
    }
    const Eigen::VectorXd value =
        Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(d, Eigen::EigenvaluesOnly).eigenvalues();
    EXPECT_GT(value.cwiseAbs().minCoeff(), 1e-11 * value.cwiseAbs().maxCoeff());
    inertia result;
    for (const double v : value) {
        ++(v > 0.0 ? result.positive : result.negative);
    }
    return result;
}

/// Determinants of all factors there can be, against those of Eigen over MPFR.
template <class Kind>
void expect_determinant(const factors_in<Kind>& factors, const sparse_matrix& a)
{
    const real det = entries_of(a, 900).partialPivLu().determinant();
    const std::optional<real> found = factors.find_determinant();
    ASSERT_TRUE(found.has_value());
    EXPECT_LT(abs(*found / det - real(1.0)), ldexp(real(1e8), -Kind::bits)) << *found << " " << det;
}

template <class Kind>
void expect_good(const sparse_matrix& a, double most = 1000.0)
{
    const auto factors = factorize<Kind>(a);
    ASSERT_EQ(factors.failure(), "");
    EXPECT_FALSE(factors.is_cholesky());
    const auto x = solve<Kind>(factors, a.rows);
    EXPECT_LT(backward_error<Kind>(a, x), most);
    EXPECT_EQ(solve<Kind>(factors, a.rows, true), x);
    const auto found = factors.find_inertia();
    ASSERT_TRUE(found.has_value());
    const inertia expected = eigen_inertia(a);
    EXPECT_EQ(found->positive, expected.positive);
    EXPECT_EQ(found->negative, expected.negative);
    EXPECT_EQ(found->zero, 0);
    expect_determinant<Kind>(factors, a);
}

template <class Kind>
struct ldl : testing::Test {};
using kinds = testing::Types<binary32, binary64, expansion2, multidigit300>;
TYPED_TEST_SUITE(ldl, kinds);

}  // namespace

TYPED_TEST(ldl, solves_shifted_grids)
{
    for (const double shift : {0.0, 0.7, 1.9, 3.3, 8.5}) {
        expect_good<TypeParam>(shifted_grid(11, 9, shift));
        ASSERT_FALSE(this->HasFailure()) << shift;
    }
}

TYPED_TEST(ldl, solves_saddle_points)
{
    for (const unsigned seed : {1, 2, 3}) {
        for (const index_t constraints : {1, 7, 20}) {
            const sparse_matrix a = saddle_point(9, constraints, seed);
            expect_good<TypeParam>(a);
            const auto found = factorize<TypeParam>(a).find_inertia();
            EXPECT_EQ(found->negative, constraints);
            ASSERT_FALSE(this->HasFailure()) << seed << " " << constraints;
        }
    }
}

TYPED_TEST(ldl, solves_any_matrix)
{
    index_t delayed = 0;
    for (unsigned seed = 1; seed <= 30; ++seed) {
        const index_t n = 1 + static_cast<index_t>(seed * 37 % 90);
        const double share = seed % 3 == 0 ? 0.01 : seed % 3 == 1 ? 0.05 : 0.5;
        const sparse_matrix a = any_indefinite(n, share, 0, seed);
        expect_good<TypeParam>(a, 1e5);
        delayed += factorize<TypeParam>(a).delayed();
        ASSERT_FALSE(this->HasFailure()) << "seed " << seed;
    }
    EXPECT_GT(delayed, 10);
}

TYPED_TEST(ldl, does_not_depend_on_the_units_of_rows)
{
    for (unsigned seed = 1; seed <= 10; ++seed) {
        const sparse_matrix plain = any_indefinite(60, 0.04, 0, seed), scaled = any_indefinite(60, 0.04, 240, seed);
        const auto factors = factorize<TypeParam>(plain), others = factorize<TypeParam>(scaled);
        ASSERT_EQ(factors.failure(), "");
        ASSERT_EQ(others.failure(), "");
        EXPECT_EQ(factors.find_inertia()->negative, others.find_inertia()->negative);
        expect_determinant<TypeParam>(others, scaled);
    }
}

TYPED_TEST(ldl, waits_where_the_diagonal_is_zero)
{
    // a grid without a diagonal, of any weights: no column has a pivot of its own, and half of the eigenvalues are
    // negative
    constexpr index_t width = 14, n = width * (width - 1);
    any_numbers random(7);
    symmetric_entries a{n};
    for (index_t k = 0; k < n; ++k) {
        if (k % width > 0) {
            a.set(k, k - 1, 1.5 + random.number());
        }
        if (k >= width) {
            a.set(k, k - width, 1.5 + random.number());
        }
    }
    const sparse_matrix rows = a.rows();
    EXPECT_GT(factorize<TypeParam>(rows).delayed(), 20);
    EXPECT_EQ(factorize<TypeParam>(rows).find_inertia()->negative, n / 2);
    expect_good<TypeParam>(rows, 1e5);
}

TYPED_TEST(ldl, finds_zeros_at_the_roots)
{
    // three components: [1, 1; 1, 1], then one that is structurally singular and later of rank one, and [-3, 3; 3, 5]
    symmetric_entries a{7};
    a.set(0, 0, 1.0);
    a.set(0, 1, 1.0);
    a.set(1, 1, 1.0);
    a.set(2, 3, 2.0);
    a.set(3, 4, 2.0);
    a.set(5, 5, -3.0);
    a.set(5, 6, 3.0);
    a.set(6, 6, 5.0);
    a.set(3, 3, 1.0);
    sparse_matrix rows = a.rows();
    const auto singular = factorize<TypeParam>(rows);
    EXPECT_NE(singular.failure().find("structurally singular"), std::string::npos) << singular.failure();
    EXPECT_FALSE(singular.find_inertia().has_value());
    EXPECT_FALSE(singular.find_determinant().has_value());

    a.set(2, 2, 4.0);
    a.set(2, 4, 4.0);
    a.set(4, 4, 4.0);
    rows = a.rows();
    const auto factors = factorize<TypeParam>(rows);
    EXPECT_NE(factors.failure().find("no usable pivot in column"), std::string::npos) << factors.failure();
    EXPECT_NE(factors.failure().find(TypeParam::bits == 24 ? "singular in binary32" : "singular to working precision"),
              std::string::npos);
    EXPECT_FALSE(factors.find_determinant().has_value());
    const auto found = factors.find_inertia();
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->zero, 3);
    EXPECT_EQ(found->positive, 3);
    EXPECT_EQ(found->negative, 1);
    EXPECT_EQ(factorize<TypeParam>(rows, factor_kind::lu).failure(), factors.failure());
}

TYPED_TEST(ldl, takes_matrices_of_one_row_and_of_none)
{
    symmetric_entries a{1};
    a.set(0, 0, -3.0);
    const auto factors = factorize<TypeParam>(a.rows());
    EXPECT_EQ(factors.find_inertia()->negative, 1);
    EXPECT_EQ(*factors.find_determinant(), real(-3.0));
    EXPECT_LT(backward_error<TypeParam>(a.rows(), solve<TypeParam>(factors, 1)), 4.0);

    const auto nothing = factorize<TypeParam>(symmetric_entries{0}.rows());
    EXPECT_EQ(nothing.failure(), "");
    EXPECT_EQ(nothing.find_inertia()->positive, 0);
    EXPECT_EQ(*nothing.find_determinant(), real(1.0));
}

TYPED_TEST(ldl, stops)
{
    const sparse_matrix a = shifted_grid(12, 12, 1.1);
    for (const int most : {0, 1, 50}) {
        int asked = 0;
        EXPECT_TRUE(is_stopped([&] { return asked++ == most; }, [&] { factorize<TypeParam>(a); }));
    }
}

TYPED_TEST(ldl, has_the_same_bits_with_any_number_of_threads)
{
    const sparse_matrix a = saddle_point(40, 300, 5);
    const int before = omp_get_max_threads();
    std::vector<std::vector<real>> x;
    for (const int threads : {1, 2, 5}) {
        omp_set_num_threads(threads);
        const auto factors = factorize<TypeParam>(a);
        ASSERT_EQ(factors.failure(), "");
        x.push_back(solve<TypeParam>(factors, a.rows));
    }
    omp_set_num_threads(before);
    EXPECT_EQ(x[1], x[0]);
    EXPECT_EQ(x[2], x[0]);
}

TYPED_TEST(ldl, is_not_all_that_has_a_determinant)
{
    const sparse_matrix definite = shifted_grid(8, 7, -0.3);
    const auto cholesky = factorize<TypeParam>(definite, factor_kind::cholesky);
    expect_determinant<TypeParam>(cholesky, definite);
    EXPECT_EQ(cholesky.find_inertia()->positive, definite.rows);
    EXPECT_EQ(cholesky.find_inertia()->negative, 0);
    EXPECT_FALSE(factorize<TypeParam>(shifted_grid(8, 7, 1.0), factor_kind::cholesky).find_inertia().has_value());
    for (unsigned seed = 1; seed <= 20; ++seed) {
        sparse_matrix a = any_indefinite(2 + seed % 9 * 7, 0.05, seed % 2 == 0 ? 100 : 0, seed);
        any_numbers random(seed);
        for (double& value : a.values.own()) {
            value *= random.number();
        }
        const auto lu = factorize<TypeParam>(a, factor_kind::lu);
        expect_determinant<TypeParam>(lu, a);
        EXPECT_FALSE(lu.find_inertia().has_value());
        ASSERT_FALSE(this->HasFailure()) << "seed " << seed;
    }
}
