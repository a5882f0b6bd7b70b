#include <residua/arith/expansion/expansion.hpp>
#include <residua/blas/base/check.hpp>
#include <residua/blas/base/check_cuda.cuh>
#include <residua/blas/level1/axpy.hpp>

namespace residua::blas {
namespace {

constexpr int block_size = 256;      // threads
constexpr index_t max_blocks = 1024;  // beyond, a thread takes several elements

/// Grid-stride, one element per thread and turn; any grid is correct.
template <number T>
__global__ void __launch_bounds__(block_size)
    axpy_kernel(T a, vector_view<cuda_executor, const T> x, vector_view<cuda_executor, T> y)
{
    const index_t step = index_t{blockDim.x} * gridDim.x;
    for (index_t i = index_t{blockIdx.x} * blockDim.x + threadIdx.x; i < y.size; i += step) {
        y.store(i, detail::axpy_element(a, x.load(i), y.load(i)));
    }
}

}  // namespace

template <number T>
void axpy(const cuda_executor& exec, const std::type_identity_t<T>& a,
          in_vector<cuda_executor, T> x, vector_view<cuda_executor, T> y)
{
    require_equal("axpy", "sizes of x and y", x.size, y.size);
    if (y.size == 0) {
        return;  // an empty grid is a launch error
    }
    const index_t blocks = (y.size + block_size - 1) / block_size;
    const int grid = static_cast<int>(blocks < max_blocks ? blocks : max_blocks);
    const device_guard current(exec);
    axpy_kernel<T><<<grid, block_size, 0, exec.stream>>>(a, x, y);
    require_cuda("axpy", cudaGetLastError());
}

#define RESIDUA_INSTANTIATE(...)                                                                \
    template void axpy<__VA_ARGS__>(const cuda_executor&, const __VA_ARGS__&,                   \
                                    in_vector<cuda_executor, __VA_ARGS__>,                      \
                                    vector_view<cuda_executor, __VA_ARGS__>);
RESIDUA_INSTANTIATE(double)
RESIDUA_INSTANTIATE(expansion<double, 2>)
RESIDUA_INSTANTIATE(expansion<double, 3>)
RESIDUA_INSTANTIATE(expansion<double, 4>)
#undef RESIDUA_INSTANTIATE

}  // namespace residua::blas
