#include <residua/blas/level2/combine.hpp>

#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/level1/elementwise.cuh>
#include <residua/blas/level2/combine_elements.hpp>

namespace residua::blas::detail {

template <number T>
void combine_entries(const cuda_executor& exec, const char* op, const entry_sum<cuda_executor, T>& sum)
{
    run_elementwise(exec, op, sum.to.rows * sum.to.cols, combine_numbers<cuda_executor, T>{sum});
}

template <number T>
void solve_columns(const cuda_executor& exec, uplo triangle, diag diagonal, in_matrix<cuda_executor, T> a,
                   matrix_view<cuda_executor, T> x)
{
    run_elementwise(exec, "trsm", x.rows > 0 ? x.cols : 0,
                    solve_column<cuda_executor, T>{triangle == uplo::lower, diagonal == diag::unit, a, x});
}

#define RESIDUA_INSTANTIATE(...)                                                                                    \
    template void combine_entries(const cuda_executor&, const char*, const entry_sum<cuda_executor, __VA_ARGS__>&); \
    template void solve_columns(const cuda_executor&, uplo, diag, in_matrix<cuda_executor, __VA_ARGS__>,            \
                                matrix_view<cuda_executor, __VA_ARGS__>);
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)

}  // namespace residua::blas::detail
