/* Dense matrices of residua.h: numbers of GMP, MPFR and limbs through products, triangles and factors, and misuse. */
#include "check.h"

#include <residua_dense.h>

#include <gmp.h>
#include <math.h>
#include <mpfr.h>
#include <stdlib.h>

static const double one = 1, zero = 0, minus_one = -1;
#define ONE residua_doubles(&one)
#define ZERO residua_doubles(&zero)
#define MINUS_ONE residua_doubles(&minus_one)

static residua_matrix *matrix_of(int64_t rows, int64_t cols, int64_t bits, const double *x)
{
    residua_matrix *m = NULL;
    CHECK(residua_matrix_new(rows, cols, bits, RESIDUA_ON_HOST, &m) == RESIDUA_OK);
    CHECK(residua_matrix_set(m, residua_doubles(x), 0) == RESIDUA_OK);
    return m;
}

static int holds(const residua_matrix *m, const double *wanted, int size)
{
    double x[16];
    return residua_matrix_doubles(m, x, 0) == RESIDUA_OK && memcmp(x, wanted, (size_t)size * sizeof(double)) == 0;
}

static void products_and_triangles(void)
{
    const double x[] = {1, 3, 2, 4}, y[] = {5, 7, 6, 8}, t[] = {2, 1, 99, 4};
    const double product[] = {19, 43, 22, 50}, updated[] = {7, -5, 8, -6}, square[] = {5, 11, 11, 25};
    const double solved[] = {0.5, 0.625, 1, 0.75}, from_the_right[] = {0.25, 1, 0.5, 1};
    int64_t rows = 0, cols = 0, bits = 0;
    residua_matrix *a = matrix_of(2, 2, 53, x), *b = matrix_of(2, 2, 53, y), *l = matrix_of(2, 2, 53, t), *c = NULL;
    CHECK(residua_matrix_new(2, 2, 53, RESIDUA_ON_HOST, &c) == RESIDUA_OK);
    CHECK(residua_matrix_size(c, &rows, &cols, &bits) == RESIDUA_OK && rows == 2 && cols == 2 && bits == 64);
    CHECK(residua_gemm(ONE, a, 0, b, 0, ZERO, c) == RESIDUA_OK && holds(c, product, 4));
    CHECK(residua_gemm(ONE, a, 1, b, 0, MINUS_ONE, c) == RESIDUA_OK && holds(c, updated, 4));
    CHECK(residua_syrk(RESIDUA_UPPER, ONE, a, 0, ZERO, c) == RESIDUA_OK && holds(c, square, 4));
    CHECK(residua_matrix_set(c, residua_doubles(x), 0) == RESIDUA_OK);
    CHECK(residua_trsm(RESIDUA_LEFT, RESIDUA_LOWER, 0, 0, ONE, l, c) == RESIDUA_OK && holds(c, solved, 4));
    CHECK(residua_matrix_set(c, residua_doubles(x), 0) == RESIDUA_OK);
    CHECK(residua_trsm(RESIDUA_RIGHT, RESIDUA_LOWER, 0, 0, ONE, l, c) == RESIDUA_OK && holds(c, from_the_right, 4));
    residua_matrix_free(a);
    residua_matrix_free(b);
    residua_matrix_free(c);
    residua_matrix_free(l);
}

