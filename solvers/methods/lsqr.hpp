#pragma once

#include <array>
#include <cmath>
#include <utility>

#include <residua/solvers/methods/krylov.hpp>
#include <residua/solvers/options/methods.hpp>
#include <residua/solvers/space/vector_space.hpp>

namespace residua {

/// The workspace of lsqr for a matrix of these numbers of rows and columns, to be reused from call to call.
template <vector_space S>
struct lsqr_workspace {
    std::array<typename S::vector, 3> of_rows, of_cols;  // u, next_u and r; v, next_v and w
    typename S::scalars scalars;                         // r'r and next_v'next_v
    best_iterate<S> best;

    lsqr_workspace(const S& space, index_t rows, index_t cols)
        : of_rows(make_vectors<3>(space, rows)),
          of_cols(make_vectors<3>(space, cols)),
          scalars(space.make_scalars(2)),
          best(space, cols)
    {}
};

/// Least squares: the x with the smallest ||b - A x||, A of any shape and rank, by bidiagonalisation. From x_0 = 0 it is
/// the shortest such x; from another one it is x_0 and the shortest correction. a_t is A'.
///
/// Orthonormal u_k and v_k make A lower bidiagonal; a Givens rotation an iteration makes that upper bidiagonal. In exact
/// arithmetic these are the iterates of cg for A'A x = A'b, without the square of the condition. r_k itself follows from
/// r_{k-1} and u_{k+1}, so that the first test has its 2-norm; A'r_k is a multiple of v_{k+1} to rounding.
///
/// shapes   A (m x n), A' (n x m), b (m), x (n); x is the initial guess on entry
/// stops    when ||r_k|| <= rule.relative_residual ||b|| (recurrence residual; to 0 if b = 0), or, which
///          report.least_squares says, when ||A'r_k|| / ||r_k|| <= rule.normal_reduction ||A'r_0|| / ||r_0||
/// cost     per iteration: 1 A, 1 A', 2 dot, 1 norm, 8 axpy-like, 2 reads; 3 vectors of m and 4 of n
/// reports  breakdown if a row of the triangle overflows or a NaN appears; stagnated as cg. x is then the iterate with the
///          smallest recurrence residual
/// throws   never for lack of convergence
/// from     [PS82, Sec. 4 and 6]; r_k as in minres
template <vector_space S, linear_operator<S> A, linear_operator<S> At>
iteration_report lsqr(const S& space, const A& a, const At& a_t, const typename S::vector& b, typename S::vector& x,
                      const stop_rule& rule, lsqr_workspace<S>& work)
{
    using scalar = typename S::scalar;
    enum : index_t { square, next_square, count };  // the places of the scalars
    auto& [u, next_u, r] = work.of_rows;
    auto& [v, next_v, w] = work.of_cols;
    auto& s = work.scalars;
    const scalar one = space.make_scalar(1.0);
    const scalar zero = space.make_scalar(0.0);

    make_residual(space, a, x, b, next_u, r);  // r = b - A x
    space.copy(r, u);
    space.fill(zero, v);
    space.fill(zero, w);
    scalar beta = space.norm2(u);  // entry of the bidiagonal matrix, below its diagonal
    scalar last = beta;            // entry of the rotated right-hand side, ||r||
    scalar c = -one;               // the last rotation
    scalar sine = zero;
    scalar pivot = one;         // entry of the triangle
    scalar step = zero;         // the step to iterate k, along w
    scalar first_alpha = zero;  // ||A'r_0|| / ||r_0||

    krylov_run run(space, b, x, rule, work.best);
    const auto state = [&](state_archive& io) {
        archive_arrays(io, space, work.of_rows, work.of_cols);
        archive_all(io, space, beta, last, c, sine, pivot, step, first_alpha);
    };
    for (index_t k = run.begin(state);; run.go_on(++k, state)) {
        space.dot(r, r, s, square);
        if (zero < beta) {
            space.scal(one / beta, u);
        }
        a_t.apply(space, u, next_v);
        ++run.report.matvecs;
        space.axpy(-beta, v, next_v);  // next_v = A'u - beta v
        space.dot(next_v, next_v, s, next_square);
        const auto now = space.fetched(s, count);
        const scalar norm = space.norm2(r, now[square]);
        const scalar alpha = space.norm2(next_v, now[next_square]);
        run.observe(k, is_finite(alpha) ? norm : alpha);  // a NaN in either ends the run; x is still iterate k - 1
        if (!run.finite()) {
            return run.broken(breakdowns::not_finite);
        }
        if (k == 0) {
            first_alpha = alpha;
        } else {
            space.axpy(step, w, x);
        }
        const auto stop = run.stop();
        // ||A'r_k|| = |c| alpha last, over ||r_k||, of what it was at first; NaN where r_k or that is zero
        const double normal =
            residual_ratio(abs(c * alpha), first_alpha) * residual_ratio(last, norm);  // c alone may be tiny
        const bool is_least = alpha == zero || (rule.normal_reduction > 0.0 && normal <= rule.normal_reduction);
        if (is_least && stop != solve_status::converged) {
            run.report.least_squares = true;
            return run.end(solve_status::converged);
        }
        if (stop) {
            return run.end(*stop);
        }

        if (const int up = rescaling_exponent(norm); up != 0) {
            run.rescale(up, {&r});
            last = ldexp(last, up);
        }
        std::swap(v, next_v);
        space.scal(one / alpha, v);
        space.xpay(v, -(sine * alpha / pivot), w);  // w = v - theta / pivot w
        a.apply(space, v, next_u);
        ++run.report.matvecs;
        space.axpy(-alpha, u, next_u);  // next_u = A v - alpha u
        std::swap(u, next_u);
        beta = space.norm2(u);

        const scalar corner = -(c * alpha);
        pivot = sqrt(corner * corner + beta * beta);
        if (!(zero < pivot) || !is_finite(pivot)) {
            return run.broken("a pivot of the bidiagonal matrix vanished or overflowed");
        }
        c = corner / pivot;
        sine = beta / pivot;
        const scalar along = c * last / pivot;
        step = run.unscaled(along);
        space.scal(sine * sine, r);
        space.axpy(-along, u, r);  // r = s^2 r - c s last u_{k+1}; u is beta u_{k+1} still
        last = sine * last;
    }
}

/// The row of lsqr in the registry.
struct lsqr_method {
    static constexpr method_traits traits{
        .method = method::lsqr,
        .name = "lsqr",
        .systems = "any, also not square, of any rank; A' is kept beside A",
        .step_cost = "1 product with A, 1 with A'",
        .rectangular = true,
        .transpose = true,
        .memory = [](index_t, index_t) { return method_memory{.vectors = 7.0}; },
    };

    static auto make_workspace(const auto& space, const auto& of) { return lsqr_workspace(space, of.rows, of.cols); }

    static iteration_report run_method(const auto& space, const auto& of, const auto& at, auto& work)
    {
        return lsqr(space, of.a, of.a_t, at.b, at.x, at.rule, work);
    }
};

}  // namespace residua
