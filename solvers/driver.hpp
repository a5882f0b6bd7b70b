#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <residua/solvers/base/scaled_matrix.hpp>
#include <residua/solvers/engine.hpp>
#include <residua/solvers/plan.hpp>
#include <residua/solvers/solve.hpp>
#include <residua/solvers/structure.hpp>
#include <residua/solvers/true_residual.hpp>

namespace residua {

/// One call of solve(): the loop of corrections around the methods.
class driver {
public:
    driver(const linear_system& system, const solve_options& options);

    solve_result run();

private:
    void validate() const;
    bool solve_trivially();
    void prepare();

    /// What x has is kept when memory or a device fails after the first correction.
    ///
    /// throws  `lack` if there was none yet
    /// Whether a GPU that nobody asked for was at work: from now on the host is.
    bool leave_gpu();
    solve_status fall_short(long bits, const resource_error& lack);

    void solve_by_plan();
    /// Corrections by one candidate in one precision until the stopping test holds or no more
    /// progress is made.
    solve_status attempt(const candidate& choice, long bits);
    void make_engine_for(const candidate& choice, long bits);
    stop_rule inner_rule(double target);
    void record(index_t iteration, const real& recursive, bool exact);
    /// The residual of x_ with an error far below itself, so that it can be told.
    void sharpen_residual();

    /// Smaller tolerances, then more bits, until the forward error estimate backs the wanted digits.
    void pursue_digits();
    void estimate_forward_error();
    void choose_solution_bits();
    void explain();

    bool passes(const residual_evaluation& at) const;
    std::optional<solve_status> stop_requested() const;
    real known_condition() const;     ///< 0: unknown
    bool may_escalate() const;        ///< the options allow a longer format, and there is one
    bool more_bits_may_help() const;  ///< against the way the last attempt ended
    long next_precision(long bits) const;
    double seconds() const;

    const linear_system& system_;
    const solve_options& options_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();

    matrix_structure structure_;
    scaled_matrix matrix_;
    std::optional<scaled_matrix> unscaled_;  // for factors in a format whose range needs no scaling
    binary64_factors factors_;
    triangular_factors incomplete_;  // of the candidate at hand
    solve_plan plan_;
    real tolerance_;  // of the 2-norm of the residual
    index_t max_iterations_ = 0;

    std::vector<real> x_;       // the best so far
    residual_evaluation at_x_;  // its residual
    candidate used_{};
    std::unique_ptr<correction_engine> engine_;  // of used_ in report_.precision_bits
    std::string engine_message_;
    bool without_gpu_ = false;    ///< one that nobody asked for has failed
    bool out_of_memory_ = false;  // a longer format, or another method, did not fit
    solve_report report_;
};

}  // namespace residua
