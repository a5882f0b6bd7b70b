/* Systems with 30 and more correct digits through residua.h, from C99. */
#define _XOPEN_SOURCE 600

#include "check.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#define N 12

/* Number 0 of the x that exact rationals give for the system below with b = (1, ..., 1), to 30 digits. */
#define HILBERT_12_X_0 "-1.20000000000000000000083511381e+01"

static residua_options *options_with(const char *name, const char *value)
{
    residua_options *options = NULL;
    CHECK(residua_options_new(&options) == RESIDUA_OK);
    CHECK(residua_options_set(options, name, value) == RESIDUA_OK);
    return options;
}

/* [3 1; 1 2] x = (5, 5) has x = (1, 2). */
static void takes_every_kind_of_matrix(void)
{
    const double dense[] = {3, 1, 1, 2};
    const double columns[] = {3, 1, -7, 1, 2};
    const char *const text[] = {"3", "1.0", "1e0", "2"};
    const int32_t begin32[] = {0, 2, 4}, column32[] = {1, 0, 0, 1};
    const int64_t begin64[] = {1, 3, 5}, column64[] = {2, 1, 1, 2};
    const double csr[] = {1, 3, 1, 2};
    const char *const csr_text[] = {"1", "3", "1", "2"};
    const double b[] = {5, 5};
    residua_system *systems[7] = {NULL};
    int k;
    CHECK(residua_system_dense(2, 2, residua_doubles(dense), RESIDUA_ROW_MAJOR, 0, &systems[0]) == RESIDUA_OK);
    CHECK(residua_system_dense(2, 2, residua_doubles(columns), RESIDUA_COLUMN_MAJOR, 3, &systems[1]) == RESIDUA_OK);
    CHECK(residua_system_dense(2, 2, residua_decimals(text), RESIDUA_ROW_MAJOR, 2, &systems[2]) == RESIDUA_OK);
    CHECK(residua_system_csr32(2, 2, begin32, column32, residua_doubles(csr), 0, &systems[3]) == RESIDUA_OK);
    CHECK(residua_system_csr64(2, 2, begin64, column64, residua_doubles(csr), 1, &systems[4]) == RESIDUA_OK);
    CHECK(residua_system_csr32(2, 2, begin32, column32, residua_decimals(csr_text), 0, &systems[5]) == RESIDUA_OK);
    CHECK(residua_system_csr64(2, 2, begin64, column64, residua_decimals(csr_text), 1, &systems[6]) == RESIDUA_OK);
    for (k = 0; k < 7; ++k) {
        residua_solver *solver = NULL;
        residua_solution *solution = NULL;
        int64_t rows = 0, entries = 0;
        double x[2] = {0, 0};
        CHECK(residua_system_size(systems[k], &rows, NULL, &entries) == RESIDUA_OK && rows == 2 && entries == 4);
        CHECK(residua_solver_new(systems[k], NULL, &solver) == RESIDUA_OK);
        residua_system_free(systems[k]);
        CHECK(residua_solve(solver, 0, 1, residua_doubles(b), 0, &solution) == RESIDUA_OK);
        CHECK(residua_vector_doubles(residua_solution_x(solution), 0, x, 2) == RESIDUA_OK);
        CHECK(fabs(x[0] - 1) < 1e-14 && fabs(x[1] - 2) < 1e-14);
        residua_solution_free(solution);
        residua_solver_free(solver);
    }
}

/* The Hilbert matrix of order 12 as decimals: a condition of 1e16. Its x in 30 digits is that of exact rationals of these
 * decimals, to which x, put in as quad-doubles, must lead back. */
