#include <residua/blas/level3/getrf_mixed.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

#include <cuda_fp16.h>

#include <residua/blas/base/buffer.hpp>
#include <residua/blas/base/cublas.cuh>
#include <residua/blas/base/launch.cuh>
#include <residua/blas/level3/getrf.cuh>

namespace residua::blas {
namespace {

using detail::require_cublas;
using detail::require_cusolver;

constexpr const char* op = "getrf_mixed";
/// irs_bench factors times others: 256 columns are the fastest up to n = 8192, 512 at 16384.
index_t panel_columns_of_device(index_t n) { return n < 12288 ? 256 : 512; }

constexpr int swaps_threads = 2 * detail::most_panel_columns;
constexpr int columns_at_once = 4;
constexpr unsigned swaps_blocks = 1024;

/// Swaps row k of the panel's rows with row pivots[k] - 1 of them, for k = 0, ..., width - 1, in all other columns.
///
/// Taken backwards, the swaps lead to the place that each row comes from: a thread follows the k-th row or the one that
/// it is swapped with, and then moves its number in each column. Threads of the same row move the same numbers.
__global__ void __launch_bounds__(swaps_threads)
    swap_rows_kernel(lapack_matrix<cuda_executor, float> a, index_t first, int width, const std::int64_t* pivots)
{
    __shared__ int swapped[detail::most_panel_columns];
    detail::wait_and_trigger();
    const int t = static_cast<int>(threadIdx.x);
    const index_t rows = a.n - first;
    if (t < width) {
        const index_t p = pivots[t] - 1;
        swapped[t] = static_cast<int>(p >= t && p < rows ? p : t);  // no others are those of finite numbers
    }
    __syncthreads();
    const int to = t < width ? t : swapped[t - width];
    int from = to;
    for (int k = width - 1; k >= 0; --k) {
        const int p = swapped[k];
        from = from == k ? p : from == p ? k : from;
    }
    const bool moves = from != to && (t < width || to >= width);
    const index_t others = a.n - width;
    for (index_t c = index_t{blockIdx.x} * columns_at_once; c < others; c += index_t{gridDim.x} * columns_at_once) {
        float moved[columns_at_once];
        const auto column = [&](int q) { return a.data + (c + q < first ? c + q : c + q + width) * a.ld + first; };
#pragma unroll
        for (int q = 0; q < columns_at_once; ++q) {
            if (moves && c + q < others) {
                moved[q] = column(q)[from];
            }
        }
        __syncthreads();
#pragma unroll
        for (int q = 0; q < columns_at_once; ++q) {
            if (moves && c + q < others) {
                column(q)[to] = moved[q];
            }
        }
    }
}

constexpr int tile = 32;
constexpr int tile_rows = 8;

__device__ float in_precision_of(float, float x) { return detail::rounded_to(low_precision::tf32, x); }
__device__ __half in_precision_of(__half, float x) { return __float2half_rn(x); }

/// Rounds a panel for the products: column r, or row r if Transposed, becomes `width` numbers from to[r * ld_to] on.
/// If a number is not finite, *not_finite becomes panels_left, unless it is larger already. A block rounds a tile
/// (tile, tile).
template <class To, bool Transposed>
__global__ void __launch_bounds__(tile* tile_rows) round_kernel(const float* from, index_t ld, int width, index_t count,
                                                                To* to, index_t ld_to, int panels_left, int* not_finite)
{
    __shared__ float transposed[tile][tile + 1];  // (column of the panel, row of it)
    detail::wait_and_trigger();
    const int x = static_cast<int>(threadIdx.x);
    const index_t first = index_t{blockIdx.x} * tile;
    const int first_k = static_cast<int>(blockIdx.y) * tile;
    if constexpr (Transposed) {
        for (int y = static_cast<int>(threadIdx.y); y < tile; y += tile_rows) {
            if (first + x < count && first_k + y < width) {
                transposed[y][x] = from[(first_k + y) * ld + first + x];
            }
        }
        __syncthreads();
    }
    bool found = false;
    for (int y = static_cast<int>(threadIdx.y); y < tile; y += tile_rows) {
        const int k = first_k + x;
        const index_t r = first + y;
        if (k < width && r < count) {
            const To rounded = in_precision_of(To{}, Transposed ? transposed[x][y] : from[r * ld + k]);
            const auto value = static_cast<float>(rounded);
            to[r * ld_to + k] = rounded;
            found = found || !(value - value == 0.0f);
        }
    }
    if (found) {
        atomicMax(not_finite, panels_left);
    }
}

constexpr int pivot_threads = 256;

__global__ void __launch_bounds__(pivot_threads) pivots_kernel(index_t n, index_t panel_columns, std::int64_t* pivots)
{
    detail::wait_and_trigger();
    const index_t k = index_t{blockIdx.x} * pivot_threads + threadIdx.x;
    if (k < n) {
        pivots[k] = detail::pivot_of_matrix(pivots[k], k, panel_columns);
    }
}

unsigned blocks_for(index_t count, index_t of_block)
{
    return static_cast<unsigned>((count + of_block - 1) / of_block);
}

/// This thread's cuBLAS, which may use tensor cores while this object lives.
class cublas_with_tensor_cores {
public:
    explicit cublas_with_tensor_cores(const cuda_executor& exec) : get_(detail::cublas_of(op, exec))
    {
        require_cublas(op, functions_.set_math_mode(get_, CUBLAS_DEFAULT_MATH));
    }
    cublas_with_tensor_cores(const cublas_with_tensor_cores&) = delete;
    cublas_with_tensor_cores& operator=(const cublas_with_tensor_cores&) = delete;
    ~cublas_with_tensor_cores() { (void)functions_.set_math_mode(get_, CUBLAS_PEDANTIC_MATH); }

