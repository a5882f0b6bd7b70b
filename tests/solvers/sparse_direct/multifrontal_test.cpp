// Sparse factors in every format: residuals of what they solve, computed exactly, and Eigen over MPFR.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/solvers/sparse_direct/multifrontal.hpp"
#include "tests/support/dense.hpp"
#include "tests/support/scale.hpp"
#include "tests/support/sparse.hpp"
#include "tests/support/systems.hpp"

using namespace residua;
using namespace residua::support;

namespace {

TYPED_TEST_SUITE(multifrontal_of, kinds);

using dense_rows = std::vector<std::vector<double>>;

/// H with a positive diagonal and few entries, and constraints below and beside it: [H, B'; B, 0].
sparse_matrix saddle_point(index_t unknowns, index_t constraints, std::mt19937_64& random)
{
    std::uniform_real_distribution<double> value(-1.0, 1.0);
    const auto n = static_cast<std::size_t>(unknowns + constraints);
    dense_rows a(n, std::vector<double>(n, 0.0));
    for (index_t i = 0; i < unknowns; ++i) {
        a[i][i] = 2.0 + value(random);
        const auto j = static_cast<index_t>(random() % static_cast<std::uint64_t>(unknowns));
        a[i][j] = a[j][i] = i == j ? a[i][i] : value(random);
    }
    for (index_t c = unknowns; c < static_cast<index_t>(n); ++c) {
        for (const index_t step : {0, 1, 5}) {
            const index_t j = (3 * (c - unknowns) + step) % unknowns;
            a[c][j] = a[j][c] = value(random) + 1.5;
        }
    }
    return rows_of(from_rows(a));
}

/// Blocks of nearly equal rows, whose second pivots are small beside the entries of a border.
sparse_matrix nearly_singular_blocks(std::size_t blocks, std::size_t border, std::mt19937_64& random)
{
    std::uniform_real_distribution<double> value(0.5, 1.0);
    const std::size_t n = 2 * blocks + border;
    dense_rows a(n, std::vector<double>(n, 0.0));
    for (std::size_t b = 0; b < 2 * blocks; b += 2) {
        a[b][b] = a[b][b + 1] = a[b + 1][b] = 1.0;
        a[b + 1][b + 1] = 1.0 + std::ldexp(1.0, -20);
        for (std::size_t k = 0; k < 2; ++k) {
            const std::size_t at = 2 * blocks + (b / 2 + k) % border;
            a[b + k][at] = value(random);
            a[at][b + 1 - k] = -value(random);
        }
    }
    for (std::size_t i = 2 * blocks; i < n; ++i) {
        a[i][i] = 1.0;
    }
    return rows_of(from_rows(a));
}

/// Full first or last row and column.
sparse_matrix arrow(index_t n, bool first)
{
    dense_rows a(static_cast<std::size_t>(n), std::vector<double>(static_cast<std::size_t>(n), 0.0));
    const index_t tip = first ? 0 : n - 1;
    for (index_t i = 0; i < n; ++i) {
        a[i][i] = 3.0;
        a[i][tip] = a[tip][i] = i == tip ? static_cast<double>(n) : 1.0 + 0.01 * static_cast<double>(i);
    }
    return rows_of(from_rows(a));
}

sparse_matrix dense_blocks(index_t blocks, index_t size, std::mt19937_64& random)
{
    std::uniform_real_distribution<double> value(-1.0, 1.0);
    const auto n = static_cast<std::size_t>(blocks * size);
    dense_rows a(n, std::vector<double>(n, 0.0));
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            a[i][j] = i / static_cast<std::size_t>(size) == j / static_cast<std::size_t>(size) ? value(random) : 0.0;
        }
    }
    return rows_of(from_rows(a));
}

}  // namespace

TYPED_TEST(multifrontal_of, definite_grids)
{
    for (const sparse_matrix& a : {grid(6, 6), grid(24, 23), grid(6, 7, 8), grid(200, 1)}) {
        const auto f = this->factorize(a, true);
        EXPECT_TRUE(f->is_cholesky());
        this->expect_solves(f);
        this->expect_solves(this->factorize(a, false));
    }
}

TYPED_TEST(multifrontal_of, random_definite_matrices)
{
    for (std::int64_t round = 0; round < scaled(2); ++round) {
        for (const index_t n : {1, 2, 17, 39, 200}) {
            SCOPED_TRACE("round " + std::to_string(round) + ", n = " + std::to_string(n));
            const double share = n > 100 ? 0.01 : 0.1;
            const sparse_matrix a = random_rows(n, share, true, static_cast<unsigned>(7 * n + round));
            this->expect_solves(this->factorize(a, true));
        }
    }
}

