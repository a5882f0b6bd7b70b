#pragma once

#include <cmath>
#include <limits>

#include <residua/solvers/methods/best_iterate.hpp>
#include <residua/solvers/methods/method_problem.hpp>
#include <residua/solvers/methods/registry.hpp>
#include <residua/solvers/methods/stop.hpp>
#include <residua/solvers/space/vector_space.hpp>

namespace residua {

/// What bicgstab works on, to be reused from call to call.
template <vector_space S>
struct bicgstab_workspace {
    typename S::vector r, shadow, p, v, t, m_p, s_hat;
    typename S::scalars scalars;  // r'r, shadow'r, shadow'v, alpha, t't, t's and omega
    best_iterate<S> best;

    bicgstab_workspace(const S& space, index_t n)
        : r(space.make_vector(n)),
          shadow(space.make_vector(n)),
          p(space.make_vector(n)),
          v(space.make_vector(n)),
          t(space.make_vector(n)),
          m_p(space.make_vector(n)),
          s_hat(space.make_vector(n)),
          scalars(space.make_scalars(7)),
          best(space, n)
    {}
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
    auto& [r, shadow, p, v, t, m_p, s_hat, s, best] = work;
    const typename S::vector& p_hat = is_identity(m) ? p : m_p;
    const scalar one = space.make_scalar(1.0);
    const scalar zero = space.make_scalar(0.0);

    make_residual(space, a, x, b, t, r);  // r = b - A x
    scalar rho = one;
    int shift = 0;  // r, p and v hold 2^shift times the vectors of the recursion
    const auto measure = [&] {
        space.dot(r, r, s, square);
        space.dot(shadow, r, s, product);
    };

    const scalar norm_b = space.norm2(b);
    const scalar scale = zero < norm_b ? norm_b : one;
    best.start(space.size(b));

    iteration_report report;
    report.matvecs = 1;
    measure();
    for (index_t k = 0;; ++k) {
        auto now = space.fetched(s, count);  // with alpha and omega of the step to iterate k; x is still iterate k - 1
        if (k > 0 && (now[projection] == zero || !is_finite(now[projection]))) {
            return best.finish(space, x, report, solve_status::breakdown,
                               "the shadow residual became orthogonal to A M p");
        }
        if (k > 0 && (!is_finite(now[alpha]) || !is_finite(now[omega]))) {
            return best.finish(space, x, report, solve_status::breakdown,
                               "a step overflowed: the matrix is too close to zero for the format");
        }
        const scalar norm = space.norm2(r, now[square]);
        report.iterations = k;
        const double residual =
            is_finite(norm) ? residual_ratio(norm, scale, shift) : std::numeric_limits<double>::infinity();
        best.observe(space, k, residual, x);
        if (k > 0) {
            space.axpy(ldexp(now[alpha], -shift), p_hat, x);
            space.axpy(ldexp(now[omega], -shift), s_hat, x);  // x = x + alpha M p + omega M s
        }
        if (!is_finite(norm)) {
            return best.finish(space, x, report, solve_status::breakdown,
                               "a NaN or an infinity appeared in the residual");
        }
        if (const auto stop = check(rule, k, residual, best)) {
            return best.finish(space, x, report, *stop);
        }

        if (const int up = rescaling_exponent(norm); up != 0) {
            const scalar factor = space.make_scalar(std::ldexp(1.0, up));
            space.scal(factor, r);
            space.scal(factor, p);
            space.scal(factor, v);
            rho = rho * factor;
            shift += up;
            measure();
            now = space.fetched(s, count);
        }

        bool fresh = k == 0 || now[omega] == zero;  // p and the shadow residual are to be taken from r
        scalar rho_next = now[product];
        if (!fresh && rho_next == zero) {
            fresh = true;
            ++report.restarts;
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
        report.matvecs += 2;
        space.dot(t, t, s, t_t);
        space.dot(t, r, s, t_s);
        space.divide(s, t_s, t_t, omega);  // omega = t's / t't; t = 0 only if s = 0, or A is singular
        space.axmy(s, omega, t, r);        // r = s - omega t
        measure();
    }
}

/// bicgstab in the registry.
struct bicgstab_method {
    static constexpr method_traits traits{
        .method = method::bicgstab,
        .name = "bicgstab",
        .systems = "any",
        .step_cost = "2 products",
        .breaks_down_by_accident = true,
        .preconditioned = true,
        .preferred = preconditioner::ilu0,
        .memory = [](index_t, index_t) { return method_memory{.vectors = 8.0}; },
    };

    template <vector_space S>
    using workspace = bicgstab_workspace<S>;

    template <vector_space S>
    static workspace<S> make_workspace(const S& space, const method_problem<S>& problem)
    {
        return {space, problem.rows};
    }

    template <vector_space S>
    static iteration_report run(const S& space, const method_problem<S>& problem, const typename S::vector& b,
                                typename S::vector& x, const stop_rule& rule, workspace<S>& work)
    {
        return bicgstab(space, problem.a, problem.m, b, x, rule, work);
    }
};

}  // namespace residua
