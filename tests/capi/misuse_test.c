/* Misuse of residua.h: each kind is refused by a code and a message, and nothing crashes. */
#define _XOPEN_SOURCE 600

#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <sys/resource.h>

/* [4 1 0; 0 0 0; 2 0 5] with base 0, as arrays that a case spoils. */
struct rows {
    int32_t begin[4];
    int32_t column[4];
    double value[4];
};

static struct rows good(void)
{
    const struct rows r = {{0, 2, 2, 4}, {0, 1, 0, 2}, {4, 1, 2, 5}};
    return r;
}

static residua_system *const not_null = (residua_system *)8;

static int make(const struct rows *r, int64_t rows, int64_t cols, int base)
{
    residua_system *system = not_null; /* must be NULL after an error */
    const int code = residua_system_csr32(rows, cols, r->begin, r->column, residua_doubles(r->value), base, &system);
    CHECK((system == NULL) == (code != RESIDUA_OK));
    residua_system_free(system);
    return code;
}

static void matrices(void)
{
    const char *const words[] = {"1", "2", "0.1x", "4"};
    const char *const long_words[] = {"1", "2", "1e400000000", "4"};
    const char *const gap[] = {"1", "2", NULL, "4"};
    const char *const thirds[] = {"0.3", "0.3", "0.3", "0.3"};
    const int32_t same[] = {0, 0, 1, 1};
    const double dense[] = {1, 2, 3, 4};
    const int64_t begin64[] = {0, 1}, far64[] = {INT64_C(1) << 40};
    residua_system *system = NULL;
    struct rows r = good();
    CHECK(make(&r, 3, 3, 0) == RESIDUA_OK);

    REFUSED(residua_system_csr32(3, 3, NULL, r.column, residua_doubles(r.value), 0, &system), RESIDUA_INVALID,
            "row_begin is NULL");
    REFUSED(residua_system_csr32(3, 3, r.begin, NULL, residua_doubles(r.value), 0, &system), RESIDUA_INVALID,
            "column is NULL");
    REFUSED(residua_system_csr32(3, 3, r.begin, r.column, residua_doubles(NULL), 0, &system), RESIDUA_INVALID,
            "value is NULL");
    REFUSED(residua_system_csr32(3, 3, r.begin, r.column, residua_doubles(r.value), 0, NULL), RESIDUA_INVALID,
            "system is NULL");
    REFUSED(make(&r, -1, 3, 0), RESIDUA_INVALID, "-1 x 3");
    REFUSED(make(&r, 3, -3, 0), RESIDUA_INVALID, "3 x -3");
    REFUSED(make(&r, INT64_MAX, 3, 0), RESIDUA_INVALID, "9223372036854775807 x 3");
    REFUSED(make(&r, 3, INT64_C(1) << 31, 0), RESIDUA_INVALID, "at most 2^31 - 1");
    REFUSED(make(&r, 3, 2, 0), RESIDUA_INVALID, "column[3] is 2");
    REFUSED(make(&r, 3, 3, 1), RESIDUA_INVALID, "with base 1");
    REFUSED(make(&r, 3, 3, 2), RESIDUA_INVALID, "with base 2");
    REFUSED(make(&r, 3, 3, -1), RESIDUA_INVALID, "with base -1");
    r.begin[0] = 1;
    REFUSED(make(&r, 3, 3, 0), RESIDUA_INVALID, "row_begin goes from 1 to 4");
    r = good();
    r.begin[1] = 3;
    REFUSED(make(&r, 3, 3, 0), RESIDUA_INVALID, "row_begin[2], from 0, is 2, but the position before it is 3");
    r = good();
    r.begin[3] = -4;
    REFUSED(make(&r, 3, 3, 0), RESIDUA_INVALID, "row_begin goes from 0 to -4");
    r = good();
    r.begin[1] = 9;
    REFUSED(make(&r, 3, 3, 0), RESIDUA_INVALID, "row_begin[1], from 0, is 9, but there are 4 entries");
    r = good();
    r.column[2] = 3;
    REFUSED(make(&r, 3, 3, 0), RESIDUA_INVALID, "column[2] is 3; a matrix of 3 columns has those from 0 to 2");
    r = good();
    r.column[0] = -1;
    REFUSED(make(&r, 3, 3, 0), RESIDUA_INVALID, "column[0] is -1");
    r = good();
    r.value[2] = -NAN; /* a NaN has no sign to tell of */
    REFUSED(make(&r, 3, 3, 0), RESIDUA_INVALID, "row 2, column 0 (from 0) is nan, not");
    r.value[2] = -HUGE_VAL;
    REFUSED(make(&r, 3, 3, 0), RESIDUA_INVALID, "is -inf, not a finite number");
    REFUSED(residua_system_csr64(1, 3, begin64, far64, residua_doubles(dense), 0, &system), RESIDUA_INVALID,
            "column[0] is 1099511627776");

    r = good();
    REFUSED(residua_system_csr32(3, 3, r.begin, r.column, residua_decimals(words), 0, &system), RESIDUA_INVALID,
            "is \"0.1x\", not a decimal");
    REFUSED(residua_system_csr32(3, 3, r.begin, r.column, residua_decimals(long_words), 0, &system), RESIDUA_INVALID,
            "a decimal beyond");
    REFUSED(residua_system_csr32(3, 3, r.begin, r.column, residua_decimals(gap), 0, &system), RESIDUA_INVALID,
            "value[2] is NULL");
    REFUSED(residua_system_csr32(3, 3, r.begin, same, residua_decimals(thirds), 0, &system), RESIDUA_INVALID,
            "more than once");

    REFUSED(residua_system_dense(2, 2, residua_doubles(NULL), RESIDUA_ROW_MAJOR, 0, &system), RESIDUA_INVALID,
            "value is NULL");
    REFUSED(residua_system_dense(2, 2, residua_doubles(dense), RESIDUA_ROW_MAJOR, 1, &system), RESIDUA_INVALID,
            "a stride of 1");
    REFUSED(residua_system_dense(2, 2, residua_doubles(dense), RESIDUA_ROW_MAJOR, -2, &system), RESIDUA_INVALID,
            "a stride of -2");
    REFUSED(residua_system_dense(2, 2, residua_doubles(dense), (residua_order)7, 0, &system), RESIDUA_INVALID,
            "no order 7");
    REFUSED(residua_system_dense(-2, 2, residua_doubles(dense), RESIDUA_ROW_MAJOR, 0, &system), RESIDUA_INVALID,
            "-2 x 2");
    REFUSED(
        residua_system_dense(INT64_C(1) << 40, INT64_C(1) << 40, residua_doubles(dense), RESIDUA_ROW_MAJOR, 0, &system),
        RESIDUA_INVALID, "larger than any memory");
    REFUSED(residua_system_dense(2, 2, residua_decimals(gap), RESIDUA_COLUMN_MAJOR, 0, &system), RESIDUA_INVALID,
            "is NULL");
    REFUSED(residua_system_dense(2, 2, residua_decimals(words), RESIDUA_ROW_MAJOR, 0, &system), RESIDUA_INVALID,
            "0.1x");
    REFUSED(residua_system_size(NULL, NULL, NULL, NULL), RESIDUA_INVALID, "system is NULL");
    residua_system_free(NULL);
}

