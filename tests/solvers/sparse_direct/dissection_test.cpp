// The first fronts of a dissection as a bound of what factors take, and the analysis that ends with it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/sparse_direct/analysis.hpp>
#include <residua/solvers/sparse_direct/dissection.hpp>
#include <residua/solvers/sparse_direct/elimination.hpp>

#include "tests/support/sparse.hpp"

using namespace residua;
using namespace residua::support;

namespace {

/// A diagonally dominant symmetric matrix: each row has entries in `each` random columns, and their mirror images.
sparse_matrix random_graph_matrix(std::int32_t n, int each)
{
    std::mt19937_64 random(7);
    graph g(static_cast<std::size_t>(n));
    for (std::int32_t i = 0; i < n; ++i) {
        for (int k = 0; k < each; ++k) {
            const auto j = static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(n));
            if (i != j) {
                g[static_cast<std::size_t>(i)].insert(j);
                g[static_cast<std::size_t>(j)].insert(i);
            }
        }
    }
    sparse_matrix a{.rows = n, .cols = n, .row_begin = {0}, .column = {}, .values = {}};
    for (std::int32_t i = 0; i < n; ++i) {
        std::vector<std::int32_t> row(g[static_cast<std::size_t>(i)].begin(), g[static_cast<std::size_t>(i)].end());
        row.push_back(i);
        std::sort(row.begin(), row.end());
        for (const std::int32_t j : row) {
            a.column.push_back(j);
            a.values.push_back(i == j ? static_cast<double>(row.size()) : -1.0);
        }
        a.row_begin.push_back(static_cast<index_t>(a.column.size()));
    }
    return a;
}

/// Multiply-adds of L L' in the columns from `first` on, counted column by column.
double multiply_adds(const elimination& e, std::size_t first = 0)
{
    double sum = 0.0;
    for (std::size_t j = first; j < e.count.size(); ++j) {
        const auto below = static_cast<double>(e.count[j] - 1);
        sum += 0.5 * below * below;
    }
    return sum;
}

double least_of_both_orders(const symmetric_pattern& pattern)
{
    return std::min(multiply_adds(eliminate(pattern, find_order(pattern, ordering::minimum_degree))),
                    multiply_adds(eliminate(pattern, find_order(pattern, ordering::nested_dissection))));
}

/// Meshes in space and in the plane, bars, plates, and graphs that have no small separators.
std::vector<std::pair<std::string, sparse_matrix>> all_kinds()
{
    return {{"cube", grid(26, 26, 26)},
            {"square", grid(200, 200)},
            {"bar", grid(12, 12, 150)},
            {"plate", grid(60, 60, 5)},
            {"chain", grid(30000, 1)},
            {"random", random_graph_matrix(5000, 3)},
            {"sparser", random_graph_matrix(9000, 2)}};
}

}  // namespace

TEST(separator_test, no_entry_joins_the_sides)
{
    for (const auto& [name, a] : all_kinds()) {
        SCOPED_TRACE(name);
        const symmetric_pattern pattern = pattern_of(a);
        const numbers side = find_separator(pattern);
        std::vector<index_t> size(3, 0);
        for (std::int32_t i = 0; i < pattern.n; ++i) {
            ASSERT_TRUE(side[i] == 0 || side[i] == 1 || side[i] == in_separator);
            ++size[static_cast<std::size_t>(side[i])];
            for (index_t p = pattern.begin[i]; p < pattern.begin[i + 1]; ++p) {
                EXPECT_NE(side[i] + side[pattern.neighbor[p]], 1);
            }
        }
        EXPECT_GT(size[0], pattern.n / 10);
        EXPECT_GT(size[1], pattern.n / 10);
        EXPECT_EQ(find_separator(pattern), side);
    }
    EXPECT_EQ(find_separator(pattern_of(grid(1, 1))).size(), 1u);
}

TEST(dissection_test, counts_the_columns_of_a_separator_that_comes_last)
{
    const symmetric_pattern pattern = pattern_of(grid(40, 40));  // whose halves are too small to be cut
    const numbers side = find_separator(pattern);
    numbers order;
    for (const std::int32_t which : {0, 1, in_separator}) {
        for (std::int32_t i = 0; i < pattern.n; ++i) {
            if (side[i] == which) {
                order.push_back(i);
            }
        }
    }
    const auto pivots = static_cast<std::size_t>(std::count(side.begin(), side.end(), in_separator));
    const double counted = multiply_adds(eliminate(pattern, order), order.size() - pivots);
    EXPECT_NEAR(count_top_of_dissection(pattern, 1e300), counted, 1e-12 * counted);
}