TYPED_TEST(multifrontal_of, random_unsymmetric_matrices)
{
    for (std::int64_t round = 0; round < scaled(2); ++round) {
        for (const index_t n : {2, 19, 38, 150}) {
            SCOPED_TRACE("round " + std::to_string(round) + ", n = " + std::to_string(n));
            const auto seed = static_cast<unsigned>(11 * n + round);
            const double share = n > 100 ? 0.02 : 0.08;
            this->expect_solves(this->factorize(random_rows(n, share, false, seed)), 4.0);
            const sparse_matrix any = rows_of(any_matrix(n, share, seed));
            this->expect_solves(this->factorize(any), 4.0);
            this->expect_solves(
                this->factorize(permuted(any, random_order(n, this->random), random_order(n, this->random))), 4.0);
        }
    }
}

TYPED_TEST(multifrontal_of, convection)
{
    for (const double wind : {0.5, 1.0, 20.0}) {
        this->expect_solves(this->factorize(grid(6, 6, 1, wind)), 10.0);
        this->expect_solves(this->factorize(grid(19, 20, 1, wind)), 10.0);
        this->expect_solves(this->factorize(grid(5, 6, 7, wind)), 10.0);
    }
}

TYPED_TEST(multifrontal_of, saddle_points)
{
    for (std::int64_t round = 0; round < scaled(2); ++round) {
        this->expect_solves(this->factorize(saddle_point(26, 13, this->random)), 4.0);
        this->expect_solves(this->factorize(saddle_point(150, 49, this->random)), 4.0);
    }
}

TYPED_TEST(multifrontal_of, pivots_that_have_to_wait)
{
    for (const std::size_t blocks : {30, 90}) {
        const auto f = this->factorize(nearly_singular_blocks(blocks, 7, this->random));
        EXPECT_GT(f->delayed(), 0);
        this->expect_solves(f, 10.0);
    }
}

TYPED_TEST(multifrontal_of, pivots_that_wait_again_and_again)
{
    // zeros on the diagonal, no matching, and fronts of one pivot each, of which many have none
    index_t delayed = 0, solved = 0;
    for (std::int64_t round = 0; round < scaled(24); ++round) {
        const auto n = static_cast<index_t>(5 + this->random() % 60);
        const double share = (2.0 + static_cast<double>(this->random() % 5)) / static_cast<double>(n);
        io::coo<double> a = any_matrix(n, share, static_cast<unsigned>(650 + round));
        for (std::size_t k = 0; k < a.value.size(); ++k) {
            a.value[k] = a.row[k] == a.col[k] && this->random() % 2 == 0 ? 0.0 : a.value[k];
        }
        const sparse_matrix rows = rows_of(a);
        SCOPED_TRACE("round " + std::to_string(round));
        const auto f = this->factorize(taken_as_it_is(rows),
                                       analysis_by_diagonal(rows, random_order(n, this->random), round % 2 == 0));
        if (!f->failure().empty()) {
            EXPECT_NE(analyze_for_factors(rows, factor_kind::lu).failure, "") << f->failure();
            continue;
        }
        delayed += f->delayed();
        ++solved;
        this->expect_solves(f, 1e4);
    }
    if (scaled(24) >= 24) {  // fewer matrices need not be like the average
        EXPECT_GT(delayed, 15 * solved);
        EXPECT_GT(solved, 10);
    }
    EXPECT_GT(delayed, 0);
}

TYPED_TEST(multifrontal_of, special_shapes)
{
    const sparse_matrix one = rows_of(from_rows({{-3.0}}));
    this->expect_solves(this->factorize(one));
    this->expect_solves(this->factorize(rows_of(from_rows({{3.0}})), true));
    sparse_matrix diagonal = grid(1, 1);
    diagonal = {.rows = 40, .cols = 40, .row_begin = {0}, .column = {}, .values = {}};
    for (std::int32_t i = 0; i < 40; ++i) {
        diagonal.column.push_back(i);
        diagonal.values.push_back(std::ldexp(1.0 + i, i - 20));
        diagonal.row_begin.push_back(i + 1);
    }
    this->expect_solves(this->factorize(diagonal, true));
    this->expect_solves(this->factorize(diagonal));
    for (const bool first : {true, false}) {
        this->expect_solves(this->factorize(arrow(38, first)), 10.0);
        this->expect_solves(this->factorize(arrow(200, first)), 10.0);
    }
    this->expect_solves(this->factorize(dense_blocks(5, 8, this->random)), 4.0);
    this->expect_solves(this->factorize(dense_blocks(1, 65, this->random)), 4.0);
    // a permuted triangle
    dense_rows t(60, std::vector<double>(60, 0.0));
    for (std::size_t i = 0; i < 60; ++i) {
        for (std::size_t j = i; j < 60; j += 1 + i % 7) {
            t[i][j] = i == j ? 2.0 : std::sin(static_cast<double>(3 * i + j)) / 8.0;
        }
    }
    const sparse_matrix triangle = rows_of(from_rows(t));
    this->expect_solves(this->factorize(triangle), 10.0);
    this->expect_solves(
        this->factorize(permuted(triangle, random_order(60, this->random), random_order(60, this->random))), 10.0);
}

