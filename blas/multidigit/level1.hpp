#pragma once

#include <cstdint>

#include <residua/blas/base/multidigit_array.hpp>
#include <residua/blas/level1/elementwise.hpp>
#include <residua/blas/level1/permute.hpp>

/// Vector operations on multi-digit floats, on host and device. Operands have one format; vectors of one size, with any
/// strides but zero. A result may be an operand, but not overlap one partly.
///
/// errors  u = 2^-p; an element is rounded to nearest even
/// order   elementwise; a sum of n terms in blocks of 2048 terms, or of the least multiple of 256 that makes at most
///         256 blocks (for_indices.hpp). Lane l of 256 adds terms l, l + 256, ... of a block from left to right
///         (multidigit_sum); lanes and blocks are merged as integers, in any order: the same bits for any number of
///         threads and executor
/// throws  dimension_error if sizes differ; error if formats do
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

/// x'y; errors  u |x'y| + 2^-20 n u max |x_i y_i|
template <class Exec>
multidigit_number dot(const Exec& exec, in_vector<Exec, multidigit> x, in_vector<Exec, multidigit> y);

/// dot() that leaves its result in a vector of one element; the host does not wait.
template <class Exec>
void dot(const Exec& exec, in_vector<Exec, multidigit> x, in_vector<Exec, multidigit> y,
         vector_view<Exec, multidigit> to);

/// sum |x_i|; errors as dot
template <class Exec>
multidigit_number asum(const Exec& exec, in_vector<Exec, multidigit> x);

/// sqrt(x'x), from the rounded dot product; x is scaled where that is out of range
template <class Exec>
multidigit_number norm2(const Exec& exec, in_vector<Exec, multidigit> x);

/// max |x_i|, exactly; NaN if an element is
template <class Exec>
multidigit_number norm_inf(const Exec& exec, in_vector<Exec, multidigit> x);

}  // namespace residua::blas
