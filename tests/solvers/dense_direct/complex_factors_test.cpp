// Factors of complex matrices, as those of their real forms, multiplied over MPFR.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <omp.h>

#include <residua/arith/complex/complex.hpp>
#include <residua/arith/expansion/error_bounds.hpp>
#include <residua/solvers/dense_direct/direct.hpp>
#include <residua/solvers/space/blas_space.hpp>

#include "tests/support/stopping.hpp"

using namespace residua;
using namespace residua::support;

namespace {

using number_of_reals = complex_number<real>;
using complex_rows = std::vector<std::vector<number_of_reals>>;

template <class S, long Bits>
struct kind {
    using space = S;
    static constexpr long bits = Bits;
    static S make()
    {
        if constexpr (run_time_format<typename S::element>) {
            return S{{}, multidigit_format(Bits)};
        } else {
            return S{};
        }
    }
};

template <class Kind>
struct complex_factors : testing::Test {
    using space = typename Kind::space;
    using factors = dense_factors<space>;
    static constexpr long bits = Kind::bits, most = 3 * bits + 700;
    static constexpr index_t panel = 4;

    const space on = Kind::make();
    const unsigned seed = 20261129;
    std::mt19937_64 random{seed};

    /// A number of all bits in (-1, 1).
    real any_part()
    {
        real x(0.0, bits);
        for (long k = 0; k < bits; k += 50) {
            x = ldexp(x, -50) + real(std::ldexp(static_cast<double>(random() >> 14), -50), bits);
        }
        return to_real(on.make_scalar(random() % 2 == 0 ? x : -x));
    }
    number_of_reals any() { return {any_part(), any_part()}; }

