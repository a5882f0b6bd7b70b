/* residua in C: linear systems A x = b that double precision cannot solve, real and complex ones.
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
 * Numbers    A number comes in as a double, a decimal, a sum of doubles, limbs, an mpf_t or an mpfr_t: residua_doubles(x),
 *            residua_decimals(text), residua_terms(x, 2), ... say which. It leaves in the same forms. All are taken exactly,
 *            but for decimals of b, which are rounded to 8256 bits. Complex numbers are pairs of these, real parts first, as
 *            double complex lies in memory: residua_complex(residua_doubles(x)). Sizes, strides and indices count complex
 *            numbers; where numbers leave the library, the room in arrays counts their parts. Indices and positions are counted from `base`, 0 or 1,
 *            in arrays of the caller, from 0 everywhere else. */
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
const char* residua_version(void);

/* The library of BLAS and LAPACK that is loaded: "OpenBLAS 0.3.21, kernels for Haswell". Where it does not know this processor and
 * runs the kernels for an old one, a second line says what to set in the environment. Static memory. */
const char* residua_blas(void);

/* ---- errors ---- */

typedef enum residua_code {
    RESIDUA_OK = 0,
    RESIDUA_INVALID = 1,     /* an argument that makes no sense: NULL, a size, an index, a number that is not finite */
    RESIDUA_OPTION = 2,      /* an option that is not there, or a value that it does not take */
    RESIDUA_UNSUPPORTED = 3, /* a valid request that no method serves */
    RESIDUA_OUT_OF_MEMORY = 4, /* memory would not suffice, or a device is not there */
    RESIDUA_BUSY = 5,          /* the handle is in use by another call */
    RESIDUA_INTERNAL = 6       /* anything else: a fault of the library, or an exception that a callback threw */
} residua_code;

/* What the last call of this thread that failed has said, in one line of at most 1023 bytes; "" if none has failed. The
 * memory is the thread's own, and the next call that fails writes to it. */
const char* residua_error(void);

/* "invalid", "option", ...: the name of a code; "unknown" for other numbers; static memory. */
const char* residua_code_name(int code);

/* ---- numbers of the caller ---- */

typedef struct residua_vector residua_vector;

typedef enum residua_kind {
    RESIDUA_DOUBLES = 0,  /* double */
    RESIDUA_DECIMALS = 1, /* const char *, each a text that ends with 0 */
    RESIDUA_TERMS = 2,    /* `each` doubles side by side, whose sum is meant */
    RESIDUA_LIMBS = 3,    /* `each` limbs of 64 bits side by side, with a sign and an exponent */
    RESIDUA_MPFR = 4,     /* mpfr_t */
    RESIDUA_HELD = 5,     /* a residua_vector, its columns one after the other */
    RESIDUA_MPF = 6,      /* mpf_t, or mpf_class of C++, which is one */
    RESIDUA_PAIRS = 256   /* with one of the others: complex numbers, a pair of such numbers each */
} residua_kind;

/* An array of numbers, which is read during the call alone. The functions below make one. */
typedef struct residua_numbers {
    int32_t kind; /* a residua_kind, or one with RESIDUA_PAIRS */
    int32_t each;
    const void* at;
    const int32_t* sign;     /* of limbs alone */
    const int64_t* exponent; /* of limbs alone */
} residua_numbers;

static inline residua_numbers residua_doubles(const double* x)
{
    const residua_numbers numbers = {RESIDUA_DOUBLES, 1, x, NULL, NULL};
    return numbers;
}

/* Texts such as "-1.25e-400": digits with at most one point, and an exponent; no blanks, no "nan". A matrix keeps them as
 * they are written, within 10^(+-300000000), and refuses two in one place. */
static inline residua_numbers residua_decimals(const char* const* x)
{
    const residua_numbers numbers = {RESIDUA_DECIMALS, 1, x, NULL, NULL};
    return numbers;
}

/* Number i is x[terms * i] + ... + x[terms * i + terms - 1], from 1 to 39 of them, in any order: double-doubles with 2 terms,
 * quad-doubles with 4, a real(16) of Fortran with 3. */
static inline residua_numbers residua_terms(const double* x, int terms)
{
    const residua_numbers numbers = {RESIDUA_TERMS, (int32_t)terms, x, NULL, NULL};
    return numbers;
}

