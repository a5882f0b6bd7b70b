#pragma once

#include <cmath>
#include <limits>

#include <residua/solvers/base/best_iterate.hpp>
#include <residua/solvers/base/space.hpp>
#include <residua/solvers/base/stop.hpp>

namespace residua {

/// The vectors that bicgstab works on, to be reused from call to call.
template <vector_space S>
struct bicgstab_workspace {
    typename S::vector r, shadow, p, v, t, p_hat, s_hat;
    best_iterate<S> best;

    bicgstab_workspace(const S& space, index_t n)
        : r(space.make_vector(n)),
          shadow(space.make_vector(n)),
          p(space.make_vector(n)),
          v(space.make_vector(n)),
          t(space.make_vector(n)),
          p_hat(space.make_vector(n)),
          s_hat(space.make_vector(n)),
          best(space, n)
    {}
};

/// Stabilised bi-conjugate gradients for A x = b, A any nonsingular matrix, preconditioned from
/// the right.
///
/// shapes   A (n x n), M (n x n), b (n), x (n); x is the initial guess on entry
/// stops    when ||r_k|| <= rule.relative_residual ||b|| (recurrence residual; to 0 if b = 0)
/// cost     per iteration: 2 A, 2 M, 4 dot, 1 norm, 6 axpy-like; 8 vectors of work
/// reports  breakdown if a scalar of the recursion vanishes even after starting anew from the
///          current residual; stagnated as cg. x is then the iterate with the smallest residual
/// throws   never for lack of convergence
/// from     [vdV92]; preconditioned form [Saad03, Sec. 9.3]
template <vector_space S, linear_operator<S> A, linear_operator<S> M>
iteration_report bicgstab(const S& space, const A& a, const M& m, const typename S::vector& b, typename S::vector& x,
                          const stop_rule& rule, bicgstab_workspace<S>& work)
{
    using scalar = typename S::scalar;
    auto& [r, shadow, p, v, t, p_hat, s_hat, best] = work;
    const scalar one = space.make_scalar(1.0);
    const scalar zero = space.make_scalar(0.0);

    a.apply(space, x, t);
    space.waxpby(one, b, -one, t, r);  // r = b - A x
    scalar rho = one, alpha = one, omega = one;
    int shift = 0;      // r, p and v hold 2^shift times the vectors of the recursion
    bool fresh = true;  // p and the shadow residual are to be taken from r

    const scalar norm_b = space.norm2(b);
    const scalar scale = zero < norm_b ? norm_b : one;
    best.start(space.size(b));

    iteration_report report;
    report.matvecs = 1;
    for (index_t k = 0;; ++k) {
        const scalar norm = space.norm2(r);
        report.iterations = k;
        const double residual =
            is_finite(norm) ? residual_ratio(norm, scale, shift) : std::numeric_limits<double>::infinity();
        best.observe(k, residual, [&](auto& x_before) {
            space.waxpby(one, x, -ldexp(alpha, -shift), p_hat, x_before);
            space.axpy(-ldexp(omega, -shift), s_hat, x_before);
        });
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
        }

        scalar rho_next = space.dot(shadow, r);
        if (!fresh && rho_next == zero) {
            fresh = true;
            ++report.restarts;
        }
        if (fresh) {
            space.copy(r, shadow);
            space.copy(r, p);
            rho_next = space.dot(shadow, r);
            fresh = false;
        } else {
            const scalar beta = (rho_next / rho) * (alpha / omega);
            space.axpy(-omega, v, p);
            space.xpay(r, beta, p);  // p = r + beta (p - omega v)
        }
        rho = rho_next;

        m.apply(space, p, p_hat);
        a.apply(space, p_hat, v);  // v = A M p
        ++report.matvecs;
        const scalar projection = space.dot(shadow, v);
        if (projection == zero || !is_finite(projection)) {
            return best.finish(space, x, report, solve_status::breakdown,
                               "the shadow residual became orthogonal to A M p");
        }
        alpha = rho / projection;
        space.axpy(-alpha, v, r);  // s = r - alpha v, kept in r

        m.apply(space, r, s_hat);
        a.apply(space, s_hat, t);  // t = A M s
        ++report.matvecs;
        const scalar t_t = space.dot(t, t);
        omega = zero < t_t ? space.dot(t, r) / t_t : zero;  // t = 0 only if s = 0, or A is singular
        if (!is_finite(alpha) || !is_finite(omega)) {
            return best.finish(space, x, report, solve_status::breakdown,
                               "a step overflowed: the matrix is too close to zero for the format");
        }
        space.axpy(ldexp(alpha, -shift), p_hat, x);
        space.axpy(ldexp(omega, -shift), s_hat, x);  // x = x + alpha M p + omega M s
        space.axpy(-omega, t, r);                    // r = s - omega t
        fresh = omega == zero;                       // beta would divide by it
    }
}

}  // namespace residua
