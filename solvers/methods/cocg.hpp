#pragma once

#include <residua/solvers/methods/krylov.hpp>
#include <residua/solvers/options/methods.hpp>
#include <residua/solvers/space/vector_space.hpp>

namespace residua {

/// The workspace of cocg, to be reused from call to call.
template <vector_space S>
struct cocg_workspace : krylov_workspace<S, 5, 4> {  // r^H r, q^T p, alpha, z^T r
    cocg_workspace(const S& space, index_t n) : krylov_workspace<S, 5, 4>(space, n) {}
    static constexpr bool is_cocr = false;
    static constexpr const char* lost_residual = "M r became orthogonal to the conjugate of r";
    static constexpr const char* lost_direction = "p became orthogonal to the conjugate of A p";
};

namespace detail {

/// cocg, and cocr in a workspace of its own.
template <vector_space S, linear_operator<S> A, linear_operator<S> M, class Workspace>
iteration_report conjugate_orthogonal_steps(const S& space, const A& a, const M& m, const typename S::vector& b,
                                            typename S::vector& x, const stop_rule& rule, Workspace& work)
{
    using scalar = typename S::scalar;
    enum : index_t { square, curvature, step, product, count };  // the places of the scalars
    auto& r = work.vectors[0];
    auto& m_r = work.vectors[1];
    auto& p = work.vectors[2];
    auto& q = work.vectors[3];
    auto& conjugated = work.vectors[4];
    auto& s = work.scalars;
    const bool plain = is_identity(m);
    const typename S::vector& z = plain ? r : m_r;
    const scalar zero = space.make_scalar(0.0);

    make_residual(space, a, x, b, q, r);  // r = b - A x
    space.fill(zero, p);
    scalar rho = zero;  // no direction yet
    const auto transposed_dot = [&](const typename S::vector& u, const typename S::vector& v, index_t place) {
        if constexpr (numbers_in_scalar<S> == 1) {
            space.dot(u, v, s, place);
        } else {
            space.conjugate(u, conjugated);
            space.dot(conjugated, v, s, place);
        }
    };

    krylov_run run(space, b, x, rule, work.best);
    const auto apply_a = [&](const typename S::vector& u, typename S::vector& v) {
        a.apply(space, u, v);
        ++run.report.matvecs;
    };
    const auto measure = [&] {
        space.dot(r, r, s, square);
        if constexpr (Workspace::is_cocr) {
            apply_a(z, work.a_z());
            transposed_dot(z, work.a_z(), product);
        } else {
            transposed_dot(applied(space, m, r, m_r), r, product);  // z = M r
        }
    };
    if constexpr (Workspace::is_cocr) {
        (void)applied(space, m, r, m_r);  // z = M r, which the recursion keeps
        space.fill(zero, q);
    }
    measure();
    const auto state = work.state(space, rho);
    for (index_t k = run.begin(state);; run.go_on(++k, state)) {
        auto now = space.fetched(s, count);  // curvature and alpha of the step to iterate k; x is iterate k - 1
        if (k > 0 && (now[curvature] == zero || !is_finite(now[curvature]))) {
            return run.broken(Workspace::lost_direction);
        }
        if (k > 0 && !is_finite(now[step])) {
            return run.broken(breakdowns::step_overflowed);
        }
        const real_scalar<S> norm = space.norm2(r, now[square]);
        if (run.ends(k, norm, [&] { space.axpy(run.unscaled(now[step]), p, x); })) {  // x = x + alpha p
            return run.report;
        }
        if (const int up = rescaling_exponent(norm); up != 0) {
            const real_scalar<S> factor = run.rescale(up, {&r, &m_r, &p, &q});
            rho = rho * factor * factor;
            measure();
            now = space.fetched(s, count);
        }

        const scalar rho_next = now[product];
        if (rho_next == zero || !is_finite(rho_next)) {
            return run.broken(Workspace::lost_residual);
        }
        const scalar beta = rho == zero ? zero : rho_next / rho;
        space.xpay(z, beta, p);  // p = z + beta p
        rho = rho_next;

        if constexpr (Workspace::is_cocr) {
            space.xpay(work.a_z(), beta, q);  // q = A z + beta q, which is A p
            transposed_dot(applied(space, m, q, work.m_q()), q, curvature);
        } else {
            apply_a(p, q);  // q = A p
            transposed_dot(q, p, curvature);
        }
        space.divide(s, product, curvature, step);  // alpha = rho / curvature
        space.axmy(s, step, q, r);                  // r = r - alpha q
        if constexpr (Workspace::is_cocr) {
            if (!plain) {
                space.axmy(s, step, work.m_q(), m_r);
            }
        }
        measure();
    }
}

}  // namespace detail

/// Conjugate orthogonal conjugate gradients for A x = b, A equal to its transpose, which is not conjugated: complex
/// symmetric, or real symmetric.
///
/// It is cg with x^T y in place of x^H y: a residual is orthogonal to the conjugates of those before. x^T A x may vanish, or
/// be small, so that it may break down, and no norm falls in every step. It takes one product with A and five vectors,
/// where methods for any A take two products, or a vector for each step.
///
/// shapes   A (n x n), M (n x n), M^T = M, b (n), x (n); x is the initial guess on entry
/// stops    when ||r_k|| <= rule.relative_residual ||b|| (recurrence residual; to 0 if b = 0)
/// cost     per iteration: 1 A, 1 M, 3 dot, 2 conjugates, 3 axpy-like, 1 read; 6 vectors of work
/// reports  breakdown if z^T r or p^T A p vanishes; stagnated as cg. x is then the iterate with the smallest residual
/// throws   never for lack of convergence
/// from     [vdVM90]
template <vector_space S, linear_operator<S> A, linear_operator<S> M>
iteration_report cocg(const S& space, const A& a, const M& m, const typename S::vector& b, typename S::vector& x,
                      const stop_rule& rule, cocg_workspace<S>& work)
{
    return detail::conjugate_orthogonal_steps(space, a, m, b, x, rule, work);
}

/// The row of cocg in the registry.
struct cocg_method : method_of_a_and_m<cocg_method, cocg_workspace> {
    static constexpr method_traits traits{
        .method = method::cocg,
        .name = "cocg",
        .systems = "complex symmetric, or real symmetric; refuses others",
        .step_cost = "1 product with A",
        .symmetric = true,
        .complex_symmetric = true,
        .complex_scalars = true,
        .breaks_down_by_accident = true,
        .preconditioned = true,
        .vector_operations = 8.0,
        .preferred = preconditioner::jacobi,
        .memory = [](index_t, index_t) { return method_memory{.vectors = 6.0}; },
    };

    static iteration_report run(auto&... all) { return cocg(all...); }
};

}  // namespace residua
