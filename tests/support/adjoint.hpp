#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "krylov.hpp"

/// What the tests of methods for nonsymmetric and rectangular matrices share.
namespace residua::support {

/// M = diagonal
struct scaling {
    std::vector<double> diagonal;

    void apply(const real_space&, const std::vector<real>& x, std::vector<real>& y) const
    {
        for (std::size_t i = 0; i < x.size(); ++i) {
            y[i] = x[i] * real(diagonal[i], x[i].precision());
        }
    }
};

/// Positive numbers from 1/4 to 4, in no order.
inline std::vector<double> powers(std::size_t n)
{
    std::vector<double> d;
    for (std::size_t i = 0; i < n; ++i) {
        d.push_back(std::ldexp(1.0, static_cast<int>(i * 7 % 5) - 2));
    }
    return d;
}

inline io::coo<double> transposed(const io::coo<double>& a)
{
    io::coo<double> t = a;
    std::swap(t.rows, t.cols);
    std::swap(t.row, t.col);
    return t;
}

/// cos(3 i) 2^scale
inline std::vector<real> waves(const real_space& space, index_t n, int scale = 0)
{
    std::vector<real> b = space.make_vector(n);
    for (index_t i = 0; i < n; ++i) {
        b[static_cast<std::size_t>(i)] = ldexp(space.make_scalar(std::cos(3.0 * static_cast<double>(i))), scale);
    }
    return b;
}

/// b - A x, in 4 times the bits
inline std::vector<real> exact_residual(const real_space& space, const io::coo<double>& a, const std::vector<real>& b,
                                        const std::vector<real>& x)
{
    std::vector<real> r;
    for (const real& each : b) {
        r.push_back(each.with_precision(4 * space.bits));
    }
    for (std::size_t k = 0; k < a.value.size(); ++k) {
        r[a.row[k]] -= x[a.col[k]].with_precision(4 * space.bits) * real(a.value[k]);
    }
    return r;
}

/// ||b - A x|| / ||b||
inline double relative_residual(const real_space& space, const io::coo<double>& a, const std::vector<real>& b,
                                const std::vector<real>& x)
{
    return to_double(space.norm2(exact_residual(space, a, b, x)) / space.norm2(b));
}

/// Convection and diffusion on a line of n points, not symmetric and not normal.
inline io::coo<double> upwind(index_t n, double diagonal = 2.0 + 1.0 / 3.0)
{
    io::coo<double> a;
    a.rows = a.cols = n;
    const auto add = [&a](index_t i, index_t j, double value) {
        if (0 <= j && j < a.cols) {
            a.row.push_back(i);
            a.col.push_back(j);
            a.value.push_back(value);
        }
    };
    for (index_t i = 0; i < n; ++i) {
        add(i, i - 1, -1.5);
        add(i, i, diagonal);
        add(i, i + 1, -0.5);
    }
    return a;
}

}  // namespace residua::support
