#include <residua/blas/sparse/spmv.hpp>
#include <residua/blas/sparse/spmv2.hpp>

#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/level1/elementwise.cuh>
#include <residua/blas/level1/update_rows.hpp>
#include <residua/blas/sparse/row_products.hpp>

namespace residua::blas {
namespace {

/// y_i <- alpha (A x)_i + beta y_i, the row summed from left to right. A has numbers of V, x and y of X, the sum is of T. That
/// the compiler knows the storage of A saves registers.
template <class V, class X, class T, int Slices>
struct multiply_row {
    detail::rows_in_storage<Slices> rows;
    vector_view<cuda_executor, const V> value;
    vector_view<cuda_executor, const X> x;
    scalar_argument<X> alpha, beta;
    vector_view<cuda_executor, X> y;

    __device__ void operator()(index_t i) const
    {
        detail::accumulator_of<T> sum;
        rows.walk_part(
            i, 0, rows.count(i), [&](index_t p, index_t j, index_t k) __attribute__((always_inline)) {
                detail::add_product_of_row<T>(sum, value.load(p), x.load(j), k);
            });
        detail::update_element(alpha.load(), sum.result(), beta.load(), i, y);
    }
};

template <class T, class X, class A>
void multiply_rows(const cuda_executor& exec, const char* op, const detail::spmv_operands<cuda_executor, X, A>& o)
{
    using value = typename A::value_type;
    constexpr int slices = std::same_as<A, sliced_ell<cuda_executor, value>> ? 1 : 0;
    const multiply_row<value, X, T, slices> f{detail::rows_of<slices>(o.a), o.a.value(), o.x, o.alpha, o.beta, o.y};
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
