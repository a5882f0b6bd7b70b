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

#include "leader.hpp"

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

constexpr int most_terms = 39;  ///< of a number that is a sum of doubles

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
/// reports  PETSC_ERR_SUP for types whose entries are not stored as they are: all but seqaij, mpiaij, seqbaij, mpibaij
///          and seqdense
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

/// Solves A x = b, or A'x = b, for `size` numbers b.
PetscErrorCode solve(const engine& by, residua_solver& solver, bool transposed, residua_numbers b, PetscInt size,
                     int each, solution& into);

/// The vectors of the null space that is attached to the matrix, one after the other, constants as ones: on process 0.
PetscErrorCode read_null_space(Mat a, all_processes& all, std::vector<double>& numbers, PetscInt& vectors);

/// Whether b is in the range of A, or A', where its sum is zero: constants are all of the null space that is attached,
/// and columns add up to zero in binary64.
PetscErrorCode range_is_known(Mat a, bool transposed, bool& known);

/// b less its mean, which is rounding in a b whose sum ought to be zero: number i is the sum of `terms` <= most
/// doubles, of b_i and of what makes up the mean. Empty where the mean is zero, or more than rounding errors of n sums
/// make it.
///
/// errors  52 bits of the mean for each of terms - 1
std::vector<double> without_mean(const double* b, PetscInt n, int most, int& terms);

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
