#include <residua/solvers/sparse_direct/elimination.hpp>

#include <algorithm>
#include <numeric>

#include <residua/io/interruption.hpp>

namespace residua {
namespace {

std::vector<std::int32_t> inverse_of(std::span<const std::int32_t> order)
{
    std::vector<std::int32_t> place(order.size());
    for (std::size_t k = 0; k < order.size(); ++k) {
        place[static_cast<std::size_t>(order[k])] = static_cast<std::int32_t>(k);
    }
    return place;
}

/// f(the place of each neighbour of the k-th unknown)
template <class F>
void for_each_neighbor(const symmetric_pattern& pattern, std::int32_t unknown, std::span<const std::int32_t> place,
                       const F& f)
{
    for (index_t p = pattern.begin[unknown]; p < pattern.begin[unknown + 1]; ++p) {
        f(place[pattern.neighbor[p]]);
    }
}

/// The elimination tree, with shortcuts to the roots found so far.
std::vector<std::int32_t> tree_of(const symmetric_pattern& pattern, std::span<const std::int32_t> order,
                                  std::span<const std::int32_t> place)
{
    std::vector<std::int32_t> parent(order.size(), -1), root(order.size(), -1);
    for (std::int32_t k = 0; k < static_cast<std::int32_t>(order.size()); ++k) {
        io::ask_for_stop_at(k);
        for_each_neighbor(pattern, order[k], place, [&](std::int32_t i) {
            while (i != -1 && i < k) {
                const std::int32_t next = root[i];
                root[i] = k;
                if (next == -1) {
                    parent[i] = k;
                }
                i = next;
            }
        });
    }
    return parent;
}

/// The entries of each column of L, for an order in which the tree is postordered. A column has one entry for itself and
/// one for each row of whose subtree it is a leaf, less those that two children share.
std::vector<index_t> counts_of(const symmetric_pattern& pattern, std::span<const std::int32_t> unknown,
                               std::span<const std::int32_t> place, std::span<const std::int32_t> parent)
{
    const auto n = static_cast<std::int32_t>(unknown.size());
    std::vector<std::int32_t> first(unknown.size(), -1);  // descendant of each column
    std::vector<std::int32_t> last_first(unknown.size(), -1), last_leaf(unknown.size(), -1), ancestor(unknown.size());
    std::vector<index_t> count(unknown.size(), 0);
    for (std::int32_t j = 0; j < n; ++j) {
        count[j] = first[j] == -1 ? 1 : 0;
        for (std::int32_t i = j; i != -1 && first[i] == -1; i = parent[i]) {
            first[i] = j;
        }
    }
    std::iota(ancestor.begin(), ancestor.end(), 0);
    for (std::int32_t j = 0; j < n; ++j) {
        io::ask_for_stop_at(j);
        if (parent[j] != -1) {
            --count[parent[j]];
        }
        for_each_neighbor(pattern, unknown[j], place, [&](std::int32_t i) {
            if (i <= j || first[j] <= last_first[i]) {
                return;  // j is no leaf of the subtree of row i
            }
            last_first[i] = first[j];
            ++count[j];
            const std::int32_t before = last_leaf[i];
            last_leaf[i] = j;
            if (before == -1) {
                return;
            }
            std::int32_t common = before;
            while (common != ancestor[common]) {
                common = ancestor[common];
            }
            for (std::int32_t s = before; s != common;) {
                const std::int32_t next = ancestor[s];
                ancestor[s] = common;
                s = next;
            }
            --count[common];
        });
        if (parent[j] != -1) {
            ancestor[j] = parent[j];
        }
    }
    for (std::int32_t j = 0; j < n; ++j) {
        if (parent[j] != -1) {
            count[parent[j]] += count[j];
        }
    }
    return count;
}

}  // namespace

std::vector<std::int32_t> postorder(std::span<const std::int32_t> parent)
{
    const auto n = static_cast<std::int32_t>(parent.size());
    std::vector<std::int32_t> child(parent.size(), -1), sibling(parent.size(), -1), result;
    for (std::int32_t i = n - 1; i >= 0; --i) {
        if (parent[i] != -1) {
            sibling[i] = child[parent[i]];
            child[parent[i]] = i;
        }
    }
    result.reserve(parent.size());
    for (std::int32_t root = 0; root < n; ++root) {
        if (parent[root] != -1) {
            continue;
        }
        for (std::int32_t i = root; i != -1;) {
            while (child[i] != -1) {  // down to a leaf; a child is taken off on the way
                const std::int32_t next = child[i];
                child[i] = sibling[next];
                i = next;
            }
            result.push_back(i);
            i = parent[i];
        }
    }
    return result;
}

elimination eliminate(const symmetric_pattern& pattern, std::span<const std::int32_t> order)
{
    const std::vector<std::int32_t> before = tree_of(pattern, order, inverse_of(order));
    const std::vector<std::int32_t> post = postorder(before);
    const std::vector<std::int32_t> place_in_post = inverse_of(post);
    elimination result;
    result.unknown.resize(order.size());
    result.parent.resize(order.size());
    for (std::size_t k = 0; k < order.size(); ++k) {
        const std::int32_t old = post[k];
        result.unknown[k] = order[static_cast<std::size_t>(old)];
        result.parent[k] = before[old] == -1 ? -1 : place_in_post[before[old]];
    }
    result.count = counts_of(pattern, result.unknown, inverse_of(result.unknown), result.parent);
    return result;
}

}  // namespace residua
