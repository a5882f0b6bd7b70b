// The KSP type "residua": a program's matrix, right-hand side, preconditioner, null space and monitors, with a solver
// of residua's.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>

#include <petsc/private/kspimpl.h>

#include "engine.hpp"

namespace residua_petsc {
namespace {

constexpr PetscInt default_digits = 16;

/// What a kept solver was made of.
struct made_of {
    matrix_state a, null_space;
    bool preconditioned = false;
    std::string options;

    bool operator==(const made_of&) const = default;
};

struct krylov {
    explicit krylov(const engine& e) : by(e) {}

    const engine& by;
    PetscInt digits = default_digits;  ///< 0: the tolerances of the KSP decide
    char method[64] = "auto";
    char precision[64] = "auto";
    handle<residua_solver> solver{nullptr, nullptr};
    made_of from;
    Vec r = nullptr, z = nullptr;  ///< of the preconditioner, without numbers of their own
    double norm_of_b = 0.0;
    std::atomic<PetscErrorCode> failed = 0;  ///< of a monitor or of the preconditioner
    int found_digits = 0;
    std::string report;  ///< of the last solve
};

krylov& data_of(KSP ksp) { return *static_cast<krylov*>(ksp->data); }

PetscObject object_of(KSP ksp) { return reinterpret_cast<PetscObject>(ksp); }

/// Methods that take a preconditioner of the caller's.
bool is_preconditioned(const std::string& method)
{
    const std::vector<std::string> others{"direct", "refine", "gmres-ir", "lsqr"};
    return std::find(others.begin(), others.end(), method) == others.end();
}

/// residua's callback after a step: the program's monitors and its history of residuals.
void after_step(const residua_progress* step, void* user)
{
    const auto ksp = static_cast<KSP>(user);
    krylov& k = data_of(ksp);
    const auto tell = [&]() -> PetscErrorCode {
        ksp->its = static_cast<PetscInt>(step->iteration);
        ksp->rnorm = k.norm_of_b * (std::isnan(step->true_residual) ? step->residual : step->true_residual);
        PetscCall(KSPLogResidualHistory(ksp, ksp->rnorm));
        PetscCall(KSPMonitor(ksp, ksp->its, ksp->rnorm));
        return 0;
    };
    k.failed = k.failed == 0 ? tell() : k.failed.load();
}

int has_failed(void* user) { return data_of(static_cast<KSP>(user)).failed != 0 ? 1 : 0; }

/// z = M r or M'r, by the program's preconditioner.
int preconditioned(KSP ksp, const double* r, double* z, PetscErrorCode (*apply)(PC, Vec, Vec))
{
    krylov& k = data_of(ksp);
    const auto compute = [&]() -> PetscErrorCode {
        PetscCall(VecPlaceArray(k.r, r));
        PetscCall(VecPlaceArray(k.z, z));
        const PetscErrorCode applied = apply(ksp->pc, k.r, k.z);
        PetscCall(VecResetArray(k.z));
        PetscCall(VecResetArray(k.r));
        return applied;
    };
    k.failed = k.failed == 0 ? compute() : k.failed.load();
    return k.failed == 0 ? 0 : 1;
}

int apply_m(const double* r, double* z, std::int64_t, void* user)
{
    return preconditioned(static_cast<KSP>(user), r, z, PCApply);
}

int apply_m_t(const double* r, double* z, std::int64_t, void* user)
{
    return preconditioned(static_cast<KSP>(user), r, z, PCApplyTranspose);
}

std::string text_of(double number)
{
    char text[32];
    (void)std::snprintf(text, sizeof text, "%.17g", number);
    return text;
}

/// Names and values of residua's options, in a line each.
std::string options_of(KSP ksp)
{
    const krylov& k = data_of(ksp);
    std::string all = std::string("method ") + k.method + "\nprecision " + k.precision + "\nmaxiter " +
                      std::to_string(ksp->max_it) + "\n";
    return all + (k.digits > 0 ? "digits " + std::to_string(k.digits) + "\n"
                               : "rtol " + text_of(ksp->rtol) + "\natol " + text_of(ksp->abstol) + "\n");
}

/// Makes the solver, unless the one that is kept is of the same matrix and options. One that starts from a guess is
/// not kept.
PetscErrorCode make_solver(KSP ksp, bool from_guess)
{
    krylov& k = data_of(ksp);
    Mat a = nullptr;
    PetscCall(KSPGetOperators(ksp, &a, nullptr));
    MatNullSpace space = nullptr;
    PetscCall(MatGetNullSpace(a, &space));
    PetscBool none = PETSC_FALSE;
    PetscCall(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(ksp->pc), PCNONE, &none));
    made_of from;
    PetscCall(state_of(reinterpret_cast<PetscObject>(a), from.a));
    PetscCall(state_of(reinterpret_cast<PetscObject>(space), from.null_space));
    from.preconditioned = none != PETSC_TRUE && is_preconditioned(k.method);
    from.options = options_of(ksp);
    if (k.solver != nullptr && from == k.from && !from_guess) {
        return 0;
    }
    k.solver.reset();
    residua_options* made = nullptr;
    PetscCall(checked(k.by, k.by.options_new(&made)));
    const handle<residua_options> options(made, k.by.options_free);
    for (std::size_t at = 0; at < from.options.size();) {
        const std::size_t blank = from.options.find(' ', at), end = from.options.find('\n', at);
        PetscCall(checked(k.by, k.by.options_set(made, from.options.substr(at, blank - at).c_str(),
                                                 from.options.substr(blank + 1, end - blank - 1).c_str())));
        at = end + 1;
    }
    PetscCall(checked(k.by, k.by.options_on_progress(made, after_step, ksp)));
    PetscCall(checked(k.by, k.by.options_on_interrupt(made, has_failed, ksp)));
    if (from.preconditioned) {
        PetscCall(checked(k.by, k.by.options_preconditioner(made, apply_m, apply_m_t, ksp)));
    }
    PetscCall(set_null_space(k.by, a, *made));
    if (from_guess) {
        PetscInt size = 0;
        const PetscScalar* guess = nullptr;
        PetscCall(VecGetLocalSize(ksp->vec_sol, &size));
        PetscCall(VecGetArrayRead(ksp->vec_sol, &guess));
        const int code = k.by.options_initial_guess(made, residua_doubles(guess), size);
        PetscCall(VecRestoreArrayRead(ksp->vec_sol, &guess));
        PetscCall(checked(k.by, code));
    }
    handle<residua_system> system(nullptr, nullptr);
    PetscCall(read_matrix(k.by, a, system));
    residua_solver* solver = nullptr;
    PetscCall(checked(k.by, k.by.solver_new(system.get(), made, &solver)));
    k.solver = handle<residua_solver>(solver, k.by.solver_free);
    k.from = from_guess ? made_of{} : from;
    return 0;
}

PetscErrorCode set_up(KSP ksp)
{
    krylov& k = data_of(ksp);
    Mat a = nullptr;
    PetscCall(KSPGetOperators(ksp, &a, nullptr));
    PetscCall(require_stored_matrix(a));
    if (ksp->dscale == PETSC_TRUE) {
        SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP,
                "residua scales by powers of two itself: leave out -ksp_diagonal_scale");
    }
    if (ksp->converged != KSPConvergedDefault) {
        SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP,
                "residua has a stopping test of its own, by -ksp_residua_digits, or by -ksp_rtol and -ksp_atol with "
                "-ksp_residua_digits 0: it takes no other KSPSetConvergenceTest()");
    }
    PetscInt size = 0;
    PetscCall(MatGetSize(a, &size, nullptr));
    for (Vec* const each : {&k.r, &k.z}) {
        PetscCall(VecDestroy(each));
        PetscCall(VecCreateSeqWithArray(PetscObjectComm(object_of(ksp)), 1, size, nullptr, each));
    }
    return without_exceptions([&] { return make_solver(ksp, false); });
}

