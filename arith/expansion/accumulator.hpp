#pragma once

#include <residua/arith/expansion/levels.hpp>

namespace residua {

/// A sum of products of N-term numbers, kept in binary64 words that are not normalised.
///
/// add_product, add and merge are straight-line code for N <= 8. The words may be stored and
/// reloaded by their owner (a lane of a SIMD loop, shared memory); all zero means an empty sum.
template <int N>
class accumulator {
public:
    using value_type = expansion<double, N>;
    static constexpr int words = N;
    double w[words] = {};

    constexpr accumulator() = default;

    RESIDUA_HD explicit accumulator(const value_type& x)
    {
        detail::copy_terms(x.t, w);
    }

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

    RESIDUA_HD void add_product(double x, const value_type& y)
    {
        add_product(y, x);
    }

    RESIDUA_HD void add(const value_type& x)
    {
        add_and_carry(x.t);
    }

    RESIDUA_HD void merge(const accumulator& other)
    {
        add_and_carry(other.w);
    }

    RESIDUA_HD value_type result() const
    {
        double h[N];
        detail::copy_terms(w, h);
        detail::distill(h);
        value_type r;
        detail::squeeze(h, r.t);
        return r;
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

    RESIDUA_HD explicit accumulator(double x)
    {
        w[0] = x;
    }

    RESIDUA_HD void add_product(double x, double y)
    {
        w[0] += mul_rn(x, y);
    }

    RESIDUA_HD void add(double x)
    {
        w[0] += x;
    }

    RESIDUA_HD void merge(const accumulator& other)
    {
        w[0] += other.w[0];
    }

    RESIDUA_HD double result() const
    {
        return w[0];
    }
};

}  // namespace residua
