#include <residua/solvers/session/singular_report.hpp>

#include <algorithm>
#include <cmath>

#include <residua/solvers/assess/forward_error.hpp>
#include <residua/solvers/options/verdict.hpp>
#include <residua/solvers/planning/precision.hpp>

namespace residua {
namespace {

scaled_doubles leading_of(const std::vector<real>& v)
{
    scaled_doubles all;
    for (const real& x : v) {
        all.emplace_back(x);
    }
    return all;
}

}  // namespace

real largest_difference(const std::vector<real>& x, const std::vector<real>& y, std::size_t first_of_y)
{
    real largest(0.0, 64);
    for (std::size_t i = 0; i < x.size(); ++i) {
        const real& other = y[first_of_y + i];
        const long bits = std::max(x[i].precision(), other.precision()) + 64;
        largest = max(largest, abs(x[i].with_precision(bits) - other.with_precision(bits)).with_precision(64));
    }
    return largest;
}

int digits_of_tolerance(const solve_options& options)
{
    if (options.rtol && !is_zero(*options.rtol)) {
        return std::max(decimals_below(*options.rtol), 1);
    }
    const double bits = default_tolerance_bits(choose_precision(options, real(1.0)));
    return std::max(static_cast<int>(bits * std::log10(2.0)), 1);
}

void complete_report(solve_result& result, const linear_system& system, const std::vector<real>& b,
                     const residual_evaluation& at, const singular_outcome& known)
{
    solve_report& report = result.report;
    const long bits = report.solution_bits;
    report.rhs_norm = norm2(b);
    const bool is_zero_b = is_zero(report.rhs_norm);
    report.relative_residual = is_zero_b ? real(0.0) : at.norm2 / report.rhs_norm;
    const scaled_doubles sizes = residual_sizes(system, leading_of(b), leading_of(result.x));
    report.componentwise_backward_error = componentwise_backward_error(at, sizes);
    const real denominator = to_real(matrix_norm_inf(system)) * norm_inf(result.x) + norm_inf(b);
    report.backward_error = is_zero(denominator) ? real(0.0) : at.norm_inf / denominator;
    report.condition.reset();
    report.condition_source = condition_source::unknown;
    report.spectrum.reset();
    report.reading_digits.reset();
    report.rank = known.rank;
    report.nullity = system.cols - known.rank;
    report.forward_error.reset();
    report.forward_kind = error_kind::unknown;
    report.digits = 0;
    const bool is_outside = report.part_outside && !is_zero(*report.part_outside);
    if (known.error && !is_outside) {
        const real size = norm_inf(result.x);
        report.forward_error = is_zero(size) ? real(0.0) : *known.error / size + ldexp(real(1.0), -bits);
        report.forward_kind = known.kind;
        const int digits =
            is_zero(*report.forward_error) ? decimal_digits(bits) : decimals_below(*report.forward_error);
        report.digits = std::clamp(digits, 0, decimal_digits(bits));
    }
    const bool ended = report.status == solve_status::interrupted || report.status == solve_status::time_limit;
    report.verdict = {.limit = report.status == solve_status::time_limit ? limit::time
                               : ended                                   ? limit::interruption
                                                                         : limit::rank,
                      .detail = known.words};
    if (report.status == solve_status::converged && is_outside) {
        report.status = solve_status::breakdown;
    } else if (report.status == solve_status::converged && report.digits < known.digits) {
        report.status = solve_status::not_converged;
    }
    report.message = explain(report);
}

}  // namespace residua
