#pragma once

#include <algorithm>
#include <cmath>

#include <residua/arith/real/real.hpp>
#include <residua/blas/rns/level1.hpp>

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

inline double log2_of(index_t n) { return std::log2(static_cast<double>(std::max<index_t>(n, 1))); }

/// The k of a dot product or a sum of magnitudes of n terms, and of a row of gemv of n columns.
inline double roundings_of_sum(index_t n) { return 17 + log2_of(blas::rns_chunks(n)); }
inline double roundings_of_row(index_t n)
{
    return std::min(20 + log2_of(blas::rns_chunks(n)), static_cast<double>(n + 2));
}

}  // namespace residua::support
