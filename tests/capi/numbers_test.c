/* Numbers that doubles do not hold go in and out of residua.h: as sums of doubles, as limbs, as mpfr_t, by files. */
#include "check.h"

#include <math.h>
#include <mpfr.h>

/* A = [1 + 2^-80, 1; 2, 2] is singular in double precision. With b = (1 + 2^-80, 0) x is (2^80 + 1, -2^80 - 1). */
#define X_0 "1.208925819614629174706177e+24"
#define X_1 "-1.208925819614629174706177e+24"
#define ONE_AND "1.00000000000000000000000082718061255302767487140869206996285356581211090087890625"

static const double terms[] = {1, 0x1p-80, 1, 0, 2, 0, 2, 0};   /* by rows */
static const double by_cols[] = {1, 0x1p-80, 2, 0, 1, 0, 2, 0}; /* by columns */
static const double b[] = {1, 0x1p-80, 0, 0};

/* The same by rows as limbs and by columns as mpfr_t. */
static const int32_t sign[] = {1, 1, 1, 1};
static const int64_t exponent[] = {-80, 0, -1, 1};
static const uint64_t limb[] = {1, 1 << 16, 1, 0, 4, 0, 1, 0};

static void check_x(residua_system *system, residua_numbers right_hand_side, int line)
{
    residua_options *options = NULL;
    residua_solver *solver = NULL;
    residua_solution *solution = NULL;
    char text[64] = "";
    residua_options_new(&options);
    residua_options_set(options, "digits", "30");
    residua_solver_new(system, options, &solver);
    check(residua_solve(solver, 0, 1, right_hand_side, 0, &solution) == RESIDUA_OK, "it is solved", line);
    residua_vector_decimal(residua_solution_x(solution), 0, 0, 25, text, sizeof text, NULL);
    check(strcmp(text, X_0) == 0, text, line);
    residua_vector_decimal(residua_solution_x(solution), 0, 1, 25, text, sizeof text, NULL);
    check(strcmp(text, X_1) == 0, text, line);
    residua_solution_free(solution);
    residua_solver_free(solver);
    residua_options_free(options);
    residua_system_free(system);
}
#define CHECK_X(made, right_hand_side)              \
    do {                                            \
        residua_system *system = NULL;              \
        CHECK(made == RESIDUA_OK);                  \
        check_x(system, right_hand_side, __LINE__); \
    } while (0)

