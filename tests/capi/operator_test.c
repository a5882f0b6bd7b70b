/* Operators through residua.h: matrices of which a program computes products alone, by MPFR and in doubles. */
#include "check.h"

#include <math.h>
#include <mpfr.h>

#define N 30
#define BITS 300

/* Room for the products of second differences, with `shift` added to the first row. */
struct room {
    mpfr_t in[N], out[N];
    double v[N], y[N];
    double shift;
    int calls;
    int fails_at; /* the call that fails; 0: none */
};

static int by_mpfr(const residua_vector *v, residua_numbers *y, void *user)
{
    struct room *r = user;
    int i;
    CHECK(residua_vector_mpfr(v, 0, r->in, N) == RESIDUA_OK);
    for (i = 0; i < N; ++i) {
        mpfr_mul_ui(r->out[i], r->in[i], 2, MPFR_RNDN);
        if (i > 0) {
            mpfr_sub(r->out[i], r->out[i], r->in[i - 1], MPFR_RNDN);
        }
        if (i + 1 < N) {
            mpfr_sub(r->out[i], r->out[i], r->in[i + 1], MPFR_RNDN);
        }
    }
    mpfr_add_d(r->out[0], r->out[0], r->shift, MPFR_RNDN);
    *y = residua_mpfr(r->out);
    ++r->calls;
    return r->calls == r->fails_at ? 7 : 0;
}

static int by_doubles(const residua_vector *v, residua_numbers *y, void *user)
{
    struct room *r = user;
    int i;
    CHECK(residua_vector_doubles(v, 0, r->v, N) == RESIDUA_OK);
    for (i = 0; i < N; ++i) {
        r->y[i] = 2 * r->v[i] - (i > 0 ? r->v[i - 1] : 0) - (i + 1 < N ? r->v[i + 1] : 0);
    }
    *y = residua_doubles(r->y);
    ++r->calls;
    return 0;
}

static int by_halves(const residua_vector *v, residua_numbers *y, void *user)
{
    struct room *r = user;
    int i;
    CHECK(residua_vector_doubles(v, 0, r->v, N) == RESIDUA_OK);
    for (i = 0; i < N; ++i) {
        r->y[i] = r->v[i] / 2;
    }
    *y = residua_doubles(r->y);
    return 0;
}

static int without_numbers(const residua_vector *v, residua_numbers *y, void *user)
{
    (void)v;
    (void)y;
    (void)user;
    return 0;
}

static int always(void *user)
{
    (void)user;
    return 1;
}

static residua_options *options_with(const char *method, const char *precision)
{
    residua_options *options = NULL;
    CHECK(residua_options_new(&options) == RESIDUA_OK);
    CHECK(residua_options_set(options, "method", method) == RESIDUA_OK);
    CHECK(residua_options_set(options, "precision", precision) == RESIDUA_OK);
    return options;
}

/* With b = (1, ..., 1) x_i is (i + 1) (N - i) / 2. */
static void check_x(const residua_solution *solution, double relative, int line)
{
    mpfr_t x[N];
    int i;
    for (i = 0; i < N; ++i) {
        mpfr_init2(x[i], 2 * BITS);
    }
    check(residua_vector_mpfr(residua_solution_x(solution), 0, x, N) == RESIDUA_OK, "x is there", line);
    for (i = 0; i < N; ++i) {
        const double exact = (i + 1) * (N - i) / 2.0;
        mpfr_sub_d(x[i], x[i], exact, MPFR_RNDN);
        check(fabs(mpfr_get_d(x[i], MPFR_RNDN)) <= relative * exact, "x is right", line);
        mpfr_clear(x[i]);
    }
}

