#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include <residua/arith/base/number_traits.hpp>
#include <residua/arith/real/real.hpp>
#include <residua/blas/base/executor.hpp>
#include <residua/blas/level2/triangle.hpp>
#include <residua/blas/sparse/csr.hpp>
#include <residua/io/error.hpp>
#include <residua/solvers/base/scaled_double.hpp>
#include <residua/solvers/space/scalar_parts.hpp>

namespace residua {

/// The type of norms, and of what is compared: the scalar of a real space, or that of the parts of a complex one.
template <class S>
using real_scalar = real_type<typename S::scalar>;

/// What a solver needs from a number format on an executor: vectors, scalars, and the vector
/// operations of blas. Solvers are written on this concept alone, so a format whose precision
/// is a run-time value (it lives in the space object) fits without a change.
///
/// Scalars are real, or complex numbers (complex_space.hpp). Norms are of type real_scalar<S>. Sizes count elements.
///
///   make_vector(n)          n zeros
///   make_vector(values)     these doubles, exactly; for complex elements real and imaginary parts in turn
///   make_scalar(d)          the double d, exactly, as a scalar of the space
///   copy(x, y)              y = x
///   fill(a, y)              y_i = a
///   scal(a, y)              y = a y; exact if a is a power of two
///   axpy(a, x, y)           y = y + a x
///   xpay(x, a, y)           y = x + a y
///   waxpby(a, x, b, y, w)   w = a x + b y
///   dot(x, y), norm2(x)     x^H y and its norm, in the order of summation of the format
///   norm2(x, d)             norm2(x) if d = dot(x, x); waits only where d is near the ends of the range
///
/// A dot product that is returned waits for the device. In a loop it is left where the vectors are, in an array of
/// `scalars`, and used from there; the host reads the array when it has something to decide:
///
///   make_scalars(k)         k zeros
///   dot(x, y, s, i)         s_i = x^H y
///   divide(s, i, j, k)      s_k = s_i / s_j, or 0 where s_j is 0 or NaN
///   axmy(s, i, x, y)        y = y - s_i x, with the bits of axpy(-s_i, x, y)
///   axmy_conjugate(...)     the same with the conjugate of s_i, where scalars are complex
///   fetched(s, k)           the first k scalars of s on the host; waits for them
///
/// A scalar has + - * / and unary -, ==, abs, ldexp and is_finite; a real one also <, sqrt and to_double.
template <class S>
concept vector_space = requires(const S& space, const typename S::scalar& a, const typename S::vector& x,
                                typename S::vector& y, typename S::scalars& s, index_t n, double d) {
    {
        space.make_vector(n)
    } -> std::same_as<typename S::vector>;
    {
        space.make_vector(std::vector<double>{})
    } -> std::same_as<typename S::vector>;
    {
        space.make_scalar(d)
    } -> std::same_as<typename S::scalar>;
    {
        space.size(x)
    } -> std::convertible_to<index_t>;
    space.copy(x, y);
    space.fill(a, y);
    space.scal(a, y);
    space.axpy(a, x, y);
    space.xpay(x, a, y);
    space.waxpby(a, x, a, x, y);
    {
        space.dot(x, x)
    } -> std::same_as<typename S::scalar>;
    {
        space.norm2(x)
    } -> std::same_as<real_scalar<S>>;
    {
        space.norm2(x, a)
    } -> std::same_as<real_scalar<S>>;
    {
        space.make_scalars(n)
    } -> std::same_as<typename S::scalars>;
    space.dot(x, x, s, n);
    space.divide(s, n, n, n);
    space.axmy(s, n, x, y);
    {
        space.fetched(s, n)
    } -> std::same_as<std::vector<typename S::scalar>>;
    {
        (a / abs(a)) * a + a - a
    } -> std::convertible_to<typename S::scalar>;
    {
        sqrt(abs(a))
    } -> std::convertible_to<real_scalar<S>>;
    {
        abs(a) < abs(-a)
    } -> std::convertible_to<bool>;
    {
        a == a
    } -> std::convertible_to<bool>;
    {
        ldexp(a, 1)
    } -> std::convertible_to<typename S::scalar>;
    {
        is_finite(a)
    } -> std::convertible_to<bool>;
    {
        to_double(abs(a))
    } -> std::same_as<double>;
};

/// The real numbers that a scalar of the space consists of: 1 or 2.
template <class S>
inline constexpr index_t numbers_in_scalar = std::same_as<typename S::scalar, real_scalar<S>> ? 1 : 2;

/// y = y - conj(s_i) x, s_i real or complex.
template <vector_space S>
void axmy_conjugate(const S& space, typename S::scalars& s, index_t i, const typename S::vector& x,
                    typename S::vector& y)
{
    if constexpr (requires { space.axmy_conjugate(s, i, x, y); }) {
        space.axmy_conjugate(s, i, x, y);
    } else {
        space.axmy(s, i, x, y);
    }
}

/// A space of blas's vectors, which engines and dense factors are written on. Beyond a vector_space it has
///
///   element, matrix         what blas's vectors and dense matrices are made of, and such a matrix
///   on_host                 whether the memory is the host's
///   exec, format            the executor, and the format of blas's arrays, with its precision
///   make_matrix(m, n)       m x n zeros
///   make_scalar(x)          the `real` x, rounded
///   make_host_vector(n)     n zeros in the memory of the host
///   make_scalars(values)    these scalars, where the vectors are
///   placed(v)               v, made on the host, moved to the memory of the space: also a matrix in any storage
///   fetched(x)              x on the host
///   host_counterpart()      the space of the same numbers in the memory of the host
///   spmv(a, x, y)           y = A x, A in any sparse storage in the memory of the space
///   residual(a, x, b, r)    r = b - A x, every element rounded once
///   make_permutation(i, e)  the map to elements i_0, i_1, ... times 2^e_0, 2^e_1, ...
///   has_triangles           whether the space is a triangle_space
///
/// Spaces of numbers have gemv(a, x, y), y = A x for a dense A in binary64; some spaces are shortenable (shortened.hpp).
template <class S>
concept array_space =
    vector_space<S> &&
    requires(const S& space, const typename S::vector& x, typename S::vector& y, index_t n, const real& a,
             const csr<std::remove_const_t<decltype(S::exec)>, double>& sparse, const std::vector<index_t>& source,
             const std::vector<int>& exponent, const std::vector<typename S::scalar>& values) {
        typename S::element;
        {
            S::on_host
        } -> std::convertible_to<bool>;
        {
            S::has_triangles
        } -> std::convertible_to<bool>;
        {
            space.format.precision_bits()
        } -> std::convertible_to<long>;
        space.spmv(sparse, x, y);
        space.residual(sparse, x, x, y);
        space.host_counterpart();
        {
            space.make_permutation(source, exponent)
        } -> std::same_as<typename S::permutation>;
        {
            space.make_scalars(values)
        } -> std::same_as<typename S::scalars>;
        {
            space.make_matrix(n, n)
        } -> std::same_as<typename S::matrix>;
        {
            space.make_scalar(a)
        } -> std::same_as<typename S::scalar>;
        {
            space.placed(space.make_host_vector(n))
        } -> std::same_as<typename S::vector>;
        space.fetched(x);
    };

/// An array_space with triangles of sparse matrices:
///
///   make_triangle(which, a)  one of a, made on the host, in the memory of the space
///   trsv(t, b, x)            x = T^-1 b
///   permute(p, x, y)         y_i = 2^exponent_i x_(source_i)
template <class S>
concept triangle_space =
    array_space<S> && S::has_triangles &&
    requires(const S& space, const typename S::vector& x, typename S::vector& y, const typename S::triangle& t,
             const typename S::permutation& p, csr<host_executor, double> a) {
        {
            space.make_triangle(blas::uplo::lower, a)
        } -> std::same_as<typename S::triangle>;
        space.trsv(t, x, y);
        space.permute(p, x, y);
    };

/// Bits of the numbers of a space.
template <class S>
long precision_of(const S& space)
{
    return space.format.precision_bits();
}

/// Bits of a decimal before it is rounded to a space: 64 more than it has. The terms of an expansion may lie far apart,
/// as for 1 + 10^-60: for them it is all that binary64 reaches.
template <class S>
long reading_bits_of(const S& space)
{
    constexpr long reach_of_binary64 = 2200;
    if constexpr (number<typename S::element>) {
        return std::max(precision_of(space) + 64, reach_of_binary64);
    } else {
        return precision_of(space) + 64;
    }
}

/// A linear map of the space: a.apply(space, x, y) sets y = A x; x and y are different vectors.
template <class A, class S>
concept linear_operator =
    requires(const A& a, const S& space, const typename S::vector& x, typename S::vector& y) { a.apply(space, x, y); };

/// A vector of given doubles, made on the host and brought to the space. The space has vectors of blas.
template <class S>
typename S::vector placed_values(const S& space, const std::vector<double>& values)
{
    auto x = space.make_host_vector(static_cast<index_t>(values.size()));
    for (std::size_t i = 0; i < values.size(); ++i) {
        x.set(static_cast<index_t>(i), space.make_scalar(values[i]));
    }
    return space.placed(std::move(x));
}

/// r = b - A x; q, another vector, is overwritten
///
/// errors  each element is the exact one, rounded once, if a.residual(space, x, b, r) returns that it has made r;
///         otherwise a.apply() rounds A x before it is subtracted
template <vector_space S, linear_operator<S> A>
void make_residual(const S& space, const A& a, const typename S::vector& x, const typename S::vector& b,
                   typename S::vector& q, typename S::vector& r)
{
    if constexpr (requires { a.residual(space, x, b, r); }) {
        if (a.residual(space, x, b, r)) {
            return;
        }
    }
    a.apply(space, x, q);
    space.waxpby(space.make_scalar(1.0), b, space.make_scalar(-1.0), q, r);
}

/// Several vectors of a space for one operation.
template <vector_space S>
using columns = std::vector<typename S::vector*>;
template <vector_space S>
using const_columns = std::vector<const typename S::vector*>;

/// R = B - A X for several vectors; the vectors q, which are different ones, are overwritten
///
/// errors  each column gets the bits that make_residual gives it alone. a.residuals(space, x, b, r) makes all at once
///         if it returns true; otherwise they are made one after the other
template <vector_space S, linear_operator<S> A>
void make_residuals(const S& space, const A& a, const const_columns<S>& x, const const_columns<S>& b,
                    const columns<S>& q, const columns<S>& r)
{
    if constexpr (requires { a.residuals(space, x, b, r); }) {
        if (a.residuals(space, x, b, r)) {
            return;
        }
    }
    for (std::size_t j = 0; j < x.size(); ++j) {
        make_residual(space, a, *x[j], *b[j], *q[j], *r[j]);
    }
}

/// Y = A X for several vectors, by a.apply_together(space, x, y) if there is that function. A column gets the bits that
/// it gets alone.
template <vector_space S, linear_operator<S> A>
void apply_together(const S& space, const A& a, const const_columns<S>& x, const columns<S>& y)
{
    if constexpr (requires { a.apply_together(space, x, y); }) {
        a.apply_together(space, x, y);
    } else {
        for (std::size_t j = 0; j < x.size(); ++j) {
            a.apply(space, *x[j], *y[j]);
        }
    }
}

/// Whether a linear map says of itself, by a.is_identity(), that it changes nothing.
template <class A>
bool is_identity(const A& a)
{
    if constexpr (requires { a.is_identity(); }) {
        return a.is_identity();
    } else {
        return false;
    }
}

/// Returns A x: x itself if A is the identity, otherwise y, which becomes A x.
template <vector_space S, linear_operator<S> A>
const typename S::vector& applied(const S& space, const A& a, const typename S::vector& x, typename S::vector& y)
{
    if (is_identity(a)) {
        return x;
    }
    a.apply(space, x, y);
    return y;
}

/// a != 0, finite
template <class T>
scaled_double to_scaled_double(const T& a)
{
    double d = to_double(a);
    if constexpr (!number<T>) {  // numbers with a larger range than binary64
        // a is beyond it; a 2^-down is within it for some `down` above `near` and up to `far`
        const long sign = d == 0.0 ? -1 : 1;
        const auto is_beyond = [&] { return sign < 0 ? d == 0.0 : !std::isfinite(d); };
        long near = 0;
        long far = 0;
        while (is_beyond()) {
            near = far;
            far = far == 0 ? 512 : 2 * far;
            d = to_double(ldexp(a, -sign * far));
        }
        long down = far;
        while (d == 0.0 || !std::isfinite(d)) {
            down = near + (far - near) / 2;
            d = to_double(ldexp(a, -sign * down));
            (is_beyond() ? near : far) = down;
        }
        return scaled_double::normalized(d, sign * down);
    }
    return d;
}

/// The e of a = m 2^e, 1/2 <= |m| < 1, also where a is outside binary64's range; a != 0, finite.
template <class T>
long binary_exponent(const T& a)
{
    if constexpr (std::same_as<T, real>) {
        return exponent(a);
    } else {
        return to_scaled_double(a).e;
    }
}

/// The scale of residuals of A x = b: ||b||, or 1 where b is zero.
template <vector_space S>
real_scalar<S> residual_scale(const S& space, const typename S::vector& b)
{
    const real_scalar<S> norm = space.norm2(b);
    return real_part(space.make_scalar(0.0)) < norm ? norm : real_part(space.make_scalar(1.0));
}

/// 2^-shift norm / scale as a double. If that is smaller than the least positive double, but not zero, it becomes that.
/// The quotient without the shift, and the norms, may lie outside binary64's range.
template <class T>
double residual_ratio(const T& norm, const T& scale, int shift = 0)
{
    const T zero = norm - norm;  // NOLINT(misc-redundant-expression): of the number's own precision
    if (norm == zero || !is_finite(norm) || !is_finite(scale) || scale == zero) {
        return to_double(norm / scale);
    }
    const scaled_double of = to_scaled_double(norm);
    const scaled_double by = to_scaled_double(scale);
    const long e = std::clamp(of.e - by.e - shift, -5000L, 5000L);
    const double ratio = std::ldexp(of.m / by.m, static_cast<int>(e));
    return ratio == 0.0 ? std::numeric_limits<double>::denorm_min() : ratio;
}

/// The power of two that brings a residual of this norm back to about 1, or 0 while it is in
/// the range [2^-64, 2^64] where no trailing term of the format and no square is in danger.
///
/// Residuals shrink far below the solution. Near 2^-1074 a number of N binary64 terms has lost all
/// but the first of them, and the dot product of the residual with itself is there much earlier. So
/// solvers keep 2^shift r instead of r: a change of shift is exact.
template <class T>
int rescaling_exponent(const T& norm)
{
    const long e = binary_exponent(norm);
    return (e < -64 || e > 64) ? static_cast<int>(e < -900 ? 900 : (e > 900 ? -900 : -e)) : 0;
}

}  // namespace residua
