// The Chebyshev preconditioner against the polynomial that it is, and its interval against exact factors.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/precond/chebyshev.hpp>
#include <residua/solvers/processes/row_pieces.hpp>

#include "tests/support/dense.hpp"
#include "tests/support/krylov.hpp"
#include "tests/support/thread_processes.hpp"

using namespace residua;
using namespace residua::support;

namespace {

using polynomial = chebyshev_preconditioner<real_space, real_matrix, real_identity>;

io::coo<double> diagonal_matrix(const std::vector<double>& values)
{
    io::coo<double> a;
    a.rows = a.cols = static_cast<index_t>(values.size());
    for (index_t i = 0; i < a.rows; ++i) {
        a.row.push_back(i);
        a.col.push_back(i);
        a.value.push_back(values[static_cast<std::size_t>(i)]);
    }
    return a;
}

/// T_k(x)
real chebyshev(int k, const real& x)
{
    real before(1.0, x.precision());
    real at = k == 0 ? before : x;
    for (int j = 1; j < k; ++j) {
        const real next = real(2.0) * x * at - before;
        before = std::exchange(at, next);
    }
    return at;
}

/// s(t), in 600 bits
real by_formula(const chebyshev_interval& interval, int degree, double t)
{
    constexpr long bits = 600;
    const real c = (real(interval.lower, bits) + real(interval.upper, bits)) / real(2.0);
    const real h = (real(interval.upper, bits) - real(interval.lower, bits)) / real(2.0);
    const real one(1.0, bits);
    const real x(t, bits);
    return (one - chebyshev(degree + 1, (c - x) / h) / chebyshev(degree + 1, c / h)) / x;
}

/// The values of s at some points, as the preconditioner of a diagonal matrix makes them.
std::vector<real> applied_to_diagonal(const std::vector<double>& points, const chebyshev_interval& interval, int degree,
                                      long bits)
{
    const real_space space{bits};
    const auto n = static_cast<index_t>(points.size());
    const polynomial p(space, n, real_matrix{diagonal_matrix(points)}, {}, interval, degree);
    std::vector<real> x(points.size(), real(1.0, bits));
    std::vector<real> y = space.make_vector(n);
    p.apply(space, x, y);
    return y;
}

/// The matrix of the preconditioner, column by column, with D its inverse diagonal.
std::vector<std::vector<real>> matrix_of(const io::coo<double>& a, long bits)
{
    const real_space space{bits};
    const chebyshev_preconditioner<real_space, real_matrix, real_jacobi> p(
        space, a.rows, real_matrix{a}, real_jacobi(a), find_chebyshev_interval(rows_of(a)));
    std::vector<std::vector<real>> columns;
    for (index_t j = 0; j < a.rows; ++j) {
        std::vector<real> x = space.make_vector(a.rows);
        x[static_cast<std::size_t>(j)] = real(1.0, bits);
        columns.push_back(space.make_vector(a.rows));
        p.apply(space, x, columns.back());
    }
    return columns;
}

bool is_positive_definite(std::vector<std::vector<real>> s)
{
    for (std::size_t k = 0; k < s.size(); ++k) {
        if (!(real(0.0) < s[k][k])) {
            return false;
        }
        for (std::size_t i = k + 1; i < s.size(); ++i) {
            const real factor = s[i][k] / s[k][k];
            for (std::size_t j = k + 1; j < s.size(); ++j) {
                s[i][j] -= factor * s[k][j];
            }
        }
    }
    return true;
}

}  // namespace

TEST(chebyshev_test, of_degree_0_is_a_multiple_of_the_identity)
{
    const std::vector<real> y = applied_to_diagonal({1.0, 7.0}, {.lower = 2.0, .upper = 6.0, .failure = {}}, 0, 100);

    EXPECT_EQ(y, (std::vector<real>{real(0.25), real(0.25)}));
}

TEST(chebyshev_test, of_degree_1_by_hand)
{
    // c = 4, h = 2, T_2(x) = 2 x^2 - 1: 1 - t s(t) = (2 (4 - t)^2 / 4 - 1) / 7, so s(t) = (8 - t) / 14
    const std::vector<real> y =
        applied_to_diagonal({1.0, 4.0, 8.0}, {.lower = 2.0, .upper = 6.0, .failure = {}}, 1, 200);

    for (const auto& [value, expected] : {std::pair(y[0], 7.0), {y[1], 4.0}, {y[2], 0.0}}) {
        EXPECT_NEAR(to_double(real(14.0) * value), expected, 1e-15);
    }
}

TEST(chebyshev_test, is_the_polynomial_of_its_formula)
{
    const std::vector<double> points{-3.0, -1e-3, 1e-6, 0.01, 1.0 / 15, 0.3, 1.0, 1.7, 2.0};
    const chebyshev_interval interval{.lower = 2.0 / 30, .upper = 2.0, .failure = {}};
    for (const int degree : {0, 1, 2, 3, 8, 20}) {
        const std::vector<real> low = applied_to_diagonal(points, interval, degree, 200);
        const std::vector<real> high = applied_to_diagonal(points, interval, degree, 600);
        for (std::size_t i = 0; i < points.size(); ++i) {
            const real expected = by_formula(interval, degree, points[i]);
            // its coefficients are rounded to binary64, and nothing else of it
            EXPECT_LT(to_double(abs(high[i] / expected - real(1.0))), 1e-13) << degree << ", " << points[i];
            EXPECT_LT(to_double(abs(low[i] / high[i] - real(1.0))), 0x1p-180) << degree << ", " << points[i];
            EXPECT_LT(real(0.0), high[i]) << degree << ", " << points[i];
        }
    }
}

