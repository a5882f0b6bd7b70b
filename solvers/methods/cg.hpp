#pragma once

#include <algorithm>

#include <residua/solvers/methods/falling_precision.hpp>
#include <residua/solvers/methods/fcg.hpp>
#include <residua/solvers/methods/krylov.hpp>
#include <residua/solvers/options/methods.hpp>
#include <residua/solvers/space/vector_space.hpp>

namespace residua {

namespace detail {

/// cg where x is the sum that `bits` holds, and what x took up before.
template <vector_space S, linear_operator<S> A, linear_operator<S> M>
iteration_report cg_steps(falling_precision<S>& bits, const A& a, const M& m, const typename S::vector& b,
                          const stop_rule& rule, cg_workspace<S>& work)
{
    using scalar = typename S::scalar;
    enum : index_t { square, curvature, step, r_z, count };  // the places of the scalars
    auto& r = work.vectors[0];
    auto& m_r = work.vectors[1];
    auto& p = work.vectors[2];
    auto& q = work.vectors[3];
    auto& s = work.scalars;
    const bool plain = is_identity(m);
    const typename S::vector& z = plain ? r : m_r;
    const index_t product = plain ? square : r_z;
    const S& space = bits.space();
    scalar zero = space.make_scalar(0.0);

    for (auto& each : work.vectors) {
        fit(space, each);
    }
    make_residual(space, a, bits.sum(), b, q, r);  // r = b - A x
    space.fill(zero, p);
    scalar rho = zero;  // no direction yet
    const auto measure = [&] {
        space.dot(r, r, s, square);
        if (!plain) {
            m.apply(space, r, m_r);  // z = M r
            space.dot(r, z, s, product);
        }
    };

    krylov_run<S> run(space, b, bits.sum(), rule, work.best);
    measure();
    const auto state = [&](state_archive& io) {
        bits.archive(io, run);
        for (auto& each : work.vectors) {
            fit(space, each);
            archive(io, space, each);
        }
        archive_scalars(io, space, s, count);
        zero = space.make_scalar(0.0);
        archive(io, space, rho);
    };
    for (index_t k = run.begin(state);; run.go_on(++k, state)) {
        auto now = space.fetched(s, count);  // with p'q and alpha of the step to iterate k; x is still iterate k - 1
        if (k > 0 && !(zero < now[curvature])) {
            return run.broken(breakdowns::matrix_not_definite);
        }
        if (k > 0 && !is_finite(now[step])) {
            return run.broken(breakdowns::cg_step_overflowed);
        }
        if (k > 0) {
            run.report.spectrum.add_step(to_double(now[step]));
        }
        const scalar norm = space.norm2(r, now[square]);
        if (run.ends(k, norm, [&] { space.axpy(run.unscaled(now[step]), p, bits.sum()); })) {  // x = x + alpha p
            return run.report;
        }

        if constexpr (shortenable_space<S>) {
            if (bits.falls(k, run)) {
                round_to(space, r);
                round_to(space, p);
                fit(space, m_r);
                fit(space, q);
                rho = rounded_to(space, rho);
                zero = space.make_scalar(0.0);
                measure();
                now = space.fetched(s, count);
            }
        }
        if (const int up = rescaling_exponent(norm); up != 0) {
            const scalar factor = run.rescale(up, {&r, &p});
            rho = rho * factor * factor;
            measure();
            now = space.fetched(s, count);
        }

        const scalar rho_next = now[product];
        if (!(zero < rho_next)) {
            return run.broken(breakdowns::preconditioner_not_definite);
        }
        const scalar beta = rho == zero ? zero : rho_next / rho;
        run.report.spectrum.add_direction(to_double(beta));
        space.xpay(z, beta, p);  // p = z + beta p
        rho = rho_next;

        a.apply(space, p, q);  // q = A p
        ++run.report.matvecs;
        space.dot(p, q, s, curvature);
        space.divide(s, product, curvature, step);  // alpha = rho / p'q
        space.axmy(s, step, q, r);                  // r = r - alpha q
        measure();
    }
}

}  // namespace detail

/// Preconditioned conjugate gradients for A x = b, A symmetric positive definite.
///
/// The host reads once an iteration: r'r and r'z of the new residual, and p'Ap and alpha of the step
/// that led to it. Only then is that step known to be good, and x follows: one that is not leaves x
/// as it was. Where the residual is rescaled, once in some 64 bits of progress, the first two are
/// computed and read again.
///
/// As the residual falls, so do the bits of r, p, A p and the sum of the steps, where the space can be shortened and a bound of A
/// is given (precision_schedule). x takes the sums up in the bits of the space. So b - A x is as near to the recurrence
/// residual as the tolerance needs, if the growth that was predicted is near the true one: error_bounds.md, section 17.
///
/// shapes   A (n x n), M (n x n), b (n), x (n); x is the initial guess on entry
/// stops    when ||r_k|| <= rule.relative_residual ||b|| (recurrence residual; to 0 if b = 0)
/// norms    matrix_norm >= || |A| ||_2, where `a` and `m` apply in any bits of the space; 0: the bits stay
/// cost     per iteration: 1 A, 1 M, 3 dot, 3 axpy-like, 1 read; M once more at the end; 5 vectors of work. If M is
///          the identity 2 dot. Where bits fall, one more vector, and some 8 passes over vectors each time
/// reports  breakdown if p'Ap <= 0 or r'Mr <= 0: A or M is not positive definite; stagnated if
///          the smallest residual is older than stagnation_window(n) iterations. x is then the
///          iterate with the smallest recurrence residual. The spectrum of M A that alpha and beta show.
///          Where the bits fell
/// throws   never for lack of convergence
/// from     [HS52]; preconditioned form [Saad03, Alg. 9.1]
template <vector_space S, linear_operator<S> A, linear_operator<S> M>
iteration_report cg(const S& given, const A& a, const M& m, const typename S::vector& b, typename S::vector& x,
                    const stop_rule& rule, cg_workspace<S>& work, double matrix_norm = 0.0)
{
    falling_precision<S> bits(given, x, rule, matrix_norm);
    iteration_report report = detail::cg_steps(bits, a, m, b, rule, work);
    bits.finish();
    return report;
}

/// The row of cg in the registry.
struct cg_method {
    static constexpr method_traits traits{
        .method = method::cg,
        .name = "cg",
        .systems = "symmetric positive definite; refuses one that is not symmetric",
        .step_cost = "1 product with A",
        .symmetric = true,
        .definite = true,
        .in_rns_on_gpu = true,
        .preconditioned = true,
        .vector_operations = 6.0,
        .preferred = preconditioner::jacobi,
        .memory = [](index_t, index_t) { return method_memory{.vectors = 5.0}; },
    };

    static auto make_workspace(const auto& space, const auto& of) { return cg_workspace(space, of.rows); }

    static iteration_report run_method(const auto& space, const auto& of, const auto& at, auto& work)
    {
        return of.flexible ? fcg(space, of.a, of.m, at.b, at.x, at.rule, work)
                           : cg(space, of.a, of.m, at.b, at.x, at.rule, work, of.matrix_norm);
    }
};

}  // namespace residua
