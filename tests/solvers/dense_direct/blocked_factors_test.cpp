// Factors that are made by halves of the columns, with exact products and with sums, beside those with sums alone.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <omp.h>

#include <residua/arith/expansion/error_bounds.hpp>
#include <residua/blas/base/error_bounds.hpp>
#include <residua/blas/base/reduction_order.hpp>
#include <residua/solvers/base/tuning_table.hpp>
#include <residua/solvers/dense_direct/direct.hpp>
#include <residua/solvers/space/blas_space.hpp>

#include "tests/support/scale.hpp"
#include "tests/support/stopping.hpp"

using namespace residua;
using namespace residua::support;

namespace {

/// A space, and matrices over reals of twice its precision.
template <class S, long Bits>
struct kind {
    using space = S;
    static constexpr long bits = Bits;
    static S make()
    {
        if constexpr (requires { multidigit_space<host_executor>(S{{}, multidigit_format(Bits)}); }) {
            return S{{}, multidigit_format(Bits)};
        } else {
            return S{};
        }
    }
};

using rows = std::vector<std::vector<real>>;

template <class Kind>
struct blocked_factors : testing::Test {
    using space = typename Kind::space;
    using factors = dense_factors<space>;
    static constexpr long bits = Kind::bits;
    static constexpr index_t panel = 4;

    const space on = Kind::make();
    const unsigned seed = 20261122;
    std::mt19937_64 random{seed};

    /// A number of all bits in (-1, 1).
    real any()
    {
        real x(0.0, bits);
        for (long k = 0; k < bits; k += 50) {
            x = ldexp(x, -50) + real(std::ldexp(static_cast<double>(random() >> 14), -50), bits);
        }
        return random() % 2 == 0 ? x : -x;
    }

    rows any(std::size_t n, bool positive_definite = false)
    {
        rows a(n, std::vector<real>(n));
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j <= i; ++j) {
                a[i][j] = any();
                a[j][i] = positive_definite ? a[i][j] : any();
            }
            a[i][i] += real(positive_definite ? static_cast<double>(n) : 0.0);
        }
        return a;
    }

    factors factorize(const rows& a, index_t columns, bool symmetric = false)
    {
        const auto n = static_cast<index_t>(a.size());
        auto m = on.make_matrix(n, n);
        for (index_t i = 0; i < n; ++i) {
            for (index_t j = 0; j < n; ++j) {
                m.set(i, j, on.make_scalar(a[i][j]));
            }
        }
        return factors(on, std::move(m), symmetric, {.panel = columns});
    }

    static real at(const factors& f, std::size_t i, std::size_t j)
    {
        return to_real(f.factors().get(static_cast<index_t>(i), static_cast<index_t>(j)));
    }

    /// The largest |(A - L U)_ij|, of rows that are permuted, over 2^-p times the largest of its row of L and of its
    /// column of U; for Cholesky U = L' and the lower half, for L D L' U = D L' and columns are permuted, too.
    static double backward_error(rows a, const factors& f)
    {
        const std::size_t n = a.size();
        const bool lower = f.is_cholesky();
        for (std::size_t k = 0; !lower && k < n; ++k) {
            const auto other = static_cast<std::size_t>(f.pivots()[k]);
            std::swap(a[k], a[other]);
            for (std::size_t i = 0; f.is_ldl() && i < n; ++i) {
                std::swap(a[i][k], a[i][other]);
            }
        }
        const long most = 3 * bits + 700;
        const auto l = [&](std::size_t i, std::size_t k) {
            return !lower && i == k ? real(1.0) : i >= k ? at(f, i, k) : real(0.0);
        };
        const auto row_of_d_times = [&](std::size_t k, std::size_t j) {
            real sum = at(f, k, k).with_precision(most) * l(j, k);
            if (f.is_pair()[k] != 0) {
                sum += at(f, k, k + 1).with_precision(most) * l(j, k + 1);
            } else if (k > 0 && f.is_pair()[k - 1] != 0) {
                sum += at(f, k - 1, k).with_precision(most) * l(j, k - 1);
            }
            return sum;
        };
        const auto u = [&](std::size_t k, std::size_t j) {
            return lower ? l(j, k) : f.is_ldl() ? row_of_d_times(k, j) : k <= j ? at(f, k, j) : real(0.0);
        };
        std::vector<real> row(n, real(0.0)), col(n, real(0.0));
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t k = 0; k < n; ++k) {
                row[i] = max(row[i], abs(l(i, k)));
                col[i] = max(col[i], abs(u(k, i)));
            }
        }
        real worst(0.0);
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < (lower ? i + 1 : n); ++j) {
                real rest = a[i][j].with_precision(most);
                for (std::size_t k = 0; k <= (f.is_ldl() ? i : std::min(i, j)); ++k) {
                    rest -= l(i, k).with_precision(most) * u(k, j);
                }
                worst = max(worst, abs(rest) / (row[i] * col[j]));
            }
        }
        return to_double(ldexp(worst, bits).with_precision(64));
    }

    /// What docs/error_bounds.md allows, theorem 23, in units of 2^-p.
    static double bound(std::size_t n, index_t columns)
    {
        double d = 1.0;
        if constexpr (number<typename space::element>) {
            d = accumulation_error_bound<number_traits<typename space::element>::terms>(1);
        }
        const double size = static_cast<double>(n);
        const double most = number<typename space::element> ? size : 8.0;
        const double width = std::min({size, static_cast<double>(columns), most});
        return size * (2.0 + 2.0 * d * (width + std::ceil(std::log2(std::ceil(size / width)))));
    }

    /// Factors are within the bound with exact products alone, with exact ones and sums, and with sums alone.
    void expect_all_good(const rows& a, bool symmetric = false)
    {
        for (const index_t columns : {panel, index_t{16}, static_cast<index_t>(a.size())}) {
            const factors f = factorize(a, columns, symmetric);
            ASSERT_EQ(f.failure(), "") << columns;
            EXPECT_EQ(f.panel(), columns);
            EXPECT_LT(backward_error(a, f), bound(a.size(), columns)) << columns << ", seed " << seed;
        }
    }
};

