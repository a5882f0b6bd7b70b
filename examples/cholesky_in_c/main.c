/* The last number of the inverse of Hilbert's matrix of order 40, by the Cholesky factor of a matrix of mpf_t. The condition
 * is 2e59, so double precision has no such factor. The inverse consists of integers. */
#include <gmp.h>
#include <residua_dense.h>
#include <stdio.h>

enum { n = 40, bits = 512 };

int main(void)
{
    static mpf_t a[n * n], x[n]; /* by columns, as the BLAS has them */
    residua_matrix *factor = NULL, *columns = NULL;
    int64_t info = 0;
    mpf_set_default_prec(bits);
    for (int j = 0; j < n; ++j) {
        mpf_init_set_ui(x[j], j == n - 1);
        for (int i = 0; i < n; ++i) {
            mpf_init_set_ui(a[n * j + i], 1);
            mpf_div_ui(a[n * j + i], a[n * j + i], i + j + 1);
        }
    }
    const int failed = residua_matrix_new(n, n, bits, RESIDUA_ON_HOST, &factor) ||
                       residua_matrix_set(factor, residua_mpf(a), n) ||
                       residua_potrf(RESIDUA_LOWER, factor, &info) ||
                       residua_matrix_new(n, 1, bits, RESIDUA_ON_HOST, &columns) ||
                       residua_matrix_set(columns, residua_mpf(x), n) ||
                       (info == 0 && residua_potrs(RESIDUA_LOWER, factor, columns)) ||
                       residua_matrix_mpf(columns, x, n);
    if (failed) {
        printf("%s\n", residua_error());
    } else if (info > 0) {
        printf("the leading minor of order %d is not positive\n", (int)info);
    } else {
        gmp_printf("%.2Ff\n", x[n - 1]);
    }
    residua_matrix_free(factor);
    residua_matrix_free(columns);
    for (int j = 0; j < n * n; ++j) {
        mpf_clear(a[j]);
    }
    for (int j = 0; j < n; ++j) {
        mpf_clear(x[j]);
    }
    return failed || info != 0;
}
