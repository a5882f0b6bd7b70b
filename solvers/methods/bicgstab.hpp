#pragma once

#include <residua/solvers/methods/krylov.hpp>
#include <residua/solvers/options/methods.hpp>
#include <residua/solvers/space/vector_space.hpp>

namespace residua {

/// The workspace of bicgstab, to be reused from call to call.
template <vector_space S>
struct bicgstab_workspace : krylov_workspace<S, 7, 7> {  // r'r, shadow'r, shadow'v, alpha, t't, t's, omega
    bicgstab_workspace(const S& space, index_t n) : krylov_workspace<S, 7, 7>(space, n) {}
};

/// Stabilised bi-conjugate gradients for A x = b, A any nonsingular matrix, preconditioned from
/// the right.
///
/// The host reads once an iteration: r'r and shadow'r of the new residual, and alpha and omega of
/// the step that led to it, with what they were made of. Only then is that step known to be good,
/// and x follows: one that is not leaves x as it was. Where the residual is rescaled, the first two
/// are computed and read again.
///
/// shapes   A (n x n), M (n x n), b (n), x (n); x is the initial guess on entry
/// stops    when ||r_k|| <= rule.relative_residual ||b|| (recurrence residual; to 0 if b = 0)
/// cost     per iteration: 2 A, 2 M, 5 dot, 6 axpy-like, 1 read; 8 vectors of work
/// reports  breakdown if a scalar of the recursion vanishes even after starting anew from the
///          current residual; stagnated as cg. x is then the iterate with the smallest residual
/// throws   never for lack of convergence
/// from     [vdV92]; preconditioned form [Saad03, Sec. 9.3]
template <vector_space S, linear_operator<S> A, linear_operator<S> M>
iteration_report bicgstab(const S& space, const A& a, const M& m, const typename S::vector& b, typename S::vector& x,
                          const stop_rule& rule, bicgstab_workspace<S>& work)
{
    using scalar = typename S::scalar;
    enum : index_t { square, product, projection, alpha, t_t, t_s, omega, count };  // the places of the scalars
    auto& r = work.vectors[0];
    auto& shadow = work.vectors[1];
    auto& p = work.vectors[2];
    auto& v = work.vectors[3];
    auto& t = work.vectors[4];
    auto& m_p = work.vectors[5];
    auto& s_hat = work.vectors[6];
    auto& s = work.scalars;
    const typename S::vector& p_hat = is_identity(m) ? p : m_p;
    const scalar one = space.make_scalar(1.0);
    const scalar zero = space.make_scalar(0.0);

    make_residual(space, a, x, b, t, r);  // r = b - A x
    scalar rho = one;
    const auto measure = [&] {
        space.dot(r, r, s, square);
        space.dot(shadow, r, s, product);
    };

    krylov_run run(space, b, x, rule, work.best);
    measure();
    const auto state = work.state(space, rho);
    for (index_t k = run.begin(state);; run.go_on(++k, state)) {
        auto now = space.fetched(s, count);  // with alpha and omega of the step to iterate k; x is still iterate k - 1
        if (k > 0 && (now[projection] == zero || !is_finite(now[projection]))) {
            return run.broken("the shadow residual became orthogonal to A M p");
        }
        if (k > 0 && (!is_finite(now[alpha]) || !is_finite(now[omega]))) {
            return run.broken(breakdowns::step_overflowed);
        }
        const real_scalar<S> norm = space.norm2(r, now[square]);
        run.observe(k, norm);
        if (k > 0) {
            space.axpy(run.unscaled(now[alpha]), p_hat, x);
            space.axpy(run.unscaled(now[omega]), s_hat, x);  // x = x + alpha M p + omega M s
        }
        if (run.ends()) {
            return run.report;
        }

        if (const int up = rescaling_exponent(norm); up != 0) {
            rho = rho * run.rescale(up, {&r, &p, &v});
            measure();
            now = space.fetched(s, count);
        }

        bool fresh = k == 0 || now[omega] == zero;  // p and the shadow residual are to be taken from r
        scalar rho_next = now[product];
        if (!fresh && rho_next == zero) {
            fresh = true;
            ++run.report.restarts;
        }
        if (fresh) {
            space.copy(r, shadow);
            space.copy(r, p);
            rho_next = now[square];
        } else {
            const scalar beta = (rho_next / rho) * (now[alpha] / now[omega]);
            space.axpy(-now[omega], v, p);
            space.xpay(r, beta, p);  // p = r + beta (p - omega v)
        }
        rho = rho_next;

        a.apply(space, applied(space, m, p, m_p), v);  // v = A M p
        space.dot(shadow, v, s, projection);
        space.divide(s, fresh ? square : product, projection, alpha);  // alpha = rho / shadow'v
        space.axmy(s, alpha, v, r);                                    // s = r - alpha v, kept in r

        m.apply(space, r, s_hat);
        a.apply(space, s_hat, t);  // t = A M s
        run.report.matvecs += 2;
        space.dot(t, t, s, t_t);
        space.dot(t, r, s, t_s);
        space.divide(s, t_s, t_t, omega);  // omega = t^H s / t^H t; t = 0 only if s = 0, or A is singular
        space.axmy(s, omega, t, r);        // r = s - omega t
        measure();
    }
}

/// The row of bicgstab in the registry.
struct bicgstab_method : method_of_a_and_m<bicgstab_method, bicgstab_workspace> {
    static constexpr method_traits traits{
        .method = method::bicgstab,
        .name = "bicgstab",
        .systems = "any",
        .step_cost = "2 products",
        .complex_scalars = true,
        .breaks_down_by_accident = true,
        .preconditioned = true,
        .preferred = preconditioner::ilu0,
        .memory = [](index_t, index_t) { return method_memory{.vectors = 8.0}; },
    };

    static iteration_report run(auto&... all) { return bicgstab(all...); }
};

}  // namespace residua