static void every_form_gives_the_same_x(void)
{
    const int32_t begin32[] = {0, 2, 4}, inner32[] = {0, 1, 0, 1}, outer32[] = {0, 0, 1, 1};
    const int64_t begin64[] = {1, 3, 5}, inner64[] = {1, 2, 1, 2}, outer64[] = {1, 1, 2, 2};
    const char *const decimals[] = {ONE_AND, "1", "2", "2"}, *const right[] = {ONE_AND, "0"};
    const double strided[] = {1, 0x1p-80, 1, 0, NAN, NAN, 2, 0, 2, 0};
    mpfr_t columns[4], x[2];
    residua_vector *held = NULL, *held_b = NULL;
    int k;
    for (k = 0; k < 4; ++k) {
        mpfr_init2(columns[k], 100);
        mpfr_set_d(columns[k], by_cols[2 * k], MPFR_RNDN);
        mpfr_add_d(columns[k], columns[k], by_cols[2 * k + 1], MPFR_RNDN);
    }
    CHECK_X(residua_system_csr32(2, 2, begin32, inner32, residua_terms(terms, 2), 0, &system), residua_terms(b, 2));
    CHECK_X(residua_system_csr64(2, 2, begin64, inner64, residua_limbs(sign, exponent, limb, 2), 1, &system),
            residua_decimals(right));
    CHECK_X(residua_system_csc32(2, 2, begin32, inner32, residua_terms(by_cols, 2), 0, &system), residua_terms(b, 2));
    CHECK_X(residua_system_csc64(2, 2, begin64, inner64, residua_mpfr(columns), 1, &system), residua_terms(b, 2));
    CHECK_X(residua_system_coo32(2, 2, 4, outer32, inner32, residua_decimals(decimals), 0, &system),
            residua_terms(b, 2));
    CHECK_X(residua_system_coo64(2, 2, 4, inner64, outer64, residua_mpfr(columns), 1, &system), residua_terms(b, 2));
    CHECK_X(residua_system_dense(2, 2, residua_mpfr(columns), RESIDUA_COLUMN_MAJOR, 0, &system),
            residua_decimals(right));
    CHECK_X(residua_system_dense(2, 2, residua_terms(strided, 2), RESIDUA_ROW_MAJOR, 3, &system), residua_terms(b, 2));
    CHECK(residua_vector_new(4, 1, residua_terms(terms, 2), &held) == RESIDUA_OK);
    CHECK(residua_vector_new(2, 1, residua_terms(b, 2), &held_b) == RESIDUA_OK);
    CHECK_X(residua_system_dense(2, 2, residua_held(held), RESIDUA_ROW_MAJOR, 0, &system), residua_held(held_b));
    for (k = 0; k < 2; ++k) {
        mpfr_init2(x[k], 81);
    }
    CHECK(residua_vector_mpfr(held_b, 0, x, 2) == RESIDUA_OK);
    CHECK(mpfr_cmp(x[0], columns[0]) == 0 && mpfr_zero_p(x[1]));
    mpfr_set_prec(x[0], 60);
    CHECK(residua_vector_mpfr(held_b, 0, x, 2) == RESIDUA_OK && mpfr_cmp_ui(x[0], 1) == 0);
    residua_vector_free(held);
    residua_vector_free(held_b);
    for (k = 0; k < 4; ++k) {
        mpfr_clear(columns[k]);
    }
    mpfr_clear(x[0]);
    mpfr_clear(x[1]);
}

/* What goes out goes in again as it was. */
static void numbers_leave_in_the_forms_in_which_they_came(void)
{
    const double from[] = {1, 0x1p-80, 0, -3, 0x1p-1074, 0, 0, 0, 0};
    residua_vector *v = NULL, *w = NULL;
    double as_terms[9], as_doubles[3];
    int32_t signs[3];
    int64_t exponents[3];
    uint64_t limbs[60];
    char text[100];
    int64_t rows = 0, columns = 0;
    CHECK(residua_vector_new(3, 1, residua_terms(from, 3), &v) == RESIDUA_OK);
    CHECK(residua_vector_size(v, &rows, &columns) == RESIDUA_OK && rows == 3 && columns == 1);
    CHECK(residua_vector_terms(v, 0, 3, as_terms, 9) == RESIDUA_OK && memcmp(from, as_terms, sizeof from) == 0);
    CHECK(residua_vector_doubles(v, 0, as_doubles, 3) == RESIDUA_OK && as_doubles[0] == 1 && as_doubles[1] == -3);
    CHECK(residua_vector_limbs(v, 0, 2, signs, exponents, limbs, 6) == RESIDUA_OK);
    CHECK(signs[0] == 1 && exponents[0] == -127 && limbs[0] == UINT64_C(1) << 47 && limbs[1] == UINT64_C(1) << 63);
    CHECK(signs[1] == -1 && exponents[1] == -126 && limbs[2] == 0 && limbs[3] == UINT64_C(3) << 62);
    CHECK(signs[2] == 0 && exponents[2] == 0 && limbs[4] == 0 && limbs[5] == 0);
    CHECK(residua_vector_limbs(v, 0, 20, signs, exponents, limbs, 60) == RESIDUA_OK);
    CHECK(residua_vector_new(3, 1, residua_limbs(signs, exponents, limbs, 20), &w) == RESIDUA_OK);
    CHECK(residua_vector_terms(w, 0, 3, as_terms, 9) == RESIDUA_OK && memcmp(from, as_terms, sizeof from) == 0);
    CHECK(residua_vector_decimal(w, 0, 0, 81, text, sizeof text, NULL) == RESIDUA_OK);
    CHECK(strncmp(text, ONE_AND, strlen(ONE_AND)) == 0);
    residua_vector_free(v);
    residua_vector_free(w);
}

