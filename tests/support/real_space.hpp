#pragma once

#include <cstddef>
#include <vector>

#include <residua/arith/real/real.hpp>
#include <residua/blas/level1/quotient.hpp>
#include <residua/io/error.hpp>

namespace residua::support {

/// Vectors of MPFR numbers of a precision chosen at run time, every operation rounded to it, sums
/// from left to right: the simplest vector space there is, and the reference for the others.
struct real_space {
    using scalar = real;
    using vector = std::vector<real>;

    long bits;

    vector make_vector(index_t n) const { return vector(static_cast<std::size_t>(n), real(0.0, bits)); }
    vector make_vector(const std::vector<double>& values) const
    {
        vector x;
        for (const double d : values) {
            x.push_back(make_scalar(d));
        }
        return x;
    }
    real make_scalar(double d) const { return real(d, bits); }
    index_t size(const vector& x) const { return static_cast<index_t>(x.size()); }

    void copy(const vector& x, vector& y) const { y = x; }
    void fill(const real& a, vector& y) const { y.assign(y.size(), a); }
    void scal(const real& a, vector& y) const
    {
        for (real& v : y) {
            v = a * v;
        }
    }
    void axpy(const real& a, const vector& x, vector& y) const
    {
        for (std::size_t i = 0; i < y.size(); ++i) {
            y[i] = y[i] + a * x[i];
        }
    }
    void xpay(const vector& x, const real& a, vector& y) const
    {
        for (std::size_t i = 0; i < y.size(); ++i) {
            y[i] = x[i] + a * y[i];
        }
    }
    void waxpby(const real& a, const vector& x, const real& b, const vector& y, vector& w) const
    {
        for (std::size_t i = 0; i < y.size(); ++i) {
            w[i] = a * x[i] + b * y[i];
        }
    }
    real dot(const vector& x, const vector& y) const
    {
        real sum(0.0, bits);
        for (std::size_t i = 0; i < x.size(); ++i) {
            sum += x[i] * y[i];
        }
        return sum;
    }
    real norm2(const vector& x) const { return sqrt(dot(x, x)); }
    real norm2(const vector&, const real& square) const { return sqrt(square); }

    using scalars = std::vector<real>;  ///< on the host
    scalars make_scalars(index_t count) const { return scalars(count, make_scalar(0.0)); }
    void dot(const vector& x, const vector& y, scalars& s, index_t i) const { s[i] = dot(x, y); }
    void divide(scalars& s, index_t i, index_t j, index_t k) const
    {
        s[k] = blas::quotient(s[i], s[j], make_scalar(0.0));
    }
    void axmy(const scalars& s, index_t i, const vector& x, vector& y) const { axpy(-s[i], x, y); }
    std::vector<real> fetched(const scalars& s, index_t count) const { return {s.begin(), s.begin() + count}; }
};

}  // namespace residua::support
