// The analysis of a matrix for factors from that of another one with the same pattern.
#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/sparse_direct/analysis.hpp>

#include "tests/support/systems.hpp"

using namespace residua;
using namespace residua::support;

namespace {

/// A cycle: column j has large entries in row j and in row j + 1.
sparse_matrix cycle(double in_diagonal, double below)
{
    constexpr std::size_t n = 30;
    std::vector<std::vector<double>> rows(n, std::vector<double>(n, 0.0));
    for (std::size_t j = 0; j < n; ++j) {
        rows[j][j] = in_diagonal;
        rows[(j + 1) % n][j] = below;
    }
    return rows_of(from_rows(rows));
}

/// The same with a tree that shows where it comes from: pivots in ascending order, each a front of its own.
sparse_analysis marked(sparse_analysis analysis)
{
    std::reverse(analysis.tree.unknown.begin(), analysis.tree.unknown.end());
    return analysis;
}

}  // namespace

TEST(analysis_test, a_tree_serves_again_where_rows_match_the_same_columns)
{
    const sparse_analysis earlier = marked(analyze_for_factors(cycle(2.0, 1.0), factor_kind::lu));
    const sparse_analysis same = analyze_for_factors(cycle(4.0, 1.0), factor_kind::lu, &earlier);
    EXPECT_EQ(same.tree.unknown, earlier.tree.unknown);
    EXPECT_NE(same.column_exponent, earlier.column_exponent);

    const sparse_analysis other = analyze_for_factors(cycle(1.0, 2.0), factor_kind::lu, &earlier);
    EXPECT_NE(other.row_of_column, earlier.row_of_column);
    EXPECT_EQ(other.tree.unknown, analyze_for_factors(cycle(1.0, 2.0), factor_kind::lu).tree.unknown);
}

TEST(analysis_test, a_tree_of_symmetric_factors_always_serves_again)
{
    const sparse_matrix a = rows_of(poisson_2d(6));
    sparse_matrix b = a;
    for (double& value : b.values.own()) {
        value *= 100.0;
    }
    for (const factor_kind kind : {factor_kind::cholesky, factor_kind::ldl}) {
        const sparse_analysis earlier = marked(analyze_for_factors(a, kind));
        const sparse_analysis again = analyze_for_factors(b, kind, &earlier);
        EXPECT_EQ(again.tree.unknown, earlier.tree.unknown);
        EXPECT_EQ(again.row_exponent, analyze_for_factors(b, kind).row_exponent);
    }
}

TEST(analysis_test, what_has_failed_does_not_serve)
{
    sparse_matrix indefinite = rows_of(poisson_2d(6));
    const sparse_matrix definite = indefinite;
    indefinite.values.own().front() = -4.0;
    const sparse_analysis failed = analyze_for_factors(indefinite, factor_kind::cholesky);
    ASSERT_NE(failed.failure, "");
    EXPECT_EQ(analyze_for_factors(definite, factor_kind::cholesky, &failed).tree.unknown,
              analyze_for_factors(definite, factor_kind::cholesky).tree.unknown);
}

TEST(analysis_test, analyses_pass_on_what_nobody_has_asked_for)
{
    const sparse_matrix a = rows_of(poisson_2d(6));
    sparse_analyses first;
    const auto tree = first.of(a, factor_kind::cholesky)->tree;
    sparse_analyses third = first.for_same_pattern().for_same_pattern();
    EXPECT_EQ(third.of(a, factor_kind::cholesky)->tree.unknown, tree.unknown);
    EXPECT_NE(third.of(a, factor_kind::cholesky), first.of(a, factor_kind::cholesky));
    EXPECT_EQ(third.of(a, factor_kind::ldl)->tree.n, a.rows);
}
