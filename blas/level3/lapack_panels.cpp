#include <residua/blas/level3/lapack_panels.hpp>

extern "C" {
void dgemm_(const char* op_a, const char* op_b, const int* m, const int* n, const int* k, const double* alpha,
            const double* a, const int* lda, const double* b, const int* ldb, const double* beta, double* c,
            const int* ldc);
void dtrsm_(const char* side, const char* triangle, const char* op, const char* diagonal, const int* m, const int* n,
            const double* alpha, const double* a, const int* lda, double* b, const int* ldb);
void sgemm_(const char* op_a, const char* op_b, const int* m, const int* n, const int* k, const float* alpha,
            const float* a, const int* lda, const float* b, const int* ldb, const float* beta, float* c,
            const int* ldc);
void strsm_(const char* side, const char* triangle, const char* op, const char* diagonal, const int* m, const int* n,
            const float* alpha, const float* a, const int* lda, float* b, const int* ldb);
}

namespace residua::blas::detail {
namespace {

/// n as an integer of LAPACK, which holds it: callers have checked that.
int size(index_t n) { return static_cast<int>(n); }

constexpr auto gemm_of(double) { return dgemm_; }
constexpr auto gemm_of(float) { return sgemm_; }
constexpr auto trsm_of(double) { return dtrsm_; }
constexpr auto trsm_of(float) { return strsm_; }

}  // namespace

template <class T>
void subtract_product(const char* op_b, index_t m, index_t n, index_t k, const T* a, index_t lda, const T* b,
                      index_t ldb, T* c, index_t ldc)
{
    const int sizes[] = {size(m), size(n), size(k), size(lda), size(ldb), size(ldc)};
    const T minus_one = -1, one = 1;
    gemm_of(one)("N", op_b, &sizes[0], &sizes[1], &sizes[2], &minus_one, a, &sizes[3], b, &sizes[4], &one, c,
                 &sizes[5]);
}

template <class T>
void solve_unit_lower(index_t k, index_t n, const T* l, index_t ldl, T* x, index_t ldx)
{
    const int sizes[] = {size(k), size(n), size(ldl), size(ldx)};
    const T one = 1;
    trsm_of(one)("L", "L", "N", "U", &sizes[0], &sizes[1], &one, l, &sizes[2], x, &sizes[3]);
}

template <class T>
void solve_lower_right(index_t m, index_t k, const T* l, index_t ldl, T* x, index_t ldx)
{
    const int sizes[] = {size(m), size(k), size(ldl), size(ldx)};
    const T one = 1;
    trsm_of(one)("R", "L", "T", "N", &sizes[0], &sizes[1], &one, l, &sizes[2], x, &sizes[3]);
}

#define RESIDUA_INSTANTIATE(T)                                                                                       \
    template void subtract_product(const char*, index_t, index_t, index_t, const T*, index_t, const T*, index_t, T*, \
                                   index_t);                                                                         \
    template void solve_unit_lower(index_t, index_t, const T*, index_t, T*, index_t);                                \
    template void solve_lower_right(index_t, index_t, const T*, index_t, T*, index_t);
RESIDUA_INSTANTIATE(double)
RESIDUA_INSTANTIATE(float)

}  // namespace residua::blas::detail
