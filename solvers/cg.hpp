#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include <residua/solvers/base/best_iterate.hpp>
#include <residua/solvers/base/space.hpp>
#include <residua/solvers/base/stop.hpp>

namespace residua {

/// The vectors that cg works on, to be reused from call to call.
template <vector_space S>
struct cg_workspace {
    typename S::vector r, z, p, q;
    best_iterate<S> best;

    cg_workspace(const S& space, index_t n)
        : r(space.make_vector(n)),
          z(space.make_vector(n)),
          p(space.make_vector(n)),
          q(space.make_vector(n)),
          best(space, n)
    {}
};

/// Preconditioned conjugate gradients for A x = b, A symmetric positive definite.
///
/// shapes   A (n x n), M (n x n), b (n), x (n); x is the initial guess on entry
/// stops    when ||r_k|| <= rule.relative_residual ||b|| (recurrence residual; to 0 if b = 0)
/// cost     per iteration: 1 A, 1 M, 2 dot, 1 norm, 3 axpy-like; 5 vectors of work
/// reports  breakdown if p'Ap <= 0 or r'Mr <= 0: A or M is not positive definite; stagnated if
///          the smallest residual is older than stagnation_window(n) iterations. x is then the
///          iterate with the smallest recurrence residual
/// throws   never for lack of convergence
/// from     [HS52]; preconditioned form [Saad03, Alg. 9.1]
template <vector_space S, linear_operator<S> A, linear_operator<S> M>
iteration_report cg(const S& space, const A& a, const M& m, const typename S::vector& b, typename S::vector& x,
                    const stop_rule& rule, cg_workspace<S>& work)
{
    using scalar = typename S::scalar;
    auto& [r, z, p, q, best] = work;
    const scalar one = space.make_scalar(1.0);
    const scalar zero = space.make_scalar(0.0);

    a.apply(space, x, q);
    space.waxpby(one, b, -one, q, r);  // r = b - A x
    space.fill(zero, p);
    scalar rho = zero;  // no direction yet
    scalar alpha = zero;
    int shift = 0;  // r and p hold 2^shift times the vectors of the recursion

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
        // x - (alpha 2^-shift) p is the iterate before the last update
        best.observe(k, residual, [&](auto& x_before) { space.waxpby(one, x, -ldexp(alpha, -shift), p, x_before); });
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
            rho = rho * factor * factor;
            shift += up;
        }

        m.apply(space, r, z);  // z = M r
        const scalar rho_next = space.dot(r, z);
        if (!(zero < rho_next)) {
            return best.finish(space, x, report, solve_status::breakdown,
                               "r'Mr is not positive: the preconditioner is not positive definite");
        }
        space.xpay(z, rho == zero ? zero : rho_next / rho, p);  // p = z + beta p
        rho = rho_next;

        a.apply(space, p, q);  // q = A p
        ++report.matvecs;
        const scalar curvature = space.dot(p, q);
        if (!(zero < curvature)) {
            return best.finish(space, x, report, solve_status::breakdown,
                               "p'Ap is not positive: the matrix is not positive definite");
        }
        const scalar step = rho / curvature;
        if (!is_finite(step)) {
            return best.finish(space, x, report, solve_status::breakdown,
                               "r'Mr / p'Ap overflowed: the matrix is too close to zero for the format");
        }
        alpha = step;
        space.axpy(ldexp(alpha, -shift), p, x);  // x = x + alpha p
        space.axpy(-alpha, q, r);                // r = r - alpha q
    }
}

}  // namespace residua
