// This library is loaded before PETSc. After each solve of a program's it writes b and what residua knows of x, which no
// option of PETSc's prints. Each process writes a file of its own: KEEP_SOLVES, a dot and its number.
#include <cstdio>
#include <cstdlib>
#include <string>

#include <dlfcn.h>
#include <petscksp.h>

namespace {

int depth = 0;  ///< solves at work: a preconditioner may have solves of its own

void write(std::FILE* file, const char* name, Vec x)
{
    const PetscScalar* numbers = nullptr;
    PetscInt size = 0;
    (void)VecGetLocalSize(x, &size);
    (void)VecGetArrayRead(x, &numbers);
    std::fprintf(file, "%s", name);
    for (PetscInt i = 0; i < size; ++i) {
        std::fprintf(file, " %a", numbers[i]);
    }
    std::fprintf(file, "\n");
    (void)VecRestoreArrayRead(x, &numbers);
}

/// Lines of a name and numbers: b and x of this process, and the vectors beside x.
void write(std::FILE* file, KSP ksp)
{
    Vec b = nullptr, x = nullptr;
    (void)KSPGetRhs(ksp, &b);
    (void)KSPGetSolution(ksp, &x);
    write(file, "b", b);
    write(file, "x", x);
    for (const char* name : {"residua_x_low", "residua_digits"}) {
        PetscObject found = nullptr;
        (void)PetscObjectQuery(reinterpret_cast<PetscObject>(ksp), name, &found);
        if (found != nullptr) {
            write(file, name, reinterpret_cast<Vec>(found));
        }
    }
}

/// PETSc's own function of that name, and what it leaves.
PetscErrorCode solve(const char* function, KSP ksp, Vec b, Vec x)
{
    const auto own = reinterpret_cast<decltype(&KSPSolve)>(dlsym(RTLD_NEXT, function));
    ++depth;
    const PetscErrorCode code = own(ksp, b, x);
    --depth;
    const char* const name = std::getenv("KEEP_SOLVES");
    int process = 0;
    (void)MPI_Comm_rank(PetscObjectComm(reinterpret_cast<PetscObject>(ksp)), &process);
    if (code == 0 && depth == 0 && name != nullptr) {
        if (std::FILE* const file = std::fopen((std::string(name) + "." + std::to_string(process)).c_str(), "w")) {
            write(file, ksp);
            (void)std::fclose(file);
        }
    }
    return code;
}

}  // namespace

PetscErrorCode KSPSolve(KSP ksp, Vec b, Vec x) { return solve("KSPSolve", ksp, b, x); }

PetscErrorCode KSPSolveTranspose(KSP ksp, Vec b, Vec x) { return solve("KSPSolveTranspose", ksp, b, x); }