    complex_rows any(std::size_t n, bool hermitian = false, double shift = 0.0)
    {
        complex_rows a(n, std::vector<number_of_reals>(n));
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j <= i; ++j) {
                a[i][j] = any();
                a[j][i] = hermitian ? conj(a[i][j]) : any();
            }
            if (hermitian) {
                a[i][i] = number_of_reals(to_real(on.make_scalar(a[i][i].real() + real(shift))), real(0.0));
            }
        }
        return a;
    }

    static real entry(const complex_rows& a, std::size_t i, std::size_t j)
    {
        const number_of_reals& z = a[i / 2][j / 2];
        return i % 2 == j % 2 ? z.real() : i % 2 == 0 ? -z.imag() : z.imag();
    }

    factors factorize(const complex_rows& a, index_t columns, bool hermitian = false)
    {
        const auto n = static_cast<index_t>(2 * a.size());
        auto m = on.make_matrix(n, n);
        for (index_t i = 0; i < n; ++i) {
            for (index_t j = 0; j < n; ++j) {
                m.set(i, j, on.make_scalar(entry(a, static_cast<std::size_t>(i), static_cast<std::size_t>(j))));
            }
        }
        return factors(on, std::move(m), hermitian, {.panel = columns, .complex = true});
    }

    static real at(const factors& f, std::size_t i, std::size_t j)
    {
        return to_real(f.factors().get(static_cast<index_t>(i), static_cast<index_t>(j)));
    }

    /// The largest |(P K - L U)_ij| over 2^-p times the largest |re| + |im| of its row of the complex L and of its column of
    /// the complex U, which are in every other column of L and row of U.
    /// step   only every step-th complex row
    static double backward_error(const complex_rows& a, const factors& f, std::size_t step = 1)
    {
        const std::size_t n = 2 * a.size();
        const bool lower = f.is_cholesky();
        const auto l = [&](std::size_t i, std::size_t k) {
            return !lower && i == k ? real(1.0) : i >= k ? at(f, i, k) : real(0.0);
        };
        const auto u = [&](std::size_t k, std::size_t j) { return lower ? l(j, k) : k <= j ? at(f, k, j) : real(0.0); };
        std::vector<real> row(n, real(lower ? 0.0 : 1.0)), col(n, real(0.0));
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t k = 0; k < n; k += 2) {
                if (k / 2 < i / 2) {
                    row[i] = max(row[i], abs(l(i / 2 * 2, k + 1)) + abs(l(i / 2 * 2 + 1, k + 1)));
                }
                col[i] = max(col[i], abs(u(k, i / 2 * 2)) + abs(u(k, i / 2 * 2 + 1)));
            }
            row[i] = lower ? col[i] : row[i];
        }
        const std::vector<index_t> order = lower ? std::vector<index_t>() : order_of(f.pivots());
        real worst(0.0);
        for (std::size_t i = 0; i < n; i += i % 2 == 0 ? 1 : 2 * step - 1) {
            for (std::size_t j = 0; j < (lower ? i + 1 : n); ++j) {
                real rest = entry(a, lower ? i : static_cast<std::size_t>(order[i]), j).with_precision(most);
                for (std::size_t k = 0; k <= std::min(i, j); ++k) {
                    rest -= l(i, k).with_precision(most) * u(k, j);
                }
                worst = max(worst, is_zero(rest) ? real(0.0) : abs(rest) / (row[i] * col[j]));
            }
        }
        return to_double(ldexp(worst, bits).with_precision(64));
    }

    /// What docs/error_bounds.md allows, theorem 35, in units of 2^-p. The BLAS adds up products one by one: n times as much.
    static double bound(std::size_t n, index_t columns)
    {
        double d = 1.0;
        if constexpr (number<typename space::element> && bits > 53) {
            d = accumulation_error_bound<number_traits<typename space::element>::terms>(1);
        }
        const double size = static_cast<double>(n);
        const double width = std::min(size, static_cast<double>(columns));
        const double by_products =
            size * (4.0 + 20.0 * d + 10.0 * d * (width + std::ceil(std::log2(std::ceil(size / width)))));
        return bits == 53 ? size * by_products : by_products;
    }

    void expect_good(const complex_rows& a, bool hermitian = false)
    {
        for (const index_t columns : {panel, index_t{16}, static_cast<index_t>(a.size())}) {
            const factors f = factorize(a, columns, hermitian);
            ASSERT_EQ(f.failure(), "") << columns;
            EXPECT_EQ(f.is_cholesky(), hermitian);
            EXPECT_LT(backward_error(a, f), bound(a.size(), columns)) << columns << ", seed " << seed;
        }
    }

    /// det(A) by Gauss's elimination in numbers of `most` bits.
    static number_of_reals determinant(complex_rows a)
    {
        number_of_reals product(real(1.0, most));
        const auto size = [&](std::size_t i, std::size_t k) { return abs(a[i][k].real()) + abs(a[i][k].imag()); };
        for (std::size_t k = 0; k < a.size(); ++k) {
            std::size_t p = k;
            for (std::size_t i = k + 1; i < a.size(); ++i) {
                p = size(p, k) < size(i, k) ? i : p;
            }
            std::swap(a[p], a[k]);
            product *= p == k ? a[k][k] : -a[k][k];
            for (std::size_t i = k + 1; i < a.size(); ++i) {
                const number_of_reals factor =
                    number_of_reals(a[i][k].real().with_precision(most), a[i][k].imag().with_precision(most)) / a[k][k];
                for (std::size_t j = k + 1; j < a.size(); ++j) {
                    a[i][j] -= factor * a[k][j];
                }
            }
        }
        return product;
    }
};

using kinds = testing::Types<kind<host_space<double>, 53>, kind<host_space<expansion<double, 2>>, 106>,
                             kind<host_space<expansion<double, 4>>, 212>, kind<host_space<expansion<double, 8>>, 424>,
                             kind<multidigit_space<host_executor>, 106>, kind<multidigit_space<host_executor>, 848>>;
TYPED_TEST_SUITE(complex_factors, kinds);

}  // namespace

TYPED_TEST(complex_factors, by_hand)
{
    // [i 1; 2 0] = P [1 0; i/2 1] [2 0; 0 1], and the real form of the second pivot, 1, needs no swap
    const complex_rows a{{{real(0.0), real(1.0)}, {real(1.0), real(0.0)}},
                         {{real(2.0), real(0.0)}, {real(0.0), real(0.0)}}};
    const double expected[4][4] = {{2, 0, 0, 0}, {0, 2, 0, 0}, {0, -0.5, 1, 0}, {0.5, 0, 0, 1}};

    const auto f = this->factorize(a, this->panel);

    EXPECT_EQ(order_of(f.pivots()), (std::vector<index_t>{2, 3, 0, 1}));
    for (std::size_t i = 0; i < 4; ++i) {
        for (std::size_t j = 0; j < 4; ++j) {
            EXPECT_EQ(this->at(f, i, j), real(expected[i][j])) << i << " " << j;
        }
    }
    EXPECT_EQ(*f.find_complex_determinant(), number_of_reals(real(-2.0)));
    EXPECT_EQ(*f.find_determinant(), real(4.0));
}

