#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <residua/blas/base/matrix.hpp>
#include <residua/blas/level2/block_triangle.hpp>
#include <residua/blas/level2/triangle.hpp>
#include <residua/blas/multidigit/sparse.hpp>
#include <residua/blas/sparse/sliced_ell.hpp>
#include <residua/blas/sparse/spmv.hpp>
#include <residua/solvers/matrix/make_csr.hpp>
#include <residua/solvers/precond/factors.hpp>
#include <residua/solvers/space/vector_space.hpp>

namespace residua {

/// x = M b, M ~ T^-1 for a dense triangle T in binary64 and vectors of a space. The blocks and the inverses are as in
/// block_triangle: x_k = X_k (b_k - sum_(j<k) T_kj x_j). So M is one linear operator to the space's precision.
///
/// It serves devices, on which trsv goes down such a triangle row by row.
///
/// shapes   T (n x n), every entry of its triangle stored
/// errors   M b: as block_triangle in binary64, otherwise two spmv per block. M: the binary64 errors of the inverses
/// cost     as block_triangle to make M, on the host unless vectors are binary64; a solve has as many multiply-adds. An
///          entry of T or of the inverses takes 8 bytes, with n^2 entries, for vectors of binary64, otherwise 12 bytes
/// order    as block_triangle, or as spmv: the same bits on every executor. Unless vectors are binary64, blocks
///          begin with the first row in both triangles, and an upper triangle has the transpose of its transpose's M.
///          So M of Cholesky factors is symmetric to the space's precision
/// throws   as block_triangle
template <vector_space S>
class dense_triangle {
public:
    using vector = typename S::vector;
    using executor = std::remove_const_t<decltype(S::exec)>;
    static constexpr index_t default_rows = blas::block_triangle<executor>::default_rows;

    dense_triangle(const S& space, blas::uplo which, const sparse_matrix& t, index_t rows_of_block = default_rows)
    {
        const bool transposed = !is_binary64 && which == blas::uplo::upper;
        matrix<host_executor, double> entries(t.rows, t.rows);
        for (index_t i = 0; i < t.rows; ++i) {
            for (index_t p = t.row_begin[i]; p < t.row_begin[i + 1]; ++p) {
                const index_t j = t.column[p];
                entries.set(transposed ? j : i, transposed ? i : j, t.values[p]);
            }
        }
        if constexpr (is_binary64) {
            entries_ = space.placed(std::move(entries));
            whole_.emplace(space.exec, which, blas::diag::non_unit, std::as_const(entries_).view(), rows_of_block);
        } else {
            make_steps(space, which, entries, rows_of_block);
        }
    }

    dense_triangle(dense_triangle&&) noexcept = default;  // the blocks point to entries that stay where they are
    dense_triangle& operator=(dense_triangle&&) noexcept = default;
    dense_triangle(const dense_triangle&) = delete;
    dense_triangle& operator=(const dense_triangle&) = delete;

    /// x <- M b; b is overwritten. The vectors are different; not safe for concurrent calls
    void solve(const S& space, vector& b, vector& x) const
    {
        if constexpr (is_binary64) {
            whole_->solve(space.exec, b.view(), x.view());
        } else {
            for (const step& each : steps_) {
                const auto x_k = x.view().part(each.begin, each.end);
                multiply(space, 1.0, each.inverse, b.view().part(each.begin, each.end), 0.0, x_k);
                if (each.rest_begin < each.rest_end) {
                    multiply(space, -1.0, each.rest, x_k, 1.0, b.view().part(each.rest_begin, each.rest_end));
                }
            }
        }
    }

private:
    static constexpr bool is_binary64 = std::same_as<typename S::element, double>;

    /// Finds unknowns begin, ..., end - 1, and subtracts their products from the rows of the rest.
    struct step {
        index_t begin, end;
        index_t rest_begin, rest_end;
        sliced_ell<executor, double> inverse, rest;
    };

    /// Makes the steps of a lower triangle, or of its transpose: these are the transposed steps in reverse order.
    void make_steps(const S& space, blas::uplo which, const matrix<host_executor, double>& lower, index_t rows)
    {
        const blas::block_triangle<host_executor> blocks({}, blas::uplo::lower, blas::diag::non_unit, lower.view(),
                                                         rows);
        const double* const inverses = blocks.inverses().data();
        const index_t n = lower.rows();
        for (index_t first = 0; first < n; first += rows) {
            const index_t last = std::min(first + rows, n);
            const double* const inverse = inverses + first * rows;
            if (which == blas::uplo::lower) {
                steps_.push_back({first, last, last, n,
                                  placed(space, last - first, last - first,
                                         [&](index_t i, index_t j) { return inverse[j * rows + i]; }),
                                  placed(space, n - last, last - first,
                                         [&](index_t i, index_t j) { return lower.get(last + i, first + j); })});
            } else {
                steps_.push_back({first, last, 0, first,
                                  placed(space, last - first, last - first,
                                         [&](index_t i, index_t j) { return inverse[i * rows + j]; }),
                                  placed(space, first, last - first,
                                         [&](index_t i, index_t j) { return lower.get(first + j, i); })});
            }
        }
        if (which == blas::uplo::upper) {
            std::reverse(steps_.begin(), steps_.end());
        }
    }

    /// The nonzeros of a matrix of entries entry(i, j), in the memory of the space.
    template <class F>
    static sliced_ell<executor, double> placed(const S& space, index_t rows, index_t cols, const F& entry)
    {
        sparse_matrix stored;
        stored.rows = rows;
        stored.cols = cols;
        stored.row_begin.push_back(0);
        for (index_t i = 0; i < rows; ++i) {
            for (index_t j = 0; j < cols; ++j) {
                if (const double value = entry(i, j); value != 0.0) {
                    stored.column.push_back(static_cast<std::int32_t>(j));
                    stored.values.push_back(value);
                }
            }
            stored.row_begin.push_back(static_cast<index_t>(stored.column.size()));
        }
        return space.placed(sliced_ell<host_executor, double>(make_csr(stored)));
    }

    /// y <- alpha A x + beta y
    template <class View>
    static void multiply(const S& space, double alpha, const sliced_ell<executor, double>& a, const View& x,
                         double beta, const View& y)
    {
        blas::spmv(space.exec, space.make_scalar(alpha), a, x, space.make_scalar(beta), y);
    }

    matrix<executor, double> entries_;  ///< the matrix that whole_ points into
    std::optional<blas::block_triangle<executor>> whole_;
    std::vector<step> steps_;
};

}  // namespace residua
