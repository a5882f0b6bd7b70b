#pragma once

#include <utility>
#include <vector>

#include <residua/solvers/methods/krylov.hpp>
#include <residua/solvers/methods/shadow.hpp>
#include <residua/solvers/options/methods.hpp>
#include <residua/solvers/space/vector_space.hpp>

namespace residua {

/// The l of bicgstabl: 2 is the least that takes complex pairs of eigenvalues together.
inline constexpr index_t default_bicgstabl_degree = 2;

/// The workspace of bicgstabl, to be reused from call to call: 2 l + 7 vectors.
template <vector_space S>
struct bicgstabl_workspace {
    std::vector<typename S::vector> r, u;  // r_0, ..., r_l with r_i = A M r_(i-1), and u_i likewise
    typename S::vector shadow, d, y, z;    // d: what y gains in a cycle, with the other sign; x = x_0 + M y
    typename S::scalars scalars;
    best_iterate<S> best;  // the best y

    /// degree  l, from 1
    bicgstabl_workspace(const S& space, index_t n, index_t degree = default_bicgstabl_degree)
        : r(make_vectors(space, n, degree + 1)),
          u(make_vectors(space, n, degree + 1)),
          shadow(std::move(make_shadow_vectors(space, n, 1).front())),
          d(space.make_vector(n)),
          y(space.make_vector(n)),
          z(space.make_vector(n)),
          scalars(space.make_scalars(degree * (degree + 5) + 2)),
          best(space, n)
    {}
};

namespace detail {

/// The places of bicgstabl's scalars, for j from 0 or, for those of the vectors r_j, from 1 to l.
struct bicgstabl_places {
    index_t l;
    index_t square = 0;                                        // r_0'r_0
    index_t before = 1;                                        // r_0'r_0 before the last step of the cycle
    index_t product(index_t j) const { return 2 + j; }         // shadow'r_j
    index_t projection(index_t j) const { return 2 + l + j; }  // shadow'u_(j+1)
    index_t alpha(index_t j) const { return 2 + 2 * l + j; }   // product / projection
    index_t norm(index_t j) const { return 1 + 3 * l + j; }    // r_j'r_j, j >= 1
    index_t length(index_t j) const { return 1 + 4 * l + j; }  // r_0^H r_j / r_j^H r_j, j >= 1
    index_t tau(index_t i, index_t j) const { return 1 + 5 * l + (i - 1) * l + j; }  // r_i'r_j / r_i'r_i, 1 <= i < j
    index_t count() const { return l * (l + 5) + 2; }
};

/// Makes r_1, ..., r_degree orthogonal, and computes their tau, norm and length.
template <vector_space S>
void orthogonalize(const S& space, index_t degree, bicgstabl_workspace<S>& work)
{
    auto& [r, u, shadow, d, y, z, scalars, best] = work;
    const bicgstabl_places at{static_cast<index_t>(r.size()) - 1};
    for (index_t j = 1; j <= degree; ++j) {
        for (index_t i = 1; i < j; ++i) {
            space.dot(r[i], r[j], scalars, at.tau(i, j));
            space.divide(scalars, at.tau(i, j), at.norm(i), at.tau(i, j));
            space.axmy(scalars, at.tau(i, j), r[i], r[j]);
        }
        space.dot(r[j], r[j], scalars, at.norm(j));
        space.dot(r[0], r[j], scalars, at.length(j));
        space.divide(scalars, at.length(j), at.norm(j), at.length(j));
    }
}

/// r_0 = r_0 - sum conj(length_j) r_j, j <= degree, where the r_j are orthogonal, with u_0 and d made to follow: the
/// last step of a cycle. Returns omega, the leading coefficient of the polynomial.
template <vector_space S>
typename S::scalar minimize(const S& space, const std::vector<typename S::scalar>& now, index_t degree,
                            bicgstabl_workspace<S>& work)
{
    using scalar = typename S::scalar;
    auto& [r, u, shadow, d, y, z, scalars, best] = work;
    const bicgstabl_places at{static_cast<index_t>(r.size()) - 1};
    std::vector<scalar> gamma(static_cast<std::size_t>(degree) + 1,
                              space.make_scalar(0.0));  // of A M r, ..., (A M)^l r
    for (index_t j = degree; j >= 1; --j) {
        gamma[j] = conjugate(now[at.length(j)]);
        for (index_t i = j + 1; i <= degree; ++i) {
            gamma[j] = gamma[j] - now[at.tau(j, i)] * gamma[i];
        }
        space.axpy(-gamma[j], u[j], u[0]);
    }
    space.axpy(-gamma[1], r[0], d);
    for (index_t j = 1; j < degree; ++j) {
        scalar step = gamma[j + 1];
        for (index_t i = j + 1; i < degree; ++i) {
            step = step + now[at.tau(j, i)] * gamma[i + 1];
        }
        space.axpy(-step, r[j], d);
    }
    for (index_t j = 1; j <= degree; ++j) {
        space.axpy(-conjugate(now[at.length(j)]), r[j], r[0]);
    }
    return gamma[degree];
}

}  // namespace detail

/// BiCGSTAB(l) for A x = b, A any nonsingular matrix, preconditioned from the right.
///
/// A cycle is l steps of bi-conjugate gradients, and then a polynomial in A M of degree l that makes ||r|| least;
/// BiCGSTAB has l of degree 1 there, whose real zeros do little where eigenvalues are far from the real axis. The
/// vectors r_i of the polynomial are made orthogonal by modified Gram-Schmidt. Where a scalar of the recursion
/// vanishes, the step has no length, and the next cycle begins anew with the current residual. Steps end where ||r|| is
/// 2^-16 times what it was in the beginning of a cycle, and the polynomial has their degree: with a good preconditioner
/// the next scalars would be rounding errors, as A M r is nearly r and that is nearly orthogonal to the shadow
/// residual, which is pseudo-random.
///
/// The host reads l + 1 times a cycle, or less: at its beginning r'r, of the new residual. Only then is the cycle known
/// to be good, and y follows, whose M y is x's correction: one that is not leaves y as it was.
///
/// shapes   A (n x n), M (n x n), b (n), x (n); x is the initial guess on entry
/// stops    when ||r_k|| <= rule.relative_residual ||b|| (recurrence residual; to 0 if b = 0), at the end of a cycle,
///          of which the polynomial is left out where r does not need it any more
/// cost     per iteration, which is a cycle: 2 l A, 2 l M, (l^2 + 9 l + 2) / 2 dot, (3 l^2 + 9 l + 2) / 2 axpy-like,
///          l + 1 reads; M once more at the end; 2 l + 7 vectors of work
/// reports  breakdown if a cycle that was begun anew has no step of any length, or if a NaN or an overflow appears;
///          stagnated as cg. x is then the iterate with the smallest recurrence residual. restarts: the cycles that
///          were begun anew
/// throws   never for lack of convergence
/// from     [SF93]
template <vector_space S, linear_operator<S> A, linear_operator<S> M>
iteration_report bicgstabl(const S& space, const A& a, const M& m, const typename S::vector& b, typename S::vector& x,
                           const stop_rule& rule, bicgstabl_workspace<S>& work)
{
    using scalar = typename S::scalar;
    auto& r = work.r;
    auto& u = work.u;
    auto& shadow = work.shadow;
    auto& d = work.d;
    auto& y = work.y;
    auto& z = work.z;
    auto& scalars = work.scalars;
    auto& best = work.best;
    const auto l = static_cast<index_t>(r.size()) - 1;
    const detail::bicgstabl_places at{l};
    constexpr int enough_bits = 16;
    const scalar one = space.make_scalar(1.0);
    const scalar zero = space.make_scalar(0.0);

    make_residual(space, a, x, b, z, r[0]);  // r = b - A x
    space.fill(zero, y);
    scalar rho = one;     // shadow'r of the step before, times -omega if that ended a cycle
    scalar alpha = zero;  // the length of the step before
    bool anew = true;     // whether u holds nothing yet
    const auto measure = [&] {
        space.dot(r[0], r[0], scalars, at.square);
        space.dot(shadow, r[0], scalars, at.product(0));
    };
    const auto apply = [&](const typename S::vector& from, typename S::vector& to) {
        a.apply(space, applied(space, m, from, z), to);
    };

    krylov_run run(space, b, y, rule, best);
    const auto finished = [&](iteration_report report) {
        if (report.iterations > 0) {
            space.axpy(one, applied(space, m, y, z), x);
        }
        return report;
    };
    measure();
    const auto state = [&](state_archive& io) {
        archive_all(io, space, r, u, d, rho, alpha);
        archive_scalars(io, space, scalars, at.count());
        io.value(anew);
    };
    for (index_t k = run.begin(state);; run.go_on(++k, state)) {
        auto now = space.fetched(scalars, at.count());  // y is still iterate k - 1
        real_scalar<S> norm = space.norm2(r[0], now[at.square]);
        if (run.ends(k, norm, [&] { space.axpy(run.unscaled(-one), d, y); })) {
            return finished(run.report);
        }

        if (const int up = rescaling_exponent(norm); up != 0) {
            const real_scalar<S> factor = run.rescale(up, {&r[0], &u[0]});
            rho = rho * factor;
            norm = norm * factor;
            measure();
            now = space.fetched(scalars, at.count());
        }

        const bool begun_anew = anew;
        if (begun_anew) {
            run.report.restarts += k > 0 ? 1 : 0;
            space.fill(zero, u[0]);
        }
        space.fill(zero, d);
        anew = false;
        index_t degree = 0;
        const real_scalar<S> enough = ldexp(norm, -enough_bits);
        for (index_t j = 0; j < l; ++j) {
            if (j > 0) {
                now = space.fetched(scalars, at.count());
                if (space.norm2(r[0], now[at.before]) < enough) {
                    break;
                }
                alpha = now[at.alpha(j - 1)];
            }
            scalar beta = zero;
            if (j > 0 || !begun_anew) {
                beta = rho == zero ? zero : alpha * (now[at.product(j)] / rho);
                if (now[at.product(j)] == zero || rho == zero || !is_finite(beta)) {
                    anew = true;
                    beta = zero;
                }
            }
            rho = now[at.product(j)];
            for (index_t i = 0; i <= j; ++i) {
                space.xpay(r[i], -beta, u[i]);  // u = r - beta u
            }
            apply(u[j], u[j + 1]);
            space.dot(shadow, u[j + 1], scalars, at.projection(j));
            space.divide(scalars, at.product(j), at.projection(j), at.alpha(j));
            for (index_t i = 0; i <= j; ++i) {
                space.axmy(scalars, at.alpha(j), u[i + 1], r[i]);  // r = r - alpha A M u
            }
            space.axmy(scalars, at.alpha(j), u[0], d);
            apply(r[j], r[j + 1]);
            space.dot(r[0], r[0], scalars, at.before);
            run.report.matvecs += 2;
            degree = j + 1;
            if (degree < l) {
                space.dot(shadow, r[degree], scalars, at.product(degree));
            }
        }

        detail::orthogonalize(space, degree, work);
        now = space.fetched(scalars, at.count());
        alpha = now[at.alpha(degree - 1)];
        bool moved = false;
        for (index_t j = 0; j < degree; ++j) {
            const scalar& step = now[at.alpha(j)];
            const scalar& last = now[at.length(j + 1)];
            if (!is_finite(step) || !is_finite(last)) {
                return finished(run.broken(breakdowns::step_overflowed));
            }
            moved = moved || !(step == zero) || !(last == zero);
            anew = anew || now[at.projection(j)] == zero;
        }
        const real_scalar<S> norm_before = space.norm2(r[0], now[at.before]);
        if (begun_anew && !moved && is_finite(norm_before)) {
            return finished(run.broken(
                "no step from the residual makes it smaller: A M r is orthogonal to it, or the matrix is singular"));
        }
        if (!(run.ratio(norm_before) <= rule.relative_residual)) {
            rho = -(detail::minimize(space, now, degree, work) * rho);
            anew = anew || rho == zero;
        }
        measure();
    }
}

/// The row of bicgstabl in the registry.
struct bicgstabl_method : method_of_a_and_m<bicgstabl_method, bicgstabl_workspace> {
    static constexpr method_traits traits{
        .method = method::bicgstabl,
        .name = "bicgstabl",
        .systems = "any; eigenvalues near the imaginary axis too",
        .step_cost = "4 products, of which 2 steps of BiCG and a polynomial of degree 2",
        .complex_scalars = true,
        .breaks_down_by_accident = true,
        .preconditioned = true,
        .preferred = preconditioner::ilu0,
        .memory =
            [](index_t, index_t) {
                return method_memory{.vectors = 2.0 * static_cast<double>(default_bicgstabl_degree) + 7.0};
            },
    };

    static iteration_report run(auto&... all) { return bicgstabl(all...); }
};

}  // namespace residua
