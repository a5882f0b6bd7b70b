// A plug-in for PETSc of another release, whose table has another version and may have anything behind it.
#include <residua/solvers/precond/petsc_table.hpp>

extern "C" const residua::petsc_table* residua_petsc_table()
{
    static const residua::petsc_table table{
        .version = residua::petsc_table_version + 1, .make = nullptr, .apply = nullptr, .free = nullptr};
    return &table;
}