static void gives_thirty_digits_of_an_ill_conditioned_system(void)
{
    static char words[N * N][48];
    const char *text[N * N];
    const char *ones[2 * N];
    residua_system *system = NULL;
    residua_solver *solver = NULL;
    residua_solution *solution = NULL;
    residua_options *options = options_with("digits", "30");
    residua_status status = RESIDUA_BREAKDOWN;
    const char *json = NULL;
    int64_t rows = 0, columns = 0;
    double x[N], terms[2 * N], four[4 * N];
    char decimal[80], shorter[80];
    size_t needed = 0;
    int i, j, digits = 0;
    for (i = 0; i < N; ++i) {
        for (j = 0; j < N; ++j) {
            const int q = i + j + 1;
            int place, rest = 1 % q;
            char *to = words[i * N + j];
            to += sprintf(to, "%d.", 1 / q);
            for (place = 0; place < 36; ++place) { /* 1/q, cut after 36 places */
                rest *= 10;
                *to++ = (char)('0' + rest / q);
                rest %= q;
            }
            *to = '\0';
            text[i * N + j] = words[i * N + j];
        }
        ones[i] = "1";
        ones[N + i] = i == 0 ? "1e-400" : "0";
    }
    CHECK(residua_system_dense(N, N, residua_decimals(text), RESIDUA_ROW_MAJOR, 0, &system) == RESIDUA_OK);
    CHECK(residua_solver_new(system, options, &solver) == RESIDUA_OK);
    residua_system_free(system);
    residua_options_free(options);
    CHECK(residua_solve(solver, 0, 2, residua_decimals(ones), 0, &solution) == RESIDUA_OK);
    CHECK(residua_vector_size(residua_solution_x(solution), &rows, &columns) == RESIDUA_OK && rows == N &&
          columns == 2);
    CHECK(residua_solution_status(solution, 0, &status, &digits) == RESIDUA_OK);
    CHECK(status == RESIDUA_CONVERGED && digits >= 30);
    CHECK(residua_vector_doubles(residua_solution_x(solution), 0, x, N) == RESIDUA_OK);
    CHECK(residua_vector_terms(residua_solution_x(solution), 0, 2, terms, 2 * N) == RESIDUA_OK);
    CHECK(residua_vector_terms(residua_solution_x(solution), 0, 4, four, 4 * N) == RESIDUA_OK);
    CHECK(x[0] != 0 && fabs(x[0] + 12) < 1e-6);
    for (i = 0; i < N; ++i) {
        CHECK(x[i] == terms[2 * i] && x[i] == four[4 * i] && terms[2 * i + 1] == four[4 * i + 1]);
        CHECK(fabs(terms[2 * i + 1]) <= fabs(x[i]) * 0x1p-53);
    }
    CHECK(residua_vector_decimal(residua_solution_x(solution), 0, 0, 30, decimal, sizeof decimal, &needed) ==
          RESIDUA_OK);
    CHECK(needed == strlen(decimal) + 1);
    CHECK(strcmp(decimal, HILBERT_12_X_0) == 0);
    if (strcmp(decimal, HILBERT_12_X_0) != 0) {
        fprintf(stderr, "x_0 is %s\n", decimal);
    }
    CHECK(residua_vector_decimal(residua_solution_x(solution), 0, 0, 0, NULL, 0, &needed) == RESIDUA_OK && needed > 31);
    CHECK(residua_vector_decimal(residua_solution_x(solution), 1, 0, 3, shorter, sizeof shorter, NULL) == RESIDUA_OK);
    CHECK(strstr(shorter, "e-398") != NULL); /* 1e-400 times an entry of inverse(A), 143 */
    CHECK(residua_vector_doubles(residua_solution_x(solution), 1, x, N) == RESIDUA_OK && x[0] == 0);
    CHECK(residua_solution_report(solution, 0, &json) == RESIDUA_OK);
    CHECK(json != NULL && json[0] == '{' && strstr(json, "\"status\":\"converged\"") != NULL);
    residua_solution_free(solution);
    residua_solver_free(solver);
}

/* What is kept between solves, new values, transposed systems. */
static void solver_is_kept_between_solves(void)
{
    const double a[] = {4, 1, 0, 3};
    const double changed[] = {8, 1, 0, 3};
    const double b[] = {6, 9, 99, 4, 0};
    residua_system *system = NULL;
    residua_solver *solver = NULL;
    residua_solution *solution = NULL;
    double x[2] = {0, 0};
    CHECK(residua_system_dense(2, 2, residua_doubles(a), RESIDUA_ROW_MAJOR, 0, &system) == RESIDUA_OK);
    CHECK(residua_solver_new(system, NULL, &solver) == RESIDUA_OK);
    CHECK(residua_solve(solver, 0, 2, residua_doubles(b), 3, &solution) == RESIDUA_OK);
    CHECK(residua_vector_doubles(residua_solution_x(solution), 0, x, 2) == RESIDUA_OK && x[0] == 0.75 && x[1] == 3);
    CHECK(residua_vector_doubles(residua_solution_x(solution), 1, x, 2) == RESIDUA_OK && x[0] == 1 && x[1] == 0);
    residua_solution_free(solution);
    CHECK(residua_solve(solver, 1, 1, residua_doubles(b), 0, &solution) == RESIDUA_OK);
    CHECK(residua_vector_doubles(residua_solution_x(solution), 0, x, 2) == RESIDUA_OK && x[0] == 1.5 && x[1] == 2.5);
    residua_solution_free(solution);
    CHECK(residua_solver_update(solver, residua_doubles(changed), 4) == RESIDUA_OK);
    CHECK(residua_solve(solver, 0, 1, residua_doubles(b + 3), 0, &solution) == RESIDUA_OK);
    CHECK(residua_vector_doubles(residua_solution_x(solution), 0, x, 2) == RESIDUA_OK && x[0] == 0.5 && x[1] == 0);
    residua_solution_free(solution);
    residua_solver_free(solver);
    residua_system_free(system);
}

