#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

#include "tests/arith/multidigit/every_operation.hpp"

namespace residua::support {
namespace {

void check(cudaError_t status)
{
    if (status != cudaSuccess) {
        std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(status));
        std::abort();
    }
}

template <class Digit, int N>
__global__ void run(const multidigit_operands<Digit, N>* operands, int p, multidigit_results<Digit, N>* results, int n)
{
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) {
        every_operation(operands[i], p, results[i]);
    }
}

}  // namespace

template <class Digit, int N>
bool every_operation_on_device(const multidigit_operands<Digit, N>* operands, int p,
                               multidigit_results<Digit, N>* results, int n)
{
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        return false;
    }
    multidigit_operands<Digit, N>* from = nullptr;
    multidigit_results<Digit, N>* to = nullptr;
    check(cudaMalloc(&from, sizeof(*from) * n));
    check(cudaMalloc(&to, sizeof(*to) * n));
    check(cudaMemset(to, 0, sizeof(*to) * n));  // the copy reads their padding too, which no operation writes
    check(cudaMemcpy(from, operands, sizeof(*from) * n, cudaMemcpyHostToDevice));
    run<<<(n + 63) / 64, 64>>>(from, p, to, n);
    check(cudaGetLastError());
    check(cudaMemcpy(results, to, sizeof(*to) * n, cudaMemcpyDeviceToHost));
    check(cudaFree(from));
    check(cudaFree(to));
    return true;
}

#define RESIDUA_INSTANTIATE(N)                                                                 \
    template bool every_operation_on_device(const multidigit_operands<std::uint32_t, N>*, int, \
                                            multidigit_results<std::uint32_t, N>*, int);
RESIDUA_INSTANTIATE(2)
RESIDUA_INSTANTIATE(3)
RESIDUA_INSTANTIATE(4)
RESIDUA_INSTANTIATE(5)
RESIDUA_INSTANTIATE(6)
RESIDUA_INSTANTIATE(7)
RESIDUA_INSTANTIATE(8)
RESIDUA_INSTANTIATE(14)
RESIDUA_INSTANTIATE(23)
RESIDUA_INSTANTIATE(27)
RESIDUA_INSTANTIATE(53)
RESIDUA_INSTANTIATE(128)

}  // namespace residua::support
