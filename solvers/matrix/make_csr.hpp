#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include <residua/blas/sparse/csr.hpp>
#include <residua/solvers/matrix/sparse_rows.hpp>

namespace residua {

/// A matrix of `cols` columns with the pattern of `a` and the given values, one for each entry.
template <class V>
csr<host_executor, V> make_csr(const sparse_rows& a, index_t cols, vector<host_executor, V> values)
{
    csr<host_executor, V> matrix(a.n, cols, std::move(values));
    std::copy(a.row_begin.begin(), a.row_begin.end(), matrix.row_begin().begin());
    std::copy(a.column.begin(), a.column.end(), matrix.col().begin());
    return matrix;
}

inline csr<host_executor, double> make_csr(const sparse_rows& a, index_t cols, const std::vector<double>& values)
{
    vector<host_executor, double> copy(static_cast<index_t>(values.size()));
    std::copy(values.begin(), values.end(), copy.view().data);
    return make_csr(a, cols, std::move(copy));
}

inline csr<host_executor, double> make_csr(const sparse_rows& a, const std::vector<double>& values)
{
    return make_csr(a, a.n, values);
}

}  // namespace residua
