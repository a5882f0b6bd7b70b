#pragma once

#include <residua/solvers/methods/krylov.hpp>
#include <residua/solvers/options/methods.hpp>
#include <residua/solvers/space/vector_space.hpp>

namespace residua {

/// The workspace of cocg, to be reused from call to call.
template <vector_space S>
struct cocg_workspace : krylov_workspace<S, 5, 4> {  // r^H r, q^T p, alpha, z^T r
    cocg_workspace(const S& space, index_t n) : krylov_workspace<S, 5, 4>(space, n) {}
};

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
    using scalar = typename S::scalar;
    enum : index_t { square, curvature, step, z_r, count };  // the places of the scalars
    auto& r = work.vectors[0];
    auto& m_r = work.vectors[1];
    auto& p = work.vectors[2];
    auto& q = work.vectors[3];
    auto& conjugated = work.vectors[4];
    auto& s = work.scalars;
    const typename S::vector& z = is_identity(m) ? r : m_r;
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
    const auto measure = [&] {
        space.dot(r, r, s, square);
        transposed_dot(applied(space, m, r, m_r), r, z_r);  // z = M r
    };

    krylov_run run(space, b, x, rule, work.best);
    measure();
    const auto state = [&](state_archive& io) {
        archive_arrays(io, space, work.vectors);
        archive_scalars(io, space, s, count);
        archive(io, space, rho);
    };
    for (index_t k = run.begin(state);; run.go_on(++k, state)) {
        auto now = space.fetched(s, count);  // with q^T p and alpha of the step to iterate k; x is still iterate k - 1
        if (k > 0 && (now[curvature] == zero || !is_finite(now[curvature]))) {
            return run.broken("p became orthogonal to the conjugate of A p");
        }
        if (k > 0 && !is_finite(now[step])) {
            return run.broken(breakdowns::step_overflowed);
        }
        const real_scalar<S> norm = space.norm2(r, now[square]);
        if (run.ends(k, norm, [&] { space.axpy(run.unscaled(now[step]), p, x); })) {  // x = x + alpha p
            return run.report;
        }
        if (const int up = rescaling_exponent(norm); up != 0) {
            const real_scalar<S> factor = run.rescale(up, {&r, &p});
            rho = rho * factor * factor;
            measure();
            now = space.fetched(s, count);
        }

        const scalar rho_next = now[z_r];
        if (rho_next == zero || !is_finite(rho_next)) {
            return run.broken("M r became orthogonal to the conjugate of r");
        }
        const scalar beta = rho == zero ? zero : rho_next / rho;
        space.xpay(z, beta, p);  // p = z + beta p
        rho = rho_next;

        a.apply(space, p, q);  // q = A p
        ++run.report.matvecs;
        transposed_dot(q, p, curvature);
        space.divide(s, z_r, curvature, step);  // alpha = rho / q^T p
        space.axmy(s, step, q, r);              // r = r - alpha q
        measure();
    }
}

/// The row of cocg in the registry.
struct cocg_method {
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

    static auto make_workspace(const auto& space, const auto& of) { return cocg_workspace(space, of.rows); }

    static iteration_report run_method(const auto& space, const auto& of, const auto& at, auto& work)
    {
        return cocg(space, of.a, of.m, at.b, at.x, at.rule, work);
    }
};

}  // namespace residua
