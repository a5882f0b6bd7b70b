#pragma once

#include <residua/blas/base/buffer.hpp>
#include <residua/blas/base/cuda_executor.hpp>
#include <residua/blas/base/executor.hpp>
#include <residua/blas/base/view.hpp>
#include <residua/blas/level2/triangle.hpp>

namespace residua::blas {

namespace detail {

/// The entries of a triangle in the order of the steps of a solve: a lower triangle begins at its first row and column,
/// an upper one at its last.
struct in_steps {
    const double* origin = nullptr;
    index_t row = 1;  ///< words from an entry to that of the next row
    index_t col = 0;  ///< and column

    RESIDUA_HD const double* at(index_t i, index_t j) const { return origin + i * row + j * col; }
    in_steps from(index_t i, index_t j) const { return {at(i, j), row, col}; }
};

}  // namespace detail

/// A triangle T of a matrix A in binary64, to solve T x = b with again and again: its diagonal blocks T_kk are inverted
/// once, so that a solve is a few products with vectors: c_k = b_k - sum_(j<k) T_kj x_j, x_k = X_k c_k with X_k the computed
/// inverse of T_kk, blocks counted in the order in which they are solved for.
///
/// A solve by substitution, trsv, goes from column to column: on a device two launches for each 32 of them, on a host one
/// thread. This takes two launches for each block, or all threads.
///
/// shapes   A (n x n), which must outlive this unchanged; blocks of m rows, the last one shorter
/// errors   |b - T x|_k <= gamma_(m+p) |T_kk| |X_k| (|c_k| + gamma_q g_k) + gamma_q g_k with g_k = |b_k| +
///          sum_(j<k) |T_kj| |x_j|, p = m / 32 + 32, q = p + n / m, gamma_i = i u / (1 - i u), u = 2^-53, barring underflow
///          and overflow, of the inverses too: the bound of substitution times at most the condition of a diagonal block
///          || |T_kk| |X_k| || (docs/error_bounds.md, theorem 25)
/// special  a zero on the diagonal gives infinities or NaN
/// cost     made: n m^2 / 6 multiply-adds; a solve: n (n + m) / 2; memory n m numbers
/// order    of an inverse: each column by substitution, from its diagonal on. Of a solve: in groups of 32 columns from the
///          first step on, each with one rounding (fma) for each product; the groups of a block from the first on; then
///          c_k loses the sums of blocks in turn. So the same bits on every executor and in every run
/// throws   dimension_error if A is not square, sizes differ, or m is not 32, 64, 128, 256 or 512; resource_error
/// from     inverses of triangles [DCH92], [Higham02, Sec. 14.2]
template <class Exec>
class block_triangle {
public:
    static constexpr index_t group = 32;       ///< columns that are summed together
    static constexpr index_t most_rows = 512;  ///< of a block

    /// The size with the fewest launches; bench/solvers/irs_bench measures the others.
    static constexpr index_t default_rows = 512;

    block_triangle(const Exec& exec, uplo triangle, diag diagonal, matrix_view<Exec, const double> a,
                   index_t rows_of_block = default_rows);

    index_t size() const { return n_; }

    /// x <- T^-1 b; x may be b. Two calls must not run at the same time: they would share c.
    void solve(const Exec& exec, in_vector<Exec, double> b, vector_view<Exec, double> x) const;

    /// X <- T^-1 X for several vectors at once, on the host alone. Each gets the bits that solve() gives it. Column i of
    /// x_t has element i of every vector. Safe for concurrent calls.
    ///
    /// shapes   x_t (k x n)
    /// cost     as k solves, but T is read once
    void solve_rows(matrix_view<Exec, double> x_t) const;

    /// The inverses, one after the other, each by columns, m numbers apart, in steps.
    const buffer<Exec, double>& inverses() const { return inverse_; }

private:
    index_t blocks() const { return (n_ + rows_ - 1) / rows_; }
    index_t rows_of(index_t block) const { return n_ - block * rows_ < rows_ ? n_ - block * rows_ : rows_; }
    detail::in_steps inverse_of(index_t block) const { return {inverse_.data() + block * rows_ * rows_, 1, rows_}; }

    /// Element 0, in steps, of a vector of T's order.
    template <class Word>
    Word* first(Word* data) const
    {
        return lower_ ? data : data + n_ - 1;
    }
    index_t step() const { return lower_ ? 1 : -1; }

    void invert(const Exec& exec);

    /// solve() on the host of `count` vectors, whose elements i are side by side at c + i c_step. c is lost, and x is the
    /// solutions.
    void solve_steps(index_t count, double* c, index_t c_step, double* x, index_t x_step) const;

    detail::in_steps t_;
    index_t n_;
    index_t rows_;
    bool lower_;
    bool unit_;
    buffer<Exec, double> inverse_;
    mutable buffer<Exec, double> c_;
};

namespace detail {

/// throws  as block_triangle
void require_block_triangle(index_t rows, index_t cols, index_t rows_of_block);

}  // namespace detail

template <class Exec>
block_triangle<Exec>::block_triangle(const Exec& exec, uplo triangle, diag diagonal, matrix_view<Exec, const double> a,
                                     index_t rows_of_block)
    : n_(a.cols), rows_(rows_of_block), lower_(triangle == uplo::lower), unit_(diagonal == diag::unit)
{
    detail::require_block_triangle(a.rows, a.cols, rows_of_block);
    if (n_ > 0) {
        t_ = lower_ ? detail::in_steps{a.data(), 1, a.ld}
                    : detail::in_steps{a.data() + (n_ - 1) * (a.ld + 1), -1, -a.ld};
        inverse_ = buffer<Exec, double>(blocks() * rows_ * rows_, exec);
        c_ = buffer<Exec, double>(n_, exec);
        invert(exec);
    }
}

template <>
void block_triangle<host_executor>::invert(const host_executor& exec);
template <>
void block_triangle<cuda_executor>::invert(const cuda_executor& exec);
template <>
void block_triangle<host_executor>::solve(const host_executor& exec, in_vector<host_executor, double> b,
                                          vector_view<host_executor, double> x) const;
template <>
void block_triangle<host_executor>::solve_rows(matrix_view<host_executor, double> x_t) const;
template <>
void block_triangle<host_executor>::solve_steps(index_t count, double* c, index_t c_step, double* x,
                                                index_t x_step) const;
template <>
void block_triangle<cuda_executor>::solve(const cuda_executor& exec, in_vector<cuda_executor, double> b,
                                          vector_view<cuda_executor, double> x) const;

}  // namespace residua::blas