/* A guess that is the solution takes no iteration; new decimals; what factors tell of a matrix. */
static void guesses_decimals_and_what_factors_tell(void)
{
    const double a[] = {2, 1, 1, 3}, lopsided[] = {2, 1, 0, 3};
    const double weights[] = {1, 0}, tall[] = {3, 4}, twos[] = {2, 2}, edge[] = {1, -1, -1, 1};
    const double b[] = {4, 7}, guess[] = {1, 2};
    const char *const decimals[] = {"2", "1", "1", "-3e-400"}, *const close[] = {"1", "2"};
    residua_options *options = options_with("method", "cg");
    const char *const dependent[] = {"3", "1", "6", "2"};
    residua_system *system = NULL, *other = NULL;
    residua_solver *solver = NULL;
    residua_solution *solution = NULL;
    residua_vector *basis = NULL;
    const char *json = NULL;
    char text[40];
    size_t needed = 0;
    int64_t positive = -1, negative = -1, zero = -1;
    double condition = 0, error = -1, x[2] = {0, 0};
    int k;
    CHECK(residua_options_set(options, "precond", "none") == RESIDUA_OK);
    CHECK(residua_system_dense(2, 2, residua_doubles(a), RESIDUA_ROW_MAJOR, 0, &system) == RESIDUA_OK);
    for (k = 0; k < 3; ++k) { /* from zero, from the solution twice */
        CHECK((k < 2 ? residua_options_initial_guess(options, residua_doubles(guess), 2 * k)
                     : residua_options_initial_guess(options, residua_decimals(close), 2)) == RESIDUA_OK);
        CHECK(residua_options_estimate(options, k == 0) == RESIDUA_OK);
        CHECK(residua_solver_new(system, options, &solver) == RESIDUA_OK);
        CHECK(residua_solve(solver, 0, 1, residua_doubles(b), 0, &solution) == RESIDUA_OK);
        CHECK(residua_vector_doubles(residua_solution_x(solution), 0, x, 2) == RESIDUA_OK);
        CHECK(fabs(x[0] - 1) < 1e-13 && fabs(x[1] - 2) < 1e-13);
        CHECK(residua_solution_report(solution, 0, &json) == RESIDUA_OK);
        CHECK((strstr(json, "\"iterations\":0,") != NULL) == (k > 0));
        CHECK((strstr(json, "\"condition_estimate\":null") != NULL) == (k > 0));
        residua_solution_free(solution);
        residua_solver_free(solver);
    }
    residua_options_free(options);

    options = options_with("damp", "2"); /* of [3; 4] and b = (3, 4) with the weights 1 and 0: 9 / (9 + 4) */
    CHECK(residua_options_weights(options, residua_doubles(weights), 2) == RESIDUA_OK);
    CHECK(residua_options_weights(options, residua_doubles(weights), -1) == RESIDUA_INVALID);
    CHECK(residua_system_dense(2, 1, residua_doubles(tall), RESIDUA_ROW_MAJOR, 0, &other) == RESIDUA_OK);
    CHECK(residua_solver_new(other, options, &solver) == RESIDUA_OK);
    CHECK(residua_solve(solver, 0, 1, residua_doubles(tall), 0, &solution) == RESIDUA_OK);
    CHECK(residua_vector_doubles(residua_solution_x(solution), 0, x, 1) == RESIDUA_OK && fabs(x[0] - 9.0 / 13) < 1e-15);
    residua_solution_free(solution);
    residua_solver_free(solver);
    residua_system_free(other);
    residua_options_free(options);

    options = options_with("digits", "20");
    CHECK(residua_options_null_space(options, residua_doubles(twos), 2, 1) == RESIDUA_OK);
    CHECK(residua_options_null_space(options, residua_doubles(twos), 2, -1) == RESIDUA_INVALID);
    CHECK(residua_system_dense(2, 2, residua_doubles(edge), RESIDUA_ROW_MAJOR, 0, &other) == RESIDUA_OK);
    CHECK(residua_solver_new(other, options, &solver) == RESIDUA_OK);
    CHECK(residua_solve(solver, 0, 1, residua_doubles(edge), 0, &solution) == RESIDUA_OK);
    CHECK(residua_vector_doubles(residua_solution_x(solution), 0, x, 2) == RESIDUA_OK);
    CHECK(fabs(x[0] - 0.5) < 1e-15 && fabs(x[1] + 0.5) < 1e-15);
    residua_solution_free(solution);
    residua_solver_free(solver);
    residua_system_free(other);
    residua_options_free(options);

    CHECK(residua_solver_new(system, NULL, &solver) == RESIDUA_OK);
    CHECK(residua_solver_condition(solver, &condition) == RESIDUA_OK);
    CHECK(fabs(condition - 16.0 / 5) < 1e-10);
    CHECK(residua_solver_determinant(solver, 3, text, sizeof text, &needed, &error) == RESIDUA_OK);
    CHECK(strcmp(text, "5.00e+00") == 0 && needed == 9 && error >= 0 && error < 1e-3);
    CHECK(residua_solver_determinant(solver, 3, NULL, 0, &needed, NULL) == RESIDUA_OK && needed == 9);
    CHECK(residua_solver_inertia(solver, &positive, &negative, &zero) == RESIDUA_OK);
    CHECK(positive == 2 && negative == 0 && zero == 0);
    CHECK(residua_solver_update(solver, residua_decimals(decimals), 4) == RESIDUA_OK);
    CHECK(residua_solver_inertia(solver, NULL, &negative, NULL) == RESIDUA_OK && negative == 1);
    CHECK(residua_solver_determinant(solver, 0, text, sizeof text, NULL, NULL) == RESIDUA_OK);
    CHECK(fabs(atof(text) + 1) < 1e-3);
    CHECK(residua_solve(solver, 0, 1, residua_doubles(b), 0, &solution) == RESIDUA_OK);
    CHECK(residua_vector_doubles(residua_solution_x(solution), 0, x, 2) == RESIDUA_OK && fabs(x[0] - 7) < 1e-13 &&
          fabs(x[1] + 10) < 1e-13);
    residua_solution_free(solution);
    residua_solver_free(solver);
    CHECK(residua_system_dense(2, 2, residua_doubles(lopsided), RESIDUA_ROW_MAJOR, 0, &other) == RESIDUA_OK);
    CHECK(residua_solver_new(other, NULL, &solver) == RESIDUA_OK);
    CHECK(residua_solver_inertia(solver, NULL, NULL, NULL) == RESIDUA_UNSUPPORTED);
    CHECK(residua_solver_rank(solver, &positive, &zero, &json) == RESIDUA_OK);
    CHECK(positive == 2 && zero == 0 && strcmp(json, "one-prime") == 0);
    CHECK(residua_solver_null_space(solver, &k, &basis) == RESIDUA_OK && basis == NULL);
    CHECK(residua_solver_update(solver, residua_decimals(dependent), 4) == RESIDUA_OK);
    CHECK(residua_solver_rank(solver, &positive, &zero, NULL) == RESIDUA_OK && positive == 1 && zero == 1);
    CHECK(residua_solver_null_space(solver, &k, &basis) == RESIDUA_OK && basis != NULL && k >= 16);
    CHECK(residua_vector_doubles(basis, 0, x, 2) == RESIDUA_OK && fabs(3 * x[0] + x[1]) < 1e-15);
    CHECK(fabs(x[0] * x[0] + x[1] * x[1] - 1) < 1e-15);
    residua_vector_free(basis);
    CHECK(residua_solver_null_space(solver, NULL, NULL) == RESIDUA_INVALID);
    residua_solver_free(solver);
    residua_system_free(other);
    residua_system_free(system);
}

