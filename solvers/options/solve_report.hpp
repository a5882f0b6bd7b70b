#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <residua/solvers/options/solve_options.hpp>
#include <residua/solvers/options/stop.hpp>
#include <residua/solvers/options/verdict.hpp>

namespace residua {

class long_vector;

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

/// A step to another method, to more bits of the factors, or to a higher precision; where memory does not suffice, to
/// what needs less of it.
struct escalation {
    long precision_bits = 0;  ///< the precision at which this was left
    residua::method method = residua::method::automatic;
    long factor_bits = 0;  ///< 0: the method has no factors of the whole matrix
    index_t iterations = 0;
    real relative_residual;
    std::string reason;
};

/// Where the time of setup_seconds and solve_seconds went. Each second counts for one part: they add up to both.
struct part_seconds {
    double analysis = 0.0;        ///< of the matrix: its structure, norms, the order of its elimination, the plan
    double scaling = 0.0;         ///< making the scaled matrix
    double factors = 0.0;         ///< making those that the plan needs, with an estimate of the condition
    double methods = 0.0;         ///< making methods: dense or incomplete factors, the matrix where they compute
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
    index_t processes = 1;     ///< how many shared the last correction
    /// of a complex system: rank and nullity are those of the complex matrix, and all other figures those of the real form, whose
    /// 2-norms are the same (numbers.hpp)
    bool complex = false;
    long precision_bits = 0;  ///< of the method's arithmetic; for cg at its beginning
    /// for cg: after which iterations its arithmetic went on in other bits
    std::vector<precision_change> precision_changes;
    long factor_bits = 0;    ///< precision of factors of the whole matrix; 0: none
    long solution_bits = 0;  ///< precision of x: twice precision_bits where the stopping test needs it
    real rtol, atol;
    real rhs_norm;            ///< ||b||_2
    real recursive_residual;  ///< recursive ||r|| / ||b|| when the method stopped; NaN for direct
    real relative_residual;   ///< true ||b - A x||_2 / ||b||_2 of the returned x, in higher precision
    /// for lsqr: true ||A'r||_2 / (||A||_F ||r||_2), r = b - A x of the returned x; 0 if A'r = 0
    std::optional<real> normal_residual;
    bool least_squares = false;         ///< converged by normal_residual: x solves min ||b - A x||_2, and not A x = b
    real backward_error;                ///< ||b - A x||_inf / (||A||_inf ||x||_inf + ||b||_inf)
    real componentwise_backward_error;  ///< max_i |b - A x|_i / (|A| |x| + |b|)_i; no scaling of rows hides a bad one
    std::optional<real> forward_error;  ///< ||x - x*||_inf / ||x*||_inf, of the kind below; empty: unknown
    error_kind forward_kind = error_kind::unknown;
    int digits = 0;  ///< correct digits that forward_error backs; 0 when unknown
    /// how many digits x can be expected to share with the solution for the other reading of the texts of A and b
    /// (linear_system::other_reading); empty: there is no other reading, or the condition is unknown
    std::optional<int> reading_digits;
    std::optional<real> condition;  ///< estimate
    residua::condition_source condition_source = residua::condition_source::unknown;
    std::optional<spectrum_ends> spectrum;  ///< its ends, as cg or minres saw them
    bool spectrum_of_a = false;             ///< `spectrum` is of A itself, neither preconditioned nor scaled
    bool looks_singular = false;            ///< in every format: x is one of many, or no digit of it is known
    /// of a square A that was found singular, by exact arithmetic, or whose null space was given; empty: it is not, or nobody
    /// looked. x is then the shortest solution; where there is none, the shortest x of those that make ||b - A x||_2 least
    std::optional<index_t> rank;
    index_t nullity = 0;  ///< unknowns minus rank; 0 where there is no rank
    std::optional<real>
        part_outside;  ///< with `rank`: 2-norm of the part of b outside of the range of A, relative to b
    index_t iterations = 0;
    index_t restarts = 0;     ///< restarts of GMRES cycles
    index_t corrections = 0;  ///< times the true residual replaced the recursive one
    index_t matvecs = 0;
    double setup_seconds = 0.0;
    double solve_seconds = 0.0;
    /// setup and solve by the built-in rates for one thread (planning/rates.hpp), for what the plan begins with; empty:
    /// not predicted, since the number of its iterations is unknown or only bounded
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
    std::string message;       ///< the verdict in plain words, by explain()
};

struct solve_result {
    solve_report report;
    std::vector<real> x;
    /// x, if several processes have it in pieces, as they have b (linear_system::b_in_pieces): the array is empty then, and
    /// x_in_pieces->numbers() brings it together. Null: x is here.
    std::shared_ptr<const long_vector> x_in_pieces{};
};

}  // namespace residua
