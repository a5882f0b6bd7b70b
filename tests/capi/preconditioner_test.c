/* A preconditioner of the caller's through residua.h, beside a stored matrix. */
#include "check.h"

#include <math.h>

#define N 40

/* What the function of M has seen and is to do. */
struct own {
    int calls;
    int fails_at; /* the call that fails; 0: none */
    double times; /* z = r times this */
};

static int scaled(const double *r, double *z, int64_t n, void *user)
{
    struct own *o = user;
    int64_t i;
    CHECK(n == N);
    for (i = 0; i < n; ++i) {
        z[i] = o->times * r[i];
    }
    ++o->calls;
    return o->calls == o->fails_at ? 5 : 0;
}

/* Second differences. */
static residua_system *laplacian(void)
{
    int32_t row[3 * N], column[3 * N];
    double value[3 * N];
    residua_system *system = NULL;
    int count = 0, i, j;
    for (i = 0; i < N; ++i) {
        for (j = i > 0 ? i - 1 : 0; j <= i + 1 && j < N; ++j) {
            row[count] = i;
            column[count] = j;
            value[count++] = i == j ? 2 : -1;
        }
    }
    CHECK(residua_system_coo32(N, N, count, row, column, residua_doubles(value), 0, &system) == RESIDUA_OK);
    return system;
}

static int status_of(const residua_solution *solution, int *digits)
{
    residua_status status = RESIDUA_NOT_CONVERGED;
    CHECK(residua_solution_status(solution, 0, &status, digits) == RESIDUA_OK);
    return (int)status;
}

static int solve(const residua_system *system, const residua_options *options, residua_solution **solution)
{
    double ones[N];
    residua_solver *solver = NULL;
    int code, i;
    for (i = 0; i < N; ++i) {
        ones[i] = 1;
    }
    CHECK(residua_solver_new(system, options, &solver) == RESIDUA_OK);
    code = residua_solve(solver, 0, 1, residua_doubles(ones), 0, solution);
    residua_solver_free(solver);
    return code;
}

int main(void)
{
    struct own own = {0, 0, 0.5};
    residua_system *system = laplacian();
    residua_options *options = NULL;
    residua_solution *solution = NULL;
    const char *json = NULL;
    int digits = 0;
    CHECK(residua_options_new(&options) == RESIDUA_OK);
    CHECK(residua_options_set(options, "digits", "40") == RESIDUA_OK);
    CHECK(residua_options_preconditioner(options, scaled, NULL, &own) == RESIDUA_OK);

    CHECK(solve(system, options, &solution) == RESIDUA_OK);
    CHECK(status_of(solution, &digits) == RESIDUA_CONVERGED && digits >= 40 && own.calls > 0);
    CHECK(residua_solution_report(solution, 0, &json) == RESIDUA_OK);
    CHECK(strstr(json, "\"preconditioner\":\"given\"") != NULL && strstr(json, "\"method\":\"cg\"") != NULL);
    residua_solution_free(solution);

    own.calls = 0;
    own.fails_at = 3;
    REFUSED(solve(system, options, &solution), RESIDUA_INVALID, "the product with M failed: its function returned 5");
    CHECK(solution == NULL);
    own.fails_at = 0;

    own.times = NAN;
    CHECK(solve(system, options, &solution) == RESIDUA_OK);
    CHECK(status_of(solution, NULL) == RESIDUA_BREAKDOWN);
    CHECK(residua_solution_report(solution, 0, &json) == RESIDUA_OK);
    CHECK(strstr(json, "the preconditioner M gave a NaN") != NULL);
    residua_solution_free(solution);

    CHECK(residua_options_set(options, "method", "direct") == RESIDUA_OK);
    REFUSED(solve(system, options, &solution), RESIDUA_UNSUPPORTED, "given does not fit the method direct");
    CHECK(residua_options_set(options, "method", "bicg") == RESIDUA_OK);
    REFUSED(solve(system, options, &solution), RESIDUA_UNSUPPORTED, "M'");
    REFUSED(residua_options_preconditioner(options, NULL, scaled, &own), RESIDUA_INVALID, "m is NULL");
    REFUSED(residua_options_preconditioner(NULL, scaled, NULL, &own), RESIDUA_INVALID, "options is NULL");
    REFUSED(residua_options_set(options, "precond", "given"), RESIDUA_OPTION, "is none of");

    own.calls = 0; /* what is set last holds */
    CHECK(residua_options_set(options, "method", "cg") == RESIDUA_OK);
    CHECK(residua_options_set(options, "precond", "jacobi") == RESIDUA_OK);
    CHECK(solve(system, options, &solution) == RESIDUA_OK && own.calls == 0);
    residua_solution_free(solution);

    residua_options_free(options);
    residua_system_free(system);
    printf("%d checks, %d faults\n", checks, faults);
    return faults == 0 ? 0 : 1;
}