/* Number i is (limb[limbs * i] + limb[limbs * i + 1] 2^64 + ...) 2^exponent[i], negative if sign[i] is, zero if that is 0. */
static inline residua_numbers residua_limbs(const int32_t* sign, const int64_t* exponent, const uint64_t* limb,
                                            int limbs)
{
    const residua_numbers numbers = {RESIDUA_LIMBS, (int32_t)limbs, limb, sign, exponent};
    return numbers;
}

/* x is an array of mpfr_t, by MPFR 4, or of mpf_t, by GMP 6. */
static inline residua_numbers residua_mpfr(const void* x)
{
    const residua_numbers numbers = {RESIDUA_MPFR, 1, x, NULL, NULL};
    return numbers;
}
static inline residua_numbers residua_mpf(const void* x)
{
    const residua_numbers numbers = {RESIDUA_MPF, 1, x, NULL, NULL};
    return numbers;
}

/* What the library holds: the x of a solution, what was read from a file. Of a complex vector these are complex numbers. */
static inline residua_numbers residua_held(const residua_vector* x)
{
    const residua_numbers numbers = {RESIDUA_HELD, 1, x, NULL, NULL};
    return numbers;
}

/* Complex numbers: number i has the real part 2 i and the imaginary part 2 i + 1 of `parts`. An array of double complex, of
 * std::complex<double>, of mpc_t is such parts:
 * residua_complex(residua_doubles((const double *)z)), residua_complex(residua_mpfr(z)). */
static inline residua_numbers residua_complex(residua_numbers parts)
{
    parts.kind |= RESIDUA_PAIRS;
    return parts;
}

/* ---- numbers of the library ---- */

/* Keeps `columns` times `rows` numbers, one column after the other; a complex vector if the numbers are complex. */
int residua_vector_new(int64_t rows, int64_t columns, residua_numbers x, residua_vector** vector);

/* Reads a file with one right-hand side or several, real or complex, of any format that the command line takes: MatrixMarket, an array of NumPy,
 * a column of numbers, or a Harwell-Boeing file that holds right-hand sides.
 *
 * RESIDUA_INVALID      it cannot be read, or has none of these formats; the message has the line and the reason
 * RESIDUA_UNSUPPORTED  it has numbers or parts that are not read; the message names them */
int residua_vector_read(const char* path, residua_vector** vector);

/* Writes a MatrixMarket array. With 0 digits numbers have as many as read back to them.
 *
 * RESIDUA_INVALID  it cannot be written, or `digits` are less than 0 or more than a million */
int residua_vector_write(const residua_vector* vector, const char* path, int digits);

/* The numbers in a column, and how many columns there are; either may be NULL. */
int residua_vector_size(const residua_vector* vector, int64_t* rows, int64_t* columns);

/* Whether its numbers are complex: 1, or else 0. The functions below give the parts of complex numbers, one after the other,
 * as residua_complex() takes them: their number i is the real part of number i / 2 for an even i, the imaginary one for an odd
 * i, and there is room for twice the rows. */
int residua_vector_is_complex(const residua_vector* vector, int* is_complex);

/* A column as doubles: the nearest ones, infinite or zero beyond their range. `size` is the room in x.
 *
 * RESIDUA_INVALID  NULL, a column that is not there, too little room. This holds for all functions with a column below */
int residua_vector_doubles(const residua_vector* vector, int64_t column, double* x, int64_t size);

/* A column as sums of `terms` doubles, from 1 to 39: x[terms * i + k] is term k of number i, the largest first, each the
 * double nearest to what is left. `size` is the room in x, at least `terms` times the rows. */
int residua_vector_terms(const residua_vector* vector, int64_t column, int terms, double* x, int64_t size);

/* A column as residua_limbs() takes numbers, each rounded to 64 `limbs` bits; the highest bit of the last limb of a number is
 * set unless the number is zero. There is room for `size` limbs, and for a sign and an exponent for each number. */
int residua_vector_limbs(const residua_vector* vector, int64_t column, int limbs, int32_t* sign, int64_t* exponent,
                         uint64_t* limb, int64_t size);

/* A column in an array of `size` mpfr_t or mpf_t that were initialised, each rounded to nearest with the bits that it has room for. */
int residua_vector_mpfr(const residua_vector* vector, int64_t column, void* x, int64_t size);
int residua_vector_mpf(const residua_vector* vector, int64_t column, void* x, int64_t size);

/* Number i of a column as a decimal of so many significant digits, correctly rounded: "-1.234e-57". With 0 digits it has as
 * many as read back to the same number. At most `size` bytes are written to `text`, the last of them a 0; *needed is the size
 * that holds all. text may be NULL if size is 0, and needed may be NULL.
 *
 * RESIDUA_INVALID  also if the room does not suffice, unless it is 0; then text has what fits */
