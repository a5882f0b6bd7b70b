#pragma once

#include <algorithm>

#include <residua/solvers/methods/gmres.hpp>
#include <residua/solvers/options/methods.hpp>
#include <residua/solvers/space/convert.hpp>

namespace residua {

/// d ~ inverse(A) r by GMRES in the space G, with the products A M v and the last one, d = M y, in the space P, of more bits:
/// the M that makes refine() GMRES-IR. The factors of A in M need few bits: refinement by them alone converges for
/// kappa(A) u_f < 1, with this for about (u_g + u_p kappa(A)) kappa(A)^2 u_f^2 < 1.
///
/// M is applied from the right: so GMRES makes the residual small that refine judges by. From the left, as the analysis has it,
/// it makes the error small, and a residual may grow to kappa(A) times that first.
///
/// shapes   A (n x n) and M (n x n) in P; r and d (n) in any space. All spaces have one executor
/// cost     an iteration of GMRES: 1 A and 1 M in P, j + 2 dot in G twice; 2 conversions
/// reports  nothing by apply(): a correction that failed is what it had then, and refine takes back what makes x worse
/// order    as the spaces: the same bits for any number of threads
/// from     [CH17], [CH18]
template <vector_space G, vector_space P, linear_operator<P> A, linear_operator<P> M>
class gmres_corrections {
public:
    /// rule  the rule of GMRES for a correction by apply(), relative to ||r||
    gmres_corrections(const G& krylov, const P& products, const A& a, const M& m, index_t n, const stop_rule& rule,
                      index_t restart)
        : g_(krylov),
          p_(products),
          a_(a),
          m_(m),
          rule_(rule),
          work_(krylov, n, restart),
          right_(krylov.make_vector(n)),
          solution_(krylov.make_vector(n)),
          x_(products.make_vector(n)),
          y_(products.make_vector(n))
    {}

    template <vector_space S>
    void apply(const S& space, const typename S::vector& r, typename S::vector& d) const
    {
        correct(space, r, d, rule_);
    }

    /// apply() by another rule, with GMRES's report.
    template <vector_space S>
    iteration_report correct(const S& space, const typename S::vector& r, typename S::vector& d,
                             const stop_rule& rule) const
    {
        convert(space, r, g_, right_);
        g_.fill(g_.make_scalar(0.0), solution_);
        iteration_report report =
            gmres(g_, product{*this}, none{}, right_, solution_, rule, work_, orthogonalization::reorthogonalized);
        convert(g_, solution_, p_, x_);
        m_.apply(p_, x_, y_);
        convert(p_, y_, space, d);
        return report;
    }

private:
    /// y = A M x
    struct product {
        const gmres_corrections& of;

        void apply(const G& space, const typename G::vector& x, typename G::vector& y) const
        {
            convert(space, x, of.p_, of.x_);
            of.m_.apply(of.p_, of.x_, of.y_);
            of.a_.apply(of.p_, of.y_, of.x_);
            convert(of.p_, of.x_, space, y);
        }
    };

    struct none {
        bool is_identity() const { return true; }
        void apply(const G& space, const typename G::vector& x, typename G::vector& y) const { space.copy(x, y); }
    };

    G g_;
    P p_;
    const A& a_;
    const M& m_;
    stop_rule rule_;
    mutable gmres_workspace<G> work_;
    mutable typename G::vector right_, solution_;
    mutable typename P::vector x_, y_;
};

/// GMRES-IR keeps this many vectors, or as many as asked for: with poor factors GMRES needs nearly as many steps as
/// there are unknowns.
inline constexpr index_t least_gmres_ir_restart = 500;

/// The steps of a cycle of GMRES-IR for n unknowns.
constexpr index_t gmres_ir_cycle_length(index_t n, index_t restart)
{
    return gmres_cycle_length(n, std::max(restart, least_gmres_ir_restart));
}

/// The row of GMRES-IR in the registry.
struct gmres_ir_method {
    /// Memory for GMRES in the format, its right-hand side and solution, and four vectors in twice the bits.
    static constexpr method_memory memory(index_t n, index_t restart)
    {
        const auto length = static_cast<double>(gmres_ir_cycle_length(n, restart));
        return {.vectors = length + 6.0 + 2.0 * 4.0, .scalars = (length + 1.0) * length};
    }

    static constexpr method_traits traits{
        .method = method::gmres_ir,
        .name = "gmres-ir",
        .systems =
            "condition up to 1e21 with 53 bits, 1e32 with 106, 1e48 with 212, 1e64 with these and factors in 106, and "
            "more",
        .step_cost = "as gmres, products in twice the bits",
        .restarts = true,
        .by_factors = true,
        .preconditioned = true,
        .vector_operations = 3.0,
        .preferred = preconditioner::cholesky,
        .memory = memory,
    };
};

}  // namespace residua
