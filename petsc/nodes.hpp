#pragma once

#include <residua/solvers/precond/petsc_table.hpp>

#include <petscmat.h>

namespace residua_petsc {

/// Tells PETSc the block size of a matrix and, if there are any, the near-null vectors or the rigid body motions of its
/// coordinates, orthonormal. Vectors that others make up, to 10 digits, are left out.
///
/// matrix  A of `a`, sequential
PetscErrorCode describe_nodes(const residua::petsc_matrix& a, Mat matrix);

}  // namespace residua_petsc
