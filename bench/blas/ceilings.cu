#include "bench/blas/ceilings.hpp"

#include <algorithm>

#include <residua/blas/base/buffer.hpp>
#include <residua/blas/base/check_cuda.cuh>
#include <residua/blas/base/cuda_timer.hpp>

namespace {

using namespace residua;

constexpr int block = 256;

/// `ahead`: reads of 16 bytes that a thread has under way.
template <int ahead>
__global__ void __launch_bounds__(block) copy_kernel(const double2* from, double2* to)
{
    const index_t first = index_t{blockIdx.x} * block * ahead + threadIdx.x;
    double2 v[ahead];
    for (int k = 0; k < ahead; ++k) {
        v[k] = from[first + k * block];
    }
    for (int k = 0; k < ahead; ++k) {
        to[first + k * block] = v[k];
    }
}

template <int ahead>
__global__ void __launch_bounds__(block) read_kernel(const double2* from, double* to)
{
    const index_t first = index_t{blockIdx.x} * block * ahead + threadIdx.x;
    double2 v[ahead];
    for (int k = 0; k < ahead; ++k) {
        v[k] = from[first + k * block];
    }
    double sum = 0.0;
    for (int k = 0; k < ahead; ++k) {
        sum += v[k].x + v[k].y;
    }
    if (sum != 0.0) {  // never: the numbers are zeros
        *to = sum;
    }
}

__device__ unsigned nobody_reads_it;

__global__ void __launch_bounds__(block) read_both_kernel(const uint4* x, const uint4* y, index_t n)
{
    const index_t i = index_t{blockIdx.x} * block + threadIdx.x;
    if (i < n) {
        const uint4 v = x[i];
        const uint4 w = y[i];
        if (((v.x ^ w.x) & (v.y ^ w.y) & (v.z ^ w.z) & (v.w ^ w.w)) == 0xffffffff) {  // hardly ever
            nobody_reads_it = v.x;
        }
    }
}

template <int ahead>
void try_reading(const cuda_executor& exec, const buffer<cuda_executor, double>& from,
                 buffer<cuda_executor, double>& to, ceilings& best)
{
    const double bytes = static_cast<double>(from.size()) * sizeof(double);
    const auto blocks = static_cast<unsigned>(from.size() / 2 / block / ahead);
    const auto* source = reinterpret_cast<const double2*>(from.data());
    auto* target = reinterpret_cast<double2*>(to.data());
    cuda_timer timer(exec);
    for (int k = 0; k < 5; ++k) {
        timer.start();
        copy_kernel<ahead><<<blocks, block, 0, exec.stream>>>(source, target);
        require_cuda("copy", cudaGetLastError());
        best.copy_bytes_per_second = std::max(best.copy_bytes_per_second, 2.0 * bytes / timer.stop());
        timer.start();
        read_kernel<ahead><<<blocks, block, 0, exec.stream>>>(source, to.data());
        require_cuda("read", cudaGetLastError());
        best.read_bytes_per_second = std::max(best.read_bytes_per_second, bytes / timer.stop());
    }
}

}  // namespace

ceilings measure_ceilings(const cuda_executor& exec)
{
    constexpr index_t words = index_t{1} << 29;
    const buffer<cuda_executor, double> from(words, exec);
    buffer<cuda_executor, double> to(words, exec);
    ceilings best{};
    try_reading<2>(exec, from, to, best);
    try_reading<4>(exec, from, to, best);
    try_reading<8>(exec, from, to, best);
    try_reading<16>(exec, from, to, best);
    return best;
}

void read_both(const cuda_executor& exec, const void* x, const void* y, double bytes_each)
{
    const auto n = static_cast<index_t>(bytes_each / sizeof(uint4));
    const auto blocks = static_cast<unsigned>((n + block - 1) / block);
    read_both_kernel<<<blocks, block, 0, exec.stream>>>(static_cast<const uint4*>(x), static_cast<const uint4*>(y), n);
    require_cuda("read_both", cudaGetLastError());
}
