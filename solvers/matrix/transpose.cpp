#include <residua/solvers/matrix/transpose.hpp>

#include <residua/io/interruption.hpp>

#include <cstdint>
#include <numeric>
#include <vector>

namespace residua {
namespace {

/// Where the rows of A' begin, the columns of its entries, and the places that its entries have in A.
struct pattern {
    std::vector<index_t> row_begin;
    std::vector<std::int32_t> column;
    std::vector<index_t> source;
};

pattern transpose(const std::vector<index_t>& row_begin, const std::vector<std::int32_t>& column, index_t cols)
{
    pattern t;
    t.row_begin.assign(static_cast<std::size_t>(cols) + 1, 0);
    t.column.resize(column.size());
    t.source.resize(column.size());
    for (const std::int32_t j : column) {
        ++t.row_begin[j + 1];
    }
    std::partial_sum(t.row_begin.begin(), t.row_begin.end(), t.row_begin.begin());
    std::vector<index_t> next(t.row_begin.begin(), t.row_begin.end() - 1);
    for (std::size_t i = 0; i + 1 < row_begin.size(); ++i) {
        io::ask_for_stop_at(static_cast<index_t>(i));
        for (index_t p = row_begin[i]; p < row_begin[i + 1]; ++p) {
            const index_t q = next[column[p]]++;
            t.column[q] = static_cast<std::int32_t>(i);
            t.source[q] = p;
        }
    }
    return t;
}

template <class T>
std::vector<T> moved(const std::vector<T>& values, const std::vector<index_t>& source)
{
    std::vector<T> result;
    if (!values.empty()) {
        result.reserve(source.size());
        for (const index_t p : source) {
            result.push_back(values[p]);
        }
    }
    return result;
}

sparse_rows transpose(const sparse_rows& a, index_t cols, std::vector<index_t>& source)
{
    pattern t = transpose(a.row_begin, a.column, cols);
    sparse_rows result{cols, std::move(t.row_begin), std::move(t.column), moved(a.value, t.source)};
    source = std::move(t.source);
    return result;
}

}  // namespace

sparse_rows transpose(const sparse_rows& a)
{
    std::vector<index_t> source;
    return transpose(a, a.n, source);
}

linear_system transpose(const linear_system& a)
{
    pattern t = transpose(a.row_begin, a.column, a.cols);
    linear_system result;
    result.rows = a.cols;
    result.cols = a.rows;
    result.row_begin = std::move(t.row_begin);
    result.column = std::move(t.column);
    result.values = moved(a.values, t.source);
    result.exact = a.exact.gathered(t.source);
    result.reading_error = a.reading_error;
    result.other_reading = a.other_reading;
    return result;
}

scaled_matrix transpose(const scaled_matrix& a)
{
    std::vector<index_t> source;
    scaled_matrix result;
    result.a = transpose(a.a, a.cols(), source);
    result.exact = a.exact.gathered(source);
    result.row_exponent = a.column_exponent;
    result.column_exponent = a.row_exponent;
    result.symmetric = a.symmetric;
    return result;
}

}  // namespace residua
