#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <residua/arith/real/real.hpp>
#include <residua/io/error.hpp>

namespace residua {

/// How many eigenvalues of a symmetric or hermitian matrix, and so how many pivots of L D L', have which sign.
struct inertia {
    index_t positive = 0;
    index_t negative = 0;
    index_t zero = 0;
};

/// det(A) by factors, whose precision decides how good it is.
struct determinant_estimate {
    real value;           ///< of a complex matrix that is not hermitian |det(A)|
    real relative_error;  ///< an estimate of its error: n (cond(S) + 3) units of the factors, S the scaled matrix
    /// re and im of det(A), of a complex matrix that is not hermitian. relative_error is relative to the modulus, so a part has
    /// fewer digits than that the smaller it is.
    std::optional<std::pair<real, real>> parts = {};

    /// The relative error of a decimal that the value was rounded to, rounded up so that six digits of it are no less.
    real relative_error_of(std::string_view decimal) const
    {
        const real written(decimal, value.precision() + 64);
        const real rounding = is_zero(value) ? abs(written) : abs(written / value - real(1.0));
        return (relative_error + rounding * (real(1.0) + relative_error)) * real(1.00001);
    }
};

/// What shows the rank of a matrix.
enum class rank_source {
    structure,   ///< sums of rows of a Laplacian, or a matrix without rows or columns: certain
    one_prime,   ///< elimination modulo a prime, which found as many pivots as the places of the entries allow: certain
    two_primes,  ///< elimination modulo two primes, each of 23 bits: the rank is more in one case of 10^13 (find_rank())
    /// vectors that A takes to zero, and a random right-hand side with which the rest of A is solved: the rank is less
    /// in one case of 10^12 (show_rank_by_sums(), show_rank_by_constraints())
    part,
    condition  ///< the estimated condition of a square matrix, for which factors suffice: full rank
};
std::string_view to_string(rank_source value) noexcept;
/// "by elimination modulo two primes" and its like.
std::string_view in_words(rank_source value) noexcept;

/// How many rows of a matrix are linearly independent.
struct rank_estimate {
    index_t rank = 0;
    index_t nullity = 0;  ///< columns less the rank
    rank_source source = rank_source::structure;
};

/// The vectors that a matrix takes to zero.
struct null_space_basis {
    rank_estimate rank;
    /// As many as the nullity. Of a Laplacian each is constant on one component and 0 elsewhere. The 2-norms are 1 and
    /// the vectors are orthogonal to each other, to `digits` digits and more.
    std::vector<std::vector<real>> vectors;
    /// Estimate of the largest 2-norm of the part of a vector of norm 1 in their span that is outside of the null
    /// space.
    real error;
    int digits = 0;  ///< that `error` backs: it is at most 10^-digits
};

}  // namespace residua
