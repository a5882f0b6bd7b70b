#pragma once

#include <cstdint>

#include <residua/blas/base/multidigit_array.hpp>
#include <residua/blas/level1/elementwise.hpp>
#include <residua/blas/level1/permute.hpp>

/// What vectors of multi-digit floats have of their own, on host and device: permute() and convert(). Operands have any
/// strides but zero.
///
/// errors  an element is rounded to nearest even
/// order   elementwise
/// throws  dimension_error if sizes differ
namespace residua::blas {

/// y_i <- factor_i x_{source_i}, exactly; x and y are different vectors
template <class Exec>
void permute(const Exec& exec, const scaled_permutation<Exec>& p, in_vector<Exec, multidigit> x,
             vector_view<Exec, multidigit> y);

/// The factors of convert, which are exact: element i is multiplied by 2^(of_element[i] + of_all).
template <class Exec>
struct powers_of_two {
    const int* of_element = nullptr;  ///< in the memory of Exec; null: zeros
    std::int64_t of_all = 0;
};

/// y_i <- 2^e_i x_i rounded to nearest even with the bits of y; x and y are different vectors, of any two precisions
template <class Exec>
void convert(const Exec& exec, in_vector<Exec, multidigit> x, vector_view<Exec, multidigit> y,
             const powers_of_two<Exec>& by = {});

/// y_i <- 2^e_i x_i in binary64 or an expansion; each term is the rest rounded to nearest even. Beyond the range of
/// binary64 there are infinities and subnormal numbers.
template <class Exec, number T>
void convert(const Exec& exec, in_vector<Exec, multidigit> x, vector_view<Exec, T> y,
             const powers_of_two<Exec>& by = {});

/// y_i <- 2^e_i x_i of binary64 or an expansion; errors  none if y has the bits for the sum of the terms, otherwise an
/// ulp of y for each term after the second
template <class Exec, number T>
void convert(const Exec& exec, vector_view<Exec, const T> x, vector_view<Exec, multidigit> y,
             const powers_of_two<Exec>& by = {});

}  // namespace residua::blas
