// Dense QR against its reflections, multiplied over MPFR from the vectors that it stored, within the bound of theorem 34.
#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <omp.h>

#include <residua/arith/expansion/error_bounds.hpp>
#include <residua/blas/base/error_bounds.hpp>
#include <residua/blas/dense/trsm.hpp>
#include <residua/solvers/dense_direct/dense_qr.hpp>
#include <residua/solvers/space/blas_space.hpp>

#include "tests/support/scale.hpp"
#include "tests/support/stopping.hpp"

using namespace residua;
using namespace residua::support;

namespace {

template <class S, long Bits>
struct kind {
    using space = S;
    static constexpr long bits = Bits;
};

using column_of_reals = std::vector<real>;

template <class Kind>
struct dense_qr_of : testing::Test {
    using space = typename Kind::space;
    using element = typename space::element;
    using matrix = typename space::matrix;
    static constexpr long bits = Kind::bits;
    static constexpr long most = 2 * bits + 200;  // of the judge

    static space make()
    {
        if constexpr (run_time_format<element>) {
            return space{{}, typename space::traits::format(bits)};
        } else {
            return space{};
        }
    }

    const space on = make();
    std::mt19937_64 random{5231};

    /// A number of all bits in (-1, 1).
    real any()
    {
        real x(0.0, bits);
        for (long k = 0; k < bits; k += 50) {
            x = ldexp(x, -50) + real(std::ldexp(static_cast<double>(random() >> 14), -50), bits);
        }
        return random() % 2 == 0 ? x : -x;
    }

    matrix any(index_t m, index_t n)
    {
        matrix a = on.make_matrix(m, n);
        for (index_t j = 0; j < n; ++j) {
            for (index_t i = 0; i < m; ++i) {
                a.set(i, j, on.make_scalar(any()));
            }
        }
        return a;
    }

    matrix of(const std::vector<std::vector<double>>& rows)
    {
        matrix a = on.make_matrix(static_cast<index_t>(rows.size()), static_cast<index_t>(rows.front().size()));
        for (index_t i = 0; i < a.rows(); ++i) {
            for (index_t j = 0; j < a.cols(); ++j) {
                a.set(i, j, on.make_scalar(rows[i][j]));
            }
        }
        return a;
    }

    static column_of_reals column(const matrix& a, index_t j)
    {
        column_of_reals x;
        for (index_t i = 0; i < a.rows(); ++i) {
            x.push_back(to_real(a.get(i, j)).with_precision(most));
        }
        return x;
    }

    static real norm(const column_of_reals& x)
    {
        real sum(0.0, most);
        for (const real& each : x) {
            sum += each * each;
        }
        return sqrt(sum);
    }

    static column_of_reals difference(column_of_reals x, const column_of_reals& y)
    {
        for (std::size_t i = 0; i < x.size(); ++i) {
            x[i] -= y[i];
        }
        return x;
    }

    /// Q x, or Q'x, by the stored vectors: each reflection is x - 2 v (v'x) / (v'v).
    static column_of_reals reflected(const dense_qr<space>& f, column_of_reals x, bool transposed)
    {
        const index_t m = f.factors().rows(), n = f.factors().cols();
        for (index_t step = 0; step < n; ++step) {
            const index_t k = transposed ? step : n - 1 - step;
            column_of_reals v = column(f.factors(), k);
            v[k] = real(1.0, most);
            real along(0.0, most), square(0.0, most);
            for (index_t i = k; i < m; ++i) {
                along += v[i] * x[i];
                square += v[i] * v[i];
            }
            const real factor = real(2.0, most) * along / square;
            for (index_t i = k; i < m; ++i) {
                x[i] -= factor * v[i];
            }
        }
        return x;
    }

    static column_of_reals of_r(const dense_qr<space>& f, index_t j)
    {
        column_of_reals r = column(f.factors(), j);
        std::fill(r.begin() + j + 1, r.end(), real(0.0, most));
        return r;
    }

    /// c u of theorem 34.
    real bound(index_t m, index_t n, index_t panel) const
    {
        constexpr int terms = run_time_format<element> ? 1 : array_traits<element>::terms;
        const double rows = static_cast<double>(m), cols = static_cast<double>(n);
        const double block = std::min(panel > 0 ? std::max(static_cast<double>(panel), 8.0) : 192.0, cols);
        double s = 4.0 + rows / 32.0, e = 0.0;
        real unit = ldexp(real(1.0, 64), -bits);
        if constexpr (std::same_as<element, multidigit>) {
            s += 0x1p-20 * rows;
            e = 5.0 + 0x1p-19 * block + blas::detail::trsm_levels(n);
        } else if constexpr (std::same_as<element, rns>) {
            s += rows + 20.0;
            e = cols + 2.0 * blas::detail::trsm_levels(n) + 35.0;
            unit = ldexp(unit, 3);
        } else {
            const double sum = terms == 1 ? 2.0 : accumulation_error_bound<terms>(1.0);
            const double quotient = terms == 1 ? 1.0 : quotient_error_bound<terms>();
            s += sum + quotient +
                 std::max(blas::dense_row_error_bound<terms>(m), blas::long_sum_error_bound<terms>(m)) +
                 (terms == 1 ? rows : 0.0);
            e = 2.0 * blas::sparse_row_error_bound<terms>(blas::detail::trsm_block) + quotient +
                blas::dense_row_error_bound<terms>(n) + blas::detail::trsm_levels(n) * sum;
            unit = ldexp(real(1.0, 64), -53 * terms);
        }
        return unit * real(cols * (8.0 * block + 7.0) * (s + e) + 10.0 * s);
    }