/// x, and beside it what a double does not hold of it: x + residua_x_low + residua_x_low_2 + ..., with the digits
/// that are right.
PetscErrorCode hand_out(KSP ksp, const solution& found)
{
    for (int term = 0;; ++term) {
        const std::string name = term < 2 ? "residua_x_low" : "residua_x_low_" + std::to_string(term);
        Vec into = ksp->vec_sol;
        if (term >= found.each) {  // of a solve before with more digits
            PetscObject older = nullptr;
            PetscCall(PetscObjectQuery(object_of(ksp), name.c_str(), &older));
            if (older == nullptr) {
                break;
            }
            PetscCall(PetscObjectCompose(object_of(ksp), name.c_str(), nullptr));
            continue;
        }
        if (term > 0) {
            PetscCall(VecDuplicate(ksp->vec_sol, &into));
        }
        PetscScalar* numbers = nullptr;
        PetscCall(VecGetArrayWrite(into, &numbers));
        for (std::size_t at = static_cast<std::size_t>(term), i = 0; at < found.terms.size();
             at += static_cast<std::size_t>(found.each), ++i) {
            numbers[i] = found.terms[at];
        }
        PetscCall(VecRestoreArrayWrite(into, &numbers));
        if (term > 0) {
            PetscCall(PetscObjectCompose(object_of(ksp), name.c_str(), reinterpret_cast<PetscObject>(into)));
            PetscCall(VecDestroy(&into));
        }
    }
    Vec digits = nullptr;
    PetscCall(VecCreateSeq(PETSC_COMM_SELF, 1, &digits));
    PetscCall(VecSet(digits, found.digits));
    PetscCall(PetscObjectCompose(object_of(ksp), "residua_digits", reinterpret_cast<PetscObject>(digits)));
    PetscCall(VecDestroy(&digits));
    return 0;
}

