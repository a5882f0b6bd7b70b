/* Complex systems through residua.h, against exact answers. */
#include "check.h"

#include <complex.h>
#include <math.h>
#include <mpfr.h>

#define N 3

/* A x = b over the Gaussian integers: A is not hermitian, and not complex symmetric. */
static const double complex a_rows[N][N] = {{4 + 1 * I, 2 * I, 0}, {1 - 3 * I, 5, -2 + 1 * I}, {0, 3, 6 - 2 * I}};
static const double complex x_of_a[N] = {1 - 2 * I, -3 + 4 * I, 7 * I};

static residua_numbers pairs(const double complex *z) { return residua_complex(residua_doubles((const double *)z)); }

static void multiply(double complex *b, int adjoint)
{
    int i, j;
    for (i = 0; i < N; ++i) {
        b[i] = 0;
        for (j = 0; j < N; ++j) {
            b[i] += (adjoint ? conj(a_rows[j][i]) : a_rows[i][j]) * x_of_a[j];
        }
    }
}

static residua_options *options_with(const char *name, const char *value)
{
    residua_options *options = NULL;
    CHECK(residua_options_new(&options) == RESIDUA_OK);
    CHECK(residua_options_set(options, name, value) == RESIDUA_OK);
    return options;
}

/* x has these whole numbers, to 30 digits at least. */
static void check_whole(const residua_solution *solution, int64_t column, const double complex *exact, int64_t n,
                        int line)
{
    double terms[2 * 2 * N];
    residua_status status = RESIDUA_BREAKDOWN;
    int64_t rows = 0, columns = 0, k;
    int digits = 0, is_complex = 0;
    const residua_vector *const x = residua_solution_x(solution);
    check(residua_solution_status(solution, column, &status, &digits) == RESIDUA_OK, "there is a status", line);
    check(status == RESIDUA_CONVERGED && digits >= 30, "it has converged", line);
    check(residua_vector_size(x, &rows, &columns) == RESIDUA_OK && rows == n && column < columns, "sizes", line);
    check(residua_vector_is_complex(x, &is_complex) == RESIDUA_OK && is_complex == 1, "x is complex", line);
    check(residua_vector_terms(x, column, 2, terms, 4 * n) == RESIDUA_OK, "x is there", line);
    for (k = 0; k < n; ++k) {
        check(fabs(terms[4 * k] - creal(exact[k]) + terms[4 * k + 1]) < 1e-28, "the real part", line);
        check(fabs(terms[4 * k + 2] - cimag(exact[k]) + terms[4 * k + 3]) < 1e-28, "the imaginary part", line);
    }
}

static void solve_and_free(residua_system *system, int64_t entries, int line)
{
    residua_options *options = options_with("digits", "32");
    residua_solver *solver = NULL;
    residua_solution *solution = NULL;
    double complex b[2 * N];
    int64_t rows = 0, cols = 0, there = 0;
    int is_complex = 0, adjoint;
    check(residua_system_size(system, &rows, &cols, &there) == RESIDUA_OK, "sizes", line);
    check(rows == N && cols == N && there == entries, "they count complex numbers", line);
    check(residua_system_is_complex(system, &is_complex) == RESIDUA_OK && is_complex == 1, "A is complex", line);
    check(residua_solver_new(system, options, &solver) == RESIDUA_OK, "a solver", line);
    for (adjoint = 0; adjoint < 2; ++adjoint) {
        multiply(b, adjoint);
        memcpy(b + N, b, sizeof(double complex) * N);
        check(residua_solve(solver, adjoint, 2, pairs(b), 0, &solution) == RESIDUA_OK, "a solve", line);
        check_whole(solution, 0, x_of_a, N, line);
        check_whole(solution, 1, x_of_a, N, line);
        residua_solution_free(solution);
    }
    residua_solver_free(solver);
    residua_options_free(options);
    residua_system_free(system);
}

