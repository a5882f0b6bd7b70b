#pragma once

#include <cmath>
#include <limits>
#include <utility>

#include <residua/solvers/methods/best_iterate.hpp>
#include <residua/solvers/methods/method_problem.hpp>
#include <residua/solvers/methods/registry.hpp>
#include <residua/solvers/methods/stop.hpp>
#include <residua/solvers/space/vector_space.hpp>

namespace residua {

/// What minres works on, to be reused from call to call.
template <vector_space S>
struct minres_workspace {
    typename S::vector v, v_before, next, m_v, m_next, w, w_before, r;
    typename S::scalars scalars;  // v'M A M v and next'M next
    best_iterate<S> best;

    minres_workspace(const S& space, index_t n)
        : v(space.make_vector(n)),
          v_before(space.make_vector(n)),
          next(space.make_vector(n)),
          m_v(space.make_vector(n)),
          m_next(space.make_vector(n)),
          w(space.make_vector(n)),
          w_before(space.make_vector(n)),
          r(space.make_vector(n)),
          scalars(space.make_scalars(2)),
          best(space, n)
    {}
};

/// Minimal residuals for A x = b, A symmetric, definite or not, preconditioned by a symmetric positive definite M.
///
/// Lanczos vectors v_k of A and M, M-orthonormal, make A tridiagonal; a Givens rotation an iteration makes that upper
/// triangular. ||r_k||_M = sqrt(r'M r) is minimal over all x in x_0 + M span(v_1, ..., v_k). r_k itself follows from
/// r_{k-1} and v_{k+1}, so that the stopping test has its 2-norm.
///
/// shapes   A (n x n), M (n x n), b (n), x (n); x is the initial guess on entry
/// stops    when ||r_k|| <= rule.relative_residual ||b|| (recurrence residual; to 0 if b = 0)
/// cost     per iteration: 1 A, 1 M, 2 dot, 1 norm, 10 axpy-like, 2 reads; 9 vectors of work
/// reports  breakdown if v'Mv < 0, M is not positive definite then, or if a row of the triangle vanishes: A is singular
///          then; stagnated as cg. x is then the iterate with the smallest recurrence residual. The pivots of the
///          triangle tell the spectrum of M A
/// throws   never for lack of convergence
/// from     [PS75]; preconditioned form [Gre97, Ch. 8]
template <vector_space S, linear_operator<S> A, linear_operator<S> M>
iteration_report minres(const S& space, const A& a, const M& m, const typename S::vector& b, typename S::vector& x,
                        const stop_rule& rule, minres_workspace<S>& work)
{
    using scalar = typename S::scalar;
    enum : index_t { diagonal, square, count };  // the places of the scalars
    auto& [v, v_before, next, m_v, m_next, w, w_before, r, s, best] = work;
    constexpr const char* not_definite = "v'Mv is not positive: the preconditioner is not positive definite";
    const scalar one = space.make_scalar(1.0);
    const scalar zero = space.make_scalar(0.0);

    make_residual(space, a, x, b, next, r);  // r = b - A x
    for (typename S::vector* const start : {&v, &w, &w_before}) {
        space.fill(zero, *start);
    }
    scalar beta = zero;  // of the tridiagonal matrix: the norm of `next`, which becomes v
    scalar c = one;      // the last two rotations
    scalar c_before = one;
    scalar sine = zero;
    scalar sine_before = zero;
    scalar last = zero;  // of the rotated right-hand side, +-||r||_M
    scalar step = zero;  // to iterate k, along w
    int shift = 0;       // r and `last` hold 2^shift times those of the recursion
    const auto preconditioned = [&](const typename S::vector& from, typename S::vector& to) -> const auto& {
        return applied(space, m, from, to);
    };

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
        best.observe(space, k, residual, x);  // x is still iterate k - 1
        if (!is_finite(norm)) {
            return best.finish(space, x, report, solve_status::breakdown,
                               "a NaN or an infinity appeared in the residual");
        }
        if (k > 0) {
            space.axpy(step, w, x);
        }
        if (const auto stop = check(rule, k, residual, best)) {
            return best.finish(space, x, report, *stop);
        }

        if (const int up = rescaling_exponent(norm); up != 0) {
            const scalar factor = space.make_scalar(std::ldexp(1.0, up));
            space.scal(factor, r);
            last = last * factor;
            shift += up;
        }
        if (k == 0) {
            space.copy(r, next);
            space.dot(next, preconditioned(next, m_next), s, square);
            const scalar first = space.fetched(s, count)[square];
            if (!(zero < first)) {
                return best.finish(space, x, report, solve_status::breakdown, not_definite);
            }
            last = beta = sqrt(first);
        }

        std::swap(v, v_before);
        space.copy(next, v);
        space.scal(one / beta, v);
        if (!is_identity(m)) {
            space.copy(m_next, m_v);
            space.scal(one / beta, m_v);
        }
        const typename S::vector& direction = is_identity(m) ? v : m_v;
        a.apply(space, direction, next);
        ++report.matvecs;
        space.axpy(k == 0 ? zero : -beta, v_before, next);
        space.dot(next, direction, s, diagonal);
        space.axmy(s, diagonal, v, next);  // next = A M v - beta v_before - alpha v
        space.dot(next, preconditioned(next, m_next), s, square);
        const auto now = space.fetched(s, count);
        const scalar alpha = now[diagonal];
        if (now[square] < zero) {
            return best.finish(space, x, report, solve_status::breakdown, not_definite);
        }

        const scalar above = c_before * beta;  // between the diagonals, after the first of the last two rotations
        const scalar corner = c * alpha - sine * above;
        const scalar pivot = sqrt(corner * corner + now[square]);
        if (!(zero < pivot) || !is_finite(pivot)) {
            return best.finish(space, x, report, solve_status::breakdown,
                               "a pivot of the tridiagonal matrix vanished or overflowed: the matrix is singular");
        }
        report.spectrum.add_pivot(to_double(pivot));
        space.xpay(direction, -(sine_before * beta), w_before);
        space.axpy(-(sine * alpha + c * above), w, w_before);
        space.scal(one / pivot, w_before);
        std::swap(w, w_before);  // w = (M v - . w_before - . w) / pivot
        beta = sqrt(now[square]);
        c_before = c;
        sine_before = sine;
        c = corner / pivot;
        sine = beta / pivot;
        step = ldexp(c * last, -shift);
        space.scal(sine * sine, r);
        space.axpy(-(c * last / pivot), next, r);  // r = s^2 r - c s last v_{k+1}
        last = -(sine * last);
    }
}

/// minres in the registry.
struct minres_method {
    static constexpr method_traits traits{
        .method = method::minres,
        .name = "minres",
        .systems = "symmetric, definite or not; refuses one that is not symmetric",
        .step_cost = "1 product with A",
        .symmetric = true,
        .preconditioned = true,
        .preferred = preconditioner::jacobi,
        .memory = [](index_t, index_t) { return method_memory{.vectors = 9.0}; },
    };

    template <vector_space S>
    using workspace = minres_workspace<S>;

    template <vector_space S>
    static workspace<S> make_workspace(const S& space, const method_problem<S>& problem)
    {
        return {space, problem.rows};
    }

    template <vector_space S>
    static iteration_report run(const S& space, const method_problem<S>& problem, const typename S::vector& b,
                                typename S::vector& x, const stop_rule& rule, workspace<S>& work)
    {
        return minres(space, problem.a, problem.m, b, x, rule, work);
    }
};

}  // namespace residua
