#include <residua/solvers/matrix/transpose.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <residua/blas/base/parallel.hpp>
#include <residua/io/interruption.hpp>
#include <residua/io/team.hpp>

namespace residua {

sparse_matrix transpose(const sparse_matrix& a)
{
    // A range of rows for each thread, as far as the numbers of their entries in each column take less room than the entries.
    const auto entries = static_cast<index_t>(a.column.size());
    const index_t most = std::max<index_t>(1, entries / (a.cols + 1));
    const index_t ranges = std::min<index_t>(most, blas::detail::threads_for(10.0 * static_cast<double>(entries)));
    std::vector<std::vector<index_t>> next(static_cast<std::size_t>(ranges));  // the place of the next one of a column
    const auto for_each_range = [&](const auto& f) {
        io::run_parts(ranges, static_cast<int>(ranges), [&](index_t k) {
            f(next[static_cast<std::size_t>(k)], a.rows * k / ranges, a.rows * (k + 1) / ranges);
        });
    };
    for_each_range([&](std::vector<index_t>& count, index_t first, index_t last) {
        count.assign(static_cast<std::size_t>(a.cols), 0);
        for (index_t p = a.row_begin[first]; p < a.row_begin[last]; ++p) {
            ++count[a.column[p]];
        }
    });
    std::vector<index_t> row_begin{0};
    for (index_t j = 0, place = 0; j < a.cols; ++j) {
        for (std::vector<index_t>& of_range : next) {
            place += std::exchange(of_range[j], place);
        }
        row_begin.push_back(place);
    }
    std::vector<std::int32_t> column(a.column.size());
    std::vector<double> values(a.values.size());
    std::vector<index_t> source(a.exact.size());  // the places of the entries in A
    for_each_range([&](std::vector<index_t>& at, index_t first, index_t last) {
        for (index_t i = first; i < last; ++i) {
            io::ask_for_stop_at(i);
            for (index_t p = a.row_begin[i]; p < a.row_begin[i + 1]; ++p) {
                const index_t q = at[a.column[p]]++;
                column[q] = static_cast<std::int32_t>(i);
                values[q] = a.values[p];
                if (!source.empty()) {
                    source[q] = p;
                }
            }
        }
    });
    return {a.cols,   a.rows, std::move(row_begin), std::move(column), std::move(values), a.exact.gathered(source),
            a.complex};
}

linear_system transpose(const linear_system& a)
{
    linear_system result;
    static_cast<sparse_matrix&>(result) = transpose(static_cast<const sparse_matrix&>(a));
    result.reading_error = a.reading_error;
    result.other_reading = a.other_reading;
    return result;
}

}  // namespace residua
