#pragma once

#include <residua/solvers/methods/krylov.hpp>
#include <residua/solvers/space/vector_space.hpp>

namespace residua {

/// The workspace of fcg and of cg, to be reused from call to call.
template <vector_space S>
struct cg_workspace : krylov_workspace<S, 4, 5> {  // r'r, p'q, alpha, r'z, of fcg also z'q
    cg_workspace(const S& space, index_t n) : krylov_workspace<S, 4, 5>(space, n) {}
};

/// Flexible conjugate gradients for A x = b, A symmetric positive definite, where M may be another map in every step:
/// an iteration of its own, say.
///
/// A direction is p_k = z_k - (z_k'q_(k-1) / p_(k-1)'q_(k-1)) p_(k-1), z_k = M r_k and q = A p: orthogonal in A to the
/// one before whatever M is, where cg's beta assumes one symmetric M for that. It is the same as z_k'(r_k - r_(k-1)) /
/// (z_(k-1)'r_(k-1)), and needs no residual but the last. Orthogonalisation against more directions than one would keep
/// them and their products: where that is worth it, use gmres with a flexible workspace. With a fixed M it is cg but
/// for rounding errors.
///
/// The host reads once an iteration, as in cg.
///
/// shapes   A (n x n), M (n to n), b (n), x (n); x is the initial guess on entry
/// stops    when ||r_k|| <= rule.relative_residual ||b|| (recurrence residual; to 0 if b = 0)
/// cost     per iteration: 1 A, 1 M, 4 dot, 3 axpy-like, 1 read; M once more at the end; 5 vectors of work
/// reports  breakdown if p'Ap <= 0 or r'Mr <= 0: A is not positive definite, or M of no use; stagnated as cg. x is then
///          the iterate with the smallest recurrence residual
/// throws   never for lack of convergence
/// from     [Not00], with m_max = 1; beta of the residuals [GY99]
template <vector_space S, linear_operator<S> A, linear_operator<S> M>
iteration_report fcg(const S& space, const A& a, const M& m, const typename S::vector& b, typename S::vector& x,
                     const stop_rule& rule, cg_workspace<S>& work)
{
    using scalar = typename S::scalar;
    enum : index_t { square, curvature, step, r_z, z_q, count };  // the places of the scalars
    auto& r = work.vectors[0];
    auto& z = work.vectors[1];
    auto& p = work.vectors[2];
    auto& q = work.vectors[3];
    auto& s = work.scalars;
    const scalar zero = space.make_scalar(0.0);

    make_residual(space, a, x, b, q, r);  // r = b - A x
    space.fill(zero, p);
    space.fill(zero, q);
    const auto measure = [&] {
        space.dot(r, r, s, square);
        space.dot(r, z, s, r_z);
        space.dot(z, q, s, z_q);
    };

    krylov_run run(space, b, x, rule, work.best);
    m.apply(space, r, z);
    measure();
    const auto state = work.state(space);
    for (index_t k = run.begin(state);; run.go_on(++k, state)) {
        auto now = space.fetched(s, count);  // with p'q and alpha of the step to iterate k; x is still iterate k - 1
        if (k > 0 && !(zero < now[curvature])) {
            return run.broken(breakdowns::matrix_not_definite);
        }
        if (k > 0 && !is_finite(now[step])) {
            return run.broken(breakdowns::cg_step_overflowed);
        }
        const scalar norm = space.norm2(r, now[square]);
        if (run.ends(k, norm, [&] { space.axpy(run.unscaled(now[step]), p, x); })) {  // x = x + alpha p
            return run.report;
        }

        if (const int up = rescaling_exponent(norm); up != 0) {
            run.rescale(up, {&r});  // z and p may have any length
            measure();
            now = space.fetched(s, count);
        }

        if (!(zero < now[r_z])) {
            return run.broken(breakdowns::preconditioner_not_definite);
        }
        space.xpay(z, k == 0 ? zero : -(now[z_q] / now[curvature]), p);  // p = z + beta p

        a.apply(space, p, q);  // q = A p
        ++run.report.matvecs;
        space.dot(p, q, s, curvature);
        space.divide(s, r_z, curvature, step);  // alpha = r'z / p'q
        space.axmy(s, step, q, r);              // r = r - alpha q
        m.apply(space, r, z);
        measure();
    }
}

}  // namespace residua
