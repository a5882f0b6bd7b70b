#pragma once

// residua inside PETSc: what its KSP type and its MatSolverType share. The engine is libresidua.so, by its C
// interface, which is opened when one of them is first made; the plug-in links nothing of it.
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include <petscmat.h>

#include <residua.h>

namespace residua_petsc {

/// The functions of libresidua.so that are used here, by their names in residua.h without the first word.
struct engine {
    decltype(&residua_error) error;
    decltype(&residua_system_csr32) system_csr32;
    decltype(&residua_system_free) system_free;
    decltype(&residua_options_new) options_new;
    decltype(&residua_options_set) options_set;
    decltype(&residua_options_initial_guess) options_initial_guess;
    decltype(&residua_options_null_space) options_null_space;
    decltype(&residua_options_on_progress) options_on_progress;
    decltype(&residua_options_on_interrupt) options_on_interrupt;
    decltype(&residua_options_preconditioner) options_preconditioner;
    decltype(&residua_options_free) options_free;
    decltype(&residua_solver_new) solver_new;
    decltype(&residua_solver_condition) solver_condition;
    decltype(&residua_solver_free) solver_free;
    decltype(&residua_solve) solve;
    decltype(&residua_solution_status) solution_status;
    decltype(&residua_solution_x) solution_x;
    decltype(&residua_solution_report) solution_report;
    decltype(&residua_solution_free) solution_free;
    decltype(&residua_vector_terms) vector_terms;
};

template <class T>
using handle = std::unique_ptr<T, void (*)(T*)>;

/// The engine, which is opened by the first call: the file that RESIDUA_LIBRARY names, or the one beside the plug-in,
/// or where the loader of the system looks.
///
/// reports  PETSC_ERR_LIB if it is not there, or lacks a function
PetscErrorCode open_engine(const engine** opened);

/// An error of PETSc's with the words of residua's, unless `code` is RESIDUA_OK.
PetscErrorCode checked(const engine& by, int code);

/// The entries of a matrix of one process, each as it is.
///
/// reports  PETSC_ERR_SUP for several processes, and for types whose entries are not stored as they are: all but
///          seqaij, mpiaij, seqbaij and seqdense
PetscErrorCode read_matrix(const engine& by, Mat a, handle<residua_system>& system);

/// PETSC_ERR_SUP where read_matrix() reports it.
PetscErrorCode require_stored_matrix(Mat a);

/// What tells a matrix from another one, and from itself after a change.
struct matrix_state {
    PetscObjectId id = 0;
    PetscObjectState state = 0;

    bool operator==(const matrix_state&) const = default;
};

PetscErrorCode state_of(PetscObject object, matrix_state& state);

/// x as sums of `each` doubles, the largest first, and what the report has.
struct solution {
    std::vector<double> terms;
    int each = 1;
    residua_status status = RESIDUA_BREAKDOWN;
    int digits = 0;
    std::string report;  ///< JSON
};

/// Solves A x = b, or A'x = b.
PetscErrorCode solve(const engine& by, residua_solver& solver, bool transposed, Vec b, int each, solution& into);

/// The number or the text of a field of a report; the first one of this name is the report's own. NaN, or "", if it
/// has none.
double number_in(const std::string& report, const std::string& field);
std::string text_in(const std::string& report, const std::string& field);

/// f(), with an error of PETSc's for memory that is not there: no exception may cross PETSc.
template <class F>
PetscErrorCode without_exceptions(const F& f)
{
    try {
        return f();
    } catch (const std::bad_alloc&) {
        SETERRQ(PETSC_COMM_SELF, PETSC_ERR_MEM, "residua: no memory for a copy of the system");
    }
}

/// They register the KSP type and the MatSolverType "residua".
PetscErrorCode register_krylov();
PetscErrorCode register_factors();

}  // namespace residua_petsc
