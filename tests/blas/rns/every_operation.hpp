#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <residua/blas/dense/entries.hpp>
#include <residua/blas/dense/ge_norm.hpp>
#include <residua/blas/dense/rot.hpp>
#include <residua/blas/dense/symv.hpp>
#include <residua/blas/level1/asum.hpp>
#include <residua/blas/level1/dot.hpp>
#include <residua/blas/level1/norm.hpp>
#include <residua/blas/level2/gemv.hpp>
#include <residua/blas/level2/ger.hpp>
#include <residua/blas/level2/trsv.hpp>
#include <residua/blas/level3/gemm.hpp>
#include <residua/blas/rns/for_indices.hpp>
#include <residua/blas/sparse/spmv.hpp>
#include <residua/blas/sparse/trsv.hpp>

#include "tests/support/biased_random.hpp"

namespace residua::support {

/// Sizes and strides of one run of every operation.
struct rns_shape {
    index_t m, n, l;
    index_t x_stride, y_stride;
};

/// Operands in host memory. Vectors have room for their strides, matrices a leading dimension above their rows.
struct rns_data {
    rns_format format;
    rns_shape shape;
    rns_number alpha, beta;
    vector<host_executor, rns> x, y, u, v;     // x, y of m; u, v of n
    matrix<host_executor, rns> a, b, s, p, q;  // a, b: m x n; s: m x m; p: l x n, q: l x m
    csr<host_executor, double> sparse;         // m x n
    csr<host_executor, rns> sparse_own;

