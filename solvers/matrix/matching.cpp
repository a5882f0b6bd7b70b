#include <residua/io/interruption.hpp>
#include <residua/solvers/matrix/matching.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <limits>
#include <queue>
#include <string>
#include <utility>

namespace residua {
namespace {

constexpr std::int32_t none = -1;
constexpr index_t unreached = std::numeric_limits<index_t>::max();
constexpr index_t exponent_limit = index_t{1} << 30;

/// How many bits after the point logarithms have. All numbers of the algorithm are sums of logarithms along a path of
/// at most n rows. The logarithms of two entries differ by 2098 at most, so potentials are no larger than
/// 2098 (2 n + 3), and distances no larger than 2098 (7 n + 12) < 2^(15 + b), where n has b bits. So they stay below
/// 2^62 units.
int bits_after_point(index_t n)
{
    return std::min(40, 47 - static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n))));
}

/// log2 |x| in units of 2^-bits; exact for a power of two, otherwise off by little more than half a unit.
index_t log2_in_units(double x, int bits)
{
    int exponent = 0;
    const double fraction = std::frexp(std::abs(x), &exponent);
    return exponent * (index_t{1} << bits) + std::llround(std::ldexp(std::log2(fraction), bits));
}

/// The entries that are not zero by columns, as logarithms.
struct logarithms_by_columns {
    std::vector<index_t> begin;
    std::vector<std::int32_t> row;
    std::vector<index_t> logarithm;

    /// is_zero(p) and log(p) are called for entry p in the order of rows.
    template <class IsZero, class Log>
    logarithms_by_columns(std::span<const index_t> row_begin, std::span<const std::int32_t> column,
                          const IsZero& is_zero, const Log& log)
        : begin(std::max<std::size_t>(row_begin.size(), 1), 0)
    {
        const auto n = static_cast<index_t>(begin.size()) - 1;
        const index_t stored = n > 0 ? row_begin[n] : 0;
        for (index_t p = 0; p < stored; ++p) {
            begin[column[p] + 1] += is_zero(p) ? 0 : 1;
        }
        for (index_t j = 0; j < n; ++j) {
            begin[j + 1] += begin[j];
        }
        row.resize(static_cast<std::size_t>(begin[n]));
        logarithm.resize(row.size());
        std::vector<index_t> next(begin.begin(), begin.end() - 1);
        for (std::int32_t i = 0; i < n; ++i) {
            io::ask_for_stop_at(i);
            for (index_t p = row_begin[i]; p < row_begin[i + 1]; ++p) {
                if (!is_zero(p)) {
                    const index_t q = next[column[p]]++;
                    row[q] = i;
                    logarithm[q] = log(p);
                }
            }
        }
    }
};

/// A matching that grows, and the potentials that prove its product to be the largest: the slack of an entry, which is
/// -(log2 |a_ij| + potential of row i + potential of column j), is never negative, and zero for matched entries.
struct growing_matching {
    index_t n;
    const logarithms_by_columns& a;
    std::vector<std::int32_t> row_of_column, column_of_row;
    std::vector<index_t> row_potential, column_potential;

    /// What a search knows about rows. Between two searches no row is reached, and none is in the tree.
    std::vector<index_t> distance;
    std::vector<std::int32_t> column_before;
    std::vector<char> in_tree;

    growing_matching(index_t order, const logarithms_by_columns& entries)
        : n(order),
          a(entries),
          row_of_column(static_cast<std::size_t>(n), none),
          column_of_row(static_cast<std::size_t>(n), none),
          row_potential(static_cast<std::size_t>(n), unreached),
          column_potential(static_cast<std::size_t>(n), 0),
          distance(static_cast<std::size_t>(n), unreached),
          column_before(static_cast<std::size_t>(n), none),
          in_tree(static_cast<std::size_t>(n), 0)
    {
        scale_largest_to_one();
        match_without_search();
    }

    /// Matches as many columns as can be.
    void complete()
    {
        std::int32_t j = 0;
        while (j < n && (row_of_column[j] != none || match_by_search(j))) {
            ++j;
        }
        if (j == n) {
            return;
        }
        // Column j and all matched ones cannot be matched together. Each such search may visit all entries in vain. So
        // most columns that can be matched together are chosen now, without logarithms. No search from them fails.
        const std::vector<char> chosen = choose_columns();
        for (; j < n; ++j) {
            if (row_of_column[j] == none && chosen[j]) {
                match_by_search(j);
            }
        }
        scale_unmatched();
    }

    index_t slack(index_t p, std::int32_t j) const
    {
        return -(a.logarithm[p] + row_potential[a.row[p]] + column_potential[j]);
    }

    void match(std::int32_t i, std::int32_t j)
    {
        row_of_column[j] = i;
        column_of_row[i] = j;
    }

