// Elimination trees, column counts, fronts and subtrees against elimination of sets, one unknown at a time.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/sparse_direct/assembly_tree.hpp>
#include <residua/solvers/sparse_direct/elimination.hpp>
#include <residua/solvers/sparse_direct/subtrees.hpp>

#include "tests/support/scale.hpp"
#include "tests/support/sparse.hpp"

using namespace residua;
using namespace residua::support;

namespace {

/// Children come before their parents, and each subtree ends with its root and has no gaps.
void expect_postordered(const numbers& parent)
{
    std::vector<std::int32_t> first(parent.size());
    std::iota(first.begin(), first.end(), 0);
    numbers size(parent.size(), 1);
    for (std::size_t i = 0; i < parent.size(); ++i) {
        ASSERT_EQ(first[i], static_cast<std::int32_t>(i) - size[i] + 1) << "a gap below node " << i;
        if (parent[i] != -1) {
            ASSERT_GT(parent[i], static_cast<std::int32_t>(i));
            ASSERT_LT(parent[i], static_cast<std::int32_t>(parent.size()));
            first[parent[i]] = std::min(first[parent[i]], first[i]);
            size[parent[i]] += size[i];
        }
    }
}

void expect_elimination(const symmetric_pattern& pattern, const numbers& order)
{
    const elimination e = eliminate(pattern, order);
    ASSERT_TRUE(is_permutation_of(pattern.n, e.unknown));
    expect_postordered(e.parent);
    const graph l = columns_of_l(graph_of(pattern), e.unknown);
    EXPECT_EQ(entries_of(l), entries_of(columns_of_l(graph_of(pattern), order))) << "the reordering changes the fill";
    for (std::size_t k = 0; k < l.size(); ++k) {
        EXPECT_EQ(e.count[k], static_cast<index_t>(l[k].size()) + 1) << "column " << k;
        EXPECT_EQ(e.parent[k], l[k].empty() ? -1 : *l[k].begin()) << "column " << k;
    }
}

bool contains(const std::set<std::int32_t>& all, const std::set<std::int32_t>& some)
{
    return std::includes(all.begin(), all.end(), some.begin(), some.end());
}

/// What a front has to hold, and what it promises its parent.
void expect_tree(const symmetric_pattern& pattern, const assembly_tree& tree)
{
    ASSERT_EQ(tree.n, pattern.n);
    ASSERT_TRUE(is_permutation_of(pattern.n, tree.unknown));
    expect_postordered(tree.parent);
    ASSERT_EQ(tree.first_pivot.size(), tree.parent.size() + 1);
    ASSERT_EQ(tree.below_begin.size(), tree.parent.size() + 1);
    ASSERT_EQ(tree.first_pivot.front(), 0);
    ASSERT_EQ(tree.first_pivot.back(), pattern.n);
    ASSERT_EQ(tree.below_begin.back(), static_cast<index_t>(tree.below_rows.size()));
    const graph l = columns_of_l(graph_of(pattern), tree.unknown);
    for (index_t f = 0; f < tree.fronts(); ++f) {
        SCOPED_TRACE("front " + std::to_string(f));
        ASSERT_GT(tree.pivots(f), 0);
        const auto rows = tree.below(f);
        ASSERT_TRUE(std::is_sorted(rows.begin(), rows.end()));
        std::set<std::int32_t> below(rows.begin(), rows.end()), all(below);
        ASSERT_EQ(below.size(), rows.size());
        ASSERT_TRUE(below.empty() || *below.begin() >= tree.first_pivot[f + 1]);
        for (index_t k = tree.first_pivot[f]; k < tree.first_pivot[f + 1]; ++k) {
            all.insert(static_cast<std::int32_t>(k));
        }
        std::set<std::int32_t> needed;
        for (index_t k = tree.first_pivot[f]; k < tree.first_pivot[f + 1]; ++k) {
            EXPECT_TRUE(contains(all, l[k])) << "column " << k;
            needed.insert(l[k].lower_bound(static_cast<std::int32_t>(tree.first_pivot[f + 1])), l[k].end());
        }
        EXPECT_EQ(below, needed) << "rows that no column has";
        const std::int32_t p = tree.parent[f];
        EXPECT_EQ(p == -1, below.empty());
        if (p != -1) {
            std::set<std::int32_t> of_parent(tree.below(p).begin(), tree.below(p).end());
            for (index_t k = tree.first_pivot[p]; k < tree.first_pivot[p + 1]; ++k) {
                of_parent.insert(static_cast<std::int32_t>(k));
            }
            EXPECT_TRUE(contains(of_parent, below));
            EXPECT_LT(*below.begin(), tree.first_pivot[p + 1]) << "the parent is not the next front";
        }
    }
}

/// Sums over single pivots, and over the fronts that are there at the time.
factor_cost count_cost(const assembly_tree& tree, bool symmetric)
{
    factor_cost cost;
    for (index_t f = 0; f < tree.fronts(); ++f) {
        const index_t m = tree.order(f);
        for (index_t k = 0; k < tree.pivots(f); ++k) {
            const auto left = static_cast<double>(m - k - 1);
            cost.multiply_adds += symmetric ? 0.5 * left * left : left * left;
        }
        cost.entries +=
            static_cast<double>(symmetric ? m * tree.pivots(f) : m * m - (m - tree.pivots(f)) * (m - tree.pivots(f)));
        double waiting = 0.0;  // this front's rest, and those of fronts before it whose parents are not done
        for (index_t c = 0; c <= f; ++c) {
            const auto below = static_cast<double>(tree.below(c).size());
            waiting += c == f || tree.parent[c] >= f ? below * below : 0.0;
        }
        cost.most_entries = std::max(cost.most_entries, cost.entries + waiting);
    }
    return cost;
}

void expect_cost(const assembly_tree& tree)
{
    for (const bool symmetric : {false, true}) {
        const factor_cost found = cost_of(tree, symmetric), expected = count_cost(tree, symmetric);
        EXPECT_NEAR(found.multiply_adds, expected.multiply_adds, 1e-9 * expected.multiply_adds);
        EXPECT_EQ(found.entries, expected.entries);
        EXPECT_EQ(found.most_entries, expected.most_entries);
    }
}

void expect_subtrees(const assembly_tree& tree, int threads)
{
    const std::vector<subtree> all = find_subtrees(tree, threads);
    std::vector<int> times(tree.parent.size(), 0);
    double work = 0.0;
    for (index_t f = 0; f < tree.fronts(); ++f) {
        const auto m = static_cast<double>(tree.order(f));
        work += static_cast<double>(tree.pivots(f)) * m * m;
    }
    for (std::size_t s = 0; s < all.size(); ++s) {
        const subtree& each = all[s];
        ASSERT_GE(each.first, 0);
        ASSERT_LT(each.first, each.last);
        ASSERT_LE(each.last, tree.fronts());
        EXPECT_LE(each.cost, work / (8.0 * threads) * (1.0 + 1e-12));
        EXPECT_TRUE(s == 0 || all[s - 1].cost >= each.cost);
        const auto root = static_cast<std::int32_t>(each.last - 1);
        for (index_t f = each.first; f < each.last; ++f) {
            ++times[f];
            EXPECT_TRUE(f == root || (tree.parent[f] > f && tree.parent[f] <= root))
                << "front " << f << " is not in it";
        }
        for (index_t f = 0; f < each.first; ++f) {
            EXPECT_FALSE(tree.parent[f] >= each.first && tree.parent[f] <= root) << "front " << f << " is missing";
        }
    }
    EXPECT_TRUE(std::all_of(times.begin(), times.end(), [](int t) { return t <= 1; }));
}

void expect_all(const symmetric_pattern& pattern, const numbers& order)
{
    expect_elimination(pattern, order);
    const assembly_tree tree = make_assembly_tree(pattern, order);
    expect_tree(pattern, tree);
    expect_cost(tree);
    for (const int threads : {2, 3, 16}) {
        expect_subtrees(tree, threads);
    }
    EXPECT_TRUE(find_subtrees(tree, 1).empty());
}

/// What fronts take at most, factors aside: each front's contribution waits until its parent has been made.
double peak_of(const assembly_tree& tree, const std::vector<numbers>& children, const numbers& of)
{
    double peak = 0.0, waiting = 0.0;
    for (const std::int32_t f : of) {
        const auto order = static_cast<double>(tree.order(f)), below = static_cast<double>(tree.below(f).size());
        double of_children = 0.0;
        for (const std::int32_t c : children[f]) {
            const auto rest = static_cast<double>(tree.below(c).size());
            of_children += rest * rest;
        }
        peak = std::max({peak, waiting + peak_of(tree, children, children[f]), waiting + of_children + order * order});
        waiting += below * below;
    }
    return peak;
}

/// No order of the children needs less.
void expect_least_memory(const assembly_tree& tree, std::mt19937_64& random)
{
    std::vector<numbers> children(tree.parent.size());
    numbers roots;
    for (std::int32_t f = 0; f < tree.fronts(); ++f) {
        (tree.parent[f] == -1 ? roots : children[tree.parent[f]]).push_back(f);
    }
    const double found = peak_of(tree, children, roots);
    for (int round = 0; round < 20; ++round) {
        for (numbers& each : children) {
            std::shuffle(each.begin(), each.end(), random);
        }
        EXPECT_LE(found, peak_of(tree, children, roots));
    }
}

numbers natural(index_t n)
{
    numbers p(static_cast<std::size_t>(n));
    std::iota(p.begin(), p.end(), 0);
    return p;
}

}  // namespace

