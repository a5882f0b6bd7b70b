// residua inside PETSc: a program of PETSc's that opens the plug-in by -dll_append, as a user's does.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include <petscksp.h>

namespace {

int failures = 0;

void expect(bool holds, const char* what, int line)
{
    if (!holds) {
        ++failures;
        std::printf("%d: not so: %s\n", line, what);
    }
}

#define EXPECT(condition) expect(condition, #condition, __LINE__)

/// The words of the first error of PETSc's while this lives; nothing is printed.
class kept_words {
public:
    kept_words() { (void)PetscPushErrorHandler(keep, &words); }
    ~kept_words() { (void)PetscPopErrorHandler(); }

    bool have(const std::string& text) const { return words.find(text) != std::string::npos; }

    std::string words;

private:
    static PetscErrorCode keep(MPI_Comm, int, const char*, const char*, PetscErrorCode code, PetscErrorType type,
                               const char* text, void* into)
    {
        auto& words = *static_cast<std::string*>(into);
        words = type == PETSC_ERROR_INITIAL && text != nullptr ? text : words;
        return code;
    }
};

/// A matrix of n x n numbers by a function of row and column; zeros are no entries.
Mat matrix_of(PetscInt n, MatType type, const std::function<double(PetscInt, PetscInt)>& entry)
{
    Mat a = nullptr;
    (void)MatCreate(PETSC_COMM_WORLD, &a);
    (void)MatSetSizes(a, PETSC_DECIDE, PETSC_DECIDE, n, n);
    (void)MatSetType(a, type);
    (void)MatSetUp(a);
    (void)MatSetOption(a, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE);
    for (PetscInt i = 0; i < n; ++i) {
        for (PetscInt j = 0; j < n; ++j) {
            if (const double value = entry(i, j); value != 0.0) {
                (void)MatSetValue(a, i, j, value, INSERT_VALUES);
            }
        }
    }
    (void)MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY);
    (void)MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY);
    return a;
}

constexpr PetscInt grid = 12, points = grid * grid;

/// Three times the Laplacian of a square, with values given at its border, or with no flow through it.
double laplacian(PetscInt i, PetscInt j, bool neumann = false)
{
    const auto neighbours = [](PetscInt p, PetscInt q) {
        return std::abs(p / grid - q / grid) + std::abs(p % grid - q % grid) == 1;
    };
    if (i != j) {
        return neighbours(i, j) ? -3.0 : 0.0;
    }
    int degree = neumann ? 0 : 4;
    for (PetscInt k = 0; neumann && k < points; ++k) {
        degree += neighbours(i, k) ? 1 : 0;
    }
    return 3.0 * degree;
}

PetscInt whole_part(PetscInt i) { return (i * 37) % 101 - 50; }

/// b = A (w + 1/3), w_i whole: 3 A w / 3 + A 1 / 3 are whole numbers.
Vec right_hand_side(Mat a)
{
    Vec b = nullptr, w = nullptr;
    (void)MatCreateVecs(a, &w, &b);
    for (PetscInt i = 0; i < points; ++i) {
        (void)VecSetValue(w, i, static_cast<double>(3 * whole_part(i) + 1), INSERT_VALUES);
    }
    (void)VecAssemblyBegin(w);
    (void)VecAssemblyEnd(w);
    (void)MatMult(a, w, b);
    (void)VecScale(b, 1.0 / 3.0);
    for (PetscInt i = 0; i < points; ++i) {  // a third of a whole number that three divides, rounded or not
        double value = 0.0;
        (void)VecGetValues(b, 1, &i, &value);
        (void)VecSetValue(b, i, std::round(value), INSERT_VALUES);
    }
    (void)VecAssemblyBegin(b);
    (void)VecAssemblyEnd(b);
    (void)VecDestroy(&w);
    return b;
}

double at(Vec x, PetscInt i)
{
    double value = 0.0;
    (void)VecGetValues(x, 1, &i, &value);
    return value;
}

