#include <residua/solvers/dense_direct/device_blocks.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

#include <residua/blas/multidigit/sums.cuh>
#include <residua/solvers/dense_direct/device_cells.cuh>

namespace residua::detail {
namespace {

using blas::detail::device_sum;

constexpr int warp = 32;
constexpr int threads = 128;
constexpr index_t chunk = blas::detail::multidigit_chunk;
constexpr index_t most_grid_rows = 65535;  // of blocks, in the second direction of a grid

/// sum <- sum + x y, of numbers in memory
template <int N>
__device__ __forceinline__ void add_product(device_sum<N>& sum, const std::uint32_t* x, const std::uint32_t* y,
                                            int digits, int p)
{
    const blas::detail::device_factors<N> factors{load_stored<std::uint32_t, N, (N > 8)>(x, digits),
                                                  load_stored<std::uint32_t, N, (N > 8)>(y, digits)};
    if (!blas::detail::add_usual_product(sum, factors, p)) {
        sum = blas::detail::with_unusual_product<N>(sum, x, y, digits, p);
    }
}

/// The top of a sum after a term whose factors have these exponents, as multidigit_sum sets it.
__device__ std::int64_t top_after(std::int64_t top, std::int32_t x, std::int32_t y)
{
    const std::int64_t exponent = std::int64_t{x} + y;
    return is_regular(x) && is_regular(y) && exponent > top ? exponent + device_sum<2>::slack_bits : top;
}

/// The sum of a_ik x_kj over k = from, ..., to - 1, rounded as gemm does it: in chunks of columns, which are merged.
template <int N, bool Const>
__device__ multidigit_float<std::uint32_t, N> sum_of_products(const multidigit_cells<N, Const>& a,
                                                              const multidigit_cells<N>& x, index_t i, index_t j,
                                                              index_t from, index_t to)
{
    const int digits = a.start.digits;
    std::int64_t top = device_sum<N>::nothing;  // of the chunk with the largest
    if (to - from > chunk) {
        RESIDUA_KEEP_LOOP
        for (index_t begin = from; begin < to; begin += chunk) {
            const index_t end = begin + chunk < to ? begin + chunk : to;
            std::int64_t own = device_sum<N>::nothing;
            RESIDUA_KEEP_LOOP
            for (index_t k = begin; k < end; ++k) {
                own = top_after(own, a.exponent(i, k), x.exponent(k, j));
            }
            top = own > top ? own : top;
        }
    }
    device_sum<N> total;
    total.raise(top);
    RESIDUA_KEEP_LOOP
    for (index_t begin = from; begin < to; begin += chunk) {
        const index_t end = begin + chunk < to ? begin + chunk : to;
        device_sum<N> sum;
        RESIDUA_KEEP_LOOP
        for (index_t k = begin; k < end; ++k) {
            add_product<N>(sum, a.start.number(i + k * a.ld), x.start.number(k + j * x.ld), digits, a.p);
        }
        if (to - from <= chunk) {
            return sum.result(a.p);
        }
        sum.raise(top);
        total.add_same_units(sum);
    }
    return total.result(a.p);
}

template <int N>
__global__ void __launch_bounds__(threads)
    subtract_sums_kernel(const __grid_constant__ multidigit_cells<N, true> a,
                         const __grid_constant__ multidigit_cells<N> b, const __grid_constant__ multidigit_cells<N> c,
                         index_t rows, index_t terms, index_t cols)
{
    blas::detail::wait_and_trigger();
    const index_t i = index_t{blockIdx.x} * threads + threadIdx.x;
    if (i >= rows) {
        return;
    }
    RESIDUA_KEEP_LOOP
    for (index_t j = blockIdx.y; j < cols; j += gridDim.y) {
        const auto sum = sum_of_products(a, b, i, j, 0, terms);
        c.store(i, j, c.difference(c.load(i, j), sum));
    }
}

constexpr int most_steps = 16;

/// The steps of a triangular solve by halves: rows first, ..., last - 1 are solved, or have the products with rows
/// from, ..., to - 1 subtracted if there are such.
struct triangle_steps {
    int count = 0;
    struct {
        int first, last, from, to;
    } step[most_steps];
};

void add_steps(triangle_steps& steps, index_t first, index_t last, index_t part)
{
    const auto add = [&](index_t begin, index_t end, index_t from, index_t to) {
        steps.step[steps.count++] = {static_cast<int>(begin), static_cast<int>(end), static_cast<int>(from),
                                     static_cast<int>(to)};
    };
    if (last - first <= part) {
        add(first, last, 0, 0);
        return;
    }
    const index_t middle = first + (last - first + part - 1) / part / 2 * part;
    add_steps(steps, first, middle, part);
    add(middle, last, first, middle);
    add_steps(steps, middle, last, part);
}

/// Each column of X is solved by blockDim.x threads, which have a row each; a block has some columns.
template <class Cells>
__global__ void __launch_bounds__(threads)
    solve_unit_lower_kernel(const __grid_constant__ Cells l, const __grid_constant__ Cells x, index_t cols,
                            const __grid_constant__ triangle_steps steps)
{
    blas::detail::wait_and_trigger();
    const int row = static_cast<int>(threadIdx.x);
    const index_t j = index_t{blockIdx.x} * blockDim.y + threadIdx.y;
    RESIDUA_KEEP_LOOP
    for (int s = 0; s < steps.count; ++s) {
        const auto step = steps.step[s];
        const bool takes_part = j < cols && row >= step.first && row < step.last;
        if constexpr (!number<typename Cells::number>) {
            if (step.from < step.to) {
                if (takes_part) {
                    x.store(row, j, x.difference(x.load(row, j), sum_of_products(l, x, row, j, step.from, step.to)));
                }
                __syncthreads();
                continue;
            }
        }
        RESIDUA_KEEP_LOOP
        for (int k = step.first; k + 1 < step.last; ++k) {
            if (takes_part && row > k) {
                x.store(row, j, x.multiply_add(Cells::minus(l.load(row, k)), x.load(k, j), x.load(row, j)));
            }
            __syncthreads();
        }
    }
}

/// Where a triangle is, and which.
struct triangle_step {
    index_t n = 0;
    index_t row = 1, col = 0;  ///< T(i, k) is number i row + k col
    bool lower = true;         ///< T, and not A
    bool unit = false;
};

constexpr int most_terms = 64;  // of a row: two for each lane

/// A warp solves for one column of X, row by row. The units of a sum follow from the exponents of its terms: if they
/// never change after the first term, the terms may be added in any order, and each lane adds two.
template <int N>
__global__ void __launch_bounds__(warp)
    solve_step_kernel(const __grid_constant__ multidigit_cells<N, true> t,
                      const __grid_constant__ multidigit_cells<N> x, const __grid_constant__ triangle_step which)
{
    __shared__ std::int64_t exponent[most_terms];
    blas::detail::wait_and_trigger();
    const index_t j = blockIdx.x;
    const int lane = static_cast<int>(threadIdx.x), digits = x.start.digits, p = x.p;
    const auto entry = [&](index_t i, index_t k) { return t.start.number(i * which.row + k * which.col); };
    const auto exponent_at = [&](const std::uint32_t* number) {
        return static_cast<std::int32_t>(number[digits * words_apart] ^ highest_bit);
    };
    RESIDUA_KEEP_LOOP
    for (index_t done = 0; done < which.n; ++done) {
        const index_t i = which.lower ? done : which.n - 1 - done;
        const index_t first = which.lower ? 0 : i + 1;
        const int terms = static_cast<int>(done);
        constexpr std::int64_t nothing = device_sum<N>::nothing;
        RESIDUA_KEEP_LOOP
        for (int k = lane; k < terms; k += warp) {
            const std::int64_t of_t = exponent_at(entry(i, first + k)), of_x = x.exponent(first + k, j);
            const bool regular =
                is_regular(static_cast<std::int32_t>(of_t)) && is_regular(static_cast<std::int32_t>(of_x));
            exponent[k] = regular ? of_t + of_x : nothing;
        }
        __syncwarp();
        const auto b = x.load(i, j);
        std::int64_t top = is_regular(b.exponent) ? std::int64_t{b.exponent} + device_sum<N>::slack_bits : nothing;
        bool changes = false;
        RESIDUA_KEEP_LOOP
        for (int k = 0; k < terms; ++k) {
            if (exponent[k] > top) {
                changes = changes || top != nothing;
                top = exponent[k] + device_sum<N>::slack_bits;
            }
        }
        device_sum<N> sum;
        const int stride = changes ? 1 : warp;  // if units change, every lane adds all terms
        if (!changes) {
            sum.raise(top);
        }
        if (changes || lane == 0) {
            sum.add(b, p);
        }
        RESIDUA_KEEP_LOOP
        for (int k = changes ? 0 : lane; k < terms; k += stride) {
            const auto of_x = negated(x.load(first + k, j));
            sum.add_product(residua::detail::load<std::uint32_t, N>(entry(i, first + k), digits), of_x, p);
        }
        __syncwarp();
        if (!changes) {
            blas::detail::add_warp<N>(sum);
        }
        auto solution = sum.result(p);
        if (!which.unit) {
            solution = div(solution, residua::detail::load<std::uint32_t, N>(entry(i, i), digits), p);
        }
        if (lane == 0) {
            x.store(i, j, solution);
        }
        __syncwarp();
    }
}

}  // namespace

void subtract_sums(const cuda_executor& exec, matrix_view<cuda_executor, const multidigit> a,
                   device_block<multidigit> b, device_block<multidigit> c)
{
    if (c.rows == 0 || c.cols == 0) {
        return;
    }
    const device_guard current(exec);
    const auto across = static_cast<unsigned>(std::min(c.cols, most_grid_rows));
    const dim3 grid(static_cast<unsigned>((c.rows + threads - 1) / threads), across);
    blas::detail::with_device_size(c.format, [&]<int N>() {
        using cells = multidigit_cells<N>;
        blas::detail::launch(exec, "gemm", grid, threads, subtract_sums_kernel<N>, multidigit_cells<N, true>::of(a),
                             cells::of(b), cells::of(c), c.rows, a.cols, c.cols);
    });
}

template <class E>
void solve_unit_lower(const cuda_executor& exec, device_block<E> l, index_t part, device_block<E> x)
{
    if (x.rows == 0 || x.cols == 0) {
        return;
    }
    const device_guard current(exec);
    triangle_steps steps;
    add_steps(steps, 0, x.rows, part);
    unsigned rows = 8;
    while (rows < x.rows) {
        rows *= 2;
    }
    const dim3 block(rows, threads / rows);
    const auto grid = static_cast<unsigned>((x.cols + block.y - 1) / block.y);
    with_cells(x, [&]<class Cells>() {
        blas::detail::launch(exec, "trsm", grid, block, solve_unit_lower_kernel<Cells>, Cells::of(l), Cells::of(x),
                             x.cols, steps);
    });
}

void solve_step(const cuda_executor& exec, blas::uplo triangle, blas::diag diagonal, bool transposed,
                matrix_view<cuda_executor, const multidigit> a, device_block<multidigit> x)
{
    if (x.rows == 0 || x.cols == 0) {
        return;
    }
    const device_guard current(exec);
    triangle_step which{.n = a.cols,
                        .row = 1,
                        .col = a.ld,
                        .lower = (triangle == blas::uplo::lower) != transposed,
                        .unit = diagonal == blas::diag::unit};
    if (transposed) {
        std::swap(which.row, which.col);
    }
    blas::detail::with_device_size(x.format, [&]<int N>() {
        blas::detail::launch(exec, "trsv", static_cast<unsigned>(x.cols), warp, solve_step_kernel<N>,
                             multidigit_cells<N, true>::of(a), multidigit_cells<N>::of(x), which);
    });
}

#define RESIDUA_INSTANTIATE(...) \
    template void solve_unit_lower(const cuda_executor&, device_block<__VA_ARGS__>, index_t, device_block<__VA_ARGS__>);
RESIDUA_FOR_EACH_ELIMINATED(RESIDUA_INSTANTIATE)

}  // namespace residua::detail
