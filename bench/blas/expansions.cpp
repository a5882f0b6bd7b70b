#include "operands.hpp"

#include <residua/arith/expansion/convert.hpp>
#include <residua/arith/expansion/expansion.hpp>
#include <residua/blas/base/matrix.hpp>
#include <residua/blas/base/vector.hpp>
#include <residua/blas/level1/axpy.hpp>
#include <residua/blas/level1/copy.hpp>
#include <residua/blas/level1/dot.hpp>
#include <residua/blas/level1/fill.hpp>
#include <residua/blas/level1/xpay.hpp>
#include <residua/blas/level2/gemv.hpp>
#include <residua/blas/sparse/csr.hpp>
#include <residua/blas/sparse/sliced_ell.hpp>
#include <residua/blas/sparse/spmv.hpp>
#include <residua/solvers/methods/cg.hpp>
#include <residua/solvers/space/expansion_space.hpp>

namespace residua::bench {
namespace {

template <class T>
using vector_of = vector<host_executor, T>;

const host_executor exec;

template <class T>
T number_at(const std::vector<double>& planes, index_t i)
{
    constexpr int terms = number_traits<T>::terms;
    const index_t count = static_cast<index_t>(planes.size()) / terms;
    T x;
    for (int k = 0; k < terms; ++k) {
        term(x, k) = planes[static_cast<std::size_t>(k * count + i)];
    }
    return x;
}

template <class T>
vector_of<T> make_vector(const std::vector<double>& planes)
{
    vector_of<T> x(static_cast<index_t>(planes.size()) / number_traits<T>::terms);
    for (index_t i = 0; i < x.size(); ++i) {
        x.set(i, number_at<T>(planes, i));
    }
    return x;
}

template <class V>
matrix<host_executor, V> make_matrix(const operands& o)
{
    matrix<host_executor, V> a(o.n, o.m);
    for (index_t j = 0; j < o.m; ++j) {
        for (index_t i = 0; i < o.n; ++i) {
            a.set(i, j, number_at<V>(o.dense, j * o.n + i));
        }
    }
    return a;
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
candidate dot_candidate(const operands& o)
{
    struct state {
        vector_of<T> x, y;
        T result;
    };
    auto s = std::make_shared<state>(state{make_vector<T>(o.x), make_vector<T>(o.y), T{}});
    return {"residua", [s] { s->result = blas::dot<T>(exec, s->x, s->y); },
            [s] { return std::vector<real>{to_real(s->result)}; }};
}

template <class T>
candidate axpy_candidate(const operands& o)
{
    struct state {
        T alpha;
        vector_of<T> x, y, start;
    };
    const auto y = make_vector<T>(o.y);
    auto s = std::make_shared<state>(state{number_at<T>(o.alpha, 0), make_vector<T>(o.x), y, y});
    // y <- y + alpha x and back again, in turn: y stays bounded and full of digits
    auto sign = std::make_shared<double>(1.0);
    return {"residua",
            [s, sign] {
                blas::axpy(exec, *sign > 0.0 ? s->alpha : T{-s->alpha}, s->x, s->y.view());
                *sign = -*sign;
            },
            [s, sign] {
                s->y = s->start;
                blas::axpy(exec, s->alpha, s->x, s->y.view());
                *sign = -1.0;
                return reals(s->y);
            }};
}

template <class T, class V>
candidate gemv_candidate(const operands& o)
{
    struct state {
        matrix<host_executor, V> a;
        vector_of<T> x, y;
    };
    auto s = std::make_shared<state>(state{make_matrix<V>(o), make_vector<T>(o.x), vector_of<T>(o.n)});
    return {"residua", [s] { blas::gemv<T>(exec, T{1.0}, std::as_const(s->a), s->x, T{0.0}, s->y.view()); },
            [s] { return reals(s->y); }};
}

template <class T, class Matrix>
candidate spmv_candidate(const operands& o, const std::string& storage)
{
    struct state {
        Matrix a;
        vector_of<T> x, y;
    };
    auto s = std::make_shared<state>(state{Matrix(csr_from_coo(o.sparse)), make_vector<T>(o.x), vector_of<T>(o.n)});
    return {"residua, " + storage, [s] { blas::spmv(exec, T{1.0}, s->a, s->x, T{0.0}, s->y.view()); },
            [s] { return reals(s->y); }};
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
    const vector_of<T> zero(o.n);
    auto s = std::make_shared<state>(state{
        {sliced_ell<host_executor, double>(csr_from_coo(o.sparse))}, make_vector<T>(o.x), zero, zero, zero, zero});
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
    auto s = std::make_shared<state>(state{{sliced_ell<host_executor, double>(csr_from_coo(o.sparse))},
                                           make_vector<T>(o.x),
                                           vector_of<T>(o.n),
                                           cg_workspace<host_space<T>>(host_space<T>{}, o.n)});
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

template <class T>
std::vector<candidate> candidates(const operands& o)
{
    switch (o.op) {
        case operation::dot:
            return {dot_candidate<T>(o)};
        case operation::axpy:
            return {axpy_candidate<T>(o)};
        case operation::gemv:
            return {gemv_candidate<T, T>(o)};
        case operation::gemv_binary64:
            return {gemv_candidate<T, double>(o)};
        case operation::spmv:
            return {spmv_candidate<T, sliced_ell<host_executor, double>>(o, "sliced ELL"),
                    spmv_candidate<T, csr<host_executor, double>>(o, "CSR")};
        case operation::cg_iteration:
            return {cg_candidate<T>(o), solver_candidate<T>(o)};
        case operation::gemm:
            break;
    }
    return {};
}

}  // namespace

std::vector<candidate> expansions(const operands& o)
{
    switch (o.terms) {
        case 2:
            return candidates<expansion<double, 2>>(o);
        case 4:
            return candidates<expansion<double, 4>>(o);
        case 8:
            return candidates<expansion<double, 8>>(o);
        default:
            return {};
    }
}

}  // namespace residua::bench
