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
#include <residua/blas/level2/triangle.hpp>
#include <residua/blas/multidigit/level1.hpp>
#include <residua/blas/rns/level1.hpp>
#include <residua/blas/sparse/levels.hpp>
#include <residua/blas/sparse/spmv.hpp>
#include <residua/blas/sparse/trsv.hpp>
#include <residua/solvers/space/vector_space.hpp>

namespace residua {

/// The array_space of vectors of T, a type of numbers or the tag of a format, in the memory of Exec, host or device. A
/// scalar is on the host; so is an array of scalars of a run-time format, and those of numbers are in the memory of Exec.
/// Binary32, to which scalars are rounded, has vectors, matrices and copies on the host alone: it is a format of factors.
///
/// order   as blas: the same bits on every executor
template <class Exec, class T>
struct blas_space {
    using traits = array_traits<T>;
    using scalar = typename traits::number;
    using element = T;  ///< the element type of vectors and matrices of blas
    using vector = residua::vector<Exec, T>;
    using matrix = residua::matrix<Exec, T>;
    static constexpr bool on_host = std::same_as<Exec, host_executor>;
    /// Whether there are trsv and permute: on the host for every format, on a device as far as blas has them.
    static constexpr bool has_triangles =
        on_host || requires(const Exec& on, const blas::device_levels& levels, const csr<Exec, double>& a,
                            const blas::scaled_permutation<Exec>& p, const vector& x, vector& y) {
            blas::trsv(on, levels, blas::diag::non_unit, a, x.view(), y.view());
            blas::permute(on, p, x.view(), y.view());
        };

    Exec exec;
    typename traits::format format = {};

    /// This space with another number of bits.
    blas_space shortened(long bits) const
        requires std::same_as<T, multidigit>
    {
        return {exec, typename traits::format(bits)};
    }

    vector make_vector(index_t n) const { return vector(format, n, exec); }
    vector make_vector(const std::vector<double>& values) const { return placed_values(*this, values); }
    matrix make_matrix(index_t rows, index_t cols) const { return matrix(format, rows, cols, exec); }
    scalar make_scalar(double d) const { return traits::constant(format, d); }
    scalar make_scalar(const real& x) const
    {
        if constexpr (run_time_format<T>) {
            return scalar(format, x);
        } else {
            return from_real<T>(x);
        }
    }
    index_t size(const vector& x) const { return x.size(); }

    void copy(const vector& x, vector& y) const { blas::copy(exec, x.view(), y.view()); }
    void fill(const scalar& a, vector& y) const { blas::fill(exec, a, y.view()); }
    void scal(const scalar& a, vector& y) const { blas::scal(exec, a, y.view()); }
    void axpy(const scalar& a, const vector& x, vector& y) const { blas::axpy(exec, a, x.view(), y.view()); }
    void xpay(const vector& x, const scalar& a, vector& y) const { blas::xpay(exec, x.view(), a, y.view()); }
    void waxpby(const scalar& a, const vector& x, const scalar& b, const vector& y, vector& w) const
    {
        blas::waxpby(exec, a, x.view(), b, y.view(), w.view());
    }
    scalar dot(const vector& x, const vector& y) const { return blas::dot<T>(exec, x.view(), y.view()); }
    scalar norm2(const vector& x) const { return blas::norm2<T>(exec, x.view()); }
    scalar norm2(const vector& x, const scalar& square) const { return blas::norm2<T>(exec, x.view(), square); }

    /// Without them in the memory of a device every dot product waits.
    static constexpr bool scalars_on_host = on_host || run_time_format<T>;
    using scalars = std::conditional_t<scalars_on_host, std::vector<scalar>, device_scalars<T>>;
    scalars make_scalars(index_t count) const
    {
        if constexpr (scalars_on_host) {
            return scalars(count, make_scalar(0.0));
        } else {
            return scalars(count, exec);
        }
    }
    scalars make_scalars(const std::vector<scalar>& values) const
    {
        if constexpr (scalars_on_host) {
            return values;
        } else {
            return scalars(values, exec);
        }
    }
    void dot(const vector& x, const vector& y, scalars& s, index_t i) const
    {
        if constexpr (scalars_on_host) {
            s[i] = dot(x, y);
        } else {
            blas::dot<T>(exec, x.view(), y.view(), s[i]);
        }
    }
    void divide(scalars& s, index_t i, index_t j, index_t k) const
    {
        if constexpr (scalars_on_host) {
            s[k] = blas::quotient(s[i], s[j], make_scalar(0.0));
        } else {
            blas::quotient<T>(exec, s[i], s[j], s[k]);
        }
    }
    void axmy(scalars& s, index_t i, const vector& x, vector& y) const
    {
        if constexpr (scalars_on_host) {
            axpy(-s[i], x, y);
        } else {
            blas::axpy(exec, scalar_argument<T>::negative(s[i]), x.view(), y.view());
        }
    }
    std::vector<scalar> fetched(const scalars& s, index_t count) const
    {
        if constexpr (scalars_on_host) {
            return {s.begin(), s.begin() + count};
        } else {
            return to_host(exec, s, count);
        }
    }

