// FLINT 3's nfloat, floats of whole limbs of 64 bits. Debian 12 has no FLINT with nfloat, so the library is that of the
// Python package python-flint, opened when the program runs: beside FLINT 2, its names would clash. The package has no
// headers, so this file declares the few functions that it calls. FLINT has them in nfloat.h, gr.h and gr_mat.h. The library
// is built without FLINT's assembly, and is asked for nothing but nfloat.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <stdexcept>

#include <dlfcn.h>
#include <gmp.h>
#include <mpfr.h>

#include "operands.hpp"

namespace residua::bench {
namespace {

using limb = std::uint64_t;
using count = std::int64_t;

constexpr int header = 2;  // limbs before the significand: the exponent and the sign
constexpr count exponent_of_zero = INT64_MIN;

/// Structures of FLINT that only FLINT looks into, with room to spare.
struct alignas(16) context {
    char data[1024];
};
struct alignas(16) gr_matrix {
    char data[256];
};

void require(int status, const char* what)
{
    if (status != 0) {
        throw std::runtime_error(std::string("nfloat: ") + what + " failed");
    }
}

/// The functions that the operations need.
struct library {
    explicit library(const char* path) : handle(dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND))
    {
        if (handle == nullptr) {
            throw std::runtime_error(std::string("FLINT with nfloat cannot be opened: ") + dlerror());
        }
        find(ctx_init, "nfloat_ctx_init");
        find(vec_dot, "_nfloat_vec_dot");
        find(vec_addmul_scalar, "_nfloat_vec_addmul_scalar");
        find(vec_mul_scalar, "_nfloat_vec_mul_scalar");
        find(vec_add, "_nfloat_vec_add");
        find(div, "nfloat_div");
        find(neg, "nfloat_neg");
        find(mat_init, "gr_mat_init");
        find(mat_clear, "gr_mat_clear");
        find(mat_entry, "gr_mat_entry_ptr");
        find(mat_mul, "nfloat_mat_mul");
    }

    void* handle;
    int (*ctx_init)(context*, count bits, int flags);
    int (*vec_dot)(limb* result, const limb* initial, int subtract, const limb* x, const limb* y, count n, context*);
    int (*vec_addmul_scalar)(limb* y, const limb* x, count n, const limb* a, context*);
    int (*vec_mul_scalar)(limb* y, const limb* x, count n, const limb* a, context*);
    int (*vec_add)(limb* sum, const limb* x, const limb* y, count n, context*);
    int (*div)(limb* quotient, const limb* x, const limb* y, context*);
    int (*neg)(limb* result, const limb* x, context*);
    void (*mat_init)(gr_matrix*, count rows, count cols, context*);
    void (*mat_clear)(gr_matrix*, context*);
    limb* (*mat_entry)(gr_matrix*, count i, count j, context*);
    int (*mat_mul)(gr_matrix* c, const gr_matrix* a, const gr_matrix* b, context*);

private:
    template <class F>
    void find(F& function, const char* name)
    {
        function = reinterpret_cast<F>(dlsym(handle, name));
        if (function == nullptr) {
            throw std::runtime_error(std::string("FLINT has no ") + name);
        }
    }
};

const library& flint()
{
    static const library one(RESIDUA_NFLOAT_LIBRARY);
    return one;
}

/// A precision of whole limbs, and where its numbers lie.
class format {
public:
    explicit format(long bits) : limbs_((bits + 63) / 64)
    {
        require(flint().ctx_init(&context_, 64 * limbs_, 0), "nfloat_ctx_init");
    }

    long bits() const { return 64 * limbs_; }
    index_t stride() const { return header + limbs_; }
    context* ctx() const { return &context_; }

    void write(limb* to, const real& x) const
    {
        if (is_zero(x)) {
            to[0] = static_cast<limb>(exponent_of_zero);
            to[1] = 0;
            return;
        }
        const real wide = x.with_precision(bits());
        to[0] = static_cast<limb>(static_cast<count>(mpfr_get_exp(wide.mpfr())));
        to[1] = mpfr_signbit(wide.mpfr()) != 0 ? 1 : 0;
        const auto* const significand = static_cast<const mp_limb_t*>(mpfr_custom_get_significand(wide.mpfr()));
        std::copy_n(significand, limbs_, to + header);
    }

