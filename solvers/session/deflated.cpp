#include <residua/solvers/session/deflated.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include <residua/arith/base/random.hpp>
#include <residua/solvers/assess/forward_error.hpp>
#include <residua/solvers/matrix/complex_form.hpp>
#include <residua/solvers/matrix/structure.hpp>
#include <residua/solvers/planning/precision.hpp>
#include <residua/solvers/precond/factor_kinds.hpp>
#include <residua/solvers/session/rank_part.hpp>
#include <residua/solvers/session/session.hpp>
#include <residua/solvers/session/singular_report.hpp>
#include <residua/solvers/solver.hpp>
#include <residua/solvers/space/true_residual.hpp>

namespace residua {
namespace {

constexpr double rounding_of_vectors = 0x1p-44;  ///< of vectors that were computed in binary64
constexpr long closer_bits = 10;                 ///< by which the residual of the other solution is smaller
constexpr int most_rounds = 4;

/// What is tried, one after the other: the last without a preconditioner, as incomplete factors of a singular matrix may have
/// a zero for a pivot.
std::vector<std::pair<method, preconditioner>> tries_for(const matrix_structure& structure,
                                                         const solve_options& options)
{
    const method asked = options.method;
    const method_traits& traits = traits_of(asked);
    if (traits.by_factors || traits.dense || are_factors(options.preconditioner)) {
        const bool by_method = traits.by_factors || traits.dense;
        throw unsupported_error("a null space is given, so that A has no factors that " +
                                std::string(by_method ? to_string(asked) : to_string(options.preconditioner)) +
                                " could use: take cg, minres, gmres or auto, with another preconditioner");
    }
    if (asked == method::lsqr) {
        throw unsupported_error("lsqr needs no null space: its x is the shortest");
    }
    std::vector<method> methods{asked};
    if (asked == method::automatic) {
        methods = {!structure.symmetric ? method::gmres : structure.positive_diagonal ? method::cg : method::minres};
        if (methods.front() == method::cg) {
            methods.push_back(method::minres);
        }
    }
    std::vector<std::pair<method, preconditioner>> tries;
    for (const method m : methods) {
        tries.emplace_back(m, options.preconditioner);
        if (options.preconditioner == preconditioner::automatic) {
            tries.emplace_back(m, preconditioner::none);
        }
    }
    return tries;
}

/// max_i |A v|_i / (|A| |v|)_i, which is 0 where A v is zero.
real unseen_part(const linear_system& a, const std::vector<real>& v)
{
    const std::vector<real> zeros(static_cast<std::size_t>(a.rows), real(0.0));
    const residual_evaluation at = evaluate_residual(a, zeros, v, ldexp(norm_inf(v), -4000));
    scaled_doubles leading;
    for (const real& x : v) {
        leading.emplace_back(x);
    }
    const scaled_doubles of_b(zeros.size());
    return is_zero(at.norm2) ? real(0.0) : componentwise_backward_error(at, residual_sizes(a, of_b, leading));
}

bool is_constant(const std::vector<real>& v)
{
    return std::all_of(v.begin(), v.end(), [&](const real& x) { return x == v.front(); });
}

bool is_done(const solve_report& report)
{
    return report.status == solve_status::converged || report.status == solve_status::interrupted ||
           report.status == solve_status::time_limit;
}

void add_effort(solve_report& to, const solve_report& of)
{
    to.iterations += of.iterations;
    to.matvecs += of.matvecs;
    to.restarts += of.restarts;
    to.corrections += of.corrections;
}

}  // namespace

bool may_be_deflated(const solve_options& options)
{
    const method_traits& traits = traits_of(options.method);
    return traits.symmetric && !traits.complex_symmetric && !traits.by_factors && !traits.dense &&
           !are_factors(options.preconditioner) && options.preconditioner != preconditioner::given &&
           options.checkpoint.empty();
}

deflated_solver::deflated_solver(const linear_system& system, const solve_options& options, const solve_clock& clock,
                                 const std::optional<known_rank>& laplacian)
    : options_(options), clock_(clock)
{
    auto without_b = std::make_shared<linear_system>(system);
    without_b->b = {};
    without_b->rhs_reading_errors = {};
    system_ = std::move(without_b);
    const matrix_structure structure = inspect(system);
    if (!structure.square) {
        throw dimension_error("a null space is given for a matrix of " + std::to_string(equations(system)) + " x " +
                              std::to_string(unknowns(system)) + ": it has to be square");
    }
    if (!options.checkpoint.empty()) {
        throw unsupported_error("a solve with a given null space writes no checkpoints");
    }
    symmetric_ = structure.symmetric;
    tries_ = tries_for(structure, options);
    bits_ = std::max(choose_precision(options, real(1.0)) + spare::bits,
                     bits_of_digits(std::max(options.digits, digits_of_tolerance(options)) + spare::digits));
    if (laplacian) {
        space_ = null_space(laplacian->components, laplacian->floating);
        words_ = structure.has_zero_lines() ? zero_words(structure) : words_about(*laplacian);
    } else {
        take_given();
    }
}

void deflated_solver::take_given()
{
    const linear_system& system = *system_;
    words_ = "by the null space that was given";
    const auto require_null = [&](const std::vector<real>& v, const char* why) {
        const bool finite = std::all_of(v.begin(), v.end(), [](const real& x) { return is_finite(x); });
        const real part = finite ? unseen_part(system, v) : real(1.0);
        if (part > real(rounding_of_vectors)) {
            throw unsupported_error("the null space that is given: " + std::string(why) + ", since A v is up to " +
                                    to_string(part, 3) + " of |A| |v|");
        }
        unseen_ = max(unseen_, part);
    };
    for (const std::vector<real>& v : options_.null_space) {
        if (static_cast<index_t>(v.size()) != system.cols || is_zero(norm2(v))) {
            throw dimension_error(
                "the null space that is given: a vector has " +
                (static_cast<index_t>(v.size()) == system.cols
                     ? std::string("only zeros")
                     : std::to_string(v.size()) + " numbers for " + std::to_string(system.cols) + " unknowns"));
        }
        require_null(v, "A does not take it to zero");
    }
    if (!is_zero(unseen_)) {
        words_ += ", which A takes to " + to_string(unseen_, 2) + " of the terms, so that no digit of x is claimed";
    }
    if (options_.null_space.size() == 1 && is_constant(options_.null_space.front())) {
        const auto n = static_cast<std::size_t>(system.cols);
        space_ = null_space({.of_unknown = std::vector<std::int32_t>(n, 0),
                             .first = {0},
                             .size = {static_cast<std::int32_t>(system.cols)}},
                            {0});
        return;
    }
    space_ = null_space(options_.null_space, real(0.0), bits_);
    const real of_given = unseen_;
    for (const std::vector<real>& v : space_.vectors(bits_)) {
        require_null(v, "its vectors are linearly dependent");
        if (space_.norm_of_part(v, bits_) > real(1.25)) {  // 1 of an orthonormal basis
            throw unsupported_error("the null space that is given: its vectors are linearly dependent");
        }
    }
    unseen_ = of_given;  // the other vectors are these, orthonormal and rounded
}

solve_result deflated_solver::run(const std::vector<real>& b, solve_options with) const
{
    solve_result result;
    solve_report all;
    for (const auto& [method, preconditioner] : tries_) {
        with.method = method;
        with.preconditioner = preconditioner;
        solver by(system_, with);
        by.parts_->is_deflated = true;
        result = by.solve(b);
        add_effort(result.report, all);
        all = result.report;
        if (is_done(result.report)) {
            break;
        }
    }
    if (result.report.status == solve_status::interrupted) {
        result.report.status = clock_.why_stopped();
    }
    space_.take_from(result.x, std::max(bits_, result.report.solution_bits + spare::bits));
    return result;
}

solve_result deflated_solver::run_for_digits(const std::vector<real>& b, solve_options with,
                                             std::optional<real>& error) const
{
    const real ten(10.0, 128);
    real rtol = pow(ten, -options_.digits - 1);
    with.atol.reset();
    solve_report before;
    for (int round = 0;; ++round) {
        with.rtol = options_.rtol ? min(rtol, *options_.rtol) : rtol;
        error.reset();
        solve_result one = run(b, with);
        add_effort(one.report, before);
        const long next =
            precision_above(available_precisions(longer_format(options_.format)), one.report.precision_bits);
        const real size = norm_inf(one.x);
        if (one.report.status != solve_status::converged || next == 0 || is_zero(size)) {
            return one;
        }
        solve_options more = with;
        more.format = longer_format(options_.format);
        more.precision_bits = next;
        more.rtol = ldexp(*with.rtol, -closer_bits);
        more.on_history = {};
        splitmix64 random{static_cast<std::uint64_t>(round) + 1};
        more.initial_guess.resize(one.x.size());
        std::generate(more.initial_guess.begin(), more.initial_guess.end(),
                      [&] { return size * real(uniform(random)); });
        const solve_result other = run(b, more);
        add_effort(one.report, other.report);
        if (other.report.status != solve_status::converged) {
            if (is_done(other.report)) {
                one.report.status = other.report.status;  // it had to end
            }
            return one;
        }
        const real off = real(norm_estimate_safety) * largest_difference(one.x, other.x);
        error = off;
        const int digits = is_zero(off) ? options_.digits : decimals_below(off / size);
        if (digits >= options_.digits || round == most_rounds) {
            return one;
        }
        rtol = *with.rtol * pow(ten, digits - options_.digits - 1);
        with.initial_guess = std::move(one.x);
        before = one.report;
    }
}

solve_result deflated_solver::solve(const std::vector<real>& b, const real& reading_error, index_t column) const
{
    const auto n = static_cast<std::size_t>(system_->cols);
    const real norm_of_b = norm2(b);
    const real unknown =
        norm_of_b * (reading_error + ldexp(unseen_, closer_bits) + ldexp(real(1.0), spare::bits / 2 - bits_));
    std::vector<real> inside = b;
    const real outside =
        symmetric_ ? clock_.interruptible([&] { return space_.norm_of_part(inside, bits_); }) : real(0.0);
    if (!is_zero(outside)) {
        clock_.interruptible([&] { space_.take_from(inside, bits_); });
    }
    const bool in_range = outside <= unknown;

    solve_options with = options_;
    with.null_space.clear();
    with.digits = 0;
    with.estimate_condition = false;
    with.time_limit_seconds = 0.0;
    with.interrupted = clock_.interruption();
    with.profile = profiling::none;
    if (!options_.initial_guess.empty()) {
        const auto first = options_.initial_guess.begin() + static_cast<std::ptrdiff_t>(n) * column;
        with.initial_guess.assign(first, first + static_cast<std::ptrdiff_t>(n));
    }
    if (options_.on_history) {
        with.on_history = [&](history_entry entry) {
            entry.column = column;
            options_.on_history(entry);
        };
    }
    solve_result result;
    std::optional<real> error;
    if (norm2(inside) <= unknown) {
        result.x.assign(n, real(0.0));
        result.report.status = solve_status::converged;
        result.report.precision_bits = result.report.solution_bits = choose_precision(options_, real(1.0));
        std::tie(result.report.method, result.report.preconditioner) = tries_.front();
        result.report.format =
            arithmetic_of(options_.format, result.report.precision_bits, result.report.method).format;
        result.report.rtol = default_rtol(result.report.precision_bits);
        error = real(0.0);
    } else {
        result = options_.digits > 0 && is_zero(unseen_) ? run_for_digits(inside, with, error) : run(inside, with);
    }
    solve_report& report = result.report;
    for (history_entry& entry : report.history) {
        entry.column = column;
    }
    report.solution_bits = std::max(report.solution_bits, bits_ - spare::bits);
    for (real& x : result.x) {
        x = x.with_precision(report.solution_bits);
    }
    const residual_evaluation at =
        evaluate_residual(*system_, b, result.x, ldexp(norm_of_b, -2 * report.solution_bits), reading_error);
    report.rtol = options_.rtol.value_or(report.rtol);
    report.atol = options_.atol.value_or(real(0.0));
    if (report.status == solve_status::converged && in_range &&
        at.norm2 > max(max(report.rtol * norm_of_b, report.atol), unknown)) {
        report.status = solve_status::not_converged;
    }
    if (report.status == solve_status::converged && symmetric_) {
        report.part_outside = in_range ? real(0.0) : outside / norm_of_b;
    }
    const bool has_error = error && report.status == solve_status::converged;
    complete_report(result, *system_, b, at,
                    {.rank = system_->cols - space_.dimension(),
                     .words = words_,
                     .error = has_error ? error : std::nullopt,
                     .kind = error && is_zero(*error) ? error_kind::estimated : error_kind::compared,
                     .digits = options_.digits});
    return result;
}

}  // namespace residua