    /// The factors of A are those of a matrix whose columns are near those of A.
    dense_qr<space> expect_good(const matrix& a, index_t panel)
    {
        const index_t m = a.rows(), n = a.cols();
        dense_qr<space> f(on, a, {.panel = panel});
        EXPECT_EQ(f.failure(), "");
        const real c = bound(m, n, panel);
        for (index_t j = 0; j < n; ++j) {
            const column_of_reals before = column(a, j);
            const real off = norm(difference(reflected(f, of_r(f, j), false), before));
            EXPECT_LE(off, c * norm(before)) << "column " << j << " of " << m << " x " << n << ", panel " << panel;
        }
        return f;
    }

    void expect_q(const dense_qr<space>& f, index_t columns, index_t panel)
    {
        const index_t m = f.factors().rows();
        const matrix x = any(m, columns);
        const real c = bound(m, f.factors().cols(), panel);
        for (const bool transposed : {false, true}) {
            matrix y = x;
            f.apply_q(y.view(), transposed);
            for (index_t j = 0; j < columns; ++j) {
                const column_of_reals exact = reflected(f, column(x, j), transposed);
                EXPECT_LE(norm(difference(column(y, j), exact)), c * norm(exact)) << j << " " << transposed;
                if (bits == 53) {
                    continue;  // the BLAS adds in another order where it has one column
                }
                matrix alone = on.make_matrix(m, 1);
                blas::copy(host_executor{}, std::as_const(x).view().column(j), alone.view().column(0));
                f.apply_q(alone.view(), transposed);
                EXPECT_EQ(column(alone, 0), column(y, j)) << "alone";
            }
        }
    }
};

using kinds = testing::Types<kind<host_space<double>, 53>, kind<host_space<expansion<double, 2>>, 106>,
                             kind<host_space<expansion<double, 4>>, 212>, kind<host_space<expansion<double, 8>>, 424>,
                             kind<multidigit_space<host_executor>, 106>, kind<multidigit_space<host_executor>, 300>,
                             kind<multidigit_space<host_executor>, 1000>, kind<rns_space<host_executor>, 212>>;
TYPED_TEST_SUITE(dense_qr_of, kinds);

/// Restores the number of threads at the end of a test.
struct threads_kept {
    int before = omp_get_max_threads();
    ~threads_kept() { omp_set_num_threads(before); }
};

}  // namespace

TYPED_TEST(dense_qr_of, a_column_has_its_length)
{
    const dense_qr<typename TypeParam::space> f(this->on, this->of({{3.0}, {4.0}}));

    EXPECT_EQ(to_real(f.factors().get(0, 0)), real(-5.0));
    EXPECT_EQ(to_real(f.factors().get(1, 0)), real(0.5));  // v = (8, 4) / 8
    auto x = this->of({{3.0}, {4.0}});
    f.apply_q(x.view(), true);
    EXPECT_LE(abs(to_real(x.get(0, 0)) + real(5.0)), real(1e-14));
    EXPECT_LE(abs(to_real(x.get(1, 0))), real(1e-14));
}

TYPED_TEST(dense_qr_of, a_triangle_stays_but_for_its_sign)
{
    const dense_qr<typename TypeParam::space> f(this->on, this->of({{2.0, 1.0}, {0.0, 4.0}, {0.0, 0.0}}));

    EXPECT_EQ(to_real(f.factors().get(0, 0)), real(-2.0));
    EXPECT_EQ(to_real(f.factors().get(0, 1)), real(-1.0));
    EXPECT_EQ(to_real(f.factors().get(1, 1)), real(-4.0));
    auto x = this->of({{-3.0}, {-4.0}});
    f.solve_r(x.view(), false);
    EXPECT_EQ(to_real(x.get(1, 0)), real(1.0));
    EXPECT_EQ(to_real(x.get(0, 0)), real(1.0));
    auto y = this->of({{-2.0}, {-5.0}});
    f.solve_r(y.view(), true);
    EXPECT_EQ(to_real(y.get(0, 0)), real(1.0));
    EXPECT_EQ(to_real(y.get(1, 0)), real(1.0));
    const auto l = f.lower_triangle();
    EXPECT_EQ(to_real(l.get(0, 1)), real(0.0));
    EXPECT_EQ(to_real(l.get(1, 0)), real(-1.0));
}

