#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>

#include <residua/blas/base/buffer.hpp>
#include <residua/blas/level3/getrf.hpp>
#include <residua/blas/level3/getrf_mixed.hpp>
#include <residua/io/interruption.hpp>
#include <residua/solvers/base/memory.hpp>
#include <residua/solvers/dense_direct/native_blocks.hpp>
#include <residua/solvers/precond/dense_columns.hpp>
#include <residua/solvers/precond/factorize.hpp>
#include <residua/solvers/precond/factors.hpp>
#include <residua/solvers/sparse_direct/analysis.hpp>

namespace residua {
namespace {

template <class T>
void factorize_dense(const sparse_matrix& a, const factor_options& options, triangular_factors& factors)
{
    const index_t n = a.rows;
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
    const auto are_finite = [&] {
        return detail::first_column_out_of_range(detail::native_block<T>{{lu.data(), 0}, n, n, n}, false) == -1;
    };
    const auto take_triangles = [&](const std::vector<index_t>& order, bool made) {
        if (!made) {
            factors.failure = detail::singular_in(options.bits);
            return;
        }
        factors.row_order.assign(order.begin(), order.end());
        factors.lower = detail::triangle_of(lu, n, true, true);
        factors.upper = detail::triangle_of(lu, n, false, false);
    };
    if constexpr (std::is_same_v<T, double>) {
        if (detail::goes_by_complex_numbers<T>(a, options)) {
            detail::store_columns(a, factors, lu);
            const std::vector<index_t> order = detail::eliminate_complex(lu, n, false);
            factors.complex = !order.empty() && are_finite();
            take_triangles(order, factors.complex);
            return;
        }
    }
    index_t zero = factorize(blas::low_precision::binary16);
    if (options.bits < binary32_bits && zero == 0 && !are_finite()) {  // beyond binary16's range
        zero = factorize(blas::low_precision::tf32);
    }
    take_triangles(blas::row_order(pivots.span()), zero == 0 && are_finite());
}

}  // namespace

void equilibrate(const sparse_matrix& a, std::vector<int>& row_exponent, std::vector<int>& column_exponent)
{
    row_exponent.assign(a.rows, 0);
    column_exponent.assign(a.rows, 0);
    std::vector<double> largest(a.rows, 0.0);  // entry of each column after the rows are scaled
    for (index_t i = 0; i < a.rows; ++i) {
        io::ask_for_stop_at(i);
        double row_largest = 0.0;
        for (index_t p = a.row_begin[i]; p < a.row_begin[i + 1]; ++p) {
            row_largest = std::max(row_largest, std::abs(a.values[p]));
        }
        if (row_largest > 0.0) {
            row_exponent[i] = -(std::ilogb(row_largest) + 1);
        }
        for (index_t p = a.row_begin[i]; p < a.row_begin[i + 1]; ++p) {
            double& column_largest = largest[a.column[p]];
            column_largest = std::max(column_largest, detail::scaled_by(std::abs(a.values[p]), row_exponent[i]));
        }
    }
    for (index_t j = 0; j < a.rows; ++j) {
        if (largest[j] > 0.0) {
            column_exponent[j] = -(std::ilogb(largest[j]) + 1);
        }
    }
}

namespace {

template <class T>
triangular_factors factorize_lu_in(const sparse_matrix& a, const factor_options& options)
{
    triangular_factors factors;
    for (index_t i = 0; i < a.rows; ++i) {
        if (a.row_begin[i] == a.row_begin[i + 1]) {
            factors.failure = detail::singular_in(options.bits);
            return factors;
        }
    }
    equilibrate(a, factors.row_exponent, factors.column_exponent);
    factorize_dense<T>(a, options, factors);
    if (factors.failure.empty() && !detail::has_usable_diagonal(factors.upper)) {
        factors.failure = detail::singular_in(options.bits);
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
    const index_t n = factors.lower.rows;
    const auto all = static_cast<std::size_t>(n * (n + 1) / 2);
    return n >= least_order_of_blocks && factors.lower.column.size() == all && factors.upper.column.size() == all;
}

void require_factor_bits(long bits)
{
    if (bits != low_bits && bits != binary32_bits && bits != binary64_bits) {
        throw unsupported_error("there are factors of 11, 24 and 53 bits, not of " + std::to_string(bits));
    }
}

triangular_factors factorize_lu(const sparse_matrix& a, const factor_options& options)
{
    require_factor_bits(options.bits);
    if (!takes_dense_factors(a.rows, a.column.size())) {
        sparse_analyses analyses;
        return factorize_native(a, factor_kind::lu, analyses, options).triangles();
    }
    return options.bits > binary32_bits ? factorize_lu_in<double>(a, options) : factorize_lu_in<float>(a, options);
}

}  // namespace residua