TYPED_TEST(complex_factors, have_small_backward_errors)
{
    for (const std::size_t n : {1, 2, 3, 5, 8, 9, 13, 37}) {
        this->expect_good(this->any(n));
        this->expect_good(this->any(n, true, 2.0 * static_cast<double>(n)), true);
    }
}

TYPED_TEST(complex_factors, have_small_backward_errors_where_gemm_makes_three_products)
{
    const std::size_t n = 133;
    for (const bool hermitian : {false, true}) {
        const complex_rows a = this->any(n, hermitian, 2.0 * static_cast<double>(n));
        const auto f = this->factorize(a, static_cast<index_t>(n), hermitian);
        ASSERT_EQ(f.failure(), "");
        EXPECT_EQ(f.is_cholesky(), hermitian);
        EXPECT_LT(this->backward_error(a, f, 12), this->bound(n, static_cast<index_t>(n))) << "seed " << this->seed;
    }
}

TYPED_TEST(complex_factors, have_small_backward_errors_where_parts_vanish)
{
    complex_rows imaginary = this->any(19), mixed = this->any(19), real_ones = this->any(19);
    for (std::size_t i = 0; i < 19; ++i) {
        for (std::size_t j = 0; j < 19; ++j) {
            imaginary[i][j] = {real(0.0), imaginary[i][j].imag()};
            real_ones[i][j] = {real_ones[i][j].real(), real(0.0)};
            mixed[i][j] = (i + 2 * j) % 3 == 0   ? number_of_reals(real(0.0), mixed[i][j].imag())
                          : (i + 2 * j) % 3 == 1 ? number_of_reals(mixed[i][j].real(), real(0.0))
                                                 : number_of_reals(real(0.0), real(0.0));
        }
    }

    this->expect_good(imaginary);
    this->expect_good(mixed);
    this->expect_good(real_ones);
}

TYPED_TEST(complex_factors, have_small_backward_errors_where_rows_differ_by_many_powers_of_two)
{
    complex_rows a = this->any(23);
    for (std::size_t i = 0; i < a.size(); ++i) {
        const long e = static_cast<long>(7 * i % 23) * 13 - 150;
        for (number_of_reals& z : a[i]) {
            z = {ldexp(z.real(), e), ldexp(z.imag(), e)};
        }
    }

    this->expect_good(a);
}

TYPED_TEST(complex_factors, swap_a_row_at_every_step_that_can)
{
    complex_rows a = this->any(30);
    for (std::size_t i = 0; i < a.size(); ++i) {
        a[i][(i + 7) % a.size()] += number_of_reals(real(i % 2 == 0 ? 100.0 : 0.0), real(i % 2 == 0 ? 0.0 : -100.0));
    }
    for (std::vector<number_of_reals>& row : a) {
        for (number_of_reals& z : row) {
            z = {to_real(this->on.make_scalar(z.real())), to_real(this->on.make_scalar(z.imag()))};
        }
    }

    const std::vector<index_t> order = order_of(this->factorize(a, this->panel).pivots());
    std::size_t moved = 0;
    for (std::size_t k = 0; k < order.size(); k += 2) {
        moved += order[k] / 2 != static_cast<index_t>(k / 2) ? 1 : 0;
        EXPECT_EQ(order[k] / 2, order[k + 1] / 2) << "rows of a complex row stay together";
    }

    EXPECT_GE(moved, a.size() - 2);
    this->expect_good(a);
}

TYPED_TEST(complex_factors, solve_with_small_errors)
{
    for (const bool hermitian : {false, true}) {
        const complex_rows a = this->any(29, hermitian, 60.0);
        const auto f = this->factorize(a, this->panel, hermitian);
        for (const bool adjoint : {false, true}) {
            auto x = this->on.make_vector(58);
            for (index_t i = 0; i < 58; ++i) {
                real sum(0.0, 2 * TypeParam::bits);
                for (std::size_t j = 0; j < 58; ++j) {  // x = (1 + 2 i, ...)
                    const auto row = static_cast<std::size_t>(i);
                    sum += (adjoint ? this->entry(a, j, row) : this->entry(a, row, j)) * real(j % 2 == 0 ? 1.0 : 2.0);
                }
                x.set(i, this->on.make_scalar(sum));
            }

            f.solve(x, adjoint);

            for (index_t i = 0; i < 58; ++i) {  // condition below 1e5
                const real error = abs(to_real(x.get(i)) - real(i % 2 == 0 ? 1.0 : 2.0));
                EXPECT_LT(to_double(ldexp(error, TypeParam::bits)), 1e6) << i << ", seed " << this->seed;
            }
        }
    }
}

