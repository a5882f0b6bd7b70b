#pragma once

#include <optional>
#include <vector>

#include <residua/arith/expansion/expansion.hpp>
#include <residua/blas/base/buffer.hpp>
#include <residua/blas/base/cuda_executor.hpp>
#include <residua/blas/base/matrix.hpp>
#include <residua/blas/base/multidigit_array.hpp>
#include <residua/blas/base/view.hpp>
#include <residua/blas/level2/triangle.hpp>

/// The steps of dense elimination on a device, for multi-digit floats and for expansions of 2, 3, 4, 6 and 8 terms.
/// Each is queued, does every operation of the host in the order of the host, and so has the bits of the host. All
/// throw cuda_error if a launch fails.
namespace residua::detail {

/// Whether dense matrices of a format are eliminated on a device. Longer expansions are slower than multi-digit floats
/// there.
template <class E>
inline constexpr bool is_eliminated_on_device = false;
template <>
inline constexpr bool is_eliminated_on_device<multidigit> = true;
template <int N>
inline constexpr bool is_eliminated_on_device<expansion<double, N>> = N == 2 || N == 3 || N == 4 || N == 6 || N == 8;

/// Calls INSTANTIATE(E) for each of these formats.
#define RESIDUA_FOR_EACH_ELIMINATED(INSTANTIATE) \
    INSTANTIATE(multidigit)                      \
    INSTANTIATE(expansion<double, 2>)            \
    INSTANTIATE(expansion<double, 3>)            \
    INSTANTIATE(expansion<double, 4>)            \
    INSTANTIATE(expansion<double, 6>)            \
    INSTANTIATE(expansion<double, 8>)

/// Calls INSTANTIATE(S) for the space of each of these formats on a device.
#define RESIDUA_FOR_EACH_DEVICE_SPACE(INSTANTIATE)               \
    INSTANTIATE(multidigit_space<cuda_executor>)                 \
    INSTANTIATE(blas_space<cuda_executor, expansion<double, 2>>) \
    INSTANTIATE(blas_space<cuda_executor, expansion<double, 3>>) \
    INSTANTIATE(blas_space<cuda_executor, expansion<double, 4>>) \
    INSTANTIATE(blas_space<cuda_executor, expansion<double, 6>>) \
    INSTANTIATE(blas_space<cuda_executor, expansion<double, 8>>)

template <class E>
using device_block = matrix_view<cuda_executor, E>;

/// Panels have no more columns than this: a warp of a block updates one of them.
inline constexpr index_t most_panel_columns = 8;

/// Device memory that panels of one elimination share.
template <class E>
struct panel_memory {
    /// The reciprocal of the pivot, then the multipliers of the other columns; empty until the first panel.
    std::optional<matrix<cuda_executor, E>> numbers = {};
    std::optional<matrix<cuda_executor, E>> threshold = {};  ///< of pivots of LU (1 x 1)
    buffer<cuda_executor, index_t> places = {};  ///< rows that may have the largest number of a column, and others
    buffer<cuda_executor, int> stopped = {};     ///< not zero after a column without a pivot
};

/// Device memory that panels of one L D L' share.
template <class E>
struct symmetric_memory {
    /// A column of the numbers of inverse(D), and one of multipliers for each column of a pivot; empty until the first
    /// panel.
    std::optional<matrix<cuda_executor, E>> numbers = {};
    buffer<cuda_executor, index_t> places = {};  ///< rows that may have the largest number of a column
    buffer<cuda_executor, char> is_pair = {};    ///< ldl_pivots::is_pair
};

/// LU with partial pivoting of columns k, k + 1, ..., last - 1, until one has no pivot, which is in the first `candidates`
/// rows and at least memory.threshold of the largest entry in the others. Rows are swapped in columns begin, ..., end - 1,
/// and columns k + 1, ..., end - 1 are updated.
///
/// shapes   A (m x n), begin <= k < last <= end <= n, last <= candidates <= m, end - begin <= most_panel_columns
/// cost     two launches for each column and one more, then a wait
/// order    as block_elimination::lu_columns
/// reports  the pivots that were found, each with the row that it was swapped with
template <class E>
std::vector<index_t> eliminate_columns(const cuda_executor& exec, device_block<E> a, index_t candidates, index_t begin,
                                       index_t k, index_t last, index_t end, panel_memory<E>& memory);

/// Columns begin, ..., end - 1 of L of L L'. A pivot that is not positive, or not finite, ends it, and with it whatever
/// later calls with this memory would do, as definite_columns_failed() reports.
///
/// shapes   A (m x n), begin <= end <= n <= m, end - begin <= most_panel_columns
/// cost     two launches for each column, no wait
/// order    as block_elimination::cholesky_columns
template <class E>
void eliminate_definite_columns(const cuda_executor& exec, device_block<E> a, index_t begin, index_t end,
                                panel_memory<E>& memory);

/// Whether a pivot was not positive since start_definite_columns(), as far as the device has come.
bool definite_columns_failed();
/// Before the first eliminate_definite_columns() of this thread; nothing of an earlier one may be queued.
void start_definite_columns();

/// The candidates of a pivot of L D L', in memory of the host that is this thread's until the next call: the lower triangle of rows and columns k, ..., end - 1 of A and, if
/// there are rows below, one more row, which has the entry of them that place_of_largest() finds in each column.
///
/// shapes   A (m x n), k < end <= n <= m, end - k <= most_panel_columns; the result (end - k + 1 x end - k) or
///          without the last row
/// cost     two launches, and a wait
template <class E>
matrix_view<host_executor, E> candidates_of(const cuda_executor& exec, device_block<E> a, index_t k, index_t end,
                                            symmetric_memory<E>& memory);

/// Swaps rows and columns p and q of a symmetric matrix, of which the lower triangle is there, from column `begin` on.
///
/// shapes   A (m x n), begin <= p < q < n <= m
/// cost     one launch
template <class E>
void swap_symmetric(const cuda_executor& exec, device_block<E> a, index_t begin, index_t p, index_t q);

/// Eliminates columns k + size, ..., end - 1 by the pivot of L D L' in place k, which has one or two columns.
///
/// shapes   A (m x n), k + size <= end <= n <= m, end - k <= most_panel_columns
/// cost     two launches
/// order    as block_elimination::eliminate_one and eliminate_pair
template <class E>
void eliminate_symmetric(const cuda_executor& exec, device_block<E> a, index_t k, index_t size, index_t end,
                         symmetric_memory<E>& memory);

/// The largest entry of each column of a symmetric matrix without its diagonal, of which the lower triangle is there.
template <class E>
struct sizes_beside {
    std::vector<index_t> row;       ///< -1: the matrix has one column
    matrix<host_executor, E> size;  ///< in the first column these entries, in the second one the diagonal
};

/// shapes   A (n x n), n > 0
/// order    as largest_beside()
/// cost     one launch, and copies that the host waits for
template <class E>
sizes_beside<E> find_sizes_beside(const cuda_executor& exec, device_block<E> a);

/// Moves what is in place from[k] of the first rows and columns of a symmetric matrix, of which the lower triangle is
/// there, to place k.
///
/// shapes   A (m x n), m >= n, from (n)
/// cost     two launches, and a copy of A
template <class E>
void move_symmetric(const cuda_executor& exec, device_block<E> a, const std::vector<index_t>& from);

/// V <- D L', D the pivots of L D L' in and above the diagonal of `pivots`.
///
/// is_pair  of the first pivot and those that follow it, on the device
///
/// shapes   D (k x k), L (n x k), V (k x n); V overlaps neither
/// cost     one launch
/// order    as block_elimination::times_pivots
template <class E>
void times_pivots(const cuda_executor& exec, device_block<E> pivots, const char* is_pair, device_block<E> l,
                  device_block<E> v);

/// X <- inverse(D) X, as dense_factors solves; pivots and is_pair as in times_pivots().
///
/// shapes   D (k x k), X (k x n)
/// cost     one launch
void solve_pivots(const cuda_executor& exec, matrix_view<cuda_executor, const multidigit> pivots, const char* is_pair,
                  device_block<multidigit> x);

/// Swaps rows k and row_swap[k], for k = begin, ..., end - 1 in this order, or backwards.
///
/// shapes   X (m x n), all rows below m
/// cost     one launch for 224 swaps
template <class E>
void swap_rows(const cuda_executor& exec, device_block<E> x, const std::vector<index_t>& row_swap, index_t begin,
               index_t end, bool backwards = false);

/// first_column_out_of_range() by the first terms of the numbers; for multi-digit floats -1, as on the host.
///
/// cost     one launch, and a wait
template <class E>
index_t column_out_of_range(const cuda_executor& exec, device_block<E> a, bool lower);

/// B <- A'
///
/// shapes   A (m x n), B (n x m); they do not overlap
template <class E>
void transpose(const cuda_executor& exec, device_block<E> a, device_block<E> b);

/// C <- C - P, rounded as by axpy
///
/// shapes   P (m x n), C (m x n); they do not overlap
template <class E>
void subtract(const cuda_executor& exec, device_block<E> p, device_block<E> c);

/// C <- C - A B as subtract_sums() on the host: gemm makes the product, which is rounded and then subtracted.
///
/// shapes   A (m x k), B (k x n), C (m x n); C overlaps neither
/// cost     one launch
void subtract_sums(const cuda_executor& exec, matrix_view<cuda_executor, const multidigit> a,
                   device_block<multidigit> b, device_block<multidigit> c);

/// The most rows of a triangle that solve_unit_lower() takes.
template <class E>
inline constexpr index_t most_triangle_rows = 8;
template <>
inline constexpr index_t most_triangle_rows<multidigit> = 64;

/// X <- inverse(L) X, L unit lower triangular, by halves of whole multiples of `part` rows down to `part` rows, as
/// block_elimination::solve_unit_lower within a panel.
///
/// shapes   L (k x k), X (k x n), k <= most_triangle_rows<E>; k <= part <= 8, or part = 8
/// cost     one launch
template <class E>
void solve_unit_lower(const cuda_executor& exec, device_block<E> l, index_t part, device_block<E> x);

/// X <- inverse(T) X or inverse(T') X, T a triangle of A: trsv and trsv_t for each column.
///
/// shapes   A (k x k), X (k x n), k <= 64
/// cost     one launch, a warp for each column
void solve_step(const cuda_executor& exec, blas::uplo triangle, blas::diag diagonal, bool transposed,
                matrix_view<cuda_executor, const multidigit> a, device_block<multidigit> x);

}  // namespace residua::detail