TEST(postorder, visits_children_first_and_keeps_their_order)
{
    //      6       3
    //    0   4     1
    //   5   2
    const numbers parent{6, 3, 4, -1, 6, 0, -1};

    EXPECT_EQ(postorder(parent), (numbers{1, 3, 5, 0, 2, 4, 6}));
    EXPECT_TRUE(postorder(numbers{}).empty());
    EXPECT_EQ(postorder(numbers{-1, -1}), (numbers{0, 1}));
}

TEST(postorder, of_random_forests)
{
    std::mt19937_64 random(621);
    for (std::int64_t round = 0; round < scaled(300); ++round) {
        const auto n = static_cast<index_t>(random() % 50);
        const numbers label = random_order(n, random);
        numbers parent(static_cast<std::size_t>(n), -1);
        for (std::size_t k = 0; k < parent.size(); ++k) {
            const std::size_t p = k + 1 + random() % (random() % 2 == 0 ? 4 : 50);
            parent[label[k]] = p < parent.size() ? label[p] : -1;
        }
        const numbers order = postorder(parent);
        ASSERT_TRUE(is_permutation_of(n, order));
        numbers place(order.size()), renamed(order.size());
        for (std::size_t k = 0; k < order.size(); ++k) {
            place[order[k]] = static_cast<std::int32_t>(k);
        }
        for (std::size_t k = 0; k < order.size(); ++k) {
            renamed[k] = parent[order[k]] == -1 ? -1 : place[parent[order[k]]];
        }
        expect_postordered(renamed);
    }
}

