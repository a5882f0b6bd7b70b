#pragma once

#include <concepts>

#include <residua/blas/base/executor.hpp>
#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/exact/options.hpp>
#include <residua/blas/multidigit/array.hpp>
#include <residua/blas/sparse/csr.hpp>

namespace residua::blas {

/// y <- A x, every element summed exactly and rounded once, with A of binary64 or of the format of the vectors
///
/// As gemv_exact, but what is not stored is zero, also times infinity, and exponents are those of finite numbers.
///
/// shapes   A (m x n), x (n), y (m); y does not overlap x
/// errors   as gemm_exact, k the entries of the row
/// special  where an entry of row i or the x_j that belongs to it is infinite or NaN: the sum of the products that are
/// cost     (q_a / 64) (q_x / 64) products of 64-bit words for an entry; fewer for numbers of few bits
/// order    the same bits on every machine, with any number of threads
/// throws   dimension_error if sizes do not fit or bits < 0; unsupported_error if a sum takes more than 65536 bits:
///          then give bits; resource_error
/// from     docs/error_bounds.md, theorem 22
template <class T, class V>
    requires std::same_as<V, double> || std::same_as<V, T>
void spmv_exact(const host_executor& exec, const csr<host_executor, V>& a, in_vector<host_executor, T> x,
                vector_view<host_executor, T> y, const exact_options& options = {});

}  // namespace residua::blas