static void operators_are_solved(struct room *r, const double *ones)
{
    const char *const methods[] = {"cg", "gmres", "lsqr"};
    residua_operator a = {N, N, by_mpfr, by_mpfr, NULL, NULL, NULL, 0, 0};
    residua_solution *solution = NULL;
    residua_options *options;
    residua_status status = RESIDUA_BREAKDOWN;
    const char *json = NULL;
    int digits = 1;
    int k;
    a.user = r;
    for (k = 0; k < 3; ++k) {
        options = options_with(methods[k], "300");
        CHECK(residua_solve_operator(&a, options, residua_doubles(ones), &solution) == RESIDUA_OK);
        CHECK(residua_solution_status(solution, 0, &status, &digits) == RESIDUA_OK);
        CHECK(status == RESIDUA_CONVERGED && digits == 0 && r->calls > N / 2);
        CHECK(residua_solution_report(solution, 0, &json) == RESIDUA_OK && strstr(json, "is not known") != NULL);
        check_x(solution, 1e-75, __LINE__);
        residua_solution_free(solution);
        residua_options_free(options);
    }

    a.m = by_halves;
    a.m_in_binary64 = 1;
    options = options_with("gmres", "300");
    CHECK(residua_solve_operator(&a, options, residua_doubles(ones), &solution) == RESIDUA_OK);
    check_x(solution, 1e-75, __LINE__);
    CHECK(residua_options_on_interrupt(options, always, NULL) == RESIDUA_OK);
    residua_solution_free(solution);
    CHECK(residua_solve_operator(&a, options, residua_doubles(ones), &solution) == RESIDUA_OK);
    CHECK(residua_solution_status(solution, 0, &status, NULL) == RESIDUA_OK && status == RESIDUA_INTERRUPTED);
    residua_solution_free(solution);
    residua_options_free(options);

    a.a = by_doubles;
    a.m = NULL;
    a.in_binary64 = 1;
    options = options_with("cg", "auto");
    CHECK(residua_solve_operator(&a, options, residua_doubles(ones), &solution) == RESIDUA_OK);
    CHECK(residua_solution_status(solution, 0, &status, NULL) == RESIDUA_OK && status == RESIDUA_CONVERGED);
    check_x(solution, 1e-7, __LINE__);
    residua_solution_free(solution);
    residua_options_free(options);
}

static void misuse(struct room *r, const double *ones)
{
    residua_operator a = {N, N, by_mpfr, NULL, NULL, NULL, NULL, 0, 0};
    residua_solution *solution = NULL;
    residua_options *cg = options_with("cg", "300");
    residua_options *lsqr = options_with("lsqr", "300");
    residua_options *none = NULL;
    const double infinite[N] = {HUGE_VAL};
    a.user = r;
    CHECK(residua_options_new(&none) == RESIDUA_OK);
    REFUSED(residua_solve_operator(NULL, cg, residua_doubles(ones), &solution), RESIDUA_INVALID, "a is NULL");
    REFUSED(residua_solve_operator(&a, NULL, residua_doubles(ones), &solution), RESIDUA_INVALID, "options is NULL");
    REFUSED(residua_solve_operator(&a, cg, residua_doubles(NULL), &solution), RESIDUA_INVALID, "b is NULL");
    REFUSED(residua_solve_operator(&a, cg, residua_doubles(infinite), &solution), RESIDUA_INVALID, "b[0] is inf");
    REFUSED(residua_solve_operator(&a, cg, residua_doubles(ones), NULL), RESIDUA_INVALID, "solution is NULL");
    REFUSED(residua_solve_operator(&a, none, residua_doubles(ones), &solution), RESIDUA_UNSUPPORTED, "name one");
    REFUSED(residua_solve_operator(&a, lsqr, residua_doubles(ones), &solution), RESIDUA_UNSUPPORTED, "needs products");
    CHECK(residua_options_set(lsqr, "digits", "30") == RESIDUA_OK);
    REFUSED(residua_solve_operator(&a, lsqr, residua_doubles(ones), &solution), RESIDUA_UNSUPPORTED, "digits");
    r->calls = 0;
    r->fails_at = 5;
    REFUSED(residua_solve_operator(&a, cg, residua_doubles(ones), &solution), RESIDUA_INVALID, "returned 7");
    r->fails_at = 0;
    r->shift = 1;
    REFUSED(residua_solve_operator(&a, cg, residua_doubles(ones), &solution), RESIDUA_INVALID, "not linear");
    r->shift = 0;
    a.a = without_numbers;
    REFUSED(residua_solve_operator(&a, cg, residua_doubles(ones), &solution), RESIDUA_INVALID, "y is NULL");
    a.a = by_doubles;
    REFUSED(residua_solve_operator(&a, cg, residua_doubles(ones), &solution), RESIDUA_INVALID, "300 are needed");
    a.rows = -1;
    REFUSED(residua_solve_operator(&a, cg, residua_doubles(ones), &solution), RESIDUA_INVALID, "nothing to solve");
    CHECK(solution == NULL);
    residua_options_free(cg);
    residua_options_free(lsqr);
    residua_options_free(none);
}

int main(void)
{
    static struct room r;
    double ones[N];
    int i;
    for (i = 0; i < N; ++i) {
        mpfr_init2(r.in[i], 2 * BITS + 8); /* what v has */
        mpfr_init2(r.out[i], 2 * BITS + 16);
        ones[i] = 1;
    }
    operators_are_solved(&r, ones);
    misuse(&r, ones);
    for (i = 0; i < N; ++i) {
        mpfr_clear(r.in[i]);
        mpfr_clear(r.out[i]);
    }
    mpfr_free_cache();
    printf("%d checks, %d faults\n", checks, faults);
    return faults == 0 ? 0 : 1;
}
