#include <residua/blas/level2/residual_batch.hpp>

#include <residua/blas/level1/elementwise.cuh>

namespace residua::blas {
namespace {

/// Element e of the results of all systems, one after the other.
template <class T, class V>
struct residual_row {
    matrix_batch_view<cuda_executor, const V> a;
    vector_batch_view<cuda_executor, const T> x;
    vector_batch_view<cuda_executor, doubled<T>> r;
    vector_batch_view<cuda_executor, double> sizes;

    __device__ void operator()(index_t e) const
    {
        const index_t s = e / a.n;
        const index_t i = e - s * a.n;
        detail::accumulator_of<doubled<T>> sum{r[s].load(i)};
        double size = fabs(sum.w[0]);
        RESIDUA_KEEP_LOOP
        for (index_t j = 0; j < a.n; ++j) {
            const V aij = a.column(s, j).load(i);
            const T xj = x[s].load(j);
            detail::subtract_product<T, V>(sum, aij, xj);
            size += detail::size_of_product<T, V>(aij, xj);
        }
        r[s].store(i, sum.result());
        sizes[s].store(i, size);
    }
};

}  // namespace

template <number T, number V>
void residual_batch(const cuda_executor& exec, matrix_batch_view<cuda_executor, const V> a,
                    vector_batch_view<cuda_executor, const T> x, vector_batch_view<cuda_executor, doubled<T>> r,
                    vector_batch_view<cuda_executor, double> sizes)
{
    detail::require_residuals<cuda_executor, T, V>(a, x, r, sizes);
    detail::run_elementwise(exec, "residual_batch", a.n * a.count, residual_row<T, V>{a, x, r, sizes});
}

#define RESIDUA_INSTANTIATE(X, A)                                                         \
    template void residual_batch<format_of_terms<X>, format_of_terms<A>>(                 \
        const cuda_executor&, matrix_batch_view<cuda_executor, const format_of_terms<A>>, \
        vector_batch_view<cuda_executor, const format_of_terms<X>>,                       \
        vector_batch_view<cuda_executor, expansion<double, 2 * X>>, vector_batch_view<cuda_executor, double>);
RESIDUA_FOR_EACH_RESIDUAL_BATCH(RESIDUA_INSTANTIATE)

}  // namespace residua::blas
