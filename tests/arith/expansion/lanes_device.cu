#include "tests/arith/expansion/every_lanes_operation.hpp"

#include <cstddef>
#include <stdexcept>
#include <string>

#include <residua/arith/expansion/lanes/warp.cuh>

namespace residua::testing {
namespace {

void require(cudaError_t status)
{
    if (status != cudaSuccess) {
        throw std::runtime_error(std::string("CUDA: ") + cudaGetErrorString(status));
    }
}

/// Whole warps: the tiles behind the last pair take that one too.
template <int W>
__global__ void run(const double* x, const double* y, int n, double* out, int count)
{
    const int tile = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) / W;
    const int i = tile < count ? tile : count - 1;
    every_lanes_operation(lanes::warp_tile<W>{}, x + i * n, y + i * n, n, out + i * lanes_operations * W);
}

template <int W>
void launch(const double* x, const double* y, int n, double* out, int count)
{
    constexpr int threads = 128;
    run<W><<<(count * W + threads - 1) / threads, threads>>>(x, y, n, out, count);
    require(cudaGetLastError());
}

}  // namespace

bool every_lanes_operation_on_device(const double* x, const double* y, int n, double* out, int count)
{
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        return false;
    }
    const int width = lanes::tile_width(n);
    const std::size_t operand = static_cast<std::size_t>(count) * n;
    const std::size_t result = static_cast<std::size_t>(count) * lanes_operations * width;
    double* memory = nullptr;
    require(cudaMalloc(&memory, (2 * operand + result) * sizeof *memory));
    require(cudaMemcpy(memory, x, operand * sizeof *memory, cudaMemcpyHostToDevice));
    require(cudaMemcpy(memory + operand, y, operand * sizeof *memory, cudaMemcpyHostToDevice));
    const double* const a = memory;
    const double* const b = memory + operand;
    double* const r = memory + 2 * operand;
    switch (width) {
        case 2:
            launch<2>(a, b, n, r, count);
            break;
        case 4:
            launch<4>(a, b, n, r, count);
            break;
        case 8:
            launch<8>(a, b, n, r, count);
            break;
        case 16:
            launch<16>(a, b, n, r, count);
            break;
        default:
            launch<32>(a, b, n, r, count);
    }
    require(cudaMemcpy(out, r, result * sizeof *memory, cudaMemcpyDeviceToHost));
    require(cudaFree(memory));
    return true;
}

}  // namespace residua::testing
