#include <residua/blas/level3/gemm.hpp>
#include <residua/blas/level3/gemm2.hpp>

#include <residua/blas/base/check.hpp>
#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/level2/gemv.hpp>
#include <residua/blas/level2/gemv2.hpp>

namespace residua::blas {
namespace {

template <class T>
void require_factors(const char* op, const matrix_view<host_executor, const T>& a,
                     const matrix_view<host_executor, const T>& b, const matrix_view<host_executor, T>& c)
{
    require_equal(op, "rows of A and C", a.rows, c.rows);
    require_equal(op, "columns of B and C", b.cols, c.cols);
    require_equal(op, "columns of A and rows of B", a.cols, b.rows);
}

}  // namespace

template <number T>
void gemm(const host_executor& exec, const std::type_identity_t<T>& alpha, in_matrix<host_executor, T> a,
          in_matrix<host_executor, T> b, const std::type_identity_t<T>& beta, matrix_view<host_executor, T> c)
{
    require_factors("gemm", a, b, c);
    for (index_t j = 0; j < c.cols; ++j) {
        gemv<T>(exec, alpha, a, b.column(j), beta, c.column(j));
    }
}

void gemm2(const host_executor& exec, double alpha, in_matrix<host_executor, double> a,
           in_matrix<host_executor, double> b, double beta, matrix_view<host_executor, double> c)
{
    require_factors("gemm2", a, b, c);
    for (index_t j = 0; j < c.cols; ++j) {
        gemv2(exec, alpha, a, b.column(j), beta, c.column(j));
    }
}

#define RESIDUA_INSTANTIATE(...)                                                                                     \
    template void gemm<__VA_ARGS__>(const host_executor&, const __VA_ARGS__&, in_matrix<host_executor, __VA_ARGS__>, \
                                    in_matrix<host_executor, __VA_ARGS__>, const __VA_ARGS__&,                       \
                                    matrix_view<host_executor, __VA_ARGS__>);
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)

}  // namespace residua::blas
