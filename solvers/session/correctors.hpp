#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <residua/solvers/base/seconds.hpp>
#include <residua/solvers/build/engine.hpp>
#include <residua/solvers/build/shared_matrix.hpp>
#include <residua/solvers/planning/placement.hpp>
#include <residua/solvers/precond/made_preconditioner.hpp>
#include <residua/solvers/session/prepared.hpp>

namespace residua {

/// A candidate in a precision, ready to correct residuals, with the preconditioner that it refers to.
struct corrector {
    candidate choice;
    preconditioner applied = preconditioner::none;  ///< what `choice` names, or the kind of its factors above binary64
    long bits = 0;
    placement place;
    std::string kept_on_host;                ///< what the host does although a GPU could, and why; empty: nothing
    std::string failure;                     ///< why there is no engine; empty if there is
    factorization factors;                   ///< what the engine refers to, unless it has none
    made_preconditioner made;                ///< what the engine refers to, unless it has factors
    std::unique_ptr<shared_matrix> inverse;  ///< the same, where processes have the rows of the matrix
    bool is_unscaled = false;                ///< `direct` in a format whose range needs no scaling
    std::unique_ptr<correction_engine> engine;
    bool inverse_sought = false;
    std::optional<inverse_operator> inverse_of_a;  ///< by the factors of `direct`, where it was asked for

    /// Writes into a report where it computes.
    void tell_place(solve_report& report) const;
};

/// The correctors of a solver. The two that were used last are kept, so that a later right-hand side finds them made.
class correctors {
public:
    correctors(prepared_system& of, bool measures_seconds) : prepared_(of), measures_(measures_seconds) {}

    /// The corrector for a candidate in `bits` bits, made if it is not there. One that was returned before the last
    /// call may be gone.
    ///
    /// columns  how many right-hand sides are solved together
    /// throws   resource_error if it does not fit, and then none is kept; cuda_error if a device fails
    corrector& get(const candidate& choice, long bits, index_t columns);

    /// Gives up what was made.
    void clear() { made_.clear(); }

    /// Returns whether `failed` is a GPU that the caller did not ask for. If so, the host computes from now on.
    bool leave_gpu(const placement& failed);

    /// Seconds of all engines made here; meaningless where `seconds_are_known` is false: a device was not waited for.
    method_seconds& seconds() { return seconds_; }
    bool seconds_are_known() const { return seconds_are_known_; }

private:
    std::unique_ptr<corrector> make(const candidate& choice, long bits, index_t columns);
    std::string make_preconditioner(corrector& c, engine_request& request);
    std::string make_factors(corrector& c, engine_request& request);
    void keep_on_host(corrector& c, engine_request& request, const arithmetic& in);

    static constexpr std::size_t kept = 2;

    prepared_system& prepared_;
    std::vector<std::unique_ptr<corrector>> made_;  // the last one was used last
    index_t several_ = 0;                           // how many columns the engines in made_ were made for
    bool measures_;
    bool without_gpu_ = false;
    bool seconds_are_known_ = true;
    method_seconds seconds_;
};

}  // namespace residua
