#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <residua/solvers/base/memory.hpp>
#include <residua/solvers/system/scaled_matrix.hpp>
#include <residua/solvers/base/seconds.hpp>
#include <residua/solvers/build/engine.hpp>
#include <residua/solvers/assess/inverse.hpp>
#include <residua/solvers/precond/long_factors.hpp>
#include <residua/solvers/session/placement.hpp>
#include <residua/solvers/session/plan.hpp>
#include <residua/solvers/precond/approximate_inverse.hpp>
#include <residua/solvers/solve.hpp>
#include <residua/solvers/system/structure.hpp>
#include <residua/solvers/system/true_residual.hpp>

namespace residua {

/// One right-hand side at work.
struct solve_column {
    index_t index;  ///< among the right-hand sides, from 0
    const std::vector<real>& b;

    std::vector<real> x{};  ///< the best so far
    residual_evaluation at_x{};
    real tolerance{};         ///< of the 2-norm of the residual
    candidate used{};         ///< what corrected it last
    bool had_engine = false;  ///< or would have
    long wanted_bits = 0;     ///< for its next corrections
    index_t left_at = 0;      ///< its iterations when the precision at work began
    std::string engine_message{};
    seen_spectrum spectrum{};     ///< of the longest run
    bool out_of_memory = false;   ///< a longer format, or another method, did not fit
    bool scales_mislead = false;  ///< the residual of the scaled matrix fell far, that of A did not
    solve_report report{};
};

/// Of one right-hand side at work and of its result, beyond their vectors: with the numbers, the words and a short history
/// of a report.
inline constexpr double bytes_of_column = sizeof(solve_column) + sizeof(solve_result) + 2048.0;

/// One call of solve(): the loop of corrections around the methods. All right-hand sides go through the same methods and
/// precisions, as far as each needs them, so that a method is made once for those that are still there.
class driver {
public:
    driver(const linear_system& system, const std::vector<const std::vector<real>*>& right_hand_sides,
           const solve_options& options);

    /// One result for each right-hand side.
    std::vector<solve_result> run();

private:
    using column_list = std::vector<solve_column*>;

    void validate();
    bool solve_trivially(solve_column& c) const;
    void prepare();
    void begin(solve_column& c);
    void finish(solve_column& c);

    /// Whether a GPU that nobody asked for was at work: from now on the host is.
    bool leave_gpu();
    /// What x has is kept when memory or a device fails after the first correction.
    ///
    /// throws  `lack` if there was none yet, of any right-hand side
    void fall_short(long bits, const resource_error& lack, const column_list& columns);

    void solve_by_plan(const column_list& columns);
    /// Corrections by one candidate in one precision until the stopping test holds or no more
    /// progress is made.
    void attempt(const candidate& choice, long bits, const column_list& columns);
    /// The same by what each used last in wanted_bits, those alike together; `then` is called for each while the engine
    /// is there, with the corrections that it had before.
    void attempt_again(column_list columns, const std::function<void(solve_column&, index_t)>& then);
    void make_engine_for(const candidate& choice, long bits, const column_list& columns);
    /// Makes M for the matrix of the engine, and lets the request name it; why there is none, or nothing.
    std::string make_preconditioner(const candidate& choice, engine_request& request);
    /// The same for LU or Cholesky factors.
    std::string make_factors(const candidate& choice, engine_request& request);
    /// A GPU that was asked for: one that is taken unasked leaves factors the bits of the host.
    std::optional<cuda_executor> factor_device() const;
    void tell_engine(const column_list& columns) const;
    /// Whether the column is to be corrected; else its status says why not.
    bool wants_correction(solve_column& c, long bits);
    /// x becomes x + d if that is better; whether a further correction may help.
    bool take(solve_column& c, correction& of, long bits);
    /// How far a correction is to reduce the residual of the matrix that the method sees.
    double inner_target(const solve_column& c, long bits) const;
    stop_rule inner_rule(solve_column& c, double target);
    void record(solve_column& c, index_t iteration, const real& recursive, bool exact);
    /// The residual of x with an error far below itself, so that it can be told.
    void sharpen_residual(solve_column& c);
    /// That so many bits, or a method with its factors, which are left, did not suffice.
    void leave(solve_column& c, long bits, index_t iterations, std::string why) const;
    /// The same by the way it ended, with the iterations since the last time.
    void leave_for_next(solve_column& c, long bits) const;

