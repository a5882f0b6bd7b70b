#include <algorithm>

#include <residua/io/interruption.hpp>
#include <residua/solvers/base/memory.hpp>
#include <residua/solvers/precond/factors.hpp>

namespace residua {
namespace {

/// The memory of an entry here, in the factors, and where they are applied.
constexpr double bytes_of_entry = 64.0;

/// A with zeros stored for all fill of levels up to `most`.
sparse_rows with_fill(const sparse_rows& a, index_t most)
{
    constexpr index_t none = -1;
    const index_t end = a.n;  // also the head of the list below
    sparse_rows filled;
    filled.n = a.n;
    filled.row_begin.push_back(0);
    std::vector<index_t> level;                                          // the level of each entry of `filled`
    std::vector<index_t> next(static_cast<std::size_t>(a.n) + 1, end);   // the columns of a row, ascending
    std::vector<index_t> at(static_cast<std::size_t>(a.n), none);        // their levels
    std::vector<double> value(static_cast<std::size_t>(a.n), 0.0);       // the entries of A in these columns
    std::vector<index_t> first_upper(static_cast<std::size_t>(a.n), 0);  // the first entry right of the diagonal

    index_t steps = 0;
    for (index_t i = 0; i < a.n; ++i) {
        io::ask_for_stop_at(++steps);
        index_t last = end;
        std::size_t entries = 0;
        for (index_t p = a.row_begin[i]; p < a.row_begin[i + 1]; ++p, ++entries) {
            const index_t j = a.column[p];
            next[last] = j;
            last = j;
            at[j] = 0;
            value[j] = a.value[p];
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

        if (const std::size_t needed = filled.column.size() + entries; needed > filled.column.capacity()) {
            const std::size_t room = std::max(needed, 2 * filled.column.capacity());
            require_memory("the ILU(k) factorisation", bytes_of_entry * static_cast<double>(room));
            filled.column.reserve(room);
            filled.value.reserve(room);
            level.reserve(room);
        }
        for (index_t j = next[end]; j != end; j = next[j]) {
            filled.column.push_back(static_cast<std::int32_t>(j));
            filled.value.push_back(value[j]);
            level.push_back(at[j]);
            first_upper[i] += j <= i ? 1 : 0;
            at[j] = none;
            value[j] = 0.0;
        }
        first_upper[i] += filled.row_begin[i];
        filled.row_begin.push_back(static_cast<index_t>(filled.column.size()));
    }
    return filled;
}

}  // namespace

triangular_factors factorize_iluk(const sparse_rows& a, index_t level) { return factorize_ilu0(with_fill(a, level)); }

}  // namespace residua
