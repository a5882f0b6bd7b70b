#include <residua/solvers/planning/costs.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <residua/solvers/precond/factor_kinds.hpp>
#include <residua/solvers/precond/factors.hpp>

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
/// Nanoseconds that factors in more than binary64 take at any size: their space, and the copies of vectors.
constexpr double long_factors_rate = 3e5;
/// Factors in more bits take more memory, so they are preferred only if they are this many times as fast.
constexpr double worth_longer_factors = 1.1;

/// Bits by which the residual is to fall.
double wanted_reduction(const cost_question& asked, long bits)
{
    const solve_options& options = asked.options;
    double wanted = options.rtol ? -static_cast<double>(exponent(max(*options.rtol, ldexp(real(1.0), -100000))))
                                 : default_tolerance_bits(bits);
    if (options.digits > 0) {
        const real loss = asked.condition != nullptr ? asked.condition->of_x : real(0.0);
        wanted = std::max(wanted, static_cast<double>(wanted_bits(options, loss)));
    }
    return wanted;
}

/// Nanoseconds for one entry of the factors in a solve.
double solve_rate(const factor_work& work, long bits)
{
    const operation_rates rates = rates_of(static_cast<double>(bits));
    return work.dense ? rates.dense_solve : rates.front_solve;
}

void add_factorisation(arithmetic_seconds& seconds, const factor_work& work, long bits)
{
    const auto b = static_cast<double>(bits);
    const operation_rates rates = rates_of(b);
    seconds.add(b, work.multiply_adds, rates.multiply_add);
    seconds.add(b, work.dense ? 0.0 : work.entries, rates.front_entry);
    seconds.add(0.0, bits > binary64_bits ? 1.0 : 0.0, long_factors_rate);
}

struct counts {
    double n, entries;
    bool exact;  ///< binary64 holds the entries
};

void add_refinement(predicted_cost& cost, const cost_question& asked, const counts& count, const factor_work& work)
{
    const auto p = static_cast<double>(cost.in.bits);
    const operation_rates rates = rates_of(p);
    cost.each.add(p, count.entries, rates.residual);
    cost.each.add(p, traits_of(cost.choice.method).vector_operations * count.n, rates.vector);
    cost.each.add(static_cast<double>(cost.choice.factor_bits), work.entries,
                  solve_rate(work, cost.choice.factor_bits));
    if (cost.choice.method == method::refine && asked.condition != nullptr) {
        cost.known = foresight::about;
        cost.iterations = std::ceil(wanted_reduction(asked, cost.in.bits) /
                                    bits_of_refinement(cost.choice.factor_bits, *asked.condition, count.n));
    }
}

void add_krylov(predicted_cost& cost, const cost_question& asked, const counts& count, const factor_work& work)
{
    const auto p = static_cast<double>(cost.in.bits);
    const operation_rates rates = rates_of(p);
    const candidate& choice = cost.choice;
    const bool by_condition = choice.method == method::cg || choice.method == method::minres;
    cost.each.add(p, count.entries, rates.product);
    cost.each.add(p, count.n * traits_of(choice.method).vector_operations, rates.vector);
    if (are_factors(choice.preconditioner)) {
        cost.each.add(p, work.entries, rates.front_solve);
        return;
    }
    if (!applied_by_products(choice.preconditioner) && choice.preconditioner != preconditioner::none) {
        cost.each.add(p, count.entries, rates.front_solve);
    }
    const bool is_simple =
        choice.preconditioner == preconditioner::none || choice.preconditioner == preconditioner::jacobi;
    if (choice.method == method::cg && choice.preconditioner == preconditioner::jacobi && asked.bits_of_cg > 0.0) {
        cost.known = foresight::about;
        cost.iterations = std::ceil(wanted_reduction(asked, cost.in.bits) / asked.bits_of_cg);
        if (asked.options.digits > 0) {
            const operation_rates of = rates_of(binary64_bits);
            const double each =
                count.entries * of.product + traits_of(method::cg).vector_operations * count.n * of.vector;
            const double judged = count.entries * of.residual + conversions_of_error * count.n;
            cost.judging.add(binary64_bits, systems_of_error,
                             std::log2(10.0) / asked.bits_of_cg * each + corrections_of_error * judged);
        }
    } else if (by_condition && is_simple && asked.condition != nullptr) {
        const double kappa = asked.condition->scaled;
        const double root = choice.method == method::cg ? std::sqrt(kappa) : kappa;
        const double most = std::ceil(0.5 * root * std::log(2.0) * (1.0 + wanted_reduction(asked, cost.in.bits)));
        if (most <= static_cast<double>(iteration_limit(asked.options, asked.system.cols))) {
            cost.known = foresight::at_most;
            cost.iterations = most;
        }
    }
}

double bytes_of(const cost_question& asked, const predicted_cost& cost)
{
    solve_options options = asked.options;
    options.method = cost.choice.method;
    options.precision_bits = cost.in.bits;
    const bool by_factors = cost.choice.factor_bits > 0 || traits_of(cost.choice.method).dense;
    const long bits = cost.choice.factor_bits > 0 ? cost.choice.factor_bits : cost.in.bits;
    return bytes_without_factors(asked.system, options, 1) +
           (by_factors ? need_of_factors(asked.matrix, asked.analyses, bits, kind_of_long_factors(asked.options)).bytes
                       : 0.0);
}

}  // namespace

std::optional<double> predicted_cost::seconds(const machine_rates& rates) const
{
    if (known == foresight::unknown) {
        return std::nullopt;
    }
    return rates.total(setup) + rates.total(factors) + iterations * rates.total(each) + rates.total(judging);
}

