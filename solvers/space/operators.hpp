#pragma once

#include <concepts>

#include <residua/solvers/space/vector_space.hpp>

namespace residua {

/// The identity as an operator or preconditioner of any space. Methods that ask is_identity() do nothing for it.
struct identity_operator {
    bool is_identity() const { return true; }

    template <class S>
    void apply(const S& space, const typename S::vector& x, typename S::vector& y) const
    {
        space.copy(x, y);
    }
};

/// What can be called with (x, y) and sets y = A x, x and y being different vectors: a lambda, as a linear map of the space.
template <class F, class S>
concept operator_function =
    !linear_operator<F, S> && requires(const F& f, const typename S::vector& x, typename S::vector& y) { f(x, y); };

/// What methods with few arguments take for a linear map.
template <class A, class S>
concept operator_or_function = linear_operator<A, S> || operator_function<A, S>;

/// A linear operator or a function as a linear operator. What it refers to has to outlive it.
template <class S, operator_or_function<S> A>
class operator_view {
public:
    using vector = typename S::vector;

    explicit operator_view(const A& a) : a_(a) {}

    bool is_identity() const { return residua::is_identity(a_); }

    void apply(const S& space, const vector& x, vector& y) const
    {
        if constexpr (linear_operator<A, S>) {
            a_.apply(space, x, y);
        } else {
            a_(x, y);
        }
    }

    /// r = b - A x with every element rounded once; returns false, and does nothing, if the operator does not have it
    bool residual(const S& space, const vector& x, const vector& b, vector& r) const
    {
        if constexpr (requires { a_.residual(space, x, b, r); }) {
            return a_.residual(space, x, b, r);
        } else {
            return false;
        }
    }

private:
    const A& a_;
};

}  // namespace residua
