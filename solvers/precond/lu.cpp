#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

#define EIGEN_MPL2_ONLY
#include <Eigen/SparseCore>
#include <Eigen/SparseLU>

#include <residua/blas/base/buffer.hpp>
#include <residua/blas/level3/getrf.hpp>
#include <residua/blas/level3/getrf_mixed.hpp>
#include <residua/solvers/base/memory.hpp>
#include <residua/solvers/precond/complete_factors.hpp>
#include <residua/solvers/precond/dense_columns.hpp>
#include <residua/solvers/precond/factors.hpp>

namespace residua {
namespace {

using detail::scaled_entry;

/// The text that says why there are no factors in `bits` bits.
const char* singular_in(long bits)
{
    return bits > binary32_bits    ? "the matrix is singular in binary64"
           : bits == binary32_bits ? "the matrix is singular in binary32"
                                   : "the matrix is singular in binary32 with products of 11 bits";
}

/// A matrix given as (row, column, value), in any order.
sparse_rows from_triplets(index_t n, const std::vector<Eigen::Triplet<double>>& triplets)
{
    Eigen::SparseMatrix<double, Eigen::RowMajor> m(n, n);
    m.setFromTriplets(triplets.begin(), triplets.end());
    sparse_rows rows;
    rows.n = n;
    rows.row_begin.assign(m.outerIndexPtr(), m.outerIndexPtr() + n + 1);
    rows.column.assign(m.innerIndexPtr(), m.innerIndexPtr() + m.nonZeros());
    rows.value.assign(m.valuePtr(), m.valuePtr() + m.nonZeros());
    return rows;
}

bool usable_pivots(const sparse_rows& upper)
{
    for (index_t i = 0; i < upper.n; ++i) {
        const index_t p = upper.row_begin[i];
        if (p == upper.row_begin[i + 1] || upper.column[p] != i || upper.value[p] == 0.0 ||
            !std::isfinite(upper.value[p])) {
            return false;
        }
    }
    return true;
}

template <class T>
void factorize_sparse(const sparse_rows& a, const factor_options& options, triangular_factors& factors)
{
    using matrix_type = Eigen::SparseMatrix<T>;
    matrix_type scaled(a.n, a.n);
    {
        std::vector<Eigen::Triplet<T>> triplets;
        triplets.reserve(a.column.size());
        for (index_t i = 0; i < a.n; ++i) {
            for (index_t p = a.row_begin[i]; p < a.row_begin[i + 1]; ++p) {
                triplets.emplace_back(static_cast<int>(i), a.column[p], scaled_entry<T>(a, factors, i, p));
            }
        }
        scaled.setFromTriplets(triplets.begin(), triplets.end());
    }

    Eigen::SparseLU<matrix_type, Eigen::COLAMDOrdering<int>> lu;
    lu.compute(scaled);
    if (lu.info() != Eigen::Success) {
        factors.failure = singular_in(options.bits);
        return;
    }

    // Eigen keeps the diagonal blocks of L and U together in supernodes: take them apart.
    const auto l = lu.matrixL();
    const auto u = lu.matrixU();
    std::vector<Eigen::Triplet<double>> lower, upper;
    using supernodes = std::decay_t<decltype(l.m_mapL)>;
    using upper_map = std::decay_t<decltype(u.m_mapU)>;
    for (int j = 0; j < static_cast<int>(a.n); ++j) {
        lower.emplace_back(j, j, 1.0);
        for (typename supernodes::InnerIterator it(l.m_mapL, j); it; ++it) {
            (it.row() > j ? lower : upper).emplace_back(static_cast<int>(it.row()), j, it.value());
        }
        for (typename upper_map::InnerIterator it(u.m_mapU, j); it; ++it) {
            upper.emplace_back(static_cast<int>(it.row()), j, it.value());
        }
    }
    factors.lower = from_triplets(a.n, lower);
    factors.upper = from_triplets(a.n, upper);

    factors.row_order.resize(a.n);
    factors.column_order.resize(a.n);
    for (index_t i = 0; i < a.n; ++i) {
        factors.row_order[lu.rowsPermutation().indices()[i]] = static_cast<std::int32_t>(i);
        factors.column_order[lu.colsPermutation().indices()[i]] = static_cast<std::int32_t>(i);
    }
}

bool are_finite(std::span<const float> numbers)
{
    return std::all_of(numbers.begin(), numbers.end(), [](float each) { return std::isfinite(each); });
}

template <class T>
void factorize_dense(const sparse_rows& a, const factor_options& options, triangular_factors& factors)
{
    const index_t n = a.n;
    const double entries = static_cast<double>(n) * static_cast<double>(n);
    require_memory("the dense LU factorisation", (2.5 * sizeof(double) + sizeof(T)) * entries);
    buffer<host_executor, T> lu(n * n);
    buffer<host_executor, std::int64_t> pivots(n);
    const auto factorize = [&](blas::low_precision low) {
        detail::store_columns(a, factors, lu);
        return detail::factorize_in_place(lu, n, pivots, options, [&](const auto& exec, auto whole, auto swaps) {
            if constexpr (std::is_same_v<T, float>) {
                if (options.bits < binary32_bits) {
                    return blas::getrf_mixed(exec, whole, swaps, low);
                }
            }
            return blas::getrf(exec, whole, swaps);
        });
    };
    index_t zero = factorize(blas::low_precision::binary16);
    if constexpr (std::is_same_v<T, float>) {
        if (options.bits < binary32_bits && zero == 0 && !are_finite(lu.span())) {  // beyond binary16's range
            zero = factorize(blas::low_precision::tf32);
        }
    }
    if (zero != 0) {
        factors.failure = singular_in(options.bits);
        return;
    }
    const std::vector<index_t> order = blas::row_order(pivots.span());
    factors.row_order.assign(order.begin(), order.end());
    factors.lower = detail::triangle_of(lu, n, true, true);
    factors.upper = detail::triangle_of(lu, n, false, false);
}

}  // namespace

void equilibrate(const sparse_rows& a, std::vector<int>& row_exponent, std::vector<int>& column_exponent)
{
    row_exponent.assign(a.n, 0);
    column_exponent.assign(a.n, 0);
    std::vector<double> largest(a.n, 0.0);  // entry of each column after the rows are scaled
    for (index_t i = 0; i < a.n; ++i) {
        double row_largest = 0.0;
        for (index_t p = a.row_begin[i]; p < a.row_begin[i + 1]; ++p) {
            row_largest = std::max(row_largest, std::abs(a.value[p]));
        }
        if (row_largest > 0.0) {
            row_exponent[i] = -(std::ilogb(row_largest) + 1);
        }
        for (index_t p = a.row_begin[i]; p < a.row_begin[i + 1]; ++p) {
            double& column_largest = largest[a.column[p]];
            column_largest = std::max(column_largest, std::ldexp(std::abs(a.value[p]), row_exponent[i]));
        }
    }
    for (index_t j = 0; j < a.n; ++j) {
        if (largest[j] > 0.0) {
            column_exponent[j] = -(std::ilogb(largest[j]) + 1);
        }
    }
}

namespace {

template <class T>
triangular_factors factorize_lu_in(const sparse_rows& a, const factor_options& options)
{
    triangular_factors factors;
    for (index_t i = 0; i < a.n; ++i) {
        if (a.row_begin[i] == a.row_begin[i + 1]) {
            factors.failure = singular_in(options.bits);
            return factors;
        }
    }
    equilibrate(a, factors.row_exponent, factors.column_exponent);
    if (takes_dense_factors(a.n, a.column.size())) {
        factorize_dense<T>(a, options, factors);
    } else {
        factorize_sparse<T>(a, {.bits = binary32_bits}, factors);
    }
    if (factors.failure.empty() && !usable_pivots(factors.upper)) {
        factors.failure = singular_in(options.bits);
    }
    return factors;
}

}  // namespace

bool takes_dense_factors(index_t n, std::size_t entries)
{
    return static_cast<double>(entries) >= 0.25 * static_cast<double>(n) * static_cast<double>(n);
}

bool are_blocks(const triangular_factors& factors)
{
    const index_t n = factors.lower.n;
    const auto all = static_cast<std::size_t>(n * (n + 1) / 2);
    return n >= least_order_of_blocks && factors.lower.column.size() == all && factors.upper.column.size() == all;
}

void require_factor_bits(long bits)
{
    if (bits != low_bits && bits != binary32_bits && bits != binary64_bits) {
        throw unsupported_error("there are factors of 11, 24 and 53 bits, not of " + std::to_string(bits));
    }
}

triangular_factors factorize_lu(const sparse_rows& a, const factor_options& options)
{
    require_factor_bits(options.bits);
    if (options.bits > binary32_bits && !takes_dense_factors(a.n, a.column.size())) {
        return triangles_of(binary64_fronts_of(a, factor_kind::lu));
    }
    return options.bits > binary32_bits ? factorize_lu_in<double>(a, options) : factorize_lu_in<float>(a, options);
}

}  // namespace residua
