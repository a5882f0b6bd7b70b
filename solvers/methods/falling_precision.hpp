#pragma once

#include <optional>
#include <utility>

#include <residua/solvers/methods/krylov.hpp>
#include <residua/solvers/methods/precision_schedule.hpp>
#include <residua/solvers/space/shortened.hpp>
#include <residua/solvers/space/vector_space.hpp>

namespace residua {

/// The space in which a method goes on, and the sum of its steps there: at first the space that it was called with and x
/// itself. When the bits fall, x takes the sum up, and the vectors of the recursion are rounded.
///
/// Spaces that cannot be shortened stay, at no cost.
template <vector_space S>
class falling_precision {
public:
    using vector = typename S::vector;

    falling_precision(const S& space, vector& x, const stop_rule&, double) : space_(space), x_(x) {}

    const S& space() const { return space_; }
    vector& sum() { return x_; }
    void finish() {}
    void archive(state_archive&, krylov_run<S>&) {}

private:
    const S& space_;
    vector& x_;
};

template <shortenable_space S>
class falling_precision<S> {
public:
    using vector = typename S::vector;

    /// matrix_norm  as in precision_schedule; it must be 0 where A or M is not defined in other bits
    falling_precision(const S& space, vector& x, const stop_rule& rule, double matrix_norm)
        : full_(space),
          space_(space),
          x_(x),
          sum_(&x),
          schedule_(precision_of(space), rule.relative_residual, rule.keeps_bits ? 0.0 : matrix_norm)
    {}

    const S& space() const { return space_; }
    vector& sum() { return *sum_; }

    /// Asked once an iteration, when sum() has iterate k: whether the bits fall. If so, the run goes on in fewer bits,
    /// with an empty sum, and all other vectors and scalars are to be rounded to space().
    bool falls(index_t k, krylov_run<S>& run)
    {
        const double residual = run.residual();
        if (!schedule_.is_due(k, residual) ||
            !schedule_.falls(k, residual, run.size(space_.norm2(sum())), run.report.spectrum)) {
            return false;
        }
        const S next = full_.shortened(schedule_.bits());
        run.leaves_for(next);
        finish();
        space_ = next;
        shorter_.emplace(space_.make_vector(space_.size(x_)));
        sum_ = &*shorter_;
        run.sums_in(*sum_);
        run.report.precision_changes.push_back({k, schedule_.bits()});
        return true;
    }

    /// Archives all but the sum, which is the run's. When it is read, space() and sum() become those that were left.
    void archive(state_archive& io, krylov_run<S>& run)
    {
        schedule_.archive(io);
        bool is_shorter = shorter_.has_value();
        io.value(is_shorter);
        if (!is_shorter) {
            return;
        }
        if (io.reads()) {
            space_ = full_.shortened(schedule_.bits());
            shorter_.emplace(space_.make_vector(space_.size(x_)));
            sum_ = &*shorter_;
            run.sums_in(*sum_);
        }
        residua::archive(io, full_, x_);
    }

    /// Adds the sum to x. To be called at the end.
    void finish()
    {
        if (shorter_) {
            vector exact = full_.make_vector(full_.size(x_));
            convert(space_, *shorter_, full_, exact);
            full_.axpy(full_.make_scalar(1.0), exact, x_);
            shorter_.reset();
            sum_ = &x_;
        }
    }

private:
    const S& full_;
    S space_;
    vector& x_;
    vector* sum_;
    std::optional<vector> shorter_;
    precision_schedule schedule_;
};

}  // namespace residua
