// Sparse factors of singular matrices, of ones that are not positive definite, by several threads, and when they are
// stopped.
#include <atomic>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <omp.h>

#include <residua/solvers/sparse_direct/subtrees.hpp>

#include "tests/solvers/sparse_direct/multifrontal.hpp"
#include "tests/support/dense.hpp"
#include "tests/support/sparse.hpp"
#include "tests/support/stopping.hpp"
#include "tests/support/systems.hpp"

using namespace residua;
using namespace residua::support;

namespace {

TYPED_TEST_SUITE(multifrontal_of, kinds);

using dense_rows = std::vector<std::vector<double>>;

/// Restores the number of threads at the end of a test.
struct threads_kept {
    int before = omp_get_max_threads();
    ~threads_kept() { omp_set_num_threads(before); }
};

/// A and B side by side on the diagonal.
sparse_matrix both(const sparse_matrix& a, const sparse_matrix& b)
{
    sparse_matrix c = a;
    c.rows = c.cols = a.rows + b.rows;
    for (index_t i = 0; i < b.rows; ++i) {
        c.row_begin.push_back(c.row_begin.back() + b.row_begin[i + 1] - b.row_begin[i]);
    }
    for (const std::int32_t j : b.column) {
        c.column.push_back(j + static_cast<std::int32_t>(a.rows));
    }
    c.values.own().insert(c.values.own().end(), b.values.begin(), b.values.end());
    return c;
}

/// A full matrix whose rank is half of n, and which stays integer in the elimination.
sparse_matrix full_of_half_rank(std::size_t n)
{
    dense_rows a(n, std::vector<double>(n, 0.0));
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            a[i][j] = static_cast<double>(1 + std::min(i % (n / 2), j % (n / 2)));
        }
    }
    return rows_of(from_rows(a));
}

/// Minus Laplace's operator with zero flow through the boundary: A 1 = 0.
sparse_matrix closed_grid(std::int32_t nx, std::int32_t ny)
{
    sparse_matrix a = grid(nx, ny);
    for (index_t i = 0; i < a.rows; ++i) {
        for (index_t p = a.row_begin[i]; p < a.row_begin[i + 1]; ++p) {
            if (a.column[p] == i) {
                a.values.own()[p] = static_cast<double>(a.row_begin[i + 1] - a.row_begin[i] - 1);
            }
        }
    }
    return a;
}

}  // namespace

TYPED_TEST(multifrontal_of, structurally_singular_matrices_have_a_column_too_many)
{
    const auto failure = [&](const dense_rows& rows) { return this->factorize(rows_of(from_rows(rows)))->failure(); };
    EXPECT_NE(
        failure({{1, 2, 0, 4}, {2, 1, 0, 1}, {0, 1, 0, 5}, {3, 0, 0, 1}}).find("structurally singular: column 3 "),
        std::string::npos);
    EXPECT_NE(failure({{1, 1, 1}, {0, 0, 0}, {1, 2, 3}}).find("structurally singular: column "), std::string::npos);
    EXPECT_NE(failure({{1, 1, 1}, {1, 0, 0}, {1, 0, 0}}).find("structurally singular: column "), std::string::npos);
    EXPECT_NE(failure({{0}}).find("column 1 "), std::string::npos);
    const sparse_matrix stored_zero{.rows = 1, .cols = 1, .row_begin = {0, 1}, .column = {0}, .values = {0.0}};
    EXPECT_NE(this->factorize(stored_zero)->failure().find("column 1 "), std::string::npos);
}

