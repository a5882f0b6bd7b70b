// Patterns against dense ones, and orders of elimination by the fill that they leave, counted one unknown at a time.
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/sparse_direct/ordering.hpp>

#include "tests/support/dense.hpp"
#include "tests/support/scale.hpp"
#include "tests/support/sparse.hpp"

using namespace residua;
using namespace residua::support;

namespace {

constexpr ordering all_orderings[] = {ordering::minimum_degree, ordering::nested_dissection,
                                      ordering::reverse_cuthill_mckee};
constexpr ordering of_little_fill[] = {ordering::minimum_degree, ordering::nested_dissection};

/// As any_matrix(), of any share of entries also on the diagonal; some of those that are stored are zeros.
sparse_matrix random_sparse(index_t n, double share, std::mt19937_64& random)
{
    std::uniform_real_distribution<double> chance(0.0, 1.0);
    sparse_matrix a{.rows = n, .cols = n, .row_begin = {0}, .column = {}, .values = {}};
    for (index_t i = 0; i < n; ++i) {
        for (std::int32_t j = 0; j < n; ++j) {
            if (chance(random) < share) {
                a.column.push_back(j);
                a.values.push_back(random() % 8 == 0 ? 0.0 : 1.0);
            }
        }
        a.row_begin.push_back(static_cast<index_t>(a.column.size()));
    }
    return a;
}

/// The graph of B + B' from all of its places.
graph dense_graph(const sparse_matrix& a, const numbers& row_of_column)
{
    const auto n = static_cast<std::size_t>(a.rows);
    std::vector<std::vector<char>> there(n, std::vector<char>(n, 0));
    for (index_t i = 0; i < a.rows; ++i) {
        for (index_t p = a.row_begin[i]; p < a.row_begin[i + 1]; ++p) {
            there[i][a.column[p]] = 1;
        }
    }
    graph g(n);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            const std::size_t row_i = row_of_column.empty() ? i : row_of_column[i];
            const std::size_t row_j = row_of_column.empty() ? j : row_of_column[j];
            if (i != j && (there[row_i][j] || there[row_j][i])) {
                g[i].insert(static_cast<std::int32_t>(j));
            }
        }
    }
    return g;
}

void expect_pattern(const sparse_matrix& a, const numbers& row_of_column)
{
    const symmetric_pattern found = pattern_of(a, row_of_column);
    const symmetric_pattern expected = pattern_from(dense_graph(a, row_of_column));
    EXPECT_EQ(found.n, expected.n);
    EXPECT_EQ(found.begin, expected.begin);
    EXPECT_EQ(found.neighbor, expected.neighbor);  // a set's order: ascending, and none twice
}

index_t fill(const symmetric_pattern& pattern, const numbers& order)
{
    return entries_of(columns_of_l(graph_of(pattern), order));
}

numbers natural(index_t n)
{
    numbers p(static_cast<std::size_t>(n));
    std::iota(p.begin(), p.end(), 0);
    return p;
}

void expect_orders(const symmetric_pattern& pattern)
{
    for (const ordering how : all_orderings) {
        const numbers order = find_order(pattern, how);
        EXPECT_TRUE(is_permutation_of(pattern.n, order));
        EXPECT_EQ(order, find_order(pattern, how));
    }
}

/// Unknown `center` is a neighbour of all others.
graph star(std::int32_t n, std::int32_t center)
{
    graph g(static_cast<std::size_t>(n));
    for (std::int32_t i = 0; i < n; ++i) {
        if (i != center) {
            g[i].insert(center);
            g[center].insert(i);
        }
    }
    return g;
}

}  // namespace

TEST(pattern_of, is_that_of_the_sum_with_the_transpose)
{
    std::mt19937_64 random(611);
    for (std::int64_t round = 0; round < scaled(400); ++round) {
        const auto n = static_cast<index_t>(random() % 25);
        const double share = std::vector<double>{0.0, 0.02, 0.1, 0.3, 1.0}[random() % 5];
        const sparse_matrix a = random_sparse(n, share, random);
        SCOPED_TRACE("round " + std::to_string(round));
        expect_pattern(a, {});
        expect_pattern(a, random_order(n, random));
    }
}

