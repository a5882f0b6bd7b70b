#pragma once

#include <residua/arith/rns/number.hpp>
#include <residua/blas/base/cuda_executor.hpp>
#include <residua/blas/base/executor.hpp>
#include <residua/blas/rns/elements.hpp>

namespace residua::blas {

/// The order of a row sum of a dense matrix of RNS floats, and of a column sum: terms are cut into chunks of
/// `rns_chunk`; a chunk is summed from left to right, and chunks are merged pairwise (reduction_order.hpp).
inline constexpr index_t rns_chunk = 16;

/// How many chunks a sum of n terms has; at least one.
constexpr index_t rns_chunks(index_t n) { return n > rns_chunk ? (n + rns_chunk - 1) / rns_chunk : 1; }

}  // namespace residua::blas

/// Runs the element functions of an operation, each element on its own.
namespace residua::blas::detail {

/// Calls f(set, i) for i = 0, ..., n - 1; f is one of elements.hpp. `multiply_adds` is the work of one call.
template <class F>
void for_indices(const host_executor& exec, const rns_format& format, index_t n, const F& f,
                 double multiply_adds = 1.0);

/// Calls f by threads of a device, several for each number.
///
/// throws  cuda_error if the launch fails
template <class F>
void for_indices(const cuda_executor& exec, const rns_format& format, index_t n, const F& f,
                 double multiply_adds = 1.0);

/// Merges partial results, `results` of them for each of `chunks` parts of a sum, into the results of part 0:
/// neighbours in pairs, (0, 1), (2, 3), ..., an odd last one moving up unchanged, until one is left.
void merge(const host_executor& exec, const rns_format& format, reduction kind, index_t results, index_t chunks,
           rns_tiles<false> partial);
void merge(const cuda_executor& exec, const rns_format& format, reduction kind, index_t results, index_t chunks,
           rns_tiles<false> partial);

/// Number i, on the host; waits for the device.
rns_number fetched_number(const host_executor& exec, const rns_format& format, rns_tiles<true> a, index_t i);
rns_number fetched_number(const cuda_executor& exec, const rns_format& format, rns_tiles<true> a, index_t i);

}  // namespace residua::blas::detail
