// residua's own ways: the cases of `residua bench`, and conjugate gradients.
#include <memory>
#include <utility>

#include <residua/arith/expansion/convert.hpp>
#include <residua/blas/level1/axpy.hpp>
#include <residua/blas/level1/copy.hpp>
#include <residua/blas/level1/dot.hpp>
#include <residua/blas/level1/fill.hpp>
#include <residua/blas/level1/xpay.hpp>
#include <residua/blas/sparse/spmv.hpp>
#include <residua/solvers/methods/cg.hpp>
#include <residua/solvers/space/expansion_space.hpp>

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

template <class T>
using vector_of = vector<host_executor, T>;

const host_executor exec;

template <class T>
vector_of<T> make_vector(const operands& o)
{
    vector_of<T> x(o.rows());
    for (index_t i = 0; i < x.size(); ++i) {
        x.set(i, from_real<T>(o.pool.at(operand::x, i)));
    }
    return x;
}

template <class T>
std::vector<real> reals(const vector_of<T>& x)
{
    std::vector<real> r;
    for (index_t i = 0; i < x.size(); ++i) {
        r.push_back(to_real(x.get(i)));
    }
    return r;
}

template <class T>
struct poisson_operator {
    sliced_ell<host_executor, double> a;

    void apply(const host_space<T>&, const vector_of<T>& x, vector_of<T>& y) const
    {
        blas::spmv(exec, T{1.0}, a, x, T{0.0}, y.view());
    }
};

template <class T>
struct no_preconditioner {
    void apply(const host_space<T>& space, const vector_of<T>& x, vector_of<T>& y) const { space.copy(x, y); }
};

/// The operations of unpreconditioned CG and nothing else, as the peers do it.
template <class T>
candidate cg_candidate(const operands& o)
{
    struct state {
        poisson_operator<T> a;
        vector_of<T> b, x, r, p, q;
    };
    const vector_of<T> zero(o.rows());
    auto s = std::make_shared<state>(state{
        {sliced_ell<host_executor, double>(csr_from_coo(o.sparse()))}, make_vector<T>(o), zero, zero, zero, zero});
    return {"residua",
            [s] {
                blas::fill(exec, T{0.0}, s->x.view());
                blas::copy(exec, s->b, s->r.view());
                blas::copy(exec, s->b, s->p.view());
                T rho = blas::dot<T>(exec, s->r, s->r);
                for (int k = 0; k < cg_iterations; ++k) {
                    s->a.apply({}, s->p, s->q);
                    const T alpha = rho / blas::dot<T>(exec, s->p, s->q);
                    blas::axpy(exec, alpha, s->p, s->x.view());
                    blas::axpy(exec, T{-alpha}, s->q, s->r.view());
                    const T next = blas::dot<T>(exec, s->r, s->r);
                    blas::xpay(exec, s->r, T{next / rho}, s->p.view());
                    rho = next;
                }
            },
            [s] { return reals(s->x); }};
}

/// solvers/methods/cg.hpp with all that it does besides: norms, the best iterate, scaling.
template <class T>
candidate solver_candidate(const operands& o)
{
    struct state {
        poisson_operator<T> a;
        vector_of<T> b, x;
        cg_workspace<host_space<T>> work;
    };
    auto s = std::make_shared<state>(state{{sliced_ell<host_executor, double>(csr_from_coo(o.sparse()))},
                                           make_vector<T>(o),
                                           vector_of<T>(o.rows()),
                                           cg_workspace<host_space<T>>(host_space<T>{}, o.rows())});
    return {"residua, solvers/cg",
            [s] {
                const host_space<T> space;
                stop_rule rule;
                rule.relative_residual = 0.0;
                rule.max_iterations = cg_iterations;
                space.fill(T{0.0}, s->x);
                cg(space, s->a, no_preconditioner<T>{}, s->b, s->x, rule, s->work);
            },
            [s] { return reals(s->x); }};
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
            return {cg_candidate<expansion<double, 2>>(o), solver_candidate<expansion<double, 2>>(o)};
        case 212:
            return {cg_candidate<expansion<double, 4>>(o), solver_candidate<expansion<double, 4>>(o)};
        case 424:
            return {cg_candidate<expansion<double, 8>>(o), solver_candidate<expansion<double, 8>>(o)};
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
    return {measured_case(o, bench_format::multidigit)};
}

std::vector<candidate> exact_multidigits(const operands& o)
{
    const operation op = o.op == operation::gemm ? operation::gemm_exact : operation::gemv_exact;
    return {measured_case(o, bench_format::multidigit, op, "residua, exact")};
}

}  // namespace residua::bench
