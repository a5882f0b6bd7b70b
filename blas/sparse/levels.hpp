#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <residua/blas/base/buffer.hpp>
#include <residua/blas/base/parallel.hpp>
#include <residua/blas/level2/triangle.hpp>
#include <residua/blas/sparse/csr.hpp>
#include <residua/blas/sparse/stored_rows.hpp>

namespace residua::blas {

/// The rows of a triangle of a sparse matrix by levels: rows of one level depend on rows of earlier levels only, so
/// they can be solved for together. Row r of level l is rows[k] for begin[l] <= k < begin[l + 1], ascending.
///
/// from  [Saad03, Sec. 11.6.3]
struct row_levels {
    uplo triangle = uplo::lower;
    std::vector<index_t> rows;
    std::vector<index_t> begin{0};
    index_t widest = 0;  ///< the most rows of a level
};

/// The levels of a triangle of A, which is square and may hold more than that triangle.
///
/// cost  one pass over the entries, and one over the rows
template <class V>
row_levels find_levels(uplo triangle, const csr<host_executor, V>& a)
{
    const index_t n = a.rows();
    std::vector<index_t> level(static_cast<std::size_t>(n), 0);
    index_t depth = 0;
    for (index_t step = 0; step < n; ++step) {
        const index_t i = triangle == uplo::lower ? step : n - 1 - step;
        detail::rows_of<0>(a).walk_triangle(
            i, triangle == uplo::lower, [&](index_t, index_t j) { level[i] = std::max(level[i], level[j] + 1); },
            [](index_t) {});
        depth = std::max(depth, level[i] + 1);
    }
    row_levels result{triangle, std::vector<index_t>(static_cast<std::size_t>(n)),
                      std::vector<index_t>(static_cast<std::size_t>(depth) + 1, 0)};
    for (index_t i = 0; i < n; ++i) {
        ++result.begin[level[i] + 1];
    }
    for (index_t l = 0; l < depth; ++l) {
        result.widest = std::max(result.widest, result.begin[l + 1]);
        result.begin[l + 1] += result.begin[l];
    }
    std::vector<index_t> next(result.begin.begin(), result.begin.end() - 1);
    for (index_t i = 0; i < n; ++i) {
        result.rows[next[level[i]]++] = i;
    }
    return result;
}

namespace detail {

/// Calls solve(begin, end, row_at), which solves rows row_at(k), begin <= k < end, until all rows of a triangle are solved:
/// level by level, with the rows of a level shared by threads, or in the order of rows where no level pays for a thread.
template <class Solve>
void solve_by_levels(const row_levels& levels, double operations, const Solve& solve)
{
    const auto n = static_cast<index_t>(levels.rows.size());
    const double of_row = n > 0 ? operations / static_cast<double>(n) : 0.0;
    if (threads_for(of_row * static_cast<double>(levels.widest)) == 1) {
        return solve(index_t{0}, n, [&](index_t k) { return levels.triangle == uplo::lower ? k : n - 1 - k; });
    }
    for (std::size_t l = 0; l + 1 < levels.begin.size(); ++l) {
        const index_t first = levels.begin[l], width = levels.begin[l + 1] - first;
        parallel_ranges(width, 1, of_row * static_cast<double>(width), [&](index_t begin, index_t end) {
            solve(first + begin, first + end, [&](index_t k) { return levels.rows[static_cast<std::size_t>(k)]; });
        });
    }
}

}  // namespace detail

/// The levels of a triangle in device memory, and how they are launched.
class device_levels {
public:
    device_levels(const cuda_executor& exec, const row_levels& levels);

    /// Levels first, ..., last - 1 of one launch: several narrow ones, or a wide one.
    struct launch {
        index_t first, last;
        bool narrow;
    };

    uplo triangle() const { return triangle_; }
    index_t size() const { return rows_.size(); }
    const index_t* rows() const { return rows_.data(); }
    const index_t* begin() const { return begin_.data(); }
    const std::vector<launch>& launches() const { return launches_; }
    /// Rows of level l.
    index_t width(index_t l) const { return host_begin_[l + 1] - host_begin_[l]; }
    index_t start(index_t l) const { return host_begin_[l]; }

    /// The most rows of a level that shares a launch with others: a block of threads solves them at once.
    static constexpr index_t narrow_width = 256;

private:
    uplo triangle_;
    buffer<cuda_executor, index_t> rows_, begin_;
    std::vector<index_t> host_begin_;
    std::vector<launch> launches_;
};

}  // namespace residua::blas