struct watched {
    residua_solver *solver;
    int steps;
    int busy;
    double last;
};

static void watch(const residua_progress *step, void *user)
{
    struct watched *w = user;
    residua_solution *none = NULL;
    ++w->steps;
    w->last = step->residual;
    CHECK(step->column == 0 && step->precision_bits > 0 && step->seconds >= 0);
    CHECK(step->residual == 0 || fabs(step->log10_residual - log10(step->residual)) < 1e-6);
    w->busy += residua_solve(w->solver, 0, 1, residua_doubles(&w->last), 0, &none) == RESIDUA_BUSY && none == NULL;
}

static int stop_after_three(void *user)
{
    return ((struct watched *)user)->steps >= 3;
}

static void callbacks_watch_and_end_a_solve(void)
{
    enum { n = 200 };
    static double a[n * n], b[n];
    struct watched w = {NULL, 0, 0, 0};
    residua_options *options = options_with("method", "cg");
    residua_system *system = NULL;
    residua_solution *solution = NULL;
    residua_status status = RESIDUA_CONVERGED;
    int i;
    for (i = 0; i < n; ++i) {
        a[i * n + i] = 2;
        if (i > 0) {
            a[i * n + i - 1] = a[(i - 1) * n + i] = -1;
        }
        b[i] = i % 7;
    }
    CHECK(residua_options_set(options, "precond", "none") == RESIDUA_OK);
    CHECK(residua_options_on_progress(options, watch, &w) == RESIDUA_OK);
    CHECK(residua_options_on_interrupt(options, stop_after_three, &w) == RESIDUA_OK);
    CHECK(residua_system_dense(n, n, residua_doubles(a), RESIDUA_ROW_MAJOR, 0, &system) == RESIDUA_OK);
    CHECK(residua_solver_new(system, options, &w.solver) == RESIDUA_OK);
    residua_system_free(system);
    residua_options_free(options);
    CHECK(residua_solve(w.solver, 0, 1, residua_doubles(b), 0, &solution) == RESIDUA_OK);
    CHECK(w.steps >= 3 && w.busy == w.steps && w.last > 0);
    CHECK(residua_solution_status(solution, 0, &status, NULL) == RESIDUA_OK && status == RESIDUA_INTERRUPTED);
    residua_solution_free(solution);
    residua_solver_free(w.solver);
}

