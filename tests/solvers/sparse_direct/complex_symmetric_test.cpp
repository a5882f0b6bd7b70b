// L D L' of the real forms of complex symmetric matrices by fronts: solutions with exact residuals, determinants by Eigen.
#include <complex>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <omp.h>

#include "tests/solvers/sparse_direct/multifrontal.hpp"
#include "tests/support/complex_symmetric.hpp"

using namespace residua;
using namespace residua::support;

namespace {

template <class Kind>
struct complex_symmetric : multifrontal_of<Kind> {
    using base = multifrontal_of<Kind>;
    using factors_of = typename base::factors_of;

    factors_of factorize_as(const linear_system& a, factor_kind kind) const
    {
        return base::factorize(taken_as_it_is(a), analyze_for_factors(a, kind));
    }

    /// L D L' solves with A and A', has no inertia, and the determinant.
    factors_of expect_good(const complex_symmetric_entries& entries, double growth)
    {
        const linear_system a = entries.form();
        factors_of f = factorize_as(a, factor_kind::ldl);
        EXPECT_TRUE(f.analysis->negates_odd_rows || f.analysis->row_of_column[0] == 1);
        this->expect_solves(f, growth);
        EXPECT_FALSE(f->find_inertia().has_value());
        const std::optional<real> found = f->find_determinant();
        if (a.rows <= 60 && found) {
            eigen_matrix dense = eigen_matrix::Constant(a.rows, a.rows, real(0.0, 2 * base::bits + 900));
            for (index_t i = 0; i < a.rows; ++i) {
                for (index_t p = a.row_begin[i]; p < a.row_begin[i + 1]; ++p) {
                    dense(i, a.column[p]) = real(a.values[p], 2 * base::bits + 900);
                }
            }
            const real exact = dense.partialPivLu().determinant();
            EXPECT_LT(abs(*found / exact - real(1.0)), ldexp(real(1e9), -base::bits)) << *found << " " << exact;
        }
        return f;
    }
};
TYPED_TEST_SUITE(complex_symmetric, kinds);

}  // namespace

TYPED_TEST(complex_symmetric, numbers_that_can_be_checked_by_hand)
{
    // [0, 2i; 2i, 1 + i] (x, 3) = (6i, 2i x + 3 + 3i) with x = 1 - i
    complex_symmetric_entries a{2};
    a.set(0, 1, {0.0, 2.0});
    a.set(1, 1, {1.0, 1.0});
    const auto f = this->expect_good(a, 4.0);
    const std::vector<real> b{real(0.0), real(6.0), real(5.0), real(5.0)}, x = this->solve(f, b, false);
    const double expected[] = {1.0, -1.0, 3.0, 0.0};
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_LE(abs(x[i] - real(expected[i])), ldexp(real(8.0), -TestFixture::bits)) << i;
    }
    EXPECT_LE(abs(*f->find_determinant() - real(16.0)), ldexp(real(64.0), -TestFixture::bits));  // abs(-4)^2
}

TYPED_TEST(complex_symmetric, one_number)
{
    for (const std::complex<double> z : {std::complex{0.0, 3.0}, {2.0, 0.0}, {-0x1p-30, 1.0}, {3.0, 4.0}, {4.0, 3.0}}) {
        complex_symmetric_entries a{1};
        a.set(0, 0, z);
        const auto f = this->factorize_as(a.form(), factor_kind::ldl);
        this->expect_solves(f, 4.0);
        EXPECT_EQ(f.analysis->negates_odd_rows, z.real() == 4.0);
        EXPECT_EQ(f.analysis->row_of_column[0], std::abs(z.imag()) > std::abs(z.real()) ? 1 : 0);
        EXPECT_EQ(f->find_inertia().has_value(), z.imag() == 0.0);  // symmetric as it is
        EXPECT_EQ(f->delayed(), 0);
    }
}

TYPED_TEST(complex_symmetric, grids_take_half_of_the_work_of_l_u)
{
    for (const double k : {0.3, 0.9, 1.7}) {
        const complex_symmetric_entries a = absorbing_grid(30, 25, k);
        const auto f = this->expect_good(a, 50.0);
        const auto lu = this->factorize_as(a.form(), factor_kind::lu);
        EXPECT_LE(cost_of(f.analysis->tree, true).multiply_adds,
                  0.55 * cost_of(lu.analysis->tree, false).multiply_adds);
        EXPECT_LE(f->entries(), 2.0 / 3.0 * lu->entries()) << k;  // diagonal blocks of fronts are whole
    }
}

