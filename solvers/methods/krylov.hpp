#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <residua/io/interruption.hpp>
#include <residua/solvers/methods/best_iterate.hpp>
#include <residua/solvers/options/stop.hpp>
#include <residua/solvers/space/space_state.hpp>
#include <residua/solvers/space/vector_space.hpp>

namespace residua {

/// `count` vectors of n zeros.
///
/// throws   resource_error; io::stopped_error where work may be stopped
template <vector_space S>
std::vector<typename S::vector> make_vectors(const S& space, index_t n, index_t count)
{
    std::vector<typename S::vector> vectors;
    for (index_t i = 0; i < count; ++i) {
        io::ask_for_stop();  // many vectors take long to clear
        vectors.push_back(space.make_vector(n));
    }
    return vectors;
}

/// make_vectors() where the count is known, for `auto& [r, p, q] = ...`.
template <std::size_t Count, vector_space S>
std::array<typename S::vector, Count> make_vectors(const S& space, index_t n)
{
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
        return std::array<typename S::vector, Count>{((void)I, space.make_vector(n))...};
    }(std::make_index_sequence<Count>{});
}

/// The workspace of a method that needs a fixed number of vectors of n elements, of scalars where the vectors are, and
/// the best iterate.
template <vector_space S, std::size_t Vectors, index_t Scalars>
struct krylov_workspace {
    std::array<typename S::vector, Vectors> vectors;
    typename S::scalars scalars;
    best_iterate<S> best;

    krylov_workspace(const S& space, index_t n)
        : vectors(make_vectors<Vectors>(space, n)), scalars(space.make_scalars(Scalars)), best(space, n)
    {}

    /// What a state has of a run, for krylov_run::begin(): all of this but `best`, and some scalars on the host.
    template <class... T>
    auto state(const S& space, T&... others)
    {
        return [&, this](state_archive& io) {
            archive_arrays(io, space, vectors);
            archive_scalars(io, space, scalars, Scalars);
            archive_all(io, space, others...);
        };
    }
};

/// What rows of the registry (methods/list.hpp) have in common where Row::run(space, a, m, b, x, rule, work) is the method.
template <class Row, template <vector_space> class Workspace>
struct method_of_a_and_m {
    template <vector_space S>
    static auto make_workspace(const S& space, const auto& of)
    {
        return Workspace<S>(space, of.rows);
    }

    static iteration_report run_method(const auto& space, const auto& of, const auto& at, auto& work)
    {
        return Row::run(space, of.a, of.m, at.b, at.x, at.rule, work);
    }
};

/// What a run of a Krylov method keeps beside its recursion: the report, the best iterate, when it ends, and the power of
/// two by which the vectors of the recursion are scaled.
///
/// An iteration observes the residual of its iterate, lets x follow, and asks whether the run ends, before its own work:
/// so an exact guess or b = 0 is iteration zero and not a breakdown. Its vectors and scalars hold 2^shift times those of
/// the recursion, where they are rescaled with r, and x is free of that.
template <vector_space S>
class krylov_run {
public:
    using scalar = typename S::scalar;
    using real_scalar = residua::real_scalar<S>;
    using vector = typename S::vector;

    iteration_report report;

    /// A run begins when the first residual is there; x holds the iterates, or what x is made of in the end. ||b|| is read
    krylov_run(const S& space, const vector& b, vector& x, const stop_rule& rule, best_iterate<S>& best)
        : space_(space), x_(&x), rule_(rule), best_(best), scale_(residual_scale(space, b))
    {
        best_.start(space, space.size(x));
        report.matvecs = 1;
    }

    /// The iteration that the run begins with: 0, or the one before which an earlier run has left its state. Then `state` gets
    /// what it passed to archives: all that the method has beside this object.
    template <class State>
    index_t begin(const State& state)
    {
        index_t k = 0;
        if (rule_.keeper != nullptr) {
            rule_.keeper->find([&](state_archive& io) { archive_run(io, state, k); });
        }
        return k;
    }

    /// Before iteration k: leaves the state if that is due, or if the run has to end with that iteration.
    template <class State>
    void go_on(index_t k, const State& state)
    {
        if (rule_.keeper == nullptr) {
            return;
        }
        asked_to_stop_ = rule_.poll ? rule_.poll() : std::nullopt;
        if (asked_to_stop_ || rule_.keeper->is_due()) {
            rule_.keeper->keep([&](state_archive& io) { archive_run(io, state, k); });
        }
    }

