#include "tests/arith/expansion/every_elementary.hpp"

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
__global__ void run(const expansion<double, N>* x, expansion<double, N>* out, int n)
{
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) {
        every_elementary(x[i], out + i * elementary_functions);
    }
}

}  // namespace

template <int N>
bool every_elementary_on_device(const expansion<double, N>* x, expansion<double, N>* out, int n)
{
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        return false;
    }
    const std::size_t bytes = static_cast<std::size_t>(n) * sizeof *x;
    expansion<double, N>* memory = nullptr;
    require(cudaMalloc(&memory, (1 + elementary_functions) * bytes));
    require(cudaMemcpy(memory, x, bytes, cudaMemcpyHostToDevice));
    run<N><<<(n + 127) / 128, 128>>>(memory, memory + n, n);
    require(cudaGetLastError());
    require(cudaMemcpy(out, memory + n, elementary_functions * bytes, cudaMemcpyDeviceToHost));
    require(cudaFree(memory));
    return true;
}

template bool every_elementary_on_device(const expansion<double, 2>*, expansion<double, 2>*, int);
template bool every_elementary_on_device(const expansion<double, 3>*, expansion<double, 3>*, int);
template bool every_elementary_on_device(const expansion<double, 4>*, expansion<double, 4>*, int);

}  // namespace residua::testing
