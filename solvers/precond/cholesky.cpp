#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#define EIGEN_MPL2_ONLY
#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>

#include <residua/blas/base/buffer.hpp>
#include <residua/blas/level3/potrf.hpp>
#include <residua/solvers/base/memory.hpp>
#include <residua/solvers/precond/complete_factors.hpp>
#include <residua/solvers/precond/dense_columns.hpp>
#include <residua/solvers/precond/factors.hpp>
#include <residua/solvers/sparse_direct/analysis.hpp>
#include <residua/solvers/system/transpose.hpp>

namespace residua {
namespace {

/// Sparse factors by Eigen, which counts the entries of L before it computes them.
template <class T>
class sparse_llt : public Eigen::SimplicialLLT<Eigen::SparseMatrix<T, Eigen::ColMajor, std::int64_t>> {
public:
    index_t entries() const { return this->m_matrix.outerIndexPtr()[this->m_matrix.cols()]; }
};

template <class T>
bool factorize_sparse(const sparse_rows& a, triangular_factors& factors)
{
    std::vector<Eigen::Triplet<T, std::int64_t>> triplets;
    for (index_t i = 0; i < a.n; ++i) {
        for (index_t p = a.row_begin[i]; p < a.row_begin[i + 1] && a.column[p] <= i; ++p) {
            triplets.emplace_back(i, a.column[p], detail::scaled_entry<T>(a, factors, i, p));
        }
    }
    using matrix_type = Eigen::SparseMatrix<T, Eigen::ColMajor, std::int64_t>;
    matrix_type scaled(a.n, a.n);
    scaled.setFromTriplets(triplets.begin(), triplets.end());
    sparse_llt<T> llt;
    llt.analyzePattern(scaled);
    // Eigen has its L by columns and by rows, and we have L and L'
    constexpr double bytes_of_entry = 2.0 * (sizeof(T) + 8.0) + 16.0 + 2.0 * 12.0;
    require_memory("the sparse Cholesky factorisation", bytes_of_entry * static_cast<double>(llt.entries()));
    llt.factorize(scaled);
    if (llt.info() != Eigen::Success) {
        return false;
    }
    const Eigen::SparseMatrix<double, Eigen::RowMajor, std::int64_t> l =
        matrix_type(llt.matrixL()).template cast<double>();
    factors.lower.n = a.n;
    factors.lower.row_begin.assign(l.outerIndexPtr(), l.outerIndexPtr() + a.n + 1);
    factors.lower.column.assign(l.innerIndexPtr(), l.innerIndexPtr() + l.nonZeros());
    factors.lower.value.assign(l.valuePtr(), l.valuePtr() + l.nonZeros());
    factors.row_order.resize(static_cast<std::size_t>(a.n));
    for (index_t i = 0; i < a.n; ++i) {
        factors.row_order[static_cast<std::size_t>(llt.permutationP().indices()[i])] = static_cast<std::int32_t>(i);
    }
    factors.column_order = factors.row_order;
    return true;
}

template <class T>
bool factorize_dense(const sparse_rows& a, const factor_options& options, triangular_factors& factors)
{
    const index_t n = a.n;
    const double entries = static_cast<double>(n) * static_cast<double>(n);
    require_memory("the dense Cholesky factorisation", (1.5 * sizeof(double) + sizeof(T)) * entries);
    buffer<host_executor, T> l(n * n);
    buffer<host_executor, std::int64_t> no_pivots;
    detail::store_columns(a, factors, l);
    const index_t order = detail::factorize_in_place(
        l, n, no_pivots, options, [](const auto& exec, auto whole, auto) { return blas::potrf(exec, whole); });
    if (order == 0) {
        factors.lower = detail::triangle_of(l, n, true, false);
    }
    return order == 0;
}

/// Whether every pivot is finite and positive, so that it can be divided by.
bool usable_pivots(const sparse_rows& l)
{
    for (index_t i = 0; i < l.n; ++i) {
        const double pivot = l.value[l.row_begin[i + 1] - 1];
        if (!(pivot > 0.0 && std::isfinite(pivot))) {
            return false;
        }
    }
    return true;
}

template <class T>
triangular_factors factorize(const sparse_rows& a, const factor_options& options)
{
    triangular_factors factors;
    const bool definite = scale_diagonal(a, factors.row_exponent);
    factors.column_exponent = factors.row_exponent;
    const bool made = definite &&
                      (takes_dense_factors(a.n, a.column.size()) ? factorize_dense<T>(a, options, factors)
                                                                 : factorize_sparse<T>(a, factors)) &&
                      usable_pivots(factors.lower);
    if (!made) {
        factors = {};
        factors.failure = std::string("the matrix is not positive definite in ") +
                          (std::is_same_v<T, float> ? "binary32" : "binary64");
        return factors;
    }
    factors.upper = transpose(factors.lower);
    return factors;
}

}  // namespace

triangular_factors factorize_cholesky(const sparse_rows& a, const factor_options& options)
{
    require_factor_bits(options.bits);
    if (options.bits > binary32_bits && !takes_dense_factors(a.n, a.column.size())) {
        return triangles_of(binary64_fronts_of(a, factor_kind::cholesky));
    }
    return options.bits > binary32_bits ? factorize<double>(a, options) : factorize<float>(a, options);
}

}  // namespace residua