TYPED_TEST(complex_factors, give_the_determinant_with_its_argument)
{
    for (const std::size_t n : {1, 2, 3, 7, 16}) {
        for (const bool hermitian : {false, true}) {
            const complex_rows a = this->any(n, hermitian, 2.0 * static_cast<double>(n));
            const number_of_reals exact = this->determinant(a);

            const auto f = this->factorize(a, this->panel, hermitian);

            const number_of_reals error = *f.find_complex_determinant() - exact;
            EXPECT_LT(to_double(ldexp(abs(error) / abs(exact), TypeParam::bits)), 1e5) << n << ", seed " << this->seed;
            const real of_form = abs(*f.find_determinant() / norm(exact) - real(1.0));
            EXPECT_LT(to_double(ldexp(of_form, TypeParam::bits)), 1e5) << n << ", seed " << this->seed;
        }
    }
}

TYPED_TEST(complex_factors, are_ldl_of_the_real_form_where_a_hermitian_matrix_is_indefinite)
{
    complex_rows a = this->any(21, true, 42.0);
    a[20][20] = number_of_reals(real(-1.0));

    const auto f = this->factorize(a, this->panel, true);

    EXPECT_EQ(f.failure(), "");
    EXPECT_TRUE(f.is_ldl());
    EXPECT_EQ(f.find_inertia()->negative, 2);
    EXPECT_EQ(f.find_inertia()->positive, 40);
    EXPECT_FALSE(f.find_complex_determinant());
}

TYPED_TEST(complex_factors, report_the_complex_column_of_a_singular_matrix)
{
    const std::string singular = ": the matrix is singular to working precision";
    for (const index_t columns : {index_t{4}, index_t{19}}) {
        complex_rows a = this->any(19);
        for (auto& row : a) {
            row[14] = number_of_reals(real(0.0));
        }
        EXPECT_EQ(this->factorize(a, columns).failure(), "no usable pivot in complex column 15" + singular);
    }
    // column 3 is 2 i times column 2: exact where the elimination of small integers is
    const auto z = [](double re, double im) { return number_of_reals(real(re), real(im)); };
    const complex_rows dependent{
        {z(1, 0), z(0, 1), z(-2, 0)}, {z(0, 0), z(1, 0), z(0, 2)}, {z(1, 0), z(2, 1), z(-2, 4)}};
    EXPECT_EQ(this->factorize(dependent, 4).failure(), "no usable pivot in complex column 3" + singular);
    EXPECT_EQ(this->factorize({{z(0, 0)}}, 4).failure(), "no usable pivot in complex column 1" + singular);
}

TYPED_TEST(complex_factors, report_what_is_not_finite)
{
    for (const double bad : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
        for (const std::size_t place : {0, 9, 18}) {
            for (const bool hermitian : {false, true}) {
                complex_rows a = this->any(19, hermitian, 40.0);
                a[place][place] = number_of_reals(real(bad), hermitian ? real(0.0) : real(1.0));

                const auto f = this->factorize(a, this->panel, hermitian);

                EXPECT_NE(f.failure().find("no usable pivot in complex column"), std::string::npos)
                    << bad << " " << place;
            }
        }
    }
}

TYPED_TEST(complex_factors, have_the_same_bits_with_any_number_of_threads)
{
    const int threads = omp_get_max_threads();
    for (const auto& [hermitian, columns] : {std::pair{false, 16}, {true, 16}, {false, 75}, {true, 75}}) {
        const complex_rows a = this->any(75, hermitian, 150.0);
        omp_set_num_threads(1);
        const auto one = this->factorize(a, columns, hermitian);
        for (const int more : {2, 4}) {
            omp_set_num_threads(more);
            const auto f = this->factorize(a, columns, hermitian);
            EXPECT_EQ(f.pivots(), one.pivots());
            for (std::size_t i = 0; i < 150; ++i) {
                for (std::size_t j = 0; j < (hermitian ? i + 1 : 150); ++j) {
                    ASSERT_EQ(this->at(f, i, j), this->at(one, i, j)) << i << " " << j << ", seed " << this->seed;
                }
            }
        }
        omp_set_num_threads(threads);
    }
}
