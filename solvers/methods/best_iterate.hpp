#pragma once

#include <algorithm>
#include <limits>

#include <residua/io/error.hpp>
#include <residua/solvers/space/shortened.hpp>
#include <residua/solvers/space/space_state.hpp>
#include <residua/solvers/space/vector_space.hpp>

namespace residua {

/// Iterations without a new smallest residual after which a Krylov method counts as stagnated.
/// Without a good preconditioner CG's residual has plateaus of the order of n, and that of
/// BiCGSTAB of several n before it falls (impcol_a, n = 207: 1234 iterations at 212 bits).
inline index_t stagnation_window(index_t n) { return std::clamp<index_t>(10 * n, 2000, 50000); }

/// Keeps the iterate with the smallest residual, at the cost of one copy whenever the residual
/// turns from falling to rising, and none while it falls.
template <vector_space S>
class best_iterate {
public:
    best_iterate(const S& space, index_t n) : x_(space.make_vector(n)) {}

    void start(const S& space, index_t n)
    {
        fit(space, x_);
        residual_ = std::numeric_limits<double>::infinity();
        iteration_ = 0;
        saved_ = false;
        window_ = stagnation_window(n);
    }

    /// Notes the residual of iterate k. `before` is iterate k - 1, kept if it was the best and k is worse.
    void observe(const S& space, index_t k, double residual, const typename S::vector& before)
    {
        if (residual < residual_) {
            residual_ = residual;
            iteration_ = k;
            saved_ = false;
        } else if (k == iteration_ + 1) {
            space.copy(before, x_);
            saved_ = true;
        }
    }

    /// From now on iterates are in another space, and less the last one, `x`.
    void go_on(const S& before, const typename S::vector& x, const S& space)
        requires shortenable_space<S>
    {
        if (saved_) {
            before.axpy(before.make_scalar(-1.0), x, x_);
            round_to(space, x_);
        } else {
            fit(space, x_);
        }
    }

    bool stagnated(index_t k) const { return k - iteration_ > window_; }

    /// Where iterates after the best one were worse, x becomes the best one, and `residual` its residual.
    void restore(const S& space, typename S::vector& x, double& residual) const
    {
        if (saved_) {
            space.copy(x_, x);
            residual = residual_;
        }
    }

    void archive(state_archive& io, const S& space)
    {
        io.value(residual_);
        io.value(iteration_);
        io.value(saved_);
        if (saved_) {
            fit(space, x_);
            residua::archive(io, space, x_);
        }
    }

private:
    typename S::vector x_;
    double residual_ = 0.0;
    index_t iteration_ = 0;
    index_t window_ = 0;
    bool saved_ = false;
};

}  // namespace residua