struct job {
    const residua_system *system;
    char x[N][80];
    char error[160];
    int code;
};

static void *work(void *what)
{
    struct job *job = what;
    double b[N];
    residua_solver *solver = NULL;
    residua_solution *solution = NULL;
    int i;
    for (i = 0; i < N; ++i) {
        b[i] = 1 + i % 3;
    }
    job->code = residua_solve(NULL, 0, 1, residua_doubles(b), 0, &solution); /* whose message is this thread's own */
    strcpy(job->error, residua_error());
    job->code = residua_solver_new(job->system, NULL, &solver);
    job->code = job->code != RESIDUA_OK ? job->code : residua_solve(solver, 0, 1, residua_doubles(b), 0, &solution);
    for (i = 0; i < N && job->code == RESIDUA_OK; ++i) {
        job->code = residua_vector_decimal(residua_solution_x(solution), 0, i, 60, job->x[i], sizeof job->x[i], NULL);
    }
    residua_solution_free(solution);
    residua_solver_free(solver);
    return NULL;
}

static void four_threads_have_the_bits_of_one(void)
{
    static struct job jobs[5];
    static double a[N * N];
    pthread_t threads[5];
    residua_system *system = NULL;
    int i, k;
    for (i = 0; i < N * N; ++i) {
        a[i] = 1.0 / (i / N + i % N + 1);
    }
    CHECK(residua_system_dense(N, N, residua_doubles(a), RESIDUA_ROW_MAJOR, 0, &system) == RESIDUA_OK);
    jobs[0].system = system;
    work(&jobs[0]);
    CHECK(jobs[0].code == RESIDUA_OK);
    for (k = 1; k < 5; ++k) {
        jobs[k].system = system;
        CHECK(pthread_create(&threads[k], NULL, work, &jobs[k]) == 0);
    }
    for (k = 1; k < 5; ++k) {
        CHECK(pthread_join(threads[k], NULL) == 0);
        CHECK(jobs[k].code == RESIDUA_OK && strcmp(jobs[k].error, "residua_solve: solver is NULL") == 0);
        for (i = 0; i < N; ++i) {
            CHECK(strcmp(jobs[k].x[i], jobs[0].x[i]) == 0);
        }
    }
    residua_system_free(system);
}

int main(void)
{
    char version[32];
    sprintf(version, "%d.%d.%d", RESIDUA_VERSION_MAJOR, RESIDUA_VERSION_MINOR, RESIDUA_VERSION_PATCH);
    CHECK(strcmp(residua_version(), version) == 0);
    CHECK(strlen(residua_blas()) > 0 && residua_blas() == residua_blas());
    CHECK(strcmp(residua_error(), "") == 0);
    takes_every_kind_of_matrix();
    gives_thirty_digits_of_an_ill_conditioned_system();
    solver_is_kept_between_solves();
    guesses_decimals_and_what_factors_tell();
    callbacks_watch_and_end_a_solve();
    four_threads_have_the_bits_of_one();
    printf("%d checks, %d faults\n", checks, faults);
    return faults == 0 ? 0 : 1;
}
