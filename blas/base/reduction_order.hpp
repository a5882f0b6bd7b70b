#pragma once

#include <residua/io/error.hpp>

namespace residua {

/// The order of summation of expansions, of binary64 and of RNS floats, fixed by n alone: host and
/// device, any thread count, any SIMD width give the same bits.
///
/// Sums of expansions run in accumulators (arith/expansion). An accumulator is renormalised (one pass of vec_sum,
/// which bounds its words) after every `products_per_renormalization`-th product, after the last one
/// if it is then merged into another, and after a merge. One pass for each product would cost short formats up
/// to half of their speed; for long ones it costs little, and the error bound
/// (blas/base/error_bounds.hpp) grows with the number of products in between to the power of the
/// number of terms.
///
/// A long sum (dot, asum, norm2, a column of gemv_t): elements are cut into blocks of
/// `reduction_block`. In a block, lane l of `reduction_lanes` takes elements l, l + lanes, ...
/// from left to right, the last step of all lanes filled up with zeros; then lane l + half is
/// merged into lane l for half = lanes/2, ..., 1. Block results are merged pairwise: neighbours
/// (0,1), (2,3), ..., an odd last one moves up unchanged, until one is left. RNS floats fill nothing
/// up with zeros. A sum of less than a block of them, whose merges are dear, has the least power of
/// two of lanes with which a lane takes at most 16 elements, as in a whole block.
/// blas/level1/sum_state.hpp lets several processes or devices sum blocks of one long sum.
///
/// A row sum of a dense matrix (gemv): columns are cut into chunks of `gemv_chunk`; a chunk is
/// summed from left to right, chunk results are merged pairwise as above. Rows and columns of RNS
/// floats have chunks of `rns_chunk` (blas/rns/for_indices.hpp).
///
/// A row sum of a sparse matrix (spmv): the row's entries from left to right.
///
/// 10^6 elements are 62528 lanes of 16 elements, a matrix of order 1000 is 16000 chunks:
/// enough threads for a GPU; 512 elements are enough work to hide the merges on a host.
inline constexpr index_t reduction_block = 512;
inline constexpr index_t reduction_lanes = 32;
inline constexpr index_t gemv_chunk = 64;
template <int Terms>
inline constexpr index_t products_per_renormalization = Terms <= 4 ? 4 : 1;

}  // namespace residua
