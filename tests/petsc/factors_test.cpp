// residua inside PETSc: factors whose solves round each entry of x correctly.
#include <cmath>
#include <string>

#include "support.hpp"

namespace {

using namespace petsc_test;

double binomial(PetscInt n, PetscInt k)
{
    double value = 1.0;
    for (PetscInt i = 1; i <= k; ++i) {
        value = value * static_cast<double>(n - k + i) / static_cast<double>(i);  // whole at every step
    }
    return value;
}

/// Entries of Hilbert's matrix of order 10 times 232792560 = lcm(1, ..., 19) are whole; its inverse has the whole
/// numbers (-1)^(i+j) (i+j-1) C(n+i-1, n-j) C(n+j-1, n-i) C(i+j-2, i-1)^2, for i, j from 1, over 232792560.
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
    return run(count, words, [] {
        for (const MatType type : {MATSEQAIJ, MATSEQDENSE}) {
            for (const char* more : {"lu", "cholesky"}) {
                rounds_the_entries_of_hilberts_solution(
                    type,
                    (std::string("-ksp_type preonly -pc_factor_mat_solver_type residua -pc_type ") + more).c_str());
            }
        }
        factors_say_that_a_matrix_is_singular();
    });
}
