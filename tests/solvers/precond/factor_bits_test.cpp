// LU factors in fewer and in more bits than binary64 has: they are those of a matrix nearby.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/matrix/scaled_matrix.hpp>
#include <residua/solvers/planning/plan.hpp>
#include <residua/solvers/precond/factorize.hpp>
#include <residua/solvers/precond/factors.hpp>

#include "tests/support/dense.hpp"
#include "tests/support/systems.hpp"

using namespace residua;
using namespace residua::support;

namespace {

constexpr long bits = 2000;  // in which products of factors are exact

using rows = std::vector<std::vector<real>>;

rows zeros(std::size_t n) { return rows(n, std::vector<real>(n, real(0.0, bits))); }

/// |L U - S| <= bound |L| |U|, by elements.
void expect_product(const rows& l, const rows& u, const rows& s, const real& bound)
{
    for (std::size_t i = 0; i < s.size(); ++i) {
        for (std::size_t j = 0; j < s.size(); ++j) {
            real sum(0.0, bits), size(0.0, bits);
            for (std::size_t k = 0; k <= std::min(i, j); ++k) {
                sum += l[i][k] * u[k][j];
                size += abs(l[i][k] * u[k][j]);
            }
            EXPECT_LE(abs(sum - s[i][j]), bound * size) << i << ", " << j;
        }
    }
}

}  // namespace

TEST(factor_bits_test, binary32_rounds_what_binary64_holds)
{
    const sparse_matrix a = rows_of(from_rows({{1.0, 0x1p-30}, {0.5, 1.0 + 0x1p-30}}));

    const triangular_factors factors = factorize_lu(a, {.bits = 24});

    ASSERT_TRUE(factors.failure.empty()) << factors.failure;
    for (const sparse_matrix* side : {&factors.lower, &factors.upper}) {
        for (const double each : side->values) {
            EXPECT_EQ(each, static_cast<double>(static_cast<float>(each)));
        }
    }
    EXPECT_NE(to_dense(factors.upper), to_dense(factorize_lu(a).upper));
}

TEST(factor_bits_test, what_is_singular_in_binary32_alone_is_told)
{
    const sparse_matrix a = rows_of(from_rows({{1.0, 1.0}, {1.0, 1.0 + 0x1p-30}}));

    EXPECT_NE(factorize_lu(a, {.bits = 24}).failure.find("binary32"), std::string::npos);
    EXPECT_TRUE(factorize_lu(a).failure.empty());
}

TEST(factor_bits_test, binary32_factors_are_those_of_a_matrix_nearby)
{
    for (const double share : {0.1, 1.0}) {  // sparse and dense
        const index_t n = 40;
        const unsigned seed = 7;
        const sparse_matrix a = rows_of(any_matrix(n, share, seed));

        const triangular_factors f = factorize_lu(a, {.bits = 24});

        ASSERT_TRUE(f.failure.empty()) << f.failure;
        rows l = zeros(n), u = zeros(n), s = zeros(n);
        for (const auto& [from, to] : {std::pair{&f.lower, &l}, std::pair{&f.upper, &u}}) {
            for (index_t i = 0; i < n; ++i) {
                for (index_t k = from->row_begin[i]; k < from->row_begin[i + 1]; ++k) {
                    (*to)[i][from->column[k]] = real(from->values[k], bits);
                }
            }
        }
        std::vector<index_t> column(n), row(n);  // where they went
        for (index_t i = 0; i < n; ++i) {
            row[f.row_order[i]] = i;
            column[f.column_order.empty() ? i : f.column_order[i]] = i;
        }
        for (index_t i = 0; i < n; ++i) {
            for (index_t k = a.row_begin[i]; k < a.row_begin[i + 1]; ++k) {
                s[row[i]][column[a.column[k]]] =
                    ldexp(real(a.values[k], bits), f.row_exponent[i] + f.column_exponent[a.column[k]]);
            }
        }
        // [Higham02, Thm 9.3], and the rounding of S: |s_ij| <= |L| |U| / (1 - n u) or so
        expect_product(l, u, s, real((n + 2) * 0x1p-24, bits));
    }
}

TEST(factor_bits_test, factors_beyond_the_range_of_binary16_have_that_of_binary32)
{
    io::coo<double> a;  // Wilkinson's: 1 on the diagonal and in the last column, -1 below; the last column of U doubles
    const index_t n = 100;
    a.rows = a.cols = n;
    for (index_t i = 0; i < n; ++i) {
        for (index_t j = 0; j < n; ++j) {
            if (j <= i || j == n - 1) {
                a.row.push_back(i);
                a.col.push_back(j);
                a.value.push_back(j < i ? -1.0 : 1.0);
            }
        }
    }

    const triangular_factors f = factorize_lu(rows_of(a), {.bits = 11});

    ASSERT_EQ(f.failure, "");
    EXPECT_EQ(f.upper.values.back(),
              std::ldexp(1.0, static_cast<int>(n) - 1 + f.row_exponent[0] + f.column_exponent[n - 1]));
}

TEST(factor_bits_test, long_factors_are_those_of_a_matrix_nearby)
{
    const index_t n = 40;
    const linear_system system = system_of(any_matrix(n, 1.0, 11));
    const scaled_matrix matrix = scale(system, false);
    for (const long wanted : {54L, 106L, 159L, 212L, 300L}) {
        const arithmetic in = factors_in(wanted);
        EXPECT_GE(in.bits, wanted);

        const auto f = factorize_long(in, matrix, {});

        ASSERT_EQ(f.failure(), "");
        const auto numbers = std::get<known_dense_factors>(f.numbers());
        rows l = zeros(n), u = zeros(n), s = zeros(n);
        for (index_t i = 0; i < n; ++i) {
            for (index_t j = 0; j < n; ++j) {
                (i > j ? l : u)[i][j] = numbers.entry(i, j).with_precision(bits);
            }
            l[i][i] = real(1.0, bits);
            for (index_t k = matrix.row_begin[i]; k < matrix.row_begin[i + 1]; ++k) {
                s[i][matrix.column[k]] = real(matrix.values[k], bits);
            }
        }
        std::vector<real> b;
        for (index_t i = 0; i < n; ++i) {
            real sum(0.0, bits);
            for (const real& each : s[i]) {
                sum += each;
            }
            b.push_back(sum);
        }
        for (index_t k = 0; k < n; ++k) {
            std::swap(s[k], s[numbers.pivots[static_cast<std::size_t>(k)]]);
        }
        const real unit = ldexp(real(1.0, bits), -in.bits);
        expect_product(l, u, s, real(8.0 * n, bits) * unit);  // an operation is off by up to 4 units, of expansions

        long_vector r(b);
        const std::vector<real> solution =
            f.solve(long_columns{&r}).front().numbers();  // S 1 = b; kappa(S) is about 1e4
        EXPECT_LE(error_of_ones(solution), real(1e8, bits) * unit) << in.bits;
    }
}