TYPED_TEST(multifrontal_of, nothing)
{
    const sparse_matrix none{.rows = 0, .cols = 0, .row_begin = {0}, .column = {}, .values = {}};
    for (const bool symmetric : {false, true}) {
        const auto f = this->factorize(none, symmetric);
        this->expect_solves(f);
        auto x = this->in_solves.make_vector(index_t{0});
        f->solve(x);
        EXPECT_EQ(x.size(), 0);
    }
}

TYPED_TEST(multifrontal_of, decimals_that_binary64_does_not_have)
{
    io::coo<real> a;
    a.rows = a.cols = 60;
    for (index_t i = 0; i < 60; ++i) {
        for (const index_t j : {i - 7, i - 1, i, i + 1, i + 7}) {
            if (j >= 0 && j < 60) {
                a.row.push_back(i);
                a.col.push_back(j);
                const std::string text = (i == j ? "4.1" : "-0." + std::to_string(i + j + 11)) + "7";
                a.value.push_back(real(text, 2 * TestFixture::bits + 100));
            }
        }
    }
    const scaled_matrix m = unscaled(make_system(a, ones(60)), false);
    ASSERT_FALSE(m.exact.empty());
    this->expect_solves(this->factorize(m, analyze_for_factors(m.a, factor_kind::lu)), 10.0);
    this->expect_solves(this->factorize(m, analyze_for_factors(m.a, factor_kind::cholesky)));
}

TYPED_TEST(multifrontal_of, entries_of_every_size)
{
    // what is left of the exponents of binary64 beside the terms of a number, for each of rows and columns
    const bool is_long = !number<typename TestFixture::space::element>;
    const int in_binary64 = is_long ? 490 : static_cast<int>(std::min(490L, (1000 - TestFixture::bits) / 2));
    const int widest = TestFixture::bits == 24 ? 250 : in_binary64;  // so that scales are within 2^300 of 1
    for (std::int64_t round = 0; round < scaled(3); ++round) {
        sparse_matrix a = random_rows(round == 0 ? 40 : 150, 0.05, false, static_cast<unsigned>(660 + round));
        std::vector<int> of_column;
        for (index_t j = 0; j < a.rows; ++j) {
            of_column.push_back(static_cast<int>(this->random() % static_cast<unsigned>(2 * widest)) - widest);
        }
        for (index_t i = 0; i < a.rows; ++i) {
            const int of_row = static_cast<int>(this->random() % static_cast<unsigned>(2 * widest)) - widest;
            for (index_t p = a.row_begin[i]; p < a.row_begin[i + 1]; ++p) {
                a.values.own()[p] = std::ldexp(a.values[p], of_row + of_column[a.column[p]]);
            }
        }
        linear_system system;
        system.rows = system.cols = a.rows;
        system.row_begin = a.row_begin;
        system.column = a.column;
        system.values = a.values;
        const scaled_matrix m = scale(system, false);
        this->expect_solves(this->factorize(m, analyze_for_factors(m.a, factor_kind::lu)), 4.0);
    }
}

TYPED_TEST(multifrontal_of, definite_matrices_of_every_size)
{
    const bool is_long = !number<typename TestFixture::space::element>;
    const int widest = is_long ? 490 : static_cast<int>(std::min(490L, (1000 - TestFixture::bits) / 2));
    for (sparse_matrix a : {grid(6, 6), grid(15, 17)}) {
        std::vector<int> size;
        for (index_t i = 0; i < a.rows; ++i) {
            size.push_back(static_cast<int>(this->random() % static_cast<unsigned>(2 * widest)) - widest);
        }
        for (index_t i = 0; i < a.rows; ++i) {
            for (index_t p = a.row_begin[i]; p < a.row_begin[i + 1]; ++p) {
                a.values.own()[p] = std::ldexp(a.values[p], size[i] + size[a.column[p]]);
            }
        }
        this->expect_solves(this->factorize(a, true));
    }
}

// What the matching asks for grows by 2^25 from row to row, far beyond what the analysis takes.
TYPED_TEST(multifrontal_of, chains_of_growing_entries)
{
    for (const index_t n : {38, 150}) {
        dense_rows a(static_cast<std::size_t>(n), std::vector<double>(static_cast<std::size_t>(n), 0.0));
        for (index_t i = 0; i < n; ++i) {
            a[i][i] = 1.0;
            a[i][(i + 1) % n] = i + 1 < n ? 0x1p25 : 0x1p-30;
            a[i][(i + 5) % n] = i + 5 < n ? 3.0 : 0.0;
        }
        const auto f = this->factorize(rows_of(from_rows(a)));
        const auto& exponents = f.analysis->column_exponent;
        EXPECT_LE(*std::max_element(exponents.begin(), exponents.end()), 300);
        EXPECT_GE(*std::min_element(exponents.begin(), exponents.end()), -300);
        this->expect_solves(f, 10.0);
    }
}
