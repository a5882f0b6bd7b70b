// The second half of a solve: what the solution is worth, and saying so.
#include <algorithm>
#include <cmath>
#include <utility>

#include <residua/solvers/driver.hpp>
#include <residua/solvers/inverse.hpp>

namespace residua {
namespace {

constexpr double safety_factor = 3.0;  // norm estimates are lower bounds, rarely off by more [Hig88]

/// The format for more bits than may be at work, of which native has none.
number_format longer_format(number_format asked)
{
    return asked == number_format::native ? number_format::automatic : asked;
}

int decimal_digits(long bits) { return static_cast<int>(std::floor(static_cast<double>(bits) * std::log10(2.0))); }

}  // namespace

void driver::choose_solution_bits()
{
    const long carried = x_.front().precision();
    report_.solution_bits = carried;
    if (report_.status != solve_status::converged || carried <= report_.precision_bits ||
        options_.digits > decimal_digits(report_.precision_bits)) {
        return;
    }
    // x in the working precision, if that still passes
    std::vector<real> rounded = x_;
    for (real& x : rounded) {
        x = x.with_precision(report_.precision_bits);
    }
    residual_evaluation at_rounded = evaluate_residual(system_, rounded, ldexp(tolerance_, -20));
    if (passes(at_rounded)) {
        x_ = std::move(rounded);
        at_x_ = std::move(at_rounded);
        report_.solution_bits = report_.precision_bits;
        record(report_.iterations, report_.recursive_residual, true);  // the residual of this x
    }
}

void driver::estimate_forward_error()
{
    report_.forward_kind = error_kind::unknown;
    report_.digits = 0;
    if (!options_.estimate_condition && options_.digits == 0) {
        return;
    }
    if (structure_.zero_rows > 0 || structure_.zero_cols > 0) {
        return;
    }
    std::optional<inverse_operator> inverse;
    if (factors_.trusted()) {
        inverse = inverse_by_factors(matrix_, factors_.factors);
        inverse->condition = factors_.condition;
    } else if (factors_.available || !factors_.factors.failure.empty()) {
        if (used_.method == method::direct && engine_ && system_.rows <= largest_dense_inverse) {
            inverse = inverse_by_engine(system_, unscaled_ ? *unscaled_ : matrix_, *engine_, report_.precision_bits);
        }
        if (!inverse) {
            inverse = inverse_by_direct(
                system_, matrix_, [this] { return stop_requested().has_value(); }, longer_format(options_.format),
                report_.precision_bits);
        }
        report_.looks_singular = !inverse && system_.rows <= largest_dense_inverse && !stop_requested();
    }
    if (inverse) {
        report_.condition = inverse->condition->condition;
    } else if (factors_.condition && !report_.looks_singular) {
        report_.condition = factors_.condition->condition;
    }
    const real x_norm = norm_inf(x_);
    if (!inverse || is_zero(x_norm)) {
        return;
    }

    // || |inverse(A)| (|r| + its error) ||_inf / ||x||_inf
    std::vector<real> f(at_x_.r.size());
    for (std::size_t i = 0; i < f.size(); ++i) {
        f[i] = (abs(at_x_.r[i]) + at_x_.error).with_precision(64);
    }
    const real error = estimate_error_inf(f, inverse->solve, inverse->solve_transposed);
    if (!is_finite(error)) {
        return;
    }
    report_.forward_error = real(safety_factor) * error / x_norm;
    report_.forward_kind = error_kind::estimated;
    int digits = decimal_digits(report_.solution_bits);
    if (!is_zero(report_.forward_error)) {
        digits = std::min(digits, static_cast<int>(to_double(floor(-log10(report_.forward_error)))));
    }
    report_.digits = std::max(digits, 0);
}

void driver::pursue_digits()
{
    while (report_.forward_kind == error_kind::estimated && report_.digits < options_.digits) {
        const int missing = options_.digits - report_.digits;
        tolerance_ = at_x_.norm2 * pow(real(10.0, 128), -missing - 1);
        long bits = report_.precision_bits;
        // x is carried in 2p bits: beyond them only a longer format helps
        if (decimal_digits(2 * bits) < options_.digits + 1) {
            if (!may_escalate()) {
                break;
            }
            report_.escalations.push_back({bits, report_.iterations, at_x_.norm2 / report_.rhs_norm, "too few digits"});
            bits = next_precision(bits);
        }
        const index_t corrections = report_.corrections;
        report_.status = attempt(used_, bits);
        report_.rtol = tolerance_ / report_.rhs_norm;
        choose_solution_bits();
        estimate_forward_error();
        if (report_.status == solve_status::interrupted || report_.status == solve_status::time_limit) {
            return;
        }
        const bool in_vain = report_.status != solve_status::converged || report_.corrections == corrections;
        if (in_vain && report_.digits < options_.digits) {
            if (!may_escalate()) {
                break;
            }
            report_.escalations.push_back({bits, report_.iterations, at_x_.norm2 / report_.rhs_norm, "too few digits"});
            report_.status = attempt(used_, next_precision(bits));
        }
    }
    if (report_.status == solve_status::converged &&
        (report_.forward_kind == error_kind::unknown || report_.digits < options_.digits)) {
        const bool unknown = report_.forward_kind == error_kind::unknown;
        const std::optional<solve_status> stop = stop_requested();
        report_.status = unknown && stop ? *stop : solve_status::not_converged;
        if (unknown && !report_.looks_singular && !stop) {
            engine_message_ =
                "the residual passes, but the digits of x cannot be estimated: there "
                "are no factors of the matrix to estimate its condition with";
        } else if (!unknown && !out_of_memory_) {
            engine_message_ = "the wanted digits were not reached with the most bits that were allowed";
        }
    }
}

void driver::explain()
{
    report_.message = report_.status == solve_status::converged ? "" : engine_message_;
    const auto say = [this](const std::string& text) {
        report_.message += (report_.message.empty() ? "" : "; ") + text;
    };
    if (report_.looks_singular) {
        const long most_bits = std::max(most_inverse_bits, report_.precision_bits);
        say("A looks singular in every format up to " + std::to_string(most_bits) +
            " bits: x may be one of many, and no digit of it is known");
        return;
    }
    const double kappa_bits = report_.condition ? to_double(log10(*report_.condition)) / std::log10(2.0) : 0.0;
    switch (report_.status) {
        case solve_status::stagnated:
            if (kappa_bits + 10.0 > static_cast<double>(report_.precision_bits)) {
                const long wanted = static_cast<long>(kappa_bits) + 40;
                const std::vector<long>& all = available_precisions(longer_format(options_.format));
                const auto next = std::lower_bound(all.begin(), all.end(), wanted);
                say("the precision is the limit: the condition takes about " +
                    std::to_string(static_cast<long>(kappa_bits)) + " of " + std::to_string(report_.precision_bits) +
                    " bits" + (next != all.end() ? "; try --precision " + std::to_string(*next) : ""));
            } else if (used_.method == method::direct) {
                say(next_precision(report_.precision_bits) > 0
                        ? "rounding errors of the factors are the limit: try a higher --precision"
                        : "rounding errors of the factors are the limit");
            } else {
                const bool best = used_.preconditioner == preconditioner::lu;
                say("the preconditioner is the limit, not the precision: try " +
                    std::string(best ? "" : "another one, --method refine or ") + "--method direct");
            }
            break;
        case solve_status::not_converged:
            if (report_.iterations >= max_iterations_) {
                say("the limit of " + std::to_string(max_iterations_) +
                    " iterations was reached: allow more, or use a stronger preconditioner or more bits");
            }
            break;
        case solve_status::time_limit:
            say("the time limit was reached");
            break;
        case solve_status::interrupted:
            say("interrupted; x is the best so far");
            break;
        default:
            break;
    }
}

}  // namespace residua