using kinds = testing::Types<kind<host_space<expansion<double, 2>>, 106>, kind<host_space<expansion<double, 4>>, 212>,
                             kind<host_space<expansion<double, 8>>, 424>, kind<multidigit_space<host_executor>, 106>,
                             kind<multidigit_space<host_executor>, 424>, kind<multidigit_space<host_executor>, 2653>>;
TYPED_TEST_SUITE(blocked_factors, kinds);

}  // namespace

TYPED_TEST(blocked_factors, of_small_integers_are_exact)
{
    // A = L U with L = 1 below the diagonal of ones, U = 1 above one of twos: whatever the order of operations
    constexpr std::size_t n = 5;
    rows a(n, std::vector<real>(n));
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            a[i][j] = real(static_cast<double>(std::min(i, j) + (i >= j ? 2 : 1)));
        }
    }

    const auto f = this->factorize(a, 2);

    for (std::size_t i = 0; i < n; ++i) {
        EXPECT_EQ(f.pivots()[i], static_cast<index_t>(i));
        for (std::size_t j = 0; j < n; ++j) {
            EXPECT_EQ(this->at(f, i, j), real(i == j ? 2.0 : 1.0)) << i << " " << j;
        }
    }
}

TYPED_TEST(blocked_factors, are_good_with_exact_products_and_with_sums)
{
    for (const std::size_t n : {1, 2, 4, 5, 8, 9, 13, 37}) {
        this->expect_all_good(this->any(n));
        this->expect_all_good(this->any(n, true), true);
    }
}

/// Columns of panels are whole eights, so that gemm computes eight rows at a time: here they are not.
TYPED_TEST(blocked_factors, are_good_with_panels_of_any_width)
{
    const rows a = this->any(41);
    for (const index_t columns : {1, 3, 9, 19, 21, 40}) {
        const auto f = this->factorize(a, columns);
        EXPECT_LT(this->backward_error(a, f), this->bound(a.size(), columns)) << columns << ", seed " << this->seed;
    }
}

TYPED_TEST(blocked_factors, are_good_with_rows_that_differ_by_many_powers_of_two)
{
    rows a = this->any(23);
    for (std::size_t i = 0; i < a.size(); ++i) {
        const long e = static_cast<long>(7 * i % 23) * 13 - 150;  // 2^-150 to 2^136
        for (real& x : a[i]) {
            x = ldexp(x, e);
        }
    }

    this->expect_all_good(a);
}

TYPED_TEST(blocked_factors, swap_a_row_at_every_step_that_can)
{
    rows a = this->any(30);
    for (std::size_t i = 0; i < a.size(); ++i) {
        a[i][(i + 7) % a.size()] += real(1000.0);  // the pivot of column j is in row j - 7
    }

    const auto f = this->factorize(a, this->panel);
    std::size_t swaps = 0;
    for (std::size_t k = 0; k < a.size(); ++k) {
        swaps += f.pivots()[k] != static_cast<index_t>(k) ? 1 : 0;
    }

    EXPECT_GE(swaps, a.size() - 8);
    this->expect_all_good(a);
}

TYPED_TEST(blocked_factors, solve_with_small_errors)
{
    const rows a = this->any(29);
    for (const bool transposed : {false, true}) {
        auto x = this->on.make_vector(29);
        for (index_t i = 0; i < 29; ++i) {
            real sum(0.0, 2 * TypeParam::bits);
            for (std::size_t j = 0; j < 29; ++j) {
                sum += transposed ? a[j][i] : a[i][j];
            }
            x.set(i, this->on.make_scalar(sum));
        }

        this->factorize(a, this->panel).solve(x, transposed);

        for (index_t i = 0; i < 29; ++i) {  // condition below 1e5
            EXPECT_LT(to_double(ldexp(abs(to_real(x.get(i)) - real(1.0)), TypeParam::bits)), 1e6) << this->seed;
        }
    }
}