/* Hilbert's matrix in mpf_t, whose inverse consists of integers: entry (1, 1) is n^2. */
static void cholesky_of_mpf(void)
{
    enum { n = 12, ld = 13 };
    mpf_t h[ld * n], e[n], x[n];
    residua_matrix *a = NULL, *b = NULL;
    int64_t info = -1;
    int i, j;
    for (j = 0; j < n; ++j) {
        for (i = 0; i < ld; ++i) {
            mpf_init2(h[j * ld + i], 512);
            mpf_set_ui(h[j * ld + i], 1);
            mpf_div_ui(h[j * ld + i], h[j * ld + i], (unsigned long)(i + j + 1));
        }
        mpf_init2(e[j], 512);
        mpf_init2(x[j], 512);
    }
    mpf_set_ui(e[0], 1);
    CHECK(residua_matrix_new(n, n, 512, RESIDUA_ON_HOST, &a) == RESIDUA_OK);
    CHECK(residua_matrix_new(n, 1, 512, RESIDUA_ON_HOST, &b) == RESIDUA_OK);
    CHECK(residua_matrix_set(a, residua_mpf(h), ld) == RESIDUA_OK);
    CHECK(residua_matrix_set(b, residua_mpf(e), 0) == RESIDUA_OK);
    CHECK(residua_potrf(RESIDUA_LOWER, a, &info) == RESIDUA_OK && info == 0);
    CHECK(residua_potrs(RESIDUA_LOWER, a, b) == RESIDUA_OK);
    CHECK(residua_matrix_mpf(b, x, 0) == RESIDUA_OK);
    mpf_sub_ui(x[0], x[0], n * n);
    CHECK(fabs(mpf_get_d(x[0])) < 1e-120);
    mpf_add_ui(x[1], x[1], (unsigned long)(n * n * (n * n - 1) / 2)); /* (1, 2) is -n^2 (n^2 - 1) / 2 */
    CHECK(fabs(mpf_get_d(x[1])) < 1e-118);
    CHECK(residua_matrix_mpf(a, h, ld) == RESIDUA_OK);
    CHECK(mpf_get_d(h[0]) == 1.0 && mpf_sgn(h[ld]) == 0); /* what is above the diagonal is zero */
    mpf_mul_ui(h[ld - 1], h[ld - 1], n + 1);               /* and what is in a gap is as it was */
    CHECK(fabs(mpf_get_d(h[ld - 1]) - 1) < 1e-15);
    for (j = 0; j < n; ++j) {
        for (i = 0; i < ld; ++i) {
            mpf_clear(h[j * ld + i]);
        }
        mpf_clear(e[j]);
        mpf_clear(x[j]);
    }
    residua_matrix_free(a);
    residua_matrix_free(b);
}

static void lu_of_mpfr_and_limbs(void)
{
    const int32_t sign[] = {1, 1, -1, 0};
    const int64_t exponent[] = {0, -1, 63, 0};
    const uint64_t limb[] = {1, 6, 1, 7}; /* 1, 3, -2^63, 0, by columns */
    int32_t signs[4];
    int64_t exponents[4], pivot[2] = {-1, -1}, info = -1;
    uint64_t limbs[8];
    mpfr_t x[2];
    const double right[] = {1, 3};
    residua_matrix *a = NULL, *b = matrix_of(2, 1, 200, right);
    CHECK(residua_matrix_new(2, 2, 200, RESIDUA_ON_HOST, &a) == RESIDUA_OK);
    CHECK(residua_matrix_set(a, residua_limbs(sign, exponent, limb, 1), 0) == RESIDUA_OK);
    CHECK(residua_matrix_limbs(a, 2, signs, exponents, limbs, 0) == RESIDUA_OK);
    CHECK(signs[2] == -1 && exponents[2] == 63 - 127 && limbs[4] == 0 && limbs[5] == UINT64_C(1) << 63);
    CHECK(signs[1] == 1 && exponents[1] == 1 - 127 && limbs[3] == UINT64_C(3) << 62 && signs[3] == 0);
    CHECK(residua_getrf(a, pivot, &info) == RESIDUA_OK && info == 0 && pivot[0] == 1 && pivot[1] == 1);
    CHECK(residua_getrs(0, a, pivot, b) == RESIDUA_OK);
    mpfr_init2(x[0], 300);
    mpfr_init2(x[1], 300);
    CHECK(residua_matrix_mpfr(b, x, 0) == RESIDUA_OK);
    CHECK(fabs(mpfr_get_d(x[0], MPFR_RNDN) - 1) < 1e-59 && fabs(mpfr_get_d(x[1], MPFR_RNDN)) < 1e-59);
    CHECK(residua_matrix_set(b, residua_mpfr(x), 0) == RESIDUA_OK);
    CHECK(residua_getrs(1, a, pivot, b) == RESIDUA_OK);
    mpfr_set_nan(x[1]);
    REFUSED(residua_matrix_set(b, residua_mpfr(x), 0), RESIDUA_INVALID, "number (1, 0) is nan");
    mpfr_clear(x[0]);
    mpfr_clear(x[1]);
    residua_matrix_free(a);
    residua_matrix_free(b);
}

