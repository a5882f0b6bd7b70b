// QD's dd_real and qd_real in the loops that suit them best on this machine: fused multiply-adds,
// several partial sums, columns that the compiler vectorises.
#include <memory>

#define QD_FMS(a, b, c) __builtin_fma(a, b, -(c))
#include <qd/dd_real.h>
#include <qd/qd_real.h>

#include "operands.hpp"

namespace residua::bench {
namespace {

double word(const dd_real& x, int k) { return x.x[k]; }
double word(const qd_real& x, int k) { return x.x[k]; }
double& word(dd_real& x, int k) { return x.x[k]; }
double& word(qd_real& x, int k) { return x.x[k]; }

template <class R>
constexpr int terms_of = sizeof(R) / sizeof(double);

template <class R>
R number_of(const real& x)
{
    R nearest;
    real rest = x;
    for (int k = 0; k < terms_of<R>; ++k) {
        word(nearest, k) = to_double(rest);
        rest -= real(word(nearest, k));
    }
    return nearest;
}

template <class R>
std::vector<R> numbers_of(const std::vector<real>& values)
{
    std::vector<R> x;
    for (const real& value : values) {
        x.push_back(number_of<R>(value));
    }
    return x;
}

template <class R>
real to_real(const R& x)
{
    real sum(0.0, 53L * (terms_of<R> + 2));
    for (int k = 0; k < terms_of<R>; ++k) {
        sum += real(word(x, k));
    }
    return sum;
}

template <class R>
std::vector<real> reals(const std::vector<R>& x)
{
    std::vector<real> r;
    for (const R& xi : x) {
        r.push_back(to_real(xi));
    }
    return r;
}

template <class R>
R dot(const std::vector<R>& x, const std::vector<R>& y)
{
    constexpr std::size_t lanes = 16;
    const std::size_t n = x.size();
    R sum[lanes];
    for (R& s : sum) {
        s = 0.0;
    }
    std::size_t i = 0;
    for (; i + lanes <= n; i += lanes) {
        for (std::size_t l = 0; l < lanes; ++l) {
            sum[l] += x[i + l] * y[i + l];
        }
    }
    for (; i < n; ++i) {
        sum[0] += x[i] * y[i];
    }
    R total = 0.0;
    for (const R& s : sum) {
        total += s;
    }
    return total;
}

template <class R>
void axpy(const R& a, const std::vector<R>& x, std::vector<R>& y)
{
    const R alpha = a;
    const R* const from = x.data();
    R* const to = y.data();
    const std::size_t n = x.size();
    for (std::size_t i = 0; i < n; ++i) {
        to[i] += alpha * from[i];
    }
}

/// y = A x by columns, four at a time so that y is read and written less often.
template <class R, class V>
void gemv(const std::vector<V>& a, const std::vector<R>& x, std::vector<R>& y)
{
    const std::size_t n = y.size();
    const std::size_t m = x.size();
    R* const to = y.data();
    for (std::size_t i = 0; i < n; ++i) {
        to[i] = 0.0;
    }
    std::size_t j = 0;
    for (; j + 4 <= m; j += 4) {
        const R x0 = x[j];
        const R x1 = x[j + 1];
        const R x2 = x[j + 2];
        const R x3 = x[j + 3];
        const V* const c = a.data() + j * n;
        for (std::size_t i = 0; i < n; ++i) {
            R sum = to[i];
            sum += x0 * c[i];
            sum += x1 * c[n + i];
            sum += x2 * c[2 * n + i];
            sum += x3 * c[3 * n + i];
            to[i] = sum;
        }
    }
    for (; j < m; ++j) {
        const R xj = x[j];
        for (std::size_t i = 0; i < n; ++i) {
            to[i] += xj * a[j * n + i];
        }
    }
}

/// y = A x, one column at a time.
template <class R, class V>
void gemv_by_single_columns(const std::vector<V>& a, const std::vector<R>& x, std::vector<R>& y)
{
    const std::size_t n = y.size();
    R* const to = y.data();
    for (std::size_t i = 0; i < n; ++i) {
        to[i] = 0.0;
    }
    for (std::size_t j = 0; j < x.size(); ++j) {
        const R xj = x[j];
        const V* const c = a.data() + j * n;
        for (std::size_t i = 0; i < n; ++i) {
            to[i] += xj * c[i];
        }
    }
}

struct rows {
    std::vector<std::size_t> begin;
    std::vector<int> col;
    std::vector<double> value;
};

rows make_rows(const io::coo<double>& a)
{
    rows r;
    r.begin.assign(static_cast<std::size_t>(a.rows) + 1, 0);
    for (std::size_t p = 0; p < a.value.size(); ++p) {
        ++r.begin[static_cast<std::size_t>(a.row[p]) + 1];
        r.col.push_back(static_cast<int>(a.col[p]));
    }
    for (std::size_t i = 0; i + 1 < r.begin.size(); ++i) {
        r.begin[i + 1] += r.begin[i];
    }
    r.value = a.value;
    return r;
}

template <class R>
void spmv(const rows& a, const std::vector<R>& x, std::vector<R>& y)
{
    for (std::size_t i = 0; i < y.size(); ++i) {
        R sum = 0.0;
        for (std::size_t p = a.begin[i]; p < a.begin[i + 1]; ++p) {
            sum += x[static_cast<std::size_t>(a.col[p])] * a.value[p];
        }
        y[i] = sum;
    }
}

template <class R>
void cg(const rows& a, const std::vector<R>& b, std::vector<R>& x, std::vector<R>& r, std::vector<R>& p,
        std::vector<R>& q)
{
    for (R& xi : x) {
        xi = 0.0;
    }
    r = b;
    p = b;
    R rho = dot(r, r);
    for (int k = 0; k < cg_iterations; ++k) {
        spmv(a, p, q);
        const R alpha = rho / dot(p, q);
        axpy(alpha, p, x);
        axpy(-alpha, q, r);
        const R next = dot(r, r);
        const R beta = next / rho;
        for (std::size_t i = 0; i < p.size(); ++i) {
            p[i] = r[i] + beta * p[i];
        }
        rho = next;
    }
}

template <class R>
std::vector<candidate> candidates(const operands& o)
{
    struct state {
        std::vector<R> x, y, r, p, q;
        std::vector<R> own;
        std::vector<double> binary64;
        rows sparse;
        R alpha, result;
    };
    auto s = std::make_shared<state>();
    s->x = numbers_of<R>(o.vector(operand::x));
    s->y = s->r = s->p = s->q = numbers_of<R>(o.vector(operand::y));
    s->alpha = number_of<R>(o.alpha());
    const auto y = [s] { return reals(s->y); };
    switch (o.op) {
        case operation::dot:
            return {
                {"QD", [s] { s->result = dot(s->x, s->y); }, [s] { return std::vector<real>{to_real(s->result)}; }}};
        case operation::axpy:
            return {{"QD", [s] { axpy(s->alpha, s->x, s->y); }, y}};
        case operation::gemv:
            s->own = numbers_of<R>(o.matrix(operand::a));
            return {{"QD", [s] { gemv(s->own, s->x, s->y); }, y},
                    {"QD, single columns", [s] { gemv_by_single_columns(s->own, s->x, s->y); }, y}};
        case operation::gemv_binary64:
            for (const real& entry : o.matrix(operand::a)) {
                s->binary64.push_back(to_double(entry));
            }
            return {{"QD", [s] { gemv(s->binary64, s->x, s->y); }, y},
                    {"QD, single columns", [s] { gemv_by_single_columns(s->binary64, s->x, s->y); }, y}};
        case operation::spmv:
            s->sparse = make_rows(o.sparse());
            return {{"QD", [s] { spmv(s->sparse, s->x, s->y); }, y}};
        case operation::cg:
            s->sparse = make_rows(o.sparse());
            return {{"QD", [s] { cg(s->sparse, s->x, s->y, s->r, s->p, s->q); }, y}};
        default:
            return {};
    }
}

}  // namespace

std::vector<candidate> qd(const operands& o)
{
    switch (o.bits) {
        case 106:
            return candidates<dd_real>(o);
        case 212:
            return candidates<qd_real>(o);
        default:
            return {};
    }
}

}  // namespace residua::bench
