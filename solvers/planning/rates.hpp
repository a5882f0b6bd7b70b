#pragma once

#include <residua/solvers/options/predicted_cost.hpp>

namespace residua {

/// Nanoseconds that one thread takes for each operation on numbers of `bits` bits, in the format that is their default.
struct operation_rates {
    double bits;
    double multiply_add;  ///< while factors are made
    double front_entry;   ///< of sparse factors, while they are made, beyond its multiply-adds: small fronts
    double dense_solve;   ///< an entry of dense factors in a solve in their own format, unless it goes by blocks
    double block_solve;   ///< an entry of dense factors in binary64 or less, applied by blocks (dense_triangle)
    double front_solve;   ///< an entry of sparse factors in a solve, or of triangles in a preconditioner
    double product;       ///< an entry of A in a product of a Krylov method
    double residual;      ///< an entry of A in b - A x, rounded once
    double vector;        ///< an unknown in an operation on vectors
};

/// The built-in rates: the same on every machine. Between the measured precisions they are powers of the bits.
///
/// from  bench/results/2026-11-25-host-costs.txt, and the residuals of more than 106 bits from
///       bench/results/2026-11-25-host-residual-digits.txt; solves by blocks relative to dense_solve,
///       bench/results/2026-11-28-host-dense-factors.txt
operation_rates rates_of(double bits);

/// What a GPU takes, roughly: nanoseconds, but for `slowness` and `speed`, which are ratios.
struct gpu_rates {
    double launch = 4000.0;   ///< an operation on vectors, or a product, of a small system
    double level = 2000.0;    ///< a row level of a triangle
    double step = 300.0;      ///< an entry of the longest row of a level, beyond its arithmetic
    double slowness = 12.0;   ///< the arithmetic of one number, relative to a thread of the host
    double speed = 50.0;      ///< operations on many numbers together, relative to a thread of the host
    double copy = 20000.0;    ///< a vector that goes to the host or comes from there, beyond its bytes
    double byte = 1.0 / 6.0;  ///< a byte of such a vector
};

/// Built-in rates. On an H200 a row level of IC(0) of Poisson's equation in the plane takes some 4.5 us at 212 bits, at
/// most three entries in a row, and an iteration of CG on 256 x 256 unknowns 52 us (docs/performance_trials.md).
inline constexpr gpu_rates rates_of_gpu{};

/// Measures one thread of this machine, by one small dense factorisation in each kind of format.
///
/// cost  10 ms
machine_rates measure_rates();

}  // namespace residua
