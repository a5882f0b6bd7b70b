#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <residua/arith/base/bits.hpp>
#include <residua/blas/base/buffer.hpp>
#include <residua/blas/base/parallel.hpp>
#include <residua/blas/base/single_threaded_blas.hpp>
#include <residua/blas/level3/getrf.hpp>
#include <residua/io/interruption.hpp>
#include <residua/solvers/dense_direct/complex_elimination.hpp>
#include <residua/solvers/precond/factors.hpp>
#include <residua/solvers/space/blas_space.hpp>

/// What dense LU, Cholesky and L D L' factors share: scaled matrices by columns.
namespace residua::detail {

/// x 2^e as by std::ldexp, which takes ten times as long.
inline double scaled_by(double x, int e)
{
    constexpr int most = 1022;
    return -most <= e && e <= most ? x * pow2(e) : std::ldexp(x, e);
}

/// The scaled matrix by columns.
template <class T>
void store_columns(const sparse_matrix& a, const triangular_factors& factors, buffer<host_executor, T>& to)
{
    const auto places = static_cast<double>(to.size());
    blas::detail::parallel_ranges(
        to.size(), 1, places, [&](index_t begin, index_t end) { std::fill(to.data() + begin, to.data() + end, T{0}); });
    blas::detail::parallel_ranges(a.rows, 1, 4.0 * places, [&](index_t begin, index_t end) {
        for (index_t i = begin; i < end; ++i) {
            io::ask_for_stop_at(i);
            for (index_t p = a.row_begin[i]; p < a.row_begin[i + 1]; ++p) {
                const int exponent = factors.row_exponent[i] + factors.column_exponent[a.column[p]];
                to.data()[a.column[p] * a.rows + i] = static_cast<T>(scaled_by(a.values[p], exponent));
            }
        }
    });
}

/// Returns f(executor, matrix by columns, pivots), called on the device of the options if the order is worth it.
template <class T, class F>
index_t factorize_in_place(buffer<host_executor, T>& columns, index_t n, buffer<host_executor, std::int64_t>& pivots,
                           const factor_options& options, const F& f)
{
#if defined(RESIDUA_CUDA)
    if (options.device && n >= least_order_on_device) {
        const cuda_executor& exec = *options.device;
        auto there = to_device(exec, columns);
        auto pivots_there = to_device(exec, pivots);
        const index_t result = f(exec, blas::lapack_matrix<cuda_executor, T>{there.data(), n, n}, pivots_there.span());
        columns = to_host(exec, there);
        pivots = to_host(exec, pivots_there);
        return result;
    }
#else
    (void)options;
#endif
    return f(host_executor{}, blas::lapack_matrix<host_executor, T>{columns.data(), n, n}, pivots.span());
}

/// Whether dense L U and L L' of A are made by eliminate_complex().
template <class T>
bool goes_by_complex_numbers(const sparse_matrix& a, const factor_options& options)
{
    return std::is_same_v<T, double> && a.complex && !(options.device && a.rows >= least_order_on_device);
}

/// L U, or L L' if `definite`, of the real form of a complex matrix by columns.
///
/// returns  the order of rows, 0, 1, ... of L L'; empty if there are no factors
inline std::vector<index_t> eliminate_complex(buffer<host_executor, double>& columns, index_t n, bool definite)
{
    const blas::detail::single_threaded_blas one_thread;
    complex_elimination<host_space<double>> elimination(host_space<double>{});
    const native_block<double> form{{columns.data(), 0}, n, n, n};
    if (!definite) {
        const lu_pivots pivots = elimination.lu(form);
        return pivots.count < n ? std::vector<index_t>() : order_of(pivots.row_swap);
    }
    std::vector<index_t> order(elimination.cholesky(form) ? static_cast<std::size_t>(n) : 0);
    std::iota(order.begin(), order.end(), index_t{0});
    return order;
}

/// A triangle by rows with all entries stored, at(i, j) each.
template <class At>
sparse_matrix triangle_of(index_t n, bool lower, const At& at)
{
    const auto entries = static_cast<std::size_t>(n) * static_cast<std::size_t>(n + 1) / 2;
    std::vector<index_t> row_begin{0};
    for (index_t i = 0; i < n; ++i) {
        row_begin.push_back(row_begin.back() + (lower ? i + 1 : n - i));
    }
    std::vector<std::int32_t> column(entries);
    std::vector<double> values(entries);
    blas::detail::parallel_weighted_ranges(
        n, [&](index_t i) { return row_begin[i]; }, 4.0 * static_cast<double>(entries),
        [&](index_t begin, index_t end) {
            for (index_t i = begin; i < end; ++i) {
                io::ask_for_stop_at(i);
                index_t next = row_begin[i];
                for (index_t j = lower ? 0 : i; j < (lower ? i + 1 : n); ++j, ++next) {
                    column[next] = static_cast<std::int32_t>(j);
                    values[next] = at(i, j);
                }
            }
        });
    return {n, n, std::move(row_begin), std::move(column), std::move(values), {}};
}

/// The triangle of a matrix by columns. The diagonal is all ones if the triangle is a unit one.
template <class T>
sparse_matrix triangle_of(const buffer<host_executor, T>& columns, index_t n, bool lower, bool unit)
{
    return triangle_of(n, lower, [&](index_t i, index_t j) {
        return unit && i == j ? 1.0 : static_cast<double>(columns.data()[j * n + i]);
    });
}

/// The text that says why there are no factors in `bits` bits.
inline const char* singular_in(long bits)
{
    return bits > binary32_bits    ? "the matrix is singular in binary64"
           : bits == binary32_bits ? "the matrix is singular in binary32"
                                   : "the matrix is singular in binary32 with products of 11 bits";
}

/// Whether every pivot of U is there and is not zero.
inline bool has_usable_diagonal(const sparse_matrix& upper)
{
    for (index_t i = 0; i < upper.rows; ++i) {
        const index_t p = upper.row_begin[i];
        if (p == upper.row_begin[i + 1] || upper.column[p] != i || upper.values[p] == 0.0) {
            return false;
        }
    }
    return true;
}

}  // namespace residua::detail
