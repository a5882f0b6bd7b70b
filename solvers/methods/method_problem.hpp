#pragma once

#include <residua/solvers/options/stop.hpp>
#include <residua/solvers/space/any_operator.hpp>
#include <residua/solvers/space/vector_space.hpp>

namespace residua {

/// What a method of the registry is made for: A x = b with a preconditioner M, for any b.
template <vector_space S>
struct method_problem {
    any_operator<S> a, m;      ///< A (rows x cols) and M (cols x rows)
    any_operator<S> a_t, m_t;  ///< A' and M'; the identity for methods that do not take them
    index_t rows = 0;
    index_t cols = 0;
    double matrix_norm = 0.0;  ///< >= || |A| ||_2, where A and M apply in any bits of the space; 0: not, or not known
    bool flexible = false;     ///< M may be another map in every step: cg and gmres are flexible then
    bool complex_linear_m = false;  ///< of a real form: M and M' are real forms, too, to all digits
    index_t restart = 0;            ///< solve_options::restart
};

/// One right-hand side of a method that takes several.
template <class Vector>
struct method_column {
    const Vector& b;
    Vector& x;  ///< the initial guess on entry
    const stop_rule& rule;
    bool begins_at_zero = false;  ///< x is zero on entry: what a method makes of A x then needs no product
};

}  // namespace residua
