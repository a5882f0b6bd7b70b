#pragma once

#include <residua/solvers/methods/cocg.hpp>
#include <residua/solvers/methods/krylov.hpp>
#include <residua/solvers/options/methods.hpp>
#include <residua/solvers/space/vector_space.hpp>

namespace residua {

/// The workspace of cocr, to be reused from call to call.
template <vector_space S>
struct cocr_workspace : krylov_workspace<S, 7, 4> {  // r^H r, q^T M q, alpha, z^T A z
    cocr_workspace(const S& space, index_t n) : krylov_workspace<S, 7, 4>(space, n) {}
    static constexpr bool is_cocr = true;
    static constexpr const char* lost_residual = "M r became orthogonal to the conjugate of A M r";
    static constexpr const char* lost_direction = "A p became orthogonal to the conjugate of M A p";

    auto& a_z() { return this->vectors[5]; }
    auto& m_q() { return this->vectors[6]; }
};

/// Conjugate A-orthogonal conjugate residuals for A x = b, A equal to its transpose, which is not conjugated: complex
/// symmetric, or real symmetric.
///
/// It is the method of conjugate residuals with x^T y in place of x^H y: A M r is orthogonal to the conjugates of all
/// M r before. On a real A and b its iterates are those of minres. Where both are nearly real, the norms of residuals
/// hardly rise; elsewhere they may jump as those of cocg do. A p and M r are updated by recursions.
///
/// shapes   A (n x n), M (n x n), M^T = M, b (n), x (n); x is the initial guess on entry
/// stops    when ||r_k|| <= rule.relative_residual ||b|| (recurrence residual; to 0 if b = 0)
/// cost     per iteration: 1 A, 1 M, 3 dot, 2 conjugates, 5 axpy-like, 1 read; A once more at the end; 8 vectors of work
/// reports  breakdown if z^T A z or (A p)^T M A p vanishes, z = M r; stagnated as cg. x is then the iterate with the
///          smallest residual
/// throws   never for lack of convergence
/// from     [SZ07], with M
template <vector_space S, linear_operator<S> A, linear_operator<S> M>
iteration_report cocr(const S& space, const A& a, const M& m, const typename S::vector& b, typename S::vector& x,
                      const stop_rule& rule, cocr_workspace<S>& work)
{
    return detail::conjugate_orthogonal_steps(space, a, m, b, x, rule, work);
}

/// The row of cocr in the registry.
struct cocr_method : method_of_a_and_m<cocr_method, cocr_workspace> {
    static constexpr method_traits traits = [] {
        method_traits as_cocg = cocg_method::traits;
        as_cocg.method = method::cocr;
        as_cocg.name = "cocr";
        as_cocg.vector_operations = 10.0;
        as_cocg.memory = [](index_t, index_t) { return method_memory{.vectors = 8.0}; };
        return as_cocg;
    }();

    static iteration_report run(auto&... all) { return cocr(all...); }
};

}  // namespace residua
