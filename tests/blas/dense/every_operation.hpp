#pragma once

#include <cmath>
#include <map>
#include <string>
#include <utility>

#include <residua/blas/dense/axpy_dot.hpp>
#include <residua/blas/dense/entries.hpp>
#include <residua/blas/dense/ge_norm.hpp>
#include <residua/blas/dense/rot.hpp>
#include <residua/blas/dense/symv.hpp>
#include <residua/blas/dense/syrk.hpp>
#include <residua/blas/dense/trmv.hpp>
#include <residua/blas/dense/trsm.hpp>

#include "tests/support/biased_random.hpp"

/// Every operation of blas/dense on operands of one format, on the host or on a device.
namespace residua::support {

template <class T>
using format_of = typename array_traits<T>::format;
template <class T>
using number_of = typename array_traits<T>::number;
template <class T>
using host_matrix = matrix<host_executor, T>;
template <class T>
using host_vector = vector<host_executor, T>;

template <class T>
number_of<T> constant(const format_of<T>& format, double x)
{
    if constexpr (run_time_format<T>) {
        return number_of<T>(format, x);
    } else {
        return T{x};
    }
}

/// Full, short or zero, of about 2^-spread to 2^spread.
template <class T>
number_of<T> random_number_of(const format_of<T>& format, biased_random& random, int spread = 4)
{
    number_of<T> x = constant<T>(format, 0.0);
    if (random.one_in(12)) {
        return x;
    }
    double scale = std::ldexp(1.0, random.integer(-spread, spread));
    for (long bits = 0; bits < format.precision_bits() && scale > 0x1p-900 && !random.one_in(40); bits += 53) {
        x = x + constant<T>(format, scale * random.full(-1, 0));
        scale *= 0x1p-53;
    }
    return x;
}

/// m, n, k: A and B (m x n), S and T (n x n), F (n x k), G (k x n). Matrices are blocks of larger ones, and vectors parts
/// of longer ones; where a format has strides, every second element of them.
template <class T>
struct dense_operands {
    format_of<T> format;
    index_t m, n, k;
    number_of<T> alpha, beta;
    host_vector<T> x, y, d;  // n, n, m
    host_matrix<T> a, b, s, t, f, g;
    static constexpr index_t stride = run_time_format<T> ? 2 : 1;

    dense_operands(const format_of<T>& of, index_t rows, index_t cols, index_t others, biased_random& random)
        : format(of),
          m(rows),
          n(cols),
          k(others),
          alpha(random_number_of<T>(of, random)),
          beta(random_number_of<T>(of, random)),
          x(of, room(cols)),
          y(of, room(cols)),
          d(of, room(rows)),
          a(of, rows + 3, cols + 2),
          b(of, rows + 3, cols + 2),
          s(of, cols + 3, cols + 2),
          t(of, cols + 3, cols + 2),
          f(of, cols + 3, others + 2),
          g(of, others + 3, cols + 2)
    {
        for (host_vector<T>* v : {&x, &y, &d}) {
            for (index_t i = 0; i < v->size(); ++i) {
                v->set(i, random_number_of<T>(of, random));
            }
        }
        for (host_matrix<T>* c : {&a, &b, &s, &t, &f, &g}) {
            for (index_t j = 0; j < c->cols(); ++j) {
                for (index_t i = 0; i < c->rows(); ++i) {
                    c->set(i, j, random_number_of<T>(of, random));
                }
            }
        }
        // a triangle whose inverse is of moderate size
        for (index_t j = 0; j < t.cols(); ++j) {
            for (index_t i = 0; i < t.rows(); ++i) {
                t.set(i, j,
                      i == j ? constant<T>(of, 1.0 + random.uniform())
                             : random_number_of<T>(of, random, 2) * constant<T>(of, 0x1p-6));
            }
        }
    }

    static index_t room(index_t size) { return size * stride + 3; }
};

template <class Exec, class T>
auto cut(const matrix_view<Exec, T>& a)
{
    return a.block(1, 1, a.rows - 3, a.cols - 2);
}
template <class Exec, class T>
auto cut(const vector_view<Exec, T>& x)
{
    constexpr index_t stride = dense_operands<std::remove_const_t<T>>::stride;
    if constexpr (stride == 1) {
        return x.part(1, x.size - 2);
    } else {
        return vector_view<Exec, T>{x.start.from(1), (x.size - 3) / stride, stride, x.format};
    }
}

/// The matrices and vectors that operations leave, whole with what is around; numbers as matrices of one entry.
template <class T>
using dense_results = std::map<std::string, host_matrix<T>>;

template <class Exec, class T>
class dense_run {
public:
    dense_run(const Exec& exec, const dense_operands<T>& on) : exec_(exec), o(on) {}