static void files_keep_what_is_in_them(void)
{
    const char *const name = "capi_numbers_test.mtx";
    const char *const decimals[] = {ONE_AND, "0.1000000000000000000000000000001", "-2e-400", "3"};
    const double doubles[] = {0.1, 2, 1.0 / 3, -1e300};
    const int32_t begin[] = {0, 2, 4}, column[] = {0, 1, 0, 1};
    residua_system *system = NULL;
    residua_vector *v = NULL, *again = NULL;
    char line[400];
    double x[4];
    FILE *file = NULL;
    int64_t rows = 0, columns = 0;
    int found = 0;
    CHECK(residua_system_csr32(2, 2, begin, column, residua_decimals(decimals), 0, &system) == RESIDUA_OK);
    CHECK(residua_system_write(system, name) == RESIDUA_OK);
    residua_system_free(system);
    file = fopen(name, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        found += strcmp(line, "1 2 1000000000000000000000000000001e-31\n") == 0 || strcmp(line, "2 1 -2e-400\n") == 0;
    }
    CHECK(file != NULL && fclose(file) == 0 && found == 2);
    CHECK(residua_system_dense(2, 2, residua_terms(terms, 2), RESIDUA_ROW_MAJOR, 0, &system) == RESIDUA_OK);
    CHECK(residua_system_write(system, name) == RESIDUA_OK);
    residua_system_free(system);
    CHECK_X(residua_system_read(name, NULL, &system), residua_terms(b, 2)); /* all digits of 1 + 2^-80 */

    CHECK(residua_vector_new(2, 2, residua_doubles(doubles), &v) == RESIDUA_OK);
    CHECK(residua_vector_write(v, name, 0) == RESIDUA_OK && residua_vector_read(name, &again) == RESIDUA_OK);
    CHECK(residua_vector_size(again, &rows, &columns) == RESIDUA_OK && rows == 2 && columns == 2);
    CHECK(residua_vector_doubles(again, 0, x, 2) == RESIDUA_OK &&
          residua_vector_doubles(again, 1, x + 2, 2) == RESIDUA_OK);
    CHECK(memcmp(x, doubles, sizeof x) == 0);
    residua_vector_free(v);
    residua_vector_free(again);
    REFUSED(residua_system_read("no/such/file.mtx", NULL, &system), RESIDUA_INVALID, "no/such/file.mtx");
    REFUSED(residua_system_read(name, "floats", &system), RESIDUA_OPTION, "is none of auto, binary64, decimal");
    REFUSED(residua_system_read(NULL, NULL, &system), RESIDUA_INVALID, "path is NULL");
    REFUSED(residua_vector_write(NULL, name, 0), RESIDUA_INVALID, "vector is NULL");
    CHECK(remove(name) == 0);
    REFUSED(residua_vector_read(name, &v), RESIDUA_INVALID, name);
    CHECK(v == NULL && system == NULL);
}