    cublasHandle_t get() const { return get_; }

private:
    const detail::cublas_functions& functions_ = detail::cublas(op);
    cublasHandle_t get_;
};

/// Factorises panels by cuSOLVER, in a workspace that is large enough for each of them.
class panels {
public:
    panels(const cuda_executor& exec, const lapack_matrix<cuda_executor, float>& a, index_t columns)
        : a_(a), columns_(columns), how_(op), info_((a.n + columns - 1) / columns, exec)
    {
        const cusolverDnHandle_t handle = detail::cusolver_of(op, exec);
        std::size_t device_bytes = 0;
        std::size_t host_bytes = 0;
        for (index_t first = 0; first < a.n; first += columns) {
            std::size_t on_device = 0;
            std::size_t on_host = 0;
            require_cusolver(op, functions_.getrf_bytes(handle, how_.get(), a.n - first, width(first), CUDA_R_32F,
                                                        start(first), a.ld, CUDA_R_32F, &on_device, &on_host));
            device_bytes = std::max(device_bytes, on_device);
            host_bytes = std::max(host_bytes, on_host);
        }
        device_work_ = {static_cast<index_t>(device_bytes), exec, uninitialized{}};
        host_work_.resize(host_bytes);
    }

    /// The panel whose first row and column is `first`.
    void factorize(const cuda_executor& exec, index_t first, std::int64_t* pivots)
    {
        require_cusolver(op, functions_.getrf(detail::cusolver_of(op, exec), how_.get(), a_.n - first, width(first),
                                              CUDA_R_32F, start(first), a_.ld, pivots + first, CUDA_R_32F,
                                              device_work_.data(), static_cast<std::size_t>(device_work_.size()),
                                              host_work_.data(), host_work_.size(), info_.data() + first / columns_));
    }

    /// The number of the first zero pivot, or 0. Waits.
    index_t zero_pivot(const cuda_executor& exec) const
    {
        const buffer<host_executor, int> info = to_host(exec, info_);
        for (index_t panel = 0; panel < info.size(); ++panel) {
            const int of_panel = info.data()[panel];
            if (of_panel < 0) {
                throw cuda_error(std::string(op) + ": cuSOLVER refuses argument " + std::to_string(-of_panel));
            }
            if (of_panel > 0) {
                return panel * columns_ + of_panel;
            }
        }
        return 0;
    }

    index_t width(index_t first) const { return std::min(columns_, a_.n - first); }
    float* start(index_t first) const { return a_.data + first * (a_.ld + 1); }

private:
    const detail::cusolver_functions& functions_ = detail::cusolver(op);
    lapack_matrix<cuda_executor, float> a_;
    index_t columns_;
    detail::cusolver_parameters how_;
    buffer<cuda_executor, int> info_;
    buffer<cuda_executor, unsigned char> device_work_;
    std::vector<std::byte> host_work_;
};

/// The rows of U beside a panel, and what both subtract from the rest. Copies have the terms of a sum side by side, as
/// tensor cores read them.
template <class To>
class updates {
public:
    updates(const cuda_executor& exec, const lapack_matrix<cuda_executor, float>& a, index_t columns)
        : ld_((columns + 7) / 8 * 8),
          l_(ld_ * a.n, exec, uninitialized{}),
          u_(ld_ * a.n, exec, uninitialized{}),
          not_finite_(1, exec)
    {}

