#pragma once

#include <residua/arith/expansion/expansion.hpp>
#include <residua/arith/native/double.hpp>

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