/// Why a solve ended, in PETSc's words. A solve that was asked for digits and cannot say that it has them has not
/// converged.
KSPConvergedReason reason_of(KSP ksp, const solution& found)
{
    const krylov& k = data_of(ksp);
    if (found.status == RESIDUA_CONVERGED) {
        return k.digits == 0 ? (ksp->rnorm <= ksp->rtol * k.norm_of_b ? KSP_CONVERGED_RTOL : KSP_CONVERGED_ATOL)
               : found.digits >= k.digits ? KSP_CONVERGED_RTOL
                                          : KSP_DIVERGED_BREAKDOWN;
    }
    return found.status == RESIDUA_NOT_CONVERGED && ksp->its >= ksp->max_it ? KSP_DIVERGED_ITS : KSP_DIVERGED_BREAKDOWN;
}

PetscErrorCode solve_now(KSP ksp)
{
    krylov& k = data_of(ksp);
    PCFailedReason failure = PC_NOERROR;
    PetscCall(PCGetFailedReason(ksp->pc, &failure));
    if (failure != PC_NOERROR) {
        ksp->reason = KSP_DIVERGED_PC_FAILED;
        return 0;
    }
    PetscCall(make_solver(ksp, ksp->guess_zero != PETSC_TRUE));
    PetscCall(VecNorm(ksp->vec_rhs, NORM_2, &k.norm_of_b));
    k.failed = 0;
    ksp->its = 0;
    const int terms = std::clamp((static_cast<int>(k.digits) + 1) * 10 / 159 + 1, 2, most_terms);  // of 53 bits each
    solution found;
    Mat a = nullptr;
    PetscCall(KSPGetOperators(ksp, &a, nullptr));
    bool in_range = false;
    PetscCall(range_is_known(a, ksp->transpose_solve == PETSC_TRUE, in_range));
    const PetscScalar* of_b = nullptr;
    PetscInt size = 0;
    PetscCall(VecGetLocalSize(ksp->vec_rhs, &size));
    PetscCall(VecGetArrayRead(ksp->vec_rhs, &of_b));
    int terms_of_b = 1;
    const std::vector<double> b =
        in_range && size > 0 ? without_mean(of_b, size, terms + 18, terms_of_b) : std::vector<double>();
    const PetscErrorCode code =
        solve(k.by, *k.solver, ksp->transpose_solve == PETSC_TRUE,
              b.empty() ? residua_doubles(of_b) : residua_terms(b.data(), terms_of_b), size, terms, found);
    PetscCall(VecRestoreArrayRead(ksp->vec_rhs, &of_b));
    PetscCall(k.failed.load());
    PetscCall(code);
    k.report = found.report;
    k.found_digits = found.digits;
    ksp->its = static_cast<PetscInt>(number_in(found.report, "iterations"));
    ksp->rnorm = k.norm_of_b * number_in(found.report, "relative_residual");
    ksp->reason = reason_of(ksp, found);
    PetscCall(PetscInfo(ksp, "residua: %s\n", found.report.c_str()));
    return hand_out(ksp, found);
}

