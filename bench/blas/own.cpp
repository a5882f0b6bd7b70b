// residua's own ways: the cases of `residua bench`, and conjugate gradients.
#include <memory>
#include <utility>

#include <residua/solvers/methods/cg.hpp>
#include <residua/solvers/space/blas_space.hpp>

#include <apps/residua/bench/case.hpp>

#include "operands.hpp"

namespace residua::bench {
namespace {

/// An operation as `residua bench` has it, on the same operands.
candidate measured_case(const operands& o, bench_format format, operation op, std::string library)
{
    const auto c =
        std::make_shared<bench_case>(make_bench_case(host_executor{}, {op, format, o.bits, o.size, o.pool.seed()}));
    return {std::move(library), c->run, {}, [c] { return c->judge().relative_error; }};
}

candidate measured_case(const operands& o, bench_format format) { return measured_case(o, format, o.op, "residua"); }

std::vector<candidate> both_storages(const operands& o, bench_format format)
{
    return {measured_case(o, format, operation::spmv, "residua, sliced ELL"),
            measured_case(o, format, operation::spmv_csr, "residua, CSR")};
}

template <class Space>
typename Space::vector make_vector(const Space& space, const operands& o)
{
    typename Space::vector x = space.make_vector(o.rows());
    for (index_t i = 0; i < x.size(); ++i) {
        x.set(i, space.make_scalar(o.pool.at(operand::x, i)));
    }
    return x;
}

template <class Vector>
std::vector<real> reals(const Vector& x)
{
    std::vector<real> r;
    for (index_t i = 0; i < x.size(); ++i) {
        r.push_back(to_real(x.get(i)));
    }
    return r;
}

template <class Space>
struct poisson_operator {
    sliced_ell<host_executor, double> a;

    void apply(const Space& space, const typename Space::vector& x, typename Space::vector& y) const
    {
        space.spmv(a, x, y);
    }
};

struct no_preconditioner {
    template <class Space, class Vector>
    void apply(const Space& space, const Vector& x, Vector& y) const
    {
        space.copy(x, y);
    }
};

/// The operations of unpreconditioned CG and nothing else, as the peers do it.
template <class Space>
candidate cg_candidate(const operands& o, const Space& space)
{
    using scalar = typename Space::scalar;
    using vector = typename Space::vector;
    struct state {
        Space space;
        poisson_operator<Space> a;
        vector b, x, r, p, q;
    };
    const vector zero = space.make_vector(o.rows());
    auto s = std::make_shared<state>(state{space,
                                           {sliced_ell<host_executor, double>(csr_from_coo(o.sparse()))},
                                           make_vector(space, o),
                                           zero,
                                           zero,
                                           zero,
                                           zero});
    return {"residua",
            [s] {
                const Space& on = s->space;
                on.fill(on.make_scalar(0.0), s->x);
                on.copy(s->b, s->r);
                on.copy(s->b, s->p);
                scalar rho = on.dot(s->r, s->r);
                for (int k = 0; k < cg_iterations; ++k) {
                    s->a.apply(on, s->p, s->q);
                    const scalar alpha = rho / on.dot(s->p, s->q);
                    on.axpy(alpha, s->p, s->x);
                    on.axpy(-alpha, s->q, s->r);
                    const scalar next = on.dot(s->r, s->r);
                    on.xpay(s->r, next / rho, s->p);
                    rho = next;
                }
            },
            [s] { return reals(s->x); }};
}

/// solvers/methods/cg.hpp with all that it does besides: norms, the best iterate, scaling.
template <class Space>
candidate solver_candidate(const operands& o, const Space& space)
{
    struct state {
        Space space;
        poisson_operator<Space> a;
        typename Space::vector b, x;
        cg_workspace<Space> work;
    };
    auto s = std::make_shared<state>(state{space,
                                           {sliced_ell<host_executor, double>(csr_from_coo(o.sparse()))},
                                           make_vector(space, o),
                                           space.make_vector(o.rows()),
                                           cg_workspace<Space>(space, o.rows())});
    return {"residua, solvers/cg",
            [s] {
                stop_rule rule;
                rule.relative_residual = 0.0;
                rule.max_iterations = cg_iterations;
                s->space.fill(s->space.make_scalar(0.0), s->x);
                cg(s->space, s->a, no_preconditioner{}, s->b, s->x, rule, s->work);
            },
            [s] { return reals(s->x); }};
}

template <class Space>
std::vector<candidate> cg_candidates(const operands& o, const Space& space)
{
    return {cg_candidate(o, space), solver_candidate(o, space)};
}

}  // namespace

std::vector<candidate> expansions(const operands& o)
{
    if (o.op == operation::spmv) {
        return both_storages(o, bench_format::expansion);
    }
    if (o.op != operation::cg) {
        return {measured_case(o, bench_format::expansion)};
    }
    switch (o.bits) {
        case 106:
            return cg_candidates(o, host_space<expansion<double, 2>>{});
        case 159:
            return cg_candidates(o, host_space<expansion<double, 3>>{});
        case 212:
            return cg_candidates(o, host_space<expansion<double, 4>>{});
        case 424:
            return cg_candidates(o, host_space<expansion<double, 8>>{});
        default:
            return {};
    }
}

std::vector<candidate> multidigits(const operands& o)
{
    if (o.op == operation::spmv) {
        return both_storages(o, bench_format::multidigit);
    }
    if (o.op == operation::gemm) {
        return {measured_case(o, bench_format::multidigit, operation::gemm, "residua, sums"),
                measured_case(o, bench_format::multidigit, operation::gemm_exact, "residua, exact")};
    }
    if (o.op == operation::cg) {
        return cg_candidates(o, blas_space<host_executor, multidigit>{{}, multidigit_format(o.bits)});
    }
    return {measured_case(o, bench_format::multidigit)};
}

std::vector<candidate> exact_multidigits(const operands& o)
{
    const operation op = o.op == operation::gemm ? operation::gemm_exact : operation::gemv_exact;
    return {measured_case(o, bench_format::multidigit, op, "residua, exact")};
}

}  // namespace residua::bench
