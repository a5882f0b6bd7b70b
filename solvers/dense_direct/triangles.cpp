#include <residua/solvers/dense_direct/triangles.hpp>

#include <concepts>

#include <residua/blas/base/parallel.hpp>
#include <residua/blas/exact/gemm_exact.hpp>
#include <residua/blas/exact/gemv_exact.hpp>
#include <residua/blas/level1/elementwise.hpp>
#include <residua/blas/level2/trsv.hpp>
#include <residua/blas/multidigit/for_indices.hpp>
#include <residua/solvers/dense_direct/device_blocks.hpp>

namespace residua::detail {
namespace {

constexpr index_t rows_solved_by_sums = 64;  // which solve_step() takes

template <class Exec>
using block_of = matrix_view<Exec, multidigit>;
template <class Exec>
using const_block_of = matrix_view<Exec, const multidigit>;

void solve_by_sums(const host_executor& exec, const triangle_kind& kind, const_block_of<host_executor> a,
                   block_of<host_executor> x)
{
    const double work = array_traits<multidigit>::operations(a.format) * static_cast<double>(a.cols * a.cols) *
                        static_cast<double>(x.cols);
    blas::detail::parallel_ranges(x.cols, 1, work, [&](index_t from, index_t to) {
        for (index_t j = from; j < to; ++j) {
            const auto column = x.column(j);
            blas::trsv(exec, kind.triangle, kind.transposed ? blas::trans::yes : blas::trans::no, kind.diagonal, a,
                       column, column);
        }
    });
}

#if defined(RESIDUA_CUDA)

void solve_by_sums(const cuda_executor& exec, const triangle_kind& kind, const_block_of<cuda_executor> a,
                   block_of<cuda_executor> x)
{
    solve_step(exec, kind.triangle, kind.diagonal, kind.transposed, a, x);
}

#endif

/// C <- C - A B, or C - A'B
template <class Exec>
void subtract_exact_product(const Exec& exec, bool transposed, const_block_of<Exec> a, const_block_of<Exec> b,
                            block_of<Exec> c)
{
    matrix<Exec, multidigit> product(c.format, c.rows, c.cols, exec);
    if (transposed) {
        matrix<Exec, multidigit> a_t(c.format, a.cols, a.rows, exec);
        copy_transposed<Exec>(exec, a, a_t.view());
        multiply_exactly<Exec>(exec, a_t.view(), b, product.view());
    } else {
        multiply_exactly<Exec>(exec, a, b, product.view());
    }
    const multidigit_number minus_one(c.format, -1.0);
    for (index_t j = 0; j < c.cols; ++j) {
        blas::axpy(exec, minus_one, product.view().column(j), c.column(j));
    }
}

}  // namespace

template <class Exec>
void multiply_exactly(const Exec& exec, matrix_view<Exec, const multidigit> a, matrix_view<Exec, const multidigit> b,
                      matrix_view<Exec, multidigit> c)
{
    if (c.rows == 0 || c.cols == 0) {
        return;
    }
    if (a.cols == 0) {
        for (index_t j = 0; j < c.cols; ++j) {
            blas::fill(exec, multidigit_number(c.format), c.column(j));
        }
    } else if (c.cols == 1) {
        blas::gemv_exact<multidigit>(exec, a, b.column(0), c.column(0));
    } else {
        blas::gemm_exact<multidigit>(exec, a, b, c);
    }
}

template <class Exec>
void copy_transposed(const Exec& exec, matrix_view<Exec, const multidigit> a, matrix_view<Exec, multidigit> b)
{
    const auto rows = [&](index_t from, index_t to) {
        for (index_t i = from; i < to; ++i) {
            blas::copy(exec, a.row(i), b.column(i));
        }
    };
    if constexpr (std::same_as<Exec, host_executor>) {
        const double words = static_cast<double>(a.rows) * static_cast<double>(a.cols) * a.format.bytes();
        blas::detail::parallel_ranges(a.rows, 1, words, rows);
    } else {
        rows(0, a.rows);
    }
}

template <class Exec>
void solve_triangle_by_halves(const Exec& exec, const triangle_kind& kind, matrix_view<Exec, const multidigit> a,
                              matrix_view<Exec, multidigit> x)
{
    const index_t n = a.cols;
    if (n == 0 || x.cols == 0) {
        return;
    }
    if (n <= rows_solved_by_sums) {
        solve_by_sums(exec, kind, a, x);
        return;
    }
    const index_t steps = (n + rows_solved_by_sums - 1) / rows_solved_by_sums;
    const index_t middle = (steps + 1) / 2 * rows_solved_by_sums, rest = n - middle;
    const bool lower = kind.triangle == blas::uplo::lower;
    const auto beside = lower ? a.block(middle, 0, rest, middle) : a.block(0, middle, middle, rest);
    const auto top = x.block(0, 0, middle, x.cols), bottom = x.block(middle, 0, rest, x.cols);
    const auto solve_top = [&] { solve_triangle_by_halves<Exec>(exec, kind, a.block(0, 0, middle, middle), top); };
    const auto solve_bottom = [&] {
        solve_triangle_by_halves<Exec>(exec, kind, a.block(middle, middle, rest, rest), bottom);
    };
    if (lower != kind.transposed) {
        solve_top();
        subtract_exact_product<Exec>(exec, kind.transposed, beside, top, bottom);
        solve_bottom();
    } else {
        solve_bottom();
        subtract_exact_product<Exec>(exec, kind.transposed, beside, bottom, top);
        solve_top();
    }
}

#define RESIDUA_INSTANTIATE(EXEC)                                                                                   \
    template void multiply_exactly(const EXEC&, matrix_view<EXEC, const multidigit>,                                \
                                   matrix_view<EXEC, const multidigit>, matrix_view<EXEC, multidigit>);             \
    template void copy_transposed(const EXEC&, matrix_view<EXEC, const multidigit>, matrix_view<EXEC, multidigit>); \
    template void solve_triangle_by_halves(const EXEC&, const triangle_kind&, matrix_view<EXEC, const multidigit>,  \
                                           matrix_view<EXEC, multidigit>);
RESIDUA_INSTANTIATE(host_executor)
#if defined(RESIDUA_CUDA)
RESIDUA_INSTANTIATE(cuda_executor)
#endif

}  // namespace residua::detail
