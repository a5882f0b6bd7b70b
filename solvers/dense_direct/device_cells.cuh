#pragma once

#include <type_traits>

#include <residua/arith/expansion/expansion.hpp>
#include <residua/blas/level1/elementwise.hpp>
#include <residua/blas/multidigit/launch.cuh>

/// The numbers of a matrix on a device with the arithmetic of their format, for kernels with one text for all formats.
namespace residua::detail {

/// Multi-digit floats that are computed with N digits.
template <int N, bool Const = false>
struct multidigit_cells {
    using number = multidigit_float<std::uint32_t, N>;
    using word_type = typename multidigit_tiles<Const>::word_type;

    multidigit_tiles<Const> start;
    index_t ld = 0;
    int p = 0;

    template <class E>
    static multidigit_cells of(const matrix_view<cuda_executor, E>& a)
    {
        return {a.start, a.ld, a.format.bits()};
    }

    __device__ number load(index_t i, index_t j) const
    {
        return residua::detail::load<std::uint32_t, N>(start, i + j * ld);
    }
    __device__ void store(index_t i, index_t j, const number& x) const
        requires(!Const)
    {
        residua::detail::store(start, i + j * ld, x);
    }

    /// The words of a number lie in planes.
    using word = std::uint32_t;
    __device__ int planes() const { return start.digits + 1; }
    __device__ word_type& at(int plane, index_t i, index_t j) const
    {
        return start.number(i + j * ld)[plane * words_apart];
    }

    /// The exponent or the code of a number.
    __device__ std::int32_t exponent(index_t i, index_t j) const
    {
        return static_cast<std::int32_t>(start.number(i + j * ld)[start.digits * words_apart] ^ highest_bit);
    }
    __device__ bool is_pivot(index_t i, index_t j) const { return is_regular(exponent(i, j)); }
    __device__ bool is_nan(index_t i, index_t j) const { return exponent(i, j) == multidigit_nan_code; }

    /// Whether an entry may be the largest of a column whose first one is in row `first`.
    __device__ bool is_candidate(index_t, index_t, index_t) const { return true; }
    /// Whether |x| < t |y|, t > 0
    __device__ bool is_below(number x, const number& t, number y) const
    {
        x.negative = y.negative = false;
        return x < mul(t, y, p);
    }
    /// Whether |a_ij| > |a_pq|, as place_of_largest() has it.
    __device__ bool is_larger(index_t i, index_t j, index_t p, index_t q) const
    {
        return blas::detail::is_larger({start, 1}, i + j * ld, p + q * ld);
    }

    __device__ static bool is_positive(const number& x) { return is_regular(x.exponent) && !x.negative; }
    __device__ static number minus(const number& x) { return negated(x); }
    /// As ger() with -1 makes it.
    __device__ static number minus_one_times(const number& x) { return negated(x); }

    __device__ number sum(const number& x, const number& y) const { return add(x, y, p); }
    __device__ number product(const number& x, const number& y) const { return mul(x, y, p); }
    __device__ number quotient(const number& x, const number& y) const { return div(x, y, p); }
    __device__ static number zero() { return multidigit_special<std::uint32_t, N>(multidigit_zero_code); }
    __device__ static number one()
    {
        number x = multidigit_special<std::uint32_t, N>(1);
        x.d[N - 1] = highest_bit;
        return x;
    }

    __device__ number scaled(const number& a, const number& x) const { return mul(a, x, p); }
    __device__ number multiply_add(const number& a, const number& x, const number& y) const
    {
        bool decided = false;
        const number r = usual_fma(a, x, y, p, decided);
        return decided ? r : unusual_fma(a, x, y, p);
    }
    __device__ number accumulated(const number& c, const number& x) const { return add(c, x, p); }
    __device__ number difference(const number& c, const number& x) const { return add(c, negated(x), p); }
    __device__ number reciprocal(const number& x) const { return div(one(), x, p); }
    __device__ number root(const number& x) const { return sqrt(x, p); }
};

template <number T>
struct expansion_cells {
    using number = T;

    matrix_view<cuda_executor, T> a;

    static expansion_cells of(const matrix_view<cuda_executor, T>& a) { return {a}; }