TYPED_TEST(blocked_factors, are_ldl_where_a_late_pivot_is_negative)
{
    rows a = this->any(21, true);
    a[20][20] = real(-1.0);

    const auto f = this->factorize(a, this->panel, true);

    EXPECT_FALSE(f.is_cholesky());
    EXPECT_TRUE(f.is_ldl());
    EXPECT_EQ(f.failure(), "");
    EXPECT_LT(this->backward_error(a, f), 85.0 * this->bound(21, this->panel));  // theorem 28 has 170 d for 2 d
    EXPECT_EQ(f.find_inertia()->negative, 1);
}

TYPED_TEST(blocked_factors, report_the_column_of_a_singular_matrix)
{
    rows a = this->any(19);
    for (auto& row : a) {
        row[14] = real(0.0);
    }

    EXPECT_EQ(this->factorize(a, this->panel).failure(),
              "no usable pivot in column 15: the matrix is singular to working precision");
}

TYPED_TEST(blocked_factors, report_what_is_not_finite)
{
    for (const double bad : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
        for (const std::size_t place : {0, 9, 18}) {
            for (const bool symmetric : {false, true}) {
                rows a = this->any(19, symmetric);
                a[place][place] = real(bad);

                const auto f = this->factorize(a, this->panel, symmetric);

                EXPECT_NE(f.failure().find("no usable pivot in column"), std::string::npos) << bad << " " << place;
            }
        }
    }
}

TYPED_TEST(blocked_factors, have_the_same_bits_with_any_number_of_threads)
{
    const int threads = omp_get_max_threads();
    for (const auto& [symmetric, columns] : {std::pair{false, 16}, {true, 16}, {false, 75}, {true, 75}}) {
        const rows a = this->any(75, symmetric);
        omp_set_num_threads(1);
        const auto one = this->factorize(a, columns, symmetric);
        for (const int more : {2, 3, 7}) {
            omp_set_num_threads(more);
            const auto f = this->factorize(a, columns, symmetric);
            EXPECT_EQ(f.pivots(), one.pivots());
            for (std::size_t i = 0; i < a.size(); ++i) {
                for (std::size_t j = 0; j < (symmetric ? i + 1 : a.size()); ++j) {
                    ASSERT_EQ(this->at(f, i, j), this->at(one, i, j)) << i << " " << j << ", seed " << this->seed;
                }
            }
        }
        omp_set_num_threads(threads);
    }
}

TYPED_TEST(blocked_factors, stop_when_asked_and_ask_before_each_product)
{
    int asked = 0;
    for (const bool symmetric : {false, true}) {
        const rows a = this->any(16, symmetric);
        const auto stops_at = [&](int last) {
            asked = 0;
            return is_stopped([&] { return ++asked == last; }, [&] { this->factorize(a, this->panel, symmetric); });
        };
        EXPECT_FALSE(stops_at(-1));
        EXPECT_GE(asked, 16 + 3);  // columns, and products of four panels
        for (int last = 1; last <= 19; ++last) {
            EXPECT_TRUE(stops_at(last)) << last;
            EXPECT_EQ(asked, last);
        }
    }
}

template <int N>
void expect_sums_cost_no_more_than_steps()
{
    for (index_t k = 8; k < 5000; ++k) {
        const double chunks = std::ceil(static_cast<double>(k) / static_cast<double>(gemv_chunk));
        const double additions = static_cast<double>(std::min(k, gemv_chunk)) + std::ceil(std::log2(chunks));
        EXPECT_LE(blas::ordered_sum_error_bound<N>(additions),
                  2.0 * static_cast<double>(k - 1) * accumulation_error_bound<N>(1))
            << N << " terms, k = " << k;
    }
}

TEST(dense_factors_bound, has_sums_that_cost_no_more_than_steps)
{
    []<int... N>(std::integer_sequence<int, N...>) {
        (expect_sums_cost_no_more_than_steps<N>(), ...);
    }(std::integer_sequence<int, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32>{});
}

TEST(dense_factors_choice, has_the_panels_of_the_table_from_as_many_unknowns_on)
{
    const auto expect_panels = [](const auto& on, const tuning::panel_row& row) {
        for (const bool symmetric : {false, true}) {
            const index_t least = symmetric ? row.least_cholesky : row.least_lu;
            for (const index_t n : {std::min<index_t>(least, 300) - 1, std::min<index_t>(least, 300)}) {
                auto a = on.make_matrix(n, n);
                for (index_t i = 0; i < n; ++i) {
                    a.set(i, i, on.make_scalar(1.0));
                }
                EXPECT_EQ(dense_factors(on, std::move(a), symmetric).panel(), n >= least ? row.panel : n);
            }
        }
    };

    const multidigit_space<host_executor> digits{{}, multidigit_format(212)};
    expect_panels(digits, tuning::row_of(tuning::multidigit_panels, 212));
    expect_panels(host_space<double>{}, tuning::row_of(tuning::expansion_panels, 53));
    expect_panels(host_space<expansion<double, 2>>{}, tuning::row_of(tuning::expansion_panels, 106));
    expect_panels(host_space<expansion<double, 4>>{}, tuning::row_of(tuning::expansion_panels, 212));
    expect_panels(host_space<expansion<double, 8>>{}, tuning::row_of(tuning::expansion_panels, 424));
}
