// Jacobi and block Jacobi: products with A, and, where M must be positive definite, exact Cholesky factors of M.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <residua/arith/real/real.hpp>
#include <residua/solvers/matrix/transpose.hpp>
#include <residua/solvers/precond/approximate_inverse.hpp>
#include <residua/solvers/processes/row_pieces.hpp>

#include "tests/support/complex_systems.hpp"
#include "tests/support/dense.hpp"

using namespace residua;
using namespace residua::support;

namespace {

/// Whether Cholesky's pivots are positive, in so many bits that binary64's entries are all but exact.
bool is_positive_definite(const dense& a)
{
    constexpr long bits = 2000;
    const std::size_t n = a.size();
    std::vector<std::vector<real>> s(n);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            s[i].emplace_back(a[i][j], bits);
        }
    }
    for (std::size_t k = 0; k < n; ++k) {
        if (!(real(0.0) < s[k][k])) {
            return false;
        }
        for (std::size_t i = k + 1; i < n; ++i) {
            const real factor = s[i][k] / s[k][k];
            for (std::size_t j = k + 1; j < n; ++j) {
                s[i][j] -= factor * s[k][j];
            }
        }
    }
    return true;
}

/// Entries of A in the blocks of so many rows, zeros elsewhere.
dense blocks_of(const sparse_matrix& a, std::size_t rows)
{
    dense d = to_dense(a);
    for (std::size_t i = 0; i < d.size(); ++i) {
        for (std::size_t j = 0; j < d.size(); ++j) {
            d[i][j] = i / rows == j / rows ? d[i][j] : 0.0;
        }
    }
    return d;
}

void expect_identity(const dense& product, double tolerance, const std::string& what)
{
    for (std::size_t i = 0; i < product.size(); ++i) {
        for (std::size_t j = 0; j < product.size(); ++j) {
            EXPECT_NEAR(product[i][j], i == j ? 1.0 : 0.0, tolerance) << what;
        }
    }
}

dense hilbert(std::size_t n)
{
    dense h(n, std::vector<double>(n));
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            h[i][j] = 1.0 / static_cast<double>(i + j + 1);
        }
    }
    return h;
}

}  // namespace

TEST(jacobi_test, has_the_reciprocals_of_the_diagonal)
{
    const sparse_matrix a = rows_of(from_rows({{4, 1}, {1, -2}}));

    EXPECT_EQ(to_dense(invert_diagonal(a, false).matrix), (dense{{0.25, 0}, {0, -0.5}}));
    EXPECT_EQ(to_dense(invert_diagonal(a, true).matrix), (dense{{0.25, 0}, {0, 0.5}}));
}

TEST(jacobi_test, takes_rows_of_a_matrix)
{
    const sparse_matrix rows = rows_of(from_rows({{1, 4, 3, 2}, {5, 6, 8, 1}}));  // the second one and the third one

    const approximate_inverse m = invert_diagonal(rows, false, 1);

    EXPECT_EQ(to_dense(m.matrix), (dense{{0, 0.25, 0, 0}, {0, 0, 0.125, 0}}));
    EXPECT_NE(invert_diagonal(rows_of(from_rows({{1, 1, 0}})), false, 2).failure.find("row 3"), std::string::npos);
}

TEST(jacobi_test, has_the_reciprocals_of_a_complex_diagonal)
{
    sparse_matrix a = rows_of(from_rows({{0, -4, 1, 0}, {4, 0, 0, 1}, {0, 0, 3, 4}, {0, 0, -4, 3}}));  // 4i and 3 - 4i
    a.complex = true;
    const dense inverse{{0, 0.25, 0, 0}, {-0.25, 0, 0, 0}, {0, 0, 0.12, -0.16}, {0, 0, 0.16, 0.12}};

    const dense whole = to_dense(jacobi_of(a, {}).matrix);
    const dense second = to_dense(jacobi_of(cut_rows(a, 2, 4), {}, 2).matrix);

    for (std::size_t i = 0; i < 4; ++i) {
        for (std::size_t j = 0; j < 4; ++j) {
            EXPECT_NEAR(whole[i][j], inverse[i][j], 1e-16);
        }
    }
    EXPECT_EQ(second, dense(whole.begin() + 2, whole.end()));
    a = rows_of(from_rows({{0, -1, 0, 0}, {1, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}}));
    a.complex = true;
    EXPECT_NE(jacobi_of(a, {}).failure.find("rows 3 to 4 is singular"), std::string::npos);
}

TEST(jacobi_test, says_which_row_has_no_diagonal)
{
    EXPECT_NE(invert_diagonal(rows_of(from_rows({{1, 1}, {1, 0}})), false).failure.find("row 2"), std::string::npos);
    EXPECT_NE(invert_diagonal(rows_of(from_rows({{0x1p-1074}})), false).failure.find("row 1"), std::string::npos);
}

TEST(block_jacobi_test, inverts_a_small_matrix)
{
    const dense swapped{{0, 2}, {4, 0}};  // no pivot without an exchange

    EXPECT_EQ(to_dense(invert_blocks(rows_of(from_rows(swapped)), false).matrix), (dense{{0, 0.25}, {0.5, 0}}));
    EXPECT_EQ(to_dense(invert_blocks(rows_of(from_rows({{16}})), true).matrix), (dense{{0.0625}}));
}

