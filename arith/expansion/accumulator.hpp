#pragma once

#include <residua/arith/expansion/add.hpp>
#include <residua/arith/expansion/levels.hpp>
#include <residua/arith/expansion/mul.hpp>

namespace residua {

namespace detail {

/// The N-term number that equals the sum of the words h.
template <int N>
RESIDUA_HD expansion<double, N> normalized(double (&h)[N])
{
    expansion<double, N> r;
    distill(h);
    if constexpr (N == 2) {
        copy_terms(h, r.t);
    } else {
        squeeze(h, r.t);
    }
    return r;
}

}  // namespace detail

/// A sum of products of N-term numbers, kept in binary64 words that are not normalised.
///
/// Straight-line code for N <= 8. The words may be stored and loaded again by their owner (a lane
/// of a SIMD loop, shared memory); all zero they are an empty sum. Every addition ends with one
/// pass of vec_sum, which bounds word k + 1 by u times the sum of the words from k on.
///
/// A loop vectorises if its body is the call of one function that loads, adds and stores: GCC
/// keeps class objects that are declared in the body of an `omp simd` loop itself in memory.
///
/// errors  |result - exact| <= accumulation_error_bound<N>(d) u^N (sum |x_i y_i|), where d is the
///         number of additions and merges that a product goes through at most; result() is exact
/// cost    N = 2, 3, 4, 6, 8: add_product 19, 57, 130, 426, 597 flops, with a double 18, 45, 85,
///         201, 365; add, merge 14, 33, 58, 126, 218; result 6, 27, 54, 135, 252
/// from    docs/error_bounds.md, theorem 3
template <int N>
class accumulator {
public:
    using value_type = expansion<double, N>;
    static constexpr int words = N;
    double w[words] = {};

    constexpr accumulator() = default;

    RESIDUA_HD explicit accumulator(const value_type& x) { detail::copy_terms(x.t, w); }

    RESIDUA_HD void add_product(const value_type& x, const value_type& y)
    {
        double p[N];
        detail::product_levels(x.t, y.t, p);
        add_and_carry(p);
    }

    RESIDUA_HD void add_product(const value_type& x, double y)
    {
        double p[N];
        const double one[1] = {y};
        detail::product_levels(x.t, one, p);
        add_and_carry(p);
    }

    RESIDUA_HD void add_product(double x, const value_type& y) { add_product(y, x); }

    RESIDUA_HD void add(const value_type& x) { add_and_carry(x.t); }

    RESIDUA_HD void merge(const accumulator& other) { add_and_carry(other.w); }

    RESIDUA_HD value_type result() const
    {
        double h[N];
        detail::copy_terms(w, h);
        return detail::normalized(h);
    }

private:
    RESIDUA_HD void add_and_carry(const double (&p)[N])
    {
        detail::add_levels(w, p);
        detail::vec_sum(w);
    }
};

/// One term: the plain binary64 sum of rounded products.
template <>
class accumulator<1> {
public:
    using value_type = double;
    static constexpr int words = 1;
    double w[words] = {};

    constexpr accumulator() = default;

    RESIDUA_HD explicit accumulator(double x) { w[0] = x; }

    RESIDUA_HD void add_product(double x, double y) { w[0] += mul_rn(x, y); }

    RESIDUA_HD void add(double x) { w[0] += x; }

    RESIDUA_HD void merge(const accumulator& other) { w[0] += other.w[0]; }

    RESIDUA_HD double result() const { return w[0]; }
};

/// The accumulator of the longest formats is one number, renormalised by every addition; its words are its terms.
///
/// errors  as above, with the constant of docs/error_bounds.md, theorem 11
/// cost    add_product a product and a sum of numbers, add and merge a sum
template <int N>
    requires one_term_a_lane<N>
class accumulator<N> {
public:
    using value_type = expansion<double, N>;
    static constexpr int words = N;
    double w[words] = {};

    constexpr accumulator() = default;

    RESIDUA_HD explicit accumulator(const value_type& x) { detail::copy_terms(x.t, w); }

    RESIDUA_HD void add_product(const value_type& x, const value_type& y) { add(x * y); }

    RESIDUA_HD void add_product(const value_type& x, double y) { add(x * y); }

    RESIDUA_HD void add_product(double x, const value_type& y) { add(y * x); }

    RESIDUA_HD void add(const value_type& x) { detail::sum_by_lanes(w, x.t, N, w); }

    RESIDUA_HD void merge(const accumulator& other) { detail::sum_by_lanes(w, other.w, N, w); }

    RESIDUA_HD value_type result() const
    {
        value_type r;
        detail::copy_terms(w, r.t);
        return r;
    }
};

namespace detail {

template <int N, int Ny>
RESIDUA_HD expansion<double, N> multiply_add(const double (&x)[N], const double (&y)[Ny], const expansion<double, N>& z)
{
    double p[N];
    double h[N];
    product_levels(x, y, p);
    copy_terms(z.t, h);
    add_levels(h, p);
    return normalized(h);
}

}  // namespace detail

/// x y + z
///
/// errors  accumulation_error_bound<N>(1) u^N (|x y| + |z|)
/// cost    N = 2, 3, 4, 6, 8: 19, 72, 166, 531, 807 flops; y a double: 18, 60, 121, 306, 575
/// from    docs/error_bounds.md, theorem 3
template <int N>
RESIDUA_HD expansion<double, N> multiply_add(const expansion<double, N>& x, const expansion<double, N>& y,
                                             const expansion<double, N>& z)
{
    if constexpr (one_term_a_lane<N>) {
        return z + x * y;
    } else {
        return detail::multiply_add(x.t, y.t, z);
    }
}

template <int N>
RESIDUA_HD expansion<double, N> multiply_add(const expansion<double, N>& x, double y, const expansion<double, N>& z)
{
    if constexpr (one_term_a_lane<N>) {
        return z + x * y;
    } else {
        const double factor[1] = {y};
        return detail::multiply_add(x.t, factor, z);
    }
}

template <int N>
RESIDUA_HD expansion<double, N> multiply_add(double x, const expansion<double, N>& y, const expansion<double, N>& z)
{
    return multiply_add(y, x, z);
}

}  // namespace residua
