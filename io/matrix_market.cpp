#include <residua/io/matrix_market.hpp>

#include <algorithm>

namespace residua::io::detail {

std::string warn_of_sums(const text& source, const std::vector<index_t>& repeated, index_t stored)
{
    // Mirror images come behind the stored entries and repeat each other when those do.
    const index_t n =
        std::lower_bound(repeated.begin(), repeated.end(), stored) - repeated.begin();

    matrix_market_scanner scanner(source);  // again, to find the line
    scanned_entry entry;
    for (index_t k = 0; k <= repeated.front(); ++k) {
        scanner.next(entry);
    }
    const std::string position =
        "(" + std::to_string(entry.row + 1) + ", " + std::to_string(entry.col + 1) + ")";
    return source.name + ":" + std::to_string(entry.line) + ": " +
           (n == 1 ? "entry " + position + " stands in the file before; the two were added"
                   : std::to_string(n) + " entries stand in the file before, " + position +
                         " first; values at the same position were added");
}

}  // namespace residua::io::detail
