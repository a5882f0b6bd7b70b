#pragma once

#include <cstdint>
#include <memory>

#include <residua/blas/base/executor.hpp>
#include <residua/blas/exact/elements.hpp>
#include <residua/blas/rns/array.hpp>

/// RNS floats as operands and results of exact sums of products, on the host.
namespace residua::blas::detail {

/// RNS floats as multi-digit floats of the same values, in memory of their own.
struct exact_rns : exact_digits {
    std::shared_ptr<const vector<host_executor, multidigit>> numbers;
};

/// Operands X 2^e have |e| up to here, since multi-digit floats have exponents of 32 bits.
inline constexpr std::int64_t most_exact_exponent = 0x7ffff000;

/// The rows or the columns of a matrix, or a vector.
///
/// cost    L^2 3/4 reductions for a number of L moduli
/// throws  unsupported_error if an exponent is above most_exact_exponent in size; resource_error
exact_rns exact_vectors(const matrix_view<host_executor, const rns>& a, bool rows);
exact_rns exact_vectors(const vector_view<host_executor, const rns>& x);

/// RNS floats that are results.
struct exact_rns_result {
    rns_format format;
    residua::detail::rns_tiles<false> start;

    /// Number k <- x 2^scale, rounded once to nearest even with rns_constants::width bits, as from_real() has it; not
    /// finite, or zero, beyond the range.
    ///
    /// cost  L^2 / 2 reductions for L moduli
    void store(index_t k, const long_integer& x, std::int64_t scale) const;

    /// Number k <- x, zero or not finite
    void store_special(index_t k, double x) const;
};

template <class View>
exact_rns_result exact_rns_result_of(const View& c)
{
    return {c.format, c.start};
}
inline exact_rns_result exact_result(const matrix_view<host_executor, rns>& c) { return exact_rns_result_of(c); }
inline exact_rns_result exact_result(const vector_view<host_executor, rns>& y) { return exact_rns_result_of(y); }

}  // namespace residua::blas::detail
