#include <residua/solvers/solve.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include <residua/solvers/base/seconds.hpp>
#include <residua/solvers/build/engine.hpp>
#include <residua/solvers/precond/long_factors.hpp>
#include <residua/solvers/planning/plan.hpp>
#include <residua/solvers/session/session.hpp>
#include <residua/solvers/solver.hpp>

namespace residua {

std::string_view to_string(number_format value) noexcept
{
    switch (value) {
        case number_format::automatic:
            return "auto";
        case number_format::native:
            return "native";
        case number_format::expansion:
            return "expansion";
        case number_format::multidigit:
            return "multidigit";
        case number_format::rns:
            return "rns";
    }
    return "";
}

std::string_view to_string(executor value) noexcept
{
    switch (value) {
        case executor::automatic:
            return "auto";
        case executor::host:
            return "host";
        case executor::cuda:
            return "cuda";
    }
    return "";
}

std::string_view to_string(error_kind value) noexcept
{
    switch (value) {
        case error_kind::estimated:
            return "estimated";
        case error_kind::compared:
            return "compared";
        case error_kind::unknown:
            return "unknown";
    }
    return "";
}

std::string_view to_string(condition_source value) noexcept
{
    switch (value) {
        case condition_source::unknown:
            return "unknown";
        case condition_source::factors:
            return "factors";
        case condition_source::solves:
            return "solves";
        case condition_source::lower_bound:
            return "lower-bound";
        case condition_source::method:
            return "method";
    }
    return "";
}

double bytes_without_factors(const linear_system& system, const solve_options& options, index_t right_hand_sides)
{
    return bytes_without_factors({system.rows, system.cols, system.nonzeros(), system.exact.bytes_each()}, options,
                                 right_hand_sides);
}

double bytes_without_factors(const system_sizes& system, const solve_options& options, index_t right_hand_sides)
{
    const index_t larger = std::max(system.rows, system.cols);
    const double n = static_cast<double>(larger);
    const double nonzeros = static_cast<double>(system.nonzeros);
    const long bits = choose_precision(options, real(1.0));

    // x and r of all columns, d and the new x of those that are corrected at a time, in MPFR, 2p bits each: the
    // number's head, its limbs and malloc's share
    const index_t at_a_time = std::min(right_hand_sides, most_corrections);
    const double vectors = 2.0 * static_cast<double>(right_hand_sides) + 2.0 * static_cast<double>(at_a_time);
    double bytes = n * vectors * (48.0 + static_cast<double>(bits) / 4.0);
    bytes += n * (40.0 + static_cast<double>(bits) / 4.0);  // x in words, for exact residuals
    bytes += static_cast<double>(right_hand_sides) * bytes_of_column;
    bytes += 2.0 * nonzeros * 12.0;  // the scaled matrix and its transpose
    bytes += nonzeros * system.bytes_of_exact;
    if (system.bytes_of_exact >
        0.0) {  // for exact residuals: in 2p bits, or in those that the entries have, with places
        bytes += nonzeros * (std::max(static_cast<double>(bits) / 4.0, system.bytes_of_exact) + 16.0);
    }
    const bool automatic = options.method == method::automatic;
    const bool square = system.rows == system.cols;
    const bool together = automatic ? square : traits_of(options.method).together;
    const method used = !automatic ? options.method : square ? method::gmres : method::lsqr;
    if (uses_transpose(used)) {  // while it is made, and for lsqr's residuals, with its places and entries
        bytes += nonzeros * 40.0;
        bytes += 2.0 * nonzeros * system.bytes_of_exact;
    }
    return bytes + (traits_of(used).dense
                        ? 0.0
                        : engine_bytes(arithmetic_of(options.format, bits, used), used, larger, system.nonzeros,
                                       system.bytes_of_exact == 0.0, options.restart, together ? at_a_time : 1));
}

double predicted_bytes(const linear_system& system, const solve_options& options, index_t right_hand_sides)
{
    return predicted_bytes(system, options, {options.precision_bits}, right_hand_sides).front();
}

std::vector<double> predicted_bytes(const linear_system& system, const solve_options& options,
                                    const std::vector<long>& precisions, index_t right_hand_sides)
{
    std::optional<scaled_matrix> matrix;
    sparse_analyses analyses;
    std::vector<double> all;
    for (const long bits : precisions) {
        solve_options with = options;
        with.precision_bits = bits;
        double bytes = bytes_without_factors(system, with, right_hand_sides);
        if (system.rows == system.cols && options.method != method::lsqr && may_need_factors(with)) {
            if (!matrix) {
                matrix = scale(system, inspect(system).symmetric);
            }
            bytes += factor_bytes(system, with, *matrix, find_reach(*matrix, analyses, bytes), analyses);
        }
        all.push_back(bytes);
    }
    return all;
}

solve_result solve(const linear_system& system, const solve_options& options)
{
    const std::shared_ptr<const linear_system> not_owned(std::shared_ptr<void>(), &system);
    double making = 0.0;
    double removing = 0.0;
    std::optional<solver> by;
    timed(&making, [&] { by.emplace(not_owned, options); });
    by->parts_->alone = true;
    solve_result result = by->solve(system.b);
    timed(&removing, [&] { by.reset(); });
    result.report.setup_seconds += making;
    result.report.solve_seconds += removing;
    if (result.report.parts) {
        result.report.parts->rest += making + removing;
    }
    return result;
}

solve_status worst_status(const std::vector<solve_result>& results)
{
    constexpr std::array from_worst{solve_status::interrupted, solve_status::breakdown, solve_status::stagnated,
                                    solve_status::time_limit, solve_status::not_converged};
    for (const solve_status status : from_worst) {
        if (std::any_of(results.begin(), results.end(),
                        [&](const solve_result& r) { return r.report.status == status; })) {
            return status;
        }
    }
    return solve_status::converged;
}

}  // namespace residua
