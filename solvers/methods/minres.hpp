#pragma once

#include <utility>

#include <residua/solvers/methods/krylov.hpp>
#include <residua/solvers/options/methods.hpp>
#include <residua/solvers/space/vector_space.hpp>

namespace residua {

/// The workspace of minres, to be reused from call to call.
template <vector_space S>
struct minres_workspace : krylov_workspace<S, 8, 2> {  // v'M A M v, next'M next
    minres_workspace(const S& space, index_t n) : krylov_workspace<S, 8, 2>(space, n) {}
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
///          triangle show the spectrum of M A
/// throws   never for lack of convergence
/// from     [PS75]; preconditioned form [Gre97, Ch. 8]
template <vector_space S, linear_operator<S> A, linear_operator<S> M>
iteration_report minres(const S& space, const A& a, const M& m, const typename S::vector& b, typename S::vector& x,
                        const stop_rule& rule, minres_workspace<S>& work)
{
    using scalar = typename S::scalar;
    enum : index_t { diagonal, square, count };  // the places of the scalars
    auto& [v, v_before, next, m_v, m_next, w, w_before, r] = work.vectors;
    auto& s = work.scalars;
    constexpr const char* not_definite = "v'Mv is not positive: the preconditioner is not positive definite";
    const scalar one = space.make_scalar(1.0);
    const scalar zero = space.make_scalar(0.0);

    make_residual(space, a, x, b, next, r);  // r = b - A x
    for (typename S::vector* const start : {&v, &w, &w_before}) {
        space.fill(zero, *start);
    }
    scalar beta = zero;  // entry of the tridiagonal matrix: the norm of `next`, which becomes v
    scalar c = one;      // the last two rotations
    scalar c_before = one;
    scalar sine = zero;
    scalar sine_before = zero;
    scalar last = zero;  // entry of the rotated right-hand side, +-||r||_M
    scalar step = zero;  // the step to iterate k, along w
    const auto preconditioned = [&](const typename S::vector& from, typename S::vector& to) -> const auto& {
        return applied(space, m, from, to);
    };

    krylov_run run(space, b, x, rule, work.best);
    const auto state = [&](state_archive& io) {
        archive_arrays(io, space, work.vectors);
        archive_all(io, space, beta, c, c_before, sine, sine_before, last, step);
    };
    for (index_t k = run.begin(state);; run.go_on(++k, state)) {
        const scalar norm = space.norm2(r);
        run.observe(k, norm);  // x is still iterate k - 1
        if (k > 0 && run.finite()) {
            space.axpy(step, w, x);
        }
        if (run.ends()) {
            return run.report;
        }

        if (const int up = rescaling_exponent(norm); up != 0) {
            last = last * run.rescale(up, {&r});
        }
        if (k == 0) {
            space.copy(r, next);
            space.dot(next, preconditioned(next, m_next), s, square);
            const scalar first = space.fetched(s, count)[square];
            if (!(zero < first)) {
                return run.broken(not_definite);
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
        ++run.report.matvecs;
        space.axpy(k == 0 ? zero : -beta, v_before, next);
        space.dot(next, direction, s, diagonal);
        space.axmy(s, diagonal, v, next);  // next = A M v - beta v_before - alpha v
        space.dot(next, preconditioned(next, m_next), s, square);
        const auto now = space.fetched(s, count);
        const scalar alpha = now[diagonal];
        if (now[square] < zero) {
            return run.broken(not_definite);
        }

        const scalar above = c_before * beta;  // between the diagonals, after the first of the last two rotations
        const scalar corner = c * alpha - sine * above;
        const scalar pivot = sqrt(corner * corner + now[square]);
        if (!(zero < pivot) || !is_finite(pivot)) {
            return run.broken("a pivot of the tridiagonal matrix vanished or overflowed: the matrix is singular");
        }
        run.report.spectrum.add_pivot(to_double(pivot));
        space.xpay(direction, -(sine_before * beta), w_before);
        space.axpy(-(sine * alpha + c * above), w, w_before);
        space.scal(one / pivot, w_before);
        std::swap(w, w_before);  // w = (M v - . w_before - . w) / pivot
        beta = sqrt(now[square]);
        c_before = c;
        sine_before = sine;
        c = corner / pivot;
        sine = beta / pivot;
        step = run.unscaled(c * last);
        space.scal(sine * sine, r);
        space.axpy(-(c * last / pivot), next, r);  // r = s^2 r - c s last v_{k+1}
        last = -(sine * last);
    }
}

/// The row of minres in the registry.
struct minres_method : method_of_a_and_m<minres_method, minres_workspace> {
    static constexpr method_traits traits{
        .method = method::minres,
        .name = "minres",
        .systems = "symmetric, definite or not; refuses one that is not symmetric",
        .step_cost = "1 product with A",
        .symmetric = true,
        .preconditioned = true,
        .vector_operations = 6.0,
        .preferred = preconditioner::jacobi,
        .memory = [](index_t, index_t) { return method_memory{.vectors = 9.0}; },
    };

    static iteration_report run(auto&... all) { return minres(all...); }
};

}  // namespace residua
