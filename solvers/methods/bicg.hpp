#pragma once

#include <cmath>

#include <residua/solvers/methods/krylov.hpp>
#include <residua/solvers/options/methods.hpp>
#include <residua/solvers/space/vector_space.hpp>

namespace residua {

/// The workspace of bicg, to be reused from call to call.
template <vector_space S>
struct bicg_workspace : krylov_workspace<S, 8, 4> {  // r'r, shadow'z, p_shadow'q, alpha
    bicg_workspace(const S& space, index_t n) : krylov_workspace<S, 8, 4>(space, n) {}
};

/// Bi-conjugate gradients for A x = b, A any nonsingular matrix: r and the residual of a system with A' beside it, the
/// shadow, are made orthogonal to all before of the other kind. a_t and m_t are A' and M'. For complex matrices ' is ^H
/// here, and the recursion of the shadow has the conjugates of the scalars.
///
/// The host reads once an iteration: r'r and shadow'M r of the new residuals, and p_shadow'A p and alpha of the step that
/// led to them. Only then is that step known to be good, and x follows: one that is not leaves x as it was. Where the
/// residual is rescaled, the shadow is too, and the first two are computed and read again.
///
/// shapes   A, A', M and M' (n x n), b (n), x (n); x is the initial guess on entry
/// stops    when ||r_k|| <= rule.relative_residual ||b|| (recurrence residual; to 0 if b = 0)
/// cost     per iteration: 1 A, 1 A', 1 M, 1 M', 3 dot, 5 axpy-like, 1 read; 9 vectors of work
/// reports  breakdown if p_shadow'A p vanishes, or shadow'M r even after starting anew from the current residual;
///          stagnated as cg. x is then the iterate with the smallest recurrence residual
/// throws   never for lack of convergence
/// from     [Fle76]; preconditioned form [BBC+94, Sec. 2.3.5]
template <vector_space S, linear_operator<S> A, linear_operator<S> At, linear_operator<S> M, linear_operator<S> Mt>
iteration_report bicg(const S& space, const A& a, const At& a_t, const M& m, const Mt& m_t, const typename S::vector& b,
                      typename S::vector& x, const stop_rule& rule, bicg_workspace<S>& work)
{
    using scalar = typename S::scalar;
    enum : index_t { square, product, curvature, step, count };  // the places of the scalars
    auto& r = work.vectors[0];
    auto& m_r = work.vectors[1];
    auto& p = work.vectors[2];
    auto& q = work.vectors[3];
    auto& shadow = work.vectors[4];
    auto& m_shadow = work.vectors[5];
    auto& p_shadow = work.vectors[6];
    auto& q_shadow = work.vectors[7];
    auto& s = work.scalars;
    const scalar one = space.make_scalar(1.0);
    const scalar zero = space.make_scalar(0.0);
    const typename S::vector& z = is_identity(m) ? r : m_r;

    make_residual(space, a, x, b, q, r);  // r = b - A x
    space.copy(r, shadow);
    scalar rho = one;
    const auto measure = [&] {
        space.dot(r, r, s, square);
        space.dot(shadow, applied(space, m, r, m_r), s, product);
    };

    krylov_run run(space, b, x, rule, work.best);
    measure();
    const auto state = work.state(space, rho);
    for (index_t k = run.begin(state);; run.go_on(++k, state)) {
        auto now = space.fetched(s, count);  // with alpha of the step to iterate k; x is still iterate k - 1
        if (k > 0 && (now[curvature] == zero || !is_finite(now[curvature]))) {
            return run.broken("the shadow direction became orthogonal to A p");
        }
        if (k > 0 && !is_finite(now[step])) {
            return run.broken(breakdowns::step_overflowed);
        }
        const real_scalar<S> norm = space.norm2(r, now[square]);
        if (run.ends(k, norm, [&] { space.axpy(run.unscaled(now[step]), p, x); })) {  // x = x + alpha p
            return run.report;
        }

        if (const int up = rescaling_exponent(norm); up != 0) {
            // the shadows hold some other multiple of the vectors of the recursion
            const real_scalar<S> norm_shadow = space.norm2(shadow);
            const bool finite = real_part(zero) < norm_shadow && is_finite(norm_shadow);
            const int shadow_up = finite ? rescaling_exponent(norm_shadow) : 0;
            const scalar shadow_factor = space.make_scalar(std::ldexp(1.0, shadow_up));
            run.rescale(up, {&r, &p});
            space.scal(shadow_factor, shadow);
            space.scal(shadow_factor, p_shadow);
            rho = ldexp(rho, up + shadow_up);
            measure();
            now = space.fetched(s, count);
        }

        bool fresh = k == 0;  // the shadow and both directions are to be taken from r
        if (!fresh && now[product] == zero) {
            fresh = true;
            ++run.report.restarts;
            space.copy(r, shadow);
            measure();
            now = space.fetched(s, count);
        }
        if (now[product] == zero || !is_finite(now[product])) {
            return run.broken("the shadow residual became orthogonal to the residual, also after starting anew");
        }
        const typename S::vector& z_shadow = applied(space, m_t, shadow, m_shadow);
        if (fresh) {
            space.copy(z, p);
            space.copy(z_shadow, p_shadow);
        } else {
            const scalar beta = now[product] / rho;
            space.xpay(z, beta, p);
            space.xpay(z_shadow, conjugate(beta), p_shadow);
        }
        rho = now[product];

        a.apply(space, p, q);
        a_t.apply(space, p_shadow, q_shadow);
        run.report.matvecs += 2;
        space.dot(p_shadow, q, s, curvature);
        space.divide(s, product, curvature, step);  // alpha = rho / p_shadow'A p
        space.axmy(s, step, q, r);
        axmy_conjugate(space, s, step, q_shadow, shadow);
        measure();
    }
}

/// The row of bicg in the registry.
struct bicg_method {
    static constexpr method_traits traits{
        .method = method::bicg,
        .name = "bicg",
        .systems = "any; A' is kept beside A, and M' beside M",
        .step_cost = "1 product with A, 1 with A'",
        .transpose = true,
        .complex_scalars = true,
        .breaks_down_by_accident = true,
        .preconditioned = true,
        .preferred = preconditioner::ilu0,
        .memory = [](index_t, index_t) { return method_memory{.vectors = 9.0}; },
    };

    static auto make_workspace(const auto& space, const auto& of) { return bicg_workspace(space, of.rows); }

    static iteration_report run_method(const auto& space, const auto& of, const auto& at, auto& work)
    {
        return bicg(space, of.a, of.a_t, of.m, of.m_t, at.b, at.x, at.rule, work);
    }
};

}  // namespace residua
