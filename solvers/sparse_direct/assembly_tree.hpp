#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <residua/solvers/sparse_direct/ordering.hpp>

namespace residua {

/// How the pivots of a sparse factorisation are grouped into dense fronts, and what it will take, known before any
/// number is computed. Pivots have the numbers 0, ..., n - 1 in the order of elimination.
///
/// Front f eliminates the pivots first_pivot[f], ..., first_pivot[f + 1] - 1 and touches the unknowns `below(f)` besides,
/// which are pivots of its ancestors. Children come before their parents.
struct assembly_tree {
    index_t n = 0;
    std::vector<std::int32_t> unknown;     ///< the unknown of each pivot
    std::vector<index_t> first_pivot;      ///< the first pivot of each front, and n
    std::vector<std::int32_t> parent;      ///< the parent of each front; -1: none
    std::vector<index_t> below_begin;      ///< where each front begins in below_rows, and their number
    std::vector<std::int32_t> below_rows;  ///< pivots, ascending for each front

    index_t fronts() const { return static_cast<index_t>(parent.size()); }
    index_t pivots(index_t f) const { return first_pivot[f + 1] - first_pivot[f]; }
    std::span<const std::int32_t> below(index_t f) const
    {
        return {below_rows.data() + below_begin[f], below_rows.data() + below_begin[f + 1]};
    }
    /// The order of the front's matrix.
    index_t order(index_t f) const { return pivots(f) + below_begin[f + 1] - below_begin[f]; }
};

/// What a factorisation by a tree takes if no pivot is delayed.
struct factor_cost {
    double multiply_adds = 0.0;
    double entries = 0.0;       ///< stored entries of the factors
    double most_entries = 0.0;  ///< the most in factors and fronts at any time, if one thread goes through the tree
};

/// The tree for an order of elimination, which it keeps up to a reordering that does not change the fill. Supernodes join
/// their parents where that stores few zeros.
///
/// shapes   order (n): a permutation
/// cost     the entries of the pattern and of below_rows
/// from     [Liu90] elimination trees, [GNP94] counts, [AG89] joining supernodes, [Liu86] the order of children
assembly_tree make_assembly_tree(const symmetric_pattern& pattern, std::span<const std::int32_t> order);

/// A tree, or why the search for one ended.
struct found_tree {
    assembly_tree tree;
    double least_multiply_adds = 0.0;  ///< that L L' takes, where these are more than were allowed; 0: there is a tree
};

/// The tree of the order that needs fewer multiply-adds: by minimum degree or, where that may be better, by nested
/// dissection. Where minimum degree needs more than are allowed, and the first separators of a dissection alone need
/// sure_of_too_many times as many, there is no dissection and no tree: so a tree that is found does not depend on the
/// limit.
///
/// most_multiply_adds  of L L', that a caller would take a tree for
found_tree find_assembly_tree(const symmetric_pattern& pattern,
                              double most_multiply_adds = std::numeric_limits<double>::infinity());

/// How many times the allowed multiply-adds the first separators of a dissection have to need, so that there is no
/// other.
inline constexpr double sure_of_too_many = 1.5;

/// Multiply-adds of L L' for one front, of `order` rows of which the first `pivots` are eliminated.
double multiply_adds_of_front(double pivots, double order);

/// symmetric   for L L' or L D L', and not for L U
factor_cost cost_of(const assembly_tree& tree, bool symmetric);

}  // namespace residua
