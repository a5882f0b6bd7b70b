#include <residua/solvers/planning/costs.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <residua/solvers/planning/precision.hpp>
#include <residua/solvers/planning/rates.hpp>

namespace residua {
namespace {

constexpr double solves_of_condition = 10.0, solves_of_error = 12.0;
/// Systems that a method without factors solves, each to one digit, to estimate an error.
constexpr double systems_of_error = 16.0;
/// How many corrections each such system takes; nanoseconds to bring one number of its vectors to MPFR and back.
constexpr double corrections_of_error = 1.5, conversions_of_error = 500.0;
/// Nanoseconds for an entry, to find the structure, the scaling, the order of elimination and the assembly tree.
constexpr double sparse_analysis_rate = 200.0, dense_analysis_rate = 20.0;
/// True residuals of a solve: of the guess, after the correction, and of the x that is returned.
constexpr double true_residuals = 3.0;
/// Nanoseconds for an entry that binary64 does not hold: in a true residual by MPFR; rounded to the format of a method.
constexpr double exact_entry_rate = 660.0, rounded_entry_rate = 2000.0;
/// Factors in more bits take more memory, so they are preferred only if they are this many times as fast.
constexpr double worth_longer_factors = 1.1;

/// Bits by which the residual is to fall.
double wanted_reduction(const system_facts& facts, const solve_options& options, long bits)
{
    double wanted = options.rtol ? -static_cast<double>(exponent(max(*options.rtol, ldexp(real(1.0), -100000))))
                                 : default_tolerance_bits(bits);
    if (options.digits > 0) {
        const real loss = facts.condition ? facts.condition->of_x : real(0.0);
        wanted = std::max(wanted, static_cast<double>(wanted_bits(options, loss)));
    }
    return wanted;
}

/// Nanoseconds for one entry of factors in `factor_bits` bits, in a solve with vectors of `bits` bits.
double solve_rate(const factor_work& work, long factor_bits, long bits)
{
    const operation_rates rates = rates_of(static_cast<double>(bits));
    if (!work.dense) {
        return rates.front_solve;
    }
    if (factor_bits <= binary64_bits && work.unknowns >= least_order_of_blocks) {
        return rates.block_solve;
    }
    return factor_bits <= binary64_bits && bits > binary64_bits ? rates.front_solve : rates.dense_solve;
}

void add_refinement(predicted_cost& cost, const system_facts& facts, const solve_options& options)
{
    const factor_work& work = facts.factors;
    const long factor_bits = cost.choice.factor_bits;
    const long in = cost.choice.method == method::gmres_ir ? products_of(cost.in).bits : factor_bits;
    cost.each.add(static_cast<double>(in), work.entries, solve_rate(work, factor_bits, in));
    if (cost.choice.method == method::refine && facts.condition) {
        cost.known = foresight::about;
        cost.iterations = std::ceil(wanted_reduction(facts, options, cost.in.bits) /
                                    bits_of_refinement(cost.choice.factor_bits, *facts.condition, facts.sizes.n()));
    }
}

void add_krylov(predicted_cost& cost, const system_facts& facts, const solve_options& options)
{
    const auto p = static_cast<double>(cost.in.bits);
    const operation_rates rates = rates_of(p);
    const candidate& choice = cost.choice;
    const double n = facts.sizes.n(), entries = facts.sizes.entries();
    const double bits_of_cg = facts.cg ? facts.cg->bits : 0.0;
    const bool by_condition = choice.method == method::cg || choice.method == method::minres;
    const auto parts = static_cast<double>(facts.sizes.parts_of_scalars(choice.method));  // M is applied so often
    if (are_factors(choice.preconditioner)) {
        cost.each.add(p, parts * facts.factors.entries, solve_rate(facts.factors, binary64_bits, cost.in.bits));
        return;
    }
    if (!applied_by_products(choice.preconditioner) && choice.preconditioner != preconditioner::none) {
        cost.each.add(p, parts * entries, rates.front_solve);
    }
    const bool is_simple =
        choice.preconditioner == preconditioner::none || choice.preconditioner == preconditioner::jacobi;
    if (choice.method == method::cg && choice.preconditioner == preconditioner::jacobi && bits_of_cg > 0.0) {
        cost.known = foresight::about;
        cost.iterations = std::ceil(wanted_reduction(facts, options, cost.in.bits) / bits_of_cg);
        if (options.digits > 0) {
            const operation_rates of = rates_of(binary64_bits);
            const double each = entries * of.product + traits_of(method::cg).vector_operations * n * of.vector;
            const double judged = entries * of.residual + conversions_of_error * n;
            cost.judging.add(binary64_bits, systems_of_error,
                             std::log2(10.0) / bits_of_cg * each + corrections_of_error * judged);
        }
    } else if (by_condition && is_simple && facts.condition) {
        const double kappa = facts.condition->scaled;
        const double root = choice.method == method::cg ? std::sqrt(kappa) : kappa;
        const double most =
            std::ceil(0.5 * root * std::log(2.0) * (1.0 + wanted_reduction(facts, options, cost.in.bits)));
        if (most <= static_cast<double>(iteration_limit(options, facts.sizes.cols))) {
            cost.known = foresight::at_most;
            cost.iterations = most;
        }
    }
}

}  // namespace

std::optional<double> predicted_cost::seconds(const machine_rates& rates) const
{
    if (known == foresight::unknown) {
        return std::nullopt;
    }
    return rates.total(setup) + rates.total(factors) + iterations * rates.total(each) + rates.total(judging);
}

double bits_of_refinement(long factor_bits, const condition_estimate& condition, double n)
{
    const double lost = std::max(std::log2(std::max(condition.scaled, 1.0)) - 0.5 * std::log2(std::max(n, 1.0)), 0.0);
    return std::max(static_cast<double>(factor_bits) - lost, 1.0);
}

predicted_cost predict(const system_facts& facts, const solve_options& options, const candidate& choice, long bits,
                       const std::vector<long>& made)
{
    const system_sizes& sizes = facts.sizes;
    const factor_work& work = facts.factors;
    const method_traits& traits = traits_of(choice.method);
    const bool exact = sizes.bytes_of_exact == 0.0;  // binary64 holds the entries
    predicted_cost cost{.choice = choice, .in = arithmetic_of(options.format, bits, choice.method)};
    const auto p = static_cast<double>(bits);
    const double entries = sizes.entries();
    const bool dense = sizes.take_dense_factors();

    cost.setup.add(0.0, entries, dense ? dense_analysis_rate : sparse_analysis_rate);
    cost.judging.add(p, true_residuals * entries, exact ? rates_of(p).residual : 0.0);
    if (!exact) {
        cost.setup.add(0.0, entries, rounded_entry_rate);
        cost.judging.add(0.0, true_residuals * entries, exact_entry_rate);
    }
    const long of_factors = traits.dense ? bits : choice.factor_bits;
    if (of_factors > 0) {
        const auto add_factors = [&](long of) {
            if (std::find(made.begin(), made.end(), of) == made.end()) {
                work.add_to(cost.factors, of);
            }
        };
        add_factors(of_factors);
        if (options.estimate_condition || options.digits > 0) {
            if (of_factors != binary64_bits && facts.structure.square) {
                add_factors(binary64_bits);
            }
            const double rate = solve_rate(work, binary64_bits, binary64_bits);
            cost.setup.add(binary64_bits, solves_of_condition * work.entries, rate);
            cost.judging.add(binary64_bits, solves_of_error * work.entries, rate);
        }
    }
    if (traits.dense) {
        cost.each.add(p, work.entries, work.dense ? rates_of(p).dense_solve : rates_of(p).front_solve);
        cost.each.add(p, entries, rates_of(p).residual);
        cost.known = foresight::about;
        cost.iterations = 1.0;
    } else {
        const operation_rates rates = rates_of(p);
        cost.each.add(p, entries, traits.by_factors ? rates.residual : rates.product);
        cost.each.add(p, sizes.n() * sizes.vector_operations(choice.method), rates.vector);
        (traits.by_factors ? add_refinement : add_krylov)(cost, facts, options);
    }
    solve_options in_these_bits = options;
    in_these_bits.method = choice.method;
    in_these_bits.precision_bits = bits;
    cost.bytes = bytes_without_factors(sizes, in_these_bits, 1) +
                 (of_factors > 0 ? need_of_factors(work, of_factors).bytes : 0.0);
    return cost;
}

std::vector<predicted_cost> predict_all(const system_facts& facts, const solve_options& options, const solve_plan& plan,
                                        long bits)
{
    std::vector<candidate> all = plan.candidates;
    const candidate first = all.front();
    const auto add = [&](const candidate& choice) {
        if (std::find(all.begin(), all.end(), choice) == all.end()) {
            all.push_back(choice);
        }
    };
    if (options.method == method::automatic && facts.structure.square && facts.factors.known &&
        facts.sizes.entries() <= most_automatic_entries) {
        add({method::refine, facts.factors.kind, binary64_bits});
        for (const long steps : first_factor_steps) {
            add({method::refine, facts.factors.kind, steps});
        }
        if (facts.structure.symmetric && facts.structure.positive_diagonal) {
            add({method::cg, preconditioner::jacobi});
        }
        add({method::direct, preconditioner::none});
    }
    std::vector<predicted_cost> costs;
    for (const candidate& each : all) {
        const bool hopeless = each.method == method::refine && !refines_by(each.factor_bits, facts.condition);
        if (each == first || (each.factor_bits <= std::max(bits, first.factor_bits) && !hopeless)) {
            costs.push_back(predict(facts, options, each, bits));
        }
    }
    return costs;
}

bool prefers_ic0(const system_facts& facts, const solve_options& options, long bits)
{
    const auto seconds = [&](preconditioner p) {
        return machine_rates{}.total(predict(facts, options, {method::cg, p}, bits).each);
    };
    return seconds(preconditioner::ic0) < most_gained_by_ic0 * seconds(preconditioner::jacobi);
}

void prefer_longer_factors(solve_plan& plan, const system_facts& facts, const solve_options& options,
                           const factor_reach& reach, long bits)
{
    const candidate first = plan.candidates.front();
    const long most = std::min(reach.automatic, bits - 1);
    const bool free_choice = options.method == method::automatic && options.format != number_format::rns;
    if (!free_choice || first.method != method::refine || !facts.condition || most <= binary64_bits) {
        return;
    }
    const auto predicted = [&](const candidate& choice) {
        const predicted_cost cost = predict(facts, options, choice, bits, facts.made);
        return machine_rates{}.total(cost.factors) + cost.iterations * machine_rates{}.total(cost.each);
    };
    const double as_planned = predicted(first);
    candidate best = first;
    double least = as_planned;
    for (const long f : available_precisions(number_format::automatic)) {
        const candidate longer{method::refine, reach.kind, f};
        if (f > first.factor_bits && f <= most && worth_longer_factors * predicted(longer) < least) {
            best = longer;
            least = predicted(longer);
        }
    }
    if (clear_factor * least < as_planned) {
        plan.candidates.insert(plan.candidates.begin(), best);
        char text[160];
        std::snprintf(text, sizeof text,
                      "; with factors in %ld bits it is predicted to take %.2g s, in %ld bits %.2g s", best.factor_bits,
                      least, first.factor_bits, as_planned);
        plan.reason += text;
    }
}

}  // namespace residua