static void entries_of_the_inverse_and_the_plan(void)
{
    const double a[] = {4, 1, 2, 3};
    const int64_t row[] = {0, 1, 5}, column[] = {1, 1, 0};
    residua_system *system = NULL;
    residua_solver *solver = NULL;
    residua_vector *entries = NULL;
    residua_status status[2];
    double error[2] = {1, 1}, x[2] = {0, 0};
    const char *json = NULL;
    CHECK(residua_system_dense(2, 2, residua_doubles(a), RESIDUA_ROW_MAJOR, 0, &system) == RESIDUA_OK);
    CHECK(residua_solver_new(system, NULL, &solver) == RESIDUA_OK);
    CHECK(residua_solver_inverse_entries(solver, 2, row, column, error, status, &entries) == RESIDUA_OK);
    CHECK(residua_vector_doubles(entries, 0, x, 2) == RESIDUA_OK);
    CHECK(fabs(x[0] + 0.1) < 1e-15 && fabs(x[1] - 0.4) < 1e-15 && error[0] >= 0 && error[0] < 1e-14);
    CHECK(status[0] == RESIDUA_CONVERGED && status[1] == RESIDUA_CONVERGED);
    residua_vector_free(entries);
    CHECK(residua_solver_inverse_entries(solver, 0, NULL, NULL, NULL, NULL, &entries) == RESIDUA_OK);
    residua_vector_free(entries);
    REFUSED(residua_solver_inverse_entries(solver, 3, row, column, NULL, NULL, &entries), RESIDUA_INVALID, "5");
    REFUSED(residua_solver_inverse_entries(solver, 1, NULL, column, NULL, NULL, &entries), RESIDUA_INVALID,
            "row is NULL");
    CHECK(residua_solver_plan(solver, &json) == RESIDUA_OK);
    CHECK(json != NULL && strncmp(json, "{\"reason\":\"", 11) == 0 &&
          strstr(json, "\"candidates\":[{\"method\":\"") != NULL);
    CHECK(json != NULL && strstr(json, "\"costs\":[{") != NULL && strchr(json, '\n') == NULL);
    REFUSED(residua_solver_plan(solver, NULL), RESIDUA_INVALID, "json is NULL");
    residua_solver_free(solver);
    residua_system_free(system);
}

/* Compressed columns of a symmetric matrix are as symmetric as its rows: inertia is refused to others. */
static void columns_are_seen_to_be_symmetric(void)
{
    const int64_t begin[] = {0, 2, 4}, row[] = {1, 0, 1, 0};
    const double value[] = {2, 1, -3, 2};
    residua_system *system = NULL;
    residua_solver *solver = NULL;
    int64_t positive = 0, negative = 0;
    CHECK(residua_system_csc64(2, 2, begin, row, residua_doubles(value), 0, &system) == RESIDUA_OK);
    CHECK(residua_solver_new(system, NULL, &solver) == RESIDUA_OK);
    CHECK(residua_solver_inertia(solver, &positive, &negative, NULL) == RESIDUA_OK && positive == 1 && negative == 1);
    residua_solver_free(solver);
    residua_system_free(system);
}

/* A residual that passes does not make x right, and the report says so. */
static void the_report_says_that_no_digit_is_known(void)
{
    enum { n = 20 };
    static double a[n * n], ones[n];
    residua_options *options = NULL;
    residua_system *system = NULL;
    residua_solver *solver = NULL;
    residua_solution *solution = NULL;
    residua_status status = RESIDUA_BREAKDOWN;
    const char *json = "";
    int i, digits = -1;
    for (i = 0; i < n * n; ++i) {
        a[i] = 1.0 / (i / n + i % n + 1);
        ones[i % n] += a[i];
    }
    CHECK(residua_options_new(&options) == RESIDUA_OK &&
          residua_options_set(options, "precision", "double") == RESIDUA_OK);
    CHECK(residua_system_dense(n, n, residua_doubles(a), RESIDUA_ROW_MAJOR, 0, &system) == RESIDUA_OK);
    CHECK(residua_solver_new(system, options, &solver) == RESIDUA_OK);
    CHECK(residua_solve(solver, 0, 1, residua_doubles(ones), 0, &solution) == RESIDUA_OK);
    CHECK(residua_solution_status(solution, 0, &status, &digits) == RESIDUA_OK);
    CHECK(status == RESIDUA_CONVERGED && digits == 0);
    CHECK(residua_solution_report(solution, 0, &json) == RESIDUA_OK);
    CHECK(strstr(json, "no digit of x is known to be right") != NULL && strstr(json, "; try precision ") != NULL);
    residua_solution_free(solution);
    residua_solver_free(solver);
    residua_system_free(system);
    residua_options_free(options);
}

