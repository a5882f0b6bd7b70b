// The MatSolverType "residua": L U and Cholesky factors whose solves round each entry of x correctly.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <utility>

#include <petsc/private/matimpl.h>

#include "engine.hpp"

namespace residua_petsc {
namespace {

constexpr int terms = 3;
/// Digits, relative to the largest entry, that solves ask for one after the other, until each entry of x rounds to
/// one double wherever it is within them.
constexpr const char* digits_of_tries[] = {"24", "48", "96"};
constexpr std::size_t tries = std::size(digits_of_tries);

struct factors {
    explicit factors(const engine& e) : by(e) {}

    const engine& by;
    handle<residua_system> system{nullptr, nullptr};
    std::vector<handle<residua_solver>> solvers;  ///< those that were needed so far, one for each of the tries
};

factors& data_of(Mat f) { return *static_cast<factors*>(f->data); }

PetscErrorCode add_solver(factors& f)
{
    residua_options* made = nullptr;
    PetscCall(checked(f.by, f.by.options_new(&made)));
    const handle<residua_options> options(made, f.by.options_free);
    PetscCall(checked(f.by, f.by.options_set(made, "digits", digits_of_tries[f.solvers.size()])));
    residua_solver* solver = nullptr;
    PetscCall(checked(f.by, f.by.solver_new(f.system.get(), made, &solver)));
    f.solvers.emplace_back(solver, f.by.solver_free);
    return 0;
}

/// Whether all numbers that differ from the sum of these terms by `error` at most round to the first one. They do where they
/// stay within half the distance to its neighbours. The neighbour of a power of two towards zero is the nearer one.
bool rounds_to_first(const double* x, double error)
{
    const double size = std::abs(x[0]);
    if (size == 0.0) {
        return error == 0.0;
    }
    const double inwards = (size - std::nextafter(size, 0.0)) / 2;
    const double outwards = (std::nextafter(size, std::numeric_limits<double>::infinity()) - size) / 2;
    const double rest = std::abs(x[2]) + error;
    const bool grows = (x[1] > 0.0) == (x[0] > 0.0);
    return (grows ? outwards : inwards) - std::abs(x[1]) > rest && inwards > rest;
}

bool all_round_to_first(const solution& found)
{
    double largest = 0.0;
    for (std::size_t at = 0; at < found.terms.size(); at += terms) {
        largest = std::max(largest, std::abs(found.terms[at]));
    }
    const double error = 2 * largest * std::pow(10.0, -found.digits);
    for (std::size_t at = 0; at < found.terms.size(); at += terms) {
        if (!rounds_to_first(&found.terms[at], error)) {
            return false;
        }
    }
    return true;
}

PetscErrorCode solve_now(Mat f, Vec b, Vec x, bool transposed)
{
    factors& made = data_of(f);
    solution found;
    for (std::size_t k = 0; k < tries; ++k) {
        if (k == made.solvers.size()) {
            PetscCall(add_solver(made));
        }
        solution next;
        const PetscScalar* of_b = nullptr;
        PetscInt size = 0;
        PetscCall(VecGetLocalSize(b, &size));
        PetscCall(VecGetArrayRead(b, &of_b));
        const PetscErrorCode code =
            solve(made.by, *made.solvers[k], transposed, residua_doubles(of_b), size, terms, next);
        PetscCall(VecRestoreArrayRead(b, &of_b));
        PetscCall(code);
        if (next.status != RESIDUA_CONVERGED || next.digits <= found.digits) {
            break;
        }
        found = std::move(next);
        if (all_round_to_first(found)) {
            break;
        }
    }
    if (found.digits < std::atoi(digits_of_tries[0])) {
        SETERRQ(PETSC_COMM_SELF, PETSC_ERR_NOT_CONVERGED,
                "residua has no x whose entries are known to be rounded correctly: the matrix "
                "looks singular, or its condition takes too many bits");
    }
    PetscScalar* numbers = nullptr;
    PetscCall(VecGetArrayWrite(x, &numbers));
    for (std::size_t at = 0, i = 0; at < found.terms.size(); at += terms, ++i) {
        numbers[i] = found.terms[at];
    }
    PetscCall(VecRestoreArrayWrite(x, &numbers));
    return 0;
}

PetscErrorCode solve_plain(Mat f, Vec b, Vec x)
{
    return without_exceptions([&] { return solve_now(f, b, x, false); });
}

PetscErrorCode solve_transposed(Mat f, Vec b, Vec x)
{
    return without_exceptions([&] { return solve_now(f, b, x, true); });
}

/// Reads the matrix and makes factors, which its condition needs. Of a matrix that looks singular PETSc gets a zero
/// pivot.
PetscErrorCode factor_now(Mat f, Mat a)
{
    factors& made = data_of(f);
    made.solvers.clear();
    PetscCall(read_matrix(made.by, a, made.system));
    PetscCall(add_solver(made));
    double condition = 0.0;
    PetscCall(checked(made.by, made.by.solver_condition(made.solvers.front().get(), &condition)));
    f->factorerrortype = std::isnan(condition) ? MAT_FACTOR_NUMERIC_ZEROPIVOT : MAT_FACTOR_NOERROR;
    f->assembled = PETSC_TRUE;
    f->preallocated = PETSC_TRUE;
    return 0;
}

PetscErrorCode factor(Mat f, Mat a, const MatFactorInfo*)
{
    return without_exceptions([&] { return factor_now(f, a); });
}

PetscErrorCode plan_lu(Mat f, Mat, IS, IS, const MatFactorInfo*)
{
    f->ops->lufactornumeric = factor;
    return 0;
}

PetscErrorCode plan_cholesky(Mat f, Mat, IS, const MatFactorInfo*)
{
    f->ops->choleskyfactornumeric = factor;
    return 0;
}

/// The number of entries of factors is not known to the program.
PetscErrorCode get_info(Mat, MatInfoType, MatInfo* info) { return PetscMemzero(info, sizeof *info); }

PetscErrorCode get_solver_type(Mat, MatSolverType* type)
{
    *type = "residua";
    return 0;
}

PetscErrorCode view_factors(Mat, PetscViewer viewer)
{
    PetscBool ascii = PETSC_FALSE;
    PetscCall(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(viewer), PETSCVIEWERASCII, &ascii));
    if (ascii == PETSC_TRUE) {
        PetscCall(PetscViewerASCIIPrintf(viewer, "residua: each entry of x is rounded correctly\n"));
    }
    return 0;
}

PetscErrorCode destroy_factors(Mat f)
{
    PetscCall(PetscObjectComposeFunction(reinterpret_cast<PetscObject>(f), "MatFactorGetSolverType_C", nullptr));
    delete static_cast<factors*>(f->data);
    f->data = nullptr;
    return 0;
}

PetscErrorCode get_factor(Mat a, MatFactorType type, Mat* made)
{
    const engine* by = nullptr;
    PetscCall(open_engine(&by));
    PetscCall(require_stored_matrix(a));
    PetscInt rows = 0, cols = 0;
    PetscCall(MatGetSize(a, &rows, &cols));
    Mat f = nullptr;
    PetscCall(MatCreate(PetscObjectComm(reinterpret_cast<PetscObject>(a)), &f));
    PetscCall(MatSetSizes(f, rows, cols, rows, cols));
    PetscCall(PetscStrallocpy("residua", &reinterpret_cast<PetscObject>(f)->type_name));
    PetscCall(MatSetUp(f));
    f->data = new factors(*by);
    f->factortype = type;
    f->trivialsymbolic = PETSC_TRUE;
    f->ops->lufactorsymbolic = plan_lu;
    f->ops->choleskyfactorsymbolic = plan_cholesky;
    f->ops->solve = solve_plain;
    f->ops->solvetranspose = solve_transposed;
    f->ops->getinfo = get_info;
    f->ops->view = view_factors;
    f->ops->destroy = destroy_factors;
    PetscCall(PetscFree(f->solvertype));
    PetscCall(PetscStrallocpy("residua", &f->solvertype));
    PetscCall(
        PetscObjectComposeFunction(reinterpret_cast<PetscObject>(f), "MatFactorGetSolverType_C", get_solver_type));
    *made = f;
    return 0;
}

}  // namespace

PetscErrorCode register_factors()
{
    for (const MatType matrix : {MATSEQAIJ, MATSEQDENSE}) {
        for (const MatFactorType type : {MAT_FACTOR_LU, MAT_FACTOR_CHOLESKY}) {
            PetscCall(MatSolverTypeRegister("residua", matrix, type, get_factor));
        }
    }
    return 0;
}

}  // namespace residua_petsc
