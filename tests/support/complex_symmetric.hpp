#pragma once

#include <cmath>
#include <complex>
#include <map>
#include <utility>
#include <vector>

#include <residua/io/coo.hpp>
#include <residua/solvers/matrix/complex_form.hpp>
#include <residua/solvers/matrix/make_system.hpp>

#include "symmetric_matrices.hpp"

namespace residua::support {

/// Entries of a complex symmetric matrix, of either triangle.
struct complex_symmetric_entries {
    index_t n = 0;
    std::map<std::pair<index_t, index_t>, std::complex<double>> value = {};

    void set(index_t i, index_t j, std::complex<double> z) { value[{i, j}] = value[{j, i}] = z; }

    /// The real form, or that of the hermitian matrix with this lower triangle.
    linear_system form(bool hermitian = false) const
    {
        io::coo<double> re{n, n, {}, {}, {}};
        std::vector<double> im;
        for (const auto& [at, z] : value) {
            re.row.push_back(at.first);
            re.col.push_back(at.second);
            re.value.push_back(z.real());
            im.push_back(!hermitian || at.first > at.second ? z.imag() : at.first < at.second ? -z.imag() : 0.0);
        }
        linear_system made = make_system(real_form(re, im, [](double x) { return x == 0.0; }), {});
        made.complex = true;
        return made;
    }
};

/// -laplace(u) - k^2 u on a grid whose waves leave it: imaginary parts on the border alone.
inline complex_symmetric_entries absorbing_grid(index_t width, index_t height, double k)
{
    complex_symmetric_entries a{width * height};
    for (index_t y = 0; y < height; ++y) {
        for (index_t x = 0; x < width; ++x) {
            const index_t at = y * width + x;
            const int missing = (x == 0) + (x == width - 1) + (y == 0) + (y == height - 1);
            a.set(at, at, {4.0 - missing - k * k, -missing * k});
            if (x > 0) {
                a.set(at, at - 1, -1.0);
            }
            if (y > 0) {
                a.set(at, at - width, -1.0);
            }
        }
    }
    return a;
}

/// A grid of imaginary numbers beside which the real parts of the diagonal are small: no part alone has a pivot.
inline complex_symmetric_entries imaginary_grid(index_t width, index_t height, double real_part)
{
    complex_symmetric_entries a{width * height};
    for (index_t at = 0; at < a.n; ++at) {
        a.set(at, at, {real_part, 1.0});
        if (at % width > 0) {
            a.set(at, at - 1, {-0.5, at % 3 == 0 ? 0.25 : 0.0});
        }
        if (at >= width) {
            a.set(at, at - width, {0.0, -0.5});
        }
    }
    return a;
}

/// A grid whose diagonal has imaginary numbers in a part of its places, at random, and real ones in the others.
inline complex_symmetric_entries mixed_grid(index_t width, index_t height, double imaginary, unsigned seed)
{
    any_numbers random(seed);
    complex_symmetric_entries a{width * height};
    for (index_t at = 0; at < a.n; ++at) {
        a.set(at, at, random.chance(imaginary) ? std::complex{0.0, 3.5} : std::complex{3.5, 0.0});
        if (at % width > 0) {
            a.set(at, at - 1, random.chance(0.5) ? std::complex{-1.0, 0.0} : std::complex{0.0, 1.0});
        }
        if (at >= width) {
            a.set(at, at - width, random.chance(0.5) ? std::complex{-1.0, 0.0} : std::complex{0.0, 1.0});
        }
    }
    return a;
}

/// Numbers at random, many real or imaginary, zeros in most of the diagonal, and units that differ by powers of two.
inline complex_symmetric_entries any_complex_symmetric(index_t n, double share, int range, unsigned seed)
{
    any_numbers random(seed);
    std::vector<int> unit;
    for (index_t i = 0; i < n; ++i) {
        unit.push_back(static_cast<int>(random.number() * range));
    }
    complex_symmetric_entries a{n};
    for (index_t i = 0; i < n; ++i) {
        for (index_t j = 0; j <= i; ++j) {
            // neighbours in pairs are there, so that the matrix is not structurally singular
            if (random.chance(i == j ? 0.3 : share) || (i % 2 == 1 && j == i - 1) || (i == j && i == n - 1)) {
                const double re = random.chance(0.3) ? 0.0 : std::ldexp(random.number(), unit[i] + unit[j]);
                const double im =
                    re != 0.0 && random.chance(0.3) ? 0.0 : std::ldexp(random.number(), unit[i] + unit[j]);
                a.set(i, j, {re, im});
            }
        }
    }
    return a;
}

}  // namespace residua::support
