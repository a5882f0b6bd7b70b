#include <residua/solvers/driver.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <residua/solvers/base/memory.hpp>
#include <residua/solvers/inverse.hpp>
#include <residua/solvers/placement.hpp>

namespace residua {
namespace {

/// 2^-0.9p, the default relative tolerance; binary64's range may not hold it.
real default_rtol(long bits)
{
    const double e = -0.9 * static_cast<double>(bits);
    const double whole = std::floor(e);
    return ldexp(real(std::exp2(e - whole)), static_cast<long>(whole));
}

/// x / y as a double that neither over- nor underflows to zero: tolerances far beyond binary64's
/// range are reached in several corrections.
double clamped_ratio(const real& x, const real& y) { return std::clamp(to_double(x / y), 1e-280, 1e280); }

void round_all(std::vector<real>& v, long bits)
{
    for (real& x : v) {
        x = x.with_precision(bits);
    }
}

}  // namespace

driver::driver(const linear_system& system, const solve_options& options) : system_(system), options_(options) {}

double driver::seconds() const
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

std::optional<solve_status> driver::stop_requested() const
{
    if (options_.interrupted && options_.interrupted()) {
        return solve_status::interrupted;
    }
    if (options_.time_limit_seconds > 0.0 && seconds() > options_.time_limit_seconds) {
        return solve_status::time_limit;
    }
    return std::nullopt;
}

void driver::validate() const
{
    if (system_.rows != system_.cols) {
        throw dimension_error("a solver needs a square matrix, this one is " + std::to_string(system_.rows) + " x " +
                              std::to_string(system_.cols));
    }
    if (static_cast<index_t>(system_.b.size()) != system_.rows) {
        throw dimension_error("the right-hand side has " + std::to_string(system_.b.size()) + " entries, the matrix " +
                              std::to_string(system_.rows) + " rows");
    }
    if (!options_.initial_guess.empty() && options_.initial_guess.size() != system_.b.size()) {
        throw dimension_error("the initial guess has " + std::to_string(options_.initial_guess.size()) +
                              " entries, the matrix " + std::to_string(system_.rows) + " rows");
    }
    const bool may_restart = options_.method == method::gmres || options_.method == method::automatic;
    if (may_restart && options_.restart < 1) {
        throw unsupported_error("the restart length of GMRES must be at least 1, not " +
                                std::to_string(options_.restart));
    }
    for (const std::optional<real>* tolerance : {&options_.rtol, &options_.atol}) {
        if (*tolerance && !(**tolerance >= real(0.0) && is_finite(**tolerance))) {
            throw unsupported_error("a tolerance must be a finite number, zero or above, not " +
                                    to_string(**tolerance, 6));
        }
    }
    const bool finite =
        std::all_of(system_.values.begin(), system_.values.end(), [](double a) { return std::isfinite(a); }) ||
        (!system_.exact.empty() &&
         std::all_of(system_.exact.begin(), system_.exact.end(), [](const real& a) { return is_finite(a); }));
    if (!finite) {
        throw unsupported_error("the matrix has an entry that is not a finite number");
    }
    require_fitting(options_.method, options_.preconditioner);
    require_executor(options_);
    require_device(options_);
    require_memory("the solve", predicted_bytes(system_, options_));
}

bool driver::passes(const residual_evaluation& at) const { return at.norm2 + at.error <= tolerance_; }

void driver::sharpen_residual()
{
    // a residual that came out as zero, but not exactly, asks for more bits blindly
    for (int k = 0; k < 3 && ldexp(at_x_.norm2, -20) < at_x_.error; ++k) {
        const real wanted = is_zero(at_x_.norm2) ? ldexp(at_x_.error, -2000) : ldexp(at_x_.norm2, -24);
        at_x_ = evaluate_residual(system_, x_, wanted);
    }
}

void driver::record(index_t iteration, const real& recursive, bool exact)
{
    if (exact) {
        sharpen_residual();
    }
    history_entry entry;
    entry.iteration = iteration;
    entry.recursive = recursive;
    if (exact) {
        entry.exact = at_x_.norm2 / report_.rhs_norm;
    }
    entry.seconds = seconds();
    entry.precision_bits = report_.precision_bits;
    report_.history.push_back(entry);
    if (options_.on_history) {
        options_.on_history(report_.history.back());
    }
}

bool driver::solve_trivially()
{
    report_.rhs_norm = norm2(system_.b);
    for (const auto* v : {&system_.b, &options_.initial_guess}) {
        if (!std::all_of(v->begin(), v->end(), [](const real& x) { return is_finite(x); })) {
            throw unsupported_error(
                "the right-hand side or the initial guess has an entry that is "
                "not a finite number");
        }
    }
    const bool zero_rhs = is_zero(report_.rhs_norm);
    if (!zero_rhs) {
        return false;
    }
    x_.assign(static_cast<std::size_t>(system_.rows), real(0.0));
    report_.status = solve_status::converged;
    report_.method = options_.method;
    report_.preconditioner = options_.preconditioner;
    report_.format = options_.format;
    report_.precision_bits = report_.solution_bits = choose_precision(options_, real(1.0));
    return true;
}

void driver::prepare()
{
    structure_ = inspect(system_);
    matrix_ = scale(system_, structure_.symmetric);
    if (wants_factors(system_, options_) && structure_.zero_rows == 0 && structure_.zero_cols == 0) {
        const bool condition = options_.estimate_condition || options_.digits > 0 ||
                               options_.method == method::automatic || options_.precision_bits == 0;
        factors_ = factorize(system_, matrix_, condition);
    }
    plan_ = make_plan(system_, structure_, options_, factors_);
    report_.precision_bits = choose_precision(options_, known_condition());
    max_iterations_ =
        options_.max_iterations > 0 ? options_.max_iterations : std::max<index_t>(10 * system_.rows, 1000);
    if (options_.initial_guess.empty()) {
        x_.assign(static_cast<std::size_t>(system_.rows), real(0.0));
    } else {
        x_ = options_.initial_guess;
        long bits = 0;
        for (const real& x : x_) {
            bits = std::max(bits, x.precision());
        }
        round_all(x_, bits);  // exactly: all elements of x have one precision
    }
    report_.setup_seconds = seconds();
}

stop_rule driver::inner_rule(double target)
{
    stop_rule rule;
    rule.relative_residual = target;
    rule.max_iterations = std::max<index_t>(max_iterations_ - report_.iterations, 0);
    rule.on_iteration = [this, first = report_.iterations, start = at_x_.norm2 / report_.rhs_norm](index_t k,
                                                                                                   double relative) {
        if (k > 0) {
            record(first + k, start * real(relative), false);
        }
    };
    rule.poll = [this] { return stop_requested(); };
    return rule;
}

void driver::make_engine_for(const candidate& choice, long bits)
{
    const bool same = engine_ && report_.precision_bits == bits && used_.method == choice.method &&
                      used_.preconditioner == choice.preconditioner;
    if (same) {
        return;
    }
    engine_.reset();
    const arithmetic in = arithmetic_of(options_.format, bits);
    const double bytes =
        engine_bytes(in, choice.method, system_.rows, system_.nonzeros(), system_.exact.empty(), options_.restart);
    const bool direct = choice.method == method::direct;
    const double device_bytes = direct ? device_product_bytes(in, system_.rows) : bytes;
    const placement place = without_gpu_ ? placement{} : find_place(options_, in, choice, system_.rows, device_bytes);
    if (!place.device || direct) {
        require_memory("the method", bytes);
    }
    used_ = choice;
    report_.precision_bits = bits;
    report_.executor = place.device ? executor::cuda : executor::host;
    report_.device = place.name;
    const bool wide_range = in.format == number_format::multidigit || in.format == number_format::rns;
    const bool as_it_is = wide_range && direct && matrix_.is_scaled();
    if (as_it_is && !unscaled_) {
        unscaled_ = unscaled(system_, structure_.symmetric);
    }
    engine_request request{.matrix = as_it_is ? *unscaled_ : matrix_, .method = choice.method, .factors = nullptr};
    request.device = place.device;
    switch (choice.preconditioner) {
        case preconditioner::jacobi:
            request.jacobi = true;
            break;
        case preconditioner::ilu0:
            incomplete_ = factorize_ilu0(matrix_.a);
            request.factors = &incomplete_;
            break;
        case preconditioner::ic0:
            incomplete_ = factorize_ic0(matrix_.a);
            request.factors = &incomplete_;
            break;
        case preconditioner::lu:
            request.factors = &factors_.factors;
            break;
        default:
            break;
    }
    request.symmetric = request.matrix.symmetric && structure_.positive_diagonal;
    request.restart = options_.restart;
    request.interrupted = [this] { return stop_requested().has_value(); };
    if (request.factors != nullptr && !request.factors->failure.empty()) {
        engine_message_ = request.factors->failure;
        return;
    }
    engine_ = make_engine(in, request);
    if (!engine_->on_device()) {
        report_.executor = executor::host;
        report_.device.clear();
    }
}

bool driver::leave_gpu()
{
    const bool leaves = !without_gpu_ && options_.executor == executor::automatic && report_.executor == executor::cuda;
    if (leaves) {
        without_gpu_ = true;
        engine_.reset();
    }
    return leaves;
}

solve_status driver::fall_short(long bits, const resource_error& lack)
{
    if (report_.corrections == 0) {
        throw;
    }
    engine_message_ = "in " + std::to_string(bits) + " bits " + lack.what();
    out_of_memory_ = true;
    return solve_status::stagnated;
}

solve_status driver::attempt(const candidate& choice, long bits)
{
    engine_message_.clear();
    try {
        make_engine_for(choice, bits);
    } catch (const resource_error& lack) {
        return leave_gpu() ? attempt(choice, bits) : fall_short(bits, lack);
    }
    if (!engine_) {
        return solve_status::breakdown;
    }
    round_all(x_, std::max(2 * bits, x_.front().precision()));
    if (!options_.rtol && options_.digits == 0) {
        report_.rtol = default_rtol(bits);
        tolerance_ = max(report_.rtol * report_.rhs_norm, report_.atol);
    }

    for (;;) {
        if (passes(at_x_)) {
            return solve_status::converged;
        }
        // evaluated with fewer bits than the correction will have, or fallen further than expected
        if (const real error = ldexp(max(tolerance_, ldexp(at_x_.norm2, -bits)), -20); error < at_x_.error) {
            at_x_ = evaluate_residual(system_, x_, error);
        }
        if (const auto stop = stop_requested()) {
            return *stop;
        }
        if (report_.iterations >= max_iterations_) {
            return solve_status::not_converged;
        }
        const real before = at_x_.norm2;
        // a little below the tolerance: the recursive residual is not the true one
        const double target = 0.99 * clamped_ratio(tolerance_, before);
        std::vector<real> d;
        iteration_report inner;
        try {
            inner = engine_->correct(at_x_.r, inner_rule(target), d);
        } catch (const resource_error& lack) {  // a device fails while it computes
            return leave_gpu() ? attempt(choice, bits) : fall_short(bits, lack);
        }
        report_.iterations += inner.iterations;
        report_.matvecs += inner.matvecs;
        report_.restarts += inner.restarts;
        report_.recursive_residual = before / report_.rhs_norm * real(inner.recursive_residual);
        engine_message_ = inner.message;

        std::vector<real> next = x_;
        bool finite = true;
        for (std::size_t i = 0; i < next.size(); ++i) {
            next[i] += d[i];
            finite = finite && is_finite(next[i]);
        }
        ++report_.matvecs;
        ++report_.corrections;
        bool halved = false;
        if (finite) {
            round_all(next, x_.front().precision());
            residual_evaluation at_next =
                evaluate_residual(system_, next, ldexp(max(tolerance_, ldexp(before, -2 * bits)), -20));
            halved = at_next.norm2 < before && at_next.norm2 * real(2.0) <= before;
            if (at_next.norm2 < before) {
                x_ = std::move(next);
                at_x_ = std::move(at_next);
            }
        }
        if (report_.iterations > 0) {
            record(report_.iterations, report_.recursive_residual, true);
        }
        if (passes(at_x_)) {
            return solve_status::converged;
        }
        switch (inner.status) {
            case solve_status::interrupted:
            case solve_status::time_limit:
            case solve_status::not_converged:
                return inner.status;
            default:
                break;
        }
        if (!halved) {
            return inner.status == solve_status::breakdown ? solve_status::breakdown : solve_status::stagnated;
        }
    }
}

real driver::known_condition() const { return factors_.condition ? factors_.condition->condition : real(0.0); }

bool driver::may_escalate() const
{
    if (out_of_memory_) {
        return false;
    }
    const bool free_choice = options_.precision_bits == 0 || options_.digits > 0;
    return free_choice && next_precision(report_.precision_bits) > 0;
}

bool driver::more_bits_may_help() const
{
    switch (report_.status) {
        case solve_status::not_converged:
        case solve_status::stagnated:
            return true;
        case solve_status::breakdown:
            break;
        default:
            return false;
    }
    if (!engine_) {
        return false;  // no preconditioner: it is made in binary64
    }
    // BiCGSTAB breaks down by accident. The others say that the matrix is singular or not positive
    // definite; they can be wrong only where rounding errors are as large as what they judge by
    const long lost = factors_.condition ? exponent(factors_.condition->condition) : report_.precision_bits;
    return used_.method == method::bicgstab || lost + 20 > report_.precision_bits;
}

long driver::next_precision(long bits) const
{
    const std::vector<long>& all = available_precisions(options_.format);
    const auto next = std::upper_bound(all.begin(), all.end(), bits);
    return next == all.end() ? 0 : *next;
}

void driver::solve_by_plan()
{
    if (structure_.zero_rows > 0 || structure_.zero_cols > 0) {
        report_.status = solve_status::breakdown;
        engine_message_ = "the matrix is singular: it has a row or a column without entries";
        used_ = plan_.candidates.front();
        return;
    }
    long bits = report_.precision_bits;
    index_t first_iteration = 0;
    for (;;) {
        for (const candidate& choice : plan_.candidates) {
            report_.status = attempt(choice, bits);
            const bool fell_short =
                report_.status == solve_status::stagnated || report_.status == solve_status::breakdown;
            if (!fell_short) {
                break;
            }
        }
        if (!more_bits_may_help() || !may_escalate() || report_.iterations >= max_iterations_) {
            return;
        }
        report_.escalations.push_back({bits, report_.iterations - first_iteration, at_x_.norm2 / report_.rhs_norm,
                                       std::string(to_string(report_.status))});
        first_iteration = report_.iterations;
        bits = next_precision(bits);
    }
}

solve_result driver::run()
{
    validate();
    report_.atol = options_.atol.value_or(real(0.0));
    report_.rtol = options_.rtol.value_or(real(0.0));
    if (system_.rows == 0 || solve_trivially()) {
        report_.status = solve_status::converged;
        report_.solve_seconds = seconds();
        return {std::move(report_), std::move(x_)};
    }
    prepare();

    if (!options_.rtol) {
        report_.rtol = default_rtol(report_.precision_bits);
        if (options_.digits > 0) {  // what the digits need at this condition, a tenth for safety
            const real needed = pow(real(10.0, 128), -options_.digits - 1) / max(known_condition(), real(1.0));
            report_.rtol = min(report_.rtol, needed);
        }
    }
    tolerance_ = max(report_.rtol * report_.rhs_norm, report_.atol);
    at_x_ = evaluate_residual(system_, x_, ldexp(tolerance_, -20));
    record(0, at_x_.norm2 / report_.rhs_norm, true);
    report_.recursive_residual = at_x_.norm2 / report_.rhs_norm;

    solve_by_plan();
    choose_solution_bits();
    estimate_forward_error();
    if (report_.looks_singular && report_.status == solve_status::stagnated) {
        report_.status = solve_status::breakdown;
    }
    if (report_.status == solve_status::converged && options_.digits > 0) {
        pursue_digits();
    }

    sharpen_residual();
    report_.method = used_.method;
    report_.preconditioner = used_.preconditioner;
    report_.format = arithmetic_of(options_.format, report_.precision_bits).format;
    const bool resolved = at_x_.error <= ldexp(at_x_.norm2, -20);  // else only a bound is known
    report_.relative_residual = (resolved ? at_x_.norm2 : at_x_.norm2 + at_x_.error) / report_.rhs_norm;
    const real denominator = matrix_norm_inf(system_) * norm_inf(x_) + norm_inf(system_.b);
    report_.backward_error = is_zero(denominator) ? real(0.0) : at_x_.norm_inf / denominator;
    report_.solve_seconds = seconds() - report_.setup_seconds;
    explain();
    return {std::move(report_), std::move(x_)};
}

}  // namespace residua
