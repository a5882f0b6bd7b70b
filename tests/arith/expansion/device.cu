#include "tests/arith/expansion/every_operation.hpp"

#include <stdexcept>
#include <string>

namespace residua::testing {
namespace {

void require(cudaError_t status)
{
    if (status != cudaSuccess) {
        throw std::runtime_error(std::string("CUDA: ") + cudaGetErrorString(status));
    }
}

template <int N>
__global__ void run(const expansion<double, N>* x, const expansion<double, N>* y, expansion<double, N>* out, int n)
{
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) {
        every_operation(x[i], y[i], out + i * operations);
    }
}

}  // namespace

template <int N>
bool every_operation_on_device(const expansion<double, N>* x, const expansion<double, N>* y, expansion<double, N>* out,
                               int n)
{
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        return false;
    }
    const std::size_t bytes = static_cast<std::size_t>(n) * sizeof *x;
    expansion<double, N>* memory = nullptr;
    require(cudaMalloc(&memory, (2 + operations) * bytes));
    require(cudaMemcpy(memory, x, bytes, cudaMemcpyHostToDevice));
    require(cudaMemcpy(memory + n, y, bytes, cudaMemcpyHostToDevice));
    run<N><<<(n + 127) / 128, 128>>>(memory, memory + n, memory + 2 * n, n);
    require(cudaGetLastError());
    require(cudaMemcpy(out, memory + 2 * n, operations * bytes, cudaMemcpyDeviceToHost));
    require(cudaFree(memory));
    return true;
}

#define RESIDUA_INSTANTIATE(N)                                                                        \
    template bool every_operation_on_device(const expansion<double, N>*, const expansion<double, N>*, \
                                            expansion<double, N>*, int);
RESIDUA_INSTANTIATE(2)
RESIDUA_INSTANTIATE(3)
RESIDUA_INSTANTIATE(4)
RESIDUA_INSTANTIATE(6)
RESIDUA_INSTANTIATE(8)
RESIDUA_INSTANTIATE(12)
RESIDUA_INSTANTIATE(16)

}  // namespace residua::testing
