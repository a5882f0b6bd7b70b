#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <residua/solvers/base/memory.hpp>
#include <residua/solvers/checkpoint/checkpoint.hpp>
#include <residua/solvers/session/correctors.hpp>
#include <residua/solvers/session/deflated.hpp>
#include <residua/solvers/session/find_null_space.hpp>
#include <residua/solvers/session/given_rhs.hpp>
#include <residua/solvers/session/part_watch.hpp>
#include <residua/solvers/session/prepared.hpp>
#include <residua/solvers/session/singular.hpp>
#include <residua/solvers/session/weighted.hpp>
#include <residua/solvers/space/true_residual.hpp>

namespace residua {

/// One right-hand side at work.
struct solve_column {
    index_t index;  ///< among the right-hand sides, from 0
    given_rhs b;
    real reading_error{};  ///< error of reading b: linear_system::rhs_reading_errors

    long_vector rhs{};  ///< b as the evaluation of residuals takes it
    long_vector x{};    ///< the best so far
    residual_evaluation at_x{};
    real tolerance{};                         ///< bound of the 2-norm of the residual
    candidate used{};                         ///< what corrected it last
    std::optional<preconditioner> applied{};  ///< the preconditioner of `used`; empty: nothing corrected it
    bool had_engine = false;                  ///< whether `used` had an engine, and not only a reason why not
    long wanted_bits = 0;                     ///< the precision of its next corrections
    index_t left_at = 0;                      ///< its iterations when the candidate at work began
    std::string note{};                       ///< message of the candidate that was at work last
    seen_spectrum spectrum{};                 ///< spectrum that the longest run saw
    std::optional<candidate> refused{};       ///< the candidate that was to correct it last, and did not fit in memory
    std::string lost_estimate{};              ///< what did not fit in memory, so that its error is not estimated
    bool estimate_stopped = false;            ///< its error is not estimated, because the solve had to end
    bool scales_mislead = false;              ///< the scaled residual fell far, but the residual of A did not
    bool preconditioner_failed = false;       ///< M gave a NaN or an infinity
    bool keeps_bits = false;                  ///< precision stays: a correction that lowered it missed the tolerance
    bool is_silent = false;                   ///< writes no history: its x only serves to judge that of another column
    solve_report report{};
};

static_assert(sizeof(solve_column) + sizeof(solve_result) <= bytes_of_column);

using column_list = std::vector<solve_column*>;

class solver;

/// Products with inverse(A) by systems that the method solves, with the candidate and the precision that they are for.
struct kept_solves {
    candidate choice{};
    long bits = 0;
    std::optional<inverse_operator> inverse{};  ///< empty: the method does not solve them
};

/// What a solver keeps between two calls of solve().
struct solver_parts {
    /// of_a  the parts of A, if these are the parts of A': these are made from those, and use their clock
    solver_parts(std::shared_ptr<const linear_system> matrix, solve_options with, solver_parts* of_a = nullptr);
    solver_parts(const solver_parts&) = delete;
    ~solver_parts();

    /// Makes `prepared` and `correctors` unless they are there. Returns the seconds that this took.
    ///
    /// throws  as prepared_system; io::stopped_error if the solve has to end meanwhile
    part_seconds prepare();
    /// Takes the entries here if processes have them.
    void require_entries();
    /// Finds the rank, unless it is there: by show_rank(), or that of a square matrix by factors that suffice for its
    /// condition. Null: it is not known.
    ///
    /// throws  as prepare()
    const shown_rank* find_rank();
    /// The parts of A', made from the parts of A when they are first needed.
    std::pair<prepared_system*, residua::correctors*> transposed_parts();
    /// Ends a call. Parts that it left half made, because it was stopped or lacked memory, are deleted. The next call
    /// makes them as a new solver does.
    void settle() noexcept;

    std::shared_ptr<const linear_system> system;
    solve_options options;
    solver_parts* of_a;
    bool is_deflated = false;      ///< by the caller: A is not asked whether it is singular
    bool stays_elsewhere = false;  ///< whether rows that processes have stay there
    bool alone = false;            ///< there is one right-hand side, and no other will come
    solve_clock own_clock;
    solve_clock& clock;
    /// The checkpoint of this process and of a killed one; null: none is asked for or open. Parts of A' have none.
    std::unique_ptr<checkpoint> states;
    sparse_analyses earlier;  ///< analyses of a matrix with the same pattern, until `prepared` takes them
    std::unique_ptr<prepared_system> prepared;
    std::unique_ptr<residua::correctors> correctors;
    kept_solves solves;
    std::unique_ptr<prepared_system> transposed;
    std::unique_ptr<residua::correctors> transposed_correctors;
    std::unique_ptr<solver> augmented;          ///< solver of the augmented system of least squares
    std::unique_ptr<singular_solver> singular;  ///< of a matrix that is known to be singular
    std::unique_ptr<deflated_solver> deflated;  ///< of a matrix whose null space is given
    std::unique_ptr<weighted_solver> weighted;  ///< of least squares with weights or damping
    std::optional<shown_rank> rank;             ///< of the matrix, once it was asked for
};

/// One call of solver::solve(): its right-hand sides, and what the solver keeps for them.
struct session {
    solver_parts& kept;
    prepared_system& prepared;
    residua::correctors& correctors;
    std::vector<solve_column> columns;
    index_t max_iterations = 0;  ///< limit for each column
    index_t restart = 0;         ///< candidate::restart, once cycles of the default length stagnated
    part_watch& parts;
    std::vector<candidate> refused{};  ///< candidates that did not fit in memory
    std::string lack{};                ///< message about the last candidate in `refused`

