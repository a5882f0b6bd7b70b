#pragma once

#include <residua/blas/base/rns_array.hpp>
#include <residua/blas/level1/elementwise.hpp>
#include <residua/blas/level2/triangle.hpp>

/// What vectors and matrices of RNS floats have of their own, on host and device; gamma_n = n u / (1 - n u) with u =
/// 4 / sqrt(M) in the contracts of all operations on them. Operands have any strides but zero.
///
/// order   elementwise
/// throws  dimension_error if sizes differ
/// from    [IKK20], fused: the threads of a number run all three stages in registers
namespace residua::blas {

namespace detail {

/// ge_norm (dense/ge_norm.hpp) of a matrix that is not empty
template <class Exec>
rns_number norm_of_entries(const Exec& exec, matrix_norm norm, in_matrix<Exec, rns> a);

}  // namespace detail

/// y <- x rounded to the nearest binary64, ties to even; y <- x, exactly or rounded as to_rns() does it
template <class Exec>
void convert(const Exec& exec, in_vector<Exec, rns> x, vector_view<Exec, double> y);
template <class Exec>
void convert(const Exec& exec, in_vector<Exec, double> x, vector_view<Exec, rns> y);

}  // namespace residua::blas