    /// y = A x, A in any sparse storage in the memory of Exec
    template <class A>
    void spmv(const A& a, const vector& x, vector& y) const
    {
        blas::spmv(exec, make_scalar(1.0), a, x.view(), make_scalar(0.0), y.view());
    }

    /// y = A x, A dense
    void gemv(const residua::matrix<Exec, double>& a, const vector& x, vector& y) const
        requires(!run_time_format<T>)
    {
        blas::gemv<T>(exec, blas::trans::no, T{1.0}, a.view(), x.view(), T{0.0}, y.view());
    }

    /// r = b - A x, A as for spmv, every element rounded once
    template <class A>
    void residual(const A& a, const vector& x, const vector& b, vector& r) const
    {
        blas::residual_exact<T, typename A::value_type>(exec, a, x.view(), b.view(), r.view());
    }

    /// A triangle of a sparse matrix for many solves, with the levels of its rows.
    struct triangle {
        std::conditional_t<on_host, blas::row_levels, blas::device_levels> levels;
        csr<Exec, double> entries;
    };
    triangle make_triangle(blas::uplo which, csr<host_executor, double> a) const
        requires has_triangles
    {
        blas::row_levels levels = blas::find_levels(which, a);
        if constexpr (on_host) {
            return {std::move(levels), std::move(a)};
        } else {
            return {blas::device_levels(exec, levels), to_device(exec, a)};
        }
    }

    /// x = T^-1 b
    void trsv(const triangle& t, const vector& b, vector& x) const
        requires has_triangles
    {
        blas::trsv(exec, t.levels, blas::diag::non_unit, t.entries, b.view(), x.view());
    }

    /// Says where each element comes from, and by which power of two it is multiplied, be it beyond binary64's range.
    struct host_permutation {
        std::vector<index_t> source;
        std::vector<int> exponent;
    };
    using permutation =
        std::conditional_t<on_host && run_time_format<T>, host_permutation, blas::scaled_permutation<Exec>>;
    permutation make_permutation(const std::vector<index_t>& source, const std::vector<int>& exponent) const
    {
        if constexpr (std::same_as<permutation, host_permutation>) {
            return {source, exponent};
        } else {
            const auto n = static_cast<index_t>(source.size());
            buffer<host_executor, index_t> from(n);
            buffer<host_executor, double> factor(n);
            std::copy(source.begin(), source.end(), from.data());
            std::transform(exponent.begin(), exponent.end(), factor.data(), [](int e) { return std::ldexp(1.0, e); });
            return {placed(std::move(from)), placed(std::move(factor))};
        }
    }

    /// y_i = 2^exponent_i x_(source_i)
    void permute(const permutation& p, const vector& x, vector& y) const
        requires has_triangles
    {
        if constexpr (std::same_as<permutation, host_permutation>) {
            for (index_t i = 0; i < y.size(); ++i) {
                y.view().store(i, ldexp(x.view().load(p.source[i]), p.exponent[i]));
            }
        } else {
            blas::permute(exec, p, x.view(), y.view());
        }
    }

    /// The space of the same numbers in the memory of the host.
    blas_space<host_executor, T> host_counterpart() const { return {{}, format}; }

    /// placed() brings words, a vector, or a matrix in any storage from the host to this space's memory.
    residua::vector<host_executor, T> make_host_vector(index_t n) const
    {
        return residua::vector<host_executor, T>(format, n);
    }
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

template <class T>
using host_space = blas_space<host_executor, T>;
template <class Exec>
using multidigit_space = blas_space<Exec, multidigit>;
template <class Exec>
using rns_space = blas_space<Exec, rns>;

/// The e of a = m 2^e, 1/2 <= |m| < 1, for a finite a != 0. It may lie beyond binary64's range.
inline long binary_exponent(const multidigit_number& a) { return exponent(a); }
inline long binary_exponent(const rns_number& a) { return exponent(a); }

}  // namespace residua
