#pragma once

#include <utility>

#include <residua/arith/expansion/convert.hpp>
#include <residua/blas/base/executor.hpp>
#include <residua/blas/base/matrix.hpp>
#include <residua/blas/base/vector.hpp>
#include <residua/blas/level1/axpy.hpp>
#include <residua/blas/level1/copy.hpp>
#include <residua/blas/level1/dot.hpp>
#include <residua/blas/level1/fill.hpp>
#include <residua/blas/level1/norm.hpp>
#include <residua/blas/level1/scal.hpp>
#include <residua/blas/level1/waxpby.hpp>
#include <residua/blas/level1/xpay.hpp>
#include <residua/blas/sparse/spmv.hpp>
#include <residua/solvers/base/space.hpp>

namespace residua {

/// Vectors of T in host memory: blas on the host_executor as a vector_space.
template <number T>
struct host_space {
    using scalar = T;
    using element = T;  ///< what blas's vectors and matrices are made of
    using vector = residua::vector<host_executor, T>;
    using matrix = residua::matrix<host_executor, T>;
    static constexpr bool on_host = true;

    host_executor exec;

    vector make_vector(index_t n) const { return vector(n); }
    matrix make_matrix(index_t rows, index_t cols) const { return matrix(rows, cols); }
    T make_scalar(double d) const { return T{d}; }
    T make_scalar(const real& x) const { return from_real<T>(x); }
    index_t size(const vector& x) const { return x.size(); }

    void copy(const vector& x, vector& y) const { blas::copy(exec, x.view(), y.view()); }
    void fill(const T& a, vector& y) const { blas::fill(exec, a, y.view()); }
    void scal(const T& a, vector& y) const { blas::scal(exec, a, y.view()); }
    void axpy(const T& a, const vector& x, vector& y) const
    {
        blas::axpy(exec, a, x.view(), y.view());
    }
    void xpay(const vector& x, const T& a, vector& y) const
    {
        blas::xpay(exec, x.view(), a, y.view());
    }
    void waxpby(const T& a, const vector& x, const T& b, const vector& y, vector& w) const
    {
        blas::waxpby(exec, a, x.view(), b, y.view(), w.view());
    }
    T dot(const vector& x, const vector& y) const { return blas::dot<T>(exec, x.view(), y.view()); }
    T norm2(const vector& x) const { return blas::norm2<T>(exec, x.view()); }

    /// y = A x, A in any sparse storage
    template <class A>
    void spmv(const A& a, const vector& x, vector& y) const
    {
        blas::spmv(exec, T{1.0}, a, x.view(), T{0.0}, y.view());
    }

    /// What is on the host, in this space's memory, and back: nothing to do.
    vector make_host_vector(index_t n) const { return vector(n); }
    template <class X>
    X placed(X x) const
    {
        return x;
    }
    const vector& fetched(const vector& x) const { return x; }
};

}  // namespace residua
