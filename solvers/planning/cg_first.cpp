#include <residua/solvers/planning/costs.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <vector>

#include <residua/io/interruption.hpp>
#include <residua/solvers/planning/precision.hpp>
#include <residua/solvers/processes/processes.hpp>

namespace residua {
namespace {

constexpr double least_seconds = 1.0;
constexpr double share_of_trial = 0.02;  ///< the part of the time of factors that the trial may take
constexpr double least_steps = 20.0, most_steps = 100.0;
constexpr double cg_factor = 2.0;  ///< factors are to take this many times as long as CG
constexpr double patience = 1.5;   ///< iterations that are allowed, over the predicted ones
constexpr double iterations_of_refinement = 4.0;

// What BoomerAMG takes, rounded up: bytes for an entry of A, nanoseconds for an entry to make it and in a cycle, seconds
// to start PETSc, and the bits by which an iteration reduces the residual. Measured by CG with Jacobi and with BoomerAMG
// for Poisson's equation on 48^3 points in 159 bits, one thread (bench/solvers/multigrid.py).
constexpr double bytes_of_multigrid = 200.0, making_multigrid = 500.0, cycle_of_multigrid = 30.0;
constexpr double start_of_multigrid = 0.5, bits_of_multigrid = 5.5;

std::vector<double> inverse_of_diagonal(const sparse_matrix& a)
{
    std::vector<double> inverse(static_cast<std::size_t>(a.rows), 1.0);
    for (index_t i = 0; i < a.rows; ++i) {
        for (index_t k = a.row_begin[i]; k < a.row_begin[i + 1]; ++k) {
            if (a.column[k] == i) {
                inverse[static_cast<std::size_t>(i)] = 1.0 / a.values[k];
            }
        }
    }
    return inverse;
}

void multiply(const sparse_matrix& a, const std::vector<double>& x, std::vector<double>& y)
{
    for (index_t i = 0; i < a.rows; ++i) {
        io::ask_for_stop_at(i);
        double sum = 0.0;
        for (index_t k = a.row_begin[i]; k < a.row_begin[i + 1]; ++k) {
            sum += a.values[k] * x[static_cast<std::size_t>(a.column[k])];
        }
        y[static_cast<std::size_t>(i)] = sum;
    }
}

double dot(const std::vector<double>& x, const std::vector<double>& y)
{
    return std::inner_product(x.begin(), x.end(), y.begin(), 0.0);
}

}  // namespace

double bits_of_cg(const sparse_matrix& a, index_t iterations)
{
    const auto n = static_cast<std::size_t>(a.rows);
    const std::vector<double> m = inverse_of_diagonal(a);
    std::vector<double> r(n), p(n, 0.0), q(n);
    std::uint32_t scattered = 0;
    for (double& each : r) {
        scattered += 2654435769U;  // by the golden ratio, and its square: close to no eigenvector of a grid
        each = static_cast<double>(scattered ^ (scattered * scattered >> 7U)) * 0x1p-31 - 1.0;
    }
    const double first = dot(r, r);
    double rho = 1.0, last = first;
    for (index_t step = 0; step < iterations; ++step) {
        double next = 0.0;
        for (std::size_t i = 0; i < n; ++i) {
            next += r[i] * m[i] * r[i];
        }
        for (std::size_t i = 0; i < n; ++i) {
            p[i] = m[i] * r[i] + (step == 0 ? 0.0 : next / rho) * p[i];
        }
        rho = next;
        multiply(a, p, q);
        const double curvature = dot(p, q);
        if (!(curvature > 0.0 && rho > 0.0)) {
            return 0.0;
        }
        for (std::size_t i = 0; i < n; ++i) {
            r[i] -= rho / curvature * q[i];
        }
        last = dot(r, r);
        if (!(last > 1e-24 * first)) {
            return std::isfinite(last) ? 40.0 / static_cast<double>(step + 1) : 0.0;
        }
    }
    return std::max(0.5 * std::log2(first / last), 0.0) / static_cast<double>(iterations);
}

std::optional<cg_first> find_cg_first(const system_facts& facts, const solve_options& options,
                                      const factor_reach& reach, const sparse_matrix& matrix)
{
    const bool free_choice =
        options.method == method::automatic && options.preconditioner == preconditioner::automatic &&
        options.executor != executor::cuda && options.digits > 0 && options.format != number_format::rns;
    const bool fits =
        facts.structure.symmetric && facts.structure.positive_diagonal && facts.sizes.bytes_of_exact == 0.0;
    if (!free_choice || !fits || reach.automatic < binary64_bits || facts.factors.dense) {
        return std::nullopt;
    }
    const machine_rates built_in;
    candidate by_cg{method::cg, preconditioner::jacobi};
    const long bits = choose_precision(options, real(0.0));
    const predicted_cost factors = predict(facts, options, {method::refine, reach.kind}, bits);
    const double of_factors = built_in.total(factors.factors) +
                              iterations_of_refinement * built_in.total(factors.each) + built_in.total(factors.judging);
    solve_options in_binary64 = options;  // the trial is in binary64, whatever the format of the solve
    in_binary64.format = number_format::automatic;
    const double of_step = built_in.total(predict(facts, in_binary64, by_cg, binary64_bits).each);
    const double steps = std::min(share_of_trial * of_factors / of_step, most_steps);
    if (of_factors < least_seconds || steps < least_steps) {
        return std::nullopt;
    }
    system_facts known = facts;
    known.cg = {.choice = by_cg, .bits = bits_of_cg(matrix, static_cast<index_t>(steps)), .reason = {}};
    const predicted_cost cg = predict(known, options, by_cg, bits);
    const double of_cg = cg.iterations * built_in.total(cg.each) + built_in.total(cg.judging);
    if (known.cg->bits == 0.0 || cg_factor * of_cg > of_factors) {
        return std::nullopt;
    }
    known.cg->choice.most_iterations = static_cast<index_t>(std::ceil(patience * cg.iterations));
    char text[120];
    std::snprintf(text, sizeof text, "CG is predicted to take %.2g s, factors and refinement by them %.2g s", of_cg,
                  of_factors);
    known.cg->reason = text;
    return known.cg;
}

multigrid_use find_multigrid(const system_facts& facts, const solve_options& options, const factor_reach& reach,
                             const sparse_matrix& matrix, const machine& on)
{
    const bool free_choice = options.method == method::automatic &&
                             options.preconditioner == preconditioner::automatic &&
                             options.executor != executor::cuda && options.format != number_format::rns &&
                             (options.processes == nullptr || options.processes->count() == 1);
    const matrix_structure& structure = facts.structure;
    const bool fits = structure.symmetric && structure.positive_diagonal && structure.diagonally_dominant &&
                      !facts.sizes.take_dense_factors() && reach.automatic < binary64_bits &&
                      reach.postponed_because.empty();
    const double entries = facts.sizes.entries();
    if (!free_choice || !fits || bytes_of_multigrid * entries > automatic_share * on.memory) {
        return multigrid_use::unfit;
    }
    constexpr index_t early = 20, late = 40;  // the first ones take off what is rough, sooner than the rest
    const double bits_of_step = (static_cast<double>(late) * bits_of_cg(matrix, late) -
                                 static_cast<double>(early) * bits_of_cg(matrix, early)) /
                                static_cast<double>(late - early);
    const long bits = choose_precision(options, real(0.0));
    const double wanted = default_tolerance_bits(bits), iterations = wanted / bits_of_multigrid;
    const double each = machine_rates{}.total(predict(facts, options, {method::cg, preconditioner::jacobi}, bits).each);
    const double of_multigrid =
        start_of_multigrid + iterations * each + 1e-9 * entries * (making_multigrid + iterations * cycle_of_multigrid);
    if (bits_of_step > 0.0 && wanted / bits_of_step * each < of_multigrid) {
        return multigrid_use::unfit;
    }
    return on.has_multigrid != nullptr && on.has_multigrid() ? multigrid_use::taken : multigrid_use::missing;
}

}  // namespace residua
