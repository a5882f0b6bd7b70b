#pragma once

#include <concepts>
#include <type_traits>

#include <residua/blas/base/check.hpp>
#include <residua/blas/base/multidigit_array.hpp>
#include <residua/blas/base/rns_array.hpp>
#include <residua/blas/level2/triangle.hpp>
#include <residua/blas/sparse/csr.hpp>
#include <residua/blas/sparse/levels.hpp>

namespace residua::blas {

namespace detail {

/// The rows of a triangle on the host: in their order, or by levels.
struct host_levels {
    uplo triangle;
    const row_levels* levels = nullptr;

    host_levels(uplo which) : triangle(which) {}
    host_levels(const row_levels& of) : triangle(of.triangle), levels(&of) {}

    /// As solve_by_levels() calls solve(begin, end, row_at), by one thread if rows come in their order.
    template <class Solve>
    void solve(index_t n, double operations, const Solve& solve) const
    {
        if (levels != nullptr) {
            solve_by_levels(*levels, operations, solve);
        } else {
            solve(index_t{0}, n, [&](index_t k) { return triangle == uplo::lower ? k : n - 1 - k; });
        }
    }
};

template <class Exec>
using levels_of = std::conditional_t<std::same_as<Exec, host_executor>, host_levels, device_levels>;

/// The operands of x <- inverse(T) b, T a triangle of a sparse matrix that has entries of V.
template <class Exec, class T, class V>
struct sparse_trsv_operands {
    const levels_of<Exec>& levels;
    diag diagonal;
    const csr<Exec, V>& a;
    vector_view<Exec, const T> b;
    vector_view<Exec, T> x;
};

/// trsv of each format, with operands that fit.
template <class V, number T>
void solve(const host_executor& exec, const sparse_trsv_operands<host_executor, T, V>& o);
template <class V, number T>
void solve(const cuda_executor& exec, const sparse_trsv_operands<cuda_executor, T, V>& o);
void solve(const host_executor& exec, const sparse_trsv_operands<host_executor, multidigit, double>& o);
void solve(const cuda_executor& exec, const sparse_trsv_operands<cuda_executor, multidigit, double>& o);
void solve(const host_executor& exec, const sparse_trsv_operands<host_executor, rns, double>& o);

}  // namespace detail

/// x <- inverse(T) b, T the lower or upper triangle of A, which may hold more than that triangle; entries are of binary64, or of
/// the vectors where they have expansions
///
/// `levels` is, on the host, that triangle, whose rows one thread solves for in their order, or its row_levels, which all
/// threads solve for, level by level; on a device its device_levels. There are no RNS floats on a device.
///
/// shapes   A (n x n), b (n), x (n); x may be b
/// cost     a multiply-add for each entry, n divisions; scalar code. A team for each level that pays for one; on a device a
///          launch for each level wider than device_levels::narrow_width, and for each run of narrower ones
/// order    each row starts from b and goes by ascending columns: the same bits for rows in their order and by levels
/// reports  a diagonal entry that is zero or missing gives numbers that are not finite
/// throws   dimension_error if A is not square or sizes differ, error if formats do
/// from     [Saad03, Alg. 10.1]
///
/// errors by format, for rows of at most k entries
///
///   double, expansion of N terms   |b - T x| <= (2 c(k) + d) u^N |T| |x|; c = sparse_row_error_bound<N>, d =
///                     quotient_error_bound<N>
///   multi-digit floats   each b_i - sum of t_ij x_j as a sum of spmv, and its quotient by t_ii correctly rounded
///   RNS floats        |b - T x| <= gamma_(k + 2) |T| |x|
template <class T, class Exec, class V>
    requires((std::same_as<V, double> || (std::same_as<V, T> && !run_time_format<T>)) &&
             (!std::same_as<T, rns> || std::same_as<Exec, host_executor>))
void trsv(const Exec& exec, const detail::levels_of<Exec>& levels, diag diagonal, const csr<Exec, V>& a,
          in_vector<Exec, T> b, out_vector<Exec, T> x)
{
    require_equal("trsv", "rows and columns of A", a.rows(), a.cols());
    require_equal("trsv", "rows of A and size of b", a.rows(), b.size);
    require_equal("trsv", "rows of A and size of x", a.rows(), x.size);
    require_formats("trsv", x, b);
    if constexpr (std::same_as<Exec, cuda_executor>) {
        require_equal("trsv", "rows of A and of levels", a.rows(), levels.size());
    } else if (levels.levels != nullptr) {
        require_equal("trsv", "rows of A and of levels", a.rows(), static_cast<index_t>(levels.levels->rows.size()));
    }
    detail::solve(exec, detail::sparse_trsv_operands<Exec, T, V>{levels, diagonal, a, b, x});
}

/// X' <- (T^-1 X)': trsv for several right-hand sides at once, whose elements lie side by side
///
/// shapes   A (n x n), X' (k x n): column i has the k elements of row i
/// errors   as trsv, in binary64; column j of X gets the bits that trsv gives it alone
/// cost     A is read once; a multiply-add for each entry and right-hand side, in SIMD lanes
/// order    as trsv
/// reports  as trsv
/// throws   dimension_error if A is not square or sizes differ
/// from     as trsv
void trsm_t(const host_executor& exec, uplo triangle, diag diagonal, const csr<host_executor, double>& a,
            matrix_view<host_executor, double> x_t);

}  // namespace residua::blas
