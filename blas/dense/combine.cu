#include <residua/blas/dense/combine.hpp>

#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/dense/elements.hpp>
#include <residua/blas/level1/elementwise.cuh>

namespace residua::blas::detail {

template <number T>
void combine_entries(const cuda_executor& exec, const char* op, matrix_view<cuda_executor, T> to,
                     const entry_term<cuda_executor, T>& first,
                     const std::type_identity_t<entry_term<cuda_executor, T>>* second, const diagonals& of)
{
    run_elementwise(
        exec, op, to.rows * to.cols,
        combine_numbers<cuda_executor, T>{to, of, first, second != nullptr, second == nullptr ? first : *second});
}

template <number T>
void solve_columns(const cuda_executor& exec, uplo triangle, diag diagonal, in_matrix<cuda_executor, T> a,
                   matrix_view<cuda_executor, T> x)
{
    run_elementwise(exec, "trsm", x.rows > 0 ? x.cols : 0,
                    solve_column<cuda_executor, T>{triangle == uplo::lower, diagonal == diag::unit, a, x});
}

#define RESIDUA_INSTANTIATE(...)                                                                              \
    template void combine_entries(const cuda_executor&, const char*, matrix_view<cuda_executor, __VA_ARGS__>, \
                                  const entry_term<cuda_executor, __VA_ARGS__>&,                              \
                                  const entry_term<cuda_executor, __VA_ARGS__>*, const diagonals&);           \
    template void solve_columns(const cuda_executor&, uplo, diag, in_matrix<cuda_executor, __VA_ARGS__>,      \
                                matrix_view<cuda_executor, __VA_ARGS__>);
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)

}  // namespace residua::blas::detail
