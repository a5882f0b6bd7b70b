/* residua in C: real linear systems A x = b that double precision cannot solve.
 *
 * Errors     A function that can fail returns an int: RESIDUA_OK, which is 0, or another residua_code. It has then
 *            changed nothing, its results are set to NULL, and residua_error() says in one line what was wrong. No
 *            exception and no signal leaves the library. Not converging is no error; residua_solution_status() tells.
 * Ownership  What a function hands out through a pointer to a handle is the caller's, who gives it to the _free function
 *            of its type, once. These take NULL too. A handle lives on its own: a system or options may be freed while a
 *            solver that was made of them is used. Arrays and texts of the caller are read during the call alone.
 *            A handle that was freed must not be used again.
 * Threads    Different handles may be used at the same time. One handle takes one call at a time; a system that is only
 *            read may be used by several. A call to a solver that is at work, from a callback of its own or from another
 *            thread, is refused by RESIDUA_BUSY. The library computes with the threads of OpenMP.
 * Numbers    Indices and positions are counted from `base`, 0 or 1, in arrays of the caller, from 0 everywhere else.
 *            Decimals are text such as "-1.25e-400": digits with at most one point, and an exponent; no blanks, no "nan".
 *            A matrix keeps them as they are written; numbers of b are rounded to 8256 bits. */
#ifndef RESIDUA_H
#define RESIDUA_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RESIDUA_VERSION_MAJOR 0
#define RESIDUA_VERSION_MINOR 1
#define RESIDUA_VERSION_PATCH 0

/* "0.1.0", of the library that is loaded; static memory. */
const char *residua_version(void);

/* The library of BLAS and LAPACK that is loaded: "OpenBLAS 0.3.21, kernels for Haswell". Where it does not know this processor and
 * runs the kernels for an old one, a second line says what to set in the environment. Static memory. */
const char *residua_blas(void);

/* ---- errors ---- */

typedef enum residua_code {
    RESIDUA_OK = 0,
    RESIDUA_INVALID = 1,       /* an argument that makes no sense: NULL, a size, an index, a number that is not finite */
    RESIDUA_OPTION = 2,        /* an option that is not there, or a value that it does not take */
    RESIDUA_UNSUPPORTED = 3,   /* a valid request that no method serves */
    RESIDUA_OUT_OF_MEMORY = 4, /* memory would not suffice, or a device is not there */
    RESIDUA_BUSY = 5,          /* the handle is in use by another call */
    RESIDUA_INTERNAL = 6       /* anything else: a fault of the library, or an exception that a callback threw */
} residua_code;

/* What the last call of this thread that failed has said, in one line of at most 1023 bytes; "" if none has failed. The
 * memory is the thread's own, and the next call that fails writes to it. */
const char *residua_error(void);

/* "invalid", "option", ...: the name of a code; "unknown" for other numbers; static memory. */
const char *residua_code_name(int code);

/* ---- the matrix ---- */

typedef struct residua_system residua_system;

/* A matrix of `rows` x `cols` numbers by rows: entry p of row i, row_begin[i] <= p + base < row_begin[i + 1], is value[p]
 * in column column[p]. row_begin has rows + 1 positions, the last of which tells how many entries there are. The columns
 * of a row may come in any order; entries in one place are added, exactly. The arrays are copied.
 *
 * RESIDUA_INVALID  NULL, a negative size, 2^31 columns or more, a base that is neither 0 nor 1, positions that do not
 *                  ascend from base, a column outside, a value that is not finite */
int residua_system_csr32(int64_t rows, int64_t cols, const int32_t *row_begin, const int32_t *column,
                         const double *value, int base, residua_system **system);
int residua_system_csr64(int64_t rows, int64_t cols, const int64_t *row_begin, const int64_t *column,
                         const double *value, int base, residua_system **system);

/* The same with decimals, each a text that ends with 0. Decimals in one place are refused, and so are those beyond
 * 10^(+-300000000). */
int residua_system_csr32_text(int64_t rows, int64_t cols, const int32_t *row_begin, const int32_t *column,
                              const char *const *value, int base, residua_system **system);
int residua_system_csr64_text(int64_t rows, int64_t cols, const int64_t *row_begin, const int64_t *column,
                              const char *const *value, int base, residua_system **system);

typedef enum residua_order { RESIDUA_ROW_MAJOR = 0, RESIDUA_COLUMN_MAJOR = 1 } residua_order;

