#pragma once

#include <cstdint>
#include <vector>

#include <residua/blas/base/view.hpp>
#include <residua/solvers/dense_direct/device_blocks.hpp>

/// The assembly of fronts on a device, with the additions of the host in the order of the host. All throw cuda_error if
/// a launch fails, and resource_error if there is no device memory.
namespace residua::detail {

/// The matrix [P, [R; C]] of a front in the memory of Exec.
template <class Exec, class E>
struct front_blocks {
    matrix_view<Exec, E> columns, right, rest;  ///< P, R and C
};

/// Entry (row_k, column_k) of a front <- x_k
///
/// shapes   x (n x 1), row, column (n), all places different
/// cost     one launch, after copies of the places
template <class E>
void store_entries(const cuda_executor& exec, device_block<E> x, const std::vector<std::int32_t>& row,
                   const std::vector<std::int32_t>& column, const front_blocks<cuda_executor, E>& to);

/// Entry (row_i, column_j) of a front <- itself + C_ij, for all j or, if `lower`, j <= i
///
/// shapes   C (n x n), row, column (n)
/// cost     one launch, after copies of the places
template <class E>
void add_rest(const cuda_executor& exec, device_block<E> c, const std::vector<std::int32_t>& row,
              const std::vector<std::int32_t>& column, bool lower, const front_blocks<cuda_executor, E>& to);

}  // namespace residua::detail
