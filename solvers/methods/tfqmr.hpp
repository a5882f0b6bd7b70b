#pragma once

#include <residua/solvers/methods/krylov.hpp>
#include <residua/solvers/options/methods.hpp>
#include <residua/solvers/space/vector_space.hpp>

namespace residua {

/// The workspace of tfqmr, to be reused from call to call.
template <vector_space S>
struct tfqmr_workspace : krylov_workspace<S, 8, 4> {  // w'w, shadow'w, shadow'v, alpha
    tfqmr_workspace(const S& space, index_t n) : krylov_workspace<S, 8, 4>(space, n) {}
};

/// Transpose-free quasi-minimal residuals for A x = b, A any nonsingular matrix, preconditioned from the right.
///
/// The steps u_k of the squared conjugate gradients, two with each alpha, lead to residuals w_k, which jump; x_k is what
/// minimises a bound of the residual over them. Its own residual follows from theirs by one vector operation,
/// r_k = s^2 r_{k-1} + c^2 w_k with the rotation (c, s) of step k, so that the stopping test has its 2-norm and not the
/// bound only. An iteration is one of the two steps.
///
/// shapes   A (n x n), M (n x n), b (n), x (n); x is the initial guess on entry
/// stops    when ||r_k|| <= rule.relative_residual ||b|| (recurrence residual; to 0 if b = 0)
/// cost     per iteration: 1 A, 1 M, 2 dot, 1 norm, 7 axpy-like, 2 reads; 9 vectors of work
/// reports  breakdown if shadow'v vanishes or a step overflows; where shadow'w vanishes it starts anew from the current
///          residual, a restart; stagnated as cg. x is then the iterate with the smallest recurrence residual
/// throws   never for lack of convergence
/// from     [Fre93], [Saad03, Alg. 7.8]; r_k as a smoothed residual [ZW94]
template <vector_space S, linear_operator<S> A, linear_operator<S> M>
iteration_report tfqmr(const S& space, const A& a, const M& m, const typename S::vector& b, typename S::vector& x,
                       const stop_rule& rule, tfqmr_workspace<S>& work)
{
    using scalar = typename S::scalar;
    enum : index_t { square, product, projection, alpha, count };  // the places of the scalars
    auto& [r, shadow, w, u, m_u, q, v, d] = work.vectors;
    auto& s = work.scalars;
    const typename S::vector& u_hat = is_identity(m) ? u : m_u;
    const scalar one = space.make_scalar(1.0);
    const scalar zero = space.make_scalar(0.0);
    using real_number = real_scalar<S>;

    make_residual(space, a, x, b, q, r);  // r = b - A x
    space.fill(zero, d);
    real_number tau = real_part(zero);  // the bound that is minimised, without its sqrt(k + 1)
    scalar carried = zero;              // s^2 alpha: divided by the next alpha, what d keeps of itself
    scalar eta = zero;                  // the step to iterate k, along d
    scalar rho = one;                   // shadow'w of the pair of steps at work
    scalar rho_next = zero;             // rho of the next pair of steps

    krylov_run run(space, b, x, rule, work.best);
    const auto state = work.state(space, tau, carried, eta, rho, rho_next);
    for (index_t k = run.begin(state);; run.go_on(++k, state)) {
        real_number norm = space.norm2(r);
        run.observe(k, norm);  // x is still iterate k - 1
        if (k > 0 && run.finite()) {
            space.axpy(run.unscaled(eta), d, x);
        }
        if (run.ends()) {
            return run.report;
        }

        if (const int up = rescaling_exponent(norm); up != 0) {
            run.rescale(up, {&r, &w, &u, &q, &v, &d});
            norm = ldexp(norm, up);
            tau = ldexp(tau, up);
            rho = ldexp(rho, up);
            rho_next = ldexp(rho_next, up);
            space.dot(shadow, w, s, product);
        }

        const bool first = k % 2 == 0;  // whether it is the first of the two steps with one alpha
        if (!first) {
            space.axmy(s, alpha, v, u);  // u = u - alpha v
            a.apply(space, applied(space, m, u, m_u), q);
        } else if (k == 0 || rho_next == zero) {
            for (typename S::vector* const start : {&shadow, &w, &u}) {
                space.copy(r, *start);
            }
            tau = norm;
            carried = zero;
            space.dot(shadow, w, s, product);
            run.report.restarts += k > 0 ? 1 : 0;
            a.apply(space, applied(space, m, u, m_u), q);
            space.copy(q, v);
        } else {
            const scalar beta = rho_next / rho;
            space.xpay(w, beta, u);
            space.xpay(q, beta, v);
            a.apply(space, applied(space, m, u, m_u), q);  // q = A M u
            space.xpay(q, beta, v);                        // v = A M u + beta (A M u_before + beta v)
        }
        ++run.report.matvecs;
        if (first) {
            space.dot(shadow, v, s, projection);
            space.divide(s, product, projection, alpha);  // alpha = rho / shadow'v
        }
        space.axmy(s, alpha, q, w);  // w = w - alpha A M u
        space.dot(w, w, s, square);
        if (!first) {
            space.dot(shadow, w, s, product);
        }
        const auto now = space.fetched(s, count);
        if (now[projection] == zero || !is_finite(now[projection])) {
            return run.broken("the shadow residual became orthogonal to A M u");
        }
        if (!is_finite(now[alpha])) {
            return run.broken(breakdowns::step_overflowed);
        }
        (first ? rho : rho_next) = now[product];
        const real_number norm_w = space.norm2(w, now[square]);
        const real_number root = sqrt(tau * tau + norm_w * norm_w);
        const real_number c = tau / root;
        const real_number sine = norm_w / root;
        const real_number new_share = c * c;
        const real_number old_share = sine * sine;
        space.xpay(u_hat, carried / now[alpha], d);
        eta = new_share * now[alpha];
        carried = old_share * now[alpha];
        tau = sine * tau;
        space.scal(old_share, r);
        space.axpy(new_share, w, r);  // r = s^2 r + c^2 w
    }
}

/// The row of tfqmr in the registry.
struct tfqmr_method : method_of_a_and_m<tfqmr_method, tfqmr_workspace> {
    static constexpr method_traits traits{
        .method = method::tfqmr,
        .name = "tfqmr",
        .systems = "any",
        .step_cost = "1 product",
        .complex_scalars = true,
        .breaks_down_by_accident = true,
        .preconditioned = true,
        .preferred = preconditioner::ilu0,
        .memory = [](index_t, index_t) { return method_memory{.vectors = 9.0}; },
    };

    static iteration_report run(auto&... all) { return tfqmr(all...); }
};

}  // namespace residua
