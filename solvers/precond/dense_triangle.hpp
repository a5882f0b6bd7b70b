#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <residua/blas/base/matrix.hpp>
#include <residua/blas/base/parallel.hpp>
#include <residua/blas/level2/block_triangle.hpp>
#include <residua/blas/level2/gemv.hpp>
#include <residua/blas/level2/triangle.hpp>
#include <residua/blas/sparse/spmv.hpp>
#include <residua/solvers/matrix/make_csr.hpp>
#include <residua/solvers/precond/factors.hpp>
#include <residua/solvers/space/vector_space.hpp>

namespace residua {

/// x = M b, M ~ T^-1 for a dense triangle T in binary64 and vectors of a space. The blocks and the inverses are as in
/// block_triangle: x_k = X_k (b_k - sum_(j<k) T_kj x_j). So M is one linear operator to the space's precision.
///
/// trsv goes down such a triangle row by row, and every row waits for the one before.
///
/// shapes   T (n x n), every entry of its triangle stored
/// errors   M b: as block_triangle in binary64, otherwise two gemv per block, or spmv of multi-digit and RNS floats. M:
///          the binary64 errors of the inverses
/// cost     as block_triangle to make M, on the host unless vectors are binary64; a solve has as many multiply-adds, and
///          n m / 2 more with expansions. An entry of T or of the inverses takes 8 bytes, or 12 for multi-digit and RNS
///          floats; for vectors of binary64 there are n^2 of T
/// order    as block_triangle, gemv or spmv: the same bits on every executor. Unless vectors are binary64, blocks
///          begin with the first row in both triangles, and an upper triangle has the transpose of its transpose's M.
///          So M of Cholesky factors is symmetric to the space's precision
/// throws   as block_triangle
template <vector_space S>
class dense_triangle {
public:
    using element = typename S::element;
    using vector = typename S::vector;
    using executor = std::remove_const_t<decltype(S::exec)>;
    static constexpr index_t default_rows = blas::block_triangle<executor>::default_rows;