Vec composed(KSP ksp, const char* name)
{
    PetscObject found = nullptr;
    (void)PetscObjectQuery(reinterpret_cast<PetscObject>(ksp), name, &found);
    return reinterpret_cast<Vec>(found);
}

/// max |x + x_low - (w + 1/3 + shift)|, by products with three, which an fma makes exact.
double distance(KSP ksp, Vec x, PetscInt thirds = 1)
{
    Vec low = composed(ksp, "residua_x_low");
    double most = low != nullptr ? 0.0 : HUGE_VAL;
    for (PetscInt i = 0; low != nullptr && i < points; ++i) {
        const double exact_rest = std::fma(-3.0, at(x, i), static_cast<double>(3 * whole_part(i) + thirds)) / 3.0;
        most = std::max(most, std::abs(at(low, i) - exact_rest));
    }
    return most;
}

KSP ksp_for(Mat a, const char* options)
{
    KSP ksp = nullptr;
    (void)PetscOptionsClear(nullptr);
    (void)PetscOptionsInsertString(nullptr, options);
    (void)KSPCreate(PETSC_COMM_WORLD, &ksp);
    (void)KSPSetOperators(ksp, a, a);
    return ksp;
}

void destroy(KSP ksp, Vec x, Vec b, Mat a)
{
    (void)KSPDestroy(&ksp);
    (void)VecDestroy(&x);
    (void)VecDestroy(&b);
    (void)MatDestroy(&a);
}

struct steps {
    int count = 0;
    double last = 0.0;
    int fail_at = -1;
};

PetscErrorCode count_steps(KSP, PetscInt, PetscReal norm, void* into)
{
    auto& seen = *static_cast<steps*>(into);
    seen.last = norm;
    return ++seen.count == seen.fail_at ? PETSC_ERR_USER : 0;
}

KSPConvergedReason reason_of(KSP ksp)
{
    KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
    (void)KSPGetConvergedReason(ksp, &reason);
    return reason;
}

void solves_to_digits(MatType type, const char* options)
{
    Mat a = matrix_of(points, type, [](PetscInt i, PetscInt j) { return laplacian(i, j); });
    Vec b = right_hand_side(a), x = nullptr;
    (void)VecDuplicate(b, &x);
    KSP ksp = ksp_for(a, options);
    steps seen;
    (void)KSPMonitorSet(ksp, count_steps, &seen, nullptr);
    EXPECT(KSPSetFromOptions(ksp) == 0);
    EXPECT(KSPSolve(ksp, b, x) == 0);
    EXPECT(reason_of(ksp) == KSP_CONVERGED_RTOL);
    EXPECT(seen.count >= 1);
    EXPECT(distance(ksp, x) < 50 * 1e-30);
    EXPECT(distance(ksp, x, 2) > 0.1);
    Vec digits = composed(ksp, "residua_digits");
    EXPECT(digits != nullptr && at(digits, 0) >= 30);
    double norm = 1.0;
    (void)KSPGetResidualNorm(ksp, &norm);
    EXPECT(norm < 1e-25);

    // another right-hand side, a guess, the transposed system, other values
    (void)VecScale(b, 2.0);
    EXPECT(KSPSolve(ksp, b, x) == 0);
    EXPECT(std::abs(at(x, 5) - 2.0 * (static_cast<double>(whole_part(5)) + 1.0 / 3.0)) < 1e-13);
    (void)VecScale(b, 0.5);
    EXPECT(KSPSetInitialGuessNonzero(ksp, PETSC_TRUE) == 0);
    EXPECT(KSPSolve(ksp, b, x) == 0);
    EXPECT(distance(ksp, x) < 50 * 1e-30);
    EXPECT(KSPSetInitialGuessNonzero(ksp, PETSC_FALSE) == 0);
    EXPECT(KSPSolveTranspose(ksp, b, x) == 0);
    EXPECT(distance(ksp, x) < 50 * 1e-30);
    (void)MatScale(a, 2.0);
    (void)VecScale(b, 2.0);
    EXPECT(KSPSetOperators(ksp, a, a) == 0);
    EXPECT(KSPSolve(ksp, b, x) == 0);
    EXPECT(distance(ksp, x) < 50 * 1e-30);
    destroy(ksp, x, b, a);
}

