// Eigen with `real`, an MPFR number, as its scalar: what one writes without a library like this one.
#include <Eigen/Core>
#include <Eigen/SparseCore>

#include <residua/arith/real/eigen.hpp>

#include "operands.hpp"

namespace residua::bench {
namespace {

using dense_vector = Eigen::Matrix<real, Eigen::Dynamic, 1>;
using dense_matrix = Eigen::Matrix<real, Eigen::Dynamic, Eigen::Dynamic>;
using sparse_matrix = Eigen::SparseMatrix<real, Eigen::RowMajor>;

dense_vector make_vector(const operands& o, const std::vector<double>& planes)
{
    dense_vector x(static_cast<index_t>(planes.size()) / o.terms);
    for (index_t i = 0; i < x.size(); ++i) {
        x(i) = element(planes, o.terms, i, o.bits);
    }
    return x;
}

dense_matrix make_matrix(const operands& o)
{
    const bool binary64 = o.op == operation::gemv_binary64;
    dense_matrix a(o.n, o.m);
    for (index_t j = 0; j < o.m; ++j) {
        for (index_t i = 0; i < o.n; ++i) {
            a(i, j) = element(o.dense, binary64 ? 1 : o.terms, j * o.n + i, binary64 ? 53 : o.bits);
        }
    }
    return a;
}

dense_matrix make_right(const operands& o)
{
    dense_matrix b(o.m, o.n);
    for (index_t i = 0; i < b.size(); ++i) {
        b.data()[i] = element(o.right, o.terms, i, o.bits);
    }
    return b;
}

sparse_matrix make_sparse(const operands& o)
{
    std::vector<Eigen::Triplet<real>> entries;
    for (std::size_t p = 0; p < o.sparse.value.size(); ++p) {
        entries.emplace_back(static_cast<int>(o.sparse.row[p]), static_cast<int>(o.sparse.col[p]),
                             real(o.sparse.value[p]));
    }
    sparse_matrix a(o.n, o.n);
    a.setFromTriplets(entries.begin(), entries.end());
    return a;
}

template <class Array>
std::vector<real> reals(const Array& x)
{
    return {x.data(), x.data() + x.size()};
}

void cg(const sparse_matrix& a, const dense_vector& b, dense_vector& x, dense_vector& r, dense_vector& p,
        dense_vector& q, long bits)
{
    for (index_t i = 0; i < x.size(); ++i) {
        x(i) = real(0.0, bits);
    }
    r = b;
    p = b;
    real rho = r.dot(r);
    for (int k = 0; k < cg_iterations; ++k) {
        q.noalias() = a * p;
        const real alpha = rho / p.dot(q);
        x += alpha * p;
        r -= alpha * q;
        const real next = r.dot(r);
        p = r + (next / rho) * p;
        rho = next;
    }
}

}  // namespace

std::vector<candidate> eigen(const operands& o)
{
    struct state {
        dense_vector x, y, start, r, p, q;
        dense_matrix dense, right, product;
        sparse_matrix sparse;
        real alpha, result;
    };
    auto s = std::make_shared<state>();
    s->x = make_vector(o, o.x);
    s->y = s->start = s->r = s->p = s->q = make_vector(o, o.y);
    s->alpha = element(o.alpha, o.terms, 0, o.bits);
    const std::string library = "Eigen over MPFR";
    const auto y = [s] { return reals(s->y); };
    switch (o.op) {
        case operation::dot:
            return {{library, [s] { s->result = s->x.dot(s->y); }, [s] { return std::vector<real>{s->result}; }}};
        case operation::axpy:
            return {{library,
                     [s] {
                         s->y += s->alpha * s->x;
                         s->alpha = -s->alpha;
                     },
                     [s, o] {
                         s->y = s->start;
                         s->y += element(o.alpha, o.terms, 0, o.bits) * s->x;
                         return reals(s->y);
                     }}};
        case operation::gemv:
        case operation::gemv_binary64:
            s->dense = make_matrix(o);
            return {{library, [s] { s->y.noalias() = s->dense * s->x; }, y}};
        case operation::spmv:
            s->sparse = make_sparse(o);
            return {{library, [s] { s->y.noalias() = s->sparse * s->x; }, y}};
        case operation::cg_iteration:
            s->sparse = make_sparse(o);
            return {{library, [s, o] { cg(s->sparse, s->x, s->y, s->r, s->p, s->q, o.bits); }, y}};
        case operation::gemm:
            s->dense = make_matrix(o);
            s->right = make_right(o);
            return {{library, [s] { s->product.noalias() = s->dense * s->right; }, [s] { return reals(s->product); }}};
    }
    return {};
}

}  // namespace residua::bench
