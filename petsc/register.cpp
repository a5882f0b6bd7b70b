// What PETSc calls after -dll_append PATH/libresidua_petsc.so.
#include <cstddef>
#include <utility>

#include <petscsys.h>

#include "engine.hpp"

namespace {

/// A program's own PETSc is the one that answers: its symbols come before those that this plug-in is linked to.
PetscErrorCode require_own_petsc()
{
    PetscInt major = 0, minor = 0, subminor = 0, release = 0;
    PetscCall(PetscGetVersionNumber(&major, &minor, &subminor, &release));
    if (major != PETSC_VERSION_MAJOR || minor != PETSC_VERSION_MINOR) {
        SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP,
                "this libresidua_petsc.so is made for PETSc %d.%d, and the program has PETSc %d.%d: build residua with "
                "that",
                PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR, static_cast<int>(major), static_cast<int>(minor));
    }
    for (const auto& [name, own] : {std::pair("scalar", PETSC_DOUBLE), std::pair("int", PETSC_INT)}) {
        PetscDataType type = PETSC_DATATYPE_UNKNOWN;
        PetscBool known = PETSC_FALSE;
        PetscCall(PetscDataTypeFromString(name, &type, &known));
        std::size_t bytes = 0;
        PetscCall(PetscDataTypeGetSize(type, &bytes));
        const std::size_t wanted = own == PETSC_INT ? sizeof(PetscInt) : sizeof(double);
        if (known != PETSC_TRUE || type != own || bytes != wanted) {
            SETERRQ(
                PETSC_COMM_SELF, PETSC_ERR_SUP,
                "this libresidua_petsc.so is made for a PETSc of double numbers and indices of 32 bits, and the "
                "program's "
                "has another type \"%s\": there is no plug-in for complex numbers, other precisions or longer indices",
                name);
        }
    }
    return 0;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) PetscErrorCode PetscDLLibraryRegister_residua_petsc()
{
    PetscCall(require_own_petsc());
    PetscCall(residua_petsc::register_krylov());
    PetscCall(residua_petsc::register_factors());
    return 0;
}
