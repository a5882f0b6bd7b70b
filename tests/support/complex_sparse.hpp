#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <residua/io/coo.hpp>
#include <residua/solvers/matrix/complex_form.hpp>

#include "systems.hpp"

/// Sparse complex systems on squares of points.
namespace residua::support {

/// A complex matrix by its parts, entry by entry.
struct complex_coo {
    io::coo<double> real_part;
    std::vector<double> imaginary;
};

/// The real form of A x = b for b_k = 1 + i (k mod 3).
inline linear_system complex_system_of(const complex_coo& a)
{
    io::coo<double> form = real_form(a.real_part, a.imaginary, [](double x) { return x == 0.0; });
    std::vector<real> b;
    for (index_t k = 0; k < a.real_part.rows; ++k) {
        b.emplace_back(1.0);
        b.emplace_back(static_cast<double>(k % 3));
    }
    linear_system system = make_system(std::move(form), std::move(b));
    system.complex = true;
    return system;
}

/// Poisson's matrix with a phase on each entry beside the diagonal, h_jk = conj(h_kj): hermitian, positive definite.
inline complex_coo hermitian_grid(index_t m)
{
    complex_coo a{poisson_2d(m), {}};
    for (std::size_t k = 0; k < a.real_part.value.size(); ++k) {
        const index_t distance = a.real_part.col[k] - a.real_part.row[k];
        a.real_part.value[k] *= distance == 0 ? 1.0 : 0.75;
        a.imaginary.push_back(distance == 0 ? 0.0 : distance > 0 ? 0.25 : -0.25);
    }
    return a;
}

/// Waves that a medium absorbs, with a wind: neither hermitian nor symmetric.
inline complex_coo absorbing_grid(index_t m)
{
    complex_coo a{poisson_2d(m), {}};
    for (std::size_t k = 0; k < a.real_part.value.size(); ++k) {
        const index_t distance = a.real_part.col[k] - a.real_part.row[k];
        a.real_part.value[k] += distance == 1 ? 0.25 : 0.0;
        a.imaginary.push_back(distance == 0 ? 0.75 : distance == 1 ? -0.125 : 0.0);
    }
    return a;
}

}  // namespace residua::support
