#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <residua/solvers/sparse_direct/ordering.hpp>

namespace residua {

/// What elimination in a given order does to a symmetric pattern, column by column, and the order itself: postordered, so
/// that the pivots of every subtree are neighbours.
struct elimination {
    std::vector<std::int32_t> unknown;  ///< the unknown of each pivot
    std::vector<std::int32_t> parent;   ///< for each pivot the next one that its column changes; -1: none
    std::vector<index_t> count;         ///< the entries in each column of L, with the diagonal
};

/// shapes   order (n): a permutation
/// cost     about the entries of the pattern
/// from     [Liu90], [GNP94]
elimination eliminate(const symmetric_pattern& pattern, std::span<const std::int32_t> order);

/// Nodes of a forest in an order in which children come before their parents, and the nodes of a subtree one after the
/// other. Children keep their order.
///
/// parent   the parent of each node; -1: none
std::vector<std::int32_t> postorder(std::span<const std::int32_t> parent);

}  // namespace residua