void honours_a_null_space()
{
    Mat a = matrix_of(points, MATAIJ, [](PetscInt i, PetscInt j) { return laplacian(i, j, true); });
    MatNullSpace constants = nullptr;
    (void)MatNullSpaceCreate(PETSC_COMM_WORLD, PETSC_TRUE, 0, nullptr, &constants);
    (void)MatSetNullSpace(a, constants);
    Vec b = right_hand_side(a), x = nullptr;
    (void)VecDuplicate(b, &x);
    KSP ksp = ksp_for(a, "-ksp_type residua -ksp_residua_digits 30 -pc_type jacobi");
    EXPECT(KSPSetFromOptions(ksp) == 0);
    EXPECT(KSPSolve(ksp, b, x) == 0);
    EXPECT(reason_of(ksp) == KSP_CONVERGED_RTOL);
    Vec low = composed(ksp, "residua_x_low");
    EXPECT(low != nullptr);
    // the shortest solution is w - mean(w): n times it is whole, and an fma gives the rest of n x exactly
    PetscInt sum = 0;
    for (PetscInt i = 0; i < points; ++i) {
        sum += whole_part(i);
    }
    double most = 0.0;
    for (PetscInt i = 0; low != nullptr && i < points; ++i) {
        const double n = points, whole = static_cast<double>(points * whole_part(i) - sum);
        most = std::max(most, std::abs(at(low, i) - std::fma(-n, at(x, i), whole) / n));
    }
    EXPECT(most < 50 * 1e-30);

    for (PetscInt i = 0; i < points; ++i) {  // in the range of A but for rounding errors
        (void)VecSetValue(b, i, 1.0 / static_cast<double>(i + 1), INSERT_VALUES);
    }
    (void)VecAssemblyBegin(b);
    (void)VecAssemblyEnd(b);
    (void)MatNullSpaceRemove(constants, b);
    EXPECT(KSPSolve(ksp, b, x) == 0);
    EXPECT(reason_of(ksp) == KSP_CONVERGED_RTOL);
    EXPECT(at(composed(ksp, "residua_digits"), 0) >= 30);

    (void)VecSet(b, 1.0);  // outside of the range of A
    EXPECT(KSPSolve(ksp, b, x) == 0);
    EXPECT(reason_of(ksp) == KSP_DIVERGED_BREAKDOWN);
    (void)MatNullSpaceDestroy(&constants);
    destroy(ksp, x, b, a);
}

void ends_as_petsc_says()
{
    Mat a = matrix_of(points, MATAIJ, [](PetscInt i, PetscInt j) { return laplacian(i, j); });
    Vec b = right_hand_side(a), x = nullptr;
    (void)VecDuplicate(b, &x);
    KSP ksp = ksp_for(a, "-ksp_type residua -ksp_residua_method cg -pc_type jacobi -ksp_max_it 3");
    EXPECT(KSPSetFromOptions(ksp) == 0);
    EXPECT(KSPSolve(ksp, b, x) == 0);
    EXPECT(reason_of(ksp) == KSP_DIVERGED_ITS);
    (void)KSPDestroy(&ksp);

    ksp = ksp_for(a, "-ksp_type residua -ksp_residua_digits 0 -ksp_rtol 1e-3 -ksp_residua_method cg -pc_type none");
    EXPECT(KSPSetFromOptions(ksp) == 0);
    EXPECT(KSPSolve(ksp, b, x) == 0);
    EXPECT(reason_of(ksp) == KSP_CONVERGED_RTOL);
    (void)KSPDestroy(&ksp);

    ksp = ksp_for(a, "-ksp_type residua -ksp_residua_digits 0 -ksp_rtol 0 -ksp_atol 1 -ksp_residua_method cg");
    EXPECT(KSPSetFromOptions(ksp) == 0);
    EXPECT(KSPSolve(ksp, b, x) == 0);
    EXPECT(reason_of(ksp) == KSP_CONVERGED_ATOL);
    (void)KSPDestroy(&ksp);

    ksp = ksp_for(a, "-ksp_type residua -ksp_residua_method cg -pc_type jacobi");
    steps seen{.fail_at = 2};
    (void)KSPMonitorSet(ksp, count_steps, &seen, nullptr);
    EXPECT(KSPSetFromOptions(ksp) == 0);
    {
        const kept_words words;
        EXPECT(KSPSolve(ksp, b, x) == PETSC_ERR_USER);
    }
    EXPECT(seen.count == 2);
    destroy(ksp, x, b, a);
}