factor_work work_of_factors(const scaled_matrix& matrix, sparse_analyses& analyses, preconditioner kind)
{
    const factor_kind first = kinds_of_factors(matrix, kind).front();
    const auto n = static_cast<double>(matrix.rows);
    if (!are_made_by_fronts(matrix, first)) {
        const double halves = first == factor_kind::lu ? 1.0 : 0.5;
        return {.dense = true, .multiply_adds = halves * n * n * n / 3.0, .entries = n * n};
    }
    const factor_cost cost = cost_of(analyses.of(matrix, first)->tree, first != factor_kind::lu);
    return {.dense = false, .multiply_adds = cost.multiply_adds, .entries = cost.entries};
}

double seconds_to_factorise(const factor_work& work, long bits)
{
    arithmetic_seconds seconds;
    add_factorisation(seconds, work, bits);
    return machine_rates{}.total(seconds);
}

double bits_of_refinement(long factor_bits, const condition_estimate& condition, double n)
{
    const double lost = std::max(std::log2(std::max(condition.scaled, 1.0)) - 0.5 * std::log2(std::max(n, 1.0)), 0.0);
    return std::max(static_cast<double>(factor_bits) - lost, 1.0);
}

namespace {

predicted_cost without_bytes(const cost_question& asked, const candidate& choice, long bits)
{
    const linear_system& system = asked.system;
    const method_traits& traits = traits_of(choice.method);
    const counts count{.n = static_cast<double>(std::max(system.rows, system.cols)),
                       .entries = static_cast<double>(system.nonzeros()),
                       .exact = system.exact.empty()};
    predicted_cost cost{.choice = choice, .in = arithmetic_of(asked.options.format, bits, choice.method)};
    const auto p = static_cast<double>(bits);
    const bool square = system.rows == system.cols && choice.method != method::lsqr;
    const bool dense = takes_dense_factors(system.rows, static_cast<std::size_t>(system.nonzeros()));
    const bool by_factors = square && (choice.factor_bits > 0 || traits.dense);
    const factor_work work =
        by_factors ? work_of_factors(asked.matrix, asked.analyses, kind_of_long_factors(asked.options)) : factor_work{};

    cost.setup.add(0.0, count.entries, dense ? dense_analysis_rate : sparse_analysis_rate);
    cost.judging.add(p, true_residuals * count.entries, count.exact ? rates_of(p).residual : 0.0);
    if (!count.exact) {
        cost.setup.add(0.0, count.entries, rounded_entry_rate);
        cost.judging.add(0.0, true_residuals * count.entries, exact_entry_rate);
    }
    if (by_factors) {
        const long of_factors = traits.dense ? bits : choice.factor_bits;
        const auto add_factors = [&](long of) {
            if (std::find(asked.made.begin(), asked.made.end(), of) == asked.made.end()) {
                add_factorisation(cost.factors, work, of);
            }
        };
        add_factors(of_factors);
        if (asked.options.estimate_condition || asked.options.digits > 0) {
            if (of_factors != binary64_bits) {
                add_factors(binary64_bits);
            }
            const double rate = solve_rate(work, binary64_bits);
            cost.setup.add(binary64_bits, solves_of_condition * work.entries, rate);
            cost.judging.add(binary64_bits, solves_of_error * work.entries, rate);
        }
    }
    if (traits.dense) {
        cost.each.add(p, work.entries, solve_rate(work, bits));
        cost.each.add(p, count.entries, rates_of(p).residual);
        cost.known = foresight::about;
        cost.iterations = 1.0;
    } else if (traits.by_factors) {
        add_refinement(cost, asked, count, work);
    } else {
        add_krylov(cost, asked, count, work);
    }
    return cost;
}

}  // namespace

predicted_cost predict(const cost_question& asked, const candidate& choice, long bits)
{
    predicted_cost cost = without_bytes(asked, choice, bits);
    cost.bytes = bytes_of(asked, cost);
    return cost;
}

std::vector<predicted_cost> predict_all(const cost_question& asked, const matrix_structure& structure,
                                        const solve_plan& plan, long bits)
{
    std::vector<candidate> all = plan.candidates;
    const candidate first = all.front();
    const bool may_choose = asked.options.method == method::automatic && structure.square &&
                            static_cast<double>(asked.matrix.column.size()) <= most_automatic_entries;
    const auto add = [&](const candidate& choice) {
        if (std::find(all.begin(), all.end(), choice) == all.end()) {
            all.push_back(choice);
        }
    };
    if (may_choose) {
        const preconditioner kind =
            preconditioner_of(kinds_of_factors(asked.matrix, kind_of_long_factors(asked.options)).front());
        for (const long f : {binary64_bits, 2 * binary64_bits, 4 * binary64_bits}) {
            add({method::refine, kind, f});
        }
        if (structure.symmetric && structure.positive_diagonal) {
            add({method::cg, preconditioner::jacobi});
        }
        add({method::direct, preconditioner::none});
    }
    std::vector<predicted_cost> costs;
    for (const candidate& each : all) {
        const bool hopeless = each.method == method::refine && !refines_by(each.factor_bits, asked.condition);
        if (each == first || (each.factor_bits <= std::max(bits, first.factor_bits) && !hopeless)) {
            costs.push_back(predict(asked, each, bits));
        }
    }
    return costs;
}

void prefer_longer_factors(solve_plan& plan, const cost_question& asked, const factor_reach& reach, long bits)
{
    const candidate first = plan.candidates.front();
    const long most = std::min(reach.automatic, bits - 1);
    const bool free_choice = asked.options.method == method::automatic && asked.options.executor != executor::cuda &&
                             asked.options.format != number_format::rns;
    if (!free_choice || first.method != method::refine || asked.condition == nullptr || most <= binary64_bits) {
        return;
    }
    const auto predicted = [&](const candidate& choice) {
        const predicted_cost cost = without_bytes(asked, choice, bits);
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
