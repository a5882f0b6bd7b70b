#include <residua/solvers/sparse_direct/dissection.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <residua/io/interruption.hpp>
#include <residua/solvers/sparse_direct/assembly_tree.hpp>

namespace residua {
namespace {

constexpr int dissected_levels = 3;
constexpr std::size_t least_dissected = 1000;

using unknowns = std::vector<std::int32_t>;

/// A graph that is cut, and where each of its unknowns has gone.
class dissected_graph {
public:
    explicit dissected_graph(const symmetric_pattern& pattern)
        : pattern_(pattern), place_(static_cast<std::size_t>(pattern.n), -1), seen_(place_.size(), -1)
    {}

    /// The parts of a set of unknowns that are connected by unknowns of the set, but for small ones.
    std::vector<unknowns> connected_parts(const unknowns& of)
    {
        enter(of);
        std::vector<unknowns> parts;
        for (const std::int32_t start : of) {
            io::ask_for_stop_at(start);
            if (place_[start] < 0) {
                continue;
            }
            unknowns part{start};
            place_[start] = -1;
            for (std::size_t k = 0; k < part.size(); ++k) {
                for_each_neighbor(part[k], [&](std::int32_t j) {
                    if (place_[j] >= 0) {
                        place_[j] = -1;
                        part.push_back(j);
                    }
                });
            }
            if (part.size() >= least_dissected) {
                parts.push_back(std::move(part));
            }
        }
        return parts;
    }

    /// Cuts a part by a separator: returns the multiply-adds of its front, and what is left on both sides.
    std::pair<double, std::vector<unknowns>> cut(const unknowns& part)
    {
        enter(part);
        ++stamp_;
        double outside = 0.0;
        symmetric_pattern inside{.n = static_cast<index_t>(part.size()), .begin = {0}, .neighbor = {}};
        for (const std::int32_t i : part) {
            io::ask_for_stop_at(i);
            for_each_neighbor(i, [&](std::int32_t j) {
                if (place_[j] >= 0) {
                    inside.neighbor.push_back(place_[j]);
                } else if (std::exchange(seen_[j], stamp_) != stamp_) {
                    outside += 1.0;
                }
            });
            inside.begin.push_back(static_cast<index_t>(inside.neighbor.size()));
        }
        const std::vector<std::int32_t> side = find_separator(inside);
        std::vector<unknowns> sides(2);
        double pivots = 0.0;
        for (std::size_t k = 0; k < part.size(); ++k) {
            place_[part[k]] = -1;
            if (side[k] == in_separator) {
                pivots += 1.0;
            } else {
                sides[static_cast<std::size_t>(side[k])].push_back(part[k]);
            }
        }
        return {multiply_adds_of_front(pivots, pivots + outside), std::move(sides)};
    }

private:
    /// Numbers the unknowns of a set by their places in it.
    void enter(const unknowns& set)
    {
        for (std::size_t k = 0; k < set.size(); ++k) {
            place_[set[k]] = static_cast<std::int32_t>(k);
        }
    }

    template <class F>
    void for_each_neighbor(std::int32_t of, const F& f) const
    {
        for (index_t p = pattern_.begin[of]; p < pattern_.begin[of + 1]; ++p) {
            f(pattern_.neighbor[p]);
        }
    }

    const symmetric_pattern& pattern_;
    std::vector<std::int32_t> place_;  // in the set at work; -1: elsewhere
    std::vector<std::int32_t> seen_;   // the last cut that has counted an unknown as outside
    std::int32_t stamp_ = 0;
};

}  // namespace

double count_top_of_dissection(const symmetric_pattern& pattern, double enough)
{
    dissected_graph graph(pattern);
    unknowns all(static_cast<std::size_t>(pattern.n));
    for (std::size_t k = 0; k < all.size(); ++k) {
        all[k] = static_cast<std::int32_t>(k);
    }
    std::vector<unknowns> sets;
    sets.push_back(std::move(all));
    double count = 0.0;
    for (int level = 0; level < dissected_levels; ++level) {
        std::vector<unknowns> left;
        for (const unknowns& set : sets) {
            for (const unknowns& part : graph.connected_parts(set)) {
                auto [of_front, sides] = graph.cut(part);
                count += of_front;
                if (count > enough) {
                    return count;
                }
                left.insert(left.end(), std::make_move_iterator(sides.begin()), std::make_move_iterator(sides.end()));
            }
        }
        sets = std::move(left);
    }
    return count;
}

}  // namespace residua
