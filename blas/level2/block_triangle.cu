#include <residua/blas/level2/block_triangle.hpp>

#include <residua/blas/base/check.hpp>
#include <residua/blas/base/launch.cuh>
#include <residua/blas/level1/elementwise.hpp>

namespace residua::blas {
namespace {

constexpr const char* op = "block_triangle";
constexpr int lanes = 32;  // rows, or columns of an inverse, that a warp has, one a lane
constexpr int most_threads = static_cast<int>(block_triangle<cuda_executor>::most_rows);
constexpr int most_warps = most_threads / lanes;
static_assert(block_triangle<cuda_executor>::group == lanes, "a warp sums a group of columns");

/// A block has 32 columns, slice blockIdx.x, of inverse blockIdx.y: warp w rows 32 w, ..., 32 w + 31 of them in registers,
/// a lane a column. Panels of 32 rows above the slice are zero. In the others, one warp after the other solves for
/// its own rows, and the warps behind subtract them from theirs. Rows of T are Row words apart.
template <int Row>
__global__ void __launch_bounds__(most_threads)
    invert_kernel(detail::in_steps all, index_t n, bool unit, double* inverse)
{
    __shared__ double panel[lanes][lanes];  // (row, column)
    const int lane = static_cast<int>(threadIdx.x) % lanes;
    const int warp = static_cast<int>(threadIdx.x) / lanes;
    const int warps = static_cast<int>(blockDim.x) / lanes;
    const int slice = static_cast<int>(blockIdx.x);
    const index_t rows_of_block = blockDim.x;
    const index_t first = blockIdx.y * rows_of_block;
    const index_t rows = n - first < rows_of_block ? n - first : rows_of_block;  // the last block may have fewer
    const detail::in_steps t{all.at(first, first), all.row, all.col};
    const index_t mine = index_t{warp} * lanes;                                    // the first row of this warp
    const int here = static_cast<int>(rows - mine < lanes ? rows - mine : lanes);  // its rows; may be negative
    detail::wait_and_trigger();
    double x[lanes];  // (row), this lane's column
#pragma unroll
    for (int r = 0; r < lanes; ++r) {
        x[r] = warp == slice && r == lane ? 1.0 : 0.0;
    }
    for (int p = slice; p < warps; ++p) {
        const index_t above = index_t{p} * lanes;
        if (warp == p) {
            // A lane goes down its column in shared memory: registers have no run-time index.
#pragma unroll
            for (int r = 0; r < lanes; ++r) {
                panel[r][lane] = x[r];
            }
#pragma unroll 1
            for (int k = p > slice ? 0 : lane; k < here; ++k) {
                const double* const column = t.at(mine, mine + k);
                double x_k = panel[k][lane];
                if (!unit) {
                    x_k = x_k / column[k * Row];
                    panel[k][lane] = x_k;
                }
#pragma unroll 8
                for (int r = k + 1; r < here; ++r) {
                    panel[r][lane] = ::fma(-column[r * Row], x_k, panel[r][lane]);
                }
            }
#pragma unroll
            for (int r = 0; r < lanes; ++r) {
                x[r] = panel[r][lane];
            }
        }
        __syncthreads();
        if (warp > p && above < rows) {
            const index_t known = rows - above < lanes ? rows - above : lanes;
#pragma unroll 1
            for (int k = 0; k < known; ++k) {
                const double x_k = panel[k][lane];
                const double* const column = t.at(mine, above + k);
                if (p > slice || k >= lane) {
#pragma unroll
                    for (int r = 0; r < lanes; ++r) {
                        if (r < here) {
                            x[r] = ::fma(-column[r * Row], x_k, x[r]);
                        }
                    }
                }
            }
        }
        __syncthreads();
    }
    double* const column = inverse + (first + index_t{slice} * lanes + lane) * rows_of_block + mine;
#pragma unroll
    for (int r = 0; r < lanes; ++r) {
        if (r < here) {
            column[r] = x[r];
        }
    }
}

/// Rows of a product of a block with a part of a vector, 32 in each block of threads, a lane a row; warp w has columns
/// 32 w, ..., 32 w + 31. Of the inverse (y <- X c) those up to the diagonal; else y <- y - T x.
///
/// The factors are read before the wait for earlier kernels: they take most of the time, and no kernel writes them.
template <bool Inverse>
__global__ void __launch_bounds__(most_threads)
    multiply_kernel(detail::in_steps a, index_t rows, const double* x, double* y, index_t step)
{
    __shared__ double sums[most_warps][lanes];  // (group of columns, row)
    const int lane = static_cast<int>(threadIdx.x) % lanes;
    const int warp = static_cast<int>(threadIdx.x) / lanes;
    const index_t i = index_t{blockIdx.x} * lanes + lane;
    const int tile = static_cast<int>(blockIdx.x);
    const int warps = Inverse ? tile + 1 : static_cast<int>(blockDim.x) / lanes;  // that have columns
    const int cols = i >= rows || warp >= warps ? 0 : (Inverse && warp == tile ? lane + 1 : lanes);
    const index_t first = index_t{warp} * lanes;
    double entry[lanes];
#pragma unroll
    for (int j = 0; j < lanes; ++j) {
        entry[j] = j < cols ? *a.at(i, first + j) : 0.0;
    }
    detail::wait_and_trigger();
    const bool is_there = warp < warps && (!Inverse || first + lane < rows);
    const double x_lane = is_there ? x[(first + lane) * step] : 0.0;
    double sum = 0.0;
#pragma unroll
    for (int j = 0; j < lanes; ++j) {
        const double x_j = __shfl_sync(0xffffffffU, x_lane, j);
        if (j < cols) {
            sum = ::fma(entry[j], x_j, sum);
        }
    }
    sums[warp][lane] = sum;
    __syncthreads();
    if (warp == 0 && i < rows) {
        for (int w = 1; w < warps; ++w) {
            sum = sum + sums[w][lane];
        }
        y[i * step] = Inverse ? sum : y[i * step] - sum;
    }
}

unsigned tiles(index_t rows) { return static_cast<unsigned>((rows + lanes - 1) / lanes); }

}  // namespace

template <>
void block_triangle<cuda_executor>::invert(const cuda_executor& exec)
{
    const device_guard current(exec);
    const dim3 grid(tiles(rows_), static_cast<unsigned>(blocks()));
    detail::launch(exec, op, grid, static_cast<unsigned>(rows_), lower_ ? invert_kernel<1> : invert_kernel<-1>, t_, n_,
                   unit_, inverse_.data());
}

template <>
void block_triangle<cuda_executor>::solve(const cuda_executor& exec, in_vector<cuda_executor, double> b,
                                          vector_view<cuda_executor, double> x) const
{
    require_equal(op, "order of T and size of b", n_, b.size);
    require_equal(op, "order of T and size of x", n_, x.size);
    if (n_ == 0) {
        return;
    }
    const device_guard current(exec);
    const auto threads = static_cast<unsigned>(rows_);
    const index_t to_next = step();
    double* const c = first(c_.data());
    double* const y = first(x.data());
    // This kernel waits for all before it, so those behind it may read T and the inverses as soon as they come.
    copy<double>(exec, b, {{c_.data(), 0}, n_});
    for (index_t k = 0; k < blocks(); ++k) {
        const index_t before = k * rows_;
        const index_t behind = before + rows_of(k);
        detail::launch(exec, op, tiles(rows_of(k)), threads, multiply_kernel<true>, inverse_of(k), rows_of(k),
                       c + before * to_next, y + before * to_next, to_next);
        if (behind < n_) {
            detail::launch(exec, op, tiles(n_ - behind), threads, multiply_kernel<false>, t_.from(behind, before),
                           n_ - behind, y + before * to_next, c + behind * to_next, to_next);
        }
    }
}

}  // namespace residua::blas