void refuses(Mat a, const char* options, PetscErrorCode code, const char* text)
{
    const kept_words words;
    KSP ksp = ksp_for(a, options);
    PetscErrorCode failed = KSPSetFromOptions(ksp);
    failed = failed == 0 ? KSPSetUp(ksp) : failed;
    EXPECT(failed == code);
    EXPECT(words.have(text));
    if (failed != code || !words.have(text)) {
        std::printf("  %s: error %d, %s\n", options, static_cast<int>(failed), words.words.c_str());
    }
    (void)KSPDestroy(&ksp);
}

void refuses_what_it_does_not_serve()
{
    Mat a = matrix_of(points, MATAIJ, [](PetscInt i, PetscInt j) { return laplacian(i, j); }), other = nullptr;
    refuses(a, "-ksp_type residua -ksp_residua_digits -3", PETSC_ERR_USER_INPUT, "digits are 0 or more");
    refuses(a, "-ksp_type residua -ksp_residua_method cgg", PETSC_ERR_USER_INPUT, "cgg");
    refuses(a, "-ksp_type residua -ksp_residua_precision many", PETSC_ERR_USER_INPUT, "many");
    refuses(a, "-ksp_type residua -ksp_diagonal_scale", PETSC_ERR_SUP, "-ksp_diagonal_scale");
    (void)MatCreateShell(PETSC_COMM_WORLD, points, points, points, points, nullptr, &other);
    refuses(other, "-ksp_type residua -pc_type none", PETSC_ERR_SUP, "this one is of type shell");
    (void)MatDestroy(&other);
    (void)MatCreateNormal(a, &other);
    refuses(other, "-ksp_type residua -pc_type none", PETSC_ERR_SUP, "this one is of type normal");
    (void)MatDestroy(&other);
    (void)MatSetOption(a, MAT_SYMMETRIC, PETSC_TRUE);
    (void)MatConvert(a, MATSEQSBAIJ, MAT_INITIAL_MATRIX, &other);
    refuses(other, "-ksp_type residua -pc_type none", PETSC_ERR_SUP, "this one is of type seqsbaij");
    (void)MatDestroy(&other);
    (void)MatDestroy(&a);
}

double binomial(PetscInt n, PetscInt k)
{
    double value = 1.0;
    for (PetscInt i = 1; i <= k; ++i) {
        value = value * static_cast<double>(n - k + i) / static_cast<double>(i);  // whole at every step
    }
    return value;
}