    dense_results<T> results()
    {
        using namespace blas;
        const auto x = moved(o.x), y = moved(o.y), d = moved(o.d);
        const auto a = moved(o.a), b = moved(o.b), s = moved(o.s), t = moved(o.t), f = moved(o.f), g = moved(o.g);
        const auto xv = cut(x.view()), yv = cut(y.view()), dv = cut(d.view());
        const auto av = cut(a.view()), bv = cut(b.view()), sv = cut(s.view()), tv = cut(t.view());
        const auto fv = cut(f.view()), gv = cut(g.view());
        const auto& e = exec_;
        const auto alpha = o.alpha, beta = o.beta;
        const auto zero = constant<T>(o.format, 0.0);

        for (const bool second : {false, true}) {
            auto p = moved(o.x), q = moved(o.y);
            rot<T>(e, alpha, beta, cut(p.view()), cut(q.view()));
            keep(second ? "rot.y" : "rot.x", second ? q : p);
        }
        after("axpy_dot.y", o.y, [&](auto v) { keep_number("axpy_dot", axpy_dot<T>(e, alpha, xv, v, xv)); });
        after("transpose", host_matrix<T>(o.format, o.n + 3, o.m + 2), [&](auto c) { transpose<T>(e, av, c); });
        after("ge_add", o.a, [&](auto c) { ge_add<T>(e, alpha, av, beta, bv, c); });
        after("ge_add.in_place", o.a, [&](auto c) { ge_add<T>(e, alpha, c, beta, bv, c); });
        after("ge_acc", o.b, [&](auto c) { ge_acc<T>(e, trans::no, alpha, av, beta, c); });
        after("ge_acc.t", o.s, [&](auto c) { ge_acc<T>(e, trans::yes, alpha, tv, beta, c); });
        after("ger", o.a, [&](auto c) { ger<T>(e, alpha, dv, xv, c); });
        after("ge_diag_scale_rows", o.a, [&](auto c) { ge_diag_scale<T>(e, side::left, dv, c); });
        after("ge_diag_scale_cols", o.a, [&](auto c) { ge_diag_scale<T>(e, side::right, xv, c); });
        after("ge_lrscale", o.a, [&](auto c) { ge_lrscale<T>(e, dv, xv, c); });
        for (const auto norm :
             {matrix_norm::one, matrix_norm::infinity, matrix_norm::frobenius, matrix_norm::largest}) {
            keep_number("ge_norm." + std::to_string(static_cast<int>(norm)), ge_norm<T>(e, norm, av));
        }
        for (const uplo triangle : {uplo::lower, uplo::upper}) {
            const std::string which = triangle == uplo::lower ? ".lower" : ".upper";
            after("syr" + which, o.s, [&](auto c) { syr<T>(e, triangle, alpha, xv, c); });
            after("symv" + which, o.y, [&](auto v) { symv<T>(e, triangle, alpha, sv, xv, beta, v); });
            for (const trans op : {trans::no, trans::yes}) {
                const std::string transposed = op == trans::no ? "" : ".t";
                after("syrk" + which + transposed, o.s,
                      [&](auto c) { syrk<T>(e, triangle, op, alpha, op == trans::no ? fv : gv, beta, c); });
                for (const diag diagonal : {diag::non_unit, diag::unit}) {
                    const std::string name = which + transposed + (diagonal == diag::unit ? ".unit" : "");
                    after("trmv" + name, o.x, [&](auto v) { trmv<T>(e, triangle, op, diagonal, tv, v); });
                    after("trsm" + name, o.f,
                          [&](auto c) { trsm<T>(e, side::left, triangle, op, diagonal, alpha, tv, c); });
                    after("trsm.right" + name, o.g,
                          [&](auto c) { trsm<T>(e, side::right, triangle, op, diagonal, alpha, tv, c); });
                }
            }
        }
        for (const trans op : {trans::no, trans::yes}) {
            const std::string left = op == trans::no ? ".n" : ".t";
            after("gemv" + left, op == trans::no ? o.d : o.x,
                  [&](auto v) { gemv<T>(e, op, alpha, av, op == trans::no ? yv : dv, beta, v); });
            for (const trans op_b : {trans::no, trans::yes}) {  // S is op(F or G) op(G or F)
                const std::string name = left + (op_b == trans::no ? "n" : "t");
                const auto first = op == trans::no ? fv : gv;
                const auto second = op_b == trans::no ? gv : fv;
                after("gemm" + name, o.s, [&](auto c) { gemm<T>(e, op, op_b, alpha, first, second, beta, c); });
                after("gemm.zero" + name, o.s, [&](auto c) { gemm<T>(e, op, op_b, alpha, first, second, zero, c); });
            }
        }
        return std::move(results_);
    }

private:
    template <class X>
    auto moved(const X& x) const
    {
        if constexpr (std::is_same_v<Exec, host_executor>) {
            return x;
        } else {
            return to_device(exec_, x);
        }
    }
    template <class X>
    auto back(const X& x) const
    {
        if constexpr (std::is_same_v<Exec, host_executor>) {
            return x;
        } else {
            return to_host(exec_, x);
        }
    }

    void keep(const std::string& name, const matrix<Exec, T>& c) { results_.emplace(name, back(c)); }
    void keep(const std::string& name, const vector<Exec, T>& x)
    {
        const auto on_host = back(x);
        host_matrix<T> column(o.format, on_host.size(), 1);
        for (index_t i = 0; i < on_host.size(); ++i) {
            column.set(i, 0, on_host.get(i));
        }
        results_.emplace(name, std::move(column));
    }
    void keep_number(const std::string& name, const number_of<T>& x)
    {
        host_matrix<T> one(o.format, 1, 1);
        one.set(0, 0, x);
        results_.emplace(name, std::move(one));
    }

    /// What f(view) leaves of a copy of `from`.
    template <class X, class F>
    void after(const std::string& name, const X& from, const F& f)
    {
        auto c = moved(from);
        f(cut(c.view()));
        keep(name, c);
    }

    const Exec& exec_;
    const dense_operands<T>& o;
    dense_results<T> results_;
};

}  // namespace residua::support
