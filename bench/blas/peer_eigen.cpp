// Eigen with `real`, an MPFR number, as its scalar: what one writes without a library like this one.
#include <memory>

#include <Eigen/Core>
#include <Eigen/SparseCore>

#include <residua/arith/real/eigen.hpp>

#include "operands.hpp"

namespace residua::bench {
namespace {

using dense_vector = Eigen::Matrix<real, Eigen::Dynamic, 1>;
using dense_matrix = Eigen::Matrix<real, Eigen::Dynamic, Eigen::Dynamic>;
using sparse_matrix = Eigen::SparseMatrix<real, Eigen::RowMajor>;

dense_vector make_vector(const operands& o, operand of)
{
    const std::vector<real> x = o.vector(of);
    return Eigen::Map<const dense_vector>(x.data(), o.rows());
}

dense_matrix make_matrix(const operands& o, operand of)
{
    const std::vector<real> a = o.matrix(of);
    return Eigen::Map<const dense_matrix>(a.data(), o.size, o.size);
}

sparse_matrix make_sparse(const operands& o)
{
    std::vector<Eigen::Triplet<real>> entries;
    const io::coo<double> stencil = o.sparse();
    for (std::size_t p = 0; p < stencil.value.size(); ++p) {
        entries.emplace_back(static_cast<int>(stencil.row[p]), static_cast<int>(stencil.col[p]),
                             real(stencil.value[p]));
    }
    sparse_matrix a(o.rows(), o.rows());
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
        dense_vector x, y, r, p, q;
        dense_matrix dense, right, product;
        sparse_matrix sparse;
        real alpha, result;
    };
    auto s = std::make_shared<state>();
    s->x = make_vector(o, operand::x);
    s->y = s->r = s->p = s->q = make_vector(o, operand::y);
    s->alpha = o.alpha();
    const std::string library = "Eigen over MPFR";
    const auto y = [s] { return reals(s->y); };
    switch (o.op) {
        case operation::dot:
            return {{library, [s] { s->result = s->x.dot(s->y); }, [s] { return std::vector<real>{s->result}; }}};
        case operation::axpy:
            return {{library, [s] { s->y += s->alpha * s->x; }, y}};
        case operation::gemv:
        case operation::gemv_binary64:
            s->dense = make_matrix(o, operand::a);
            return {{library, [s] { s->y.noalias() = s->dense * s->x; }, y}};
        case operation::spmv:
            s->sparse = make_sparse(o);
            return {{library, [s] { s->y.noalias() = s->sparse * s->x; }, y}};
        case operation::cg:
            s->sparse = make_sparse(o);
            return {{library, [s, o] { cg(s->sparse, s->x, s->y, s->r, s->p, s->q, o.bits); }, y}};
        case operation::gemm:
            s->dense = make_matrix(o, operand::a);
            s->right = make_matrix(o, operand::b);
            return {{library, [s] { s->product.noalias() = s->dense * s->right; }, [s] { return reals(s->product); }}};
        default:
            return {};
    }
}

}  // namespace residua::bench