/* Forms without a way of their own, and mpf_t where vectors and systems take numbers. */
static void other_forms(void)
{
    const char *const texts[] = {"0.1", "-2", NULL, "1e-30", "3", NULL};
    const double terms[] = {1, 0x1p-80, 2, 0};
    double x[6] = {0, 0, 7, 0, 0, 7};
    residua_matrix *m = NULL;
    residua_vector *v = NULL, *w = NULL;
    mpf_t all[2], back[2];
    CHECK(residua_matrix_new(2, 2, 128, RESIDUA_ON_HOST, &m) == RESIDUA_OK);
    CHECK(residua_matrix_set(m, residua_decimals(texts), 3) == RESIDUA_OK);
    CHECK(residua_matrix_doubles(m, x, 3) == RESIDUA_OK);
    CHECK(x[0] == 0.1 && x[1] == -2 && x[2] == 7 && x[3] == 1e-30 && x[4] == 3 && x[5] == 7);
    REFUSED(residua_matrix_set(m, residua_decimals(texts), 2), RESIDUA_INVALID, "x[2] is NULL");
    CHECK(residua_vector_new(2, 1, residua_terms(terms, 2), &v) == RESIDUA_OK);
    mpf_init2(all[0], 100);
    mpf_init2(all[1], 200);
    mpf_init2(back[0], 100);
    mpf_init2(back[1], 200);
    CHECK(residua_vector_mpf(v, 0, all, 2) == RESIDUA_OK);
    REFUSED(residua_vector_mpf(v, 0, all, 1), RESIDUA_INVALID, "room for 1 numbers");
    CHECK(mpf_cmp_ui(all[0], 1) > 0 && mpf_cmp_ui(all[1], 2) == 0);
    CHECK(residua_vector_new(1, 2, residua_mpf(all), &w) == RESIDUA_OK);
    CHECK(residua_vector_mpf(w, 0, back, 1) == RESIDUA_OK && residua_vector_mpf(w, 1, back + 1, 1) == RESIDUA_OK);
    CHECK(mpf_cmp(all[0], back[0]) == 0 && mpf_cmp(all[1], back[1]) == 0);
    all[0]->_mp_exp = 1 << 24;
    residua_vector_free(w);
    REFUSED(residua_vector_new(1, 2, residua_mpf(all), &w), RESIDUA_INVALID, "x[0] is near 2^(64 * 16777216)");
    mpf_clear(all[0]);
    mpf_clear(all[1]);
    mpf_clear(back[0]);
    mpf_clear(back[1]);
    residua_vector_free(v);
    residua_matrix_free(m);
}

static void info_is_no_error(void)
{
    const double singular[] = {1, 2, 2, 4}, indefinite[] = {1, 2, 2, 1};
    residua_matrix *a = matrix_of(2, 2, 100, singular), *s = matrix_of(2, 2, 100, indefinite);
    int64_t pivot[2], info = 0;
    CHECK(residua_getrf(a, pivot, &info) == RESIDUA_OK && info == 2);
    CHECK(residua_potrf(RESIDUA_UPPER, s, &info) == RESIDUA_OK && info == 2);
    const double zeros[] = {0, 2, 2, 0};
    double x[] = {6, 8};
    residua_matrix *z = matrix_of(2, 2, 100, zeros), *b = matrix_of(2, 1, 100, x);
    CHECK(residua_sytrf(RESIDUA_UPPER, z, pivot, &info) == RESIDUA_OK && info == 0 && pivot[0] == -1 && pivot[1] == -2);
    CHECK(residua_sytrs(z, pivot, b) == RESIDUA_OK);
    CHECK(residua_matrix_doubles(b, x, 0) == RESIDUA_OK && x[0] == 4 && x[1] == 3);
    residua_matrix_free(z);
    residua_matrix_free(b);
    residua_matrix_free(a);
    residua_matrix_free(s);
}

