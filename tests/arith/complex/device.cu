#include "tests/arith/complex/every_operation.hpp"

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

template <class T>
__global__ void run(const complex_number<T>* z, const complex_number<T>* w, complex_number<T>* out, int n)
{
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) {
        every_operation(z[i], w[i], out + i * operations);
    }
}

}  // namespace

template <class T>
bool every_operation_on_device(const complex_number<T>* z, const complex_number<T>* w, complex_number<T>* out, int n)
{
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        return false;
    }
    const std::size_t bytes = static_cast<std::size_t>(n) * sizeof *z;
    complex_number<T>* memory = nullptr;
    require(cudaMalloc(&memory, (2 + operations) * bytes));
    require(cudaMemcpy(memory, z, bytes, cudaMemcpyHostToDevice));
    require(cudaMemcpy(memory + n, w, bytes, cudaMemcpyHostToDevice));
    run<T><<<(n + 127) / 128, 128>>>(memory, memory + n, memory + 2 * n, n);
    require(cudaGetLastError());
    require(cudaMemcpy(out, memory + 2 * n, operations * bytes, cudaMemcpyDeviceToHost));
    require(cudaFree(memory));
    return true;
}

#define RESIDUA_INSTANTIATE(T)                                                                                      \
    template bool every_operation_on_device(const complex_number<T>*, const complex_number<T>*, complex_number<T>*, \
                                            int);
using two_terms = expansion<double, 2>;
using four_terms = expansion<double, 4>;
RESIDUA_INSTANTIATE(double)
RESIDUA_INSTANTIATE(two_terms)
RESIDUA_INSTANTIATE(four_terms)

}  // namespace residua::testing
