#include <residua/solvers/sparse_direct/assembly_tree.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

#include <residua/io/interruption.hpp>
#include <residua/solvers/sparse_direct/dissection.hpp>
#include <residua/solvers/sparse_direct/elimination.hpp>

namespace residua {
namespace {

/// Columns of L that are kept together: a front that is not laid out yet.
struct supernode {
    index_t pivots = 0;
    index_t below = 0;
    double entries = 0.0;  ///< that are not zero, in the lower trapezoid

    double trapezoid() const
    {
        const auto k = static_cast<double>(pivots), m = static_cast<double>(pivots + below);
        return k * m - 0.5 * k * (k - 1.0);
    }
    double order() const { return static_cast<double>(pivots + below); }
    double contribution() const { return static_cast<double>(below) * static_cast<double>(below); }
};

/// Pivots in a row whose columns of L have one pattern, and the tree of these supernodes.
struct supernode_forest {
    std::vector<supernode> node;
    std::vector<std::int32_t> parent;  ///< -1: none
    std::vector<std::int32_t> of_pivot;
};

supernode_forest find_supernodes(const elimination& e)
{
    supernode_forest forest;
    const auto n = static_cast<std::int32_t>(e.parent.size());
    forest.of_pivot.resize(e.parent.size());
    for (std::int32_t j = 0; j < n; ++j) {
        io::ask_for_stop_at(j);
        const bool continues = j > 0 && e.parent[j - 1] == j && e.count[j - 1] == e.count[j] + 1;
        if (!continues) {
            forest.node.emplace_back();
        }
        supernode& s = forest.node.back();
        ++s.pivots;
        s.below = e.count[j] - 1;
        s.entries += static_cast<double>(e.count[j]);
        forest.of_pivot[j] = static_cast<std::int32_t>(forest.node.size()) - 1;
    }
    forest.parent.assign(forest.node.size(), -1);
    for (std::int32_t j = 0; j < n; ++j) {
        const bool is_last = j + 1 == n || forest.of_pivot[j + 1] != forest.of_pivot[j];
        if (is_last && e.parent[j] != -1) {
            forest.parent[forest.of_pivot[j]] = forest.of_pivot[e.parent[j]];
        }
    }
    return forest;
}

/// Whether a supernode of `pivots` pivots may store `zeros` zeros: few where it has many pivots, whose work would grow.
bool may_join(index_t pivots, double zeros, double entries)
{
    const double share = zeros / entries;
    return pivots <= 4 || (pivots <= 16 && share < 0.8) || (pivots <= 48 && share < 0.1) || share < 0.05;
}

/// Children join their parents where few zeros come in. Returns where each supernode went, itself if it stayed.
std::vector<std::int32_t> join(supernode_forest& forest)
{
    const auto count = static_cast<std::int32_t>(forest.node.size());
    std::vector<std::int32_t> into(forest.node.size());
    std::iota(into.begin(), into.end(), 0);
    std::vector<std::vector<std::int32_t>> children(forest.node.size());
    for (std::int32_t p = 0; p < count; ++p) {
        supernode& parent = forest.node[p];
        std::vector<std::int32_t> left;
        for (auto c = children[p].rbegin(); c != children[p].rend(); ++c) {
            const supernode& child = forest.node[*c];
            const supernode both{.pivots = parent.pivots + child.pivots,
                                 .below = parent.below,
                                 .entries = parent.entries + child.entries};
            if (may_join(both.pivots, both.trapezoid() - both.entries, both.trapezoid())) {
                parent = both;
                into[*c] = p;
                left.insert(left.end(), children[*c].begin(), children[*c].end());
            } else {
                left.push_back(*c);
            }
        }
        children[p] = std::move(left);
        if (forest.parent[p] != -1) {
            children[forest.parent[p]].push_back(p);
        }
    }
    for (std::int32_t s = count - 1; s >= 0; --s) {  // parents are known before their children
        io::ask_for_stop_at(s);
        into[s] = into[s] == s ? s : into[into[s]];
    }
    return into;
}

/// Nodes of a forest, whose children come before their parents, in the order that needs the least memory for the
/// contribution blocks that wait for parents: the child whose subtree needs the most beyond what it leaves comes
/// first.
std::vector<std::int32_t> order_for_memory(const std::vector<supernode>& node, const std::vector<std::int32_t>& parent)
{
    std::vector<double> peak(node.size(), 0.0), beyond(node.size(), 0.0);
    std::vector<std::vector<std::int32_t>> children(node.size());
    for (std::size_t p = 0; p < node.size(); ++p) {
        auto& all = children[p];
        std::stable_sort(all.begin(), all.end(), [&](auto x, auto y) { return beyond[x] > beyond[y]; });
        double waiting = 0.0;
        for (const std::int32_t c : all) {
            peak[p] = std::max(peak[p], waiting + peak[c]);
            waiting += node[c].contribution();
        }
        peak[p] = std::max(peak[p], waiting + node[p].order() * node[p].order());
        beyond[p] = peak[p] - node[p].contribution();
        if (parent[p] != -1) {
            children[parent[p]].push_back(static_cast<std::int32_t>(p));
        }
    }
    std::vector<std::int32_t> by_need(node.size()), rank(node.size()), renamed(node.size(), -1);
    std::iota(by_need.begin(), by_need.end(), 0);
    std::stable_sort(by_need.begin(), by_need.end(), [&](auto x, auto y) { return beyond[x] > beyond[y]; });
    for (std::size_t r = 0; r < by_need.size(); ++r) {
        rank[by_need[r]] = static_cast<std::int32_t>(r);
    }
    for (std::size_t s = 0; s < node.size(); ++s) {
        renamed[rank[s]] = parent[s] == -1 ? -1 : rank[parent[s]];
    }
    std::vector<std::int32_t> order = postorder(renamed);
    std::transform(order.begin(), order.end(), order.begin(), [&](std::int32_t r) { return by_need[r]; });
    return order;
}

/// Finds the rows below the pivots of every front: rows of the matrix, and rows that the children leave.
void find_rows_below(assembly_tree& tree, const symmetric_pattern& pattern)
{
    std::vector<std::int32_t> place(static_cast<std::size_t>(tree.n)), seen(static_cast<std::size_t>(tree.n), -1);
    for (index_t k = 0; k < tree.n; ++k) {
        place[tree.unknown[k]] = static_cast<std::int32_t>(k);
    }
    std::vector<std::vector<std::int32_t>> children(tree.parent.size());
    tree.below_begin.assign(1, 0);
    for (std::int32_t f = 0; f < static_cast<std::int32_t>(tree.fronts()); ++f) {
        io::ask_for_stop_at(f);
        const index_t begin = tree.below_begin.back(), end_of_pivots = tree.first_pivot[f + 1];
        const auto add = [&](std::int32_t row) {
            if (row >= end_of_pivots && seen[row] != f) {
                seen[row] = f;
                tree.below_rows.push_back(row);
            }
        };
        for (index_t k = tree.first_pivot[f]; k < end_of_pivots; ++k) {
            const std::int32_t unknown = tree.unknown[k];
            for (index_t p = pattern.begin[unknown]; p < pattern.begin[unknown + 1]; ++p) {
                add(place[pattern.neighbor[p]]);
            }
        }
        for (const std::int32_t c : children[f]) {
            for (index_t p = tree.below_begin[c]; p < tree.below_begin[c + 1]; ++p) {
                add(tree.below_rows[p]);
            }
        }
        std::sort(tree.below_rows.begin() + begin, tree.below_rows.end());
        tree.below_begin.push_back(static_cast<index_t>(tree.below_rows.size()));
        if (tree.parent[f] != -1) {
            children[tree.parent[f]].push_back(f);
        }
    }
}

assembly_tree tree_of(const symmetric_pattern& pattern, const elimination& e)
{
    supernode_forest forest = find_supernodes(e);
    const std::vector<std::int32_t> into = join(forest);
    std::vector<std::int32_t> front_of(forest.node.size(), -1), parent;  // in the order of the supernodes
    std::vector<supernode> node;
    for (std::size_t s = 0; s < forest.node.size(); ++s) {
        io::ask_for_stop_at(static_cast<index_t>(s));
        if (into[s] == static_cast<std::int32_t>(s)) {
            front_of[s] = static_cast<std::int32_t>(node.size());
            node.push_back(forest.node[s]);
        }
    }
    for (std::size_t s = 0; s < forest.node.size(); ++s) {
        if (front_of[s] != -1) {
            parent.push_back(forest.parent[s] == -1 ? -1 : front_of[into[forest.parent[s]]]);
        }
    }

    const std::vector<std::int32_t> order = order_for_memory(node, parent);
    std::vector<std::int32_t> place(order.size());
    assembly_tree tree;
    tree.n = pattern.n;
    tree.first_pivot.assign(1, 0);
    for (std::size_t f = 0; f < order.size(); ++f) {
        place[order[f]] = static_cast<std::int32_t>(f);
        tree.first_pivot.push_back(tree.first_pivot.back() + node[order[f]].pivots);
    }
    for (const std::int32_t old : order) {
        tree.parent.push_back(parent[old] == -1 ? -1 : place[parent[old]]);
    }
    std::vector<index_t> next(tree.first_pivot.begin(), tree.first_pivot.end() - 1);
    tree.unknown.resize(e.unknown.size());
    for (std::size_t j = 0; j < e.unknown.size(); ++j) {
        tree.unknown[next[place[front_of[into[forest.of_pivot[j]]]]]++] = e.unknown[j];
    }
    find_rows_below(tree, pattern);
    return tree;
}

double squared_counts(const elimination& e)
{
    double sum = 0.0;
    for (const index_t each : e.count) {
        sum += static_cast<double>(each) * static_cast<double>(each);
    }
    return sum;
}

/// Nested dissection takes some 1.5 us for each entry of the pattern, as long as 10^4 multiply-adds of binary64 in one
/// thread. It is tried where it may gain more. It runs in one thread, while several threads eliminate fronts.
constexpr double worth_dissection = 2e4;

}  // namespace

assembly_tree make_assembly_tree(const symmetric_pattern& pattern, std::span<const std::int32_t> order)
{
    return tree_of(pattern, eliminate(pattern, order));
}

found_tree find_assembly_tree(const symmetric_pattern& pattern, double most_multiply_adds)
{
    elimination best = eliminate(pattern, find_order(pattern, ordering::minimum_degree));
    if (squared_counts(best) > worth_dissection * static_cast<double>(pattern.neighbor.size())) {
        if (0.5 * squared_counts(best) > most_multiply_adds) {
            const double enough = sure_of_too_many * most_multiply_adds;
            if (const double least = count_top_of_dissection(pattern, enough); least > enough) {
                return {.tree = {}, .least_multiply_adds = least};
            }
        }
        elimination other = eliminate(pattern, find_order(pattern, ordering::nested_dissection));
        if (squared_counts(other) < squared_counts(best)) {
            best = std::move(other);
        }
    }
    return {.tree = tree_of(pattern, best)};
}

double multiply_adds_of_front(double pivots, double order)
{
    const double below = order - pivots;
    return (order * (order - 1.0) * (2.0 * order - 1.0) - below * (below - 1.0) * (2.0 * below - 1.0)) / 12.0;
}

factor_cost cost_of(const assembly_tree& tree, bool symmetric)
{
    factor_cost cost;
    std::vector<double> waiting(tree.parent.size(), 0.0);  // contribution blocks of the children of each front
    double in_fronts = 0.0;
    for (index_t f = 0; f < tree.fronts(); ++f) {
        const auto k = static_cast<double>(tree.pivots(f)), m = static_cast<double>(tree.order(f)), below = m - k;
        cost.multiply_adds += (symmetric ? 1.0 : 2.0) * multiply_adds_of_front(k, m);
        cost.entries += symmetric ? k * m : k * (m + below);
        in_fronts += below * below;
        cost.most_entries = std::max(cost.most_entries, cost.entries + in_fronts);
        in_fronts -= waiting[f];
        if (tree.parent[f] != -1) {
            waiting[tree.parent[f]] += below * below;
        }
    }
    return cost;
}

}  // namespace residua