/* A dense matrix: (i, j) is value[i * stride + j] by rows, value[j * stride + i] by columns. With a stride of 0 rows, or
 * columns, follow each other without gaps. All numbers are entries, zeros too.
 *
 * RESIDUA_INVALID  NULL, a negative size, a stride smaller than a row or column, another order, a value that is not finite */
int residua_system_dense(int64_t rows, int64_t cols, const double *value, residua_order order, int64_t stride,
                         residua_system **system);
int residua_system_dense_text(int64_t rows, int64_t cols, const char *const *value, residua_order order, int64_t stride,
                              residua_system **system);

/* Sizes of a matrix; any of the last three may be NULL. */
int residua_system_size(const residua_system *system, int64_t *rows, int64_t *cols, int64_t *entries);

void residua_system_free(residua_system *system);

/* ---- options ---- */

typedef struct residua_options residua_options;

/* The defaults: method, precision and format are chosen. */
int residua_options_new(residua_options **options);

/* Sets one option to what its text says, by the name that it has on the command line (docs/command-line.md), without
 * dashes: "digits" "30", "precision" "qd", "method" "gmres", "rtol" "1e-40", "time-limit" "10".
 *
 * RESIDUA_OPTION   a name that is not there; the message lists those that are. A value that the option does not take */
int residua_options_set(residua_options *options, const char *name, const char *value);

/* Name number `index` of those that residua_options_set() takes, or NULL at their end; static memory. */
const char *residua_option_name(size_t index);

/* Where solves with these options begin: numbers of x, those of several right-hand sides one column after the other. With a
 * size of 0 that is zero again. They are copied. Whether there are as many as a solve needs is seen there.
 *
 * RESIDUA_INVALID  NULL, a negative size, a number that is not finite */
int residua_options_initial_guess(residua_options *options, const double *x, int64_t size);
int residua_options_initial_guess_text(residua_options *options, const char *const *x, int64_t size);

/* Whether solves estimate the condition and the error of x, as they do by default; that costs factors. */
int residua_options_estimate(residua_options *options, int estimate);

/* What a solve tells of itself after a step. Fields may be added at the end in later versions. */
typedef struct residua_progress {
    int64_t column;         /* which of several right-hand sides */
    int64_t iteration;      /* from 0 */
    double residual;        /* norm(r) / norm(b), as the method's recursion has it; 0 below 1e-323 */
    double true_residual;   /* norm(b - A x) / norm(b), computed anew; NaN where it was not */
    double log10_residual;  /* the decimal logarithm of `residual`, of any size; -HUGE_VAL if that is zero */
    double seconds;         /* since the solve began */
    int64_t precision_bits; /* of the method's arithmetic */
} residua_progress;

/* Called after every step, by the thread that called the solve. What it points to lives during the call. A callback must
 * return: longjmp() out of it is not allowed. */
typedef void (*residua_progress_function)(const residua_progress *step, void *user);

/* Asked often, by one thread at a time, which may be another than the one that called the solve. Other than 0 ends the
 * solve, which then has the best x so far. */
typedef int (*residua_interrupt_function)(void *user);

/* The callbacks of solves with these options, with what they get as `user`; NULL for none. */
int residua_options_on_progress(residua_options *options, residua_progress_function function, void *user);
int residua_options_on_interrupt(residua_options *options, residua_interrupt_function function, void *user);

void residua_options_free(residua_options *options);

/* ---- solving ---- */

typedef struct residua_solver residua_solver;
typedef struct residua_solution residua_solution;

/* A solver for one matrix: what belongs to the matrix, structure, scaling, factors, estimates, is made when it is first
 * needed, and kept for later right-hand sides. The system is shared, not copied. With options NULL it has the defaults.
 * Options are copied, callbacks too; what `user` points to must live as long as the solver is used. */
int residua_solver_new(const residua_system *system, const residua_options *options, residua_solver **solver);

/* Solves A X = B, with `transposed` other than 0 A' X = B, for `columns` right-hand sides: number i of b in column j is
 * b[j * stride + i]. A stride of 0 means as many as A has rows, or columns if transposed. All columns are solved together,
 * each with the x and the report that it gets alone.
 *
 * RESIDUA_INVALID      NULL, no column or a negative number of them, a stride smaller than a column, a number that is not
 *                      finite, A is not square and the method needs it
 * RESIDUA_UNSUPPORTED  options that do not fit each other or the matrix */
int residua_solve(residua_solver *solver, int transposed, int64_t columns, const double *b, int64_t stride,
                  residua_solution **solution);

