#pragma once

#include "bind.hpp"

namespace residua::python {

/// A linear operator of which only products are known: Python computes them, from Reals to Reals. Without a function it
/// is the identity.
class operator_product {
public:
    /// function: None or what can be called; it must outlive the object.
    explicit operator_product(PyObject* function) : function_(function) {}

    explicit operator bool() const { return function_ != nullptr && function_ != Py_None; }

    /// Takes the GIL. What the function raises is thrown.
    std::vector<real> operator()(std::vector<real> x) const;

private:
    PyObject* function_;
};

/// What is known of an operator, after products with random vectors.
struct operator_facts {
    real noise;  ///< ||computed A x - A x|| / (||A|| ||x||), an estimate
    real norm;   ///< ||A||_2, from below
};

inline constexpr index_t products_of_a_look = 3;

/// Looks at A by products with two vectors u and v of random numbers of `bits` bits, and with their sum.
///
/// noise   eight times the norm of A (u + v) - A u - A v over those of A u and A v, 2^-given_bits at least
/// throws  argument_error if A is not linear, or its products have far fewer than `needed_bits` bits; unsupported_error
///         if `symmetric`, and u' A v is not v' A u, or, with a_t, u' A v is not v' A' u
operator_facts look_at(const operator_product& a, const operator_product& a_t, index_t rows, index_t cols,
                       long given_bits, long needed_bits, bool symmetric, const std::string& method_name);

}  // namespace residua::python