TYPED_TEST(dense_qr_of, any_matrix_is_near_its_product)
{
    for (const auto& [m, n] : {std::pair<index_t, index_t>{1, 1},
                               {2, 1},
                               {2, 2},
                               {5, 5},
                               {9, 8},
                               {12, 11},
                               {40, 7},
                               {33, 33},
                               {45, 37},
                               {70, 41}}) {
        if (TestFixture::bits == 212 && std::same_as<typename TestFixture::element, rns> && m > 12) {
            continue;  // microseconds a number
        }
        const auto a = this->any(m, n);
        for (const index_t panel : {0, 8, 16}) {
            const auto f = this->expect_good(a, panel);
            this->expect_q(f, 3, panel);
        }
        ASSERT_FALSE(this->HasFailure()) << m << " x " << n;
    }
}

TYPED_TEST(dense_qr_of, columns_of_any_size_keep_their_own_bound)
{
    auto a = this->any(20, 10);
    for (index_t j = 0; j < 10; ++j) {
        const long e = static_cast<long>(this->random() % 161) - 80;
        for (index_t i = 0; i < 20; ++i) {
            a.set(i, j, this->on.make_scalar(ldexp(to_real(a.get(i, j)), e)));
        }
    }
    this->expect_good(a, 8);
}

TYPED_TEST(dense_qr_of, zeros_and_columns_that_repeat_are_no_failure)
{
    auto a = this->any(14, 11);
    for (index_t i = 0; i < 14; ++i) {
        a.set(i, 3, this->on.make_scalar(0.0));
        a.set(i, 9, a.get(i, 2));
    }
    this->expect_good(a, 8);
    this->expect_good(this->on.make_matrix(9, 9), 0);
}

TYPED_TEST(dense_qr_of, its_triangle_is_that_of_the_normal_equations)
{
    const auto a = this->any(30, 12);
    const dense_qr<typename TypeParam::space> f(this->on, a, {.panel = 8});
    const auto l = f.lower_triangle();
    const real c = this->bound(30, 12, 8);
    for (index_t i = 0; i < 12; ++i) {
        for (index_t j = 0; j <= i; ++j) {
            real of_a(0.0, TestFixture::most), of_l(0.0, TestFixture::most);
            const auto ai = TestFixture::column(a, i), aj = TestFixture::column(a, j);
            for (std::size_t k = 0; k < ai.size(); ++k) {
                of_a += ai[k] * aj[k];
            }
            for (index_t k = 0; k <= j; ++k) {
                of_l += to_real(l.get(i, k)).with_precision(TestFixture::most) * to_real(l.get(j, k));
            }
            EXPECT_LE(abs(of_a - of_l), real(2.01) * c * TestFixture::norm(ai) * TestFixture::norm(aj))
                << i << " " << j;
        }
    }
}

TYPED_TEST(dense_qr_of, columns_that_are_not_finite_fail)
{
    if constexpr (!std::same_as<typename TestFixture::element, rns>) {
        for (const double bad : {std::nan(""), static_cast<double>(INFINITY)}) {
            for (const index_t j : {0, 5, 11}) {
                auto a = this->any(13, 12);
                a.set(12, j, this->on.make_scalar(bad));
                EXPECT_NE((dense_qr<typename TypeParam::space>(this->on, a).failure()), "") << j;
            }
        }
    }
}

TYPED_TEST(dense_qr_of, more_columns_than_rows_throw)
{
    EXPECT_THROW((dense_qr<typename TypeParam::space>(this->on, this->any(2, 3))), dimension_error);
}

TYPED_TEST(dense_qr_of, stops)
{
    const auto a = this->any(20, 18);
    for (const int last : {1, 2, 8, 15}) {
        int asked = 0;
        EXPECT_TRUE(is_stopped([&] { return ++asked == last; },
                               [&] { dense_qr<typename TypeParam::space>(this->on, a, {.panel = 8}); }));
        EXPECT_EQ(asked, last);
    }
}

TYPED_TEST(dense_qr_of, has_the_same_bits_with_any_number_of_threads)
{
    const bool slow = std::same_as<typename TestFixture::element, rns>;
    const auto a = this->any(slow                      ? 24
                             : TestFixture::bits == 53 ? 600
                                                       : 120,
                             slow                      ? 20
                             : TestFixture::bits == 53 ? 150
                                                       : 70);
    const threads_kept kept;
    for (const index_t panel : {0, 16}) {
        std::vector<std::vector<column_of_reals>> of;
        for (const int threads : {1, 2, 3, 7}) {
            omp_set_num_threads(threads);
            const dense_qr<typename TypeParam::space> f(this->on, a, {.panel = panel});
            auto x = a;
            f.apply_q(x.view(), true);
            of.emplace_back();
            for (index_t j = 0; j < a.cols(); ++j) {
                of.back().push_back(TestFixture::column(f.factors(), j));
                of.back().push_back(TestFixture::column(x, j));
            }
        }
        for (const auto& each : of) {
            EXPECT_EQ(each, of.front());
        }
    }
}
