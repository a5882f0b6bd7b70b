#pragma once

#include <string>

#include <residua/solvers/precond/made_preconditioner.hpp>

namespace residua {

/// Loads the plug-in for PETSc, unless it is there: the file that RESIDUA_PETSC names or, without that variable,
/// libresidua_petsc.so beside this library or where the loader finds it.
///
/// throws  resource_error if it is not there, or of another version: where it was looked for, and the package that has it
void require_petsc();

/// Whether require_petsc() finds it.
bool has_petsc();

/// The preconditioner that PETSc makes of A by its options: "-pc_type icc". It takes MPI and PETSc as they are, if the
/// program has started them, and starts them otherwise.
///
/// PETSc gets the nodes of `with`: the block size, and the near-null space as vectors, or as rigid body motions of the
/// coordinates, divided by the scaling of columns and made orthonormal.
///
/// shapes   A (n x n), fewer than 2^31 rows and entries; nodes as solve_options::nodes
/// errors   binary64; not the same bits with another version of PETSc, nor with another BLAS
/// reports  failure in PETSc's words, as a pivot that is zero
/// throws   option_error for options that PETSc does not know or use; resource_error as require_petsc(), for too many entries
///          and for memory. The function: error in PETSc's words
made_preconditioner make_petsc_preconditioner(const sparse_matrix& a, const std::string& options,
                                              const preconditioner_options& with);

}  // namespace residua