    /// Potentials that make the largest entry of each column 1, and then the largest of each row.
    void scale_largest_to_one()
    {
        for (std::int32_t j = 0; j < n; ++j) {
            io::ask_for_stop_at(j);
            const auto first = a.logarithm.begin() + a.begin[j];
            const auto last = a.logarithm.begin() + a.begin[j + 1];
            column_potential[j] = first != last ? -*std::max_element(first, last) : 0;
            for (index_t p = a.begin[j]; p < a.begin[j + 1]; ++p) {
                index_t& potential = row_potential[a.row[p]];
                potential = std::min(potential, -(a.logarithm[p] + column_potential[j]));
            }
        }
        std::replace(row_potential.begin(), row_potential.end(), unreached, index_t{0});  // rows of zeros
    }

    /// Matches columns by entries without slack: with a row that is free, or with one whose column can move to a row
    /// that is free. A row is never free again, so every column is looked through once for free rows.
    void match_without_search()
    {
        std::vector<index_t> next(a.begin.begin(), a.begin.end() - 1);
        const auto match_free_row = [&](std::int32_t j) {
            for (index_t& p = next[j]; p < a.begin[j + 1]; ++p) {
                if (column_of_row[a.row[p]] == none && slack(p, j) == 0) {
                    match(a.row[p], j);
                    return true;
                }
            }
            return false;
        };
        for (std::int32_t j = 0; j < n; ++j) {
            match_free_row(j);
        }
        for (std::int32_t j = 0; j < n; ++j) {
            io::ask_for_stop_at(j);
            for (index_t p = a.begin[j]; row_of_column[j] == none && p < a.begin[j + 1]; ++p) {
                if (slack(p, j) == 0 && match_free_row(column_of_row[a.row[p]])) {
                    match(a.row[p], j);
                }
            }
        }
    }

    /// Matches column `root`, and moves matched columns to other rows for it, along the path of least slack from the
    /// root to a free row. false: there is no path.
    bool match_by_search(std::int32_t root)
    {
        using reached_row = std::pair<index_t, std::int32_t>;  // its distance from the root, and itself
        std::priority_queue<reached_row, std::vector<reached_row>, std::greater<>> farther;
        std::vector<std::int32_t> as_near, tree, reached;
        index_t shortest = unreached;  // length of the shortest path to a free row so far
        std::int32_t end = none;
        index_t here = 0;
        for (std::int32_t j = root; j != none;) {
            for (index_t p = a.begin[j]; p < a.begin[j + 1]; ++p) {
                const std::int32_t i = a.row[p];
                const index_t there = here + slack(p, j);
                if (there >= std::min(shortest, distance[i])) {
                    continue;  // rows of the tree too: none is farther than `here`
                }
                if (column_of_row[i] == none) {
                    shortest = there;
                    end = i;
                    column_before[i] = j;
                    continue;
                }
                if (distance[i] == unreached) {
                    reached.push_back(i);
                }
                distance[i] = there;
                column_before[i] = j;
                if (there == here) {
                    as_near.push_back(i);
                } else {
                    farther.emplace(there, i);
                }
            }
            const std::int32_t i = take_nearest(as_near, farther);
            if (i == none || distance[i] >= shortest) {
                break;
            }
            in_tree[i] = 1;
            tree.push_back(i);
            here = distance[i];
            j = column_of_row[i];
        }
        if (end != none) {
            // entries along the paths of the tree lose their slack; no slack becomes negative
            column_potential[root] += shortest;
            for (const std::int32_t i : tree) {
                row_potential[i] -= shortest - distance[i];
                column_potential[column_of_row[i]] += shortest - distance[i];
            }
            match_along_path(end);
        }
        for (const std::int32_t i : reached) {
            distance[i] = unreached;
            in_tree[i] = 0;
        }
        return end != none;
    }

    /// The nearest row that is not in the tree; none if there is none.
    template <class Queue>
    std::int32_t take_nearest(std::vector<std::int32_t>& as_near, Queue& farther) const
    {
        if (!as_near.empty()) {
            const std::int32_t i = as_near.back();
            as_near.pop_back();
            return i;
        }
        while (!farther.empty()) {
            const std::int32_t i = farther.top().second;
            farther.pop();
            if (!in_tree[i]) {
                return i;
            }
        }
        return none;
    }

    /// Each row from `end` back to the root is matched with the column before it.
    void match_along_path(std::int32_t end)
    {
        for (std::int32_t i = end; i != none;) {
            const std::int32_t j = column_before[i];
            const std::int32_t before = row_of_column[j];
            match(i, j);
            i = before;
        }
    }

