#pragma once

#include <residua/arith/real/real.hpp>
#include <residua/io/error.hpp>

namespace residua {

/// How many eigenvalues of a symmetric matrix, and so how many pivots of L D L', have which sign.
struct inertia {
    index_t positive = 0;
    index_t negative = 0;
    index_t zero = 0;
};

/// det(A) by factors, whose precision decides how good it is.
struct determinant_estimate {
    real value;
    real relative_error;  ///< an estimate of it: n (cond(S) + 3) units of the factors, S the scaled matrix
};

}  // namespace residua