    void subtract(const cuda_executor& exec, cublasHandle_t with, const lapack_matrix<cuda_executor, float>& a,
                  float* panel, index_t width, index_t rest)
    {
        const detail::cublas_functions& f = detail::cublas(op);
        float* const right = panel + width * a.ld;
        const float one = 1.0f;
        const float minus_one = -1.0f;
        require_cublas(op, f.strsm(with, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_UNIT, width,
                                   rest, &one, panel, a.ld, right, a.ld));
        const auto panels_left = static_cast<int>((rest + width - 1) / width);
        round<true>(exec, panel + width, a.ld, width, rest, l_, panels_left);
        round<false>(exec, right, a.ld, width, rest, u_, panels_left);
        constexpr bool half = std::is_same_v<To, __half>;
        constexpr cudaDataType type = half ? CUDA_R_16F : CUDA_R_32F;
        constexpr cublasComputeType_t sums = half ? CUBLAS_COMPUTE_32F : CUBLAS_COMPUTE_32F_FAST_TF32;
        require_cublas(
            op, f.gemm_ex(with, CUBLAS_OP_T, CUBLAS_OP_N, rest, rest, width, &minus_one, l_.data(), type, ld_,
                          u_.data(), type, ld_, &one, right + width, CUDA_R_32F, a.ld, sums, CUBLAS_GEMM_DEFAULT));
    }

    /// The number of panels left when a number first was not finite, before rounding or by that; 0: all are. Waits.
    index_t left_when_not_finite(const cuda_executor& exec) const { return *to_host(exec, not_finite_).data(); }

private:
    using word = std::conditional_t<std::is_same_v<To, __half>, std::uint16_t, To>;  // of a buffer

    template <bool Transposed>
    void round(const cuda_executor& exec, const float* from, index_t ld, index_t width, index_t count,
               buffer<cuda_executor, word>& to, int panels_left)
    {
        detail::launch(exec, op, dim3(blocks_for(count, tile), blocks_for(width, tile)), dim3(tile, tile_rows),
                       round_kernel<To, Transposed>, from, ld, static_cast<int>(width), count,
                       reinterpret_cast<To*>(to.data()), ld_, panels_left, not_finite_.data());
    }

    index_t ld_;
    buffer<cuda_executor, word> l_, u_;
    buffer<cuda_executor, int> not_finite_;
};

template <class To>
index_t factorize(const cuda_executor& exec, const lapack_matrix<cuda_executor, float>& a,
                  std::span<std::int64_t> pivots, index_t panel_columns)
{
    panels left(exec, a, panel_columns);
    updates<To> right(exec, a, panel_columns);
    const cublas_with_tensor_cores with(exec);
    for (index_t first = 0; first < a.n; first += panel_columns) {
        const index_t width = left.width(first);
        const index_t rest = a.n - first - width;
        left.factorize(exec, first, pivots.data());
        if (a.n > width) {
            detail::launch(exec, op, std::min(blocks_for(a.n - width, columns_at_once), swaps_blocks),
                           2 * static_cast<unsigned>(width), swap_rows_kernel, a, first, static_cast<int>(width),
                           pivots.data() + first);
        }
        if (rest > 0) {
            right.subtract(exec, with.get(), a, left.start(first), width, rest);
        }
    }
    detail::launch(exec, op, blocks_for(a.n, pivot_threads), pivot_threads, pivots_kernel, a.n, panel_columns,
                   pivots.data());
    const index_t zero_pivot = left.zero_pivot(exec);
    const index_t panels = (a.n + panel_columns - 1) / panel_columns;
    const index_t left_when_not_finite = right.left_when_not_finite(exec);
    // cuSOLVER may take a NaN for a zero pivot
    const bool finite_so_far = (zero_pivot - 1) / panel_columns < panels - left_when_not_finite;
    if (left_when_not_finite > 0 && (zero_pivot == 0 || !finite_so_far)) {
        detail::make_nan(op, exec, a, pivots);
        return 0;
    }
    return zero_pivot;
}

}  // namespace

index_t getrf_mixed(const cuda_executor& exec, lapack_matrix<cuda_executor, float> a, std::span<std::int64_t> pivots,
                    low_precision of_products)
{
    return detail::getrf_mixed(exec, a, pivots, of_products, panel_columns_of_device(a.n));
}

index_t detail::getrf_mixed(const cuda_executor& exec, lapack_matrix<cuda_executor, float> a,
                            std::span<std::int64_t> pivots, low_precision of_products, index_t panel_columns)
{
    require_lapack_matrix(op, a.n, a.ld, pivots.size());
    require_panel_columns(panel_columns);
    if (a.n == 0) {
        return 0;
    }
    const device_guard current(exec);
    if (has_not_finite(op, exec, a)) {
        make_nan(op, exec, a, pivots);
        return 0;
    }
    return of_products == low_precision::tf32 ? factorize<float>(exec, a, pivots, panel_columns)
                                              : factorize<__half>(exec, a, pivots, panel_columns);
}

}  // namespace residua::blas
