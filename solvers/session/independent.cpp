// Errors by comparison with a solution that was computed another way.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <residua/arith/base/random.hpp>
#include <residua/solvers/assess/forward_error.hpp>
#include <residua/solvers/files/load.hpp>
#include <residua/solvers/session/augmented.hpp>
#include <residua/solvers/session/given_rhs.hpp>
#include <residua/solvers/session/independent.hpp>
#include <residua/solvers/session/rank_part.hpp>
#include <residua/solvers/session/singular_report.hpp>
#include <residua/solvers/solver.hpp>

namespace residua {
namespace {

constexpr long guard_bits = 10;  // bits by which the residual of the other solution is smaller
constexpr int guard_digits = 3;

/// A power of two near the largest entry of A
real size_of_entries(const linear_system& a)
{
    real largest(0.0, 64);
    for (index_t k = 0; k < a.nonzeros(); ++k) {
        largest = max(largest, abs(entry(a, k, 64)).with_precision(64));
    }
    return is_zero(largest) ? real(1.0) : ldexp(real(1.0), exponent(largest));
}

/// [a I, A; A', 0], a being size_of_entries()
linear_system augmented_of(const linear_system& a)
{
    const real one = size_of_entries(a);
    std::vector<std::int32_t> rows(static_cast<std::size_t>(a.rows));
    std::iota(rows.begin(), rows.end(), 0);
    return augmented_system(a, rows, std::vector<real>(rows.size(), one), real(0.0));
}

/// Whether rows of A may be dependent, or are as many as its columns or more: then b may be outside of the range.
bool may_lack_solution(const session& s)
{
    if (s.system().rows >= s.system().cols) {
        return true;
    }
    const shown_rank* const rank = s.kept.find_rank();
    return rank != nullptr && rank->known.rank() < s.system().rows;
}

}  // namespace

std::optional<real> distance_to_independent(session& s, const solve_column& c)
{
    const long next = precision_above(available_precisions(longer_format(s.options().format)), c.report.precision_bits);
    if (next == 0) {
        return std::nullopt;
    }
    solve_column other{.index = c.index, .b = c.b, .reading_error = c.reading_error};
    other.is_silent = true;
    other.used = c.used;
    other.report.rhs_norm = c.report.rhs_norm;
    other.report.rtol = c.report.rtol;
    const real size = c.x.norm_inf();
    splitmix64 random{static_cast<std::uint64_t>(c.index) + 1};
    std::vector<real> start(static_cast<std::size_t>(c.x.size()));
    std::generate(start.begin(), start.end(), [&] { return size * real(uniform(random)); });
    other.x = c.x.in_mpfr() ? long_vector(std::move(start)) : long_vector::exactly(start);
    other.rhs = c.rhs;
    other.tolerance = ldexp(is_zero(c.at_x.norm2) ? c.tolerance : c.at_x.norm2, -guard_bits);
    other.at_x = evaluate(s, other, other.x, ldexp(other.tolerance, -20));
    correct(s, c.used, next, {&other});
    if (other.report.status != solve_status::converged) {
        return std::nullopt;
    }
    return real(norm_estimate_safety) * largest_difference(c.x.numbers(), other.x.numbers()) / size;
}

std::optional<real> distance_to_least_squares(session& s, solve_column& c)
{
    const linear_system& a = s.system();
    const index_t order = a.rows + a.cols;
    const int digits = s.options().digits;
    const real size = c.x.norm_inf();
    const std::vector<real> x = c.x.numbers();
    if (is_zero(size)) {
        return is_normal_to_columns(s.prepared.transpose_of_a(), c.b.numbers()) ? std::optional(real(0.0))
                                                                                : std::nullopt;
    }
    if (digits == 0 && order > largest_automatic_dense) {
        return std::nullopt;
    }
    const bool wide = !may_lack_solution(s);
    int wanted = attainable(std::max(digits, 1) + guard_digits);
    for (int tries = 0; tries < 2; ++tries) {
        if (s.kept.augmented == nullptr || s.kept.augmented->options().digits < wanted) {
            solve_options options;
            options.digits = wanted;
            options.executor = s.options().executor;
            options.device = s.options().device;
            options.threads = s.options().threads;
            options.interrupted = s.prepared.clock().interruption();
            s.kept.augmented =
                std::make_unique<solver>(augmented_of(wide ? s.prepared.transpose_of_a() : a), std::move(options));
        }
        std::vector<real> rhs(static_cast<std::size_t>(order), real(0.0));
        if (wide && s.options().has_guess()) {
            const real one = size_of_entries(a);
            const std::vector<real> guess = given_guess(s.options(), a.cols, c.index, true).numbers();
            std::transform(guess.begin(), guess.end(), rhs.begin(),
                           [&](const real& g) { return ldexp(g, exponent(one) - 1); });
        }
        std::copy(c.b.numbers().begin(), c.b.numbers().end(),
                  rhs.begin() + (wide ? static_cast<std::ptrdiff_t>(a.cols) : 0));
        const solve_result other = s.kept.augmented->solve(rhs);
        if (other.report.status != solve_status::converged || !other.report.forward_error) {
            return std::nullopt;
        }
        if (other.report.rank && s.options().has_guess()) {
            return std::nullopt;  // x is not the shortest
        }
        if (other.report.rank) {
            c.report.rank = *other.report.rank - a.rows;
            c.report.nullity = other.report.nullity;
        }
        const real error_of_other = *other.report.forward_error * norm_inf(other.x);
        const real error =
            (largest_difference(x, other.x, wide ? 0 : static_cast<std::size_t>(a.rows)) + error_of_other) / size;
        const real lost = error_of_other / size * pow(real(10.0, 64), digits + 1);
        if (lost <= real(1.0)) {
            return error;
        }
        if (tries > 0) {
            return error;
        }
        wanted = attainable(wanted + static_cast<int>(to_double(ceil(log10(lost)))));  // x is small beside the residual
    }
    return std::nullopt;
}

}  // namespace residua
