#include <algorithm>

#include <residua/io/interruption.hpp>
#include <residua/solvers/base/memory.hpp>
#include <residua/solvers/precond/factors.hpp>

namespace residua {
namespace {

/// The memory of an entry here, in the factors, and where they are applied.
constexpr double bytes_of_entry = 64.0;

/// A with zeros stored for all fill of levels up to `most`.
sparse_matrix with_fill(const sparse_matrix& a, index_t most)
{
    constexpr index_t none = -1;
    const index_t end = a.rows;  // also the head of the list below
    sparse_matrix filled;
    filled.rows = filled.cols = a.rows;
    filled.row_begin.push_back(0);
    std::vector<std::int32_t>& column = filled.column.own();
    std::vector<double>& values = filled.values.own();
    std::vector<index_t> level;                                             // the level of each entry of `filled`
    std::vector<index_t> next(static_cast<std::size_t>(a.rows) + 1, end);   // the columns of a row, ascending
    std::vector<index_t> at(static_cast<std::size_t>(a.rows), none);        // their levels
    std::vector<double> value(static_cast<std::size_t>(a.rows), 0.0);       // the entries of A in these columns
    std::vector<index_t> first_upper(static_cast<std::size_t>(a.rows), 0);  // the first entry right of the diagonal

    index_t steps = 0;
    for (index_t i = 0; i < a.rows; ++i) {
        io::ask_for_stop_at(++steps);
        index_t last = end;
        std::size_t entries = 0;
        for (index_t p = a.row_begin[i]; p < a.row_begin[i + 1]; ++p, ++entries) {
            const index_t j = a.column[p];
            next[last] = j;
            last = j;
            at[j] = 0;
            value[j] = a.values[p];
        }
        next[last] = end;

        for (index_t k = next[end]; k < i; k = next[k]) {
            io::ask_for_stop_at(++steps);
            index_t before = k;
            for (index_t q = first_upper[k]; at[k] < most && q < filled.row_begin[k + 1]; ++q) {
                const index_t j = filled.column[q];
                const index_t fill = at[k] + level[q] + 1;
                if (fill > most) {
                    continue;
                }
                if (at[j] != none) {
                    at[j] = std::min(at[j], fill);
                    continue;
                }
                while (next[before] < j) {
                    before = next[before];
                }
                next[j] = next[before];
                next[before] = j;
                at[j] = fill;
                ++entries;
            }
        }

        if (const std::size_t needed = column.size() + entries; needed > column.capacity()) {
            const std::size_t room = std::max(needed, 2 * column.capacity());
            require_memory("the ILU(k) factorisation", bytes_of_entry * static_cast<double>(room));
            column.reserve(room);
            values.reserve(room);
            level.reserve(room);
        }
        for (index_t j = next[end]; j != end; j = next[j]) {
            column.push_back(static_cast<std::int32_t>(j));
            values.push_back(value[j]);
            level.push_back(at[j]);
            first_upper[i] += j <= i ? 1 : 0;
            at[j] = none;
            value[j] = 0.0;
        }
        first_upper[i] += filled.row_begin[i];
        filled.row_begin.push_back(static_cast<index_t>(column.size()));
    }
    return filled;
}

}  // namespace

triangular_factors factorize_iluk(const sparse_matrix& a, index_t level) { return factorize_ilu0(with_fill(a, level)); }

}  // namespace residua