TYPED_TEST(complex_symmetric, imaginary_diagonals_hardly_wait)
{
    for (const double part : {0.0, 0x1p-20, 0.3}) {
        EXPECT_EQ(this->expect_good(imaginary_grid(7, 5, part), 50.0)->delayed(), 0);
    }
    for (const double share : {0.1, 0.5, 0.9}) {
        EXPECT_LE(this->expect_good(mixed_grid(12, 10, share, 1), 50.0)->delayed(), 12) << share;
    }
}

TYPED_TEST(complex_symmetric, any_matrices)
{
    index_t delayed = 0;
    for (unsigned seed = 1; seed <= 24; ++seed) {
        const index_t n = 1 + static_cast<index_t>(seed * 37 % 40);
        const double share = seed % 3 == 0 ? 0.01 : seed % 3 == 1 ? 0.05 : 0.4;
        const complex_symmetric_entries a = any_complex_symmetric(n, share, seed % 4 == 0 ? 60 : 0, seed);
        bool has_imaginary_parts = false;
        for (const auto& [at, z] : a.value) {
            has_imaginary_parts = has_imaginary_parts || z.imag() != 0.0;
        }
        if (has_imaginary_parts) {
            delayed += this->expect_good(a, 1000.0)->delayed();
        }
        ASSERT_FALSE(this->HasFailure()) << "seed " << seed;
    }
    EXPECT_GT(delayed, 10);
}

TYPED_TEST(complex_symmetric, imaginary_diagonals_in_any_units)
{
    for (unsigned seed = 1; seed <= 8; ++seed) {
        complex_symmetric_entries a = any_complex_symmetric(24, 0.1, 60, seed);
        any_numbers share(seed);
        for (index_t i = 0; i < a.n; ++i) {
            const double size = std::abs(a.value[{i | 1, i - i % 2}]);
            a.set(i, i, {size * share.number() / 4.0, size});
        }
        const auto f = this->expect_good(a, 1000.0);
        EXPECT_FALSE(f.analysis->negates_odd_rows);
        for (index_t j = 0; j < 2 * a.n; ++j) {
            EXPECT_EQ(f.analysis->column_exponent[j], f.analysis->row_exponent[f.analysis->row_of_column[j]]);
        }
        ASSERT_FALSE(this->HasFailure()) << "seed " << seed;
    }
}

TYPED_TEST(complex_symmetric, a_matrix_of_modulus_zero_in_all_directions_is_singular)
{
    // [1, i; i, -1]: the vector (1, i) with itself has 1 + i^2 = 0, and the rank is 1
    complex_symmetric_entries a{3};
    a.set(0, 0, 1.0);
    a.set(0, 1, {0.0, 1.0});
    a.set(1, 1, -1.0);
    a.set(2, 2, {1.0, 1.0});
    const auto f = this->factorize_as(a.form(), factor_kind::ldl);
    EXPECT_NE(f->failure().find("no usable pivot in column"), std::string::npos) << f->failure();
    EXPECT_FALSE(f->find_inertia().has_value());
    EXPECT_FALSE(f->find_determinant().has_value());
}

TYPED_TEST(complex_symmetric, others_have_the_signs_that_they_have)
{
    complex_symmetric_entries a = absorbing_grid(4, 4, 0.9);
    a.set(3, 2, {-1.0, 0.5});
    const auto hermitian = this->factorize_as(a.form(true), factor_kind::ldl);
    EXPECT_FALSE(hermitian.analysis->negates_odd_rows);
    EXPECT_TRUE(hermitian->find_inertia().has_value());
    EXPECT_FALSE(this->factorize_as(a.form(), factor_kind::lu).analysis->negates_odd_rows);
    for (auto& [at, z] : a.value) {
        z = z.real();
    }
    EXPECT_FALSE(this->factorize_as(a.form(), factor_kind::ldl).analysis->negates_odd_rows);
}

TYPED_TEST(complex_symmetric, has_the_same_bits_with_any_number_of_threads)
{
    const linear_system a = absorbing_grid(40, 30, 0.7).form();
    const int before = omp_get_max_threads();
    std::vector<std::vector<real>> x;
    const std::vector<real> b = this->integers(a.rows);
    for (const int threads : {1, 4}) {
        omp_set_num_threads(threads);
        const auto f = this->factorize_as(a, factor_kind::ldl);
        ASSERT_EQ(f->failure(), "");
        x.push_back(this->solve(f, b, false));
        x.push_back(this->solve(f, b, true));
    }
    omp_set_num_threads(before);
    EXPECT_EQ(x[2], x[0]);
    EXPECT_EQ(x[3], x[1]);
    EXPECT_NE(x[1], x[0]);
}
