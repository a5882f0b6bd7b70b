#include <residua/blas/level3/gemm.hpp>
#include <residua/blas/level3/gemm2.hpp>

#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/base/launch.cuh>
#include <residua/blas/level1/accumulators.cuh>
#include <residua/blas/level1/update_rows.hpp>

namespace residua::blas {
namespace {

constexpr int rows = 32;  // of C in a block: a warp reads them in a row
constexpr int cols = 4;
constexpr int levels = 13;  // of sums that wait for their neighbour: 2^12 chunks

/// C_ij <- alpha (A B)_ij + beta C_ij, of numbers of X with sums of T
template <class X, class T>
struct multiply_entry {
    detail::gemm_operands<cuda_executor, X> o;

    __device__ void operator()(index_t i, index_t j) const
    {
        constexpr index_t period = detail::renormalization_period<T>;
        const auto right = o.b.column(j);
        const index_t chunks = (o.a.cols + gemv_chunk - 1) / gemv_chunk;
        const auto sum = detail::merge_all<T, levels>(chunks, [&](index_t chunk) {
            const index_t first = chunk * gemv_chunk;
            const index_t last = first + gemv_chunk < o.a.cols ? first + gemv_chunk : o.a.cols;
            detail::accumulator_of<T> products;
            for (index_t k = first; k < last; ++k) {
                detail::add_product(products, o.a.column(k).load(i), right.load(k));
                if ((k - first) % period == period - 1 || k == last - 1) {
                    detail::renormalize(products);
                }
            }
            return products;
        });
        detail::update_element(o.alpha.load(), sum.result(), o.beta.load(), i, o.c.column(j));
    }
};

/// A thread sums one entry of C.
template <class X, class T>
__global__ void __launch_bounds__(rows* cols) multiply(const __grid_constant__ multiply_entry<X, T> entry)
{
    detail::wait_and_trigger();
    const index_t i = index_t{blockIdx.x} * rows + threadIdx.x;
    const index_t j = index_t{blockIdx.y} * cols + threadIdx.y;
    if (i < entry.o.c.rows && j < entry.o.c.cols) {
        entry(i, j);
    }
}

template <class X, class T = X>
void multiply_all(const cuda_executor& exec, const char* op, const detail::gemm_operands<cuda_executor, X>& o)
{
    constexpr index_t most_terms = gemv_chunk << (levels - 1);
    constexpr index_t most_cols = index_t{65535} * cols;  // blocks in the second direction
    if (o.a.cols > most_terms || o.c.cols > most_cols) {
        throw unsupported_error(std::string(op) + ": on a CUDA device A has at most " + std::to_string(most_terms) +
                                " columns and B " + std::to_string(most_cols));
    }
    if (o.c.rows == 0 || o.c.cols == 0) {
        return;
    }
    const multiply_entry<X, T> entry{o};
    const dim3 grid(static_cast<unsigned>((o.c.rows + rows - 1) / rows),
                    static_cast<unsigned>((o.c.cols + cols - 1) / cols));
    const device_guard current(exec);
    detail::launch(exec, op, grid, dim3(rows, cols), multiply<X, T>, entry);
}

}  // namespace

template <number T>
void detail::multiply(const cuda_executor& exec, const gemm_operands<cuda_executor, T>& o)
{
    multiply_all<T>(exec, "gemm", o);
}

void gemm2(const cuda_executor& exec, const scalar_argument<double>& alpha, in_matrix<cuda_executor, double> a,
           in_matrix<cuda_executor, double> b, const scalar_argument<double>& beta,
           matrix_view<cuda_executor, double> c)
{
    const detail::gemm_operands<cuda_executor, double> o{alpha, a, b, beta, c};
    detail::require_fitting("gemm2", trans::no, trans::no, o);
    multiply_all<double, expansion<double, 2>>(exec, "gemm2", o);
}

#define RESIDUA_INSTANTIATE(...) \
    template void detail::multiply(const cuda_executor&, const gemm_operands<cuda_executor, __VA_ARGS__>&);
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)

}  // namespace residua::blas
