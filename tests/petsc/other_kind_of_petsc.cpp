// This library is loaded before PETSc. Its functions answer as another PETSc would; OTHER_PETSC says which one.
#include <cstdlib>
#include <string_view>

#include <dlfcn.h>
#include <petscsys.h>

namespace {

bool is(std::string_view kind)
{
    const char* const other = std::getenv("OTHER_PETSC");
    return other != nullptr && kind == other;
}

/// PETSc's own function of that name.
template <class F>
F next(F, const char* name)
{
    return reinterpret_cast<F>(dlsym(RTLD_NEXT, name));
}

}  // namespace

PetscErrorCode PetscGetVersionNumber(PetscInt* major, PetscInt* minor, PetscInt* subminor, PetscInt* release)
{
    PetscCall(next(PetscGetVersionNumber, "PetscGetVersionNumber")(major, minor, subminor, release));
    *minor = is("version") ? 999 : *minor;
    return 0;
}

PetscErrorCode PetscDataTypeFromString(const char* name, PetscDataType* type, PetscBool* found)
{
    PetscCall(next(PetscDataTypeFromString, "PetscDataTypeFromString")(name, type, found));
    *type = is("numbers") && std::string_view(name) == "scalar" ? PETSC_COMPLEX : *type;
    return 0;
}

PetscErrorCode PetscDataTypeGetSize(PetscDataType type, size_t* size)
{
    PetscCall(next(PetscDataTypeGetSize, "PetscDataTypeGetSize")(type, size));
    *size = is("indices") && type == PETSC_INT ? 8 : *size;
    return 0;
}
