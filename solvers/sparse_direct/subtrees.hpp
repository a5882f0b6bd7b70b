#pragma once

#include <vector>

#include <residua/solvers/sparse_direct/assembly_tree.hpp>

namespace residua {

/// The fronts first, ..., last - 1 of a tree: a front and all that is below it.
struct subtree {
    index_t first = 0, last = 0;
    double multiply_adds = 0.0;
};

/// Disjoint subtrees for so many threads to take one after the other, the largest first: none has more than a small share
/// of all work. What is above them is left. Empty for one thread.
std::vector<subtree> find_subtrees(const assembly_tree& tree, int threads);

}  // namespace residua
