#pragma once

#include <residua/arith/real/real.hpp>

namespace residua {

/// How far rounding errors can grow in a solve with A.
struct condition_estimate {
    real condition;  ///< the condition of A, in the 1-norm
    /// The condition of the scaled matrix, which says how far factors of that matrix can be trusted. It
    /// equals `condition` unless scale() had to scale rows and columns.
    double scaled = 0.0;
    /// What x may lose in its norm when the scaled system is solved: a bound of the condition of A with its rows
    /// scaled. Scaled rows cost nothing, scaled columns do. It equals `condition` where nothing is scaled.
    real of_x;
};

}  // namespace residua
