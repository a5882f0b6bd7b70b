// The solver of the KSP type "residua", which calls the program's preconditioner and monitors.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "krylov.hpp"

namespace residua_petsc {
namespace {

/// Methods that take a preconditioner of the caller's.
bool is_preconditioned(const std::string& method)
{
    const std::vector<std::string> others{"direct", "refine", "gmres-ir", "lsqr"};
    return std::find(others.begin(), others.end(), method) == others.end();
}

/// A step, on all processes: the program's monitors and its history of residuals.
PetscErrorCode tell_step(KSP ksp, PetscInt iteration, double norm)
{
    ksp->its = iteration;
    ksp->rnorm = norm;
    PetscCall(KSPLogResidualHistory(ksp, norm));
    PetscCall(KSPMonitor(ksp, iteration, norm));
    return 0;
}

/// Applies the program's preconditioner on all processes: z = M r or M'r. r and z are whole, and process 0 has them.
PetscErrorCode apply_pc(KSP ksp, order_kind what, std::span<const double> r, std::span<double> z)
{
    krylov& k = data_of(ksp);
    PetscCall(k.all.scatter(r, k.r));
    PetscCall(what == order_kind::apply ? PCApply(ksp->pc, k.r, k.z) : PCApplyTranspose(ksp->pc, k.r, k.z));
    return k.all.gather(k.z, z);
}

/// residua's callback after a step.
void after_step(const residua_progress* step, void* user)
{
    const auto ksp = static_cast<KSP>(user);
    krylov& k = data_of(ksp);
    const auto tell = [&]() -> PetscErrorCode {
        const auto iteration = static_cast<PetscInt>(step->iteration);
        const double norm = k.norm_of_b * (std::isnan(step->true_residual) ? step->residual : step->true_residual);
        PetscCall(k.all.ask({order_kind::step, iteration, norm}));
        return tell_step(ksp, iteration, norm);
    };
    k.failed = k.failed == 0 ? tell() : k.failed.load();
}

int has_failed(void* user) { return data_of(static_cast<KSP>(user)).failed != 0 ? 1 : 0; }

int preconditioned(KSP ksp, order_kind what, const double* r, double* z, std::int64_t n)
{
    krylov& k = data_of(ksp);
    const auto compute = [&]() -> PetscErrorCode {
        const auto size = static_cast<std::size_t>(n);
        PetscCall(k.all.ask({.what = what}));
        return apply_pc(ksp, what, {r, size}, {z, size});
    };
    k.failed = k.failed == 0 ? compute() : k.failed.load();
    return k.failed == 0 ? 0 : 1;
}

int apply_m(const double* r, double* z, std::int64_t n, void* user)
{
    return preconditioned(static_cast<KSP>(user), order_kind::apply, r, z, n);
}

int apply_m_t(const double* r, double* z, std::int64_t n, void* user)
{
    return preconditioned(static_cast<KSP>(user), order_kind::apply_transposed, r, z, n);
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

/// What process 0 makes a solver of, beside the options.
struct whole_system {
    Mat a = nullptr;
    std::vector<double> null_space;
    PetscInt null_vectors = 0;
    std::vector<double> guess;  ///< empty: zero
};

PetscErrorCode read_whole_system(KSP ksp, Mat a, bool from_guess, whole_system& whole)
{
    krylov& k = data_of(ksp);
    PetscCall(read_null_space(a, k.all, whole.null_space, whole.null_vectors));
    if (from_guess) {
        PetscCall(k.all.gather(ksp->vec_sol, whole.guess));
    }
    return whole_matrix(a, &whole.a);
}

/// On process 0.
PetscErrorCode make_solver(KSP ksp, const made_of& from, const whole_system& whole)
{
    krylov& k = data_of(ksp);
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
    PetscInt rows = 0;
    PetscCall(MatGetSize(whole.a, &rows, nullptr));
    if (whole.null_vectors > 0) {
        PetscCall(checked(
            k.by, k.by.options_null_space(made, residua_doubles(whole.null_space.data()), rows, whole.null_vectors)));
    }
    if (!whole.guess.empty()) {
        PetscCall(checked(k.by, k.by.options_initial_guess(made, residua_doubles(whole.guess.data()), rows)));
    }
    handle<residua_system> system(nullptr, nullptr);
    PetscCall(read_matrix(k.by, whole.a, system));
    residua_solver* solver = nullptr;
    PetscCall(checked(k.by, k.by.solver_new(system.get(), made, &solver)));
    k.solver = handle<residua_solver>(solver, k.by.solver_free);
    return 0;
}

}  // namespace

PetscErrorCode serve(KSP ksp, const order& asked)
{
    return asked.what == order_kind::step ? tell_step(ksp, asked.iteration, asked.norm)
                                          : apply_pc(ksp, asked.what, {}, {});
}

PetscErrorCode require_solver(KSP ksp, bool from_guess)
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
    bool is_kept = k.solver != nullptr && from == k.from && !from_guess;
    PetscCall(k.all.share(&is_kept, sizeof is_kept));
    if (is_kept) {
        return 0;
    }
    k.solver.reset();
    whole_system whole;
    PetscCall(read_whole_system(ksp, a, from_guess, whole));
    const PetscErrorCode code = k.all.lead([&] { return make_solver(ksp, from, whole); },
                                           [&](const order& asked) { return serve(ksp, asked); });
    PetscCall(MatDestroy(&whole.a));
    PetscCall(code);
    k.from = from_guess ? made_of{} : from;
    return 0;
}

}  // namespace residua_petsc
