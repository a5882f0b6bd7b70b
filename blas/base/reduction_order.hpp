#pragma once

#include <residua/io/error.hpp>

namespace residua {

/// The one order of summation, fixed by n alone: host and device, any thread count, any
/// SIMD width give the same bits.
///
/// A long sum (dot, norms): elements are cut into blocks of `reduction_block`. In a block,
/// lane l of `reduction_lanes` takes elements l, l + lanes, ... from left to right; then lanes
/// l and l + half are merged for half = lanes/2, ..., 1. Block results are merged pairwise:
/// neighbours (0,1), (2,3), ..., an odd last one moves up unchanged, until one is left.
///
/// A row sum of a dense matrix (gemv): columns are cut into chunks of `gemv_chunk`; a chunk is
/// summed from left to right, chunk results are merged pairwise as above.
///
/// A row sum of a sparse matrix (spmv): the row's entries from left to right.
inline constexpr index_t reduction_block = 512;
inline constexpr index_t reduction_lanes = 32;
inline constexpr index_t gemv_chunk = 64;

}  // namespace residua
