#include <residua/solvers/sparse_direct/subtrees.hpp>

#include <algorithm>

namespace residua {

std::vector<subtree> find_subtrees(const assembly_tree& tree, int threads)
{
    std::vector<subtree> chosen;
    if (threads < 2 || tree.fronts() == 0) {
        return chosen;
    }
    std::vector<subtree> of(tree.parent.size());
    std::vector<std::vector<std::int32_t>> children(tree.parent.size());
    std::vector<std::int32_t> open;
    double all = 0.0;
    for (index_t f = 0; f < tree.fronts(); ++f) {
        const auto m = static_cast<double>(tree.order(f)), k = static_cast<double>(tree.pivots(f));
        subtree& at = of[static_cast<std::size_t>(f)];
        at.multiply_adds += k * m * m;
        all += k * m * m;
        at.first =
            children[static_cast<std::size_t>(f)].empty() ? f : of[children[static_cast<std::size_t>(f)].front()].first;
        at.last = f + 1;
        if (const std::int32_t p = tree.parent[f]; p != -1) {
            of[p].multiply_adds += at.multiply_adds;
            children[p].push_back(static_cast<std::int32_t>(f));
        } else {
            open.push_back(static_cast<std::int32_t>(f));
        }
    }
    const double most = all / (8.0 * threads);
    while (!open.empty()) {
        const std::int32_t f = open.back();
        open.pop_back();
        if (of[f].multiply_adds <= most) {
            chosen.push_back(of[f]);
        } else {
            open.insert(open.end(), children[f].begin(), children[f].end());
        }
    }
    std::stable_sort(chosen.begin(), chosen.end(),
                     [](const subtree& x, const subtree& y) { return x.multiply_adds > y.multiply_adds; });
    return chosen;
}

}  // namespace residua