    /// Completes a copy of the matching by any paths, so that it has most columns, and marks them by 1. All that are
    /// matched now are among them.
    std::vector<char> choose_columns() const
    {
        growing_matching most(*this);
        std::vector<char> chosen(static_cast<std::size_t>(n), 1);
        // rows that a search in vain has visited lead to no free row in later ones either
        std::vector<char> visited(static_cast<std::size_t>(n), 0);
        for (std::int32_t root = 0; root < n; ++root) {
            io::ask_for_stop_at(root);
            if (most.row_of_column[root] == none) {
                chosen[root] = most.match_by_any_path(root, visited) ? 1 : 0;
            }
        }
        return chosen;
    }

    /// As match_by_search(), without regard to slack. Rows that were visited before are left out.
    bool match_by_any_path(std::int32_t root, std::vector<char>& visited)
    {
        std::vector<std::int32_t> columns{root}, rows;
        for (std::size_t k = 0; k < columns.size(); ++k) {
            const std::int32_t j = columns[k];
            for (index_t p = a.begin[j]; p < a.begin[j + 1]; ++p) {
                const std::int32_t i = a.row[p];
                if (visited[i]) {
                    continue;
                }
                column_before[i] = j;
                if (column_of_row[i] == none) {
                    match_along_path(i);
                    std::for_each(rows.begin(), rows.end(), [&](std::int32_t r) { visited[r] = 0; });
                    return true;
                }
                visited[i] = 1;
                rows.push_back(i);
                columns.push_back(column_of_row[i]);
            }
        }
        return false;
    }

    /// Potentials of unmatched rows, and then of unmatched columns, that leave no slack at their largest entry. An
    /// unmatched row and an unmatched column have no entry in common.
    void scale_unmatched()
    {
        for (index_t i = 0; i < n; ++i) {
            row_potential[i] = column_of_row[i] == none ? unreached : row_potential[i];
        }
        for (std::int32_t j = 0; j < n; ++j) {
            io::ask_for_stop_at(j);
            for (index_t p = a.begin[j]; row_of_column[j] != none && p < a.begin[j + 1]; ++p) {
                const std::int32_t i = a.row[p];
                if (column_of_row[i] == none) {
                    row_potential[i] = std::min(row_potential[i], -(a.logarithm[p] + column_potential[j]));
                }
            }
        }
        std::replace(row_potential.begin(), row_potential.end(), unreached, index_t{0});  // rows of zeros
        for (std::int32_t j = 0; j < n; ++j) {
            if (row_of_column[j] == none && a.begin[j] < a.begin[j + 1]) {
                column_potential[j] = unreached;
                for (index_t p = a.begin[j]; p < a.begin[j + 1]; ++p) {
                    column_potential[j] = std::min(column_potential[j], -(a.logarithm[p] + row_potential[a.row[p]]));
                }
            }
        }
    }
};

int checked_exponent(index_t exponent)
{
    if (std::abs(exponent) >= exponent_limit) {
        throw unsupported_error("a matching that needs a scaling by 2^" + std::to_string(exponent) +
                                " is not supported");
    }
    return static_cast<int>(exponent);
}

/// bits   how many bits the logarithms have after the point
row_matching match(index_t n, const logarithms_by_columns& entries, int bits)
{
    growing_matching matching(n, entries);
    matching.complete();

    row_matching result;
    // Rounded down in rows and up in columns, the sum of two potentials is off by at most 1 less a unit, and logarithms
    // are off by less than a unit.
    for (const index_t potential : matching.row_potential) {
        result.row_exponent.push_back(checked_exponent(potential >> bits));
    }
    for (const index_t potential : matching.column_potential) {
        result.column_exponent.push_back(checked_exponent(-(-potential >> bits)));
    }
    result.size = n - std::count(matching.row_of_column.begin(), matching.row_of_column.end(), none);
    result.row_of_column = std::move(matching.row_of_column);
    return result;
}

}  // namespace

row_matching match_rows(const sparse_matrix& a)
{
    const int bits = bits_after_point(a.rows);
    const logarithms_by_columns entries(
        a.row_begin, a.column, [&](index_t p) { return a.values[p] == 0.0; },
        [&](index_t p) { return log2_in_units(a.values[p], bits); });
    return match(a.rows, entries, bits);
}

row_matching match_rows(std::span<const index_t> row_begin, std::span<const std::int32_t> column,
                        std::span<const index_t> exponent)
{
    const logarithms_by_columns entries(
        row_begin, column, [&](index_t p) { return exponent[p] == no_entry; }, [&](index_t p) { return exponent[p]; });
    return match(static_cast<index_t>(row_begin.size()) - 1, entries, 0);
}

index_t structural_rank(const sparse_matrix& a)
{
    sparse_matrix places = a;
    std::vector<double>& values = places.values.own();
    for (std::size_t k = 0; k < values.size(); ++k) {
        values[k] = is_zero_entry(a, static_cast<index_t>(k)) ? 0.0 : 1.0;
    }
    return match_rows(places).size;
}

}  // namespace residua
