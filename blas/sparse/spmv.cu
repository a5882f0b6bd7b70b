#include <residua/blas/sparse/spmv.hpp>
#include <residua/blas/sparse/spmv2.hpp>

#include <residua/blas/base/accumulate.hpp>
#include <residua/blas/base/check.hpp>
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

template <class V, class X, class T, class Matrix, class Rows>
void multiply(const cuda_executor& exec, const char* op, const Rows& rows, const scalar_argument<X>& alpha,
              const Matrix& a, vector_view<cuda_executor, const X> x, const scalar_argument<X>& beta,
              vector_view<cuda_executor, X> y)
{
    require_equal(op, "rows of A and size of y", a.rows(), y.size);
    require_equal(op, "columns of A and size of x", a.cols(), x.size);
    const multiply_row<V, X, T, Rows> f{rows, a.col().data(), a.value(), x, alpha, beta, y};
    detail::run_elementwise(exec, op, a.rows(), f);
}

}  // namespace

template <number T, number V>
    requires std::same_as<V, double> || std::same_as<V, T>
void spmv(const cuda_executor& exec, const std::type_identity_t<scalar_argument<T>>& alpha,
          const csr<cuda_executor, V>& a, in_vector<cuda_executor, T> x,
          const std::type_identity_t<scalar_argument<T>>& beta, vector_view<cuda_executor, T> y)
{
    multiply<V, T, T>(exec, "spmv", detail::rows_of(a), alpha, a, x, beta, y);
}

template <number T, number V>
    requires std::same_as<V, double> || std::same_as<V, T>
void spmv(const cuda_executor& exec, const std::type_identity_t<scalar_argument<T>>& alpha,
          const sliced_ell<cuda_executor, V>& a, in_vector<cuda_executor, T> x,
          const std::type_identity_t<scalar_argument<T>>& beta, vector_view<cuda_executor, T> y)
{
    multiply<V, T, T>(exec, "spmv", detail::rows_of(a), alpha, a, x, beta, y);
}

void spmv2(const cuda_executor& exec, const scalar_argument<double>& alpha, const csr<cuda_executor, double>& a,
           in_vector<cuda_executor, double> x, const scalar_argument<double>& beta,
           vector_view<cuda_executor, double> y)
{
    multiply<double, double, expansion<double, 2>>(exec, "spmv2", detail::rows_of(a), alpha, a, x, beta, y);
}

void spmv2(const cuda_executor& exec, const scalar_argument<double>& alpha, const sliced_ell<cuda_executor, double>& a,
           in_vector<cuda_executor, double> x, const scalar_argument<double>& beta,
           vector_view<cuda_executor, double> y)
{
    multiply<double, double, expansion<double, 2>>(exec, "spmv2", detail::rows_of(a), alpha, a, x, beta, y);
}

#define RESIDUA_INSTANTIATE(...)                                                                                     \
    template void spmv(const cuda_executor&, const scalar_argument<__VA_ARGS__>&, const csr<cuda_executor, double>&, \
                       in_vector<cuda_executor, __VA_ARGS__>, const scalar_argument<__VA_ARGS__>&,                   \
                       vector_view<cuda_executor, __VA_ARGS__>);                                                     \
    template void spmv(const cuda_executor&, const scalar_argument<__VA_ARGS__>&,                                    \
                       const sliced_ell<cuda_executor, double>&, in_vector<cuda_executor, __VA_ARGS__>,              \
                       const scalar_argument<__VA_ARGS__>&, vector_view<cuda_executor, __VA_ARGS__>);
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)

#define RESIDUA_INSTANTIATE_OWN(...)                                                                         \
    template void spmv(const cuda_executor&, const scalar_argument<__VA_ARGS__>&,                            \
                       const csr<cuda_executor, __VA_ARGS__>&, in_vector<cuda_executor, __VA_ARGS__>,        \
                       const scalar_argument<__VA_ARGS__>&, vector_view<cuda_executor, __VA_ARGS__>);        \
    template void spmv(const cuda_executor&, const scalar_argument<__VA_ARGS__>&,                            \
                       const sliced_ell<cuda_executor, __VA_ARGS__>&, in_vector<cuda_executor, __VA_ARGS__>, \
                       const scalar_argument<__VA_ARGS__>&, vector_view<cuda_executor, __VA_ARGS__>);
RESIDUA_FOR_EACH_EXPANSION(RESIDUA_INSTANTIATE_OWN)

}  // namespace residua::blas
