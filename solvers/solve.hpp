#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <residua/arith/real/real.hpp>
#include <residua/solvers/options/verdict.hpp>
#include <residua/solvers/base/number_format.hpp>
#include <residua/solvers/options/methods.hpp>
#include <residua/solvers/options/stop.hpp>
#include <residua/solvers/matrix/linear_system.hpp>

namespace residua {

/// Where a method computes. `automatic` takes a GPU only for RNS floats that were asked for and for large systems.
enum class executor { automatic, host, cuda };

/// What is measured beside the whole: seconds of each part and memory. `host`: where the host computes, by its clock, at
/// some 0.1 us for each product and each application of a preconditioner; `everywhere`: where a device does, too, which is
/// waited for before and after each of them, so that nothing overlaps.
enum class profiling { none, host, everywhere };

std::string_view to_string(number_format value) noexcept;
std::string_view to_string(executor value) noexcept;

/// Whether this build has a CUDA side.
bool built_with_cuda() noexcept;

/// The precisions that a format is raised through, in bits, ascending: 53, 106, 159, 212, 318, 424, 636, 848, 1272,
/// 1696, 2544, 3392, 4096 by default, expansions from 106 to 1696 of them, multi-digit floats 128, 192, 256, 384, ...,
/// 4096. A request for so many bits is served by the next one; RNS floats serve any up to rns_format::most_bits, by the
/// next of theirs, some 15 bits apart; multi-digit floats any from 64 to 4096, exactly.
const std::vector<long>& available_precisions(number_format format = number_format::automatic);

/// The format that serves so many bits by default, by the tuning table: native to 53, expansion, multidigit to 4096.
/// refine, which lives by exact residuals, has a border of its own.
///
/// throws  unsupported_error beyond
number_format format_of(long bits, method m = method::automatic);

/// One line of the convergence history.
struct history_entry {
    index_t column = 0;  ///< which of several right-hand sides, from 0
    index_t iteration = 0;
    real recursive;             ///< recursive ||r|| / ||b||
    std::optional<real> exact;  ///< true ||b - A x|| / ||b||, where it was computed
    double seconds = 0.0;       ///< since the solve began
    long precision_bits = 0;
};

struct solve_options {
    residua::method method = residua::method::automatic;
    residua::preconditioner preconditioner = residua::preconditioner::automatic;
    number_format format = number_format::automatic;
    long precision_bits = 0;  ///< 0: chosen, and raised where it does not suffice
    /// of the factors of refine and gmres_ir, served by binary32, by binary64 or, dense, by binary32 with
    /// products of 11 bits or by a longer format; 0: binary64, then more where corrections by these stagnate and dense
    /// factors are cheap
    long factor_bits = 0;
    std::optional<real> rtol = {};  ///< default 2^(-0.9 p)
    std::optional<real> atol = {};  ///< default 0
    residua::executor executor = residua::executor::automatic;
    int device = 0;              ///< which GPU, from 0
    int threads = 0;             ///< of the host; 0: what OpenMP takes, but no more than io::available_processors()
    index_t max_iterations = 0;  ///< 0: 10 n, at least 1000
    index_t restart = 50;        ///< of GMRES
    int digits = 0;              ///< wanted correct digits of x; 0: not asked
    double time_limit_seconds = 0.0;  ///< of each solve; 0: none
    bool estimate_condition = true;   ///< also the forward error; costs factors
    profiling profile = profiling::none;
    std::vector<real> initial_guess = {};  ///< empty: zero; of several right-hand sides one after the other
    /// of iluk its level, of ilut its entries beyond those of A; empty: their own
    std::optional<index_t> fill = {};
    /// a file in which the solve leaves its state, for another one to go on from: docs/checkpoints.md; empty: none
    std::string checkpoint = {};
    bool resume = false;               ///< goes on from the checkpoint, which is there, and leaves later states in it
    double checkpoint_seconds = 60.0;  ///< between two saves of one thing
    /// called when a state cannot be saved, with the reason; the solve goes on; may be empty
    std::function<void(const std::string&)> on_checkpoint_failure = {};
    /// called for every history entry as it is made; may be empty
    std::function<void(const history_entry&)> on_history = {};
    /// asked at least ten times a second, by one thread at a time, which need not be the caller's; true ends the solve with
    /// the best x so far; may be empty
    std::function<bool()> interrupted = {};
};

/// Where a forward error comes from.
enum class error_kind {
    estimated,  ///< from the true residual and an estimate of the norm of inverse(A)
    compared,   ///< the distance to a solution that was computed independently in more bits
    unknown     ///< neither could be had
};
std::string_view to_string(error_kind value) noexcept;

/// Where a condition estimate comes from.
enum class condition_source {
    unknown,
    factors,      ///< factors of A, in the 1-norm
    solves,       ///< systems with A and A' that the method solved to one digit, in the 1-norm
    lower_bound,  ///< factors of A that do not suffice for its condition: it is at least so large, in the 1-norm
    method        ///< what cg or minres saw on their way, in the 2-norm, of the preconditioned matrix if there is one
};
std::string_view to_string(condition_source value) noexcept;

/// A step to another method, to more bits of the factors, or to a higher precision; where memory does not suffice, to what needs
/// less of it.
struct escalation {
    long precision_bits = 0;  ///< the precision at which this was left
    residua::method method = residua::method::automatic;
    long factor_bits = 0;  ///< 0: of a method without factors of the whole matrix
    index_t iterations = 0;
    real relative_residual;
    std::string reason;
};

/// Where the time of setup_seconds and solve_seconds went. Each second counts for one part: they add up to both.
struct part_seconds {
    double analysis = 0.0;        ///< of the matrix: its structure, norms, the order of its elimination, the plan
    double scaling = 0.0;         ///< making the scaled matrix
    double factors = 0.0;         ///< that the plan needs, with the condition that they tell
    double methods = 0.0;         ///< making them: dense or incomplete factors, the matrix where they compute
    double products = 0.0;        ///< with A, by the method
    double preconditioner = 0.0;  ///< its applications; of direct, solves by the factors
    double vectors = 0.0;         ///< all else that a method does: vectors, inner products, scalars, the history
    double transfers = 0.0;       ///< of residuals to the method, into its format, of corrections from it
    double updates = 0.0;         ///< x + d; b and x into the format of the residuals, x out of it
    double true_residuals = 0.0;
    double estimates = 0.0;  ///< of the condition and the errors
    double rest = 0.0;       ///< all else: checks, callbacks, the report
};

struct solve_report {
    solve_status status = solve_status::not_converged;
    residua::method method = residua::method::automatic;                          ///< the one used
    residua::preconditioner preconditioner = residua::preconditioner::automatic;  ///< the one used
    number_format format = number_format::automatic;                              ///< the one used
    residua::executor executor = residua::executor::host;                         ///< the one used
    std::string device;                                                           ///< the GPU's name; empty on the host
    std::string blas_advice;   ///< where the BLAS does not know this processor: what to do; empty: it does
    std::string kept_on_host;  ///< what the GPU that was asked for could do and the host did, and why; empty: nothing
    long precision_bits = 0;   ///< of the method's arithmetic; of cg at its beginning
    /// of cg: after which iterations its arithmetic went on in other bits
    std::vector<precision_change> precision_changes;
    long factor_bits = 0;    ///< of factors of the whole matrix; 0: none
    long solution_bits = 0;  ///< of x: twice precision_bits where the stopping test needs it
    real rtol, atol;
    real rhs_norm;            ///< ||b||_2
    real recursive_residual;  ///< recursive ||r|| / ||b|| when the method stopped; NaN for direct
    real relative_residual;   ///< true ||b - A x||_2 / ||b||_2 of the returned x, in higher precision
    /// of lsqr: true ||A'r||_2 / (||A||_F ||r||_2), r = b - A x of the returned x; 0 if A'r = 0
    std::optional<real> normal_residual;
    bool least_squares = false;         ///< converged by that one: x solves min ||b - A x||_2, and not A x = b
    real backward_error;                ///< ||b - A x||_inf / (||A||_inf ||x||_inf + ||b||_inf)
    real componentwise_backward_error;  ///< max_i |b - A x|_i / (|A| |x| + |b|)_i; no scaling of rows hides a bad one
    std::optional<real> forward_error;  ///< ||x - x*||_inf / ||x*||_inf, of the kind below; empty: unknown
    error_kind forward_kind = error_kind::unknown;
    int digits = 0;  ///< correct digits that forward_error backs; 0 when unknown
    /// digits that x has, as the condition lets one expect, in common with the solution for the other reading of the texts of A
    /// and b (linear_system::other_reading); empty: there is no other, or the condition is unknown
    std::optional<int> reading_digits;
    std::optional<real> condition;  ///< estimate
    residua::condition_source condition_source = residua::condition_source::unknown;
    std::optional<spectrum_ends> spectrum;  ///< that cg or minres saw
    bool spectrum_of_a = false;             ///< neither preconditioned nor scaled
    bool looks_singular = false;            ///< in every format: x is one of many, or no digit of it is known
    index_t iterations = 0;
    index_t restarts = 0;     ///< of GMRES cycles
    index_t corrections = 0;  ///< times the true residual replaced the recursive one
    index_t matvecs = 0;
    double setup_seconds = 0.0;
    double solve_seconds = 0.0;
    /// of both, by the built-in rates for one thread (planning/rates.hpp), for what the plan begins with; empty: not
    /// predicted, as how many iterations it takes is unknown, or they are bounded only
    std::optional<double> predicted_seconds;
    std::optional<part_seconds> parts;  ///< of all right-hand sides together; empty: not measured
    double predicted_bytes = 0.0;       ///< as predicted_bytes() had them before work started
    /// what the process's resident memory on the host rose by while it solved; empty: not measured, or it stayed below an
    /// older peak
    std::optional<double> used_bytes;
    std::string
        checkpoint_failure;  ///< why the last state could not be saved; empty: it was, or there is no checkpoint
    std::vector<escalation> escalations;
    std::vector<history_entry> history;
    residua::verdict verdict;  ///< why it stopped, what limits, what to try
    std::string message;       ///< the same in plain words, by explain()
};

struct solve_result {
    solve_report report;
    std::vector<real> x;
};

/// Solves A x = b, or by lsqr min ||b - A x||_2.
///
/// The method works in the chosen format on a scaled residual; x is the sum of its corrections,
/// carried in MPFR. After each correction r = b - A x is computed anew with a proved error far
/// below the tolerance, and only that residual decides: `converged` means
/// ||b - A x||_2 <= max(rtol ||b||_2, atol). The x with the smallest such residual is returned. Of lsqr it also means
/// ||A'r||_2 <= rtol ||A||_F ||r||_2 with r = b - A x, evaluated likewise: such an x is a least-squares solution, and the
/// report says so.
///
/// It is a solver for one right-hand side, but that for digits that are asked for CG may come before factors, where these are
/// predicted to take much longer.
///
/// shapes   A (n x n), for lsqr (m x n), b (m), x (n)
/// throws   dimension_error if A is not square and lsqr not the method, nor automatic, or if sizes differ;
///          unsupported_error for a request
///          that no method serves, or an entry that is not finite; resource_error, before work starts, if memory
///          would not suffice for what was asked for, or a GPU is asked for that is not there. Where other methods, fewer
///          bits of factors or of `direct` that nobody asked for, or an x without an estimate remain, that is a step and a
///          message; resource_error also for a checkpoint that cannot be made; input_error for one that is there already, or
///          that the solve cannot go on from
/// from     residual replacement [VY00], extra-precise refinement [Dem06], tests of lsqr [PS82, Sec. 6]
solve_result solve(const linear_system& system, const solve_options& options = {});

/// The status of the column that went worst, from best to worst: converged, not_converged, time_limit, stagnated,
/// breakdown, interrupted. Converged if there is none.
solve_status worst_status(const std::vector<solve_result>& results);

/// Bytes that solve() would take for this system beyond the system itself and the right-hand sides, of which there are
/// so many. Sparse matrices are analysed for their factors.
double predicted_bytes(const linear_system& system, const solve_options& options, index_t right_hand_sides = 1);

/// The same in each of these precisions; the matrix is analysed once.
std::vector<double> predicted_bytes(const linear_system& system, const solve_options& options,
                                    const std::vector<long>& precisions, index_t right_hand_sides = 1);

}  // namespace residua
