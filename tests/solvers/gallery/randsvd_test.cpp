#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <omp.h>

#include <Eigen/LU>
#include <Eigen/SVD>

#include <residua/arith/real/eigen.hpp>
#include <residua/solvers/gallery/gallery.hpp>

namespace residua {
namespace {

using matrix = Eigen::Matrix<real, Eigen::Dynamic, Eigen::Dynamic>;

matrix randsvd(const gallery_options& options)
{
    const io::coo<real> a = all_entries(make_gallery(gallery_kind_of("randsvd"), options));
    matrix m(a.rows, a.cols);
    for (std::size_t k = 0; k < a.value.size(); ++k) {
        m(a.row[k], a.col[k]) = a.value[k];
    }
    return m;
}

matrix with_precision(const matrix& a, long bits)
{
    return a.unaryExpr([bits](const real& x) { return x.with_precision(bits); });
}

/// How many eigenvalues of a symmetric matrix are below tau: the negative pivots of A - tau I = L D L' (Sylvester).
index_t eigenvalues_below(matrix a, const real& tau)
{
    const index_t n = a.rows();
    index_t negative = 0;
    for (index_t k = 0; k < n; ++k) {
        a(k, k) -= tau;
    }
    for (index_t k = 0; k < n; ++k) {
        negative += sign(a(k, k)) < 0 ? 1 : 0;
        for (index_t j = k + 1; j < n; ++j) {
            const real factor = a(j, k) / a(k, k);
            for (index_t i = j; i < n; ++i) {
                a(i, j) -= factor * a(i, k);
            }
        }
    }
    return negative;
}

/// Each eigenvalue of `a` is cond^(-power i / (n - 1)) to a relative 1e-15, for one i each.
void expect_geometric_eigenvalues(const matrix& a, const real& cond, long power)
{
    const index_t n = a.rows();
    const long bits = a(0, 0).precision();
    for (index_t i = 0; i < n; ++i) {
        real value(1.0, bits);
        if (i > 0) {
            mpfr_rootn_ui(value.mpfr(), pow(cond.with_precision(bits), power * i).mpfr(),
                          static_cast<unsigned long>(n - 1), MPFR_RNDN);
            value = real(1.0, bits) / value;
        }
        EXPECT_EQ(eigenvalues_below(a, value * real("0.999999999999999", bits)), n - i - 1) << i;
        EXPECT_EQ(eigenvalues_below(a, value * real("1.000000000000001", bits)), n - i) << i;
    }
}

TEST(randsvd_test, has_the_singular_values_that_were_asked_for)
{
    for (const char* cond : {"10", "1e12", "1e40"}) {
        for (const index_t n : {2, 3, 8, 21, 32}) {
            SCOPED_TRACE(cond + std::string(" ") + std::to_string(n));
            const gallery_options options{.n = n, .cond = real(cond, 200), .seed = 3, .digits = 64};
            const matrix a = with_precision(randsvd(options), 1200);  // exact products, and room for the pivots

            expect_geometric_eigenvalues(a.transpose() * a, options.cond, 2);
        }
    }
}

TEST(randsvd_test, if_definite_has_them_for_eigenvalues)
{
    for (const char* cond : {"10", "1e40"}) {
        for (const index_t n : {2, 5, 32}) {
            SCOPED_TRACE(cond + std::string(" ") + std::to_string(n));
            const gallery_options options{.n = n, .cond = real(cond, 200), .seed = 3, .definite = true, .digits = 64};

            expect_geometric_eigenvalues(with_precision(randsvd(options), 1200), options.cond, 1);
        }
    }
}

TEST(randsvd_test, of_order_100_has_the_norms_of_it_and_of_its_inverse)
{
    const index_t n = 100;
    for (const bool definite : {false, true}) {
        const gallery_options options{.n = n, .cond = real("1e40", 200), .definite = definite, .digits = 64};
        const matrix a = randsvd(options);
        const matrix inverse = a.partialPivLu().inverse();

        double squares = 0.0;  // of the singular values, which are those of the inverse over cond
        for (index_t i = 0; i < n; ++i) {
            squares += std::pow(10.0, -80.0 * static_cast<double>(i) / (n - 1));
        }
        EXPECT_NEAR(to_double(a.squaredNorm()) / squares, 1.0, 1e-12);
        EXPECT_NEAR(to_double(inverse.squaredNorm() * real("1e-80", 200)) / squares, 1.0, 1e-12);
    }
}

/// The blocks beside the diagonal of a sparse matrix plus one of rank r have rank r and what a few entries add.
TEST(randsvd_test, is_full_and_no_block_of_it_is_of_low_rank)
{
    const index_t n = 128;
    for (const bool definite : {false, true}) {
        const matrix a = randsvd({.n = n, .cond = real(10), .definite = definite});
        const Eigen::MatrixXd d = a.unaryExpr([](const real& x) { return to_double(x); });

        const double typical = d.norm() / static_cast<double>(n);
        EXPECT_EQ((d.array() == 0.0).count(), 0);
        EXPECT_GE((d.array().abs() > 0.05 * typical).count(), n * n * 9 / 10);
        EXPECT_LE(d.array().abs().maxCoeff(), 40.0 * typical);
        const auto values = Eigen::JacobiSVD<Eigen::MatrixXd>(d.bottomLeftCorner(n / 2, n / 2)).singularValues();
        EXPECT_GE(values(n / 2 - 1 - n / 16), 1e-2 * values(0));
    }
}

TEST(randsvd_test, is_the_same_for_any_number_of_threads)
{
    const int threads = omp_get_max_threads();
    for (const bool definite : {false, true}) {
        const gallery_options options{.n = 37, .seed = 9, .definite = definite};
        omp_set_num_threads(1);
        const matrix one = randsvd(options);
        omp_set_num_threads(3);
        const matrix three = randsvd(options);
        omp_set_num_threads(threads);

        EXPECT_TRUE(one == three);
    }
}

}  // namespace
}  // namespace residua