TEST(dissection_test, parts_that_do_not_touch_have_fronts_of_their_own)
{
    const sparse_matrix one = grid(40, 40);
    sparse_matrix two = one;
    two.rows = two.cols = 2 * one.rows;
    for (index_t i = 0; i < one.rows; ++i) {
        for (index_t p = one.row_begin[i]; p < one.row_begin[i + 1]; ++p) {
            two.column.push_back(one.column[p] + static_cast<std::int32_t>(one.rows));
            two.values.push_back(one.values[p]);
        }
        two.row_begin.push_back(static_cast<index_t>(two.column.size()));
    }
    const double of_one = count_top_of_dissection(pattern_of(one), 1e300);
    EXPECT_NEAR(count_top_of_dissection(pattern_of(two), 1e300), 2.0 * of_one, 0.3 * of_one);
}

TEST(dissection_test, is_no_surer_than_orders_are_good)
{
    for (const auto& [name, a] : all_kinds()) {
        const symmetric_pattern pattern = pattern_of(a);
        EXPECT_LT(count_top_of_dissection(pattern, 1e300), 1.3 * least_of_both_orders(pattern)) << name;
    }
    EXPECT_LT(1.3, sure_of_too_many);
}

TEST(dissection_test, ends_as_soon_as_it_has_enough)
{
    const symmetric_pattern pattern = pattern_of(grid(26, 26, 26));
    const double all = count_top_of_dissection(pattern, 1e300), first = count_top_of_dissection(pattern, 1.0);
    EXPECT_LT(first, 0.4 * all);
    EXPECT_GT(first, 1.0);
}

TEST(dissection_test, a_limit_takes_away_no_tree_within_it_and_leaves_none_far_beyond)
{
    for (const auto& [name, a] : all_kinds()) {
        SCOPED_TRACE(name);
        const symmetric_pattern pattern = pattern_of(a);
        const double least = least_of_both_orders(pattern);
        const found_tree all = find_assembly_tree(pattern), within = find_assembly_tree(pattern, least);
        EXPECT_EQ(within.tree.unknown, all.tree.unknown);
        EXPECT_EQ(within.tree.first_pivot, all.tree.first_pivot);
        EXPECT_EQ(within.least_multiply_adds, 0.0);
    }
    for (const sparse_matrix& a : {grid(36, 36, 36), random_graph_matrix(9000, 2)}) {
        const symmetric_pattern pattern = pattern_of(a);
        const double most = 0.2 * least_of_both_orders(pattern);
        const found_tree beyond = find_assembly_tree(pattern, most);
        EXPECT_EQ(beyond.tree.fronts(), 0);
        EXPECT_GT(beyond.least_multiply_adds, sure_of_too_many * most);
    }
}

TEST(dissection_test, an_analysis_that_ended_is_made_anew_where_more_is_allowed)
{
    const sparse_matrix a = random_graph_matrix(9000, 2);
    for (const factor_kind kind : {factor_kind::cholesky, factor_kind::ldl, factor_kind::lu}) {
        sparse_analyses analyses;
        const auto ended = analyses.of(a, kind, 1e5);
        EXPECT_EQ(ended->tree.fronts(), 0);
        EXPECT_GT(ended->least_multiply_adds, 1e5);
        EXPECT_EQ(analyses.of(a, kind, 1e5), ended);
        sparse_analyses next = analyses.for_same_pattern();
        EXPECT_EQ(next.of(a, kind, 1e5)->tree.fronts(), 0);
        for (sparse_analyses* each : {&analyses, &next}) {
            const auto whole = each->of(a, kind);
            EXPECT_EQ(whole->tree.unknown, analyze_for_factors(a, kind).tree.unknown);
            EXPECT_EQ(whole->least_multiply_adds, 0.0);
            EXPECT_EQ(each->of(a, kind, 1e5), whole);
        }
    }
    // L U takes twice the multiply-adds of L L'
    const double of_cholesky = sparse_analyses().of(a, factor_kind::cholesky, 1e5)->least_multiply_adds;
    EXPECT_EQ(sparse_analyses().of(a, factor_kind::lu, 2e5)->least_multiply_adds, 2.0 * of_cholesky);
}
