#include "lines.hpp"

#include <algorithm>
#include <vector>

#include <residua/blas/base/parallel.hpp>

namespace residua {

void write_lines(output_file& file, index_t count, double characters,
                 const std::function<void(index_t k, std::string& text)>& append)
{
    using blas::detail::parallel_ranges;
    using blas::detail::threads_for;

    constexpr double bytes_of_block = 1 << 18;
    constexpr double operations_of_character = 20.0;
    constexpr index_t blocks_of_thread = 2;  // they take different times
    constexpr index_t least_lines = 64;
    const double operations = operations_of_character * characters;
    const index_t shared = blocks_of_thread * threads_for(operations * static_cast<double>(count));
    const auto most_lines = static_cast<index_t>(bytes_of_block / std::max(characters, 1.0)) + 1;
    const index_t lines = std::min(std::max((count + shared - 1) / shared, least_lines), most_lines);
    const index_t all = (count + lines - 1) / lines;
    const index_t at_once = std::min(shared, all);
    std::vector<std::string> texts(static_cast<std::size_t>(at_once));
    for (index_t first = 0; first < all; first += at_once) {
        const index_t blocks = std::min(at_once, all - first);
        const double work = operations * static_cast<double>(blocks * lines);
        parallel_ranges(blocks, 1, work, [&](index_t begin, index_t end) {
            for (index_t b = begin; b < end; ++b) {
                std::string& text = texts[static_cast<std::size_t>(b)];
                text.clear();
                const index_t last = std::min(count, (first + b + 1) * lines);
                for (index_t k = (first + b) * lines; k < last; ++k) {
                    append(k, text);
                }
            }
        });
        for (index_t b = 0; b < blocks; ++b) {
            file.write(texts[static_cast<std::size_t>(b)]);
        }
    }
}

}  // namespace residua