    real read(const limb* from) const
    {
        if (static_cast<count>(from[0]) == exponent_of_zero) {
            return real(0.0, bits());
        }
        real x(0.0, bits());
        for (index_t k = limbs_ - 1; k >= 0; --k) {  // from the highest limb on; each has 64 bits
            x = ldexp(x, 64) + ldexp(real(static_cast<double>(from[header + k] >> 32)), 32) +
                real(static_cast<double>(from[header + k] & 0xffffffff));
        }
        x = ldexp(x, static_cast<long>(static_cast<count>(from[0])) - bits());
        return from[1] != 0 ? -x : x;
    }

private:
    index_t limbs_;
    mutable context context_{};
};

class numbers {
public:
    numbers(const format& f, index_t n) : f_(&f), n_(n), limbs_(static_cast<std::size_t>(n * f.stride()))
    {
        fill_zero();
    }
    numbers(const format& f, const std::vector<real>& values) : numbers(f, static_cast<index_t>(values.size()))
    {
        for (index_t i = 0; i < n_; ++i) {
            f.write(at(i), values[static_cast<std::size_t>(i)]);
        }
    }

    index_t size() const { return n_; }
    limb* at(index_t i) { return limbs_.data() + i * f_->stride(); }
    const limb* at(index_t i) const { return limbs_.data() + i * f_->stride(); }
    void fill_zero()
    {
        for (index_t i = 0; i < n_; ++i) {
            f_->write(at(i), real(0.0));
        }
    }
    std::vector<real> reals() const
    {
        std::vector<real> r;
        for (index_t i = 0; i < n_; ++i) {
            r.push_back(f_->read(at(i)));
        }
        return r;
    }

private:
    const format* f_;
    index_t n_;
    std::vector<limb> limbs_;
};

/// Entries by columns of n, made entries by rows.
std::vector<real> by_rows(const std::vector<real>& a, index_t n)
{
    std::vector<real> r;
    r.reserve(a.size());
    for (index_t t = 0; t < n * n; ++t) {
        r.push_back(a[static_cast<std::size_t>(t % n * n + t / n)]);
    }
    return r;
}

struct state {
    format f;
    numbers x, y, r, p, q, a, gathered, scalars;
    std::vector<index_t> row_begin, col;

    explicit state(const operands& o)
        : f(o.bits),
          x(f, o.vector(operand::x)),
          y(f, o.vector(operand::y)),
          r(f, o.rows()),
          p(f, o.rows()),
          q(f, o.rows()),
          a(f, 0),
          gathered(f, 8),
          scalars(f, 6)
    {
        f.write(scalars.at(0), o.alpha());
        if (o.is_sparse()) {
            const io::coo<double> pattern = o.sparse();
            a = numbers(f, std::vector<real>(pattern.value.begin(), pattern.value.end()));
            col.assign(pattern.col.begin(), pattern.col.end());
            row_begin.assign(static_cast<std::size_t>(o.rows()) + 1, 0);
            for (const index_t i : pattern.row) {
                ++row_begin[static_cast<std::size_t>(i) + 1];
            }
            for (std::size_t i = 0; i + 1 < row_begin.size(); ++i) {
                row_begin[i + 1] += row_begin[i];
            }
        } else if (o.op == operation::gemv || o.op == operation::gemv_binary64) {
            a = numbers(f, by_rows(o.matrix(operand::a), o.size));
        }
    }

