// FLINT's arb without its error bounds: arb_approx_dot, which keeps sums unnormalised and skips MPFR's
// correct rounding of each step, and arf for the rest; for gemm also arb_mat_approx_mul, which multiplies matrices of
// integers from some size on.
#include <memory>
#include <utility>

#include <arb.h>
#include <arb_mat.h>

#include "operands.hpp"

namespace residua::bench {
namespace {

/// Midpoints of arbs, whose radii stay zero.
class numbers {
public:
    explicit numbers(index_t n) : data_(_arb_vec_init(n)), size_(n) {}
    explicit numbers(const std::vector<real>& values) : numbers(static_cast<index_t>(values.size()))
    {
        for (index_t i = 0; i < size_; ++i) {
            arf_set_mpfr((*this)[i], values[static_cast<std::size_t>(i)].mpfr());
        }
    }
    numbers(numbers&& other) noexcept : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0))
    {}
    numbers& operator=(numbers&& other) noexcept
    {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        return *this;
    }
    ~numbers() { _arb_vec_clear(data_, size_); }

    index_t size() const { return size_; }
    arb_ptr data() const { return data_; }
    arf_ptr operator[](index_t i) const { return arb_midref(data_ + i); }

    void assign(const numbers& other) const
    {
        for (index_t i = 0; i < size_; ++i) {
            arf_set((*this)[i], other[i]);
        }
    }

private:
    arb_ptr data_;
    index_t size_;
};

/// A matrix of `cols` columns from numbers by rows.
class arb_matrix {
public:
    arb_matrix(const numbers& by_rows, index_t cols)
    {
        arb_mat_init(data_, by_rows.size() / cols, cols);
        for (index_t i = 0; i < by_rows.size(); ++i) {
            arf_set(arb_midref(data_->entries + i), by_rows[i]);
        }
    }
    arb_matrix(const arb_matrix&) = delete;
    arb_matrix& operator=(const arb_matrix&) = delete;
    ~arb_matrix() { arb_mat_clear(data_); }

    arb_mat_struct* data() { return data_; }
    arf_srcptr operator()(index_t i, index_t j) const { return arb_midref(arb_mat_entry(data_, i, j)); }

private:
    arb_mat_t data_;
};

real to_real(arf_srcptr x, long bits)
{
    real result(0.0, bits);
    arf_get_mpfr(result.mpfr(), x, MPFR_RNDN);
    return result;
}

numbers transposed(const numbers& x, index_t n)
{
    numbers y(x.size());
    for (index_t i = 0; i < n; ++i) {
        for (index_t j = 0; j < n; ++j) {
            arf_set(y[i * n + j], x[j * n + i]);
        }
    }
    return y;
}

struct state {
    long bits;
    numbers x, y, r, p, q, dense, gathered, scalars;
    io::coo<double> pattern;
    std::vector<index_t> row_begin;

    explicit state(const operands& o)
        : bits(o.bits),
          x(o.vector(operand::x)),
          y(o.vector(operand::y)),
          r(o.rows()),
          p(o.rows()),
          q(o.rows()),
          dense(0),
          gathered(8),
          scalars(6)
    {
        if (o.is_sparse()) {
            pattern = o.sparse();
            dense = numbers(std::vector<real>(pattern.value.begin(), pattern.value.end()));
            row_begin.assign(static_cast<std::size_t>(o.rows()) + 1, 0);
            for (const index_t i : pattern.row) {
                ++row_begin[static_cast<std::size_t>(i) + 1];
            }
            for (std::size_t i = 0; i + 1 < row_begin.size(); ++i) {
                row_begin[i + 1] += row_begin[i];
            }
        } else if (o.op != operation::dot && o.op != operation::axpy) {  // by rows: arb's inner products run over them
            dense = transposed(numbers(o.matrix(operand::a)), o.size);
        }
        arf_set_mpfr(alpha(), o.alpha().mpfr());
    }

    arf_ptr alpha() const { return scalars[0]; }

    void dot(const numbers& u, const numbers& v, index_t result) const
    {
        arb_approx_dot(scalars.data() + result, nullptr, 0, u.data(), 1, v.data(), 1, u.size(), bits);
    }

    void axpy(arf_srcptr a, const numbers& u, const numbers& v) const
    {
        for (index_t i = 0; i < u.size(); ++i) {
            arf_addmul(v[i], a, u[i], bits, ARF_RND_NEAR);
        }
    }

    void gemv() const
    {
        for (index_t i = 0; i < y.size(); ++i) {
            arb_approx_dot(y.data() + i, nullptr, 0, dense.data() + i * x.size(), 1, x.data(), 1, x.size(), bits);
        }
    }

