#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <residua/solvers/methods/krylov.hpp>
#include <residua/solvers/options/methods.hpp>
#include <residua/solvers/space/vector_space.hpp>

namespace residua {

enum class preconditioning {
    fixed,    ///< M is one linear operator
    flexible  ///< M may be another map in every step, such as an iteration of its own: FGMRES
};

/// The vectors and the small triangular system that gmres works on: restart + 3 vectors, if flexible 2 restart + 3.
template <vector_space S>
struct gmres_workspace {
    index_t restart;
    std::vector<typename S::vector> basis;           // v_0 ... v_restart, orthonormal
    std::vector<typename S::vector> preconditioned;  // M v_0 ... M v_(restart - 1), if flexible, otherwise none
    typename S::vector z, w;
    typename S::scalars projections;             // of a step, where the vectors are (2 restart + 1)
    std::vector<typename S::scalar> hessenberg;  // (restart + 1, restart) by columns, then R
    std::vector<typename S::scalar> cosine;      // Givens rotations (restart): complex cosines where scalars are,
    std::vector<real_scalar<S>> sine;            // and real sines
    std::vector<typename S::scalar> rhs;         // (restart + 1)

    gmres_workspace(const S& space, index_t n, index_t restart_length, preconditioning use = preconditioning::fixed)
        : restart(restart_length),
          basis(make_vectors(space, n, restart + 1)),
          preconditioned(make_vectors(space, n, use == preconditioning::flexible ? restart : 0)),
          z(space.make_vector(n)),
          w(space.make_vector(n)),
          projections(space.make_scalars(2 * restart + 1)),
          hessenberg((restart + 1) * restart, space.make_scalar(0.0)),
          cosine(restart, space.make_scalar(0.0)),
          sine(restart, real_part(space.make_scalar(0.0))),
          rhs(restart + 1, space.make_scalar(0.0))
    {}

    bool flexible() const { return !preconditioned.empty(); }