static void matrices_of_all_arrays(void)
{
    const int32_t begin[] = {1, 3, 6, 8}, column[] = {1, 2, 3, 1, 2, 2, 3};
    const int64_t begin64[] = {0, 2, 5, 7}, column64[] = {0, 1, 2, 0, 1, 1, 2};
    const double complex by_rows[] = {4 + 1 * I, 2 * I, -2 + 1 * I, 1 - 3 * I, 5, 3, 6 - 2 * I};
    const double complex by_cols[] = {4 + 1 * I, 1 - 3 * I, 2 * I, 5, 3, -2 + 1 * I, 6 - 2 * I};
    const int32_t col_begin[] = {0, 2, 5, 7}, row[] = {0, 1, 0, 1, 2, 1, 2};
    const int64_t row_of[] = {2, 1, 1, 0, 0, 2, 1, 0}, column_of[] = {2, 2, 0, 0, 1, 1, 1, 0};
    const double complex each[] = {6 - 2 * I, -2 + 1 * I, 1 - 3 * I, 3 - 4 * I, 2 * I, 3, 5, 1 + 5 * I};
    double complex wide[N * (N + 1)], tall[N * N];
    residua_system *system = NULL;
    int i, j;
    CHECK(residua_system_csr32(N, N, begin, column, pairs(by_rows), 1, &system) == RESIDUA_OK);
    solve_and_free(system, 7, __LINE__);
    CHECK(residua_system_csr64(N, N, begin64, column64, pairs(by_rows), 0, &system) == RESIDUA_OK);
    solve_and_free(system, 7, __LINE__);
    CHECK(residua_system_csc32(N, N, col_begin, row, pairs(by_cols), 0, &system) == RESIDUA_OK);
    solve_and_free(system, 7, __LINE__);
    CHECK(residua_system_coo64(N, N, 8, row_of, column_of, pairs(each), 0, &system) == RESIDUA_OK); /* sums one place */
    solve_and_free(system, 7, __LINE__);
    for (i = 0; i < N; ++i) {
        wide[i * (N + 1) + N] = NAN; /* a gap */
        for (j = 0; j < N; ++j) {
            wide[i * (N + 1) + j] = tall[j * N + i] = a_rows[i][j];
        }
    }
    CHECK(residua_system_dense(N, N, pairs(wide), RESIDUA_ROW_MAJOR, N + 1, &system) == RESIDUA_OK);
    solve_and_free(system, 9, __LINE__);
    CHECK(residua_system_dense(N, N, pairs(tall), RESIDUA_COLUMN_MAJOR, 0, &system) == RESIDUA_OK);
    solve_and_free(system, 9, __LINE__);
}

/* (0.1 + 0.2 i) x = 1 has x = 2 - 4 i; binary64 numbers of 0.1 and 0.2 would give another x behind digit 16. */
static void decimals_keep_their_digits(void)
{
    const char *const entry[] = {"0.1", "0.2"}, *const mixed[] = {"0.5", "-0.1"}, *const one[] = {"1", "0"};
    const double complex exact = 2 - 4 * I;
    residua_options *options = options_with("digits", "40");
    residua_system *system = NULL;
    residua_solver *solver = NULL;
    residua_solution *solution = NULL;
    char text[80];
    size_t needed = 0;
    CHECK(residua_system_dense(1, 1, residua_complex(residua_decimals(entry)), RESIDUA_ROW_MAJOR, 0, &system) ==
          RESIDUA_OK);
    CHECK(residua_solver_new(system, options, &solver) == RESIDUA_OK);
    CHECK(residua_solve(solver, 0, 1, residua_decimals(one), 0, &solution) == RESIDUA_OK); /* a real b */
    check_whole(solution, 0, &exact, 1, __LINE__);
    CHECK(residua_vector_decimal(residua_solution_x(solution), 0, 1, 30, text, sizeof text, &needed) == RESIDUA_OK);
    CHECK(strcmp(text, "-4.00000000000000000000000000000e+00") == 0 && needed == strlen(text) + 1);
    residua_solution_free(solution);
    CHECK(residua_solve(solver, 0, 1, residua_complex(residua_decimals(one)), 0, &solution) == RESIDUA_OK);
    check_whole(solution, 0, &exact, 1, __LINE__);
    residua_solution_free(solution);
    residua_solver_free(solver);
    residua_system_free(system);

    /* 0.5 is a binary64 number, and 0.1 is none: x = 1 / (0.5 - 0.1 i) = (0.5 + 0.1 i) / 0.26 */
    CHECK(residua_system_dense(1, 1, residua_complex(residua_decimals(mixed)), RESIDUA_ROW_MAJOR, 0, &system) ==
          RESIDUA_OK);
    CHECK(residua_solver_new(system, options, &solver) == RESIDUA_OK);
    CHECK(residua_solve(solver, 0, 1, residua_decimals(one), 0, &solution) == RESIDUA_OK);
    CHECK(residua_vector_decimal(residua_solution_x(solution), 0, 0, 36, text, sizeof text, NULL) == RESIDUA_OK);
    CHECK(strcmp(text, "1.92307692307692307692307692307692308e+00") == 0);
    CHECK(residua_vector_decimal(residua_solution_x(solution), 0, 1, 36, text, sizeof text, NULL) == RESIDUA_OK);
    CHECK(strcmp(text, "3.84615384615384615384615384615384615e-01") == 0);
    residua_solution_free(solution);
    residua_solver_free(solver);
    residua_system_free(system);
    residua_options_free(options);
}