    void dot(const numbers& u, const numbers& v, limb* result) const
    {
        require(flint().vec_dot(result, nullptr, 0, u.at(0), v.at(0), u.size(), f.ctx()), "_nfloat_vec_dot");
    }
    void axpy(const limb* alpha, const numbers& u, numbers& v) const
    {
        require(flint().vec_addmul_scalar(v.at(0), u.at(0), u.size(), alpha, f.ctx()), "_nfloat_vec_addmul_scalar");
    }
    void gemv()
    {
        for (index_t i = 0; i < y.size(); ++i) {
            require(flint().vec_dot(y.at(i), nullptr, 0, a.at(i * x.size()), x.at(0), x.size(), f.ctx()),
                    "_nfloat_vec_dot");
        }
    }
    /// Every row as a dot product with the elements of u that it needs, brought beside each other.
    void spmv(const numbers& u, numbers& v)
    {
        for (index_t i = 0; i < v.size(); ++i) {
            const index_t begin = row_begin[static_cast<std::size_t>(i)];
            const index_t end = row_begin[static_cast<std::size_t>(i) + 1];
            for (index_t k = begin; k < end; ++k) {
                std::copy_n(u.at(col[static_cast<std::size_t>(k)]), f.stride(), gathered.at(k - begin));
            }
            require(flint().vec_dot(v.at(i), nullptr, 0, a.at(begin), gathered.at(0), end - begin, f.ctx()),
                    "_nfloat_vec_dot");
        }
    }
    void cg()
    {
        limb* const rho = scalars.at(1);
        limb* const curvature = scalars.at(2);
        limb* const next = scalars.at(3);
        limb* const step = scalars.at(4);
        y.fill_zero();
        r = x;
        p = x;
        dot(r, r, rho);
        for (int k = 0; k < cg_iterations; ++k) {
            spmv(p, q);
            dot(p, q, curvature);
            require(flint().div(step, rho, curvature, f.ctx()), "nfloat_div");
            axpy(step, p, y);
            require(flint().neg(step, step, f.ctx()), "nfloat_neg");
            axpy(step, q, r);
            dot(r, r, next);
            require(flint().div(step, next, rho, f.ctx()), "nfloat_div");
            require(flint().vec_mul_scalar(p.at(0), p.at(0), p.size(), step, f.ctx()), "_nfloat_vec_mul_scalar");
            require(flint().vec_add(p.at(0), r.at(0), p.at(0), p.size(), f.ctx()), "_nfloat_vec_add");
            std::copy_n(next, f.stride(), rho);
        }
    }
};

/// nfloat_mat_mul chooses among its own ways by size and precision.
struct gemm_state {
    format f;
    index_t n;
    gr_matrix a, b, c;

    explicit gemm_state(const operands& o) : f(o.bits), n(o.size)
    {
        for (gr_matrix* m : {&a, &b, &c}) {
            flint().mat_init(m, n, n, f.ctx());
        }
        fill(a, o.matrix(operand::a));
        fill(b, o.matrix(operand::b));
    }
    gemm_state(const gemm_state&) = delete;
    gemm_state& operator=(const gemm_state&) = delete;
    ~gemm_state()
    {
        for (gr_matrix* m : {&a, &b, &c}) {
            flint().mat_clear(m, f.ctx());
        }
    }

    void fill(gr_matrix& m, const std::vector<real>& by_columns)
    {
        for (index_t t = 0; t < n * n; ++t) {
            f.write(flint().mat_entry(&m, t % n, t / n, f.ctx()), by_columns[static_cast<std::size_t>(t)]);
        }
    }
    void multiply() { require(flint().mat_mul(&c, &a, &b, f.ctx()), "nfloat_mat_mul"); }
    std::vector<real> product()
    {
        std::vector<real> r;
        for (index_t t = 0; t < n * n; ++t) {
            r.push_back(f.read(flint().mat_entry(&c, t % n, t / n, f.ctx())));
        }
        return r;
    }
};

}  // namespace

std::vector<candidate> nfloat(const operands& o)
{
    if (RESIDUA_NFLOAT_LIBRARY[0] == '\0') {
        return {};
    }
    const std::string name = "nfloat";
    if (o.op == operation::gemm) {
        const auto g = std::make_shared<gemm_state>(o);
        return {{name, [g] { g->multiply(); }, [g] { return g->product(); }}};
    }
    const auto s = std::make_shared<state>(o);
    const auto y = [s] { return s->y.reals(); };
    switch (o.op) {
        case operation::dot:
            return {{name, [s] { s->dot(s->x, s->y, s->scalars.at(5)); },
                     [s] { return std::vector<real>{s->f.read(s->scalars.at(5))}; }}};
        case operation::axpy:
            return {{name, [s] { s->axpy(s->scalars.at(0), s->x, s->y); }, y}};
        case operation::gemv:
        case operation::gemv_binary64:
            return {{name, [s] { s->gemv(); }, y}};
        case operation::spmv:
            return {{name, [s] { s->spmv(s->x, s->y); }, y}};
        case operation::cg:
            return {{name, [s] { s->cg(); }, y}};
        default:
            return {};
    }
}

}  // namespace residua::bench
