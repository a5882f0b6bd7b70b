#pragma once

#include <cmath>
#include <limits>

#include <residua/solvers/methods/best_iterate.hpp>
#include <residua/solvers/methods/method_problem.hpp>
#include <residua/solvers/methods/registry.hpp>
#include <residua/solvers/methods/stop.hpp>
#include <residua/solvers/space/vector_space.hpp>

namespace residua {

/// What tfqmr works on, to be reused from call to call.
template <vector_space S>
struct tfqmr_workspace {
    typename S::vector r, shadow, w, u, m_u, q, v, d;
    typename S::scalars scalars;  // w'w, shadow'w, shadow'v and alpha
    best_iterate<S> best;

    tfqmr_workspace(const S& space, index_t n)
        : r(space.make_vector(n)),
          shadow(space.make_vector(n)),
          w(space.make_vector(n)),
          u(space.make_vector(n)),
          m_u(space.make_vector(n)),
          q(space.make_vector(n)),
          v(space.make_vector(n)),
          d(space.make_vector(n)),
          scalars(space.make_scalars(4)),
          best(space, n)
    {}
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
    auto& [r, shadow, w, u, m_u, q, v, d, s, best] = work;
    const typename S::vector& u_hat = is_identity(m) ? u : m_u;
    const scalar one = space.make_scalar(1.0);
    const scalar zero = space.make_scalar(0.0);

    make_residual(space, a, x, b, q, r);  // r = b - A x
    space.fill(zero, d);
    scalar tau = zero;       // the bound that is minimised, without its sqrt(k + 1)
    scalar carried = zero;   // s^2 alpha: divided by the next alpha, what d keeps of itself
    scalar eta = zero;       // of the step to iterate k, along d
    scalar rho = one;        // shadow'w of the pair of steps at work
    scalar rho_next = zero;  // and of the next one
    int shift = 0;           // r, w, u, q, v, d and tau hold 2^shift times those of the recursion

    const scalar norm_b = space.norm2(b);
    const scalar scale = zero < norm_b ? norm_b : one;
    best.start(space.size(b));

    iteration_report report;
    report.matvecs = 1;
    for (index_t k = 0;; ++k) {
        scalar norm = space.norm2(r);
        report.iterations = k;
        const double residual =
            is_finite(norm) ? residual_ratio(norm, scale, shift) : std::numeric_limits<double>::infinity();
        best.observe(space, k, residual, x);  // x is still iterate k - 1
        if (!is_finite(norm)) {
            return best.finish(space, x, report, solve_status::breakdown,
                               "a NaN or an infinity appeared in the residual");
        }
        if (k > 0) {
            space.axpy(ldexp(eta, -shift), d, x);
        }
        if (const auto stop = check(rule, k, residual, best)) {
            return best.finish(space, x, report, *stop);
        }

        if (const int up = rescaling_exponent(norm); up != 0) {
            const scalar factor = space.make_scalar(std::ldexp(1.0, up));
            for (typename S::vector* const each : {&r, &w, &u, &q, &v, &d}) {
                space.scal(factor, *each);
            }
            for (scalar* const each : {&norm, &tau, &rho, &rho_next}) {
                *each = ldexp(*each, up);
            }
            space.dot(shadow, w, s, product);
            shift += up;
        }

        const bool first = k % 2 == 0;  // of the two steps with one alpha
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
            report.restarts += k > 0 ? 1 : 0;
            a.apply(space, applied(space, m, u, m_u), q);
            space.copy(q, v);
        } else {
            const scalar beta = rho_next / rho;
            space.xpay(w, beta, u);
            space.xpay(q, beta, v);
            a.apply(space, applied(space, m, u, m_u), q);  // q = A M u
            space.xpay(q, beta, v);                        // v = A M u + beta (A M u_before + beta v)
        }
        ++report.matvecs;
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
            return best.finish(space, x, report, solve_status::breakdown,
                               "the shadow residual became orthogonal to A M u");
        }
        if (!is_finite(now[alpha])) {
            return best.finish(space, x, report, solve_status::breakdown,
                               "a step overflowed: the matrix is too close to zero for the format");
        }
        (first ? rho : rho_next) = now[product];
        const scalar norm_w = space.norm2(w, now[square]);
        const scalar root = sqrt(tau * tau + norm_w * norm_w);
        const scalar c = tau / root;
        const scalar sine = norm_w / root;
        const scalar new_share = c * c;
        const scalar old_share = sine * sine;
        space.xpay(u_hat, carried / now[alpha], d);
        eta = new_share * now[alpha];
        carried = old_share * now[alpha];
        tau = sine * tau;
        space.scal(old_share, r);
        space.axpy(new_share, w, r);  // r = s^2 r + c^2 w
    }
}

/// tfqmr in the registry.
struct tfqmr_method {
    static constexpr method_traits traits{
        .method = method::tfqmr,
        .name = "tfqmr",
        .systems = "any",
        .step_cost = "1 product",
        .breaks_down_by_accident = true,
        .preconditioned = true,
        .preferred = preconditioner::ilu0,
        .memory = [](index_t, index_t) { return method_memory{.vectors = 9.0}; },
    };

    template <vector_space S>
    using workspace = tfqmr_workspace<S>;

    template <vector_space S>
    static workspace<S> make_workspace(const S& space, const method_problem<S>& problem)
    {
        return {space, problem.rows};
    }

    template <vector_space S>
    static iteration_report run(const S& space, const method_problem<S>& problem, const typename S::vector& b,
                                typename S::vector& x, const stop_rule& rule, workspace<S>& work)
    {
        return tfqmr(space, problem.a, problem.m, b, x, rule, work);
    }
};

}  // namespace residua
