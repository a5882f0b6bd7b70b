#pragma once

#include <residua/solvers/precond/factors.hpp>
#include <residua/solvers/space/blas_space.hpp>
#include <residua/solvers/sparse_direct/multifrontal.hpp>

namespace residua {

/// The factors by fronts as two triangles: see factorization::triangles().
triangular_factors triangles_of(const multifrontal<host_space<double>>& fronts);
triangular_factors triangles_of(const multifrontal<host_space<float>>& fronts);

/// The largest |l_ik| times the largest |u_kj|, or |D| |L'| in place of U, for rows and columns that are not scaled.
///
/// cost   reads the factors once
double largest_product(const multifrontal<host_space<double>>& fronts);
double largest_product(const multifrontal<host_space<float>>& fronts);

}  // namespace residua