/// Entries of Hilbert's matrix of order 10 times 232792560 = lcm(1, ..., 19) are whole; its inverse has the whole numbers
/// (-1)^(i+j) (i+j-1) C(n+i-1, n-j) C(n+j-1, n-i) C(i+j-2, i-1)^2, for i, j from 1, over 232792560.
void rounds_the_entries_of_hilberts_solution(MatType type, const char* options)
{
    constexpr PetscInt n = 10;
    constexpr double scale = 232792560.0;
    Mat a = matrix_of(n, type, [](PetscInt i, PetscInt j) { return scale / static_cast<double>(i + j + 1); });
    Vec b = nullptr, x = nullptr;
    (void)MatCreateVecs(a, &x, &b);
    KSP ksp = ksp_for(a, options);
    EXPECT(KSPSetFromOptions(ksp) == 0);
    for (PetscInt column = 1; column <= n; ++column) {
        (void)VecSet(b, 0.0);
        (void)VecSetValue(b, column - 1, 1.0, INSERT_VALUES);
        (void)VecAssemblyBegin(b);
        (void)VecAssemblyEnd(b);
        EXPECT((column % 2 == 0 ? KSPSolveTranspose(ksp, b, x) : KSPSolve(ksp, b, x)) == 0);
        for (PetscInt i = 1; i <= n; ++i) {
            const PetscInt j = column;
            const double whole = ((i + j) % 2 == 0 ? 1.0 : -1.0) * static_cast<double>(i + j - 1) *
                                 binomial(n + i - 1, n - j) * binomial(n + j - 1, n - i) * binomial(i + j - 2, i - 1) *
                                 binomial(i + j - 2, i - 1);
            EXPECT(std::abs(whole) < 0x1p53);
            EXPECT(at(x, i - 1) == whole / scale);  // one division: the nearest double
        }
    }
    destroy(ksp, x, b, a);
}

void factors_say_that_a_matrix_is_singular()
{
    Mat a = matrix_of(2, MATAIJ, [](PetscInt i, PetscInt) { return i == 0 ? 1.0 : 2.0; });
    Vec b = nullptr, x = nullptr;
    (void)MatCreateVecs(a, &x, &b);
    (void)VecSet(b, 1.0);
    KSP ksp = ksp_for(a, "-ksp_type preonly -pc_type lu -pc_factor_mat_solver_type residua");
    EXPECT(KSPSetFromOptions(ksp) == 0);
    EXPECT(KSPSolve(ksp, b, x) == 0);
    EXPECT(reason_of(ksp) == KSP_DIVERGED_PC_FAILED);
    destroy(ksp, x, b, a);
}

}  // namespace

int main(int count, char** words)
{
    if (PetscInitialize(&count, &words, nullptr, nullptr) != 0) {
        return 1;
    }
    PetscMPIInt processes = 0;
    (void)MPI_Comm_size(PETSC_COMM_WORLD, &processes);
    if (processes > 1) {
        Mat a = matrix_of(points, MATAIJ, [](PetscInt i, PetscInt j) { return laplacian(i, j); });
        refuses(a, "-ksp_type residua -pc_type none", PETSC_ERR_SUP, "this matrix is on 2");
        (void)MatDestroy(&a);
        (void)PetscFinalize();
        return failures == 0 ? 0 : 1;
    }
    const std::string iterative = "-ksp_type residua -ksp_residua_digits 30 ";
    for (const char* more :
         {"", "-pc_type icc -ksp_residua_method cg", "-pc_type lu -ksp_residua_method gmres", "-pc_type none",
          "-ksp_residua_method refine", "-pc_type jacobi -ksp_residua_precision 212",
          "-pc_type bjacobi -sub_ksp_type residua -sub_pc_type none"}) {
        solves_to_digits(MATAIJ, (iterative + more).c_str());
    }
    for (const MatType type : {MATSEQBAIJ, MATSEQDENSE, MATMPIAIJ}) {
        solves_to_digits(type, (iterative + "-pc_type jacobi").c_str());
    }
    honours_a_null_space();
    ends_as_petsc_says();
    refuses_what_it_does_not_serve();
    for (const MatType type : {MATSEQAIJ, MATSEQDENSE}) {
        for (const char* more : {"lu", "cholesky"}) {
            rounds_the_entries_of_hilberts_solution(
                type, (std::string("-ksp_type preonly -pc_factor_mat_solver_type residua -pc_type ") + more).c_str());
        }
    }
    factors_say_that_a_matrix_is_singular();
    EXPECT(PetscFinalize() == 0);
    std::printf("%d failures\n", failures);
    return failures == 0 ? 0 : 1;
}
