#pragma once

#include <algorithm>
#include <string>

#include <residua/solvers/methods/bicg.hpp>
#include <residua/solvers/methods/bicgstab.hpp>
#include <residua/solvers/methods/bicgstabl.hpp>
#include <residua/solvers/methods/cg.hpp>
#include <residua/solvers/methods/cocg.hpp>
#include <residua/solvers/methods/cocr.hpp>
#include <residua/solvers/methods/fcg.hpp>
#include <residua/solvers/methods/gmres.hpp>
#include <residua/solvers/methods/idr.hpp>
#include <residua/solvers/methods/lsqr.hpp>
#include <residua/solvers/methods/minres.hpp>
#include <residua/solvers/methods/tfqmr.hpp>
#include <residua/solvers/methods/typed_run.hpp>

/// Methods with few arguments, for programs that choose the format themselves: cg(space, a, b, x). Operators may be lambdas,
/// a tolerance may lie below binary64's range, and one function watches the run.
///
/// shapes   A (n x n), M (n x n), b (n), x (n), for lsqr A (m x n), b (m), x (n); x is the initial guess on entry
/// stops    when ||b - A x||, computed from x in the format, is at most rule.relative_residual ||b||. Where that is far
///          below the residual of the guess, the method starts anew every 800 bits, or as many as the
///          format has, on the residual scaled to 1
/// cost     as the method, and 3 vectors and 2 products more
/// reports  as the method; stagnated also where b - A x stays above the tolerance though the method has reached it
/// throws   dimension_error if sizes differ; error if the tolerance is not a positive number; what A, M and the observer throw
namespace residua {

/// A symmetric positive definite, M too.
template <vector_space S, operator_or_function<S> A, operator_or_function<S> M>
typed_report cg(const S& space, const A& a, const M& m, const typename S::vector& b, typename S::vector& x,
                const typed_rule& rule = {})
{
    return detail::run_typed(space, a, m, b, x, rule, cg_workspace(space, space.size(b)),
                             [](const auto& s, auto&... all) { return cg(s, all...); });
}

template <vector_space S, operator_or_function<S> A>
typed_report cg(const S& space, const A& a, const typename S::vector& b, typename S::vector& x,
                const typed_rule& rule = {})
{
    return cg(space, a, identity_operator{}, b, x, rule);
}

/// A and M equal to their transposes, which are not conjugated.
template <vector_space S, operator_or_function<S> A, operator_or_function<S> M>
typed_report cocg(const S& space, const A& a, const M& m, const typename S::vector& b, typename S::vector& x,
                  const typed_rule& rule = {})
{
    return detail::run_typed(space, a, m, b, x, rule, cocg_workspace(space, space.size(b)),
                             [](const auto& s, auto&... all) { return cocg(s, all...); });
}

template <vector_space S, operator_or_function<S> A>
typed_report cocg(const S& space, const A& a, const typename S::vector& b, typename S::vector& x,
                  const typed_rule& rule = {})
{
    return cocg(space, a, identity_operator{}, b, x, rule);
}

/// A and M as for cocg.
template <vector_space S, operator_or_function<S> A, operator_or_function<S> M>
typed_report cocr(const S& space, const A& a, const M& m, const typename S::vector& b, typename S::vector& x,
                  const typed_rule& rule = {})
{
    return detail::run_typed(space, a, m, b, x, rule, cocr_workspace(space, space.size(b)),
                             [](const auto& s, auto&... all) { return cocr(s, all...); });
}

template <vector_space S, operator_or_function<S> A>
typed_report cocr(const S& space, const A& a, const typename S::vector& b, typename S::vector& x,
                  const typed_rule& rule = {})
{
    return cocr(space, a, identity_operator{}, b, x, rule);
}

/// A symmetric positive definite; M may be another map in every step, an iteration of its own, say.
template <vector_space S, operator_or_function<S> A, operator_or_function<S> M>
typed_report fcg(const S& space, const A& a, const M& m, const typename S::vector& b, typename S::vector& x,
                 const typed_rule& rule = {})
{
    return detail::run_typed(space, a, m, b, x, rule, cg_workspace(space, space.size(b)),
                             [](const auto& s, auto&... all) { return fcg(s, all...); });
}

template <vector_space S, operator_or_function<S> A>
typed_report fcg(const S& space, const A& a, const typename S::vector& b, typename S::vector& x,
                 const typed_rule& rule = {})
{
    return fcg(space, a, identity_operator{}, b, x, rule);
}

/// A symmetric, also indefinite; M symmetric positive definite.
template <vector_space S, operator_or_function<S> A, operator_or_function<S> M>
typed_report minres(const S& space, const A& a, const M& m, const typename S::vector& b, typename S::vector& x,
                    const typed_rule& rule = {})
{
    return detail::run_typed(space, a, m, b, x, rule, minres_workspace(space, space.size(b)),
                             [](const auto& s, auto&... all) { return minres(s, all...); });
}

template <vector_space S, operator_or_function<S> A>
typed_report minres(const S& space, const A& a, const typename S::vector& b, typename S::vector& x,
                    const typed_rule& rule = {})
{
    return minres(space, a, identity_operator{}, b, x, rule);
}

/// A any nonsingular matrix, as in the methods that follow.
template <vector_space S, operator_or_function<S> A, operator_or_function<S> M>
typed_report bicgstab(const S& space, const A& a, const M& m, const typename S::vector& b, typename S::vector& x,
                      const typed_rule& rule = {})
{
    return detail::run_typed(space, a, m, b, x, rule, bicgstab_workspace(space, space.size(b)),
                             [](const auto& s, auto&... all) { return bicgstab(s, all...); });
}

template <vector_space S, operator_or_function<S> A>
typed_report bicgstab(const S& space, const A& a, const typename S::vector& b, typename S::vector& x,
                      const typed_rule& rule = {})
{
    return bicgstab(space, a, identity_operator{}, b, x, rule);
}

/// BiCGSTAB(l) with l = default_bicgstabl_degree.
template <vector_space S, operator_or_function<S> A, operator_or_function<S> M>
typed_report bicgstabl(const S& space, const A& a, const M& m, const typename S::vector& b, typename S::vector& x,
                       const typed_rule& rule = {})
{
    return detail::run_typed(space, a, m, b, x, rule, bicgstabl_workspace(space, space.size(b)),
                             [](const auto& s, auto&... all) { return bicgstabl(s, all...); });
}

template <vector_space S, operator_or_function<S> A>
typed_report bicgstabl(const S& space, const A& a, const typename S::vector& b, typename S::vector& x,
                       const typed_rule& rule = {})
{
    return bicgstabl(space, a, identity_operator{}, b, x, rule);
}

/// The transpose-free method of quasi-minimal residuals.
template <vector_space S, operator_or_function<S> A, operator_or_function<S> M>
typed_report tfqmr(const S& space, const A& a, const M& m, const typename S::vector& b, typename S::vector& x,
                   const typed_rule& rule = {})
{
    return detail::run_typed(space, a, m, b, x, rule, tfqmr_workspace(space, space.size(b)),
                             [](const auto& s, auto&... all) { return tfqmr(s, all...); });
}

template <vector_space S, operator_or_function<S> A>
typed_report tfqmr(const S& space, const A& a, const typename S::vector& b, typename S::vector& x,
                   const typed_rule& rule = {})
{
    return tfqmr(space, a, identity_operator{}, b, x, rule);
}

/// With default_idr_vectors shadow vectors.
template <vector_space S, operator_or_function<S> A, operator_or_function<S> M>
typed_report idr(const S& space, const A& a, const M& m, const typename S::vector& b, typename S::vector& x,
                 const typed_rule& rule = {})
{
    return detail::run_typed(space, a, m, b, x, rule, idr_workspace(space, space.size(b)),
                             [](const auto& s, auto&... all) { return idr(s, all...); });
}

template <vector_space S, operator_or_function<S> A>
typed_report idr(const S& space, const A& a, const typename S::vector& b, typename S::vector& x,
                 const typed_rule& rule = {})
{
    return idr(space, a, identity_operator{}, b, x, rule);
}

/// Restarted every rule.restart iterations.
template <vector_space S, operator_or_function<S> A, operator_or_function<S> M>
typed_report gmres(const S& space, const A& a, const M& m, const typename S::vector& b, typename S::vector& x,
                   const typed_rule& rule = {})
{
    if (rule.restart < 1) {
        throw error("restart has to be at least 1, not " + std::to_string(rule.restart));
    }
    const index_t n = space.size(b);
    return detail::run_typed(space, a, m, b, x, rule, gmres_workspace(space, n, gmres_cycle_length(n, rule.restart)),
                             [](const auto& s, auto&... all) { return gmres(s, all...); });
}

template <vector_space S, operator_or_function<S> A>
typed_report gmres(const S& space, const A& a, const typename S::vector& b, typename S::vector& x,
                   const typed_rule& rule = {})
{
    return gmres(space, a, identity_operator{}, b, x, rule);
}

/// a_t is A', m_t is M'.
template <vector_space S, operator_or_function<S> A, operator_or_function<S> At, operator_or_function<S> M,
          operator_or_function<S> Mt>
typed_report bicg(const S& space, const A& a, const At& a_t, const M& m, const Mt& m_t, const typename S::vector& b,
                  typename S::vector& x, const typed_rule& rule = {})
{
    const operator_view<S, At> transposed(a_t);
    const operator_view<S, Mt> by_transposed(m_t);
    return detail::run_typed(space, a, m, b, x, rule, bicg_workspace(space, space.size(b)),
                             [&](const S& s, auto& of, auto& by, auto&... all) {
                                 return bicg(s, of, transposed, by, by_transposed, all...);
                             });
}

template <vector_space S, operator_or_function<S> A, operator_or_function<S> At>
typed_report bicg(const S& space, const A& a, const At& a_t, const typename S::vector& b, typename S::vector& x,
                  const typed_rule& rule = {})
{
    return bicg(space, a, a_t, identity_operator{}, identity_operator{}, b, x, rule);
}

/// The x with the smallest ||b - A x||, A of any shape and rank; a_t is A'.
///
/// stops    also when ||A'r|| / ||r||, as the recursion has it, is at most rule.relative_residual times that of the guess;
///          report.least_squares says so
template <vector_space S, operator_or_function<S> A, operator_or_function<S> At>
typed_report lsqr(const S& space, const A& a, const At& a_t, const typename S::vector& b, typename S::vector& x,
                  const typed_rule& rule = {})
{
    const operator_view<S, A> of(a);
    const operator_view<S, At> transposed(a_t);
    lsqr_workspace<S> work(space, space.size(b), space.size(x));
    return detail::run_typed(space, of, b, x, rule, [&](const auto& r, auto& d, const stop_rule& round) {
        return lsqr(space, of, transposed, r, d, round, work);
    });
}

}  // namespace residua