    /// Notes ||r_k||, as the recursion has it, while x is still iterate k - 1.
    void observe(index_t k, const real_scalar& norm)
    {
        report.iterations = k;
        finite_ = is_finite(norm);
        residual_ = ratio(norm);
        best_.observe(space_, k, residual_, *x_);
    }

    /// Whether the norm that was observed is a number.
    bool finite() const { return finite_; }

    /// Whether the run ends with the iterate that was observed, which is x now. If so, the report says how.
    bool ends()
    {
        const std::optional<solve_status> status = finite_ ? stop() : solve_status::breakdown;
        if (status) {
            end(*status, finite_ ? "" : breakdowns::not_finite);
        }
        return status.has_value();
    }

    /// Observes iterate k, which x becomes by `step` if k > 0, and returns whether the run ends with it.
    template <class Step>
    bool ends(index_t k, const real_scalar& norm, const Step& step)
    {
        observe(k, norm);
        if (k > 0) {
            step();
        }
        return ends();
    }

    /// What the rule says about the iterate that was observed; asked once an iteration.
    std::optional<solve_status> stop() const
    {
        const index_t k = report.iterations;
        if (rule_.on_iteration) {
            rule_.on_iteration(k, residual_);
        }
        if (residual_ <= rule_.relative_residual) {
            return solve_status::converged;
        }
        if (asked_to_stop_) {
            return asked_to_stop_;
        }
        if (rule_.poll) {
            if (const std::optional<solve_status> status = rule_.poll()) {
                return status;
            }
        }
        if (k >= rule_.max_iterations) {
            return solve_status::not_converged;
        }
        return best_.stagnated(k) ? std::optional(solve_status::stagnated) : std::nullopt;
    }

    /// Ends the run: x becomes the best iterate, unless the last one is the solution. Returns the report.
    iteration_report end(solve_status status, std::string message = {})
    {
        report.status = status;
        report.message = std::move(message);
        report.recursive_residual = residual_;
        if (status != solve_status::converged) {
            best_.restore(space_, *x_, report.recursive_residual);
        }
        return report;
    }
    iteration_report broken(const char* why) { return end(solve_status::breakdown, why); }

    /// Multiplies these vectors of the recursion, r among them, by 2^up, and returns that; up is from rescaling_exponent().
    real_scalar rescale(int up, std::initializer_list<vector*> vectors)
    {
        const scalar factor = space_.make_scalar(std::ldexp(1.0, up));
        for (vector* const each : vectors) {
            space_.scal(factor, *each);
        }
        shift_ += up;
        return real_part(factor);
    }

    /// The residual that was observed last, over ||b||.
    double residual() const { return residual_; }

    /// The norm of a vector that is not scaled, over ||b||.
    double size(const real_scalar& norm) const { return residual_ratio(norm, scale_); }

    /// To be called when the space of the run is about to become `next`, in which iterates are less the last one.
    void leaves_for(const S& next)
        requires shortenable_space<S>
    {
        best_.go_on(space_, *x_, next);
        scale_ = rounded_to(next, scale_);
    }

    /// From now on x holds the iterates.
    void sums_in(vector& x) { x_ = &x; }

    /// A step along a direction that is scaled, without that scaling, as x needs it.
    scalar unscaled(const scalar& a) const { return ldexp(a, -shift_); }

    /// The norm of a residual of the recursion without its scaling, over ||b||; infinity if it is no number.
    double ratio(const real_scalar& norm) const
    {
        return is_finite(norm) ? residual_ratio(norm, scale_, shift_) : std::numeric_limits<double>::infinity();
    }

private:
    /// `state` comes first: it may change the space.
    template <class State>
    void archive_run(state_archive& io, const State& state, index_t& k)
    {
        io.value(k);
        state(io);
        archive_all(io, space_, *x_, scale_);
        report.archive(io);
        io.value(shift_);
        io.value(residual_);
        best_.archive(io, space_);
    }

    const S& space_;
    vector* x_;
    const stop_rule& rule_;
    best_iterate<S>& best_;
    real_scalar scale_;
    int shift_ = 0;
    bool finite_ = true;
    std::optional<solve_status> asked_to_stop_;
    double residual_ = std::numeric_limits<double>::infinity();
};

}  // namespace residua