TEST(pattern_of, leaves_out_the_diagonal_of_permuted_rows)
{
    const sparse_matrix a = rows_of(from_rows({{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}));

    EXPECT_EQ(pattern_of(a).neighbor, (numbers{1, 2, 0, 2, 0, 1}));
    EXPECT_TRUE(pattern_of(a, numbers{2, 0, 1}).neighbor.empty());
}

TEST(pattern_of, an_empty_matrix_and_one_of_zeros)
{
    EXPECT_EQ(pattern_of({.rows = 0, .cols = 0, .row_begin = {0}, .column = {}, .values = {}}).begin,
              std::vector<index_t>{0});
    EXPECT_EQ(pattern_of({.rows = 3, .cols = 3, .row_begin = {0, 0, 0, 0}, .column = {}, .values = {}}).begin,
              (std::vector<index_t>(4, 0)));
}

TEST(find_order, gives_a_permutation)
{
    std::mt19937_64 random(612);
    for (std::int64_t round = 0; round < scaled(150); ++round) {
        const auto n = static_cast<index_t>(random() % 80);
        const double share = std::vector<double>{0.0, 0.01, 0.05, 0.3, 1.0}[random() % 5];
        SCOPED_TRACE("round " + std::to_string(round));
        expect_orders(pattern_from(random_graph(n, share, random)));
    }
}

TEST(find_order, does_not_depend_on_threads_that_order_too_nor_disturb_the_random_numbers_of_the_caller)
{
    std::mt19937_64 random(614);
    const symmetric_pattern pattern = pattern_of(grid(120, 120)), other = pattern_from(random_graph(300, 0.02, random));
    const numbers alone = find_order(pattern, ordering::nested_dissection);
    std::srand(7);
    const int expected = std::rand();

    std::srand(7);
    std::vector<numbers> orders(4);
    std::vector<std::thread> threads;
    for (numbers& order : orders) {
        threads.emplace_back([&] {
            find_order(other, ordering::nested_dissection);
            order = find_order(pattern, ordering::nested_dissection);
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(std::rand(), expected);
    for (const numbers& order : orders) {
        EXPECT_EQ(order, alone);
    }
}

TEST(find_order, takes_the_smallest_patterns)
{
    expect_orders(pattern_from({}));
    expect_orders(pattern_from(graph(1)));
    expect_orders(pattern_from(graph(2)));
    expect_orders(pattern_from(star(2, 0)));
    expect_orders(pattern_from(graph(50)));
}

TEST(find_order, fills_less_than_the_natural_order_on_grids)
{
    for (const sparse_matrix& a : {grid(24, 24), grid(8, 8, 8), grid(60, 5)}) {
        const symmetric_pattern pattern = pattern_of(a);
        const bool is_band = a.rows == 300;  // whose natural order is nearly the best
        const auto worst = static_cast<double>(fill(pattern, natural(a.rows))) * (is_band ? 0.9 : 0.6);
        for (const ordering how : of_little_fill) {
            EXPECT_LT(static_cast<double>(fill(pattern, find_order(pattern, how))), worst) << a.rows;
        }
    }
}

// Eigen counts the diagonal in the degrees that it begins with: leaves of a tree seem to have two neighbours until one
// of them goes, so that trees have some fill, 157 entries for the 126 of this one.
TEST(find_order, leaves_little_fill_in_a_path_and_a_tree_by_minimum_degree)
{
    graph path(100), tree(127);
    for (graph* g : {&path, &tree}) {
        for (std::int32_t i = 1; i < static_cast<std::int32_t>(g->size()); ++i) {
            const std::int32_t other = g == &path ? i - 1 : (i - 1) / 2;
            (*g)[i].insert(other);
            (*g)[other].insert(i);
        }
    }
    EXPECT_EQ(fill(pattern_from(path), find_order(pattern_from(path), ordering::minimum_degree)), 99);
    EXPECT_LE(fill(pattern_from(tree), find_order(pattern_from(tree), ordering::minimum_degree)), 160);
}

TEST(find_order, keeps_a_dense_row_to_the_end)
{
    for (const std::int32_t center : {0, 250, 499}) {
        const symmetric_pattern pattern = pattern_from(star(500, center));
        for (const ordering how : of_little_fill) {
            const numbers order = find_order(pattern, how);
            EXPECT_TRUE(is_permutation_of(500, order));
            EXPECT_LE(fill(pattern, order), 500);
        }
    }
}

// From the leaf 2 the farthest is 8, from there 5, and from 5 again 8: the levels of 5 are 5, 0, 4 1, 2 3, 6, 7, 8.
TEST(find_order, goes_from_a_far_unknown_by_degrees_and_reverses_by_reverse_cuthill_mckee)
{
    graph tree(9);
    for (const auto& [i, j] : {std::pair{1, 2}, {0, 1}, {1, 3}, {0, 4}, {0, 5}, {3, 6}, {6, 7}, {7, 8}}) {
        tree[i].insert(j);
        tree[j].insert(i);
    }
    EXPECT_EQ(find_order(pattern_from(tree), ordering::reverse_cuthill_mckee), (numbers{8, 7, 6, 3, 2, 1, 4, 0, 5}));
}

// A level of a grid of k columns that is searched from a corner has k unknowns at most.
TEST(find_order, keeps_the_band_of_grids_narrow_by_reverse_cuthill_mckee)
{
    std::mt19937_64 random(613);
    for (const auto& [rows, columns] : {std::pair{100, 1}, {40, 2}, {30, 6}, {12, 12}}) {
        const graph g = graph_of(pattern_of(grid(rows, columns)));
        const auto n = static_cast<index_t>(g.size());
        for (std::int64_t round = 0; round < scaled(10); ++round) {
            const numbers number = random_order(n, random);
            graph mixed(g.size());
            for (index_t i = 0; i < n; ++i) {
                for (const std::int32_t j : g[i]) {
                    mixed[number[i]].insert(number[j]);
                }
            }
            const numbers order = find_order(pattern_from(mixed), ordering::reverse_cuthill_mckee);
            ASSERT_TRUE(is_permutation_of(n, order));
            numbers place(order.size());
            for (index_t k = 0; k < n; ++k) {
                place[order[k]] = static_cast<std::int32_t>(k);
            }
            for (index_t i = 0; i < n; ++i) {
                for (const std::int32_t j : mixed[i]) {
                    EXPECT_LE(std::abs(place[i] - place[j]), columns == 1 ? 1 : columns + 1)
                        << rows << " x " << columns;
                }
            }
        }
    }
}

TEST(find_order, takes_components_and_unknowns_that_stand_alone)
{
    graph g = graph_of(pattern_of(grid(7, 7)));
    g.resize(60);  // 11 alone
    const graph other = graph_of(pattern_of(grid(3, 9)));
    for (const auto& neighbors : other) {
        g.emplace_back();
        for (const std::int32_t j : neighbors) {
            g.back().insert(j + 60);
        }
    }
    expect_orders(pattern_from(g));
}
