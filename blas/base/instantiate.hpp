#pragma once

#include <residua/arith/expansion/expansion.hpp>
#include <residua/arith/native/double.hpp>

namespace residua {

/// An expansion by a name without a comma, which macros take.
template <int N>
using expansion_of = expansion<double, N>;

}  // namespace residua

/// Calls INSTANTIATE(T) for every format that blas is compiled for. Each .cpp of an operation
/// defines RESIDUA_INSTANTIATE(...) as its explicit instantiations for the format __VA_ARGS__.
///
/// Their element functions are straight-line code that runs in SIMD lanes. Longer expansions are slower than multi-digit floats
/// of as many bits, which serve in their place (docs/architecture.md).
#define RESIDUA_FOR_EACH_FORMAT(INSTANTIATE) \
    INSTANTIATE(double)                      \
    RESIDUA_FOR_EACH_EXPANSION(INSTANTIATE)

/// The formats that differ from binary64, for operations with a matrix of either.
#define RESIDUA_FOR_EACH_EXPANSION(INSTANTIATE)   \
    RESIDUA_FOR_EACH_SHORT_EXPANSION(INSTANTIATE) \
    RESIDUA_FOR_EACH_LONG_EXPANSION(INSTANTIATE)
#define RESIDUA_FOR_EACH_SHORT_EXPANSION(INSTANTIATE) \
    INSTANTIATE(expansion<double, 2>)                 \
    INSTANTIATE(expansion<double, 3>)                 \
    INSTANTIATE(expansion<double, 4>)
#define RESIDUA_FOR_EACH_LONG_EXPANSION(INSTANTIATE) \
    INSTANTIATE(expansion<double, 6>)                \
    INSTANTIATE(expansion<double, 8>)

/// Calls INSTANTIATE(V, T) for every format T of vectors with every format V that their matrices may have: binary64, and T.
#define RESIDUA_FOR_EACH_PAIR(INSTANTIATE) \
    INSTANTIATE(double, double)            \
    RESIDUA_PAIRS(INSTANTIATE, 2)          \
    RESIDUA_PAIRS(INSTANTIATE, 3)          \
    RESIDUA_PAIRS(INSTANTIATE, 4) RESIDUA_PAIRS(INSTANTIATE, 6) RESIDUA_PAIRS(INSTANTIATE, 8)
#define RESIDUA_PAIRS(INSTANTIATE, N)    \
    INSTANTIATE(double, expansion_of<N>) \
    INSTANTIATE(expansion_of<N>, expansion_of<N>)

/// The numbers of terms that convert is compiled for, from the first to the second and back; 1 is binary64.
#define RESIDUA_FOR_EACH_CONVERSION(INSTANTIATE) \
    INSTANTIATE(1, 2)                            \
    INSTANTIATE(1, 3)                            \
    INSTANTIATE(1, 4)                            \
    INSTANTIATE(1, 6)                            \
    INSTANTIATE(1, 8)                            \
    INSTANTIATE(2, 4)                            \
    INSTANTIATE(3, 6)                            \
    INSTANTIATE(4, 8)
