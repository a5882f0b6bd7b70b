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

/// What lsqr works on for a matrix of so many rows and columns, to be reused from call to call.
template <vector_space S>
struct lsqr_workspace {
    typename S::vector u, next_u, r;  // (rows)
    typename S::vector v, next_v, w;  // (cols)
    typename S::scalars scalars;      // r'r and next_v'next_v
    best_iterate<S> best;

    lsqr_workspace(const S& space, index_t rows, index_t cols)
        : u(space.make_vector(rows)),
          next_u(space.make_vector(rows)),
          r(space.make_vector(rows)),
          v(space.make_vector(cols)),
          next_v(space.make_vector(cols)),
          w(space.make_vector(cols)),
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
    auto& [u, next_u, r, v, next_v, w, s, best] = work;
    const scalar one = space.make_scalar(1.0);
    const scalar zero = space.make_scalar(0.0);

    make_residual(space, a, x, b, next_u, r);  // r = b - A x
    space.copy(r, u);
    space.fill(zero, v);
    space.fill(zero, w);
    scalar beta = space.norm2(u);  // of the bidiagonal matrix, below its diagonal
    scalar last = beta;            // of the rotated right-hand side, ||r||
    scalar c = -one;               // the last rotation
    scalar sine = zero;
    scalar pivot = one;         // of the triangle
    scalar step = zero;         // to iterate k, along w
    scalar first_alpha = zero;  // ||A'r_0|| / ||r_0||
    int shift = 0;              // r and `last` hold 2^shift times those of the recursion

    const scalar norm_b = space.norm2(b);
    const scalar scale = zero < norm_b ? norm_b : one;
    best.start(space.size(x));

    iteration_report report;
    report.matvecs = 1;
    for (index_t k = 0;; ++k) {
        space.dot(r, r, s, square);
        if (zero < beta) {
            space.scal(one / beta, u);
        }
        a_t.apply(space, u, next_v);
        ++report.matvecs;
        space.axpy(-beta, v, next_v);  // next_v = A'u - beta v
        space.dot(next_v, next_v, s, next_square);
        const auto now = space.fetched(s, count);
        const scalar norm = space.norm2(r, now[square]);
        const scalar alpha = space.norm2(next_v, now[next_square]);
        report.iterations = k;
        const bool finite = is_finite(norm) && is_finite(alpha);
        const double residual = finite ? residual_ratio(norm, scale, shift) : std::numeric_limits<double>::infinity();
        best.observe(space, k, residual, x);  // x is still iterate k - 1
        if (!finite) {
            return best.finish(space, x, report, solve_status::breakdown,
                               "a NaN or an infinity appeared in the residual");
        }
        if (k == 0) {
            first_alpha = alpha;
        } else {
            space.axpy(step, w, x);
        }
        const auto stop = check(rule, k, residual, best);
        // ||A'r_k|| = |c| alpha last, over ||r_k||, of what it was at first; NaN where r_k or that is zero
        const double normal = std::abs(to_double(c)) * residual_ratio(alpha, first_alpha) * residual_ratio(last, norm);
        const bool is_least = alpha == zero || (rule.normal_reduction > 0.0 && normal <= rule.normal_reduction);
        if (is_least && stop != solve_status::converged) {
            report.least_squares = true;
            return best.finish(space, x, report, solve_status::converged);
        }
        if (stop) {
            return best.finish(space, x, report, *stop);
        }

        if (const int up = rescaling_exponent(norm); up != 0) {
            const scalar factor = space.make_scalar(std::ldexp(1.0, up));
            space.scal(factor, r);
            last = ldexp(last, up);
            shift += up;
        }
        std::swap(v, next_v);
        space.scal(one / alpha, v);
        space.xpay(v, -(sine * alpha / pivot), w);  // w = v - theta / pivot w
        a.apply(space, v, next_u);
        ++report.matvecs;
        space.axpy(-alpha, u, next_u);  // next_u = A v - alpha u
        std::swap(u, next_u);
        beta = space.norm2(u);

        const scalar corner = -(c * alpha);
        pivot = sqrt(corner * corner + beta * beta);
        if (!(zero < pivot) || !is_finite(pivot)) {
            return best.finish(space, x, report, solve_status::breakdown,
                               "a pivot of the bidiagonal matrix vanished or overflowed");
        }
        c = corner / pivot;
        sine = beta / pivot;
        const scalar along = c * last / pivot;
        step = ldexp(along, -shift);
        space.scal(sine * sine, r);
        space.axpy(-along, u, r);  // r = s^2 r - c s last u_{k+1}; u is beta u_{k+1} still
        last = sine * last;
    }
}

/// lsqr in the registry.
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

    template <vector_space S>
    using workspace = lsqr_workspace<S>;

    template <vector_space S>
    static workspace<S> make_workspace(const S& space, const method_problem<S>& problem)
    {
        return {space, problem.rows, problem.cols};
    }

    template <vector_space S>
    static iteration_report run(const S& space, const method_problem<S>& problem, const typename S::vector& b,
                                typename S::vector& x, const stop_rule& rule, workspace<S>& work)
    {
        return lsqr(space, problem.a, problem.a_t, b, x, rule, work);
    }
};

}  // namespace residua