static void numbers_go_in_and_out(void)
{
    const double terms[] = {1, 1e-20, -3, 2e-25, 0.25, 0, 1e-300, 0};
    int32_t sign[4];
    int64_t exponent[4], rows = 0, columns = 0;
    uint64_t limb[4 * 20];
    double back[8];
    mpfr_t number[4];
    residua_vector *vector = NULL, *other = NULL;
    int k, is_complex = 0;
    CHECK(residua_vector_new(2, 1, residua_complex(residua_terms(terms, 2)), &vector) == RESIDUA_OK);
    CHECK(residua_vector_size(vector, &rows, &columns) == RESIDUA_OK && rows == 2 && columns == 1);
    CHECK(residua_vector_terms(vector, 0, 2, back, 8) == RESIDUA_OK && memcmp(back, terms, sizeof back) == 0);
    REFUSED(residua_vector_terms(vector, 0, 2, back, 7), RESIDUA_INVALID, "room for 7 doubles; x has 8");
    REFUSED(residua_vector_doubles(vector, 0, back, 3), RESIDUA_INVALID, "room for 3 doubles; x has 4");
    CHECK(residua_vector_limbs(vector, 0, 20, sign, exponent, limb, 80) == RESIDUA_OK);
    CHECK(residua_vector_new(2, 1, residua_complex(residua_limbs(sign, exponent, limb, 20)), &other) == RESIDUA_OK);
    CHECK(residua_vector_terms(other, 0, 2, back, 8) == RESIDUA_OK && memcmp(back, terms, sizeof back) == 0);
    residua_vector_free(other);
    for (k = 0; k < 4; ++k) {
        mpfr_init2(number[k], 1200);
    }
    CHECK(residua_vector_mpfr(vector, 0, number, 4) == RESIDUA_OK);
    CHECK(residua_vector_new(1, 2, residua_complex(residua_mpfr(number)), &other) == RESIDUA_OK);
    CHECK(residua_vector_terms(other, 0, 2, back, 4) == RESIDUA_OK && memcmp(back, terms, 4 * sizeof(double)) == 0);
    residua_vector_free(other);
    for (k = 0; k < 4; ++k) {
        mpfr_clear(number[k]);
    }
    CHECK(residua_vector_new(2, 1, residua_held(vector), &other) == RESIDUA_OK); /* a complex vector stays one */
    CHECK(residua_vector_is_complex(other, &is_complex) == RESIDUA_OK && is_complex == 1);
    residua_vector_free(other);
    residua_vector_free(vector);
}

