#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include <residua/blas/base/buffer.hpp>
#include <residua/blas/level3/potrf.hpp>
#include <residua/solvers/base/memory.hpp>
#include <residua/solvers/dense_direct/native_blocks.hpp>
#include <residua/solvers/matrix/transpose.hpp>
#include <residua/solvers/precond/dense_columns.hpp>
#include <residua/solvers/precond/factorize.hpp>
#include <residua/solvers/precond/factors.hpp>
#include <residua/solvers/sparse_direct/analysis.hpp>

namespace residua {
namespace {

template <class T>
bool factorize_dense(const sparse_matrix& a, const factor_options& options, triangular_factors& factors)
{
    const index_t n = a.rows;
    const double entries = static_cast<double>(n) * static_cast<double>(n);
    require_memory("the dense Cholesky factorisation", (1.5 * sizeof(double) + sizeof(T)) * entries);
    buffer<host_executor, T> l(n * n);
    buffer<host_executor, std::int64_t> no_pivots;
    detail::store_columns(a, factors, l);
    factors.complex = detail::goes_by_complex_numbers<T>(a, options);
    bool made = false;
    if constexpr (std::is_same_v<T, double>) {
        made = factors.complex && !detail::eliminate_complex(l, n, true).empty();
    }
    if (!factors.complex) {
        made = detail::factorize_in_place(l, n, no_pivots, options, [](const auto& exec, auto whole, auto) {
                   return blas::potrf(exec, whole);
               }) == 0;
    }
    if (!made || detail::first_column_out_of_range(detail::native_block<T>{{l.data(), 0}, n, n, n}, true) != -1) {
        return false;
    }
    factors.lower = detail::triangle_of(l, n, true, false);
    return true;
}

/// Whether every pivot is positive, so that it can be divided by.
bool usable_pivots(const sparse_matrix& l)
{
    for (index_t i = 0; i < l.rows; ++i) {
        const double pivot = l.values[l.row_begin[i + 1] - 1];
        if (!(pivot > 0.0)) {
            return false;
        }
    }
    return true;
}

template <class T>
triangular_factors factorize(const sparse_matrix& a, const factor_options& options)
{
    triangular_factors factors;
    const bool definite = scale_diagonal(a, factors.row_exponent);
    factors.column_exponent = factors.row_exponent;
    const bool made = definite && factorize_dense<T>(a, options, factors) && usable_pivots(factors.lower);
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

triangular_factors factorize_cholesky(const sparse_matrix& a, const factor_options& options)
{
    require_factor_bits(options.bits);
    if (!takes_dense_factors(a.rows, a.column.size())) {
        sparse_analyses analyses;
        return factorize_native(a, factor_kind::cholesky, analyses, options).triangles();
    }
    return options.bits > binary32_bits ? factorize<double>(a, options) : factorize<float>(a, options);
}

}  // namespace residua
