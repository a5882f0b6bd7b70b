#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include <residua/solvers/methods/krylov.hpp>
#include <residua/solvers/methods/shadow.hpp>
#include <residua/solvers/options/methods.hpp>
#include <residua/solvers/space/vector_space.hpp>

namespace residua {

/// The s of idr: more vectors take fewer products with A, and more work for each.
inline constexpr index_t default_idr_vectors = 4;

/// The workspace of idr, to be reused from call to call: its s shadow vectors p_i among it, 3 s + 4 vectors in all.
///
/// The shadow vectors stay as they are made: r_k depends on the spans of p_1, ..., p_i alone, and so orthonormal ones
/// would give the same, but for rounding errors.
template <vector_space S>
struct idr_workspace {
    std::vector<typename S::vector> shadow, g, u;  // P, G = A U and U, (n, s)
    typename S::vector r, v, t;
    typename S::scalars scalars;               // p_i'g_i, other p_i'g_k, p_i'r, beta, r'r, t't and t'r
    std::vector<typename S::scalar> p_g, p_r;  // P'G by columns and P'r, on the host
    best_iterate<S> best;

    /// vectors  s, from 1; n if that is less
    idr_workspace(const S& space, index_t n, index_t vectors = default_idr_vectors)
        : shadow(make_shadow_vectors(space, n, std::min(vectors, n))),
          g(make_vectors(space, n, std::min(vectors, n))),
          u(make_vectors(space, n, std::min(vectors, n))),
          r(space.make_vector(n)),
          v(space.make_vector(n)),
          t(space.make_vector(n)),
          scalars(space.make_scalars(3 * std::min(vectors, n) + 4)),
          p_g(shadow.size() * shadow.size(), space.make_scalar(0.0)),
          p_r(shadow.size(), space.make_scalar(0.0)),
          best(space, n)
    {}
};

namespace detail {

/// The places of idr's scalars; p_i'g_i is at i.
struct idr_places {
    index_t s;
    index_t column = s;          // p_i'g_k of the last g_k, at column + i for the other i
    index_t projection = 2 * s;  // p_i'r, at projection + i
    index_t beta = 3 * s;
    index_t square = beta + 1;  // r'r
    index_t t_t = beta + 2;
    index_t t_r = beta + 3;
    index_t count = beta + 4;
};

/// u_k = U c + omega M (r - G c) with p_i'(r - G c) = 0 for i >= k, over the columns from k on, which are of the cycle
/// before, if there was one; and g_k = A u_k, both less what makes p_i'g_k = 0 for i < k. P'g_k goes to the scalars.
template <vector_space S, linear_operator<S> A, linear_operator<S> M>
void make_idr_vectors(const S& space, const A& a, const M& m, index_t k, bool first_cycle,
                      const typename S::scalar& omega, idr_workspace<S>& work)
{
    using scalar = typename S::scalar;
    auto& [p, g, u, r, v, t, scalars, p_g, p_r, best] = work;
    const idr_places at{static_cast<index_t>(p.size())};

    space.copy(r, v);
    if (first_cycle) {
        space.fill(space.make_scalar(0.0), u[k]);
    } else {
        std::vector<scalar> c(p_r.begin() + k, p_r.end());
        for (index_t i = k; i < at.s; ++i) {
            for (index_t j = k; j < i; ++j) {
                c[i - k] = c[i - k] - p_g[j * at.s + i] * c[j - k];
            }
            c[i - k] = c[i - k] / p_g[i * at.s + i];
            space.axpy(-c[i - k], g[i], v);
        }
        space.scal(c[0], u[k]);
        for (index_t i = k + 1; i < at.s; ++i) {
            space.axpy(c[i - k], u[i], u[k]);
        }
    }
    space.axpy(omega, applied(space, m, v, t), u[k]);
    a.apply(space, u[k], g[k]);

    for (index_t i = 0; i < k; ++i) {
        space.dot(p[i], g[k], scalars, at.column + i);
        space.divide(scalars, at.column + i, i, at.column + i);
        space.axmy(scalars, at.column + i, g[i], g[k]);
        space.axmy(scalars, at.column + i, u[i], u[k]);
    }
    space.dot(p[k], g[k], scalars, k);
    for (index_t i = k + 1; i < at.s; ++i) {
        space.dot(p[i], g[k], scalars, at.column + i);
    }
}

}  // namespace detail

/// Induced dimension reduction, IDR(s), for A x = b, A any nonsingular matrix, preconditioned from the right: the
/// variant with bi-orthogonal vectors.
///
/// A cycle is s steps that make r orthogonal to one shadow vector each, and a step r = r - omega A M r, which takes the
/// next residuals into a smaller space: after n + n/s products at most, r = 0 but for rounding errors. omega makes
/// ||r|| least, but where A M r is at more than some 45 degrees to r it is longer, (0.7 ||r||) / ||A M r||: a short one
/// would stop the method. Where p_i'g_i vanishes, the cycle ends by that step, and the next one begins anew.
///
/// The host reads once a step, and twice at the end of a cycle: r'r of the new residual, and the length of the step
/// that led to it. Only then is that step known to be good, and x follows.
///
/// shapes   A (n x n), M (n x n), b (n), x (n); x is the initial guess on entry
/// stops    when ||r_k|| <= rule.relative_residual ||b|| (recurrence residual; to 0 if b = 0)
/// cost     an iteration is one product with A and one with M; s + 1 of them: s^2 + 3 s + 3 dot, 2 s^2 + 4 s + 2
///          axpy-like, s + 2 reads; 3 s + 4 vectors of work
/// reports  breakdown if A M r = 0, where A or M is singular, or if a NaN or an overflow appears; stagnated as cg. x is
///          then the iterate with the smallest recurrence residual. restarts: the cycles that were begun anew
/// throws   never for lack of convergence
/// from     [vGS11]; omega [SvdV95]
template <vector_space S, linear_operator<S> A, linear_operator<S> M>
iteration_report idr(const S& space, const A& a, const M& m, const typename S::vector& b, typename S::vector& x,
                     const stop_rule& rule, idr_workspace<S>& work)
{
    using scalar = typename S::scalar;
    auto& p = work.shadow;
    auto& g = work.g;
    auto& u = work.u;
    auto& r = work.r;
    auto& v = work.v;
    auto& t = work.t;
    auto& scalars = work.scalars;
    auto& p_g = work.p_g;
    auto& p_r = work.p_r;
    auto& best = work.best;
    const auto s = static_cast<index_t>(p.size());
    const detail::idr_places at{s};
    const scalar one = space.make_scalar(1.0);
    const scalar zero = space.make_scalar(0.0);
    const real_scalar<S> kappa = real_part(space.make_scalar(0.7));

    make_residual(space, a, x, b, t, r);  // r = b - A x
    scalar omega = one;
    bool anew = true;      // G and U hold nothing of use yet
    bool lost = false;     // whether some p_i'g_i of this cycle vanished
    index_t taken = 0;     // the step that led here: 0, ..., s - 1, and s for the one with omega
    index_t next = 0;      // the one that follows
    scalar length = zero;  // length of the step taken, along `direction`
    const typename S::vector* direction = &v;
    const auto measure = [&] {
        space.dot(r, r, scalars, at.square);
        for (index_t i = 0; next == 0 && i < s; ++i) {
            space.dot(p[i], r, scalars, at.projection + i);
        }
    };

    krylov_run run(space, b, x, rule, best);
    measure();
    const auto state = [&](state_archive& io) {
        archive_all(io, space, g, u, r, v, omega, length);
        archive_scalars(io, space, scalars, at.count);
        for (auto* const each : {&p_g, &p_r}) {
            for (scalar& number : *each) {
                archive(io, space, number);
            }
        }
        bool along_v = direction == &v;
        for (bool* const flag : {&anew, &lost, &along_v}) {
            io.value(*flag);
        }
        io.at_most(taken, s);
        io.at_most(next, s);
        along_v = along_v || taken == s;
        direction = along_v ? &v : &u[taken];
    };
    for (index_t k = run.begin(state);; run.go_on(++k, state)) {
        const auto now =
            space.fetched(scalars, at.count);  // with what the step to iterate k was made of; x is still k - 1
        if (k > 0 && taken < s) {
            if (!is_finite(now[taken])) {
                return run.broken("a NaN or an infinity appeared in A M v");
            }
            length = now[at.beta];
        }
        if (k > 0 && !is_finite(length)) {
            return run.broken(breakdowns::step_overflowed);
        }
        real_scalar<S> norm = space.norm2(r, now[at.square]);
        if (run.ends(k, norm, [&] { space.axpy(run.unscaled(length), *direction, x); })) {
            return run.report;
        }

        if (next == 0) {
            std::copy(now.begin() + at.projection, now.begin() + at.projection + s, p_r.begin());
        } else if (now[taken] == zero) {
            lost = true;
            next = s;
            ++run.report.restarts;
        } else {
            p_g[taken * s + taken] = now[taken];
            for (index_t i = taken + 1; i < s; ++i) {
                p_g[taken * s + i] = now[at.column + i];
                p_r[i] = p_r[i] - length * now[at.column + i];
            }
        }
        if (const int up = rescaling_exponent(norm); up != 0) {
            const real_scalar<S> factor = run.rescale(up, {&r});  // G and U may have any length
            norm = norm * factor;
            for (scalar& each : p_r) {
                each = each * factor;
            }
        }

        taken = next;
        ++run.report.matvecs;
        if (taken == s) {
            m.apply(space, r, v);
            a.apply(space, v, t);  // t = A M r
            space.dot(t, t, scalars, at.t_t);
            space.dot(t, r, scalars, at.t_r);
            const auto read = space.fetched(scalars, at.count);
            const real_scalar<S> norm_t = space.norm2(t, read[at.t_t]);
            if (norm_t == real_part(zero)) {
                return run.broken("A M r vanished: the matrix is singular, or the preconditioner");
            }
            const real_scalar<S> least = kappa * norm;  // the least |t^H r| / ||t||
            const scalar along = read[at.t_r] / norm_t;
            omega = (abs(along) < least ? with_magnitude(along, least) : along) / norm_t;
            space.axpy(-omega, t, r);
            length = omega;
            direction = &v;
            next = 0;
            anew = lost;
            lost = false;
            measure();
            continue;
        }

        detail::make_idr_vectors(space, a, m, taken, anew, omega, work);
        space.dot(p[taken], r, scalars, at.projection + taken);
        space.divide(scalars, at.projection + taken, taken, at.beta);  // beta = p_k'r / p_k'g_k
        space.axmy(scalars, at.beta, g[taken], r);                     // r = r - beta g_k
        direction = &u[taken];
        next = taken + 1;
        measure();
    }
}

/// The row of idr in the registry.
struct idr_method : method_of_a_and_m<idr_method, idr_workspace> {
    static constexpr method_traits traits{
        .method = method::idr,
        .name = "idr",
        .systems = "any",
        .step_cost = "1 product, 6 inner products and 10 other operations on vectors",
        .complex_scalars = true,
        .breaks_down_by_accident = true,
        .preconditioned = true,
        .preferred = preconditioner::ilu0,
        .memory =
            [](index_t, index_t) {
                return method_memory{.vectors = 3.0 * static_cast<double>(default_idr_vectors) + 4.0};
            },
    };

    static iteration_report run(auto&... all) { return idr(all...); }
};

}  // namespace residua