int residua_vector_decimal(const residua_vector* vector, int64_t column, int64_t i, int digits, char* text, size_t size,
                           size_t* needed);

void residua_vector_free(residua_vector* vector);

/* ---- the matrix ---- */

typedef struct residua_system residua_system;

/* A matrix of `rows` x `cols` numbers, real or complex, by rows: entry p of row i, row_begin[i] <= p + base < row_begin[i + 1], is value[p]
 * in column column[p]. row_begin has rows + 1 positions, the last of which tells how many entries there are. The columns
 * of a row may come in any order; entries in one place are added, exactly. The arrays are copied.
 *
 * RESIDUA_INVALID  NULL, a negative size, 2^31 columns or more, a base that is neither 0 nor 1, positions that do not
 *                  ascend from base, a column outside, a value that is not finite */
int residua_system_csr32(int64_t rows, int64_t cols, const int32_t* row_begin, const int32_t* column,
                         residua_numbers value, int base, residua_system** system);
int residua_system_csr64(int64_t rows, int64_t cols, const int64_t* row_begin, const int64_t* column,
                         residua_numbers value, int base, residua_system** system);

/* The same by columns, as Fortran, Julia and MATLAB have it: entry p of column j, col_begin[j] <= p + base < col_begin[j + 1],
 * is value[p] in row row[p]. */
int residua_system_csc32(int64_t rows, int64_t cols, const int32_t* col_begin, const int32_t* row,
                         residua_numbers value, int base, residua_system** system);
int residua_system_csc64(int64_t rows, int64_t cols, const int64_t* col_begin, const int64_t* row,
                         residua_numbers value, int base, residua_system** system);

/* The same by coordinates, in any order: entry p of `count` is value[p] in row row[p] and column column[p]. */
int residua_system_coo32(int64_t rows, int64_t cols, int64_t count, const int32_t* row, const int32_t* column,
                         residua_numbers value, int base, residua_system** system);
int residua_system_coo64(int64_t rows, int64_t cols, int64_t count, const int64_t* row, const int64_t* column,
                         residua_numbers value, int base, residua_system** system);

typedef enum residua_order { RESIDUA_ROW_MAJOR = 0, RESIDUA_COLUMN_MAJOR = 1 } residua_order;

/* A dense matrix: (i, j) is value[i * stride + j] by rows, value[j * stride + i] by columns. With a stride of 0 rows, or
 * columns, follow each other without gaps. All numbers are entries, zeros too.
 *
 * RESIDUA_INVALID  NULL, a negative size, a stride smaller than a row or column, another order, a value that is not finite */
int residua_system_dense(int64_t rows, int64_t cols, residua_numbers value, residua_order order, int64_t stride,
                         residua_system** system);

/* Reads a matrix from a file of any format that the command line takes: MatrixMarket, Harwell-Boeing, Rutherford-Boeing, .npy,
 * .npz. `reading` is what --entries takes on the command line: "binary64" rounds numbers to
 * doubles, "decimal" keeps them as they are written, "auto" or NULL decides by their digits.
 *
 * RESIDUA_INVALID      it cannot be read, or has none of these formats; the message has the line and the reason
 * RESIDUA_UNSUPPORTED  it is known and not read */
int residua_system_read(const char* path, const char* reading, residua_system** system);

/* Writes a MatrixMarket file of coordinates that reads back to the same matrix: decimals have the digits that were written, and
 * "decimal" reads them as such whatever they look like. */
int residua_system_write(const residua_system* system, const char* path);

/* Sizes of a matrix; any of the last three may be NULL. */
int residua_system_size(const residua_system* system, int64_t* rows, int64_t* cols, int64_t* entries);

/* Whether the matrix is complex: 1, or else 0. One that was made of complex numbers is, whatever these are; one that was read
 * is if an imaginary part is not 0. */
int residua_system_is_complex(const residua_system* system, int* is_complex);

void residua_system_free(residua_system* system);

/* ---- options ---- */

typedef struct residua_options residua_options;

/* The defaults: method, precision and format are chosen. */
int residua_options_new(residua_options** options);

/* Sets one option to what its text says, by the name that it has on the command line (docs/command-line.md), without
 * dashes: "digits" "30", "precision" "qd", "method" "gmres", "rtol" "1e-40", "time-limit" "10".
 *
 * RESIDUA_OPTION   a name that is not there; the message lists those that are. A value that the option does not take */