/* The same with decimals. */
int residua_solve_text(residua_solver *solver, int transposed, int64_t columns, const char *const *b, int64_t stride,
                       residua_solution **solution);

/* Other values in the places of the old ones, `count` of them: row by row, each row in the order of its columns, as many as
 * residua_system_size() tells. The system that the solver was made of keeps its own. The order of elimination is kept.
 *
 * RESIDUA_INVALID  NULL, another number of values, a value that is not finite */
int residua_solver_update(residua_solver *solver, const double *value, int64_t count);

/* The same with decimals, which are rounded to 8256 bits. */
int residua_solver_update_text(residua_solver *solver, const char *const *value, int64_t count);

/* An estimate of the condition of A in the 1-norm by factors, which are made if there are none yet: infinite beyond the range of
 * doubles, NaN if it is not known, A is not square, it looks singular, or the time limit or the caller's function ended it. */
int residua_solver_condition(residua_solver *solver, double *condition);

/* det(A) as residua_solution_decimal() writes numbers, with the relative error that it is estimated to have, which may be
 * NULL. It has as many correct digits as the options ask for, three if they ask for none.
 *
 * RESIDUA_INVALID      NULL, A is not square, the room does not suffice
 * RESIDUA_UNSUPPORTED  it is not known: A looks singular, factors in enough bits are out of reach, or the time limit or the
 *                      caller's function ended it */
int residua_solver_determinant(residua_solver *solver, int digits, char *text, size_t size, size_t *needed,
                               double *relative_error);

/* How many eigenvalues of A are positive, negative and zero, by the signs of the pivots of its factors; any may be NULL.
 *
 * RESIDUA_INVALID      NULL, A is not square
 * RESIDUA_UNSUPPORTED  A is not symmetric, or it is not known, as for the determinant */
int residua_solver_inertia(residua_solver *solver, int64_t *positive, int64_t *negative, int64_t *zero);

void residua_solver_free(residua_solver *solver);

/* ---- what came out ---- */

typedef enum residua_status {
    RESIDUA_CONVERGED = 0,     /* the true residual passes the stopping test */
    RESIDUA_NOT_CONVERGED = 1, /* the iteration limit was reached */
    RESIDUA_STAGNATED = 2,     /* no progress: the precision or the preconditioner is the limit */
    RESIDUA_BREAKDOWN = 3,     /* the method cannot go on */
    RESIDUA_INTERRUPTED = 4,   /* a callback ended it */
    RESIDUA_TIME_LIMIT = 5
} residua_status;

/* The numbers in x, and how many right-hand sides there were; either may be NULL. */
int residua_solution_size(const residua_solution *solution, int64_t *rows, int64_t *columns);

/* How a column ended, and how many decimal digits of it are known to be correct (0: none, or unknown); either may be NULL.
 *
 * RESIDUA_INVALID  NULL, a column that is not there. This holds for all functions with a column below */
int residua_solution_status(const residua_solution *solution, int64_t column, residua_status *status, int *digits);

/* x as doubles: the nearest ones, infinite or zero beyond their range. `size` is the room in x, at least the size of x. */
int residua_solution_doubles(const residua_solution *solution, int64_t column, double *x, int64_t size);

/* x as sums of `terms` doubles, from 1 to 39: x[terms * i + k] is term k of number i, the largest first, each the double
 * nearest to what is left. With 2 terms these are double-doubles, with 4 quad-doubles. `size` is the room in x, at least
 * `terms` times the size of x. */
int residua_solution_terms(const residua_solution *solution, int64_t column, int terms, double *x, int64_t size);

/* Number i of x as a decimal of so many significant digits, correctly rounded: "-1.234e-57". With 0 digits it has as many as
 * read back to the same number. At most `size` bytes are written to `text`, the last of them a 0; *needed is the size that
 * holds all. text may be NULL if size is 0, and needed may be NULL.
 *
 * RESIDUA_INVALID  also if the room does not suffice, unless it is 0; then text has what fits */
int residua_solution_decimal(const residua_solution *solution, int64_t column, int64_t i, int digits, char *text,
                             size_t size, size_t *needed);

/* The report of a column as one JSON object in one line: the fields that docs/command-line.md lists. The text belongs to the
 * solution, and lives as long as it. */
int residua_solution_report(const residua_solution *solution, int64_t column, const char **json);

void residua_solution_free(residua_solution *solution);

#ifdef __cplusplus
}
#endif

#endif
