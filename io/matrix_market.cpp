#include <residua/io/matrix_market.hpp>

#include <algorithm>

namespace residua::io::detail {

index_t useful_parts(index_t bytes)
{
    constexpr index_t least_bytes = 1 << 19;  // of a part, far more than it costs to begin one
    constexpr index_t for_each_thread = 4;    // so that they end at about the same time
    const index_t threads = available_threads();
    return threads == 1 ? 1 : std::min(bytes / least_bytes, threads * for_each_thread);
}

std::string warn_of_sums(const text& source, const std::vector<index_t>& repeated)
{
    // The file once more, to find the lines; rare enough.
    matrix_market_scanner scanner(source);
    const bool general = scanner.header().symmetry == matrix_symmetry::general;
    scanned_entry entry;
    scanned_entry first;
    index_t lines = 0;
    for (index_t place = 0; scanner.next(entry);) {
        if (std::binary_search(repeated.begin(), repeated.end(), place)) {
            first = lines == 0 ? entry : first;
            ++lines;
        }
        place += general || entry.row == entry.col ? 1 : 2;
    }
    return words_of_sums(source.name, first, lines);
}

std::string words_of_sums(const std::string& name, const scanned_entry& first, index_t lines)
{
    const std::string where = name + (first.line > 0 ? ":" + std::to_string(first.line) : "") + ": ";
    const std::string position =
        std::string("(") + std::to_string(first.row + 1) + ", " + std::to_string(first.col + 1) + ")";
    if (lines == 1) {
        return where + "entry " + position + " stands in the file before; the two were added";
    }
    return where + std::to_string(lines) + " entries stand in the file before, " + position +
           " first; values at the same position were added";
}

}  // namespace residua::io::detail
