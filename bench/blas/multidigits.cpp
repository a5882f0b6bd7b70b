// Multi-digit floats, of the bits of the peers.
#include <residua/blas/exact/gemm_exact.hpp>
#include <residua/blas/exact/gemv_exact.hpp>
#include <residua/blas/multidigit/dense.hpp>
#include <residua/blas/multidigit/sparse.hpp>

#include "operands.hpp"

namespace residua::bench {
namespace {

using vector_type = vector<host_executor, multidigit>;
using matrix_type = matrix<host_executor, multidigit>;

const host_executor exec;

multidigit_number number_at(const operands& o, const std::vector<double>& planes, index_t i)
{
    return multidigit_number(multidigit_format(o.bits), element(planes, o.terms, i, o.bits));
}

vector_type make_vector(const operands& o, const std::vector<double>& planes)
{
    vector_type x(multidigit_format(o.bits), static_cast<index_t>(planes.size()) / o.terms);
    for (index_t i = 0; i < x.size(); ++i) {
        x.set(i, number_at(o, planes, i));
    }
    return x;
}

matrix_type make_matrix(const operands& o, const std::vector<double>& planes, index_t rows, index_t cols)
{
    matrix_type a(multidigit_format(o.bits), rows, cols);
    for (index_t j = 0; j < cols; ++j) {
        for (index_t i = 0; i < rows; ++i) {
            a.set(i, j, number_at(o, planes, j * rows + i));
        }
    }
    return a;
}

std::vector<real> reals(const vector_type& x)
{
    std::vector<real> r;
    for (index_t i = 0; i < x.size(); ++i) {
        r.push_back(to_real(x.get(i)));
    }
    return r;
}

struct scalars {
    explicit scalars(const operands& o) : one(multidigit_format(o.bits), 1.0), zero(one.format()) {}
    multidigit_number one, zero;
};

candidate dot_candidate(const operands& o)
{
    struct state {
        vector_type x, y;
        multidigit_number result;
    };
    auto s = std::make_shared<state>(state{make_vector(o, o.x), make_vector(o, o.y), scalars(o).zero});
    return {"residua", [s] { s->result = blas::dot<host_executor>(exec, s->x, s->y); },
            [s] { return std::vector<real>{to_real(s->result)}; }};
}

candidate axpy_candidate(const operands& o)
{
    struct state {
        multidigit_number first, alpha;
        vector_type x, y, start;
    };
    const auto y = make_vector(o, o.y);
    const auto alpha = number_at(o, o.alpha, 0);
    auto s = std::make_shared<state>(state{alpha, alpha, make_vector(o, o.x), y, y});
    // y <- y + alpha x and back again, in turn: y stays bounded and full of digits
    return {"residua",
            [s] {
                blas::axpy<host_executor>(exec, s->alpha, s->x, s->y);
                s->alpha = -s->alpha;
            },
            [s] {
                s->y = s->start;
                s->alpha = -s->first;
                blas::axpy<host_executor>(exec, s->first, s->x, s->y);
                return reals(s->y);
            }};
}

/// multiply(c, a, x, y) makes y <- A x; c are the numbers 1 and 0.
template <class Multiply>
candidate gemv_candidate(const operands& o, const std::string& library, const Multiply& multiply)
{
    struct state {
        scalars c;
        matrix_type a;
        vector_type x, y;
    };
    auto s = std::make_shared<state>(
        state{scalars(o), make_matrix(o, o.dense, o.n, o.m), make_vector(o, o.x), make_vector(o, o.y)});
    return {library, [s, multiply] { multiply(s->c, s->a, s->x, s->y); }, [s] { return reals(s->y); }};
}

template <class Matrix>
candidate spmv_candidate(const operands& o, const std::string& storage)
{
    struct state {
        scalars c;
        Matrix a;
        vector_type x, y;
    };
    auto s = std::make_shared<state>(
        state{scalars(o), Matrix(csr_from_coo(o.sparse)), make_vector(o, o.x), make_vector(o, o.y)});
    return {"residua, " + storage, [s] { blas::spmv<host_executor>(exec, s->c.one, s->a, s->x, s->c.zero, s->y); },
            [s] { return reals(s->y); }};
}

/// multiply(c, a, b, product) makes product <- A B.
template <class Multiply>
candidate gemm_candidate(const operands& o, const std::string& library, const Multiply& multiply)
{
    struct state {
        scalars c;
        matrix_type a, b, product;
    };
    auto s =
        std::make_shared<state>(state{scalars(o), make_matrix(o, o.dense, o.n, o.m), make_matrix(o, o.right, o.m, o.n),
                                      matrix_type(multidigit_format(o.bits), o.n, o.n)});
    return {library, [s, multiply] { multiply(s->c, s->a, s->b, s->product); },
            [s] {
                std::vector<real> r;
                for (index_t j = 0; j < s->product.cols(); ++j) {
                    for (index_t i = 0; i < s->product.rows(); ++i) {
                        r.push_back(to_real(s->product.get(i, j)));
                    }
                }
                return r;
            }};
}

candidate exact_gemm_candidate(const operands& o)
{
    return gemm_candidate(o, "residua, exact", [](auto&, auto& a, auto& b, auto& product) {
        blas::gemm_exact<multidigit>(exec, a, b, product);
    });
}

}  // namespace

std::vector<candidate> multidigits(const operands& o)
{
    switch (o.op) {
        case operation::dot:
            return {dot_candidate(o)};
        case operation::axpy:
            return {axpy_candidate(o)};
        case operation::gemv:
            return {gemv_candidate(o, "residua", [](auto& c, auto& a, auto& x, auto& y) {
                blas::gemv<host_executor>(exec, c.one, a, x, c.zero, y);
            })};
        case operation::spmv:
            return {spmv_candidate<sliced_ell<host_executor, double>>(o, "sliced ELL"),
                    spmv_candidate<csr<host_executor, double>>(o, "CSR")};
        case operation::gemm:
            return {gemm_candidate(o, "residua, sums",
                                   [](auto& c, auto& a, auto& b, auto& product) {
                                       blas::gemm<host_executor>(exec, c.one, a, b, c.zero, product);
                                   }),
                    exact_gemm_candidate(o)};
        case operation::gemv_binary64:
        case operation::cg_iteration:
            break;
    }
    return {};
}

std::vector<candidate> exact_multidigits(const operands& o)
{
    switch (o.op) {
        case operation::gemv:
            return {gemv_candidate(o, "residua, exact", [](auto&, auto& a, auto& x, auto& y) {
                blas::gemv_exact<multidigit>(exec, a, x, y);
            })};
        case operation::gemm:
            return {exact_gemm_candidate(o)};
        default:
            return {};
    }
}

}  // namespace residua::bench