int residua_options_set(residua_options* options, const char* name, const char* value);

/* Name number `index` of those that residua_options_set() takes, or NULL at their end; static memory. */
const char* residua_option_name(size_t index);

/* Where solves with these options begin: numbers of x, those of several right-hand sides one column after the other. With a
 * size of 0 that is zero again. They are copied. Whether there are as many as a solve needs is seen there. A complex system
 * takes real numbers too, here and in the next function.
 *
 * RESIDUA_INVALID  NULL, a negative size, a number that is not finite */
int residua_options_initial_guess(residua_options* options, residua_numbers x, int64_t size);

/* Vectors that A takes to zero, each of `rows` numbers, one after the other, for iterative methods: x is the shortest
 * solution then, and of a symmetric A the report has what part of b is outside of its range. They are copied; with no
 * columns there are none. A solve refuses vectors that A does not take to zero.
 *
 * RESIDUA_INVALID  NULL, a negative number of them, a number that is not finite */
int residua_options_null_space(residua_options* options, residua_numbers x, int64_t rows, int64_t columns);

/* What the preconditioners amg and petsc get to know of a system in several functions, beside the option
 * "block-size", K: rows come in groups of K, the unknowns of a node. Vectors of `rows` numbers, one after the other,
 * that A takes almost to zero, as rigid body motions are; or K = 2 or 3 numbers for each node, node after node, where
 * it is: `size` is the number of rows of A then, and rigid body motions are made of them. Both are copied as doubles;
 * without numbers there are none. A solve refuses what does not fit its matrix, both together, either beside another
 * preconditioner, and either or the option "block-size" beside a complex matrix.
 *
 * RESIDUA_INVALID  NULL, a negative number of them, a number that is not finite */
int residua_options_near_null_space(residua_options* options, residua_numbers x, int64_t rows, int64_t columns);
int residua_options_coordinates(residua_options* options, residua_numbers x, int64_t size);

/* A weight, zero or above, for each of `rows` rows of A, for least squares: x makes the sum of w (b - A x)^2 least. They are
 * copied; with no rows there are none. The option "damp" adds T^2 norm(x)^2.
 *
 * RESIDUA_INVALID  NULL, a negative number of rows, a number that is not finite */
int residua_options_weights(residua_options* options, residua_numbers w, int64_t rows);

/* Whether solves estimate the condition and the error of x, as they do by default; that costs factors. */
int residua_options_estimate(residua_options* options, int estimate);

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
typedef void (*residua_progress_function)(const residua_progress* step, void* user);

/* Asked often, by one thread at a time, which may be another than the one that called the solve. Other than 0 ends the
 * solve, which then has the best x so far. */
typedef int (*residua_interrupt_function)(void* user);

/* The callbacks of solves with these options, with what they get as `user`; NULL for none. */
int residua_options_on_progress(residua_options* options, residua_progress_function function, void* user);
int residua_options_on_interrupt(residua_options* options, residua_interrupt_function function, void* user);

/* Computes z = M r, each of n doubles, of a complex system the parts of n / 2 complex numbers, on the thread that called the solve. Other than 0 ends the solve by RESIDUA_INVALID.
 * longjmp() out of it is not allowed. */
typedef int (*residua_preconditioner_function)(const double* r, double* z, int64_t n, void* user);

/* A preconditioner M of the caller's, about the inverse of the matrix, in place of the one that the option "precond" names: the
 * one that is set last holds. m_t computes M'r, for the method bicg and for transposed systems with a matrix that is not
 * symmetric, and may be NULL otherwise. With m NULL the preconditioner is chosen again. The norm of r is about 1, and M may
 * be another map in every step. For cg and minres it has to be symmetric positive definite, which is not tested. */
int residua_options_preconditioner(residua_options* options, residua_preconditioner_function m,
                                   residua_preconditioner_function m_t, void* user);

void residua_options_free(residua_options* options);

/* ---- solving ---- */

typedef struct residua_solver residua_solver;
typedef struct residua_solution residua_solution;

typedef enum residua_status {
    RESIDUA_CONVERGED = 0,     /* the true residual passes the stopping test */
    RESIDUA_NOT_CONVERGED = 1, /* the iteration limit was reached */
    RESIDUA_STAGNATED = 2,     /* no progress: the precision or the preconditioner is the limit */
    RESIDUA_BREAKDOWN = 3,     /* the method cannot go on */
    RESIDUA_INTERRUPTED = 4,   /* a callback ended it */
    RESIDUA_TIME_LIMIT = 5
} residua_status;

