#pragma once

#include <residua/blas/base/rns_array.hpp>
#include <residua/blas/level1/elementwise.hpp>
#include <residua/blas/level2/triangle.hpp>

/// Vector operations on RNS floats, for host_executor and, in a build with CUDA, cuda_executor. Operands have one
/// format; vectors of one size, with any strides but zero. A result may be an operand, but not overlap one partly.
///
/// errors  u = 4 / sqrt(M), gamma_n = n u / (1 - n u)
/// order   elementwise; a long sum as reduction_order.hpp: the same bits on every executor, for any number of threads
/// throws  dimension_error if sizes differ; error if formats do
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

/// x'y; errors  gamma_k sum |x_i y_i|, k the smaller of n and long_sum_depth(n)
template <class Exec>
rns_number dot(const Exec& exec, in_vector<Exec, rns> x, in_vector<Exec, rns> y);

/// sum |x_i|; errors as dot
template <class Exec>
rns_number asum(const Exec& exec, in_vector<Exec, rns> x);

/// sqrt(x'x): no square leaves the range of exponents before x does; errors  gamma_(k + 1) sqrt(x'x), k as dot
template <class Exec>
rns_number norm2(const Exec& exec, in_vector<Exec, rns> x);

/// max |x_i|, exactly; not finite if an element is not
template <class Exec>
rns_number norm_inf(const Exec& exec, in_vector<Exec, rns> x);

}  // namespace residua::blas
