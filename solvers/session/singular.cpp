#include <residua/solvers/session/singular.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <mpfr.h>

#include <residua/io/interruption.hpp>
#include <residua/solvers/assess/forward_error.hpp>
#include <residua/solvers/options/verdict.hpp>
#include <residua/solvers/planning/plan.hpp>
#include <residua/solvers/session/session.hpp>
#include <residua/solvers/session/singular_report.hpp>
#include <residua/solvers/solver.hpp>
#include <residua/solvers/space/true_residual.hpp>

namespace residua {
namespace {

bool is_judged_by_digits(const solve_options& options) { return options.digits > 0 && !options.rtol && !options.atol; }

/// The digits that x is to have, by the caller or by the tolerance.
int digits_wanted(const solve_options& options)
{
    return options.digits > 0 ? options.digits : digits_of_tolerance(options);
}

/// The tolerance of the residual where no other is asked for: as small as the digits that are.
real unasked_rtol(const solve_options& options)
{
    return is_judged_by_digits(options) ? pow(real(10.0, 64), -options.digits - 1)
                                        : default_rtol(choose_precision(options, real(1.0)));
}

/// "rows 1, 2 and 5", with at most ten of them
std::string rows_in_words(const std::vector<std::int32_t>& rows)
{
    constexpr std::size_t most = 10;
    std::string text = "rows ";
    const std::size_t shown = std::min(rows.size(), most);
    for (std::size_t k = 0; k < shown; ++k) {
        const bool is_last = k + 1 == shown && shown == rows.size();
        text += (k == 0 ? "" : is_last ? " and " : ", ") + std::to_string(rows[k] + 1);
    }
    const std::size_t left = rows.size() - shown;
    return text + (left > 0 ? " and " + std::to_string(left) + (left == 1 ? " other" : " others") : "");
}

/// What a vector v that A' takes to zero says of the rows a_i: which v_i are above their error, or have a v_i a_i that is not small
/// beside others. The former alone would leave out rows that are much larger than others.
std::string words_about(const std::vector<real>& v, const real& error, const linear_system& a)
{
    std::vector<real> terms;
    for (index_t i = 0; i < a.rows; ++i) {
        real largest(0.0, 64);
        for (index_t k = a.row_begin[i]; k < a.row_begin[i + 1] && !is_zero(v[static_cast<std::size_t>(i)]); ++k) {
            largest = max(largest, abs(entry(a, k, 64)).with_precision(64));
        }
        terms.push_back(abs(v[static_cast<std::size_t>(i)]).with_precision(64) * largest);
    }
    const real least = ldexp(norm_inf(terms), -40);
    std::vector<std::int32_t> rows;
    for (std::size_t i = 0; i < v.size(); ++i) {
        if (abs(v[i]) > error || terms[i] > least) {
            rows.push_back(static_cast<std::int32_t>(i));
        }
    }
    return rows_in_words(rows) + " are linearly dependent";
}

}  // namespace

int first_digits_of_part(const solve_options& options, bool has_sets)
{
    const int of_residual = is_judged_by_digits(options) ? 0 : digits_of_tolerance(options);
    return attainable(std::max(digits_wanted(options), of_residual) + (has_sets ? 1 : spare::digits));
}

singular_solver::singular_solver(const linear_system& system, const matrix_structure& structure, known_rank rank,
                                 const solve_options& options, const solve_clock& clock)
    : system_(system), structure_(structure), rank_(std::move(rank)), options_(options), clock_(clock)
{}

singular_solver::~singular_solver() = default;

singular_solver::level singular_solver::seek(int digits)
{
    level made;
    if (rank_.rank() > 0) {
        const bool is_made = rank_.shown_by != nullptr && rank_.shown_by->options().digits == digits;
        made.part =
            is_made ? rank_.shown_by
                    : std::make_shared<solver>(part_of(system_, rank_.part), options_of_part(options_, clock_, digits));
    }
    if (!rank_.floating.empty()) {
        made.right = made.left = null_space(rank_.components, rank_.floating);
        made.dependent = structure_.has_zero_lines() ? zero_words(structure_) : words_about(rank_);
        return made;
    }
    const long bits = bits_of_digits(digits);
    spanning_vectors right = find_spanning_vectors(system_, rank_.part, made.part.get(), false);
    spanning_vectors left =
        structure_.symmetric ? right : find_spanning_vectors(system_, rank_.part, made.part.get(), true);
    is_incomplete_ = is_incomplete_ || right.lacked_memory || left.lacked_memory;
    clock_.interruptible([&] {
        made.dependent = structure_.has_zero_lines() ? zero_words(structure_)
                                                     : words_about(left.vectors.front(), left.error, system_);
        made.right = null_space(std::move(right.vectors), right.error, bits);
        made.left = structure_.symmetric ? made.right : null_space(std::move(left.vectors), left.error, bits);
    });
    return made;
}

solve_result singular_solver::solve(const std::vector<real>& b, const real& reading_error)
{
    const int wanted = digits_wanted(options_);
    const auto n = static_cast<std::size_t>(system_.cols);
    const real norm_of_b = norm2(b);
    const real root_of_n = sqrt(real(static_cast<double>(n)));
    const bool has_constants = !rank_.floating.empty();  // which take the mean of an error from it
    solve_result result;
    solve_report& report = result.report;
    const std::string* dependent = nullptr;
    real error(0.0);
    residual_evaluation at;
    const real rtol = options_.rtol.value_or(unasked_rtol(options_));
    bool passes = true;  // the residual of x, where there is an x that solves the system
    int digits =
        rank_.shown_by != nullptr ? rank_.shown_by->options().digits : first_digits_of_part(options_, has_constants);
    for (int raises = 0;; ++raises) {
        const level& at_digits = levels_.at(digits, [this](int d) { return seek(d); });
        const null_space& right = at_digits.right;
        const null_space& left = at_digits.left;
        dependent = &at_digits.dependent;
        const long bits = bits_of_digits(digits);
        const real outside = left.norm_of_part(b, bits);
        const real unknown = norm_of_b * (left.error() + reading_error + ldexp(real(1.0), spare::bits / 2 - bits));
        const bool in_range = outside <= unknown;
        std::vector<real> inside;  // b without its part outside
        if (!in_range) {
            inside = b;
            left.take_from(inside, bits);
        }
        std::vector<real> right_side;
        right_side.reserve(rank_.part.rows.size());
        for (const std::int32_t i : rank_.part.rows) {
            right_side.push_back((in_range ? b : inside)[static_cast<std::size_t>(i)]);
        }
        solve_result inner;
        if (at_digits.part != nullptr) {
            inner = at_digits.part->solve(right_side);
        } else {  // A is zero
            inner.report.status = solve_status::converged;
            inner.report.precision_bits = bits;
        }
        report = std::move(inner.report);
        if (report.status == solve_status::interrupted) {
            report.status = clock_.why_stopped();
        }
        result.x.clear();
        result.x.reserve(n);
        for (std::size_t k = 0; k < inner.x.size(); ++k) {
            result.x.resize(static_cast<std::size_t>(rank_.part.columns[k]), real(0.0));
            result.x.push_back(std::move(inner.x[k]));
        }
        result.x.resize(n, real(0.0));
        const real size = norm2(result.x);
        const real of_part = norm_inf(result.x);
        right.take_from(result.x, bits);
        const real relative_error = is_zero(report.rhs_norm) ? real(0.0) : report.forward_error.value_or(real(1.0));
        const real from_b = in_range ? real(0.0) : report.condition.value_or(real(1.0)) * left.error();
        error = of_part * relative_error * (has_constants ? real(2.0) : root_of_n) +
                size * (right.error() + from_b + ldexp(real(1.0), spare::bits / 2 - bits));
        const real size_of_x = norm_inf(result.x);
        report.part_outside = in_range ? real(0.0) : outside / norm_of_b;
        report.solution_bits = std::max(report.precision_bits, bits - spare::bits);
        for (real& x : result.x) {
            mpfr_prec_round(x.mpfr(), report.solution_bits, MPFR_RNDN);
        }
        at = evaluate_residual(system_, b, result.x, ldexp(norm_of_b, -2 * report.solution_bits), reading_error);
        report.rtol = rtol;
        report.atol = options_.atol.value_or(real(0.0));
        real tolerance = max(report.rtol * norm_of_b, report.atol);
        if (is_judged_by_digits(options_)) {  // what the error of x explains, with its rounding
            const real of_x = error + ldexp(size_of_x, -report.solution_bits);
            tolerance = max(tolerance, to_real(matrix_norm_inf(system_)) * of_x * root_of_n);
        }
        passes = !in_range || at.norm2 <= tolerance;
        if (passes && in_range) {
            report.rtol = max(report.rtol, is_zero(norm_of_b) ? real(0.0) : at.norm2 / norm_of_b);
        }
        const bool is_zero_solution = is_zero(size_of_x) && is_zero(size);
        const bool has_digits = !is_zero(size_of_x) && decimals_below(error / size_of_x) >= wanted;
        if (((has_digits || is_zero_solution) && passes) || report.status != solve_status::converged ||
            raises == spare::raises) {
            break;
        }
        const real lost = is_zero(size_of_x) ? real(1e10) : error / size_of_x;
        const int for_residual = passes ? 0 : -decimals_below(at.norm2 / tolerance) + 1;
        digits = raised_digits(digits + std::max({wanted - decimals_below(lost), for_residual, 1}) + spare::digits);
    }
    if (report.status == solve_status::converged && !passes) {
        report.status = solve_status::not_converged;
    }
    if (report.status != solve_status::converged) {
        report.part_outside.reset();  // x does not show that b is in the range
    }
    complete_report(result, system_, b, at,
                    {.rank = rank_.rank(),
                     .words = *dependent,
                     .error = report.part_outside ? std::optional(error) : std::nullopt,
                     .kind = error_kind::estimated,
                     .digits = wanted});
    return result;
}

}  // namespace residua
