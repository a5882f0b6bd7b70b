#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <type_traits>
#include <utility>
#include <vector>

#include <residua/arith/expansion/convert.hpp>
#include <residua/arith/native/float.hpp>
#include <residua/blas/base/executor.hpp>
#include <residua/blas/base/matrix.hpp>
#include <residua/blas/base/vector.hpp>
#include <residua/blas/exact/spmv_exact.hpp>
#include <residua/blas/level1/dot.hpp>
#include <residua/blas/level1/elementwise.hpp>
#include <residua/blas/level1/norm.hpp>
#include <residua/blas/level1/permute.hpp>
#include <residua/blas/level1/quotient.hpp>
#include <residua/blas/level2/gemv.hpp>
#include <residua/blas/sparse/levels.hpp>
#include <residua/blas/sparse/spmv.hpp>
#include <residua/blas/sparse/trsv.hpp>
#include <residua/solvers/space/vector_space.hpp>

namespace residua {

/// The vector_space of vectors of T, binary64 or an expansion, in the memory of Exec, host or device. A scalar is on
/// the host, an array of scalars in the memory of Exec. Binary32, to which scalars are rounded, has vectors, matrices
/// and copies on the host alone: it is a format of factors.
///
/// order   as blas: the same bits on every executor
template <class Exec, number T>
struct expansion_space {
    using scalar = T;
    using element = T;  ///< the element type of vectors and matrices of blas
    using vector = residua::vector<Exec, T>;
    using matrix = residua::matrix<Exec, T>;
    static constexpr bool on_host = std::same_as<Exec, host_executor>;
    static constexpr bool has_triangles = true;  ///< whether there are trsv and permute

    Exec exec;

    vector make_vector(index_t n) const { return vector(n, exec); }
    vector make_vector(const std::vector<double>& values) const { return placed_values(*this, values); }
    matrix make_matrix(index_t rows, index_t cols) const { return matrix(rows, cols, exec); }
    T make_scalar(double d) const { return static_cast<T>(d); }
    T make_scalar(const real& x) const { return from_real<T>(x); }
    index_t size(const vector& x) const { return x.size(); }

    void copy(const vector& x, vector& y) const { blas::copy(exec, x.view(), y.view()); }
    void fill(const T& a, vector& y) const { blas::fill(exec, a, y.view()); }
    void scal(const T& a, vector& y) const { blas::scal(exec, a, y.view()); }
    void axpy(const T& a, const vector& x, vector& y) const { blas::axpy(exec, a, x.view(), y.view()); }
    void xpay(const vector& x, const T& a, vector& y) const { blas::xpay(exec, x.view(), a, y.view()); }
    void waxpby(const T& a, const vector& x, const T& b, const vector& y, vector& w) const
    {
        blas::waxpby(exec, a, x.view(), b, y.view(), w.view());
    }
    T dot(const vector& x, const vector& y) const { return blas::dot<T>(exec, x.view(), y.view()); }
    T norm2(const vector& x) const { return blas::norm2<T>(exec, x.view()); }
    T norm2(const vector& x, const T& square) const { return blas::norm2<T>(exec, x.view(), square); }

    using scalars = std::conditional_t<on_host, std::vector<T>, device_scalars<T>>;
    scalars make_scalars(index_t count) const
    {
        if constexpr (on_host) {
            return scalars(count, T{0.0});
        } else {
            return scalars(count, exec);
        }
    }
    scalars make_scalars(const std::vector<T>& values) const
    {
        if constexpr (on_host) {
            return values;
        } else {
            return scalars(values, exec);
        }
    }
    void dot(const vector& x, const vector& y, scalars& s, index_t i) const
    {
        if constexpr (on_host) {
            s[i] = dot(x, y);
        } else {
            blas::dot<T>(exec, x.view(), y.view(), s[i]);
        }
    }
    void divide(scalars& s, index_t i, index_t j, index_t k) const
    {
        if constexpr (on_host) {
            s[k] = blas::quotient(s[i], s[j], T{0.0});
        } else {
            blas::quotient<T>(exec, s[i], s[j], s[k]);
        }
    }
    void axmy(scalars& s, index_t i, const vector& x, vector& y) const
    {
        if constexpr (on_host) {
            axpy(-s[i], x, y);
        } else {
            blas::axpy(exec, scalar_argument<T>::negative(s[i]), x.view(), y.view());
        }
    }
    std::vector<T> fetched(const scalars& s, index_t count) const
    {
        if constexpr (on_host) {
            return {s.begin(), s.begin() + count};
        } else {
            return to_host(exec, s, count);
        }
    }

    /// y = A x, A in any sparse storage in the memory of Exec
    template <class A>
    void spmv(const A& a, const vector& x, vector& y) const
    {
        blas::spmv<T>(exec, T{1.0}, a, x.view(), T{0.0}, y.view());
    }

    /// y = A x, A dense
    void gemv(const residua::matrix<Exec, double>& a, const vector& x, vector& y) const
    {
        blas::gemv<T>(exec, T{1.0}, a.view(), x.view(), T{0.0}, y.view());
    }

    /// r = b - A x, A as for spmv, every element rounded once
    template <class A>
    void residual(const A& a, const vector& x, const vector& b, vector& r) const
    {
        blas::residual_exact<T, typename A::value_type>(exec, a, x.view(), b.view(), r.view());
    }

    /// A triangle of a sparse matrix for many solves. On a device it has its levels.
    struct triangle {
        using order = std::conditional_t<on_host, blas::uplo, blas::device_levels>;
        order which;
        csr<Exec, double> entries;
    };
    triangle make_triangle(blas::uplo which, csr<host_executor, double> a) const
    {
        if constexpr (on_host) {
            return {which, std::move(a)};
        } else {
            return {blas::device_levels(exec, blas::find_levels(which, a)), to_device(exec, a)};
        }
    }

    /// x = T^-1 b
    void trsv(const triangle& t, const vector& b, vector& x) const
    {
        blas::trsv<T>(exec, t.which, blas::diag::non_unit, t.entries, b.view(), x.view());
    }

    using permutation = blas::scaled_permutation<Exec>;
    permutation make_permutation(const std::vector<index_t>& source, const std::vector<int>& exponent) const
    {
        const auto n = static_cast<index_t>(source.size());
        blas::scaled_permutation<host_executor> p{buffer<host_executor, index_t>(n), buffer<host_executor, double>(n)};
        std::copy(source.begin(), source.end(), p.source.data());
        std::transform(exponent.begin(), exponent.end(), p.factor.data(), [](int e) { return std::ldexp(1.0, e); });
        return {placed(std::move(p.source)), placed(std::move(p.factor))};
    }

    /// y_i = 2^exponent_i x_(source_i)
    void permute(const permutation& p, const vector& x, vector& y) const
    {
        blas::permute<T>(exec, p, x.view(), y.view());
    }

    /// The space of the same numbers in the memory of the host.
    expansion_space<host_executor, T> host_counterpart() const { return {}; }

    /// placed() brings words, a vector, or a matrix in any storage from the host to this space's memory.
    residua::vector<host_executor, T> make_host_vector(index_t n) const { return residua::vector<host_executor, T>(n); }
    template <class X>
    auto placed(X x) const
    {
        if constexpr (on_host) {
            return x;
        } else {
            return to_device(exec, x);
        }
    }

    /// The vector on the host.
    decltype(auto) fetched(const vector& x) const
    {
        if constexpr (on_host) {
            return (x);
        } else {
            return to_host(exec, x);
        }
    }
};

template <number T>
using host_space = expansion_space<host_executor, T>;

}  // namespace residua
