// The KSP type "residua": a program's matrix, right-hand side, preconditioner, null space and monitors, with a solver
// of residua's.
#include <algorithm>

#include "krylov.hpp"

namespace residua_petsc {
namespace {

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
    for (Vec* const each : {&k.r, &k.z}) {
        PetscCall(VecDestroy(each));
        PetscCall(MatCreateVecs(a, each, nullptr));
    }
    PetscCall(k.all.set_up(k.r));
    return without_exceptions([&] { return require_solver(ksp, false); });
}

/// x, and beside it what a double does not hold of it: x + residua_x_low + residua_x_low_2 + ..., with the digits
/// that are right.
PetscErrorCode hand_out(KSP ksp, const solution& found)
{
    krylov& k = data_of(ksp);
    std::vector<double> numbers;
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
        numbers.clear();
        for (std::size_t at = static_cast<std::size_t>(term); at < found.terms.size();
             at += static_cast<std::size_t>(found.each)) {
            numbers.push_back(found.terms[at]);
        }
        PetscCall(k.all.scatter(numbers, into));
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

/// On process 0: b and x are whole.
PetscErrorCode solve_whole(KSP ksp, std::span<const double> b, bool in_range, solution& found)
{
    krylov& k = data_of(ksp);
    const int terms = std::clamp((static_cast<int>(k.digits) + 1) * 10 / 159 + 1, 2, most_terms);  // of 53 bits each
    const auto size = static_cast<PetscInt>(b.size());
    int terms_of_b = 1;
    const std::vector<double> less_mean =
        in_range && size > 0 ? without_mean(b.data(), size, terms + 18, terms_of_b) : std::vector<double>();
    const residua_numbers numbers =
        less_mean.empty() ? residua_doubles(b.data()) : residua_terms(less_mean.data(), terms_of_b);
    const PetscErrorCode code = solve(k.by, *k.solver, ksp->transpose_solve == PETSC_TRUE, numbers, size, terms, found);
    PetscCall(k.failed.load());
    return code;
}

PetscErrorCode solve_now(KSP ksp)
{
    krylov& k = data_of(ksp);
    PCFailedReason failure = PC_NOERROR;
    PetscCall(PCGetFailedReason(ksp->pc, &failure));
    int is_failed = failure != PC_NOERROR ? 1 : 0;
    PetscCall(k.all.greatest(is_failed));
    if (is_failed != 0) {
        ksp->reason = KSP_DIVERGED_PC_FAILED;
        return 0;
    }
    PetscCall(require_solver(ksp, ksp->guess_zero != PETSC_TRUE));
    PetscCall(VecNorm(ksp->vec_rhs, NORM_2, &k.norm_of_b));
    k.failed = 0;
    ksp->its = 0;
    Mat a = nullptr;
    PetscCall(KSPGetOperators(ksp, &a, nullptr));
    bool in_range = false;
    PetscCall(range_is_known(a, ksp->transpose_solve == PETSC_TRUE, in_range));
    std::vector<double> b;
    PetscCall(k.all.gather(ksp->vec_rhs, b));
    solution found;
    PetscCall(k.all.lead([&] { return solve_whole(ksp, b, in_range, found); },
                         [&](const order& asked) { return serve(ksp, asked); }));
    PetscCall(k.all.share(&found.status, sizeof found.status));
    PetscCall(k.all.share(&found.digits, sizeof found.digits));
    PetscCall(k.all.share(&found.each, sizeof found.each));
    PetscCall(k.all.share(found.report));
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
    return k.all.reset();
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