    static index_t room(index_t n, index_t stride) { return n * (stride < 0 ? -stride : stride); }
};

/// Random operands: full significands, short ones, zeros, exponents together and far apart, neighbours that cancel.
inline rns_data random_data(rns_format format, const rns_shape& shape, biased_random& random)
{
    const auto number = [&]() -> rns_number {
        const int kind = random.integer(0, 11);
        if (kind == 0) {
            return rns_number(format);
        }
        if (kind == 1) {
            return rns_number(format, static_cast<double>(random.integer(-3, 3)));
        }
        const int spread = kind == 2 ? 3 * static_cast<int>(format.precision_bits()) : 4;
        const int digits = kind == 3 ? 60 : static_cast<int>(format.precision_bits()) + 2;
        real x(0.0, digits);
        for (int k = 0; k < digits; k += 32) {
            x = ldexp(x, 32) + real(static_cast<double>(random.bits() >> 32));
        }
        x = ldexp(x, random.integer(-spread, spread) - digits);
        return rns_number(format, random.one_in(2) ? -x : x);
    };
    const auto fill = [&](auto& to, index_t count) {
        for (index_t i = 0; i < count; ++i) {
            const bool cancels = i > 0 && random.one_in(8);
            to.set(i, cancels ? -to.get(i - 1) : number());
        }
    };
    const auto vector_of = [&](index_t n, index_t stride) {
        vector<host_executor, rns> x(format, rns_data::room(n, stride));
        fill(x, x.size());
        return x;
    };
    const auto matrix_of = [&](index_t m, index_t n) {
        matrix<host_executor, rns> a(format, m, n);
        for (index_t j = 0; j < n; ++j) {
            for (index_t i = 0; i < m; ++i) {
                a.set(i, j, number());
            }
        }
        return a;
    };
    const auto [m, n, l, x_stride, y_stride] = shape;
    io::coo<double> pattern;
    pattern.rows = m;
    pattern.cols = n;
    for (index_t i = 0; i < m; ++i) {
        for (index_t j = 0; j < n; ++j) {
            if (random.one_in(4)) {
                pattern.row.push_back(i);
                pattern.col.push_back(j);
                pattern.value.push_back(random.one_in(3) ? random.integer(-4, 4) : random.full(-30, 30));
            }
        }
    }
    csr<host_executor, rns> own(m, n, vector<host_executor, rns>(format, pattern.size()));
    csr<host_executor, double> sparse = csr_from_coo(pattern);
    std::copy(sparse.row_begin().begin(), sparse.row_begin().end(), own.row_begin().begin());
    std::copy(sparse.col().begin(), sparse.col().end(), own.col().begin());
    for (index_t p = 0; p < own.entries(); ++p) {
        own.value().store(p, number());
    }
    return {format,
            shape,
            number(),
            number(),
            vector_of(m, x_stride),
            vector_of(m, y_stride),
            vector_of(n, x_stride),
            vector_of(n, y_stride),
            matrix_of(m + 3, n),
            matrix_of(m, n),
            matrix_of(m + 1, m),
            matrix_of(l + 2, n),
            matrix_of(l, m),
            std::move(sparse),
            std::move(own)};
}

/// n elements with a stride, as the BLAS has it: the first one is last in memory if it is negative.
template <class Exec, class T>
vector_view<Exec, T> strided(const vector_view<Exec, T>& x, index_t n, index_t stride)
{
    return {x.start.from(stride < 0 && n > 0 ? (n - 1) * -stride : 0), n, stride, x.format};
}

using rns_results = std::vector<std::pair<std::string, std::vector<rns_number>>>;

inline vector<host_executor, rns> on(const host_executor&, const vector<host_executor, rns>& x) { return x; }
inline matrix<host_executor, rns> on(const host_executor&, const matrix<host_executor, rns>& x) { return x; }
template <class A>
A on(const host_executor&, const A& a)
{
    return a;
}
template <class A>
auto on(const cuda_executor& exec, const A& a)
{
    return to_device(exec, a);
}
template <class A>
const A& back(const host_executor&, const A& a)
{
    return a;
}
template <class A>
auto back(const cuda_executor& exec, const A& a)
{
    return to_host(exec, a);
}

/// What every operation makes of the data on an executor, by name.
template <class Exec>
rns_results every_result(const Exec& exec, const rns_data& d)
{
    using namespace blas;
    const auto [m, n, l, xs, ys] = d.shape;
    rns_results results;
    const auto keep_vector = [&, xs = xs, ys = ys](const std::string& name, const auto& x, index_t size,
                                                   index_t stride) {
        const auto host = back(exec, x);
        const auto view = strided(host.view(), size, stride);
        auto& to = results.emplace_back(name, std::vector<rns_number>{}).second;
        for (index_t i = 0; i < size; ++i) {
            to.push_back(view.load(i));
        }
    };
    const auto keep_matrix = [&](const std::string& name, const auto& a, index_t rows, index_t cols) {
        const auto host = back(exec, a);
        auto& to = results.emplace_back(name, std::vector<rns_number>{}).second;
        for (index_t j = 0; j < cols; ++j) {
            for (index_t i = 0; i < rows; ++i) {
                to.push_back(host.get(i, j));
            }
        }
    };
    const auto keep = [&](const std::string& name, const rns_number& x) {
        results.emplace_back(name, std::vector<rns_number>{x});
    };
    const auto x = on(exec, d.x);
    const auto y = on(exec, d.y);
    const auto u = on(exec, d.u);
    const auto v = on(exec, d.v);
    const auto a = on(exec, d.a);
    const auto b = on(exec, d.b);
    const auto s = on(exec, d.s);
    const auto p = on(exec, d.p);
    const auto q = on(exec, d.q);
    const auto xv = strided(x.view(), m, xs);
    const auto yv = strided(y.view(), m, ys);
    const auto uv = strided(u.view(), n, xs);
    const auto vv = strided(v.view(), n, ys);
    const matrix_view<Exec, const rns> av = a.view().block(1, 0, m, n);
    const matrix_view<Exec, const rns> sv = s.view().block(1, 0, m, m);
    const matrix_view<Exec, const rns> pv = p.view().block(0, 0, l, n);

    const auto on_y = [&, m = m, ys = ys](const std::string& name, const auto& f) {
        auto w = y;
        f(strided(w.view(), m, ys));
        keep_vector(name, w, m, ys);
    };
    on_y("copy", [&](auto w) { copy<rns>(exec, xv, w); });
    on_y("fill", [&](auto w) { fill<rns>(exec, d.alpha, w); });
    on_y("scal", [&](auto w) { scal<rns>(exec, d.alpha, w); });
    on_y("axpy", [&](auto w) { axpy<rns>(exec, d.alpha, xv, w); });
    on_y("xpay", [&](auto w) { xpay<rns>(exec, xv, d.alpha, w); });
    on_y("waxpby", [&](auto w) { waxpby<rns>(exec, d.alpha, xv, d.beta, yv, w); });
    on_y("difference",
         [&](auto w) { waxpby<rns>(exec, rns_number(d.format, 1.0), xv, rns_number(d.format, -1.0), yv, w); });
    on_y("rot", [&, m = m, xs = xs](auto w) {
        auto first = x;
        rot<rns>(exec, d.alpha, d.beta, strided(first.view(), m, xs), w);
        keep_vector("rot.first", first, m, xs);
    });
    on_y("gemv", [&](auto w) { gemv<rns>(exec, trans::no, d.alpha, av, uv, d.beta, w); });
    on_y("gemv.beta0",
         [&](auto w) { gemv<rns>(exec, trans::no, rns_number(d.format, 1.0), av, uv, rns_number(d.format), w); });
    on_y("symv.lower", [&](auto w) { symv<rns>(exec, uplo::lower, d.alpha, sv, xv, d.beta, w); });
    on_y("symv.upper", [&](auto w) { symv<rns>(exec, uplo::upper, d.alpha, sv, xv, d.beta, w); });
    {
        auto w = v;
        gemv<rns>(exec, trans::yes, d.alpha, av, xv, d.beta, strided(w.view(), n, ys));
        keep_vector("gemv_t", w, n, ys);
    }
    keep("dot", dot<rns>(exec, xv, yv));
    keep("asum", asum<rns>(exec, xv));
    keep("norm2", norm2<rns>(exec, xv));
    keep("norm_inf", norm_inf<rns>(exec, xv));

    const auto on_b = [&, m = m, n = n](const std::string& name, const auto& f) {
        auto c = b;
        f(c.view());
        keep_matrix(name, c, m, n);
    };
    on_b("ger", [&](auto c) { ger<rns>(exec, d.alpha, xv, vv, c); });
    on_b("ge_add", [&](auto c) { ge_add<rns>(exec, d.alpha, av, d.beta, b.view(), c); });
    on_b("ge_acc", [&](auto c) { ge_acc<rns>(exec, trans::no, d.alpha, av, d.beta, c); });
    on_b("ge_diag_scale_rows", [&](auto c) { ge_diag_scale<rns>(exec, side::left, xv, c); });
    on_b("ge_diag_scale_cols", [&](auto c) { ge_diag_scale<rns>(exec, side::right, vv, c); });
    on_b("gemm.tt", [&](auto c) {
        matrix<Exec, rns> pt(d.format, n, l, exec);
        ge_acc<rns>(exec, trans::yes, rns_number(d.format, 1.0), pv, rns_number(d.format), pt.view());
        gemm<rns>(exec, trans::yes, trans::yes, d.alpha, q.view(), pt.view(), d.beta, c);
    });
    on_b("gemm.nn", [&](auto c) {
        matrix<Exec, rns> qt(d.format, m, l, exec);
        ge_acc<rns>(exec, trans::yes, rns_number(d.format, 1.0), q.view(), rns_number(d.format), qt.view());
        gemm<rns>(exec, trans::no, trans::no, d.alpha, qt.view(), pv, d.beta, c);
    });
    on_b("gemm.tn", [&](auto c) { gemm<rns>(exec, trans::yes, trans::no, d.alpha, q.view(), pv, d.beta, c); });
    {
        auto c = s;
        gemm<rns>(exec, trans::no, trans::yes, d.alpha, av, b.view(), d.beta, c.view().block(0, 0, m, m));
        keep_matrix("gemm.nt", c, m, m);
        ge_acc<rns>(exec, trans::yes, d.beta, sv, d.alpha, c.view().block(0, 0, m, m));
        keep_matrix("ge_acc.t", c, m, m);
        auto e = q;  // l x m
        gemm<rns>(exec, trans::no, trans::yes, d.alpha, pv, b.view(), d.beta, e.view());
        keep_matrix("gemm.nt.wide", e, l, m);
    }
    keep("ge_norm.one", ge_norm<rns>(exec, matrix_norm::one, av));
    keep("ge_norm.infinity", ge_norm<rns>(exec, matrix_norm::infinity, av));
    keep("ge_norm.frobenius", ge_norm<rns>(exec, matrix_norm::frobenius, av));
    keep("ge_norm.largest", ge_norm<rns>(exec, matrix_norm::largest, av));

    const auto sparse = on(exec, d.sparse);
    const auto sparse_own = on(exec, d.sparse_own);
    const auto sliced = on(exec, sliced_ell<host_executor, double>(d.sparse));
    const auto sliced_own = on(exec, sliced_ell<host_executor, rns>(d.sparse_own));
    on_y("spmv.csr.binary64", [&](auto w) { spmv<rns>(exec, d.alpha, sparse, uv, d.beta, w); });
    on_y("spmv.csr.rns", [&](auto w) { spmv<rns>(exec, d.alpha, sparse_own, uv, d.beta, w); });
    on_y("spmv.ell.binary64", [&](auto w) { spmv<rns>(exec, d.alpha, sliced, uv, d.beta, w); });
    on_y("spmv.ell.rns", [&](auto w) { spmv<rns>(exec, d.alpha, sliced_own, uv, d.beta, w); });
    {
        vector<Exec, rns> w(d.format, m, exec);
        spmv<rns>(exec, rns_number(d.format, 1.0), sliced, uv, rns_number(d.format), w);
        keep_vector("spmv.direct", w, m, 1);
    }
    return results;
}

}  // namespace residua::support