    dense_triangle(const S& space, blas::uplo which, const sparse_matrix& t, index_t rows_of_block = default_rows)
    {
        blas::detail::require_block_triangle(t.rows, t.cols, rows_of_block);
        if constexpr (is_binary64) {
            block entries(t.rows, t.rows);
            for_blocks(t, rows_of_block, [&](index_t, index_t begin, index_t end) {
                for_each_entry(t, begin, end, [&](index_t i, index_t j, double value) { entries.set(i, j, value); });
            });
            entries_ = space.placed(std::move(entries));
            whole_.emplace(space.exec, which, blas::diag::non_unit, std::as_const(entries_).view(), rows_of_block);
        } else {
            make_steps(space, which == blas::uplo::lower, t, rows_of_block);
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

    /// X <- M X for several vectors, each with the bits of solve(), as block_triangle::solve_rows.
    void solve_rows(matrix_view<host_executor, double> x_t) const
        requires(std::same_as<element, double> && S::on_host)
    {
        whole_->solve_rows(x_t);
    }

private:
    static constexpr bool is_binary64 = std::same_as<element, double>;

    using block = matrix<host_executor, double>;
    /// A block as it is multiplied with vectors of the space.
    template <class Exec>
    using block_on = std::conditional_t<run_time_format<element>, sliced_ell<Exec, double>, matrix<Exec, double>>;
    using host_block = block_on<host_executor>;
    using stored_block = block_on<executor>;

    /// Finds unknowns begin, ..., end - 1, and subtracts their products from the rows of the rest.
    struct step {
        index_t begin, end;
        index_t rest_begin, rest_end;
        stored_block inverse, rest;
    };

    /// f(k, begin, end) for each block k of columns, by several threads.
    template <class F>
    static void for_blocks(const sparse_matrix& t, index_t rows, const F& f)
    {
        const double operations = 4.0 * static_cast<double>(t.nonzeros());
        blas::detail::parallel_ranges((t.cols + rows - 1) / rows, 1, operations, [&](index_t from, index_t to) {
            for (index_t k = from; k < to; ++k) {
                f(k, k * rows, std::min((k + 1) * rows, t.cols));
            }
        });
    }

    /// f(i, j, t_ij) for the entries of columns begin, ..., end - 1
    template <class F>
    static void for_each_entry(const sparse_matrix& t, index_t begin, index_t end, const F& f)
    {
        for (index_t i = 0; i < t.rows; ++i) {
            const auto last = t.column.begin() + t.row_begin[i + 1];
            auto at = std::lower_bound(t.column.begin() + t.row_begin[i], last, begin);
            for (; at != last && *at < end; ++at) {
                f(i, index_t{*at}, t.values[static_cast<std::size_t>(at - t.column.begin())]);
            }
        }
    }

    /// Makes the steps of a triangle by columns of blocks. Those of an upper one are in reverse order.
    void make_steps(const S& space, bool lower, const sparse_matrix& t, index_t rows)
    {
        std::vector<std::pair<host_block, host_block>> made(static_cast<std::size_t>((t.rows + rows - 1) / rows));
        for_blocks(t, rows, [&](index_t k, index_t begin, index_t end) {
            block diagonal(end - begin, end - begin);  // of an upper triangle its transpose
            block rest(lower ? t.rows - end : begin, end - begin);
            for_each_entry(t, begin, end, [&](index_t i, index_t j, double value) {
                if (begin <= i && i < end) {
                    diagonal.set((lower ? i : j) - begin, (lower ? j : i) - begin, value);
                } else {
                    rest.set(lower ? i - end : i, j - begin, value);
                }
            });
            invert(diagonal, !lower, rows);
            made[static_cast<std::size_t>(k)] = {stored(std::move(diagonal)), stored(std::move(rest))};
        });
        for (std::size_t k = 0; k < made.size(); ++k) {
            const index_t begin = static_cast<index_t>(k) * rows, end = std::min(begin + rows, t.rows);
            steps_.push_back({begin, end, lower ? end : 0, lower ? t.rows : begin,
                              space.placed(std::move(made[k].first)), space.placed(std::move(made[k].second))});
        }
        if (!lower) {
            std::reverse(steps_.begin(), steps_.end());
        }
    }

    /// A lower triangle becomes its inverse, or the transpose of that.
    static void invert(block& lower, bool transposes, index_t rows)
    {
        const blas::block_triangle<host_executor> made({}, blas::uplo::lower, blas::diag::non_unit,
                                                       std::as_const(lower).view(), rows);
        const double* const inverse = made.inverses().data();
        for (index_t j = 0; j < lower.cols(); ++j) {
            for (index_t i = j; i < lower.rows(); ++i) {
                lower.set(i, j, 0.0);
                lower.set(transposes ? j : i, transposes ? i : j, inverse[j * rows + i]);
            }
        }
    }

    static host_block stored(block entries)
    {
        if constexpr (!run_time_format<element>) {
            return entries;
        } else {
            sparse_matrix nonzeros;
            nonzeros.rows = entries.rows();
            nonzeros.cols = entries.cols();
            nonzeros.row_begin.push_back(0);
            for (index_t i = 0; i < entries.rows(); ++i) {
                for (index_t j = 0; j < entries.cols(); ++j) {
                    if (const double value = entries.get(i, j); value != 0.0) {
                        nonzeros.column.push_back(static_cast<std::int32_t>(j));
                        nonzeros.values.push_back(value);
                    }
                }
                nonzeros.row_begin.push_back(static_cast<index_t>(nonzeros.column.size()));
            }
            return host_block(make_csr(nonzeros));
        }
    }

    /// y <- alpha A x + beta y
    template <class View>
    static void multiply(const S& space, double alpha, const stored_block& a, const View& x, double beta, const View& y)
    {
        if constexpr (run_time_format<element>) {
            blas::spmv(space.exec, space.make_scalar(alpha), a, x, space.make_scalar(beta), y);
        } else {
            blas::gemv<element>(space.exec, blas::trans::no, space.make_scalar(alpha), a.view(), x,
                                space.make_scalar(beta), y);
        }
    }

    matrix<executor, double> entries_;  ///< the matrix that whole_ points into
    std::optional<blas::block_triangle<executor>> whole_;
    std::vector<step> steps_;
};

}  // namespace residua
