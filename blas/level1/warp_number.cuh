#pragma once

#include <type_traits>

#include <residua/arith/expansion/compare.hpp>
#include <residua/arith/expansion/lanes/warp.cuh>
#include <residua/arith/expansion/one_term_a_lane.hpp>
#include <residua/blas/base/device_scalar.hpp>
#include <residua/blas/base/view.hpp>
#include <residua/blas/level1/scal.hpp>
#include <residua/blas/level1/waxpby.hpp>

/// How a kernel holds a number: a thread has all of it, or, for formats with one_term_a_lane, a warp has a term a lane.
/// held<T>, held_view<T>, held_scalar<T> and held_accumulator<T> let one text serve both: where threads_each<T> is 32,
/// the threads of a warp go through it together, with the same indices.
namespace residua::blas::detail {

/// The number of threads that hold a number of T.
template <class T>
inline constexpr int threads_each = one_term_a_lane<number_traits<std::remove_const_t<T>>::terms> ? 32 : 1;

using warp_tile = lanes::warp_tile<32>;

// These are called, not inlined: each is some hundred instructions, and kernels have several.
inline __device__ __noinline__ double warp_sum(double x, double y, int n) { return lanes::sum(warp_tile{}, x, y, n); }
inline __device__ __noinline__ double warp_product(double x, double y, int n)
{
    return lanes::product(warp_tile{}, x, y, n);
}
inline __device__ __noinline__ double warp_scaled(double x, double d, int n)
{
    return lanes::scaled(warp_tile{}, x, d, n);
}
inline __device__ __noinline__ double warp_quotient(double x, double y, int n)
{
    return lanes::quotient(warp_tile{}, x, y, n);
}
/// A number with the sign of x - y, NaN if they are unordered, as by signed_difference of arith/expansion/compare.hpp.
inline __device__ __noinline__ double warp_difference(double x, double y)
{
    const warp_tile tile;
    const double leading_x = tile.broadcast(x, 0);
    const double leading_y = tile.broadcast(y, 0);
    if (!(leading_x - leading_x == 0.0 && leading_y - leading_y == 0.0)) {
        return residua::detail::leading_difference(leading_x, leading_y);
    }
    return tile.broadcast(lanes::safe_sum(tile, x, -y), 0);
}

inline __device__ int warp_lane() { return static_cast<int>(threadIdx.x % 32); }

/// An N-term number that a warp holds: the term of this lane, 0 in lanes from N on. The operations have the
/// bits of expansion<double, N>.
template <int N>
struct warp_number {
    double term = 0.0;

    warp_number() = default;
    __device__ explicit warp_number(double x) : term(warp_lane() == 0 ? x : 0.0) {}

    static __device__ warp_number of_term(double t)
    {
        warp_number x;
        x.term = t;
        return x;
    }

    friend __device__ warp_number operator-(const warp_number& x) { return of_term(-x.term); }
    friend __device__ warp_number operator+(const warp_number& x, const warp_number& y)
    {
        return of_term(warp_sum(x.term, y.term, N));
    }
    friend __device__ warp_number operator*(const warp_number& x, const warp_number& y)
    {
        return of_term(warp_product(x.term, y.term, N));
    }
    friend __device__ warp_number operator*(double d, const warp_number& x)
    {
        return of_term(warp_scaled(x.term, d, N));
    }
    friend __device__ warp_number operator/(const warp_number& x, const warp_number& y)
    {
        return of_term(warp_quotient(x.term, y.term, N));
    }
    friend __device__ warp_number operator/(const warp_number& x, double y) { return x / warp_number(y); }
    friend __device__ bool operator==(const warp_number& x, const warp_number& y)
    {
        return warp_difference(x.term, y.term) == 0.0;
    }
    friend __device__ bool operator<(const warp_number& x, const warp_number& y)
    {
        return warp_difference(x.term, y.term) < 0.0;
    }
    friend __device__ warp_number abs(const warp_number& x)
    {
        const bool negative = (to_bits(warp_tile{}.broadcast(x.term, 0)) & sign_mask) != 0;
        return of_term(negative ? -x.term : x.term);
    }
};

template <int N>
__device__ warp_number<N> axpy_element(const warp_number<N>& a, const warp_number<N>& x, const warp_number<N>& y)
{
    return y + a * x;
}

template <int N>
__device__ warp_number<N> waxpby_element(const warp_number<N>& a, const warp_number<N>& x, const warp_number<N>& b,
                                         const warp_number<N>& y)
{
    return axpy_element(b, y, a * x);
}

template <int N>
__device__ warp_number<N> scal_element(const warp_number<N>& a, const warp_number<N>& y)
{
    const double leading = warp_tile{}.broadcast(a.term, 0);
    const bool other = warp_lane() == 0 ? !is_power_of_two(leading) : a.term != 0.0;
    if (__any_sync(0xffffffffu, other)) {
        return a * y;
    }
    return warp_number<N>::of_term(mul_rn(y.term, leading));
}

/// f(term) for each term of x.
template <class T, class F>
__device__ void each_term(T& x, const F& f)
{
    for (int k = 0; k < number_traits<T>::terms; ++k) {
        f(term(x, k));
    }
}
template <int N, class F>
__device__ void each_term(warp_number<N>& x, const F& f)
{
    f(x.term);
}

/// The counterpart of accumulator<N> for numbers that warps hold.
template <int N>
class warp_accumulator {
public:
    using value_type = warp_number<N>;

