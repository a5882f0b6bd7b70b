#pragma once

#include <utility>

#include <residua/blas/sparse/csr.hpp>
#include <residua/solvers/matrix/sparse_matrix.hpp>

namespace residua {

/// The pattern of `a`, which is shared, with other values, one for each entry.
template <class V>
csr<host_executor, V> make_csr(const sparse_matrix& a, vector<host_executor, V> values)
{
    return {a.rows,
            a.cols,
            {a.row_begin.held(), static_cast<index_t>(a.row_begin.size())},
            {a.column.held(), a.nonzeros()},
            std::move(values)};
}

/// The entries in binary64; all arrays are shared.
inline csr<host_executor, double> make_csr(const sparse_matrix& a)
{
    return make_csr(a, vector<host_executor, double>(a.values.held(), a.nonzeros()));
}

}  // namespace residua
