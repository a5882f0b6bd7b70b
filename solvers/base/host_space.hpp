#pragma once

#include <residua/blas/base/executor.hpp>
#include <residua/blas/base/vector.hpp>
#include <residua/blas/level1/axpy.hpp>
#include <residua/blas/level1/copy.hpp>
#include <residua/blas/level1/dot.hpp>
#include <residua/blas/level1/fill.hpp>
#include <residua/blas/level1/norm.hpp>
#include <residua/blas/level1/scal.hpp>
#include <residua/blas/level1/waxpby.hpp>
#include <residua/blas/level1/xpay.hpp>
#include <residua/solvers/base/space.hpp>

namespace residua {

/// Vectors of T in host memory: blas on the host_executor as a vector_space.
template <number T>
struct host_space {
    using scalar = T;
    using vector = residua::vector<host_executor, T>;

    host_executor exec;

    vector make_vector(index_t n) const { return vector(n); }
    T make_scalar(double d) const { return T{d}; }
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
};

}  // namespace residua
