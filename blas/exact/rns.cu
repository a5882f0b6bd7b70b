#include <residua/blas/exact/rns.hpp>

#include <residua/blas/base/buffer.hpp>
#include <residua/blas/base/launch.cuh>
#include <residua/blas/rns/launch.cuh>

namespace residua::blas::detail {
namespace {

constexpr const char* op = "exact products";
constexpr int threads = 128;
using word = unsigned long long;

/// Each thread has a number.
__global__ void __launch_bounds__(threads)
    make_kernel(index_t n, const __grid_constant__ exact_rns_digits numbers, word* too_far)
{
    wait_and_trigger();
    const index_t q = index_t{blockIdx.x} * threads + threadIdx.x;
    if (q < n) {
        if (const std::int64_t exponent = numbers.make(q); exponent != 0) {
            atomicExch(too_far, static_cast<word>(exponent));
        }
    }
}

}  // namespace

std::int64_t make_digits(const cuda_executor& exec, index_t n, const exact_rns_digits& numbers)
{
    if (n == 0) {
        return 0;  // an empty grid is a launch error
    }
    const device_guard current(exec);
    buffer<cuda_executor, word> too_far(1, exec);
    launch(exec, op, static_cast<unsigned>((n + threads - 1) / threads), threads, make_kernel, n, numbers,
           too_far.data());
    word found = 0;
    residua::detail::cuda_copy_out(exec, &found, too_far.data(), sizeof found);
    return static_cast<std::int64_t>(found);
}

const exact_rns_set* set_on(const cuda_executor& exec, const rns_format& format) { return on_device(exec, format); }

}  // namespace residua::blas::detail