static void options_and_handles(void)
{
    residua_options *options = NULL;
    size_t k;
    REFUSED(residua_options_new(NULL), RESIDUA_INVALID, "options is NULL");
    CHECK(residua_options_new(&options) == RESIDUA_OK);
    REFUSED(residua_options_set(NULL, "digits", "30"), RESIDUA_INVALID, "options is NULL");
    REFUSED(residua_options_set(options, NULL, "30"), RESIDUA_INVALID, "name is NULL");
    REFUSED(residua_options_set(options, "digits", NULL), RESIDUA_INVALID, "value is NULL");
    REFUSED(residua_options_set(options, "digit", "30"), RESIDUA_OPTION,
            "no option \"digit\"; those are atol, block-size, checkpoint, damp, digits");
    REFUSED(residua_options_set(options, "", ""), RESIDUA_OPTION, "no option \"\"");
    REFUSED(residua_options_set(options, "digits", "thirty"), RESIDUA_OPTION, "digits: \"thirty\" is not an integer");
    REFUSED(residua_options_set(options, "digits", "0"), RESIDUA_OPTION, "digits: \"0\"");
    REFUSED(residua_options_set(options, "digits", "100000"), RESIDUA_OPTION, "digits: \"100000\"");
    REFUSED(residua_options_set(options, "method", "gauss"), RESIDUA_OPTION, "is none of auto, cg");
    REFUSED(residua_options_set(options, "precond", "x"), RESIDUA_OPTION, "precond: \"x\" is none of");
    REFUSED(residua_options_set(options, "format", "posit"), RESIDUA_OPTION, "format: \"posit\" is none of");
    REFUSED(residua_options_set(options, "precision", "5000"), RESIDUA_OPTION, "bits from 1 to 4096");
    REFUSED(residua_options_set(options, "factors", "-1"), RESIDUA_OPTION, "factors: \"-1\"");
    REFUSED(residua_options_set(options, "rtol", "-1e-30"), RESIDUA_OPTION, "rtol: -1e-30 is negative");
    REFUSED(residua_options_set(options, "atol", "nan"), RESIDUA_OPTION, "atol:");
    REFUSED(residua_options_set(options, "time-limit", "0"), RESIDUA_OPTION, "time-limit: 0 is not a time");
    REFUSED(residua_options_set(options, "executor", "tpu"), RESIDUA_OPTION, "executor: \"tpu\" is none of");
    REFUSED(residua_options_set(options, "maxiter", "1e3"), RESIDUA_OPTION, "maxiter: \"1e3\"");
    REFUSED(residua_options_set(options, "restart", " 5"), RESIDUA_OPTION, "restart: \" 5\"");
    REFUSED(residua_options_set(options, "fill", "-1"), RESIDUA_OPTION, "fill: \"-1\"");
    REFUSED(residua_options_on_progress(NULL, NULL, NULL), RESIDUA_INVALID, "options is NULL");
    REFUSED(residua_options_on_interrupt(NULL, NULL, NULL), RESIDUA_INVALID, "options is NULL");
    CHECK(residua_options_on_progress(options, NULL, NULL) == RESIDUA_OK);
    CHECK(residua_options_on_interrupt(options, NULL, NULL) == RESIDUA_OK);
    for (k = 0; residua_option_name(k) != NULL; ++k) {
        const char *const name = residua_option_name(k);
        const int is_file = strcmp(name, "checkpoint") == 0 || strcmp(name, "resume") == 0;
        REFUSED(residua_options_set(options, name, is_file ? "-" : "?"), RESIDUA_OPTION, name);
    }
    CHECK(k >= 14 && residua_option_name((size_t)-1) == NULL);
    residua_options_free(options);
    residua_options_free(NULL);
    residua_solver_free(NULL);
    residua_solution_free(NULL);
    CHECK(strcmp(residua_code_name(-3), "unknown") == 0 && strcmp(residua_code_name(99), "unknown") == 0);
}