    warp_accumulator() = default;
    __device__ explicit warp_accumulator(const value_type& x) : sum_(x) {}

    __device__ void add(const value_type& x) { sum_ = sum_ + x; }
    __device__ void merge(const warp_accumulator& other) { add(other.sum_); }
    __device__ value_type result() const { return sum_; }

private:
    value_type sum_;
};

/// X is a double or the number.
template <int N, class X>
__device__ void add_product(warp_accumulator<N>& sum, const X& x, const warp_number<N>& y)
{
    sum.add(x * y);
}

template <int N>
__device__ void add(warp_accumulator<N>& sum, const warp_number<N>& x)
{
    sum.add(x);
}

template <int N>
__device__ void renormalize(warp_accumulator<N>&)
{}

/// A vector whose numbers warps hold.
template <class T>
struct warp_view {
    static constexpr int terms = number_traits<std::remove_const_t<T>>::terms;
    using value_type = warp_number<terms>;

    vector_view<cuda_executor, T> all;

    RESIDUA_HD warp_view(const vector_view<cuda_executor, T>& x) : all(x) {}

    __device__ value_type load(index_t i) const
    {
        const int k = warp_lane();
        return value_type::of_term(k < terms ? all.data[k * all.plane_stride + i] : 0.0);
    }

    __device__ void store(index_t i, const value_type& x) const
    {
        const int k = warp_lane();
        if (k < terms) {
            all.data[k * all.plane_stride + i] = x.term;
        }
    }
};

/// A scalar argument that warps hold.
template <class T>
struct warp_scalar {
    scalar_argument<T> all;

    warp_scalar(const scalar_argument<T>& a) : all(a) {}

    __device__ warp_number<number_traits<T>::terms> load() const
    {
        const T x = all.load();
        const int k = warp_lane();
        return warp_number<number_traits<T>::terms>::of_term(k < number_traits<T>::terms ? x[k] : 0.0);
    }
};

template <class T>
using held = std::conditional_t<threads_each<T> == 1, T, warp_number<number_traits<T>::terms>>;
template <class T>
using held_view = std::conditional_t<threads_each<T> == 1, vector_view<cuda_executor, T>, warp_view<T>>;
template <class T>
using held_scalar = std::conditional_t<threads_each<T> == 1, scalar_argument<T>, warp_scalar<T>>;
template <class T>
using held_accumulator = std::conditional_t<threads_each<T> == 1, accumulator<number_traits<T>::terms>,
                                            warp_accumulator<number_traits<T>::terms>>;

template <class T>
held_view<T> as_held(const vector_view<cuda_executor, T>& x)
{
    return x;
}

/// Column j of a.
template <class T>
__device__ held_view<T> held_column(const matrix_view<cuda_executor, T>& a, index_t j)
{
    return vector_view<cuda_executor, T>{a.data + j * a.ld, a.rows, a.plane_stride};
}

}  // namespace residua::blas::detail