static void files_come_back(void)
{
    const char *const entry[] = {"0.1", "1e-400", "3", "0", "-7", "0.25", "0", "0.3"};
    const char path[] = "capi_complex_test.mtx";
    residua_system *system = NULL, *again = NULL;
    residua_vector *vector = NULL, *read = NULL;
    char text[200] = "", first[4][200];
    int64_t entries = 0, rows = 0;
    int is_complex = 0, k;
    FILE *file;
    CHECK(residua_system_dense(2, 2, residua_complex(residua_decimals(entry)), RESIDUA_ROW_MAJOR, 0, &system) ==
          RESIDUA_OK);
    CHECK(residua_system_write(system, path) == RESIDUA_OK);
    CHECK(residua_system_read(path, "decimal", &again) == RESIDUA_OK);
    CHECK(residua_system_is_complex(again, &is_complex) == RESIDUA_OK && is_complex == 1);
    CHECK(residua_system_size(again, &rows, NULL, &entries) == RESIDUA_OK && rows == 2 && entries == 4);
    file = fopen(path, "r");
    CHECK(file != NULL && fgets(text, sizeof text, file) != NULL);
    CHECK(strcmp(text, "%%MatrixMarket matrix coordinate complex general\n") == 0);
    for (k = 0; file != NULL && k < 4 && fgets(first[k], sizeof first[k], file) != NULL; ++k) {
    }
    CHECK(k == 4 && strcmp(first[1], "1 1 1e-1 1e-400\n") == 0 && strcmp(first[3], "2 1 -7e0 25e-2\n") == 0);
    if (file != NULL) {
        fclose(file);
    }
    residua_system_free(system);
    residua_system_free(again);

    CHECK(residua_vector_new(2, 2, residua_complex(residua_decimals(entry)), &vector) == RESIDUA_OK);
    CHECK(residua_vector_write(vector, path, 0) == RESIDUA_OK);
    CHECK(residua_vector_read(path, &read) == RESIDUA_OK);
    CHECK(residua_vector_is_complex(read, &is_complex) == RESIDUA_OK && is_complex == 1);
    CHECK(residua_vector_size(read, &rows, &entries) == RESIDUA_OK && rows == 2 && entries == 2);
    CHECK(residua_vector_decimal(read, 0, 1, 3, text, sizeof text, NULL) == RESIDUA_OK);
    CHECK(strcmp(text, "1.00e-400") == 0);
    CHECK(residua_vector_decimal(read, 1, 3, 3, text, sizeof text, NULL) == RESIDUA_OK);
    CHECK(strcmp(text, "3.00e-01") == 0);
    residua_vector_free(read);
    residua_vector_free(vector);
    remove(path);
}

static residua_solver *solver_of(const double complex *a, int64_t n)
{
    residua_options *options = options_with("digits", "20");
    residua_system *system = NULL;
    residua_solver *solver = NULL;
    CHECK(residua_system_dense(n, n, pairs(a), RESIDUA_ROW_MAJOR, 0, &system) == RESIDUA_OK);
    CHECK(residua_solver_new(system, options, &solver) == RESIDUA_OK);
    residua_system_free(system);
    residua_options_free(options);
    return solver;
}

