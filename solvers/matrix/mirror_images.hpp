#pragma once

#include <vector>

#include <residua/io/interruption.hpp>
#include <residua/solvers/matrix/sparse_matrix.hpp>

namespace residua {

/// Whether entry p is entry q, or -q; exact.
inline bool equal_entries(const sparse_matrix& a, index_t p, index_t q)
{
    return a.exact.empty() ? a.values[p] == a.values[q] : a.exact.equal(p, q);
}
inline bool opposite_entries(const sparse_matrix& a, index_t p, index_t q)
{
    return a.exact.empty() ? a.values[p] == -a.values[q] : a.exact.opposite(p, q);
}

/// Whether each entry (i, j) of a matrix has a mirror image (j, i), and fits(p, q, i, j) holds for each entry p and its image
/// q. The first for which it does not is the last that is looked at.
///
/// shapes    A (n x n)
/// is_entry  says of a place in the arrays whether what is stored there counts
/// cost      one pass over the entries
/// stops     by io::ask_for_stop()
template <class IsEntry, class Fits>
bool has_mirror_images(const sparse_matrix& a, const IsEntry& is_entry, const Fits& fits)
{
    std::vector<index_t> next(a.row_begin.begin(), a.row_begin.end() - 1);
    for (index_t i = 0; i < a.rows; ++i) {  // rows in ascending order meet the entries of each column in that order
        io::ask_for_stop_at(i);
        for (index_t p = a.row_begin[i]; p < a.row_begin[i + 1]; ++p) {
            if (!is_entry(p)) {
                continue;
            }
            const index_t j = a.column[p];
            while (next[j] < a.row_begin[j + 1] && !is_entry(next[j])) {
                ++next[j];
            }
            const index_t q = next[j];  // the next entry of row j must be (j, i)
            if (q == a.row_begin[j + 1] || a.column[q] != i || !fits(p, q, i, j)) {
                return false;
            }
            ++next[j];
        }
    }
    return true;
}

}  // namespace residua
