#pragma once

#include <residua/solvers/options/methods.hpp>
#include <residua/solvers/solve_operator.hpp>

namespace residua {

/// What is known of an operator, after products with random vectors.
struct operator_facts {
    real noise;  ///< ||computed A x - A x|| / (||A|| ||x||), an estimate
    real norm;   ///< ||A||_2, from below
};

inline constexpr index_t products_of_a_look = 3;

/// Looks at A by products with two vectors u and v of random numbers of `given_bits` bits, and with their sum.
///
/// noise   8 ||A (u + v) - A u - A v|| / (||A u|| + ||A v||), or 2^-given_bits if that is more
/// throws  error if A is not linear, if its products have far fewer than `needed_bits` bits, or if the method takes A' and
///         u' A v is not v' A' u; unsupported_error if it needs a symmetric A, and u' A v is not v' A u
operator_facts look_at(const given_operator& of, long given_bits, long needed_bits, const method_traits& traits);

}  // namespace residua
