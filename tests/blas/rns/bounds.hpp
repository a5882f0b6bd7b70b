#pragma once

#include <algorithm>

#include <residua/arith/real/real.hpp>
#include <residua/blas/base/error_bounds.hpp>
#include <residua/blas/rns/for_indices.hpp>

/// The constants of the contracts in blas/rns.
namespace residua::support {

/// u = 4 / sqrt(M)
inline real unit_roundoff(const rns_format& format)
{
    real m(1.0, 64);
    for (int i = 0; i < format.count(); ++i) {
        m *= real(static_cast<double>(format.set().moduli[i].m));
    }
    return real(4.0) / sqrt(m);
}

/// gamma_k = k u / (1 - k u)
inline real gamma(double k, const rns_format& format)
{
    const real ku = unit_roundoff(format) * real(k);
    return ku / (real(1.0) - ku);
}

/// The k of a dot product or a sum of magnitudes of n terms, of a row of gemv of n columns, and of a norm whose row or
/// column sums have n terms.
inline double roundings_of_sum(index_t n) { return std::min(blas::long_sum_depth(n), static_cast<double>(n)); }
inline double roundings_of_row(index_t n)
{
    return std::min(18 + blas::detail::ceil_log2(blas::rns_chunks(n)), static_cast<double>(n + 2));
}
inline double roundings_of_norm(index_t n) { return 16 + blas::detail::ceil_log2(blas::rns_chunks(n)); }

}  // namespace residua::support