TEST(postorder, of_a_chain_of_a_million_nodes)
{
    numbers parent(1000000);
    std::iota(parent.begin(), parent.end(), 1);
    parent.back() = -1;

    EXPECT_EQ(postorder(parent), natural(1000000));
}

TEST(assembly_tree, of_random_patterns_in_random_orders)
{
    std::mt19937_64 random(622);
    for (std::int64_t round = 0; round < scaled(500); ++round) {
        const auto n = static_cast<index_t>(random() % 61);
        const double share = std::vector<double>{0.0, 0.01, 0.03, 0.06, 0.15, 0.4, 1.0}[random() % 7];
        SCOPED_TRACE("round " + std::to_string(round));
        const symmetric_pattern pattern = pattern_from(random_graph(n, share, random));
        expect_all(pattern, random_order(n, random));
        expect_all(pattern, find_order(pattern, ordering::minimum_degree));
        expect_tree(pattern, find_assembly_tree(pattern).tree);
        ASSERT_FALSE(HasFailure());
    }
}

TEST(assembly_tree, of_grids_in_every_order)
{
    for (const sparse_matrix& a : {grid(17, 13), grid(5, 6, 7), grid(150, 2), grid(1, 1), grid(200, 1)}) {
        const symmetric_pattern pattern = pattern_of(a);
        expect_all(pattern, natural(a.rows));
        expect_all(pattern, find_order(pattern, ordering::minimum_degree));
        expect_all(pattern, find_order(pattern, ordering::nested_dissection));
    }
}