    typename S::scalar& h(index_t i, index_t j) { return hessenberg[j * (restart + 1) + i]; }
};

enum class orthogonalization {
    modified_gram_schmidt,  ///< one pass
    reorthogonalized        ///< two passes: orthogonal to working precision whatever the condition
};

namespace detail {

/// One step of the Arnoldi process: v_{j+1} and column j of the Hessenberg matrix, which the host
/// reads whole. Returns false if A M v_j lies in the span of the basis (the solution is then in
/// reach).
template <vector_space S, linear_operator<S> A, linear_operator<S> M>
bool arnoldi_step(const S& space, const A& a, const M& m, index_t j, orthogonalization how, gmres_workspace<S>& work)
{
    auto& w = work.w;

    auto& z = work.flexible() ? work.preconditioned[j] : work.z;
    a.apply(space, applied(space, m, work.basis[j], z), w);  // w = A M v_j
    const index_t count = (how == orthogonalization::reorthogonalized ? 2 : 1) * (j + 1);
    for (index_t i = 0; i < count; ++i) {
        const auto& v = work.basis[i % (j + 1)];
        space.dot(v, w, work.projections, i);
        space.axmy(work.projections, i, v, w);  // w = w - (v^H w) v
    }
    space.dot(w, w, work.projections, count);

    const auto read = space.fetched(work.projections, count + 1);
    for (index_t i = 0; i <= j; ++i) {
        work.h(i, j) = space.make_scalar(0.0);
    }
    for (index_t i = 0; i < count; ++i) {
        work.h(i % (j + 1), j) = work.h(i % (j + 1), j) + read[i];
    }
    const real_scalar<S> norm = space.norm2(w, read[count]);
    work.h(j + 1, j) = norm;
    if (norm == real_part(space.make_scalar(0.0)) || !is_finite(norm)) {
        return false;
    }
    space.copy(w, work.basis[j + 1]);
    space.scal(space.make_scalar(1.0) / norm, work.basis[j + 1]);
    return true;
}

/// Makes column j of the Hessenberg matrix upper triangular by the rotations so far and a new one. A rotation takes
/// (u, l) to (conj(c) u + s l, c l - s u), where s is real as the l that it makes zero.
template <vector_space S>
void rotate_column(const S& space, index_t j, gmres_workspace<S>& work)
{
    using scalar = typename S::scalar;
    for (index_t i = 0; i < j; ++i) {
        const scalar upper = work.h(i, j);
        const scalar lower = work.h(i + 1, j);
        work.h(i, j) = conjugate(work.cosine[i]) * upper + work.sine[i] * lower;
        work.h(i + 1, j) = work.cosine[i] * lower - work.sine[i] * upper;
    }
    const scalar upper = work.h(j, j);
    const real_scalar<S> lower = real_part(work.h(j + 1, j));
    const real_scalar<S> zero = real_part(space.make_scalar(0.0));
    const real_scalar<S> larger = abs(upper) < abs(lower) ? abs(lower) : abs(upper);
    if (larger == zero) {
        work.cosine[j] = space.make_scalar(1.0);
        work.sine[j] = zero;
        work.rhs[j + 1] = work.rhs[j];  // the column gains nothing
        return;
    }
    const scalar u = upper / larger;
    const real_scalar<S> l = lower / larger;
    const real_scalar<S> length = sqrt(squared_magnitude(u) + l * l);
    work.cosine[j] = u / length;
    work.sine[j] = l / length;
    work.h(j, j) = larger * length;
    work.h(j + 1, j) = zero;
    work.rhs[j + 1] = -(work.sine[j] * work.rhs[j]);
    work.rhs[j] = conjugate(work.cosine[j]) * work.rhs[j];
}

/// x <- x + beta M V y, R y = rhs with the leading `columns` columns, from the M v_j where they are kept. Returns
/// false, with x as it was, if R is singular.
template <vector_space S, linear_operator<S> M>
bool add_correction(const S& space, const M& m, index_t columns, const real_scalar<S>& beta, gmres_workspace<S>& work,
                    typename S::vector& x)
{
    using scalar = typename S::scalar;
    const scalar zero = space.make_scalar(0.0);
    std::vector<scalar> y(work.rhs.begin(), work.rhs.begin() + columns);
    for (index_t j = columns - 1; j >= 0; --j) {
        if (work.h(j, j) == zero) {
            return false;
        }
        y[j] = y[j] / work.h(j, j);
        for (index_t i = 0; i < j; ++i) {
            y[i] = y[i] - work.h(i, j) * y[j];
        }
    }
    const bool use_kept = work.flexible() && !is_identity(m);
    space.fill(zero, work.w);
    for (index_t j = 0; j < columns; ++j) {
        space.axpy(y[j], use_kept ? work.preconditioned[j] : work.basis[j], work.w);
    }
    space.axpy(beta, use_kept ? work.w : applied(space, m, work.w, work.z), x);
    return true;
}

}  // namespace detail

/// Restarted GMRES for A x = b, A any nonsingular matrix, preconditioned from the right: the
/// residual that it minimises is the one of the system itself.
///
/// With a flexible workspace it is FGMRES: the z_j = M v_j are kept, and x gains sum y_j z_j, so that every step may
/// have a preconditioner of its own.
///
/// shapes   A (n x n), M (n x n), b (n), x (n); x is the initial guess on entry
/// stops    when ||b - A x|| <= rule.relative_residual ||b||, computed anew at the end of a cycle;
///          a cycle ends early when its estimate says so
/// cost     step j of a cycle: 1 A, 1 M, j + 2 dot, j + 1 axpy (twice with reorthogonalization), 1 read;
///          a cycle: 1 A, 1 M, 1 read, and the recombination of the basis; restart + 3 vectors of work.
///          Flexible: 1 M less a cycle, restart vectors more
/// reports  stagnated if three cycles together do not halve the residual, and at their rate the
///          iterations left will not do; breakdown if the Hessenberg matrix is singular (A or M
///          is) or a NaN appears; x is then the iterate with the smallest residual
/// throws   never for lack of convergence
/// from     [SS86]; right preconditioning [Saad03, Alg. 9.5]; flexible [Saad93]
template <vector_space S, linear_operator<S> A, linear_operator<S> M>
iteration_report gmres(const S& space, const A& a, const M& m, const typename S::vector& b, typename S::vector& x,
                       const stop_rule& rule, gmres_workspace<S>& work,
                       orthogonalization how = orthogonalization::modified_gram_schmidt)
{
    using scalar = typename S::scalar;
    const scalar one = space.make_scalar(1.0);
    const scalar zero = space.make_scalar(0.0);
    const real_scalar<S> scale = residual_scale(space, b);
    typename S::vector best = space.make_vector(space.size(b));
    double best_residual = -1.0;
    double milestone = -1.0;  // the residual that the next cycles are compared with
    index_t cycles_since_milestone = 0;

    iteration_report report;
    const auto finish = [&](solve_status status, std::string message = {}) {
        if (status != solve_status::converged && best_residual >= 0.0) {
            space.copy(best, x);
            report.recursive_residual = best_residual;
        }
        report.status = status;
        report.message = std::move(message);
        return report;
    };

    real_scalar<S> beta = real_part(zero);  // the norm of the residual that a cycle begins with,
    double residual = 0.0;                  // and relative to the scale
    index_t columns = 0;                    // columns of the Hessenberg matrix in this cycle
    bool in_a_cycle = false;                // whether an earlier run has begun this cycle
    const auto state = [&](state_archive& io) {
        archive_all(io, space, x, best, beta);
        io.value(best_residual);
        io.value(milestone);
        io.value(cycles_since_milestone);
        io.value(residual);
        io.at_most(columns, work.restart);
        report.archive(io);
        for (index_t j = 0; j <= columns; ++j) {
            archive(io, space, work.basis[j]);
            if (work.flexible() && j < columns) {
                archive(io, space, work.preconditioned[j]);
            }
        }
        const auto archive_each = [&](auto&... lists) {
            (std::for_each(lists.begin(), lists.end(), [&](auto& each) { archive(io, space, each); }), ...);
        };
        archive_each(work.hessenberg, work.cosine, work.sine, work.rhs);
    };
    if (rule.keeper != nullptr) {
        in_a_cycle = rule.keeper->find(state);
    }

    for (;; ++report.restarts) {
        if (!std::exchange(in_a_cycle, false)) {
            make_residual(space, a, x, b, work.w, work.basis[0]);  // r = b - A x
            ++report.matvecs;
            beta = space.norm2(work.basis[0]);
            if (!is_finite(beta)) {
                return finish(solve_status::breakdown, breakdowns::not_finite);
            }
            residual = residual_ratio(beta, scale);
            report.recursive_residual = residual;
            if (best_residual < 0.0 || residual < best_residual) {
                best_residual = residual;
                space.copy(x, best);
            }
            if (rule.on_iteration && report.restarts == 0) {
                rule.on_iteration(0, residual);
            }
            if (residual <= rule.relative_residual) {
                return finish(solve_status::converged);
            }
            if (report.iterations >= rule.max_iterations) {
                return finish(solve_status::not_converged);
            }
            if (milestone < 0.0 || residual <= 0.5 * milestone) {
                milestone = residual;
                cycles_since_milestone = 0;
            } else if (++cycles_since_milestone == 3) {
                const index_t left = rule.max_iterations - report.iterations;
                const double periods = std::ceil(static_cast<double>(left) / static_cast<double>(3 * work.restart));
                const double wanted = std::log(rule.relative_residual / residual);
                if (!(residual < milestone) || periods * std::log(residual / milestone) > wanted) {
                    return finish(solve_status::stagnated);
                }
                milestone = residual;
                cycles_since_milestone = 0;
            }

            const int up = rescaling_exponent(beta);  // 1 / beta might be out of range
            if (up != 0) {
                space.scal(space.make_scalar(std::ldexp(1.0, up)), work.basis[0]);
            }
            space.scal(one / ldexp(beta, up), work.basis[0]);
            work.rhs.assign(work.rhs.size(), zero);
            work.rhs[0] = one;
            columns = 0;
        }
        std::optional<solve_status> ended;
        bool more = true;
        while (more && !ended && columns < work.restart && report.iterations < rule.max_iterations) {
            more = detail::arnoldi_step(space, a, m, columns, how, work);
            ++report.matvecs;
            if (!is_finite(work.h(columns + 1, columns))) {
                return finish(solve_status::breakdown, "a NaN or an infinity appeared in A M v");
            }
            detail::rotate_column(space, columns, work);
            ++columns;
            ++report.iterations;
            const double estimate = residual * to_double(abs(work.rhs[columns]));
            if (rule.on_iteration) {
                rule.on_iteration(report.iterations, estimate);
            }
            more = more && !(estimate <= rule.relative_residual);
            if (rule.poll) {
                ended = rule.poll();
            }
            if (more && rule.keeper != nullptr && (ended || rule.keeper->is_due())) {
                rule.keeper->keep(state);
            }
        }
        if (!detail::add_correction(space, m, columns, beta, work, x)) {
            return finish(solve_status::breakdown,
                          "the Hessenberg matrix is singular: so is the matrix, or the preconditioner");
        }
        if (ended) {
            best_residual = -1.0;  // GMRES never makes a cycle worse: keep x
            report.recursive_residual = residual * to_double(abs(work.rhs[columns]));
            return finish(*ended);
        }
    }
}

/// The steps of a cycle of gmres for n unknowns: no more than there are.
constexpr index_t gmres_cycle_length(index_t n, index_t restart) { return std::min(restart, std::max<index_t>(n, 1)); }

/// The row of gmres in the registry.
struct gmres_method {
    /// The memory of the workspace, the best x, and the Hessenberg matrix.
    static constexpr method_memory memory(index_t n, index_t restart)
    {
        const auto length = static_cast<double>(gmres_cycle_length(n, restart));
        return {.vectors = length + 4.0, .scalars = (length + 1.0) * length};
    }

    static constexpr method_traits traits{
        .method = method::gmres,
        .name = "gmres",
        .systems = "any; keeps a vector for each step of a cycle",
        .step_cost = "1 product, j inner products, twice",
        .restarts = true,
        .complex_scalars = true,
        .preconditioned = true,
        .preferred = preconditioner::ilu0,
        .memory = memory,
    };

    static auto make_workspace(const auto& space, const auto& of)
    {
        return gmres_workspace(space, of.rows, gmres_cycle_length(of.rows, of.restart),
                               of.flexible ? preconditioning::flexible : preconditioning::fixed);
    }

    static iteration_report run_method(const auto& space, const auto& of, const auto& at, auto& work)
    {
        return gmres(space, of.a, of.m, at.b, at.x, at.rule, work, orthogonalization::reorthogonalized);
    }
};

}  // namespace residua