static void what_a_solver_knows(void)
{
    const double complex hermitian[] = {2, 1 - 2 * I, 1 + 2 * I,
                                        1}; /* eigenvalues (3 +- sqrt(21)) / 2, determinant -3 */
    const double complex general[] = {1 + 2 * I, 0, 0, 2};
    const double complex singular[] = {1, I, I, -1};
    const double complex other[] = {1 + I, 2, I, 3 + I};
    const int64_t row[] = {1, 0}, column[] = {1, 0};
    residua_solver *solver = solver_of(hermitian, 2);
    residua_vector *vector = NULL;
    const double values[] = {1, 2, 3, 4};
    int64_t positive = 0, negative = 0, zero = 1, rank = 0, nullity = 0, rows = 0;
    double error = 1, x[4];
    double complex v[2];
    int digits = 0, is_complex = 0;
    char text[80];
    CHECK(residua_solver_inertia(solver, &positive, &negative, &zero) == RESIDUA_OK);
    CHECK(positive == 1 && negative == 1 && zero == 0);
    CHECK(residua_solver_determinant(solver, 20, text, sizeof text, NULL, &error) == RESIDUA_OK);
    CHECK(strcmp(text, "-3.0000000000000000000e+00") == 0 && error < 1e-19);
    CHECK(residua_solver_abs_determinant(solver, 20, text, sizeof text, NULL, &error) == RESIDUA_OK);
    CHECK(strcmp(text, "3.0000000000000000000e+00") == 0 && error < 1e-19);
    residua_solver_free(solver);

    solver = solver_of(general, 2);
    REFUSED(residua_solver_determinant(solver, 20, text, sizeof text, NULL, &error), RESIDUA_UNSUPPORTED,
            "residua_solver_complex_determinant()");
    CHECK(residua_solver_complex_determinant(solver, &error, &vector) == RESIDUA_OK && error > 0 && error < 1e-19);
    CHECK(residua_vector_is_complex(vector, &is_complex) == RESIDUA_OK && is_complex == 1);
    CHECK(residua_vector_doubles(vector, 0, x, 2) == RESIDUA_OK && x[0] == 2 && x[1] == 4);
    residua_vector_free(vector);
    REFUSED(residua_solver_complex_determinant(solver, &error, NULL), RESIDUA_INVALID, "determinant is NULL");
    REFUSED(residua_solver_complex_determinant(NULL, &error, &vector), RESIDUA_INVALID, "solver is NULL");
    CHECK(residua_solver_abs_determinant(solver, 20, text, sizeof text, NULL, &error) == RESIDUA_OK);
    CHECK(strcmp(text, "4.4721359549995793928e+00") == 0 && error < 1e-19); /* 2 sqrt(5) */
    REFUSED(residua_solver_inertia(solver, &positive, &negative, &zero), RESIDUA_UNSUPPORTED, "hermitian");
    CHECK(residua_solver_inverse_entries(solver, 2, row, column, NULL, NULL, &vector) == RESIDUA_OK);
    CHECK(residua_vector_size(vector, &rows, NULL) == RESIDUA_OK && rows == 2);
    CHECK(residua_vector_doubles(vector, 0, x, 4) == RESIDUA_OK);
    CHECK(x[0] == 0.5 && x[1] == 0 && x[2] == 0.2 && x[3] == -0.4); /* 1 / (1 + 2 i) */
    residua_vector_free(vector);
    REFUSED(residua_solver_update(solver, pairs(other), 3), RESIDUA_INVALID, "3 values; the matrix has 4 entries");
    CHECK(residua_solver_update(solver, pairs(other), 4) == RESIDUA_OK);
    CHECK(residua_solver_complex_determinant(solver, NULL, &vector) == RESIDUA_OK);
    CHECK(residua_vector_doubles(vector, 0, x, 2) == RESIDUA_OK && x[0] == 2 && x[1] == 2); /* (1 + i) (3 + i) - 2 i */
    residua_vector_free(vector);
    CHECK(residua_solver_update(solver, residua_doubles(values), 4) == RESIDUA_OK); /* real ones */
    CHECK(residua_solver_complex_determinant(solver, &error, &vector) == RESIDUA_OK);
    CHECK(residua_vector_doubles(vector, 0, x, 2) == RESIDUA_OK && x[0] == -2 && fabs(x[1]) < 1e-19);
    residua_vector_free(vector);
    residua_solver_free(solver);

    solver = solver_of(singular, 2);
    CHECK(residua_solver_rank(solver, &rank, &nullity, NULL) == RESIDUA_OK && rank == 1 && nullity == 1);
    CHECK(residua_solver_null_space(solver, &digits, &vector) == RESIDUA_OK && digits >= 16);
    CHECK(residua_vector_is_complex(vector, &is_complex) == RESIDUA_OK && is_complex == 1);
    CHECK(residua_vector_size(vector, &rows, &positive) == RESIDUA_OK && rows == 2 && positive == 1);
    CHECK(residua_vector_doubles(vector, 0, (double *)v, 4) == RESIDUA_OK);
    CHECK(cabs(v[0] + I * v[1]) < 1e-15 && fabs(cabs(v[0]) - sqrt(0.5)) < 1e-15);
    residua_vector_free(vector);
    residua_solver_free(solver);
}

/* A v for A = tridiag(-1, 3 + i, 1), of which 0 stands beyond the ends. */
static int product(const residua_vector *v, residua_numbers *y, void *user)
{
    static double complex in[20], out[20];
    int64_t rows = 0;
    int i, is_complex = 0;
    ++*(int *)user;
    CHECK(residua_vector_size(v, &rows, NULL) == RESIDUA_OK && rows == 20);
    CHECK(residua_vector_is_complex(v, &is_complex) == RESIDUA_OK && is_complex == 1);
    CHECK(residua_vector_doubles(v, 0, (double *)in, 40) == RESIDUA_OK);
    for (i = 0; i < 20; ++i) {
        out[i] = (3 + 1 * I) * in[i] - (i > 0 ? in[i - 1] : 0) + (i < 19 ? in[i + 1] : 0);
    }
    *y = pairs(out);
    return 0;
}

/* z = r / (3 + i), of numbers that come as pairs. */
static int by_diagonal(const double *r, double *z, int64_t n, void *user)
{
    int64_t k;
    *(int64_t *)user = n;
    for (k = 0; k < n; k += 2) {
        const double complex q = (r[k] + r[k + 1] * I) / (3 + 1 * I);
        z[k] = creal(q);
        z[k + 1] = cimag(q);
    }
    return 0;
}