TYPED_TEST(multifrontal_of, zero_pivots_are_a_failure_that_names_the_column)
{
    // exact zeros: all multipliers are integers or powers of two
    for (const dense_rows& rows : {dense_rows{{1, 2}, {1, 2}}, dense_rows{{4, 2, 1}, {4, 2, 1}, {0, 0, 1}},
                                   dense_rows{{1, 1, 0, 0}, {1, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}}) {
        const auto f = this->factorize(rows_of(from_rows(rows)));
        EXPECT_EQ(f->failure().find("no usable pivot in column "), 0u) << f->failure();
        const char column = f->failure()[std::string("no usable pivot in column ").size()];
        EXPECT_TRUE(column == '1' || column == '2' || column == '3') << f->failure();
    }
    EXPECT_EQ(this->factorize(full_of_half_rank(40))->failure().find("no usable pivot in column "), 0u);
}

TYPED_TEST(multifrontal_of, zero_pivots_wait_up_to_the_root)
{
    // two equal rows in a corner of a grid: what is left of them is zero in every front
    sparse_matrix a = both(grid(9, 9), rows_of(from_rows({{1, 2, 4}, {1, 2, 4}, {2, 2, 1}})));
    a.values.own().back() = 8.0;
    const std::string failure = this->factorize(a)->failure();
    EXPECT_EQ(failure.find("no usable pivot in column 8"), 0u) << failure;  // 82 to 84
}

// Rounding hides that a matrix is singular: there are factors, and what they solve is of the size of 2^p. Definite
// factors can fail as well, where the last pivot is rounded to zero or below it.
TYPED_TEST(multifrontal_of, rounded_singular_matrices_fail_or_have_a_huge_condition)
{
    for (const bool symmetric : {false, true}) {
        for (const sparse_matrix& a : {closed_grid(7, 9), closed_grid(20, 20)}) {
            const auto f = this->factorize(a, symmetric);
            if (!f->failure().empty()) {
                EXPECT_TRUE(f->failure().find("no usable pivot") == 0 ||
                            f->failure().find("the matrix is not positive definite") == 0);
                continue;
            }
            std::vector<real> b(static_cast<std::size_t>(a.rows), real(0.0));
            b[3] = real(1.0);
            const real size = this->largest(this->solve(f, b, false), std::vector<int>(b.size(), 0));
            EXPECT_TRUE(!is_finite(size) || exponent(size) > TestFixture::bits - 20) << size;
        }
    }
}

TYPED_TEST(multifrontal_of, matrices_that_are_one_unit_from_singular)
{
    const real unit = ldexp(real(1.0, TestFixture::bits), 1 - TestFixture::bits);
    const sparse_matrix pattern = rows_of(from_rows({{1, 1}, {1, 1}}));
    const scaled_matrix m = taken_as_it_is(pattern, {real(1.0), real(1.0), real(1.0), real(1.0) + unit});
    const auto f = this->factorize(m, analyze_for_factors(m, factor_kind::lu));
    if (TestFixture::bits <= 53) {
        EXPECT_EQ(f->failure(), "");
    }
    this->expect_solves(f);
    this->expect_solves(this->factorize(m, analyze_for_factors(m, factor_kind::cholesky)));
}

// The scaled entry is 2^-1574, zero in binary64. A format with more exponents has it.
TYPED_TEST(multifrontal_of, entries_that_scaling_makes_smaller_than_binary64_has)
{
    if (number<typename TestFixture::space::element>) {
        GTEST_SKIP() << "the format has the exponents of binary64";
    }
    const sparse_matrix a = rows_of(from_rows({{0x1p500, 0x1p-1074}, {1.0, 0x1p500}}));
    const auto f = this->factorize(a);
    this->expect_solves(f);
    const std::vector<real> x = this->solve(f, {real(0x1p-1074), real(0x1p500)}, false);
    EXPECT_TRUE(is_zero(x[0]) || exponent(x[0]) < -1574 - TestFixture::bits + 8) << x[0];
    EXPECT_EQ(x[1], real(1.0));
}

TYPED_TEST(multifrontal_of, indefinite_matrices_have_no_cholesky_factors)
{
    const std::string expected = std::string("the matrix is not positive definite in ") +
                                 (TestFixture::bits == 24 ? "binary32" : "this precision");
    const auto failure = [&](const sparse_matrix& a) {
        const auto f = this->factorize(a, true);
        return f->failure();
    };
    EXPECT_EQ(failure(rows_of(from_rows({{1, 2}, {2, 1}}))), expected);
    EXPECT_NE(failure(rows_of(from_rows({{1, 2}, {2, -5}}))).find("diagonal is not positive"), std::string::npos);
    EXPECT_NE(failure(rows_of(from_rows({{1, 2}, {2, 0}}))).find("diagonal is not positive"), std::string::npos);
    sparse_matrix a = grid(12, 12);
    for (index_t p = a.row_begin[77]; p < a.row_begin[78]; ++p) {
        a.values.own()[p] = a.column[p] == 77 ? 0.25 : a.values[p];
    }
    EXPECT_EQ(failure(a), expected);
    EXPECT_EQ(failure(both(grid(9, 9), rows_of(from_rows({{1, 2}, {2, 4}})))), expected);
}

TYPED_TEST(multifrontal_of, bits_do_not_depend_on_the_threads)
{
    const threads_kept keep;
    const std::int32_t side = TestFixture::bits > 500 ? 26 : 40;
    const sparse_matrix convection = grid(side, side, 1, 3.0);
    sparse_matrix waiting = rows_of(any_matrix(side * 4, 0.02, 671));
    const auto by_diagonal = [&] {
        return this->factorize(
            taken_as_it_is(waiting),
            analysis_by_diagonal(waiting, find_order(pattern_of(waiting), ordering::minimum_degree), true));
    };
    std::vector<real> b = this->integers(convection.rows), c = this->integers(waiting.rows);
    std::vector<std::vector<real>> expected;
    index_t delayed = 0;
    for (const int threads : {1, 2, 5, 16}) {
        omp_set_num_threads(threads);
        const auto lu = this->factorize(convection), cholesky = this->factorize(grid(side, side), true),
                   delaying = by_diagonal();
        EXPECT_TRUE(threads != 2 || find_subtrees(lu.analysis->tree, threads).size() > 1);
        ASSERT_EQ(lu->failure() + cholesky->failure() + delaying->failure(), "");
        const std::vector<std::vector<real>> found{this->solve(lu, b, false), this->solve(lu, b, true),
                                                   this->solve(cholesky, b, false), this->solve(delaying, c, false)};
        expected = threads == 1 ? found : expected;
        delayed = threads == 1 ? delaying->delayed() : delayed;
        EXPECT_EQ(found, expected) << threads << " threads";
        EXPECT_EQ(delaying->delayed(), delayed);
    }
    EXPECT_GT(delayed, 0);
}

TYPED_TEST(multifrontal_of, the_first_failure_is_told_whatever_the_threads)
{
    const threads_kept keep;
    const sparse_matrix small = rows_of(from_rows({{1, 2}, {1, 2}}));
    for (const sparse_matrix& a : {both(full_of_half_rank(30), small), both(small, full_of_half_rank(30)),
                                   both(grid(20, 20), both(full_of_half_rank(26), small))}) {
        omp_set_num_threads(1);
        const std::string expected = this->factorize(a)->failure();
        EXPECT_EQ(expected.find("no usable pivot in column "), 0u);
        for (const int threads : {2, 5, 16}) {
            omp_set_num_threads(threads);
            EXPECT_EQ(this->factorize(a)->failure(), expected) << threads << " threads";
        }
    }
}

TYPED_TEST(multifrontal_of, stops_when_asked)
{
    const threads_kept keep;
    const std::int32_t side = TestFixture::bits > 500 ? 9 : 20;
    for (const bool symmetric : {false, true}) {
        const sparse_matrix a = grid(side, side);
        for (const int threads : {1, 5}) {
            omp_set_num_threads(threads);
            const auto asked_until = [&](int last) {
                int asked = 0;
                const bool stopped =
                    is_stopped([&] { return ++asked == last; }, [&] { this->factorize(a, symmetric); });
                EXPECT_EQ(stopped, asked == last) << last;
                return asked;
            };
            const int full = asked_until(-1);
            EXPECT_GT(full, 20);
            for (const int last : {1, 2, full / 3, full / 2}) {
                EXPECT_EQ(asked_until(last), last);
            }
        }
    }
}
