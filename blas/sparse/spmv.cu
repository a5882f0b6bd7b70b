#include <residua/blas/sparse/spmv.hpp>
#include <residua/blas/sparse/spmv2.hpp>

#include <residua/blas/base/accumulate.hpp>
#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/level1/elementwise.cuh>
#include <residua/blas/level1/update_rows.hpp>
#include <residua/blas/sparse/row_entries.hpp>

namespace residua::blas {
namespace {

/// y_i <- alpha (A x)_i + beta y_i, the row summed from left to right. A has numbers of V, x and y of X, the sum is of T.
template <class V, class X, class T, class Rows>
struct multiply_row {
    Rows rows;
    const column_t* col;
    vector_view<cuda_executor, const V> value;
    vector_view<cuda_executor, const X> x;
    scalar_argument<X> alpha, beta;
    vector_view<cuda_executor, X> y;

    __device__ void operator()(index_t i) const
    {
        const detail::row_entries row = rows(i);
        detail::accumulator_of<T> sum;
        for (index_t k = 0; k < row.count; ++k) {
            const index_t p = row.place(k);
            detail::add_product(sum, value.load(p), x.load(col[p]));
            if ((k + 1) % detail::renormalization_period<T> == 0) {
                detail::renormalize(sum);
            }
        }
        detail::update_element(alpha.load(), sum.result(), beta.load(), i, y);
    }
};

template <class T, class X, class A>
void multiply_rows(const cuda_executor& exec, const char* op, const detail::spmv_operands<cuda_executor, X, A>& o)
{
    const auto rows = detail::rows_of(o.a);
    const multiply_row<typename A::value_type, X, T, decltype(detail::rows_of(o.a))> f{
        rows, o.a.col().data(), o.a.value(), o.x, o.alpha, o.beta, o.y};
    detail::run_elementwise(exec, op, o.a.rows(), f);
}

}  // namespace

template <number T, class A>
void detail::multiply(const cuda_executor& exec, const spmv_operands<cuda_executor, T, A>& o)
{
    multiply_rows<T>(exec, "spmv", o);
}

template <class A>
    requires sparse_for<A, cuda_executor, double>
void spmv2(const cuda_executor& exec, const scalar_argument<double>& alpha, const A& a,
           in_vector<cuda_executor, double> x, const scalar_argument<double>& beta,
           vector_view<cuda_executor, double> y)
{
    const detail::spmv_operands<cuda_executor, double, A> o{alpha, a, x, beta, y};
    detail::require_fitting("spmv2", o);
    multiply_rows<expansion<double, 2>>(exec, "spmv2", o);
}

#define RESIDUA_INSTANTIATE(V, T)                                                                  \
    template void detail::multiply(const cuda_executor&,                                           \
                                   const spmv_operands<cuda_executor, T, csr<cuda_executor, V>>&); \
    template void detail::multiply(const cuda_executor&,                                           \
                                   const spmv_operands<cuda_executor, T, sliced_ell<cuda_executor, V>>&);
RESIDUA_FOR_EACH_PAIR(RESIDUA_INSTANTIATE)

#define RESIDUA_INSTANTIATE_TWOFOLD(Storage)                                                                         \
    template void spmv2(const cuda_executor&, const scalar_argument<double>&, const Storage<cuda_executor, double>&, \
                        in_vector<cuda_executor, double>, const scalar_argument<double>&,                            \
                        vector_view<cuda_executor, double>);
RESIDUA_INSTANTIATE_TWOFOLD(csr)
RESIDUA_INSTANTIATE_TWOFOLD(sliced_ell)

}  // namespace residua::blas
