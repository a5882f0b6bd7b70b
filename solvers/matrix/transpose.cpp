#include <residua/solvers/matrix/transpose.hpp>

#include <residua/io/interruption.hpp>

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace residua {

sparse_matrix transpose(const sparse_matrix& a)
{
    std::vector<index_t> row_begin(static_cast<std::size_t>(a.cols) + 1, 0);
    for (const std::int32_t j : a.column) {
        ++row_begin[j + 1];
    }
    std::partial_sum(row_begin.begin(), row_begin.end(), row_begin.begin());
    std::vector<index_t> next(row_begin.begin(), row_begin.end() - 1);
    std::vector<std::int32_t> column(a.column.size());
    std::vector<double> values(a.values.size());
    std::vector<index_t> source(a.exact.size());  // the places of the entries in A
    for (index_t i = 0; i < a.rows; ++i) {
        io::ask_for_stop_at(i);
        for (index_t p = a.row_begin[i]; p < a.row_begin[i + 1]; ++p) {
            const index_t q = next[a.column[p]]++;
            column[q] = static_cast<std::int32_t>(i);
            values[q] = a.values[p];
            if (!source.empty()) {
                source[q] = p;
            }
        }
    }
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
