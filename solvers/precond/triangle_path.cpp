#include <residua/solvers/precond/triangle_path.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace residua {

triangle_path path_of(blas::uplo which, const sparse_matrix& triangle)
{
    std::vector<index_t> level(static_cast<std::size_t>(triangle.rows), 0);
    std::vector<index_t> longest_row;  // the longest row of each level
    for (index_t step = 0; step < triangle.rows; ++step) {
        const index_t i = which == blas::uplo::lower ? step : triangle.rows - 1 - step;
        index_t own = 0;
        for (index_t p = triangle.row_begin[i]; p < triangle.row_begin[i + 1]; ++p) {
            if (const index_t j = triangle.column[p]; j != i) {
                own = std::max(own, level[j] + 1);
            }
        }
        level[i] = own;
        longest_row.resize(std::max(longest_row.size(), static_cast<std::size_t>(own) + 1), 0);
        longest_row[own] = std::max(longest_row[own], triangle.row_begin[i + 1] - triangle.row_begin[i]);
    }
    triangle_path path{.entries = static_cast<double>(triangle.column.size()),
                       .levels = static_cast<double>(longest_row.size())};
    for (const index_t entries : longest_row) {
        path.steps += static_cast<double>(entries);
    }
    return path;
}

triangle_path path_of(const triangular_factors& factors)
{
    triangle_path path = path_of(blas::uplo::lower, factors.lower);
    path += path_of(blas::uplo::upper, factors.upper);
    return path;
}

}  // namespace residua
