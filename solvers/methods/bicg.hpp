#pragma once

#include <cmath>
#include <limits>

#include <residua/solvers/methods/best_iterate.hpp>
#include <residua/solvers/methods/method_problem.hpp>
#include <residua/solvers/methods/registry.hpp>
#include <residua/solvers/methods/stop.hpp>
#include <residua/solvers/space/vector_space.hpp>

namespace residua {

/// What bicg works on, to be reused from call to call.
template <vector_space S>
struct bicg_workspace {
    typename S::vector r, m_r, p, q, shadow, m_shadow, p_shadow, q_shadow;
    typename S::scalars scalars;  // r'r, shadow'z, p_shadow'q and alpha
    best_iterate<S> best;

    bicg_workspace(const S& space, index_t n)
        : r(space.make_vector(n)),
          m_r(space.make_vector(n)),
          p(space.make_vector(n)),
          q(space.make_vector(n)),
          shadow(space.make_vector(n)),
          m_shadow(space.make_vector(n)),
          p_shadow(space.make_vector(n)),
          q_shadow(space.make_vector(n)),
          scalars(space.make_scalars(4)),
          best(space, n)
    {}
};

/// Bi-conjugate gradients for A x = b, A any nonsingular matrix: r and the residual of a system with A' beside it, the
/// shadow, are made orthogonal to all before of the other kind. a_t and m_t are A' and M'.
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
    auto& [r, m_r, p, q, shadow, m_shadow, p_shadow, q_shadow, s, best] = work;
    const scalar one = space.make_scalar(1.0);
    const scalar zero = space.make_scalar(0.0);
    const typename S::vector& z = is_identity(m) ? r : m_r;

    make_residual(space, a, x, b, q, r);  // r = b - A x
    space.copy(r, shadow);
    scalar rho = one;
    int shift = 0;  // r and p hold 2^shift times the vectors of the recursion, the shadows some multiple of theirs
    const auto measure = [&] {
        space.dot(r, r, s, square);
        space.dot(shadow, applied(space, m, r, m_r), s, product);
    };

    const scalar norm_b = space.norm2(b);
    const scalar scale = zero < norm_b ? norm_b : one;
    best.start(space.size(b));

    iteration_report report;
    report.matvecs = 1;
    measure();
    for (index_t k = 0;; ++k) {
        auto now = space.fetched(s, count);  // with alpha of the step to iterate k; x is still iterate k - 1
        if (k > 0 && (now[curvature] == zero || !is_finite(now[curvature]))) {
            return best.finish(space, x, report, solve_status::breakdown,
                               "the shadow direction became orthogonal to A p");
        }
        if (k > 0 && !is_finite(now[step])) {
            return best.finish(space, x, report, solve_status::breakdown,
                               "a step overflowed: the matrix is too close to zero for the format");
        }
        const scalar norm = space.norm2(r, now[square]);
        report.iterations = k;
        const double residual =
            is_finite(norm) ? residual_ratio(norm, scale, shift) : std::numeric_limits<double>::infinity();
        best.observe(space, k, residual, x);
        if (k > 0) {
            space.axpy(ldexp(now[step], -shift), p, x);  // x = x + alpha p
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
            const scalar norm_shadow = space.norm2(shadow);
            const bool finite = zero < norm_shadow && is_finite(norm_shadow);
            const int shadow_up = finite ? rescaling_exponent(norm_shadow) : 0;
            const scalar shadow_factor = space.make_scalar(std::ldexp(1.0, shadow_up));
            space.scal(factor, r);
            space.scal(factor, p);
            space.scal(shadow_factor, shadow);
            space.scal(shadow_factor, p_shadow);
            rho = ldexp(rho, up + shadow_up);
            shift += up;
            measure();
            now = space.fetched(s, count);
        }

        bool fresh = k == 0;  // the shadow and both directions are to be taken from r
        if (!fresh && now[product] == zero) {
            fresh = true;
            ++report.restarts;
            space.copy(r, shadow);
            measure();
            now = space.fetched(s, count);
        }
        if (now[product] == zero || !is_finite(now[product])) {
            return best.finish(space, x, report, solve_status::breakdown,
                               "the shadow residual became orthogonal to the residual, also after starting anew");
        }
        const typename S::vector& z_shadow = applied(space, m_t, shadow, m_shadow);
        if (fresh) {
            space.copy(z, p);
            space.copy(z_shadow, p_shadow);
        } else {
            const scalar beta = now[product] / rho;
            space.xpay(z, beta, p);
            space.xpay(z_shadow, beta, p_shadow);
        }
        rho = now[product];

        a.apply(space, p, q);
        a_t.apply(space, p_shadow, q_shadow);
        report.matvecs += 2;
        space.dot(p_shadow, q, s, curvature);
        space.divide(s, product, curvature, step);  // alpha = rho / p_shadow'A p
        space.axmy(s, step, q, r);
        space.axmy(s, step, q_shadow, shadow);
        measure();
    }
}

/// bicg in the registry.
struct bicg_method {
    static constexpr method_traits traits{
        .method = method::bicg,
        .name = "bicg",
        .systems = "any; A' is kept beside A, and M' beside M",
        .step_cost = "1 product with A, 1 with A'",
        .transpose = true,
        .breaks_down_by_accident = true,
        .preconditioned = true,
        .preferred = preconditioner::ilu0,
        .memory = [](index_t, index_t) { return method_memory{.vectors = 9.0}; },
    };

    template <vector_space S>
    using workspace = bicg_workspace<S>;

    template <vector_space S>
    static workspace<S> make_workspace(const S& space, const method_problem<S>& problem)
    {
        return {space, problem.rows};
    }

    template <vector_space S>
    static iteration_report run(const S& space, const method_problem<S>& problem, const typename S::vector& b,
                                typename S::vector& x, const stop_rule& rule, workspace<S>& work)
    {
        return bicg(space, problem.a, problem.a_t, problem.m, problem.m_t, b, x, rule, work);
    }
};

}  // namespace residua
