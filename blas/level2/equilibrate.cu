#include <residua/blas/level2/equilibrate.hpp>

#include <cstdint>
#include <string>

#include <residua/blas/base/buffer.hpp>
#include <residua/blas/base/check.hpp>
#include <residua/blas/base/launch.cuh>
#include <residua/blas/level1/elementwise.cuh>

namespace residua::blas {
namespace {

constexpr const char* op = "equilibrate";
constexpr int threads = 256;
constexpr index_t columns_of_block = 64;

using word = unsigned long long;  // what atomicMax takes

/// A thread has a row of columns_of_block columns; the maximum over all of them does not depend on their order.
__global__ void __launch_bounds__(threads) rows_kernel(matrix_view<cuda_executor, double> a, std::uint64_t* largest)
{
    detail::wait_and_trigger();
    const index_t i = index_t{blockIdx.x} * threads + threadIdx.x;
    const index_t first = index_t{blockIdx.y} * columns_of_block;
    const index_t last = first + columns_of_block < a.cols ? first + columns_of_block : a.cols;
    if (i >= a.rows) {
        return;
    }
    word mine = 0;
#pragma unroll 16
    for (index_t j = first; j < last; ++j) {
        const word entry = detail::magnitude_bits(a.data()[j * a.ld + i]);
        mine = entry > mine ? entry : mine;
    }
    atomicMax(reinterpret_cast<word*>(largest) + i, mine);
}

struct power_of_row {
    const std::uint64_t* largest;
    double* r;

    __device__ void operator()(index_t i) const { r[i] = detail::power_for(largest[i]); }
};

/// A block has a column.
__global__ void __launch_bounds__(threads)
    columns_kernel(matrix_view<cuda_executor, double> a, const double* r, double* c)
{
    __shared__ word largest;
    detail::wait_and_trigger();
    if (threadIdx.x == 0) {
        largest = 0;
    }
    __syncthreads();
    double* const column = a.data() + index_t{blockIdx.x} * a.ld;
    word mine = 0;
    for (index_t i = threadIdx.x; i < a.rows; i += threads) {
        const word entry = detail::magnitude_bits(column[i] * r[i]);
        mine = entry > mine ? entry : mine;
    }
    atomicMax(&largest, mine);
    __syncthreads();
    const double power = detail::power_for(largest);
    for (index_t i = threadIdx.x; i < a.rows; i += threads) {
        column[i] = column[i] * r[i] * power;
    }
    if (threadIdx.x == 0) {
        c[blockIdx.x] = power;
    }
}

}  // namespace

void equilibrate(const cuda_executor& exec, matrix_view<cuda_executor, double> a, vector_view<cuda_executor, double> r,
                 vector_view<cuda_executor, double> c)
{
    require_equal(op, "rows of A and size of r", a.rows, r.size);
    require_equal(op, "columns of A and size of c", a.cols, c.size);
    constexpr index_t most_cols = 65535 * columns_of_block;  // blocks in the second direction
    if (a.cols > most_cols) {
        throw unsupported_error("equilibrate: on a CUDA device A has at most " + std::to_string(most_cols) +
                                " columns");
    }
    const device_guard current(exec);
    buffer<cuda_executor, std::uint64_t> largest(a.rows, exec);
    if (a.rows > 0 && a.cols > 0) {
        const dim3 grid(static_cast<unsigned>((a.rows + threads - 1) / threads),
                        static_cast<unsigned>((a.cols + columns_of_block - 1) / columns_of_block));
        detail::launch(exec, op, grid, threads, rows_kernel, a, largest.data());
    }
    detail::run_elementwise(exec, op, a.rows, power_of_row{largest.data(), r.data()});
    if (a.cols > 0) {
        detail::launch(exec, op, static_cast<unsigned>(a.cols), threads, columns_kernel, a, r.data(), c.data());
    }
}

}  // namespace residua::blas
