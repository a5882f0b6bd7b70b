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

}  // namespace

void subtract_product(const char* op_b, index_t m, index_t n, index_t k, const double* a, index_t lda, const double* b,
                      index_t ldb, double* c, index_t ldc)
{
    const int sizes[] = {size(m), size(n), size(k), size(lda), size(ldb), size(ldc)};
    const double minus_one = -1, one = 1;
    dgemm_("N", op_b, &sizes[0], &sizes[1], &sizes[2], &minus_one, a, &sizes[3], b, &sizes[4], &one, c, &sizes[5]);
}

void solve_unit_lower(index_t k, index_t n, const double* l, index_t ldl, double* x, index_t ldx)
{
    const int sizes[] = {size(k), size(n), size(ldl), size(ldx)};
    const double one = 1;
    dtrsm_("L", "L", "N", "U", &sizes[0], &sizes[1], &one, l, &sizes[2], x, &sizes[3]);
}

void solve_lower_right(index_t m, index_t k, const double* l, index_t ldl, double* x, index_t ldx)
{
    const int sizes[] = {size(m), size(k), size(ldl), size(ldx)};
    const double one = 1;
    dtrsm_("R", "L", "T", "N", &sizes[0], &sizes[1], &one, l, &sizes[2], x, &sizes[3]);
}

void subtract_product(const char* op_b, index_t m, index_t n, index_t k, const float* a, index_t lda, const float* b,
                      index_t ldb, float* c, index_t ldc)
{
    const int sizes[] = {size(m), size(n), size(k), size(lda), size(ldb), size(ldc)};
    const float minus_one = -1, one = 1;
    sgemm_("N", op_b, &sizes[0], &sizes[1], &sizes[2], &minus_one, a, &sizes[3], b, &sizes[4], &one, c, &sizes[5]);
}

void solve_unit_lower(index_t k, index_t n, const float* l, index_t ldl, float* x, index_t ldx)
{
    const int sizes[] = {size(k), size(n), size(ldl), size(ldx)};
    const float one = 1;
    strsm_("L", "L", "N", "U", &sizes[0], &sizes[1], &one, l, &sizes[2], x, &sizes[3]);
}

void solve_lower_right(index_t m, index_t k, const float* l, index_t ldl, float* x, index_t ldx)
{
    const int sizes[] = {size(m), size(k), size(ldl), size(ldx)};
    const float one = 1;
    strsm_("R", "L", "T", "N", &sizes[0], &sizes[1], &one, l, &sizes[2], x, &sizes[3]);
}

}  // namespace residua::blas::detail
