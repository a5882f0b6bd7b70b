#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <residua/blas/exact/spmv_exact.hpp>

#include "tests/blas/exact/exact_oracle.hpp"

/// Sparse matrices for exact sums, and these sums by MPFR.
namespace residua::support {

/// What a matrix has of some numbers: entry (i, l) is left out where 3 i + 5 l is a multiple of 4, and all of row 2.
template <class V>
csr<host_executor, V> sparse(const exact_format<V>& format, const typename exact_format<V>::matrix& a)
{
    const auto kept = [&](index_t i, index_t l) { return (3 * i + 5 * l) % 4 != 0 && i != 2; };
    std::vector<std::pair<index_t, typename exact_format<V>::number>> entries;
    std::vector<index_t> begin{0};
    for (index_t i = 0; i < a.rows(); ++i) {
        for (index_t l = 0; l < a.cols(); ++l) {
            if (kept(i, l)) {
                entries.emplace_back(l, a.get(i, l));
            }
        }
        begin.push_back(static_cast<index_t>(entries.size()));
    }
    auto values = format.zeros(static_cast<index_t>(entries.size()));
    for (std::size_t p = 0; p < entries.size(); ++p) {
        values.set(static_cast<index_t>(p), entries[p].second);
    }
    csr<host_executor, V> s(a.rows(), a.cols(), std::move(values));
    std::copy(begin.begin(), begin.end(), s.row_begin().begin());
    for (std::size_t p = 0; p < entries.size(); ++p) {
        s.col()[p] = static_cast<column_t>(entries[p].first);
    }
    return s;
}

/// A random A, x and b, hard to multiply.
template <class T, class V>
struct exact_system {
    csr<host_executor, V> a;
    typename exact_format<T>::vector x, b;

    exact_system(const exact_format<T>& format, const exact_format<V>& of_matrix, biased_random& random,
                 exact_kind kind, index_t m, index_t n)
        : a(sparse(of_matrix, exact_factors<V>(of_matrix, random, kind, m, n, 1).a)),
          x(format.zeros(n)),
          b(format.zeros(m))
    {
        const exact_factors<T> of(format, random, kind, m, std::max(n, index_t{1}), 1);
        for (index_t l = 0; l < n; ++l) {
            x.set(l, of.b.get(l, 0));
        }
        for (index_t i = 0; i < m; ++i) {
            b.set(i, random.one_in(4) ? format.from(0.0) : of.a.get(i, 0));
        }
    }
};

/// A x, or b - A x, by MPFR in so many bits, from numbers of q bits, or of all for q = 0.
template <class T, class V>
std::vector<real> exact_sums(const exact_system<T, V>& s, bool subtracts, long q, long bits)
{
    std::vector<typename exact_format<T>::number> column;
    for (index_t l = 0; l < s.x.size(); ++l) {
        column.push_back(s.x.get(l));
    }
    const auto cut_column = cut_numbers<T>(column, q, bits);
    std::vector<real> sums;
    for (index_t i = 0; i < s.a.rows(); ++i) {
        std::vector<typename exact_format<V>::number> row;
        std::vector<real> factors;
        const auto at = static_cast<std::size_t>(i);
        for (index_t p = s.a.row_begin()[at]; p < s.a.row_begin()[at + 1]; ++p) {
            row.push_back(s.a.value().load(p));
            factors.push_back(cut_column[static_cast<std::size_t>(s.a.col()[static_cast<std::size_t>(p)])]);
        }
        real sum = sum_of_products(cut_numbers<V>(row, q, bits), factors, bits);
        if (subtracts) {
            real b(0.0, bits);
            for (const real& part : exact_format<T>::parts(s.b.get(i))) {
                b += part;
            }
            sum = b - sum;
        }
        sums.push_back(sum);
    }
    return sums;
}

}  // namespace residua::support
