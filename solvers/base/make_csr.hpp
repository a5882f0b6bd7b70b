#pragma once

#include <algorithm>
#include <vector>

#include <residua/blas/sparse/csr.hpp>
#include <residua/solvers/precond/factors.hpp>

namespace residua {

/// A matrix with the pattern of `a` and the given values, one for each entry.
template <class V>
csr<host_executor, V> make_csr(const sparse_rows& a, const std::vector<V>& values)
{
    csr<host_executor, V> matrix(a.n, a.n, static_cast<index_t>(values.size()));
    std::copy(a.row_begin.begin(), a.row_begin.end(), matrix.row_begin().begin());
    std::copy(a.column.begin(), a.column.end(), matrix.col().begin());
    for (std::size_t k = 0; k < values.size(); ++k) {
        matrix.value().store(static_cast<index_t>(k), values[k]);
    }
    return matrix;
}

}  // namespace residua
