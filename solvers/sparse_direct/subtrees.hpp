#pragma once

#include <cstdint>
#include <vector>

#include <residua/solvers/sparse_direct/assembly_tree.hpp>

namespace residua {

/// The fronts first, ..., last - 1 of a tree: a front and all that is below it.
struct subtree {
    index_t first = 0, last = 0;
    double cost = 0.0;
};

/// The subtree of every front, to choose from.
class subtrees {
public:
    subtrees() = default;

    /// cost   the cost of each front, in any unit
    subtrees(const std::vector<std::int32_t>& parent, const std::vector<double>& cost);

    /// Disjoint subtrees for several threads to take one after the other, the largest first: none has more than this share
    /// of the whole cost. What is above them is left.
    std::vector<subtree> choose(double share) const;

    double cost() const { return cost_; }

private:
    /// f(front) for the children of a front, or with `end` the number of fronts for the roots.
    template <class F>
    void for_each_child(index_t begin, index_t end, const F& f) const
    {
        for (index_t child = end - 1; child >= begin; child = of_[static_cast<std::size_t>(child)].first - 1) {
            f(child);
        }
    }

    std::vector<subtree> of_;
    double cost_ = 0.0;
};

/// The multiply-adds of factors of a matrix with this tree, roughly.
double multiply_adds(const assembly_tree& tree);

/// The subtrees for `threads` threads to factorise. Empty for one thread.
std::vector<subtree> find_subtrees(const assembly_tree& tree, int threads);

}  // namespace residua
