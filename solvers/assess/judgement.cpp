// The second half of a solve: what the solution is worth, and saying so.
#include <algorithm>
#include <cmath>
#include <utility>

#include <residua/solvers/session/driver.hpp>
#include <residua/solvers/assess/inverse.hpp>

namespace residua {
namespace {

constexpr double safety_factor = 3.0;  // norm estimates are lower bounds, rarely off by more [Hig88]

/// Of refine and GMRES-IR that stagnate in so many bits: what their factors suffice for, and what to try.
std::string factors_words(const candidate& used, long bits, double kappa_bits, const std::vector<long>& precisions,
                          executor asked)
{
    const bool by_gmres = used.method == method::gmres_ir;
    const auto limit = [&](long factors, long of) {
        return by_gmres ? gmres_ir_limit_bits(factors, of, 2 * of) : static_cast<double>(factors);
    };
    std::string tries;
    const auto add = [&](const std::string& option) { tries += (tries.empty() ? "" : " or ") + option; };
    for (long longer = used.factor_bits < 53 ? 53 : 2 * used.factor_bits; longer <= bits; longer *= 2) {
        if (limit(longer, bits) > kappa_bits) {
            const bool moves = asked == executor::cuda && longer > 53;  // a GPU takes no longer ones
            add((moves ? "--executor host --factors " : "--factors ") + std::to_string(longer));
            break;
        }
    }
    if (by_gmres) {
        const auto enough = std::find_if(precisions.begin(), precisions.end(),
                                         [&](long p) { return p > bits && limit(used.factor_bits, p) > kappa_bits; });
        if (enough != precisions.end()) {
            add("--precision " + std::to_string(*enough));
        }
    }
    add("--method direct");
    const double decades = limit(used.factor_bits, bits) * std::log10(2.0);
    return "the factors are the limit: in " + std::to_string(used.factor_bits) +
           " bits they suffice for a condition up to 1e" + std::to_string(std::lround(decades)) + " or so; try " +
           tries;
}

int decimal_digits(long bits) { return static_cast<int>(std::floor(static_cast<double>(bits) * std::log10(2.0))); }

}  // namespace

void driver::judge(solve_column& c)
{
    choose_solution_bits(c);
    timed(part(&part_seconds::estimates), [&] { estimate_forward_error(c); });
}

void driver::choose_solution_bits(solve_column& c)
{
    const long carried = c.x.front().precision();
    const long bits = c.report.precision_bits;
    c.report.solution_bits = carried;
    if (c.report.status != solve_status::converged || carried <= bits || options_.digits > decimal_digits(bits)) {
        return;
    }
    // x in the working precision, if that still passes
    std::vector<real> rounded = c.x;
    for (real& x : rounded) {
        x = x.with_precision(bits);
    }
    residual_evaluation at_rounded = evaluate(c, rounded, ldexp(c.tolerance, -20));
    if (passes(c, at_rounded)) {
        c.x = std::move(rounded);
        c.at_x = std::move(at_rounded);
        c.report.solution_bits = bits;
        record(c, c.report.iterations, c.report.recursive_residual, true);  // the residual of this x
    }
}

const std::optional<inverse_operator>& driver::find_inverse(const solve_column& c)
{
    const bool by_engine =
        !factors_.trusted() && c.used.method == method::direct && engine_ && system_.rows <= largest_dense_inverse;
    std::optional<std::optional<inverse_operator>>& known = inverse_[by_engine ? 1 : 0];
    if (known) {
        return *known;
    }
    std::optional<inverse_operator> inverse;
    if (factors_.trusted()) {
        inverse = inverse_by_factors(matrix_, factors_.factors, factors_.condition);
    } else {
        if (by_engine) {
            inverse = inverse_by_engine(system_, unscaled_ ? *unscaled_ : matrix_, *engine_, c.report.precision_bits);
        }
        if (!inverse) {
            inverse = inverse_by_direct(
                system_, matrix_, [this] { return stop_requested().has_value(); }, longer_format(options_.format),
                c.report.precision_bits);
        }
    }
    return known.emplace(std::move(inverse));
}

void driver::estimate_forward_error(solve_column& c)
{
    solve_report& report = c.report;
    report.forward_kind = error_kind::unknown;
    report.digits = 0;
    if (!options_.estimate_condition && options_.digits == 0) {
        return;
    }
    if (structure_.zero_rows > 0 || structure_.zero_cols > 0) {
        return;
    }
    const inverse_operator* inverse = nullptr;
    if (factors_.available || !factors_.factors.failure.empty()) {
        const std::optional<inverse_operator>& found = find_inverse(c);
        inverse = found ? &*found : nullptr;
        report.looks_singular = inverse == nullptr && system_.rows <= largest_dense_inverse && !stop_requested();
    }
    if (inverse != nullptr) {
        report.condition = inverse->condition->condition;
    } else if (factors_.condition && !report.looks_singular) {
        report.condition = factors_.condition->condition;
    }
    const real x_norm = norm_inf(c.x);
    if (inverse != nullptr && is_zero(report.rhs_norm)) {  // the only solution
        report.forward_error = real(0.0);
        report.forward_kind = error_kind::estimated;
        report.digits = decimal_digits(report.solution_bits);
    }
    if (inverse == nullptr || is_zero(x_norm)) {
        return;
    }

    // || |inverse(A)| (|r| + its error) ||_inf / ||x||_inf
    std::vector<real> f = residual_sizes(system_, c.b, c.x);
    for (std::size_t i = 0; i < f.size(); ++i) {
        f[i] = (abs(c.at_x.r[i]) + min(c.at_x.error, c.at_x.relative_error * f[i])).with_precision(64);
    }
    raise_to_unsure(f, *inverse);
    const real error = estimate_error_inf(f, inverse->solve, inverse->solve_transposed);
    // the error that this very residual means, which no estimate may fall below
    std::vector<real> seen = c.at_x.r;
    for (real& r : seen) {
        r = r.with_precision(64);
    }
    inverse->solve(seen);
    const real seen_error = norm_inf(seen);
    if (!is_finite(error) || !is_finite(seen_error)) {
        return;
    }
    report.forward_error = max(real(safety_factor) * error, seen_error) / x_norm;
    report.forward_kind = error_kind::estimated;
    int digits = decimal_digits(report.solution_bits);
    if (!is_zero(report.forward_error)) {
        digits = std::min(digits, static_cast<int>(to_double(floor(-log10(report.forward_error)))));
    }
    report.digits = std::max(digits, 0);
}

void driver::report_spectrum(solve_column& c) const
{
    solve_report& report = c.report;
    if (report.condition) {
        report.condition_source = condition_source::factors;
    } else if (!options_.estimate_condition || report.looks_singular) {
        return;
    }
    if (report.condition && !profiles()) {
        return;  // nobody asks for it
    }
    report.spectrum = c.spectrum.ends();
    report.spectrum_of_a = report.preconditioner == preconditioner::none && !matrix_.is_scaled();
    if (report.spectrum && !report.condition) {
        report.condition = real(report.spectrum->largest) / real(report.spectrum->smallest);
        report.condition_source = condition_source::method;
    }
}

void driver::finish(solve_column& c)
{
    sharpen_residual(c);
    if (c.at_x.normal) {
        sharpen_normal(c);
    }
    solve_report& report = c.report;
    report.method = c.used.method;
    report.preconditioner = c.used.preconditioner;
    report.factor_bits = c.used.factor_bits;
    report.format = arithmetic_of(options_.format, report.precision_bits, report.method).format;
    const bool resolved = c.at_x.error <= ldexp(c.at_x.norm2, -20);  // else only a bound is known
    report.relative_residual = (resolved ? c.at_x.norm2 : c.at_x.norm2 + c.at_x.error) / report.rhs_norm;
    const real denominator = norm_ * norm_inf(c.x) + norm_inf(c.b);
    report.backward_error = is_zero(denominator) ? real(0.0) : c.at_x.norm_inf / denominator;
    if (c.at_x.normal) {
        report.normal_residual = normal_bound(c.at_x);
        report.least_squares = report.status == solve_status::converged && c.at_x.norm2 + c.at_x.error > c.tolerance;
    }
    report.componentwise_backward_error = timed(part(&part_seconds::estimates), [&] {
        return componentwise_backward_error(c.at_x, residual_sizes(system_, c.b, c.x));
    });
    report_spectrum(c);
    explain(c);
}

std::optional<part_seconds> driver::seconds_of_parts() const
{
    if (!profiles() || !parts_known_) {
        return std::nullopt;
    }
    part_seconds parts = parts_;
    parts.products = method_seconds_.products;
    parts.preconditioner = method_seconds_.preconditioner;
    parts.transfers = method_seconds_.transfers;
    parts.vectors = std::max(parts.vectors - parts.products - parts.preconditioner - parts.transfers, 0.0);
    return parts;
}

std::optional<double> driver::used_bytes() const
{
    const std::optional<resident_memory> now = profiles() ? resident_memory_bytes() : std::nullopt;
    const bool is_new_peak = memory_before_ && now && now->peak > memory_before_->peak;
    return is_new_peak ? std::optional(now->peak - memory_before_->now) : std::nullopt;
}

bool driver::wants_digits(solve_column& c)
{
    const int missing = options_.digits - c.report.digits;
    c.tolerance = c.at_x.norm2 * pow(real(10.0, 128), -missing - 1);
    c.wanted_bits = c.report.precision_bits;
    // x is carried in 2p bits: beyond them only a longer format helps
    return decimal_digits(2 * c.wanted_bits) >= options_.digits + 1 || leave_for_digits(c);
}

bool driver::leave_for_digits(solve_column& c)
{
    if (!may_escalate(c)) {
        return false;
    }
    leave(c, c.wanted_bits, c.report.iterations, "too few digits");
    c.wanted_bits = next_precision(c.wanted_bits);
    return true;
}

void driver::judge_zero(solve_column& c)
{
    estimate_forward_error(c);
    if (c.report.forward_kind == error_kind::unknown) {
        c.report.status = solve_status::not_converged;
        c.report.message = "x = 0 solves the system, but whether alone is not known: A " +
                           std::string(c.report.looks_singular ? "looks" : "may be") + " singular";
    }
}

bool driver::take_longer_factors(solve_column& c) const
{
    const auto next = std::find_if(
        std::find(plan_.candidates.begin(), plan_.candidates.end(), c.used), plan_.candidates.end(),
        [&](const candidate& each) { return each.method == c.used.method && each.factor_bits > c.used.factor_bits; });
    if (c.report.status != solve_status::stagnated || next == plan_.candidates.end() ||
        next->factor_bits > c.wanted_bits) {
        return false;
    }
    leave(c, c.wanted_bits, c.report.iterations, "too few digits");
    c.used = *next;
    return true;
}

void driver::pursue_digits(const column_list& columns)
{
    const auto reached = [this](const solve_column& c) {
        // no digits of x = 0 are known where b is not zero, but more can be
        const bool may_grow = c.report.forward_kind == error_kind::estimated || is_zero(norm_inf(c.x));
        return !may_grow || c.report.digits >= options_.digits;
    };
    column_list going = columns;
    while (!going.empty()) {
        std::erase_if(going, [&](solve_column* c) { return reached(*c) || !wants_digits(*c); });
        column_list in_vain;
        attempt_again(going, [&](solve_column& c, index_t corrections) {
            c.report.rtol = c.tolerance / c.report.rhs_norm;
            judge(c);
            if (c.report.digits < options_.digits &&
                (c.report.status != solve_status::converged || c.report.corrections == corrections)) {
                in_vain.push_back(&c);
            }
        });
        const auto ends = [&](solve_column* c) {
            return c->report.status == solve_status::interrupted || c->report.status == solve_status::time_limit;
        };
        std::erase_if(going, ends);
        std::erase_if(in_vain, ends);
        for (solve_column* c : column_list(in_vain)) {
            if (!take_longer_factors(*c) && !leave_for_digits(*c)) {
                std::erase(going, c);
                std::erase(in_vain, c);
            }
        }
        attempt_again(in_vain, [this](solve_column& c, index_t) {
            c.report.rtol = c.tolerance / c.report.rhs_norm;
            judge(c);
        });
    }
    for (solve_column* c : columns) {
        const bool fell_short =
            c->report.status == solve_status::not_converged || c->report.status == solve_status::stagnated;
        if (fell_short && c->report.forward_kind == error_kind::estimated && c->report.digits >= options_.digits) {
            c->report.status = solve_status::converged;  // by a tolerance that was looser than the last
            c->tolerance = c->at_x.norm2;
            c->report.rtol = c->tolerance / c->report.rhs_norm;
        }
        if (c->report.status == solve_status::converged &&
            (c->report.forward_kind == error_kind::unknown || c->report.digits < options_.digits)) {
            const bool unknown = c->report.forward_kind == error_kind::unknown;
            const std::optional<solve_status> stop = stop_requested();
            c->report.status = unknown && stop ? *stop : solve_status::not_converged;
            if (unknown && !c->report.looks_singular && !stop) {
                c->engine_message =
                    "the residual passes, but the digits of x cannot be estimated: there "
                    "are no factors of the matrix to estimate its condition with";
            } else if (!unknown && !c->out_of_memory) {
                c->engine_message = "the wanted digits were not reached with the most bits that were allowed";
            }
        }
    }
}

void driver::explain(solve_column& c) const
{
    solve_report& report = c.report;
    report.message = report.status == solve_status::converged ? "" : c.engine_message;
    const auto say = [&](const std::string& text) { report.message += (report.message.empty() ? "" : "; ") + text; };
    if (report.least_squares) {
        say("x is a least-squares solution: norm(A'(b - A x)) <= rtol norm(A)_F norm(b - A x) passes; A x = b it does "
            "not "
            "solve, norm(b - A x) / norm(b) = " +
            to_string(report.relative_residual, 3));
    }
    if (report.looks_singular) {
        const long most_bits = std::max(most_inverse_bits, report.precision_bits);
        say("A looks singular in every format up to " + std::to_string(most_bits) +
            " bits: x may be one of many, and no digit of it is known");
        return;
    }
    const double kappa_bits = report.condition ? to_double(log10(*report.condition)) / std::log10(2.0) : 0.0;
    const long p = report.precision_bits;
    const bool beyond_factors =
        c.used.method == method::gmres_ir && kappa_bits > gmres_ir_limit_bits(c.used.factor_bits, p, 2 * p);
    const std::vector<long>& precisions = available_precisions(longer_format(options_.format));
    switch (report.status) {
        case solve_status::stagnated:
            if (beyond_factors) {
                say(factors_words(c.used, p, kappa_bits, precisions, options_.executor));
            } else if (kappa_bits + 10.0 > static_cast<double>(p)) {
                const long wanted = static_cast<long>(kappa_bits) + 40;
                const auto next = std::lower_bound(precisions.begin(), precisions.end(), wanted);
                say("the precision is the limit: the condition takes about " +
                    std::to_string(static_cast<long>(kappa_bits)) + " of " + std::to_string(p) + " bits" +
                    (next != precisions.end() ? "; try --precision " + std::to_string(*next) : ""));
            } else if (c.used.method != method::lsqr && c.used.method != method::direct &&
                       c.at_x.norm2 <= ldexp(report.rhs_norm, 12 - report.solution_bits)) {
                const long next = next_precision(p);
                say("the precision is the limit: x is carried with " + std::to_string(report.solution_bits) + " bits" +
                    (next > 0 ? "; try --precision " + std::to_string(next) : ""));
            } else if (c.used.method == method::lsqr) {
                say(next_precision(report.precision_bits) > 0
                        ? "rounding errors are the limit: try a higher --precision"
                        : "rounding errors are the limit");
            } else if (c.used.method == method::direct) {
                say(next_precision(report.precision_bits) > 0
                        ? "rounding errors of the factors are the limit: try a higher --precision"
                        : "rounding errors of the factors are the limit");
            } else if (c.used.method == method::refine && kappa_bits + 10.0 > static_cast<double>(c.used.factor_bits)) {
                say(factors_words(c.used, p, kappa_bits, {}, options_.executor));
            } else {
                const bool best = are_factors(c.used.preconditioner);
                const bool refines = c.used.method == method::refine || c.used.method == method::gmres_ir;
                const long next = refines ? 0 : next_precision(p);  // others lose bits on their way
                const bool restarts = report.restarts > 0;
                say("the preconditioner " + std::string(restarts ? "or the restart " : "") + "is the limit, " +
                    (next > 0 ? "or bits that the method loses on its way: try --precision " + std::to_string(next) +
                                    (best ? " or " : ", ")
                              : std::string("not the precision: try ")) +
                    (restarts ? std::string("a longer --restart") + (best ? " or " : ", ") : "") +
                    (best ? "" : "another preconditioner, --method refine or ") + "--method direct");
            }
            break;
        case solve_status::not_converged:
            if (report.iterations >= max_iterations_) {
                const bool takes_one = c.used.method != method::lsqr;
                if (beyond_factors) {
                    say(factors_words(c.used, p, kappa_bits, precisions, options_.executor));
                }
                say("the limit of " + std::to_string(max_iterations_) + " iterations was reached: allow more, or use " +
                    std::string(takes_one ? "a stronger preconditioner or " : "") + "more bits");
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