static void misuse_of_numbers_and_columns(void)
{
    const residua_numbers strange = {7, 1, terms, NULL, NULL},
                          unsigned_limbs = {RESIDUA_LIMBS, 1, limb, NULL, exponent};
    const double infinite[] = {1, 0, 1, HUGE_VAL, 2, 0, 2, -NAN};
    const int64_t far[] = {0, INT64_C(1) << 40}, begin[] = {0, 1, 2}, wrong[] = {0, 2, 1}, row[] = {0, 2};
    residua_system *system = NULL;
    residua_vector *v = NULL;
    mpfr_t nan;
    mpfr_init2(nan, 53);
    REFUSED(residua_system_dense(2, 2, strange, RESIDUA_ROW_MAJOR, 0, &system), RESIDUA_INVALID, "numbers of kind 7");
    REFUSED(residua_system_dense(2, 2, unsigned_limbs, RESIDUA_ROW_MAJOR, 0, &system), RESIDUA_INVALID,
            "value.sign is NULL");
    REFUSED(residua_system_dense(2, 2, residua_terms(terms, 0), RESIDUA_ROW_MAJOR, 0, &system), RESIDUA_INVALID,
            "0 terms");
    REFUSED(residua_system_dense(2, 2, residua_terms(terms, 40), RESIDUA_ROW_MAJOR, 0, &system), RESIDUA_INVALID,
            "40 terms");
    REFUSED(residua_system_dense(2, 2, residua_terms(infinite, 2), RESIDUA_ROW_MAJOR, 0, &system), RESIDUA_INVALID,
            "value[1] is a sum with the term inf");
    REFUSED(residua_vector_new(2, 1, residua_terms(infinite + 4, 2), &v), RESIDUA_INVALID,
            "x[1] is a sum with the term nan,");
    REFUSED(residua_vector_new(2, 1, residua_limbs(sign, far, limb, 1), &v), RESIDUA_INVALID,
            "x[1] is an integer times 2^");
    REFUSED(residua_vector_new(1, 1, residua_mpfr(nan), &v), RESIDUA_INVALID, "x[0] is nan");
    REFUSED(residua_vector_new(1, 0, residua_doubles(terms), &v), RESIDUA_INVALID, "0 columns");
    REFUSED(residua_vector_new(1, 1, residua_held(NULL), &v), RESIDUA_INVALID, "x is NULL");
    CHECK(residua_vector_new(2, 1, residua_doubles(terms), &v) == RESIDUA_OK);
    REFUSED(residua_system_dense(2, 2, residua_held(v), RESIDUA_ROW_MAJOR, 0, &system), RESIDUA_INVALID,
            "value[2] is beyond the 2 numbers");
    REFUSED(residua_vector_decimal(v, 1, 0, 3, NULL, 0, NULL), RESIDUA_INVALID, "no column 1; the vector has 1");
    REFUSED(residua_system_csc64(3, 2, wrong, row, residua_doubles(terms), 0, &system), RESIDUA_INVALID,
            "col_begin[1], from 0, is 2, but there are 1 entries");
    REFUSED(residua_system_csc64(2, 2, begin, row, residua_doubles(terms), 0, &system), RESIDUA_INVALID, "row[1] is 2");
    REFUSED(residua_system_csc64(2, 2, begin, row, residua_doubles(terms), 1, &system), RESIDUA_INVALID,
            "col_begin goes from 0");
    REFUSED(residua_system_coo64(2, 2, -1, row, row, residua_doubles(terms), 0, &system), RESIDUA_INVALID,
            "-1 entries");
    REFUSED(residua_system_coo64(3, 2, 2, row, row, residua_doubles(terms), 0, &system), RESIDUA_INVALID,
            "column[1] is 2");
    REFUSED(residua_system_coo64(3, 3, 2, NULL, row, residua_doubles(terms), 0, &system), RESIDUA_INVALID,
            "row is NULL");
    residua_vector_free(v);
    residua_vector_free(NULL);
    mpfr_clear(nan);
}

int main(void)
{
    every_form_gives_the_same_x();
    numbers_leave_in_the_forms_in_which_they_came();
    files_keep_what_is_in_them();
    entries_of_the_inverse_and_the_plan();
    columns_are_seen_to_be_symmetric();
    the_report_says_that_no_digit_is_known();
    misuse_of_numbers_and_columns();
    mpfr_free_cache();
    printf("%d checks, %d faults\n", checks, faults);
    return faults == 0 ? 0 : 1;
}
