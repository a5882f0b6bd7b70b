#include <residua/solvers/session/weighted.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include <residua/solvers/assess/forward_error.hpp>
#include <residua/solvers/files/load.hpp>
#include <residua/solvers/matrix/transpose.hpp>
#include <residua/solvers/options/verdict.hpp>
#include <residua/solvers/planning/ladder.hpp>
#include <residua/solvers/planning/precision.hpp>
#include <residua/solvers/session/augmented.hpp>
#include <residua/solvers/session/rank_part.hpp>
#include <residua/solvers/session/singular_report.hpp>
#include <residua/solvers/solver.hpp>
#include <residua/solvers/space/true_residual.hpp>

namespace residua {
namespace {

constexpr int digits_unasked = 16;

/// x in the bits that it has, from 53 on.
real trimmed(const real& x) { return x.with_precision(std::max<long>(real::double_bits, mpfr_min_prec(x.mpfr()))); }

real weight_of(const solve_options& options, index_t i)
{
    return options.weights.empty() ? real(1.0) : trimmed(options.weights[static_cast<std::size_t>(i)]);
}

void require_weights(const linear_system& system, const solve_options& options)
{
    const auto is_size = [](const real& x) { return is_finite(x) && x >= real(0.0); };
    if (options.damp && !is_size(*options.damp)) {
        throw unsupported_error("damp has to be a finite number, zero or above, not " + to_string(*options.damp, 6));
    }
    if (!options.weights.empty() && static_cast<index_t>(options.weights.size()) != system.rows) {
        throw dimension_error("there are " + std::to_string(options.weights.size()) + " weights for " +
                              std::to_string(system.rows) + " rows of A");
    }
    const auto wrong = std::find_if_not(options.weights.begin(), options.weights.end(), is_size);
    if (wrong != options.weights.end()) {
        throw unsupported_error("weight " + std::to_string(wrong - options.weights.begin() + 1) +
                                " has to be a finite number, zero or above, not " + to_string(*wrong, 6));
    }
    for (std::size_t i = 0; system.complex && i < options.weights.size(); i += 2) {
        if (options.weights[i] != options.weights[i + 1]) {
            throw unsupported_error("the two weights of row " + std::to_string(i / 2 + 1) +
                                    " differ; both parts of a row of a complex system have one weight");
        }
    }
    const char* const other = options.preconditioner == preconditioner::given ? "a preconditioner that is given"
                              : !options.null_space.empty()                   ? "a null space that is given"
                              : !options.checkpoint.empty()                   ? "a checkpoint"
                              : !options.initial_guess.empty()                ? "an initial guess"
                              : options.nodes.are_given()                     ? "what is known of nodes"
                                                                              : nullptr;
    if (other != nullptr) {
        throw unsupported_error(
            std::string(options.has_weights_or_damp() ? "weights and damp make"
                                                      : "direct for a sparse matrix that is not square makes") +
            " a larger square system, which does not go with " + std::string(other) + ": leave it out");
    }
}

/// [inverse(W) A; A' -T^2]
linear_system system_for(const linear_system& a, const solve_options& options, const std::vector<std::int32_t>& rows)
{
    std::vector<real> inverses;
    for (const std::int32_t i : rows) {
        inverses.push_back(trimmed(real(1.0, decimal_bits()) / weight_of(options, i).with_precision(decimal_bits())));
    }
    const real damp = trimmed(options.damp.value_or(real(0.0))).with_precision(decimal_bits());
    return augmented_system(a, rows, std::move(inverses), trimmed(damp * damp));
}

solve_options options_of_augmented(const solve_options& options, const solve_clock& clock, int digits)
{
    solve_options with = options;
    if (options.method == method::lsqr) {  // which has no use for a square system
        with = solve_options{.executor = options.executor, .device = options.device, .threads = options.threads};
    }
    with.weights.clear();
    with.damp.reset();
    with.digits = digits;
    with.time_limit_seconds = 0.0;
    with.interrupted = clock.interruption();
    with.profile = profiling::none;
    return with;
}

/// The bits of roots of weights, beyond those that x is to have.
constexpr long bits_of_roots = 256;

scaled_doubles leading_of(const std::vector<real>& v) { return scaled_doubles(v.begin(), v.end()); }

}  // namespace

weighted_solver::weighted_solver(const linear_system& system, const solve_options& options, const solve_clock& clock)
    : system_(system), options_(options), clock_(clock), transposed_(transpose(system))
{
    require_weights(system, options);
    for (std::int32_t i = 0; i < system.rows; ++i) {
        if (!is_zero(weight_of(options, i))) {
            rows_.push_back(i);
        }
    }
    augmented_ = std::make_shared<const linear_system>(system_for(system, options, rows_));
    if (options.method == method::lsqr) {
        const long bits = 2 * bits_of_digits(std::max(options.digits, digits_of_tolerance(options))) + bits_of_roots;
        for (const std::int32_t i : rows_) {
            roots_.push_back(trimmed(sqrt(weight_of(options, i).with_precision(std::min(bits, decimal_bits())))));
        }
        weighted_rows_ = std::make_shared<const linear_system>(
            rows_with_damping(system, rows_, roots_, trimmed(options.damp.value_or(real(0.0)))));
    }
}

weighted_solver::~weighted_solver() = default;

bool weighted_solver::has_factors_in_reach() const
{
    const machine on = this_machine();
    const system_facts facts = facts_of(*augmented_, options_of_augmented(options_, clock_, options_.digits));
    return find_reach(facts, on, bytes_without_factors(facts.sizes, options_, 1)).automatic >= binary64_bits;
}

solve_result weighted_solver::solve(const std::vector<real>& b, const real& reading_error)
{
    const bool by_lsqr = options_.method == method::lsqr && !is_zero_best(b);
    estimated found =
        by_lsqr ? solve_by_lsqr(b) : solve_square(b, options_.digits > 0 ? options_.digits : digits_unasked);
    if (options_.method == method::lsqr) {
        found.result.report.method = method::lsqr;
        found.result.report.preconditioner = preconditioner::none;
    }
    if (found.result.report.status == solve_status::interrupted) {
        found.result.report.status = clock_.why_stopped();
    }
    complete(found.result, b, reading_error, found.error);
    return std::move(found.result);
}

bool weighted_solver::is_zero_best(const std::vector<real>& b) const
{
    return is_normal_to_columns(transposed_, times_weights(b, decimal_bits()));
}

weighted_solver::estimated weighted_solver::solve_square(const std::vector<real>& b, int wanted)
{
    std::vector<real> rhs(static_cast<std::size_t>(augmented_->rows), real(0.0));
    for (std::size_t p = 0; p < rows_.size(); ++p) {
        rhs[p] = trimmed(b[static_cast<std::size_t>(rows_[p])]);
    }
    const bool zero_is_best = is_zero_best(b);
    estimated found;
    auto& [result, error] = found;
    int digits = attainable(wanted + spare::digits);
    for (int raises = 0;; ++raises) {
        solver& by =
            by_.at(digits, [&](int d) { return solver(augmented_, options_of_augmented(options_, clock_, d)); });
        solve_result both = by.solve(rhs);
        result.report = std::move(both.report);
        result.x.assign(both.x.begin() + static_cast<std::ptrdiff_t>(rows_.size()), both.x.end());
        const real size = norm_inf(result.x);
        error.reset();
        if (zero_is_best) {
            std::fill(result.x.begin(), result.x.end(), real(0.0));
            error = real(0.0);
        } else if (result.report.forward_error) {
            error = *result.report.forward_error * norm_inf(both.x);
        }
        if (result.report.status != solve_status::converged || !error || is_zero(*error) || raises == spare::raises) {
            break;
        }
        const int known = is_zero(size) ? -10 : decimals_below(*error / size);
        if (known >= wanted) {
            break;
        }
        digits = raised_digits(std::max(digits, result.report.digits) + wanted - known + spare::digits);
    }
    if (result.report.rank) {
        result.report.rank = *result.report.rank - static_cast<index_t>(rows_.size());
    }
    return found;
}

weighted_solver::estimated weighted_solver::solve_by_lsqr(const std::vector<real>& b)
{
    constexpr long most_times = 8;  // of the bits that the digits take: more do not help LSQR
    const std::vector<long>& all = available_precisions(options_.format);
    const real ten(10.0, 128);
    solve_options with = options_;
    with.weights.clear();
    with.damp.reset();
    with.digits = 0;
    with.estimate_condition = false;
    with.time_limit_seconds = 0.0;
    with.interrupted = clock_.interruption();
    with.profile = profiling::none;
    std::vector<real> rhs(static_cast<std::size_t>(weighted_rows_->rows), real(0.0));
    for (std::size_t p = 0; p < rows_.size(); ++p) {
        const real of_b = trimmed(b[static_cast<std::size_t>(rows_[p])]);
        rhs[p] = roots_[p].with_precision(roots_[p].precision() + of_b.precision()) * of_b;
    }
    const auto solve_in = [&](long bits, const real& rtol) {
        solve_options now = with;
        if (bits > 0) {
            now.precision_bits = bits;
            now.rtol = options_.rtol ? min(rtol, *options_.rtol) : rtol;
            now.atol.reset();
        }
        return solver(weighted_rows_, now).solve(rhs);
    };
    estimated found;
    auto& [result, error] = found;
    if (options_.digits == 0) {
        result = solve_in(0, real(0.0));
        return found;
    }
    const estimated square = solve_square(b, options_.digits + 1);
    const solve_status of_square = square.result.report.status;
    const long needed = bits_of_digits(options_.digits);
    const long first = precision_above(all, needed - 1);
    long bits = std::max(options_.precision_bits, first > 0 ? first : all.back());
    real rtol = pow(ten, -options_.digits - 1);
    std::optional<estimated> last_done;
    while (true) {  // each from x = 0: a correction in more bits does not remove the part of x that is no sum of rows
        result = solve_in(bits, rtol);
        error.reset();
        solve_report& report = result.report;
        const long next = precision_above(all, bits);
        const bool is_done = report.status == solve_status::converged;
        if (of_square != solve_status::converged || !square.error) {
            report.status = of_square == solve_status::interrupted ? of_square : report.status;
            return found;
        }
        int known = 0;
        if (is_done) {
            report.rank = square.result.report.rank;
            report.nullity = square.result.report.nullity;
            report.forward_kind = error_kind::compared;
            error = largest_difference(result.x, square.result.x) + *square.error;
            const real size = norm_inf(result.x);
            known = is_zero(*error) ? options_.digits : is_zero(size) ? 0 : decimals_below(*error / size);
            last_done = found;
        }
        const bool may_go_on = is_done || report.status == solve_status::stagnated;
        if (known >= options_.digits || !may_go_on || next == 0 || next > most_times * needed) {
            if (!is_done && last_done) {  // its x is the one whose error is known
                last_done->result.report.status = report.status;
                found = *std::move(last_done);
            }
            report.solution_bits = std::max(report.solution_bits, needed);
            for (real& x : result.x) {
                x = x.with_precision(report.solution_bits);
            }
            return found;
        }
        rtol = is_done ? rtol * pow(ten, known - options_.digits - 1) : rtol;
        bits = next;
    }
}

std::vector<real> weighted_solver::times_weights(std::vector<real> v, long bits) const
{
    for (std::size_t i = 0; i < v.size(); ++i) {
        v[i] = v[i].with_precision(bits) * weight_of(options_, static_cast<index_t>(i)).with_precision(bits);
    }
    return v;
}

real weighted_solver::normal_residual(std::vector<real> r, const std::vector<real>& b, const std::vector<real>& x,
                                      long bits) const
{
    real square_of_a(0.0, 64);
    real square_of_b(0.0, 64);
    for (index_t i = 0; i < system_.rows; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const real w = weight_of(options_, i);
        const real short_w = w.with_precision(64);
        const real short_b = b[at].with_precision(64);
        square_of_b = square_of_b + short_w * short_b * short_b;
        for (index_t e = system_.row_begin[i]; e < system_.row_begin[i + 1]; ++e) {
            const real a = entry(system_, e, 64).with_precision(64);
            square_of_a = square_of_a + short_w * a * a;
        }
    }
    r = times_weights(std::move(r), bits);
    const real damp = options_.damp.value_or(real(0.0)).with_precision(bits);
    square_of_a = square_of_a + (damp * damp).with_precision(64) * real(static_cast<double>(system_.cols));
    const real scale = sqrt(square_of_a * square_of_b);
    if (is_zero(scale)) {
        return real(0.0);
    }
    const std::vector<real> zeros(static_cast<std::size_t>(system_.cols), real(0.0));
    std::vector<real> normal = evaluate_residual(transposed_, zeros, r, ldexp(scale, -bits)).r.numbers();  // -A'W r
    for (std::size_t j = 0; j < normal.size(); ++j) {
        normal[j] = normal[j].with_precision(bits) + damp * damp * x[j].with_precision(bits);
    }
    return norm2(normal) / scale;
}

void weighted_solver::complete(solve_result& result, const std::vector<real>& b, const real& reading_error,
                               const std::optional<real>& error) const
{
    solve_report& report = result.report;
    const long bits = report.solution_bits;
    const real size = norm_inf(result.x);
    report.rhs_norm = norm2(b);
    const residual_evaluation at =
        evaluate_residual(system_, b, result.x, ldexp(report.rhs_norm, -2 * bits), reading_error);
    report.relative_residual = is_zero(report.rhs_norm) ? real(0.0) : at.norm2 / report.rhs_norm;
    report.componentwise_backward_error =
        componentwise_backward_error(at, residual_sizes(system_, leading_of(b), leading_of(result.x)));
    const real denominator = to_real(matrix_norm_inf(system_)) * size + norm_inf(b);
    report.backward_error = is_zero(denominator) ? real(0.0) : at.norm_inf / denominator;
    report.rtol = options_.rtol.value_or(report.rtol);
    report.atol = options_.atol.value_or(real(0.0));

    report.normal_residual = normal_residual(at.r.numbers(), b, result.x, 4 * bits);
    report.part_outside.reset();
    report.condition.reset();
    report.condition_source = condition_source::unknown;
    report.spectrum.reset();
    report.reading_digits.reset();
    report.forward_error.reset();
    report.digits = 0;
    if (error) {
        report.forward_error = is_zero(size) ? *error : *error / size;
        const int known = is_zero(*report.forward_error) ? decimal_digits(bits) : decimals_below(*report.forward_error);
        report.digits = std::clamp(known, 0, decimal_digits(bits));
    } else {
        report.forward_kind = error_kind::unknown;
    }
    report.least_squares = report.status == solve_status::converged;
    const bool is_plain = !options_.has_weights_or_damp();
    if (is_plain && report.least_squares) {  // as for other least squares: relative to the residual
        report.normal_residual = is_zero(at.norm2) ? real(0.0) : *report.normal_residual * report.rhs_norm / at.norm2;
        report.least_squares = report.rtol < report.relative_residual;
        report.rtol = report.least_squares ? max(report.rtol, *report.normal_residual) : report.rtol;
    }
    const bool is_solved = report.status == solve_status::converged;
    if (is_solved || report.verdict.limit == limit::rank) {  // whose words are of rows of the square system
        report.verdict = {.limit = !is_solved ? limit::digits : is_plain ? limit::none : limit::weighted};
    }
    if (!is_solved) {
        report.message = explain(report);
        return;
    }
    if (report.digits < options_.digits) {
        report.status = solve_status::not_converged;
    }
    report.message = explain(report);
}

bool may_be_augmented(const linear_system& system, const solve_options& options)
{
    const bool asked = options.method == method::direct;
    const bool free_choice = options.method == method::automatic && options.digits > 0 && !options.rtol &&
                             !options.atol && options.preconditioner == preconditioner::automatic &&
                             options.checkpoint.empty() && options.initial_guess.empty();
    return system.rows > system.cols && !sizes_of(system).take_dense_qr() && (asked || free_choice);
}

}  // namespace residua
