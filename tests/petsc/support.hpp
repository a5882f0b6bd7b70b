#pragma once

// What programs of PETSc's that test the plug-in have in common.
#include <cstdio>
#include <functional>
#include <string>

#include <petscksp.h>

namespace petsc_test {

inline int failures = 0;

inline void expect(bool holds, const char* what, int line)
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
inline Mat matrix_of(PetscInt n, MatType type, const std::function<double(PetscInt, PetscInt)>& entry)
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

/// The rows of this process: from the first to before the last.
struct rows {
    PetscInt first = 0, last = 0;
};

inline rows rows_of(Vec x)
{
    rows own;
    (void)VecGetOwnershipRange(x, &own.first, &own.last);
    return own;
}

/// 0 where there is no vector.
inline double at(Vec x, PetscInt i)
{
    double value = 0.0;
    if (x != nullptr) {
        (void)VecGetValues(x, 1, &i, &value);
    }
    return value;
}

inline KSP ksp_for(Mat a, const char* options)
{
    KSP ksp = nullptr;
    (void)PetscOptionsClear(nullptr);
    (void)PetscOptionsInsertString(nullptr, options);
    (void)KSPCreate(PETSC_COMM_WORLD, &ksp);
    (void)KSPSetOperators(ksp, a, a);
    return ksp;
}

inline void destroy(KSP ksp, Vec x, Vec b, Mat a)
{
    (void)KSPDestroy(&ksp);
    (void)VecDestroy(&x);
    (void)VecDestroy(&b);
    (void)MatDestroy(&a);
}

inline KSPConvergedReason reason_of(KSP ksp)
{
    KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
    (void)KSPGetConvergedReason(ksp, &reason);
    return reason;
}

/// Runs the tests between the start and the end of PETSc. The exit status.
inline int run(int count, char** words, const std::function<void()>& tests)
{
    if (PetscInitialize(&count, &words, nullptr, nullptr) != 0) {
        return 1;
    }
    tests();
    EXPECT(PetscFinalize() == 0);
    std::printf("%d failures\n", failures);
    return failures == 0 ? 0 : 1;
}

}  // namespace petsc_test