/* A solver for one matrix: what belongs to the matrix, structure, scaling, factors, estimates, is made when it is first
 * needed, and kept for later right-hand sides. The system is shared, not copied. With options NULL it has the defaults.
 * Options are copied, callbacks too; what `user` points to must live as long as the solver is used. */
int residua_solver_new(const residua_system* system, const residua_options* options, residua_solver** solver);

/* Solves A X = B, with `transposed` other than 0 A' X = B, for `columns` right-hand sides: number i of b in column j is
 * b[j * stride + i]. A stride of 0 means as many as A has rows, or columns if transposed. All columns are solved together,
 * each with the x and the report that it gets alone. A' of a complex A is conjugated. Beside a complex A real numbers of b are
 * complex ones with imaginary parts 0, and x is complex.
 *
 * RESIDUA_INVALID      NULL, no column or a negative number of them, a stride smaller than a column, a number that is not
 *                      finite, A is not square and the method needs it, b is complex and A is not
 * RESIDUA_UNSUPPORTED  options that do not fit each other or the matrix */
int residua_solve(residua_solver* solver, int transposed, int64_t columns, residua_numbers b, int64_t stride,
                  residua_solution** solution);

/* Other values in the places of the old ones, `count` of them: row by row, each row in the order of its columns, as many as
 * residua_system_size() tells. Decimals are rounded to 8256 bits. The system that the solver was made of keeps its own. The
 * order of elimination is kept, unless other parts of complex numbers are zero than before. Real values are taken as complex
 * ones of a complex matrix.
 *
 * RESIDUA_INVALID  NULL, another number of values, a value that is not finite, values are complex and the matrix is not */
int residua_solver_update(residua_solver* solver, residua_numbers value, int64_t count);

/* An estimate of the condition of A, of a complex one of its real form, in the 1-norm by factors, which are made if there are none yet: infinite beyond the range of
 * doubles, NaN if it is not known, A is not square, it looks singular, or the time limit or the caller's function ended it. */
int residua_solver_condition(residua_solver* solver, double* condition);

/* det(A) as residua_vector_decimal() writes numbers, with the relative error that it is estimated to have, which may be
 * NULL. It has as many correct digits as the options ask for, three if they ask for none.
 *
 * RESIDUA_INVALID      NULL, A is not square, the room does not suffice
 * RESIDUA_UNSUPPORTED  it is not known: A looks singular, factors in enough bits are out of reach, or the time limit or the
 *                      caller's function ended it. A is complex and not hermitian: the next two functions are for that */
int residua_solver_determinant(residua_solver* solver, int digits, char* text, size_t size, size_t* needed,
                               double* relative_error);

/* The same for |det(A)|, of any square A. */
int residua_solver_abs_determinant(residua_solver* solver, int digits, char* text, size_t size, size_t* needed,
                                   double* relative_error);

/* det(A) of a real or complex A as a vector of one complex number. The error, which may be NULL, is relative to |det(A)|: the
 * smaller a part is, the fewer digits of it are right.
 *
 * RESIDUA_INVALID      NULL, A is not square
 * RESIDUA_UNSUPPORTED  it is not known, as above */
int residua_solver_complex_determinant(residua_solver* solver, double* relative_error, residua_vector** determinant);

/* How many eigenvalues of A are positive, negative and zero, by the signs of the pivots of its factors; any may be NULL.
 *
 * RESIDUA_INVALID      NULL, A is not square
 * RESIDUA_UNSUPPORTED  A is not symmetric or hermitian, or it is not known, as for the determinant */
int residua_solver_inertia(residua_solver* solver, int64_t* positive, int64_t* negative, int64_t* zero);

/* How many rows of A, of any shape, are linearly independent, and its columns less that. *source gets what shows it:
 * "structure" or "one-prime", for certain; "two-primes" or "part", but for one case in 10^12 or fewer; "condition", by an
 * estimate. Any may be NULL; the text lives as long as the library.
 *
 * RESIDUA_INVALID      NULL
 * RESIDUA_UNSUPPORTED  it is not known: elimination and factors are out of reach, or the time limit or the caller's function
 *                      ended it */
int residua_solver_rank(residua_solver* solver, int64_t* rank, int64_t* nullity, const char** source);