TEST(chebyshev_test, brings_the_eigenvalues_of_its_interval_together)
{
    const chebyshev_interval interval{.lower = 2.0 / 30, .upper = 2.0, .failure = {}};
    for (int k = 0; k <= 100; ++k) {
        const double t = interval.lower + k / 100.0 * (interval.upper - interval.lower);
        const double product = t * to_double(applied_to_diagonal({t}, interval, chebyshev_degree, 60).front());
        EXPECT_NEAR(product, 1.0, 0.072) << t;  // 1 / T_9(31 / 29) = 0.0714
    }
}

TEST(chebyshev_test, is_symmetric_positive_definite)
{
    const io::coo<double> indefinite = from_rows({{1, 2, 0, 0}, {2, 3, 5, 0}, {0, 5, 2, -1}, {0, 0, -1, 1}});
    for (const io::coo<double>& a : {poisson_1d(20), indefinite}) {
        const std::vector<std::vector<real>> m = matrix_of(a, 200);
        for (std::size_t i = 0; i < m.size(); ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                EXPECT_LT(to_double(abs(m[i][j] - m[j][i])), 0x1p-170 * to_double(sqrt(m[i][i] * m[j][j])));
            }
        }
        EXPECT_TRUE(is_positive_definite(m));
    }
}

TEST(chebyshev_interval_test, of_poisson_ends_at_2)
{
    const chebyshev_interval interval = find_chebyshev_interval(rows_of(poisson_1d(10)));

    EXPECT_TRUE(interval.failure.empty());
    EXPECT_GE(interval.upper, 2.0);
    EXPECT_LT(interval.upper, 2.00001);
    EXPECT_EQ(interval.lower, interval.upper / 30);
}

TEST(chebyshev_interval_test, holds_all_eigenvalues)
{
    for (unsigned seed = 1; seed <= 20; ++seed) {
        sparse_matrix a = random_rows(15, 0.4, true, seed);
        for (index_t i = 0; i < a.rows; ++i) {  // badly scaled, symmetrically
            for (index_t p = a.row_begin[i]; p < a.row_begin[i + 1]; ++p) {
                a.values.own()[p] =
                    std::ldexp(a.values[p], static_cast<int>(4 * ((7 * i) % 15) + 4 * ((7 * a.column[p]) % 15)));
            }
        }
        const double upper = find_chebyshev_interval(a).upper;
        EXPECT_LT(upper, 3.0);  // scaling has no part in it
        const dense d = to_dense(a);
        std::vector<std::vector<real>> rest(d.size());  // upper D - A
        for (std::size_t i = 0; i < d.size(); ++i) {
            for (std::size_t j = 0; j < d.size(); ++j) {
                rest[i].push_back((i == j ? real(upper, 500) * real(d[i][i]) : real(0.0, 500)) - real(d[i][j]));
            }
        }
        EXPECT_TRUE(is_positive_definite(rest)) << "seed " << seed;
    }
}

TEST(chebyshev_interval_test, needs_a_positive_diagonal)
{
    for (const double last : {0.0, -1.0}) {
        EXPECT_NE(find_chebyshev_interval(rows_of(from_rows({{1, 1}, {1, last}}))).failure.find("row 2"),
                  std::string::npos);
    }
    EXPECT_FALSE(find_chebyshev_interval(rows_of(from_rows({{0x1p-1070, 0x1p1000}, {0x1p1000, 1}}))).failure.empty());
}

TEST(chebyshev_interval_test, is_the_same_for_rows_of_several_processes)
{
    for (unsigned seed = 1; seed <= 10; ++seed) {
        sparse_matrix a = random_rows(15, 0.4, true, seed);
        if (seed > 5) {  // two rows without a positive diagonal, on different processes
            for (const index_t i : {6, 12}) {
                const auto at = std::find(a.column.begin() + a.row_begin[i], a.column.begin() + a.row_begin[i + 1], i);
                a.values.own()[static_cast<std::size_t>(at - a.column.begin())] = -1.0;
            }
        }
        const chebyshev_interval whole = find_chebyshev_interval(a);
        EXPECT_EQ(whole.failure.find("row 7 ") != std::string::npos, seed > 5) << whole.failure;
        const partition rows({0, 4, 4, 11, 15});
        run_processes(4, [&](thread_process& all) {
            const sparse_matrix own = cut_rows(a, rows.first(all.rank()), rows.last(all.rank()));
            const chebyshev_interval found = find_chebyshev_interval(all, rows, own);
            EXPECT_EQ(found.upper, whole.upper);
            EXPECT_EQ(found.lower, whole.lower);
            EXPECT_EQ(found.failure, whole.failure);
        });
    }
}

TEST(chebyshev_test, takes_matrices_of_one_row_and_of_none)
{
    const real_space space{100};
    for (const index_t n : {0, 1}) {
        const io::coo<double> a = diagonal_matrix(std::vector<double>(static_cast<std::size_t>(n), 4.0));
        const polynomial p(space, n, real_matrix{a}, {}, find_chebyshev_interval(rows_of(a)));
        std::vector<real> x(static_cast<std::size_t>(n), real(1.0));
        std::vector<real> y = space.make_vector(n);
        p.apply(space, x, y);
        EXPECT_EQ(static_cast<index_t>(y.size()), n);
    }
}
