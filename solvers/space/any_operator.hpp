#pragma once

#include <cstddef>
#include <functional>

#include <residua/solvers/base/seconds.hpp>
#include <residua/solvers/space/vector_space.hpp>

namespace residua {

/// Any linear operator of the space: a method is compiled once for a format. Without `function` it is the identity.
template <class S>
struct any_operator {
    using vector = typename S::vector;

    std::function<void(const S&, const vector&, vector&)> function;
    std::function<void(const S&, const vector&, const vector&, vector&)> exact_residual;
    /// Both for several vectors at once; may be empty. exact_residuals returns false where it cannot serve them.
    std::function<void(const S&, const const_columns<S>&, const columns<S>&)> together;
    std::function<bool(const S&, const const_columns<S>&, const const_columns<S>&, const columns<S>&)> exact_residuals;
    double* seconds = nullptr;  ///< the sum for the seconds of all calls; null: not measured

    bool is_identity() const { return !function; }

    void apply(const S& space, const vector& x, vector& y) const
    {
        if (is_identity()) {
            space.copy(x, y);
        } else {
            timed(space, seconds, [&] { function(space, x, y); });
        }
    }

    /// r = b - A x with every element rounded once; returns false, and does nothing, without `exact_residual`
    bool residual(const S& space, const vector& x, const vector& b, vector& r) const
    {
        if (exact_residual) {
            timed(space, seconds, [&] { exact_residual(space, x, b, r); });
        }
        return static_cast<bool>(exact_residual);
    }

    bool residuals(const S& space, const const_columns<S>& x, const const_columns<S>& b, const columns<S>& r) const
    {
        bool made = false;
        if (exact_residuals) {
            timed(space, seconds, [&] { made = exact_residuals(space, x, b, r); });
        }
        return made;
    }

    void apply_together(const S& space, const const_columns<S>& x, const columns<S>& y) const
    {
        if (together) {
            return timed(space, seconds, [&] { together(space, x, y); });
        }
        for (std::size_t j = 0; j < x.size(); ++j) {
            apply(space, *x[j], *y[j]);
        }
    }
};

}  // namespace residua
