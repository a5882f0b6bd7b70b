/* Dense matrices for programs that call the BLAS and LAPACK: products, triangles and factors of multi-digit floats, without a
 * solver. Errors, ownership, threads and forms of numbers are as residua.h has them.
 *
 * The matrices of a call have the same bits and lie in the same place. Whatever the number of threads, and wherever they
 * lie, results have the same bits. Triangles, `transposed` and info are those of LAPACK, and info is counted from 1. Of
 * arrays alpha and beta the first number is meant.
 *
 * RESIDUA_INVALID      NULL, shapes that do not fit, matrices of different bits or places
 * RESIDUA_UNSUPPORTED  a product of numbers further apart than 2^7000 */
#ifndef RESIDUA_DENSE_H
#define RESIDUA_DENSE_H

#include "residua.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct residua_matrix residua_matrix;

typedef enum residua_place { RESIDUA_ON_HOST = 0, RESIDUA_ON_DEVICE = 1 } residua_place;
typedef enum residua_triangle { RESIDUA_LOWER = 0, RESIDUA_UPPER = 1 } residua_triangle;
typedef enum residua_side { RESIDUA_LEFT = 0, RESIDUA_RIGHT = 1 } residua_side;

/* rows x cols zeros of `bits` bits, from 53 to 4096, in the memory of the host or of the first GPU.
 *
 * RESIDUA_UNSUPPORTED    other bits
 * RESIDUA_OUT_OF_MEMORY  no memory for them, or no GPU */
int residua_matrix_new(int64_t rows, int64_t cols, int64_t bits, residua_place place, residua_matrix** matrix);

/* Any of these may be NULL. The bits are those that were asked for, or 64 if these are fewer. */
int residua_matrix_size(const residua_matrix* matrix, int64_t* rows, int64_t* cols, int64_t* bits);

/* Takes numbers by columns: (i, j) is number j * stride + i of x. With a stride of 0 columns follow each other without
 * gaps. Each is rounded to the nearest number of the matrix, from limbs, mpf_t, mpfr_t and doubles by all threads.
 *
 * RESIDUA_INVALID  a stride less than a column, a number that is not finite; the matrix keeps its numbers */
int residua_matrix_set(residua_matrix* matrix, residua_numbers x, int64_t stride);

/* Writes the numbers by columns, each rounded to nearest as by the functions of the same names for vectors: to doubles, to 64
 * `limbs` bits, to the precision of each mpfr_t, to the limbs of each mpf_t. What lies between columns is left alone.
 *
 * RESIDUA_INVALID  a stride less than a column; for limbs or mpf_t a number that is not finite: some of x is written then */
int residua_matrix_doubles(const residua_matrix* matrix, double* x, int64_t stride);
int residua_matrix_limbs(const residua_matrix* matrix, int limbs, int32_t* sign, int64_t* exponent, uint64_t* limb,
                         int64_t stride);
int residua_matrix_mpfr(const residua_matrix* matrix, void* x, int64_t stride);
int residua_matrix_mpf(const residua_matrix* matrix, void* x, int64_t stride);

/* C <- alpha op(A) op(B) + beta C, op(A) = A', if a_transposed is not 0. Every element of op(A) op(B) is summed exactly and
 * rounded once; alpha times it plus the rounded beta c is rounded once more. C may be A or B. */
int residua_gemm(residua_numbers alpha, const residua_matrix* a, int a_transposed, const residua_matrix* b,
                 int b_transposed, residua_numbers beta, residua_matrix* c);

/* C <- alpha A A' + beta C, or alpha A'A + beta C if transposed is not 0, with the bits of residua_gemm. `triangle` of C is
 * read, unless beta is zero, and both are written. */
int residua_syrk(residua_triangle triangle, residua_numbers alpha, const residua_matrix* a, int transposed,
                 residua_numbers beta, residua_matrix* c);

/* B <- alpha inverse(op(T)) B, or alpha B inverse(op(T)), T a triangle of A, its diagonal ones if unit_diagonal is not 0.
 * The backward error of each column or row is a few units in the last place of each number of T (docs/error_bounds.md,
 * theorem 32). A zero on the diagonal gives numbers that are not finite. B is another matrix than A. */
int residua_trsm(residua_side side, residua_triangle triangle, int transposed, int unit_diagonal, residua_numbers alpha,
                 const residua_matrix* a, residua_matrix* b);

/* A <- L of A = L L', or U of A = U'U; `triangle` of A is read, and the other one becomes zero. *info is 0, or the order of
 * the first leading minor that is not positive; then A is lost, and the call has not failed. */
int residua_potrf(residua_triangle triangle, residua_matrix* a, int64_t* info);

/* A <- L and U of P A = L U with partial pivoting, the ones of L left out. Row k was swapped with row pivot[k] at step k; there
 * is room for as many as A has rows. *info is 0, or a column that has no pivot; then A is lost, and the call has not failed. */
int residua_getrf(residua_matrix* a, int64_t* pivot, int64_t* info);

/* A <- L and D of P A P' = L D L', the ones of L left out; `triangle` of A is read. D has its diagonal in that of A, and above
 * it the number beside the diagonal of a pivot of two rows. Rows and columns k were swapped with p at step k, where pivot[k] is p
 * or, of a pivot of two rows, -1 - p; there is room for as many as A has rows. *info is 0, or a column that has no pivot; then A
 * is lost, and the call has not failed. */
int residua_sytrf(residua_triangle triangle, residua_matrix* a, int64_t* pivot, int64_t* info);

/* B <- inverse(A) B by the factors of residua_potrf with the same triangle, or by those of residua_getrf or residua_sytrf with
 * their pivots, with `transposed` other than 0 inverse(A') B. B is another matrix. */
int residua_potrs(residua_triangle triangle, const residua_matrix* a, residua_matrix* b);
int residua_getrs(int transposed, const residua_matrix* a, const int64_t* pivot, residua_matrix* b);
int residua_sytrs(const residua_matrix* a, const int64_t* pivot, residua_matrix* b);

void residua_matrix_free(residua_matrix* matrix);

#ifdef __cplusplus
}
#endif

#endif