/* An orthonormal basis of the vectors that A takes to zero, a column for each; *basis is NULL where there are none. *digits
 * gets how many digits they are estimated to have, normwise, and may be NULL: as many as the options ask for, 16 if they ask
 * for none, unless these are out of reach.
 *
 * RESIDUA_INVALID        NULL
 * RESIDUA_UNSUPPORTED    the rank is not known, as above
 * RESIDUA_OUT_OF_MEMORY  memory does not suffice for the vectors */
int residua_solver_null_space(residua_solver* solver, int* digits, residua_vector** basis);

/* `count` entries of inverse(A), those in row[k] and column[k], in their order as one column of a vector, with the digits that the
 * options ask for. error[k] is the estimated absolute error, NaN if it is not known, and status[k] how the solve for its column
 * ended; either may be NULL. It costs as many right-hand sides as there are different columns.
 *
 * RESIDUA_INVALID  NULL, a negative count, A is not square, a place outside */
int residua_solver_inverse_entries(residua_solver* solver, int64_t count, const int64_t* row, const int64_t* column,
                                   double* error, residua_status* status, residua_vector** entries);

/* What a solve would try, in this order, and why, with what it is predicted to cost, as one JSON object in one line: "reason",
 * "candidates" and "costs". The text belongs to the solver, and lives until the next call of this function. */
int residua_solver_plan(residua_solver* solver, const char** json);

void residua_solver_free(residua_solver* solver);

/* ---- operators ---- */

/* Computes the product of a matrix and v, a vector of one column. *y says where the product is, in any form of numbers; it is
 * read as soon as the function has returned. Other than 0 ends the solve by RESIDUA_INVALID. longjmp() out of it is not
 * allowed. */
typedef int (*residua_product_function)(const residua_vector* v, residua_numbers* y, void* user);

/* A matrix A of which only products are known, and a preconditioner M, which is about the inverse of A. */
typedef struct residua_operator {
    int64_t rows;
    int64_t cols;
    residua_product_function a;   /* A v */
    residua_product_function a_t; /* A'v, for the methods bicg and lsqr; may be NULL for others */
    residua_product_function m;   /* M v; NULL for no preconditioner */
    residua_product_function m_t; /* M'v, for bicg with a preconditioner */
    void* user;                   /* what the functions get */
    int in_binary64;   /* other than 0: products with A are computed in doubles; then v consists of doubles */
    int m_in_binary64; /* the same for M, beside an A of any precision */
} residua_operator;

/* Solves A x = b, or by lsqr min norm(b - A x), by products with A. The options have to name a method, one of bicg, bicgstab,
 * bicgstabl, cg, cocg, cocr, gmres, idr, lsqr, minres, tfqmr. "precision" is that of the method, 106 bits by default; x and v have
 * twice as many and 8, or those of doubles. Three products with random vectors show first how far products can be trusted; that is
 * added to the residual in the report. It is by A's own products, so no digit of x is known to be right.
 *
 * RESIDUA_INVALID      NULL, a size that makes no sense, numbers that are not finite, a product that failed or that is of no
 *                      matrix, or right to far fewer bits than the method has
 * RESIDUA_UNSUPPORTED  an option or a method that needs the entries of A, a product that is NULL and needed, or an A that is not
 *                      symmetric where the method needs it */
int residua_solve_operator(const residua_operator* a, const residua_options* options, residua_numbers b,
                           residua_solution** solution);

/* The same for a complex A of rows x cols complex numbers: v is a complex vector, and y has complex numbers, or real ones, which
 * have imaginary parts 0. a_t and m_t compute the products with the conjugated transposes; b may be real, and x is complex. */
int residua_solve_complex_operator(const residua_operator* a, const residua_options* options, residua_numbers b,
                                   residua_solution** solution);

/* ---- what came out ---- */

/* How a column ended, and how many decimal digits of it are known to be correct (0: none, or unknown); either may be NULL. */
int residua_solution_status(const residua_solution* solution, int64_t column, residua_status* status, int* digits);

/* x, one column for each right-hand side. It belongs to the solution, and lives as long as it. NULL if that is NULL or no
 * solution. */
const residua_vector* residua_solution_x(const residua_solution* solution);

/* The report of a column as one JSON object in one line: the fields that docs/command-line.md lists. Its
 * "message" says also what is left open where the residual passes and no digit of x is known. The text belongs to the
 * solution, and lives as long as it. */
int residua_solution_report(const residua_solution* solution, int64_t column, const char** json);

void residua_solution_free(residua_solution* solution);

#ifdef __cplusplus
}
#endif

#endif