TEST(assembly_tree, of_nothing)
{
    const symmetric_pattern pattern = pattern_from({});
    expect_all(pattern, {});
    EXPECT_EQ(find_assembly_tree(pattern).tree.fronts(), 0);
    EXPECT_EQ(cost_of(find_assembly_tree(pattern).tree, true).most_entries, 0.0);
}

TEST(assembly_tree, of_stars_and_dense_patterns)
{
    for (const std::int32_t n : {2, 5, 60}) {
        graph star(static_cast<std::size_t>(n)), dense(static_cast<std::size_t>(n));
        for (std::int32_t i = 0; i < n; ++i) {
            for (std::int32_t j = 0; j < n; ++j) {
                if (i != j) {
                    dense[i].insert(j);
                }
                if (i != j && (i == 0 || j == 0)) {
                    star[i].insert(j);
                }
            }
        }
        numbers backwards = natural(n);
        std::reverse(backwards.begin(), backwards.end());
        for (const graph& g : {star, dense}) {
            expect_all(pattern_from(g), natural(n));  // the centre first: all fills
            expect_all(pattern_from(g), backwards);
        }
        EXPECT_EQ(make_assembly_tree(pattern_from(dense), natural(n)).fronts(), 1);
    }
}

TEST(assembly_tree, joins_fronts_of_few_pivots)
{
    const symmetric_pattern pattern = pattern_of(grid(40, 40));
    const assembly_tree tree = make_assembly_tree(pattern, find_order(pattern, ordering::minimum_degree));

    EXPECT_LT(tree.fronts(), 1600 / 4);
}

TEST(assembly_tree, takes_children_in_the_order_of_least_memory)
{
    std::mt19937_64 random(623);
    for (std::int64_t round = 0; round < scaled(60); ++round) {
        const graph g = random_graph(20 + static_cast<index_t>(random() % 200), 0.015, random);
        const symmetric_pattern pattern = pattern_from(g);
        expect_least_memory(make_assembly_tree(pattern, find_order(pattern, ordering::minimum_degree)), random);
        ASSERT_FALSE(HasFailure());
    }
    const symmetric_pattern pattern = pattern_of(grid(40, 40));
    expect_least_memory(make_assembly_tree(pattern, find_order(pattern, ordering::nested_dissection)), random);
}

TEST(find_subtrees, leaves_little_of_a_grid_above_them)
{
    const symmetric_pattern pattern = pattern_of(grid(60, 60));
    const assembly_tree tree = make_assembly_tree(pattern, find_order(pattern, ordering::nested_dissection));
    for (const int threads : {2, 4}) {
        expect_subtrees(tree, threads);
        index_t in_subtrees = 0;
        for (const subtree& each : find_subtrees(tree, threads)) {
            in_subtrees += each.last - each.first;
        }
        EXPECT_GT(in_subtrees, tree.fronts() * 3 / 4);
    }
}

TEST(find_subtrees, of_a_forest_are_its_trees)
{
    const assembly_tree tree = make_assembly_tree(pattern_from(graph(100)), natural(100));
    expect_subtrees(tree, 4);
    EXPECT_EQ(find_subtrees(tree, 4).size(), 100u);
}