    /// Smaller tolerances, then more bits, until the forward error estimate backs the wanted digits. All have converged.
    void pursue_digits(const column_list& columns);
    /// Whether more are wanted that corrections may give; then with which tolerance, in how many bits.
    bool wants_digits(solve_column& c);
    /// What x = 0 is worth where b = 0 and digits are asked for.
    void judge_zero(solve_column& c);
    /// The next factors of the plan where those at work were the limit and longer ones fit wanted_bits.
    bool take_longer_factors(solve_column& c) const;
    /// A longer format than wanted_bits, if the options allow one.
    bool leave_for_digits(solve_column& c);
    /// The bits of x, and what it is worth.
    void judge(solve_column& c);
    void estimate_forward_error(solve_column& c);
    void choose_solution_bits(solve_column& c);
    /// Made once for all columns that the engine at work corrects.
    const std::optional<inverse_operator>& find_inverse(const solve_column& c);
    void explain(solve_column& c) const;
    /// The condition by what the method saw, where nothing else told it.
    void report_spectrum(solve_column& c) const;
    std::optional<part_seconds> seconds_of_parts() const;  ///< empty: not measured
    std::optional<double> used_bytes() const;              ///< empty: not measured

    /// Where a part's seconds are added up; null: they are not measured.
    double* part(double part_seconds::*which);
    bool profiles() const { return options_.profile != profiling::none; }

    /// b - A x with about this error; for lsqr far below ||b - A x|| too, and with A'(b - A x).
    residual_evaluation evaluate(const solve_column& c, const std::vector<real>& x, const real& wanted_error);
    residual_evaluation evaluate_untimed(const solve_column& c, const std::vector<real>& x,
                                         const real& wanted_error) const;
    /// What falls as x improves: ||r||, for lsqr ||A'r|| to the same scale where that is closer to its tolerance.
    real merit(const solve_column& c, const residual_evaluation& at) const;
    bool passes(const solve_column& c, const residual_evaluation& at) const;
    bool passes_normal(const solve_column& c, const residual_evaluation& at) const;
    /// ||A'r|| / (||A||_F ||r||), r not zero
    real normal_ratio(const residual_evaluation& at) const;
    /// A'r with an error far below itself, so that it can be told.
    void sharpen_normal(solve_column& c);
    /// The same ratio to be told: where errors are not far below the norms, a bound on it.
    real normal_bound(const residual_evaluation& at) const;
    std::optional<solve_status> stop_requested() const;
    bool may_escalate(const solve_column& c) const;        ///< the options allow a longer format, and there is one
    bool more_bits_may_help(const solve_column& c) const;  ///< against the way the last attempt ended
    long next_precision(long bits) const;
    double seconds() const;

    const linear_system& system_;
    const solve_options& options_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();

    matrix_structure structure_;
    real norm_;                                // ||A||_inf
    std::optional<linear_system> transposed_;  // of lsqr, with norm_frobenius_
    real norm_frobenius_;
    scaled_matrix matrix_;
    std::optional<scaled_matrix> unscaled_;  // for factors in a format whose range needs no scaling
    binary64_factors factors_;
    triangular_factors incomplete_;  // of the candidate at hand, incomplete or in binary32, or
    approximate_inverse approximate_;
    std::unique_ptr<long_factors> long_factors_;  // kept from precision to precision, as those of binary64
    long long_factor_bits_ = 0;
    solve_plan plan_;
    long first_bits_ = 0;
    index_t max_iterations_ = 0;
    double setup_seconds_ = 0.0;
    double predicted_bytes_ = 0.0;
    part_seconds parts_;  // `vectors`: all that a method does
    method_seconds method_seconds_;
    bool parts_known_ = true;  ///< false: a device was at work that nothing is to wait for
    std::optional<resident_memory> memory_before_;

    std::vector<solve_column> columns_;
    std::unique_ptr<correction_engine> engine_;  // of engine_choice_ in engine_bits_
    candidate engine_choice_{};
    long engine_bits_ = 0;
    placement place_;
    /// Of A, by other factors than those of the engine at work, and by these; empty: not looked for yet.
    std::array<std::optional<std::optional<inverse_operator>>, 2> inverse_;
    bool without_gpu_ = false;  ///< one that nobody asked for has failed
};

}  // namespace residua