static void solvers(void)
{
    const double a[] = {3, 1, 1, 2}, wide[] = {1, 2, 3, 4, 5, 6}, nothing[] = {1, 2, 2, 4};
    const double b[] = {5, 5, 0, 0}, not_a_number[] = {5, NAN}, infinite[] = {HUGE_VAL, 1};
    const char *const words[] = {"5", "five"}, *const gap[] = {"5", NULL}, *const empty[] = {"5", ""};
    residua_options *options = NULL;
    residua_system *system = NULL;
    residua_solver *solver = NULL, *other = NULL;
    residua_solution *solution = NULL, *none = NULL;
    residua_status status = RESIDUA_CONVERGED;
    const char *json = NULL;
    char text[8];
    double x[8];
    size_t needed = 0;
    CHECK(residua_options_new(&options) == RESIDUA_OK);
    CHECK(residua_system_dense(2, 2, residua_doubles(a), RESIDUA_ROW_MAJOR, 0, &system) == RESIDUA_OK);

    REFUSED(residua_solver_new(NULL, NULL, &solver), RESIDUA_INVALID, "system is NULL");
    REFUSED(residua_solver_new(system, NULL, NULL), RESIDUA_INVALID, "solver is NULL");
    REFUSED(residua_solver_new((residua_system *)(void *)options, NULL, &solver), RESIDUA_INVALID,
            "system is a handle of another kind");
    REFUSED(residua_solver_new(system, (residua_options *)(void *)system, &solver), RESIDUA_INVALID,
            "options is a handle of another kind");
    CHECK(residua_solver_new(system, NULL, &solver) == RESIDUA_OK);

    REFUSED(residua_solve(NULL, 0, 1, residua_doubles(b), 0, &solution), RESIDUA_INVALID, "solver is NULL");
    REFUSED(residua_solve((residua_solver *)(void *)system, 0, 1, residua_doubles(b), 0, &solution), RESIDUA_INVALID,
            "another kind");
    REFUSED(residua_solve(solver, 0, 1, residua_doubles(NULL), 0, &solution), RESIDUA_INVALID, "b is NULL");
    REFUSED(residua_solve(solver, 0, 1, residua_doubles(b), 0, NULL), RESIDUA_INVALID, "solution is NULL");
    REFUSED(residua_solve(solver, 0, 0, residua_doubles(b), 0, &solution), RESIDUA_INVALID, "0 right-hand sides");
    REFUSED(residua_solve(solver, 0, -1, residua_doubles(b), 0, &solution), RESIDUA_INVALID, "-1 right-hand sides");
    REFUSED(residua_solve(solver, 0, INT64_MAX, residua_doubles(b), 0, &solution), RESIDUA_OUT_OF_MEMORY,
            "out of memory");
    REFUSED(residua_solve(solver, 0, 2, residua_doubles(b), 1, &solution), RESIDUA_INVALID, "a stride of 1");
    REFUSED(residua_solve(solver, 0, 1, residua_doubles(not_a_number), 0, &solution), RESIDUA_INVALID,
            "number 1 of column 0 of b is nan");
    REFUSED(residua_solve(solver, 1, 1, residua_doubles(infinite), 0, &solution), RESIDUA_INVALID,
            "number 0 of column 0 of b is inf");
    REFUSED(residua_solve(solver, 0, 1, residua_decimals(words), 0, &solution), RESIDUA_INVALID,
            "\"five\", not a decimal");
    REFUSED(residua_solve(solver, 0, 1, residua_decimals(empty), 0, &solution), RESIDUA_INVALID, "\"\", not a decimal");
    REFUSED(residua_solve(solver, 0, 1, residua_decimals(gap), 0, &solution), RESIDUA_INVALID,
            "number 1 of column 0 of b is NULL");
    REFUSED(residua_solver_update(NULL, residua_doubles(a), 4), RESIDUA_INVALID, "solver is NULL");
    REFUSED(residua_solver_update(solver, residua_doubles(NULL), 4), RESIDUA_INVALID, "value is NULL");
    REFUSED(residua_solver_update(solver, residua_doubles(a), 3), RESIDUA_INVALID,
            "3 values; the matrix has 4 entries");
    REFUSED(residua_solver_update(solver, residua_doubles(a), -4), RESIDUA_INVALID, "-4 values");
    REFUSED(residua_solver_update(solver, residua_doubles((const double[]){1, NAN, 1, 1}), 4), RESIDUA_INVALID,
            "value[1] is nan");
    REFUSED(residua_solver_update(solver, residua_decimals(words), 4), RESIDUA_INVALID,
            "value[1] is \"five\", not a decimal");
    REFUSED(residua_solver_update(solver, residua_decimals(gap), 4), RESIDUA_INVALID, "value[1] is NULL");
    REFUSED(residua_solver_update(solver, residua_decimals(words), 2), RESIDUA_INVALID,
            "2 values; the matrix has 4 entries");
    REFUSED(residua_solver_update(solver, residua_complex(residua_doubles(a)), 4), RESIDUA_INVALID,
            "value is an array of complex numbers, and real ones are needed");
    REFUSED(residua_solver_condition(NULL, x), RESIDUA_INVALID, "solver is NULL");
    REFUSED(residua_solver_condition(solver, NULL), RESIDUA_INVALID, "condition is NULL");
    REFUSED(residua_solver_determinant(NULL, 3, text, sizeof text, NULL, NULL), RESIDUA_INVALID, "solver is NULL");
    REFUSED(residua_solver_determinant(solver, -3, text, sizeof text, NULL, NULL), RESIDUA_INVALID, "-3 digits");
    REFUSED(residua_solver_determinant(solver, 3, NULL, 8, NULL, NULL), RESIDUA_INVALID, "text is NULL");
    REFUSED(residua_solver_determinant(solver, 3, text, sizeof text, &needed, NULL), RESIDUA_INVALID, "takes 9");
    REFUSED(residua_solver_inertia((residua_solver *)(void *)options, NULL, NULL, NULL), RESIDUA_INVALID,
            "another kind");
    REFUSED(residua_options_initial_guess(options, residua_doubles(b), -1), RESIDUA_INVALID, "a guess of -1 numbers");
    REFUSED(residua_options_initial_guess(options, residua_doubles(NULL), 2), RESIDUA_INVALID, "x is NULL");
    REFUSED(residua_options_initial_guess(options, residua_doubles(not_a_number), 2), RESIDUA_INVALID, "x[1] is nan");
    REFUSED(residua_options_initial_guess(options, residua_decimals(words), 2), RESIDUA_INVALID, "x[1] is \"five\"");
    REFUSED(residua_options_near_null_space(options, residua_doubles(b), 2, -1), RESIDUA_INVALID,
            "-1 vectors of 2 numbers");
    REFUSED(residua_options_near_null_space(options, residua_doubles(b), INT64_C(1) << 32, INT64_C(1) << 32),
            RESIDUA_INVALID, "4294967296 vectors of 4294967296 numbers");
    REFUSED(residua_options_near_null_space(options, residua_doubles(not_a_number), 2, 1), RESIDUA_INVALID,
            "x[1] is nan");
    REFUSED(residua_options_coordinates(options, residua_doubles(b), -1), RESIDUA_INVALID, "-1 coordinates");
    REFUSED(residua_options_coordinates(options, residua_doubles(NULL), 2), RESIDUA_INVALID, "x is NULL");
    CHECK(residua_options_near_null_space(options, residua_doubles(b), 2, 1) == RESIDUA_OK);
    CHECK(residua_solver_new(system, options, &other) == RESIDUA_OK);
    REFUSED(residua_solve(other, 0, 1, residua_doubles(b), 0, &none), RESIDUA_UNSUPPORTED,
            "for the preconditioners amg and petsc, not for auto");
    residua_solver_free(other);
    CHECK(residua_options_near_null_space(options, residua_doubles(NULL), 0, 0) == RESIDUA_OK);
    CHECK(residua_options_coordinates(options, residua_doubles(NULL), 0) == RESIDUA_OK);
    REFUSED(residua_options_estimate(NULL, 1), RESIDUA_INVALID, "options is NULL");
    CHECK(residua_options_initial_guess(options, residua_doubles(b), 1) == RESIDUA_OK);
    CHECK(residua_solver_new(system, options, &other) == RESIDUA_OK);
    REFUSED(residua_solve(other, 0, 1, residua_doubles(b), 0, &none), RESIDUA_INVALID, "guess");
    residua_solver_free(other);
    CHECK(residua_options_initial_guess(options, residua_doubles(NULL), 0) == RESIDUA_OK);

    /* after all these errors the solver is as it was */
    CHECK(residua_solve(solver, 0, 1, residua_doubles(b), 0, &solution) == RESIDUA_OK);
    CHECK(residua_vector_doubles(residua_solution_x(solution), 0, x, 2) == RESIDUA_OK && fabs(x[0] - 1) < 1e-14);

    CHECK(residua_solution_x(NULL) == NULL && strstr(residua_error(), "solution is NULL") != NULL);
    CHECK(residua_solution_x((residua_solution *)(void *)solver) == NULL &&
          strstr(residua_error(), "another kind") != NULL);
    REFUSED(residua_solution_status(solution, 1, &status, NULL), RESIDUA_INVALID, "there is no column 1");
    REFUSED(residua_solution_status(solution, -1, NULL, NULL), RESIDUA_INVALID, "there is no column -1");
    REFUSED(residua_vector_doubles(residua_solution_x(solution), 0, x, 1), RESIDUA_INVALID,
            "room for 1 doubles; x has 2");
    REFUSED(residua_vector_doubles(residua_solution_x(solution), 0, NULL, 2), RESIDUA_INVALID, "x is NULL");
    REFUSED(residua_vector_terms(residua_solution_x(solution), 0, 0, x, 8), RESIDUA_INVALID, "0 terms");
    REFUSED(residua_vector_terms(residua_solution_x(solution), 0, 40, x, 8), RESIDUA_INVALID, "40 terms");
    REFUSED(residua_vector_terms(residua_solution_x(solution), 0, 4, x, 7), RESIDUA_INVALID, "x has 8");
    REFUSED(residua_vector_terms(residua_solution_x(solution), 0, 2, x, -1), RESIDUA_INVALID, "room for -1");
    REFUSED(residua_vector_decimal(residua_solution_x(solution), 0, 2, 5, text, sizeof text, NULL), RESIDUA_INVALID,
            "no number 2");
    REFUSED(residua_vector_decimal(residua_solution_x(solution), 0, -1, 5, text, sizeof text, NULL), RESIDUA_INVALID,
            "no number -1");
    REFUSED(residua_vector_decimal(residua_solution_x(solution), 0, 0, -5, text, sizeof text, NULL), RESIDUA_INVALID,
            "-5 digits");
    REFUSED(residua_vector_decimal(residua_solution_x(solution), 0, 0, 5, NULL, 8, NULL), RESIDUA_INVALID,
            "text is NULL");
    REFUSED(residua_vector_decimal(residua_solution_x(solution), 0, 0, 20, text, sizeof text, &needed), RESIDUA_INVALID,
            "room for 8 bytes; the decimal takes 26");
    CHECK(needed == 26 && strlen(text) == 7);
    REFUSED(residua_solution_report(solution, 3, &json), RESIDUA_INVALID, "no column 3");
    REFUSED(residua_solution_report(solution, 0, NULL), RESIDUA_INVALID, "json is NULL");
    residua_solution_free(solution);
    residua_solver_free(solver);
    residua_system_free(system);

    /* requests that no method serves */
    CHECK(residua_system_dense(2, 3, residua_doubles(wide), RESIDUA_ROW_MAJOR, 0, &system) == RESIDUA_OK);
    CHECK(residua_options_set(options, "method", "refine") == RESIDUA_OK);
    CHECK(residua_solver_new(system, options, &solver) == RESIDUA_OK);
    REFUSED(residua_solve(solver, 0, 1, residua_doubles(b), 0, &none), RESIDUA_INVALID, "");
    CHECK(none == NULL);
    REFUSED(residua_solve(solver, 1, 1, residua_doubles(wide), 0, &none), RESIDUA_INVALID, "");
    residua_solver_free(solver);
    residua_system_free(system);
    CHECK(residua_options_set(options, "method", "cg") == RESIDUA_OK);
    CHECK(residua_options_set(options, "precond", "ilu0") == RESIDUA_OK);
    CHECK(residua_system_dense(2, 2, residua_doubles(a), RESIDUA_ROW_MAJOR, 0, &system) == RESIDUA_OK);
    CHECK(residua_solver_new(system, options, &other) == RESIDUA_OK);
    REFUSED(residua_solve(other, 0, 1, residua_doubles(b), 0, &none), RESIDUA_UNSUPPORTED, "ilu0");
    residua_solver_free(other);
    residua_options_free(options);
    residua_system_free(system);

    /* a singular system is no misuse: its report says what it is */
    CHECK(residua_system_dense(2, 2, residua_doubles(nothing), RESIDUA_ROW_MAJOR, 0, &system) == RESIDUA_OK);
    CHECK(residua_solver_new(system, NULL, &solver) == RESIDUA_OK);
    CHECK(residua_solve(solver, 0, 1, residua_doubles(b), 0, &solution) == RESIDUA_OK);
    CHECK(residua_solution_status(solution, 0, &status, NULL) == RESIDUA_OK && status != RESIDUA_CONVERGED);
    residua_solution_free(solution);
    residua_solver_free(solver);
    residua_system_free(system);
}

