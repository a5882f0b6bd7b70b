#include <residua/solvers/sparse_direct/subtrees.hpp>

#include <algorithm>
#include <numeric>

namespace residua {

subtrees::subtrees(const std::vector<std::int32_t>& parent, const std::vector<double>& cost) : of_(parent.size())
{
    for (std::size_t f = 0; f < parent.size(); ++f) {
        of_[f].first = static_cast<index_t>(f);
    }
    for (std::size_t f = 0; f < parent.size(); ++f) {
        of_[f].last = static_cast<index_t>(f) + 1;
        of_[f].cost += cost[f];
        cost_ += cost[f];
        if (parent[f] != -1) {
            subtree& above = of_[static_cast<std::size_t>(parent[f])];
            above.first = std::min(above.first, of_[f].first);
            above.cost += of_[f].cost;
        }
    }
}

std::vector<subtree> subtrees::choose(double share) const
{
    std::vector<subtree> chosen;
    std::vector<index_t> open;
    const auto add = [&](index_t f) { open.push_back(f); };
    for_each_child(0, static_cast<index_t>(of_.size()), add);
    while (!open.empty()) {
        const subtree& at = of_[static_cast<std::size_t>(open.back())];
        open.pop_back();
        if (at.cost <= share * cost_) {
            chosen.push_back(at);
        } else {
            for_each_child(at.first, at.last - 1, add);
        }
    }
    std::stable_sort(chosen.begin(), chosen.end(), [](const subtree& x, const subtree& y) { return x.cost > y.cost; });
    return chosen;
}

namespace {

std::vector<double> multiply_adds_of_fronts(const assembly_tree& tree)
{
    std::vector<double> result;
    for (index_t f = 0; f < tree.fronts(); ++f) {
        const auto m = static_cast<double>(tree.order(f)), k = static_cast<double>(tree.pivots(f));
        result.push_back(k * m * m);
    }
    return result;
}

}  // namespace

double multiply_adds(const assembly_tree& tree)
{
    const std::vector<double> each = multiply_adds_of_fronts(tree);
    return std::accumulate(each.begin(), each.end(), 0.0);
}

std::vector<subtree> find_subtrees(const assembly_tree& tree, int threads)
{
    if (threads < 2) {
        return {};
    }
    return subtrees(tree.parent, multiply_adds_of_fronts(tree)).choose(1.0 / (8.0 * threads));
}

}  // namespace residua
