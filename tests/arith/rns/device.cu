#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

#include "tests/arith/rns/every_operation.hpp"

namespace residua::support {
namespace {

void check(cudaError_t status)
{
    if (status != cudaSuccess) {
        std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(status));
        std::abort();
    }
}

template <class T>
T* on_device(const T* host, int n)
{
    T* device = nullptr;
    check(cudaMalloc(&device, sizeof(T) * n));
    check(cudaMemcpy(device, host, sizeof(T) * n, cudaMemcpyHostToDevice));
    return device;
}

template <int L>
__global__ void run(const rns_set<L>* set, const rns_float<L>* x, const rns_float<L>* y, rns_results<L>* result, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        result[i] = every_operation(*set, x[i], y[i]);
    }
}

}  // namespace

template <int L>
bool every_operation_on_device(const rns_float<L>* x, const rns_float<L>* y, rns_results<L>* result, int n)
{
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        return false;
    }
    rns_set<L>* set = on_device(&rns_set<L>::host(), 1);
    rns_float<L>* a = on_device(x, n);
    rns_float<L>* b = on_device(y, n);
    rns_results<L>* r = on_device(result, n);
    run<<<(n + 63) / 64, 64>>>(set, a, b, r, n);
    check(cudaGetLastError());
    check(cudaMemcpy(result, r, sizeof(rns_results<L>) * n, cudaMemcpyDeviceToHost));
    check(cudaFree(set));
    check(cudaFree(a));
    check(cudaFree(b));
    check(cudaFree(r));
    return true;
}

template bool every_operation_on_device(const rns_float<7>*, const rns_float<7>*, rns_results<7>*, int);
template bool every_operation_on_device(const rns_float<11>*, const rns_float<11>*, rns_results<11>*, int);
template bool every_operation_on_device(const rns_float<14>*, const rns_float<14>*, rns_results<14>*, int);
template bool every_operation_on_device(const rns_float<21>*, const rns_float<21>*, rns_results<21>*, int);
template bool every_operation_on_device(const rns_float<28>*, const rns_float<28>*, rns_results<28>*, int);
template bool every_operation_on_device(const rns_float<42>*, const rns_float<42>*, rns_results<42>*, int);
template bool every_operation_on_device(const rns_float<55>*, const rns_float<55>*, rns_results<55>*, int);
template bool every_operation_on_device(const rns_float<83>*, const rns_float<83>*, rns_results<83>*, int);
template bool every_operation_on_device(const rns_float<110>*, const rns_float<110>*, rns_results<110>*, int);

}  // namespace residua::support
