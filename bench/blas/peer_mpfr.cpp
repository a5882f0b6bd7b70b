// MPFR's own functions in plain loops, without a temporary per operation: the best MPFR can do.
#include <memory>

#include <mpfr.h>

#include "operands.hpp"

namespace residua::bench {
namespace {

using reals = std::vector<real>;

/// Numbers of the working precision that are zero, with their memory.
struct workspace {
    explicit workspace(long bits) : sum(1.0, bits), product(1.0, bits) {}
    real sum;
    real product;
};

void clear(real& x) { mpfr_set_zero(x.mpfr(), 1); }

void add_product(real& sum, const real& x, const real& y, workspace& w)
{
    mpfr_mul(w.product.mpfr(), x.mpfr(), y.mpfr(), MPFR_RNDN);
    mpfr_add(sum.mpfr(), sum.mpfr(), w.product.mpfr(), MPFR_RNDN);
}

void dot(const reals& x, const reals& y, real& result, workspace& w)
{
    clear(result);
    for (std::size_t i = 0; i < x.size(); ++i) {
        add_product(result, x[i], y[i], w);
    }
}

void axpy(const real& a, const reals& x, reals& y, workspace& w)
{
    for (std::size_t i = 0; i < x.size(); ++i) {
        add_product(y[i], a, x[i], w);
    }
}

void gemv(const reals& a, const reals& x, reals& y, workspace& w)
{
    for (real& yi : y) {
        clear(yi);
    }
    for (std::size_t j = 0; j < x.size(); ++j) {
        for (std::size_t i = 0; i < y.size(); ++i) {
            add_product(y[i], a[j * y.size() + i], x[j], w);
        }
    }
}

void gemm(const reals& a, const reals& b, reals& c, std::size_t n, workspace& w)
{
    for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t i = 0; i < n; ++i) {
            clear(c[j * n + i]);
        }
        for (std::size_t k = 0; k < n; ++k) {
            for (std::size_t i = 0; i < n; ++i) {
                add_product(c[j * n + i], a[k * n + i], b[j * n + k], w);
            }
        }
    }
}

struct rows {
    std::vector<std::size_t> begin;
    std::vector<std::size_t> col;
    reals value;
};

rows make_rows(const io::coo<double>& a)
{
    rows r;
    r.begin.assign(static_cast<std::size_t>(a.rows) + 1, 0);
    for (std::size_t p = 0; p < a.value.size(); ++p) {
        ++r.begin[static_cast<std::size_t>(a.row[p]) + 1];
        r.col.push_back(static_cast<std::size_t>(a.col[p]));
        r.value.emplace_back(a.value[p]);
    }
    for (std::size_t i = 0; i + 1 < r.begin.size(); ++i) {
        r.begin[i + 1] += r.begin[i];
    }
    return r;
}

void spmv(const rows& a, const reals& x, reals& y, workspace& w)
{
    for (std::size_t i = 0; i < y.size(); ++i) {
        clear(y[i]);
        for (std::size_t p = a.begin[i]; p < a.begin[i + 1]; ++p) {
            add_product(y[i], a.value[p], x[a.col[p]], w);
        }
    }
}

void copy(const reals& x, reals& y)
{
    for (std::size_t i = 0; i < x.size(); ++i) {
        mpfr_set(y[i].mpfr(), x[i].mpfr(), MPFR_RNDN);
    }
}

void cg(const rows& a, const reals& b, reals& x, reals& r, reals& p, reals& q, workspace& w)
{
    real rho = w.sum;
    real next = w.sum;
    for (real& xi : x) {
        clear(xi);
    }
    copy(b, r);
    copy(b, p);
    dot(r, r, rho, w);
    for (int k = 0; k < cg_iterations; ++k) {
        spmv(a, p, q, w);
        dot(p, q, w.sum, w);
        const real alpha = rho / w.sum;
        axpy(alpha, p, x, w);
        axpy(-alpha, q, r, w);
        dot(r, r, next, w);
        const real beta = next / rho;
        for (std::size_t i = 0; i < p.size(); ++i) {
            mpfr_mul(w.product.mpfr(), beta.mpfr(), p[i].mpfr(), MPFR_RNDN);
            mpfr_add(p[i].mpfr(), r[i].mpfr(), w.product.mpfr(), MPFR_RNDN);
        }
        rho = next;
    }
}

}  // namespace

std::vector<candidate> mpfr(const operands& o)
{
    struct state {
        reals x, y, r, p, q, dense, right;
        rows sparse;
        real alpha, result;
        workspace w;
    };
    auto s = std::make_shared<state>(state{o.vector(operand::x),
                                           o.vector(operand::y),
                                           {},
                                           {},
                                           {},
                                           {},
                                           {},
                                           {},
                                           o.alpha(),
                                           real(1.0, o.bits),
                                           workspace(o.bits)});
    s->r = s->p = s->q = s->y;
    const std::string library = "MPFR loops";
    const auto y = [s] { return s->y; };
    switch (o.op) {
        case operation::dot:
            return {{library, [s] { dot(s->x, s->y, s->result, s->w); }, [s] { return reals{s->result}; }}};
        case operation::axpy:
            return {{library, [s] { axpy(s->alpha, s->x, s->y, s->w); }, y}};
        case operation::gemv:
        case operation::gemv_binary64:
            s->dense = o.matrix(operand::a);
            return {{library, [s] { gemv(s->dense, s->x, s->y, s->w); }, y}};
        case operation::spmv:
            s->sparse = make_rows(o.sparse());
            return {{library, [s] { spmv(s->sparse, s->x, s->y, s->w); }, y}};
        case operation::cg:
            s->sparse = make_rows(o.sparse());
            return {{library, [s] { cg(s->sparse, s->x, s->y, s->r, s->p, s->q, s->w); }, y}};
        case operation::gemm:
            if (o.size > 100) {
                return {};  // minutes
            }
            s->dense = o.matrix(operand::a);
            s->right = o.matrix(operand::b);
            s->y.assign(s->dense.size(), real(0.0, o.bits));
            return {{library, [s, o] { gemm(s->dense, s->right, s->y, static_cast<std::size_t>(o.size), s->w); }, y}};
        default:
            return {};
    }
}

}  // namespace residua::bench
