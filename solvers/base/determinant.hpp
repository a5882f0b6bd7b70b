#pragma once

#include <string_view>

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
    real relative_error;  ///< an estimate of its error: n (cond(S) + 3) units of the factors, S the scaled matrix

    /// The relative error of a decimal that the value was rounded to, rounded up so that six digits of it are no less.
    real relative_error_of(std::string_view decimal) const
    {
        const real written(decimal, value.precision() + 64);
        const real rounding = is_zero(value) ? abs(written) : abs(written / value - real(1.0));
        return (relative_error + rounding * (real(1.0) + relative_error)) * real(1.00001);
    }
};

}  // namespace residua