PetscErrorCode solve(KSP ksp)
{
    return without_exceptions([&] { return solve_now(ksp); });
}

PetscErrorCode set_from_options(KSP ksp, PetscOptionItems* PetscOptionsObject)
{
    krylov& k = data_of(ksp);
    PetscOptionsHeadBegin(PetscOptionsObject, "residua: digits beyond binary64");
    PetscCall(PetscOptionsInt("-ksp_residua_digits", "Correct decimal digits of x; 0: -ksp_rtol and -ksp_atol decide",
                              "", k.digits, &k.digits, nullptr));
    PetscCall(PetscOptionsString("-ksp_residua_method", "Method, by residua's name: auto, cg, gmres, refine, ...", "",
                                 k.method, k.method, sizeof k.method, nullptr));
    PetscCall(PetscOptionsString("-ksp_residua_precision", "Bits of the method, or auto", "", k.precision, k.precision,
                                 sizeof k.precision, nullptr));
    PetscOptionsHeadEnd();
    if (k.digits < 0) {
        SETERRQ(PETSC_COMM_SELF, PETSC_ERR_USER_INPUT, "-ksp_residua_digits %d: digits are 0 or more",
                static_cast<int>(k.digits));
    }
    ksp->setupstage = KSP_SETUP_NEW;  // what the options say is looked at by set_up()
    return 0;
}

PetscErrorCode view(KSP ksp, PetscViewer viewer)
{
    const krylov& k = data_of(ksp);
    PetscBool ascii = PETSC_FALSE;
    PetscCall(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(viewer), PETSCVIEWERASCII, &ascii));
    if (ascii == PETSC_TRUE) {
        PetscCall(PetscViewerASCIIPrintf(viewer, "  digits asked for: %d, method: %s, precision: %s\n",
                                         static_cast<int>(k.digits), k.method, k.precision));
    }
    if (ascii == PETSC_TRUE && !k.report.empty()) {
        PetscCall(PetscViewerASCIIPrintf(
            viewer, "  the last solve: %s by %s in %.0f bits, %d digits of x by its error estimate\n",
            text_in(k.report, "status").c_str(), text_in(k.report, "method").c_str(),
            number_in(k.report, "precision_bits"), k.found_digits));
        if (const std::string words = text_in(k.report, "message"); !words.empty()) {
            PetscCall(PetscViewerASCIIPrintf(viewer, "  %s\n", words.c_str()));
        }
    }
    return 0;
}

PetscErrorCode reset(KSP ksp)
{
    krylov& k = data_of(ksp);
    k.solver.reset();
    PetscCall(VecDestroy(&k.r));
    PetscCall(VecDestroy(&k.z));
    return 0;
}

PetscErrorCode destroy(KSP ksp)
{
    PetscCall(reset(ksp));
    delete static_cast<krylov*>(ksp->data);
    ksp->data = nullptr;
    return 0;
}

PetscErrorCode create(KSP ksp)
{
    const engine* by = nullptr;
    PetscCall(open_engine(&by));
    ksp->data = new krylov(*by);
    PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_UNPRECONDITIONED, PC_RIGHT, 3));
    PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_UNPRECONDITIONED, PC_LEFT, 2));
    ksp->ops->setup = set_up;
    ksp->ops->solve = solve;
    ksp->ops->reset = reset;
    ksp->ops->destroy = destroy;
    ksp->ops->setfromoptions = set_from_options;
    ksp->ops->view = view;
    ksp->ops->buildsolution = KSPBuildSolutionDefault;
    ksp->ops->buildresidual = KSPBuildResidualDefault;
    return 0;
}

}  // namespace

PetscErrorCode register_krylov() { return KSPRegister("residua", create); }

}  // namespace residua_petsc