static void operators_and_preconditioners(void)
{
    const double complex diagonal[] = {3 + 1 * I, 0, 0, 3 + 1 * I}, b2[] = {10, 20 * I}, x2[] = {3 - 1 * I, 2 + 6 * I};
    double complex x[20];
    double ones[20];
    residua_options *options = options_with("method", "gmres");
    residua_operator a = {20, 20, product, NULL, NULL, NULL, NULL, 1, 0};
    residua_solution *solution = NULL;
    residua_system *system = NULL;
    residua_solver *solver = NULL;
    residua_status status = RESIDUA_BREAKDOWN;
    int64_t n = 0;
    int calls = 0, i;
    for (i = 0; i < 20; ++i) {
        ones[i] = 1;
    }
    a.user = &calls;
    CHECK(residua_options_set(options, "precision", "double") == RESIDUA_OK);
    CHECK(residua_options_set(options, "rtol", "1e-12") == RESIDUA_OK);
    CHECK(residua_solve_complex_operator(&a, options, residua_doubles(ones), &solution) == RESIDUA_OK);
    CHECK(residua_solution_status(solution, 0, &status, NULL) == RESIDUA_OK && status == RESIDUA_CONVERGED &&
          calls > 5);
    CHECK(residua_vector_doubles(residua_solution_x(solution), 0, (double *)x, 40) == RESIDUA_OK);
    for (i = 0; i < 20; ++i) {
        CHECK(cabs((3 + 1 * I) * x[i] - (i > 0 ? x[i - 1] : 0) + (i < 19 ? x[i + 1] : 0) - 1) < 1e-10);
    }
    residua_solution_free(solution);
    REFUSED(residua_solve_operator(&a, options, pairs(x), &solution), RESIDUA_INVALID,
            "b is an array of complex numbers, and real ones are needed");
    residua_options_free(options);

    options = options_with("digits", "30");
    CHECK(residua_options_set(options, "method", "gmres") == RESIDUA_OK);
    CHECK(residua_options_preconditioner(options, by_diagonal, NULL, &n) == RESIDUA_OK);
    CHECK(residua_options_initial_guess(options, residua_doubles(ones), 2) == RESIDUA_OK); /* real numbers */
    CHECK(residua_system_dense(2, 2, pairs(diagonal), RESIDUA_ROW_MAJOR, 0, &system) == RESIDUA_OK);
    CHECK(residua_solver_new(system, options, &solver) == RESIDUA_OK);
    CHECK(residua_solve(solver, 0, 1, pairs(b2), 0, &solution) == RESIDUA_OK);
    check_whole(solution, 0, x2, 2, __LINE__);
    CHECK(n == 4);
    residua_solution_free(solution);
    residua_solver_free(solver);
    residua_system_free(system);
    residua_options_free(options);
}

static void least_squares_with_weights(void)
{
    /* A = (1, 1, i)', b = (2, 4, 3 i): the weights 1, 3, 0.5 give x = (2 + 12 + 1.5) / 4.5 = 31 / 9 */
    const double complex a[] = {1, 1, I}, b[] = {2, 4, 3 * I};
    const double weights[] = {1, 3, 0.5};
    residua_options *options = options_with("digits", "30");
    residua_system *system = NULL;
    residua_solver *solver = NULL;
    residua_solution *solution = NULL;
    char text[80];
    double x[2];
    CHECK(residua_options_weights(options, residua_doubles(weights), 3) == RESIDUA_OK);
    CHECK(residua_system_dense(3, 1, pairs(a), RESIDUA_ROW_MAJOR, 0, &system) == RESIDUA_OK);
    CHECK(residua_solver_new(system, options, &solver) == RESIDUA_OK);
    CHECK(residua_solve(solver, 0, 1, pairs(b), 0, &solution) == RESIDUA_OK);
    CHECK(residua_vector_decimal(residua_solution_x(solution), 0, 0, 28, text, sizeof text, NULL) == RESIDUA_OK);
    CHECK(strcmp(text, "3.444444444444444444444444444e+00") == 0);
    CHECK(residua_vector_doubles(residua_solution_x(solution), 0, x, 2) == RESIDUA_OK && fabs(x[1]) < 1e-29);
    residua_solution_free(solution);
    residua_solver_free(solver);
    residua_system_free(system);
    residua_options_free(options);
}

int main(void)
{
    matrices_of_all_arrays();
    decimals_keep_their_digits();
    numbers_go_in_and_out();
    files_come_back();
    what_a_solver_knows();
    operators_and_preconditioners();
    least_squares_with_weights();
    printf("%d checks, %d faults\n", checks, faults);
    return faults == 0 ? 0 : 1;
}