/* An allocation that fails in the middle of a call. */
static void memory(void)
{
#ifndef __SANITIZE_ADDRESS__
    const double a[] = {3, 1, 1, 2}, b[] = {5, 5};
    const struct rlimit little = {(rlim_t)3 << 30, RLIM_INFINITY};
    residua_system *system = NULL;
    residua_solver *solver = NULL;
    residua_solution *solution = NULL;
    CHECK(residua_system_dense(2, 2, residua_doubles(a), RESIDUA_ROW_MAJOR, 0, &system) == RESIDUA_OK);
    CHECK(residua_solver_new(system, NULL, &solver) == RESIDUA_OK);
    CHECK(setrlimit(RLIMIT_AS, &little) == 0);
    REFUSED(residua_solve(solver, 0, INT64_C(1) << 28, residua_doubles(b), 0, &solution), RESIDUA_OUT_OF_MEMORY,
            "out of memory");
    CHECK(solution == NULL);
    CHECK(residua_solve(solver, 0, 1, residua_doubles(b), 0, &solution) == RESIDUA_OK);
    residua_solution_free(solution);
    residua_solver_free(solver);
    residua_system_free(system);
#endif
}

static residua_numbers complex_of(const double *parts) { return residua_complex(residua_doubles(parts)); }

/* Complex numbers where real ones are needed, and the other way round. */
static void complex_numbers(void)
{
    const double real[] = {3, 1, 1, 2};
    const double z[] = {1, 0, 0, 1, 2, 0, 3, 0}, infinite[] = {1, 0, HUGE_VAL, 0};
    const char *const gap[] = {"1", "2", "3", NULL, "1", "1", "1", "1"};
    residua_options *options = NULL;
    residua_system *system = NULL;
    residua_solver *solver = NULL;
    residua_solution *solution = NULL;
    residua_vector *vector = NULL;
    residua_numbers unknown = complex_of(z);
    int is_complex = 0;
    CHECK(residua_options_new(&options) == RESIDUA_OK);
    CHECK(residua_system_dense(2, 2, residua_doubles(real), RESIDUA_ROW_MAJOR, 0, &system) == RESIDUA_OK);
    CHECK(residua_system_is_complex(system, &is_complex) == RESIDUA_OK && is_complex == 0);
    CHECK(residua_solver_new(system, NULL, &solver) == RESIDUA_OK);
    REFUSED(residua_solve(solver, 0, 1, complex_of(z), 0, &solution), RESIDUA_INVALID,
            "b is complex, and the matrix is real");
    CHECK(residua_options_initial_guess(options, complex_of(z), 2) == RESIDUA_OK);
    residua_solver_free(solver);
    REFUSED(residua_solver_new(system, options, &solver), RESIDUA_INVALID,
            "the initial guess is complex, and the matrix is real");
    CHECK(residua_options_initial_guess(options, residua_doubles(real), 0) == RESIDUA_OK);
    CHECK(residua_options_null_space(options, complex_of(z), 2, 2) == RESIDUA_OK);
    REFUSED(residua_solver_new(system, options, &solver), RESIDUA_INVALID, "the null space is complex");
    CHECK(residua_options_null_space(options, complex_of(z), 2, 0) == RESIDUA_OK);
    REFUSED(residua_options_weights(options, complex_of(z), 2), RESIDUA_INVALID, "w is an array of complex numbers");
    REFUSED(residua_options_near_null_space(options, complex_of(z), 2, 1), RESIDUA_INVALID, "x is an array of complex");
    residua_system_free(system);
    CHECK(residua_system_dense(2, 2, complex_of(z), RESIDUA_ROW_MAJOR, 0, &system) == RESIDUA_OK);
    CHECK(residua_options_set(options, "block-size", "2") == RESIDUA_OK);
    REFUSED(residua_solver_new(system, options, &solver), RESIDUA_UNSUPPORTED, "this one is complex");
    residua_system_free(system);
    REFUSED(residua_system_is_complex(NULL, &is_complex), RESIDUA_INVALID, "system is NULL");
    REFUSED(residua_vector_is_complex(NULL, &is_complex), RESIDUA_INVALID, "vector is NULL");
    REFUSED(residua_vector_new(2, 1, complex_of(infinite), &vector), RESIDUA_INVALID, "x[2] is inf");
    REFUSED(residua_vector_new(2, 1, complex_of(NULL), &vector), RESIDUA_INVALID, "x is NULL");
    REFUSED(residua_system_dense(2, 2, residua_complex(residua_decimals(gap)), RESIDUA_ROW_MAJOR, 0, &system),
            RESIDUA_INVALID, "value[3] is NULL");
    unknown.kind |= 64;
    REFUSED(residua_vector_new(2, 1, unknown, &vector), RESIDUA_INVALID, "of kind 320");
    residua_options_free(options);
}

int main(void)
{
    matrices();
    options_and_handles();
    solvers();
    memory();
    complex_numbers();
    printf("%d checks, %d faults\n", checks, faults);
    return faults == 0 ? 0 : 1;
}