static void misuse(void)
{
    const double x[9] = {0};
    const int64_t pivot[] = {0, 5};
    int32_t sign[9];
    int64_t exponent[9], info = 7;
    uint64_t limb[9];
    residua_matrix *a = matrix_of(2, 3, 100, x), *b = matrix_of(2, 2, 100, x), *c = matrix_of(2, 2, 128, x), *m = NULL;
    residua_vector *v = NULL;
    CHECK(residua_vector_new(1, 1, ONE, &v) == RESIDUA_OK);
    REFUSED(residua_matrix_new(-1, 2, 100, RESIDUA_ON_HOST, &m), RESIDUA_INVALID, "-1 x 2 is negative");
    REFUSED(residua_matrix_new(2, 2, 40, RESIDUA_ON_HOST, &m), RESIDUA_UNSUPPORTED, "53 to 4096 bits, not 40");
    REFUSED(residua_matrix_new(INT64_C(1) << 40, INT64_C(1) << 40, 100, RESIDUA_ON_HOST, &m), RESIDUA_OUT_OF_MEMORY,
            "no memory for 1099511627776 x");
    REFUSED(residua_matrix_new(2, 2, 100, (residua_place)2, &m), RESIDUA_INVALID, "place is 2");
    REFUSED(residua_matrix_new(2, 2, 100, RESIDUA_ON_HOST, NULL), RESIDUA_INVALID, "matrix is NULL");
    CHECK(m == NULL);
    REFUSED(residua_matrix_set(NULL, residua_doubles(x), 0), RESIDUA_INVALID, "matrix is NULL");
    REFUSED(residua_matrix_set((residua_matrix *)(void *)v, residua_doubles(x), 0), RESIDUA_INVALID, "another kind");
    REFUSED(residua_matrix_set(a, residua_doubles(NULL), 0), RESIDUA_INVALID, "x is NULL");
    REFUSED(residua_matrix_set(a, residua_doubles(x), 1), RESIDUA_INVALID, "columns of 2 numbers");
    REFUSED(residua_matrix_set(a, residua_terms(x, 2), -3), RESIDUA_INVALID, "columns of 2 numbers");
    REFUSED(residua_matrix_doubles(a, NULL, 0), RESIDUA_INVALID, "null");
    REFUSED(residua_matrix_limbs(a, 0, sign, exponent, limb, 0), RESIDUA_INVALID, "limbs of a number, not 0");
    REFUSED(residua_matrix_limbs(a, 1, NULL, exponent, limb, 0), RESIDUA_INVALID, "null");
    REFUSED(residua_gemm(ONE, a, 0, a, 0, ZERO, b), RESIDUA_INVALID, "columns of op(A) and rows of op(B) differ");
    REFUSED(residua_gemm(ONE, b, 0, c, 0, ZERO, b), RESIDUA_INVALID, "100 and 128 bits do not mix");
    REFUSED(residua_gemm(residua_doubles(NULL), b, 0, b, 0, ZERO, b), RESIDUA_INVALID, "alpha is NULL");
    REFUSED(residua_syrk((residua_triangle)3, ONE, a, 0, ZERO, b), RESIDUA_INVALID, "triangle is 3");
    REFUSED(residua_trsm((residua_side)2, RESIDUA_LOWER, 0, 0, ONE, b, a), RESIDUA_INVALID, "side is 2");
    REFUSED(residua_trsm(RESIDUA_LEFT, RESIDUA_LOWER, 0, 0, ONE, b, b), RESIDUA_INVALID, "one matrix");
    REFUSED(residua_potrf(RESIDUA_LOWER, a, &info), RESIDUA_INVALID, "rows and columns of A differ");
    REFUSED(residua_potrf(RESIDUA_LOWER, b, NULL), RESIDUA_INVALID, "info is NULL");
    REFUSED(residua_getrf(b, NULL, &info), RESIDUA_INVALID, "pivot is NULL");
    REFUSED(residua_getrs(0, b, pivot, a), RESIDUA_INVALID, "no row 5 to swap");
    REFUSED(residua_sytrf(RESIDUA_LOWER, b, NULL, &info), RESIDUA_INVALID, "pivot is NULL");
    REFUSED(residua_sytrs(b, pivot, b), RESIDUA_INVALID, "no row 5 to swap");
    REFUSED(residua_potrs(RESIDUA_LOWER, a, b), RESIDUA_INVALID, "differ");
    CHECK(info == 7);
    residua_matrix_free(a);
    residua_matrix_free(b);
    residua_matrix_free(c);
    residua_matrix_free(NULL);
    residua_vector_free(v);
}

int main(void)
{
    products_and_triangles();
    cholesky_of_mpf();
    lu_of_mpfr_and_limbs();
    other_forms();
    info_is_no_error();
    misuse();
    mpfr_free_cache();
    printf("%d checks, %d faults\n", checks, faults);
    return faults == 0 ? 0 : 1;
}