    void spmv(const numbers& u, const numbers& v) const
    {
        for (index_t i = 0; i < v.size(); ++i) {
            const index_t begin = row_begin[static_cast<std::size_t>(i)];
            const index_t end = row_begin[static_cast<std::size_t>(i) + 1];
            for (index_t k = begin; k < end; ++k) {  // aliases: arb_approx_dot wants them in a row
                gathered.data()[k - begin] = u.data()[pattern.col[static_cast<std::size_t>(k)]];
            }
            arb_approx_dot(v.data() + i, nullptr, 0, dense.data() + begin, 1, gathered.data(), 1, end - begin, bits);
        }
    }

    void cg() const
    {
        const arf_ptr rho = scalars[1], curvature = scalars[2], next = scalars[3], step = scalars[4];
        _arb_vec_zero(y.data(), y.size());
        r.assign(x);
        p.assign(x);
        dot(r, r, 1);
        for (int k = 0; k < cg_iterations; ++k) {
            spmv(p, q);
            dot(p, q, 2);
            arf_div(step, rho, curvature, bits, ARF_RND_NEAR);
            axpy(step, p, y);
            arf_neg(step, step);
            axpy(step, q, r);
            dot(r, r, 3);
            arf_div(step, next, rho, bits, ARF_RND_NEAR);
            for (index_t i = 0; i < p.size(); ++i) {
                arf_mul(p[i], step, p[i], bits, ARF_RND_NEAR);
                arf_add(p[i], r[i], p[i], bits, ARF_RND_NEAR);
            }
            arf_set(rho, next);
        }
    }

    ~state()
    {
        for (index_t i = 0; i < gathered.size(); ++i) {
            arb_init(gathered.data() + i);  // they own nothing
        }
    }
};

struct gemm_state {
    long bits;
    index_t n;
    numbers left, right, product;  // by rows, by columns, by columns
    arb_matrix a, b, c;

    gemm_state(const operands& o, numbers dense)
        : bits(o.bits),
          n(o.size),
          left(std::move(dense)),
          right(o.matrix(operand::b)),
          product(o.size * o.size),
          a(left, n),
          b(transposed(right, n), n),
          c(product, n)
    {}

    void by_dots() const
    {
        for (index_t j = 0; j < n; ++j) {
            for (index_t i = 0; i < n; ++i) {
                arb_approx_dot(product.data() + j * n + i, nullptr, 0, left.data() + i * n, 1, right.data() + j * n, 1,
                               n, bits);
            }
        }
    }
};

std::vector<real> reals(const numbers& v, long bits)
{
    std::vector<real> result;
    for (index_t i = 0; i < v.size(); ++i) {
        result.push_back(to_real(v[i], bits));
    }
    return result;
}

}  // namespace

std::vector<candidate> arb(const operands& o)
{
    const auto s = std::make_shared<state>(o);
    const std::string library = "FLINT arb";
    const auto y = [s] { return reals(s->y, s->bits); };
    switch (o.op) {
        case operation::dot:
            return {{library, [s] { s->dot(s->x, s->y, 5); },
                     [s] { return std::vector<real>{to_real(s->scalars[5], s->bits)}; }}};
        case operation::axpy:
            return {{library, [s] { s->axpy(s->alpha(), s->x, s->y); }, y}};
        case operation::gemv:
        case operation::gemv_binary64:
            return {{library, [s] { s->gemv(); }, y}};
        case operation::spmv:
            return {{library, [s] { s->spmv(s->x, s->y); }, y}};
        case operation::cg:
            return {{library, [s] { s->cg(); }, y}};
        case operation::gemm: {
            const auto g = std::make_shared<gemm_state>(o, std::move(s->dense));
            std::vector<candidate> ways{{library + ", arb_mat",
                                         [g] { arb_mat_approx_mul(g->c.data(), g->a.data(), g->b.data(), g->bits); },
                                         [g] {
                                             std::vector<real> result;
                                             for (index_t j = 0; j < g->n; ++j) {
                                                 for (index_t i = 0; i < g->n; ++i) {
                                                     result.push_back(to_real(g->c(i, j), g->bits));
                                                 }
                                             }
                                             return result;
                                         }}};
            if (o.size <= 100) {  // beyond that arb_mat is several times as fast
                ways.push_back({library, [g] { g->by_dots(); }, [g] { return reals(g->product, g->bits); }});
            }
            return ways;
        }
        default:
            return {};
    }
}

}  // namespace residua::bench