TEST(block_jacobi_test, inverts_the_diagonal_blocks)
{
    for (const index_t n : {1, 7, 8, 9, 16, 61}) {
        for (const bool symmetric : {false, true}) {
            const sparse_matrix a = random_rows(n, 0.4, symmetric, static_cast<unsigned>(n));

            const approximate_inverse m = invert_blocks(a, symmetric);

            ASSERT_TRUE(m.failure.empty());
            expect_identity(multiply(to_dense(m.matrix), blocks_of(a, 8)), 1e-12, "n = " + std::to_string(n));
        }
    }
}

TEST(block_jacobi_test, takes_rows_of_a_matrix)
{
    const sparse_matrix a = random_rows(61, 0.4, true, 3);
    for (const bool definite : {false, true}) {
        const sparse_matrix whole = invert_blocks(a, definite).matrix;
        for (const auto& [first, last] : {std::pair(0, 24), std::pair(24, 48), std::pair(48, 61)}) {
            const approximate_inverse m = invert_blocks(cut_rows(a, first, last), definite, first);

            EXPECT_EQ(to_dense(m.matrix), to_dense(cut_rows(whole, first, last)));
        }
    }
    sparse_matrix singular = a;
    std::fill(singular.values.own().begin(), singular.values.own().end(), 0.0);
    EXPECT_NE(invert_blocks(cut_rows(singular, 24, 48), false, 24).failure.find("rows 25 to 32 is singular"),
              std::string::npos);
}

TEST(block_jacobi_test, is_a_real_form_to_the_last_bit_where_the_matrix_is_one)
{
    sparse_matrix a = rows_of(real_form(random_rows(13, complex_double{0.5, 1.0})));  // three blocks, and two rows more
    a.complex = true;
    const approximate_inverse whole = invert_blocks(a, false);
    expect_identity(multiply(to_dense(whole.matrix), blocks_of(a, 8)), 1e-12, "of blocks");
    for (const approximate_inverse& m : {whole, jacobi_of(a, {}), invert_blocks(cut_rows(a, 8, 24), false, 8)}) {
        EXPECT_TRUE(m.matrix.complex);
        EXPECT_TRUE(transpose(m.matrix).complex);
        const dense d = to_dense(m.matrix);
        for (std::size_t i = 0; i < d.size(); i += 2) {
            for (std::size_t j = 0; j < 26; j += 2) {
                EXPECT_EQ(d[i][j], d[i + 1][j + 1]);
                EXPECT_EQ(d[i][j + 1], -d[i + 1][j]);
            }
        }
    }
    sparse_matrix definite = rows_of(from_rows({{2, 0}, {0, 2}}));
    definite.complex = true;
    EXPECT_FALSE(invert_blocks(definite, true).matrix.complex);  // symmetric to the last bit instead
}

TEST(block_jacobi_test, is_symmetric_and_definite_where_it_must_be)
{
    const approximate_inverse m = invert_blocks(rows_of(from_rows(hilbert(8))), true);  // condition 1.5e10

    ASSERT_TRUE(m.failure.empty());
    const dense inverse = to_dense(m.matrix);
    EXPECT_EQ(to_dense(transpose(m.matrix)), inverse);
    EXPECT_TRUE(is_positive_definite(inverse));
    expect_identity(multiply(inverse, hilbert(8)), 1e-3, "Hilbert");
}

TEST(block_jacobi_test, says_which_block_it_cannot_invert)
{
    dense a(11, std::vector<double>(11, 0.0));
    for (std::size_t i = 0; i < 11; ++i) {
        a[i][i] = 1.0;
    }
    a[8][9] = a[9][8] = 2.0;
    EXPECT_TRUE(invert_blocks(rows_of(from_rows(a)), false).failure.empty());
    EXPECT_NE(invert_blocks(rows_of(from_rows(a)), true).failure.find("rows 9 to 11 is not positive definite"),
              std::string::npos);
    a[8][9] = a[9][8] = 1.0;
    EXPECT_NE(invert_blocks(rows_of(from_rows(a)), false).failure.find("rows 9 to 11 is singular"), std::string::npos);
    a[8][8] = a[8][9] = 0.0;
    EXPECT_FALSE(invert_blocks(rows_of(from_rows(a)), false).failure.empty());
}

TEST(block_jacobi_test, refuses_numbers_out_of_range)
{
    EXPECT_FALSE(invert_blocks(rows_of(from_rows({{0x1p-1074}})), false).failure.empty());
    EXPECT_FALSE(invert_blocks(rows_of(from_rows({{0x1p-1074}})), true).failure.empty());
}

TEST(block_jacobi_test, takes_a_matrix_without_rows)
{
    const approximate_inverse m = invert_blocks(rows_of(from_rows({})), true);
    EXPECT_TRUE(m.failure.empty());
    EXPECT_EQ(m.matrix.row_begin, std::vector<index_t>{0});
}