    const solve_options& options() const { return prepared.options(); }
    const linear_system& system() const { return prepared.system(); }
    std::optional<solve_status> stop_requested() const { return prepared.clock().stop_requested(); }
    bool has_fixed_bits() const { return options().precision_bits > 0 && options().digits == 0; }
    /// Digits are asked for, and no tolerance of the residual.
    bool is_judged_by_digits() const { return options().digits > 0 && !options().rtol && !options().atol; }
    bool profiles() const { return options().profile != profiling::none; }

    /// Whether x of any column was ever corrected.
    bool has_corrections() const;
};

// run_session.cpp

/// Solves all columns that are not solved yet, from their first residual to their reports.
void run_session(session& s);

// correct.cpp: corrections of x.

/// Adds a line to the history; `exact`: with the true residual.
void record(session& s, solve_column& c, index_t iteration, const real& recursive, bool exact);

/// Sets x, its tolerance and its residual at the beginning.
void begin(session& s, solve_column& c);

/// Corrects the columns by one candidate in one precision, until the stopping test holds or no more progress is made.
/// The status of each says which. A candidate that does not fit in memory is `refused`, and x stays as it is.
void correct(session& s, const candidate& choice, long bits, const column_list& columns);

/// x is carried in twice the p bits of the method, and 8 more, so that rounding x does not limit a residual of 2^-2p.
constexpr long carried_bits(long bits) { return 2 * bits + 8; }

/// 2^-0.9p, the default relative tolerance; binary64's range may not hold it.
real default_rtol(long bits);

// tests.cpp: the residual of x, and what x is judged by: that residual or, for least squares, the one of the normal equations.

/// b - A x with about this error. For least squares the error is far below ||b - A x|| too, and A'(b - A x) is added.
residual_evaluation evaluate(session& s, solve_column& c, const long_vector& x, const real& wanted_error);

/// Evaluates the residual of x with an error far below its norm, so that it can be reported.
void sharpen_residual(session& s, solve_column& c);

bool passes(const session& s, const solve_column& c, const residual_evaluation& at);
/// The quantity that falls as x improves: ||r||, or for least squares ||A'r|| on the same scale where that is closer to
/// its tolerance. Where the scales of rows mislead and digits are what counts, it is the residual of the scaled matrix.
real merit(const session& s, const solve_column& c, const residual_evaluation& at);
/// ||A'r|| / (||A||_F ||r||), r not zero
real normal_ratio(const session& s, const residual_evaluation& at);
/// normal_ratio() for a report: where errors are not far below the norms, an upper bound of it.
real normal_bound(const session& s, const residual_evaluation& at);
/// Evaluates A'r with an error far below its norm, so that it can be reported.
void sharpen_normal(session& s, solve_column& c);

// escalate.cpp: which candidate comes next, and when more bits are needed.

/// Solves all columns by the candidates of the plan, in one precision after the other, as far as each needs them.
void solve_by_plan(session& s, const column_list& columns);

/// The next precision that the options allow for this column; 0: there is none.
long next_precision(const session& s, const solve_column& c, long bits);

/// Records that a precision, or a method with its factors, did not suffice or did not fit, and why.
void leave(solve_column& c, long bits, index_t iterations, std::string why);

// digits.cpp: from a solved system to one with the digits that were asked for.

/// Whether a column that stagnated has the digits asked for, where the caller set no tolerance. Rows of very different
/// sizes can keep the norm of the residual from falling, and not the error of x. If so, the column has converged.
bool has_digits_already(session& s, solve_column& c);

/// Lowers tolerances, then adds bits, until the forward error backs the digits asked for. All columns have converged.
void pursue_digits(session& s, const column_list& columns);

// judge.cpp: what x is worth.

/// Chooses the precision of x, and estimates its forward error.
void judge(session& s, solve_column& c);
/// Estimates the forward error alone.
void estimate_forward_error(session& s, solve_column& c);
/// Judges x = 0, where b = 0 and digits are asked for.
void judge_zero(session& s, solve_column& c);
/// Completes the report of a column at its end.
void finish(session& s, solve_column& c);

// limits.cpp

/// Why the column ended as it did, and what may help.
verdict find_verdict(const session& s, const solve_column& c);

}  // namespace residua