    __device__ number load(index_t i, index_t j) const { return a.column(j).load(i); }
    __device__ void store(index_t i, index_t j, const number& x) const { a.column(j).store(i, x); }

    using word = double;
    __device__ int planes() const { return number_traits<T>::terms; }
    __device__ double& at(int plane, index_t i, index_t j) const { return a.plane(plane)[j * a.ld + i]; }

    __device__ bool is_pivot(index_t i, index_t j) const
    {
        const T x = load(i, j);
        return !(x == T{0.0}) && is_finite(x);
    }

    __device__ bool is_nan(index_t i, index_t j) const { return at(0, i, j) != at(0, i, j); }

    /// place_of_largest() takes a NaN only if it comes first, and then nothing is larger.
    __device__ bool is_candidate(index_t i, index_t j, index_t first) const { return i == first || !is_nan(i, j); }
    __device__ bool is_below(const T& x, const T& t, const T& y) const { return abs(x) < t * abs(y); }
    __device__ bool is_larger(index_t i, index_t j, index_t p, index_t q) const
    {
        const double x = fabs(at(0, i, j)), y = fabs(at(0, p, q));
        if (x != x || y != y) {
            return x != x;
        }
        if (x - x != 0.0 || y - y != 0.0) {
            return x > y;
        }
        return abs(load(p, q)) < abs(load(i, j));
    }

    __device__ static bool is_positive(const T& x) { return T{0.0} < x && is_finite(x); }
    __device__ static number minus(const T& x) { return -x; }
    __device__ static number minus_one_times(const T& x) { return T{-1.0} * x; }

    __device__ number sum(const T& x, const T& y) const { return x + y; }
    __device__ number product(const T& x, const T& y) const { return x * y; }
    __device__ number quotient(const T& x, const T& y) const { return x / y; }
    __device__ static number zero() { return T{0.0}; }
    __device__ static number one() { return T{1.0}; }

    __device__ number scaled(const T& a, const T& x) const { return blas::detail::scal_element(a, x); }
    __device__ number multiply_add(const T& a, const T& x, const T& y) const
    {
        return blas::detail::axpy_element(a, x, y);
    }
    __device__ number accumulated(const T& c, const T& x) const { return blas::detail::axpy_element(T{1.0}, x, c); }
    __device__ number difference(const T& c, const T& x) const { return blas::detail::axpy_element(T{-1.0}, x, c); }
    __device__ number reciprocal(const T& x) const { return T{1.0} / x; }
    __device__ number root(const T& x) const { return sqrt(x); }
};

/// Which of rows x and y has the larger entry in column j, the first if both are as large; -1: no row.
template <class Cells>
__device__ index_t row_of_larger(const Cells& a, index_t j, index_t x, index_t y)
{
    if (x < 0 || y < 0) {
        return x < 0 ? y : x;
    }
    const index_t first = x < y ? x : y, second = x < y ? y : x;
    return a.is_larger(second, j, first, j) ? second : first;
}

/// The row of the larger entry of column j among the rows of the lanes of a warp, in lane 0.
template <class Cells>
__device__ index_t row_of_largest(const Cells& a, index_t j, index_t row)
{
    RESIDUA_KEEP_LOOP
    for (int apart = 16; apart > 0; apart /= 2) {
        row = row_of_larger(a, j, row, static_cast<index_t>(__shfl_down_sync(0xffffffff, row, apart)));
    }
    return row;
}

/// Calls f.operator()<Cells>() for the format of a matrix.
template <class F>
void with_cells(const matrix_view<cuda_executor, multidigit>& a, const F& f)
{
    blas::detail::with_device_size(a.format, [&]<int N>() { f.template operator()<multidigit_cells<N>>(); });
}
template <number T, class F>
void with_cells(const matrix_view<cuda_executor, T>&, const F& f)
{
    f.template operator()<expansion_cells<T>>();
}

/// Calls f.operator()<Cells>() for kernels that only move words, which need not know how many there are.
template <class F>
void with_words(const matrix_view<cuda_executor, multidigit>&, const F& f)
{
    f.template operator()<multidigit_cells<2>>();
}
template <number T, class F>
void with_words(const matrix_view<cuda_executor, T>&, const F& f)
{
    f.template operator()<expansion_cells<T>>();
}

}  // namespace residua::detail
