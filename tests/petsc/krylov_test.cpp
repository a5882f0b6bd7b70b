// residua inside PETSc: a program of PETSc's that opens the plug-in by -dll_append, as a user's does, and takes its
// KSP.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

#include "support.hpp"

namespace {

using namespace petsc_test;

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
    const rows own = rows_of(b);
    for (PetscInt i = own.first; i < own.last; ++i) {
        (void)VecSetValue(w, i, static_cast<double>(3 * whole_part(i) + 1), INSERT_VALUES);
    }
    (void)VecAssemblyBegin(w);
    (void)VecAssemblyEnd(w);
    (void)MatMult(a, w, b);
    (void)VecScale(b, 1.0 / 3.0);
    for (PetscInt i = own.first; i < own.last; ++i) {  // a third of a whole number that three divides, rounded or not
        double value = 0.0;
        (void)VecGetValues(b, 1, &i, &value);
        (void)VecSetValue(b, i, std::round(value), INSERT_VALUES);
    }
    (void)VecAssemblyBegin(b);
    (void)VecAssemblyEnd(b);
    (void)VecDestroy(&w);
    return b;
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
    const rows own = rows_of(x);
    for (PetscInt i = own.first; low != nullptr && i < own.last; ++i) {
        const double exact_rest = std::fma(-3.0, at(x, i), static_cast<double>(3 * whole_part(i) + thirds)) / 3.0;
        most = std::max(most, std::abs(at(low, i) - exact_rest));
    }
    (void)MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD);
    return most;
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
    const PetscInt some = rows_of(x).first;
    EXPECT(std::abs(at(x, some) - 2.0 * (static_cast<double>(whole_part(some)) + 1.0 / 3.0)) < 1e-13);
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
    const rows own = rows_of(x);
    for (PetscInt i = own.first; low != nullptr && i < own.last; ++i) {
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

/// A word that residua does not know: process 0 says it, and the error is one on all.
void refuses_on_all(Mat a)
{
    PetscMPIInt rank = 0;
    (void)MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
    refuses(a, "-ksp_type residua -ksp_residua_method cgg", PETSC_ERR_USER_INPUT,
            rank == 0 ? "cgg" : "another process");
}

/// Process 0 solves, and all have the preconditioner, the monitors and their part of x. Blocks on the diagonal are on one process each.
void solves_on_several_processes()
{
    for (const char* more :
         {"", "-pc_type none", "-pc_type jacobi -ksp_residua_precision 212", "-pc_type asm -ksp_residua_method gmres",
          "-pc_type bjacobi -sub_ksp_type residua -sub_pc_type none", "-pc_type gamg"}) {
        solves_to_digits(MATMPIAIJ, (std::string("-ksp_type residua -ksp_residua_digits 30 ") + more).c_str());
    }
    solves_to_digits(MATMPIBAIJ, "-ksp_type residua -ksp_residua_digits 30 -pc_type jacobi");
    honours_a_null_space();
    ends_as_petsc_says();
    Mat a = matrix_of(points, MATAIJ, [](PetscInt i, PetscInt j) { return laplacian(i, j); }), other = nullptr;
    refuses_on_all(a);
    (void)MatCreateNormal(a, &other);
    refuses(other, "-ksp_type residua -pc_type none", PETSC_ERR_SUP, "this one is of type normal");
    (void)MatDestroy(&other);
    Vec b = nullptr, x = nullptr;
    (void)MatCreateVecs(a, &x, &b);
    (void)VecSet(b, 1.0);
    KSP ksp = ksp_for(a, "-ksp_type cg -ksp_rtol 1e-10 -pc_type bjacobi -sub_ksp_type residua -sub_pc_type none");
    EXPECT(KSPSetFromOptions(ksp) == 0);
    EXPECT(KSPSolve(ksp, b, x) == 0);
    EXPECT(reason_of(ksp) == KSP_CONVERGED_RTOL);
    destroy(ksp, x, b, a);
}

}  // namespace

int main(int count, char** words)
{
    return run(count, words, [] {
        PetscMPIInt processes = 0;
        (void)MPI_Comm_size(PETSC_COMM_WORLD, &processes);
        if (processes > 1) {
            solves_on_several_processes();
            return;
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
    });
}
