#include <residua/blas/level1/norm.hpp>

#include <cmath>

#include <residua/arith/base/bits.hpp>
#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/base/launch.cuh>
#include <residua/blas/level1/dot.hpp>
#include <residua/blas/level1/reduce.cuh>

namespace residua::blas {
namespace {

/// sum (2^e x_i)^2, the power of two in two factors, since it may be out of range itself.
struct add_scaled_squares {
    double half, rest;

    template <class Sum, class T>
    __device__ void operator()(Sum& sum, T x) const
    {
        for (int k = 0; k < number_traits<T>::terms; ++k) {
            term(x, k) = mul_rn(mul_rn(term(x, k), half), rest);
        }
        detail::add_product(sum, x, x);
    }
};

constexpr int block = 256;
constexpr index_t most_blocks = 1024;
constexpr unsigned long long none = ~0ull;

/// *largest <- the bits of the largest leading magnitude, which are ordered like magnitudes; NaN comes after infinity.
__global__ void __launch_bounds__(block) largest_leading(const double* x, index_t n, unsigned long long* largest)
{
    detail::wait_and_trigger();
    unsigned long long mine = 0;
    const index_t step = index_t{gridDim.x} * block;
    for (index_t i = index_t{blockIdx.x} * block + threadIdx.x; i < n; i += step) {
        const unsigned long long bits = to_bits(x[i]) & ~sign_mask;
        mine = bits > mine ? bits : mine;
    }
    for (int half = 16; half > 0; half /= 2) {
        const unsigned long long other = __shfl_down_sync(0xffffffffu, mine, static_cast<unsigned>(half));
        mine = other > mine ? other : mine;
    }
    if (threadIdx.x % 32 == 0) {
        atomicMax(largest, mine);
    }
}

/// The index of the larger |x_i|, the smaller index of equal ones. `none` is smaller than all.
template <class T>
__device__ unsigned long long larger(const vector_view<cuda_executor, const T>& x, unsigned long long i,
                                     unsigned long long j)
{
    if (i == none || j == none || i == j) {
        return i == none ? j : i;
    }
    const T a = abs(x.load(static_cast<index_t>(i)));
    const T b = abs(x.load(static_cast<index_t>(j)));
    const bool take_j = a < b || (!(b < a) && j < i);
    return take_j ? j : i;
}

/// The index of the largest |x_i| that a block looks at, among those whose leading term is close to the largest one.
template <class T>
__global__ void __launch_bounds__(block) largest_of_blocks(vector_view<cuda_executor, const T> x,
                                                           const unsigned long long* leading, unsigned long long* found)
{
    detail::wait_and_trigger();
    __shared__ unsigned long long shared[block];
    // the terms after the leading one add up to at most 1.01 units of its last place
    const double candidate = mul_rn(from_bits(*leading), 1.0 - 0x1p-50);
    unsigned long long mine = none;
    const index_t step = index_t{gridDim.x} * block;
    for (index_t i = index_t{blockIdx.x} * block + threadIdx.x; i < x.size; i += step) {
        if (fabs(x.data()[i]) >= candidate) {
            mine = larger<T>(x, mine, static_cast<unsigned long long>(i));
        }
    }
    shared[threadIdx.x] = mine;
    for (int half = block / 2; half > 0; half /= 2) {
        __syncthreads();
        if (static_cast<int>(threadIdx.x) < half) {
            shared[threadIdx.x] = larger<T>(x, shared[threadIdx.x], shared[threadIdx.x + half]);
        }
    }
    if (threadIdx.x == 0) {
        found[blockIdx.x] = shared[0];
    }
}

/// The largest |x_i| of all, by one thread; if the largest leading term is zero or not finite, it is that term alone.
template <class T>
__global__ void largest_of_all(vector_view<cuda_executor, const T> x, const unsigned long long* leading,
                               const unsigned long long* found, int count, double* result)
{
    detail::wait_and_trigger();
    if (*leading == 0 || *leading >= exponent_mask) {
        detail::store_number<T>(result, T{from_bits(*leading)});
        return;
    }
    unsigned long long best = none;
    for (int i = 0; i < count; ++i) {
        best = larger<T>(x, best, found[i]);
    }
    detail::store_number<T>(result, best == none ? T{0.0} : abs(x.load(static_cast<index_t>(best))));
}

}  // namespace

template <number T>
T detail::norm2_of(const cuda_executor& exec, const vector_view<cuda_executor, const T>& x, const T& square)
{
    return detail::scaled_norm2<T>(
        square, [&] { return norm_inf<T>(exec, x); },
        [&](int e) {
            device_scalar<T> sum(exec);
            const add_scaled_squares squares{std::ldexp(1.0, e / 2), std::ldexp(1.0, e - e / 2)};
            detail::sum_in_order<T>(exec, "norm2", x.size, squares, sum, x);
            return to_host(exec, sum);
        });
}

template <number T>
T detail::norm_inf_of(const cuda_executor& exec, const vector_view<cuda_executor, const T>& x)
{
    if (x.size == 0) {
        return T{0.0};
    }
    const index_t wanted = (x.size + block - 1) / block;
    const int blocks = static_cast<int>(wanted < most_blocks ? wanted : most_blocks);
    const device_guard current(exec);
    device_scalar<T> result(exec);
    buffer<cuda_executor, unsigned long long> words(1 + blocks, exec);
    unsigned long long* const leading = words.data();
    detail::launch(exec, "norm_inf", blocks, block, largest_leading, x.data(), x.size, leading);
    detail::launch(exec, "norm_inf", blocks, block, largest_of_blocks<T>, x, leading, leading + 1);
    detail::launch(exec, "norm_inf", 1, 1, largest_of_all<T>, x, leading, leading + 1, blocks, result.data());
    return to_host(exec, result);
}

#define RESIDUA_INSTANTIATE(...)                                                                                      \
    template __VA_ARGS__ detail::norm2_of(const cuda_executor&, const vector_view<cuda_executor, const __VA_ARGS__>&, \
                                          const __VA_ARGS__&);                                                        \
    template __VA_ARGS__ detail::norm_inf_of(const cuda_executor&,                                                    \
                                             const vector_view<cuda_executor, const __VA_ARGS__>&);
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)

}  // namespace residua::blas
