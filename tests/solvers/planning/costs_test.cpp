// What solve() would take, before it is done.
#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <limits>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <omp.h>

#include <residua/solvers/matrix/structure.hpp>
#include <residua/solvers/planning/costs.hpp>
#include <residua/solvers/planning/precision.hpp>
#include <residua/solvers/planning/rates.hpp>
#include <residua/solvers/precond/factorize.hpp>
#include <residua/solvers/solver.hpp>

#include "tests/support/stopping.hpp"
#include "tests/support/systems.hpp"

using namespace residua;
using namespace residua::support;

namespace {

io::coo<double> random_full(index_t n)
{
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> entry(-1.0, 1.0);
    std::vector<std::vector<double>> rows(static_cast<std::size_t>(n));
    for (auto& row : rows) {
        for (index_t j = 0; j < n; ++j) {
            row.push_back(entry(random));
        }
    }
    return from_rows(rows);
}

solve_options wanting(int digits, method m = method::automatic)
{
    solve_options options;
    options.method = m;
    options.digits = digits;
    options.executor = executor::host;
    return options;
}

predicted_cost first_cost(const linear_system& system, const solve_options& options)
{
    solver by(system, options);
    return by.costs().front();
}

/// Seconds of factors in so many bits by one thread: as predicted, and of the processor, the least of three measurements.
std::pair<double, double> seconds_of_factors(const io::coo<double>& a, long bits)
{
    const linear_system system = system_of(a);
    const scaled_matrix matrix = scale(system, inspect(system).symmetric);
    sparse_analyses analyses;
    const double predicted = need_of_factors(work_of_factors(matrix, analyses, {}), bits).seconds;
    const int threads = omp_get_max_threads();
    omp_set_num_threads(1);
    std::clock_t least = std::numeric_limits<std::clock_t>::max();
    for (int k = 0; k < 3; ++k) {
        const std::clock_t start = std::clock();
        (void)factorize_long(factors_in(bits), matrix, {.analyses = &analyses});
        least = std::min(least, std::clock() - start);
    }
    omp_set_num_threads(threads);
    return {predicted, static_cast<double>(least) / CLOCKS_PER_SEC};
}

/// The Laplacian of a grid of m x m x m points.
io::coo<double> poisson_3d(index_t m)
{
    io::coo<double> a{m * m * m, m * m * m, {}, {}, {}};
    const auto add = [&](index_t i, index_t j, double value) {
        a.row.push_back(i);
        a.col.push_back(j);
        a.value.push_back(value);
    };
    for (index_t i = 0; i < a.rows; ++i) {
        const std::array<std::pair<index_t, index_t>, 3> sides{{{m * m, i / m / m}, {m, i / m % m}, {1, i % m}}};
        for (const auto& [step, place] : sides) {
            if (place > 0) {
                add(i, i - step, -1.0);
            }
        }
        add(i, i, 6.0);
        for (auto side = sides.rbegin(); side != sides.rend(); ++side) {
            if (side->second < m - 1) {
                add(i, i + side->first, -1.0);
            }
        }
    }
    return a;
}

/// What find_cg_first() finds for a matrix.
struct cg_asked {
    explicit cg_asked(const io::coo<double>& a) : system(system_of(a)), facts(facts_of(system, {})) {}

    std::optional<cg_first> operator()(const solve_options& options) const
    {
        return find_cg_first(facts, options, find_reach(facts, {}, 0.0), scale(system, true));
    }

    linear_system system;
    system_facts facts;
};

/// What find_multigrid() finds for a matrix, of which factors are out of reach.
multigrid_use multigrid_for(const io::coo<double>& a, const solve_options& options = {.digits = 30},
                            const machine& on = {.memory = 1e12, .has_multigrid = [] { return true; }},
                            const factor_reach& reach = {})
{
    const linear_system system = system_of(a);
    return find_multigrid(facts_of(system, options), options, reach, scale(system, true), on);
}

}  // namespace

TEST(costs_test, what_decides_about_multigrid_can_be_stopped_in_each_product)
{
    const io::coo<double> a = poisson_3d(20);
    for (const int last : {0, 1, 200, 1800}) {  // 60 products ask for each 256 of 8000 rows
        int asked = 0;
        EXPECT_TRUE(support::is_stopped([&] { return asked++ == last; }, [&] { multigrid_for(a); })) << last;
        EXPECT_EQ(asked, last + 1);
    }
    EXPECT_FALSE(support::is_stopped([] { return false; }, [&] { multigrid_for(a); }));
}

TEST(costs_test, multigrid_comes_where_factors_are_out_of_reach_and_cg_is_slow)
{
    const io::coo<double> a = poisson_3d(40);
    EXPECT_EQ(multigrid_for(a), multigrid_use::taken);
    EXPECT_EQ(multigrid_for(a, {.digits = 30}, {.memory = 1e12}), multigrid_use::missing);
    EXPECT_EQ(multigrid_for(a, {.digits = 30}, {.memory = 1e6, .has_multigrid = [] { return true; }}),
              multigrid_use::unfit);
    const machine roomy{.memory = 1e12, .has_multigrid = [] { return true; }};
    EXPECT_EQ(multigrid_for(a, {.digits = 30}, roomy, {.automatic = 53}), multigrid_use::unfit);
    EXPECT_EQ(multigrid_for(a, {.digits = 30}, roomy, {.postponed_because = "CG comes first"}), multigrid_use::unfit);
    for (const auto& change : {+[](solve_options& o) { o.method = method::cg; },
                               +[](solve_options& o) { o.preconditioner = preconditioner::jacobi; },
                               +[](solve_options& o) { o.executor = executor::cuda; },
                               +[](solve_options& o) { o.format = number_format::rns; }}) {
        solve_options options{.digits = 30};
        change(options);
        EXPECT_EQ(multigrid_for(a, options), multigrid_use::unfit);
    }
    EXPECT_EQ(multigrid_for(a, {.digits = 12}), multigrid_use::unfit);  // CG takes less time than PETSc to start
    io::coo<double> easy = a;                                           // CG takes 80 iterations
    io::coo<double> weak = a;
    for (std::size_t k = 0; k < a.value.size(); ++k) {
        easy.value[k] *= a.row[k] == a.col[k] ? 2.0 : 1.0;
        weak.value[k] *= a.row[k] == a.col[k] ? 0.99 : 1.0;
    }
    EXPECT_EQ(multigrid_for(easy), multigrid_use::unfit);
    EXPECT_EQ(multigrid_for(weak), multigrid_use::unfit);
}

TEST(costs_test, rates_lie_between_those_of_the_neighbouring_precisions)
{
    operation_rates before = rates_of(1.0);
    for (double bits = 53.0; bits < 6000.0; bits *= 1.1) {
        const operation_rates at = rates_of(bits);
        for (const auto rate :
             {&operation_rates::multiply_add, &operation_rates::front_entry, &operation_rates::front_solve,
              &operation_rates::product, &operation_rates::residual, &operation_rates::vector}) {
            EXPECT_GE(at.*rate, before.*rate * 0.999999) << bits;
        }
        before = at;
    }
    EXPECT_DOUBLE_EQ(rates_of(1e9).multiply_add, rates_of(4096.0).multiply_add);
}

TEST(costs_test, seconds_are_by_the_rates_of_their_arithmetic)
{
    arithmetic_seconds s;
    s.add(53.0, 1e9, 1.0);
    s.add(106.0, 1e9, 2.0);
    s.add(318.0, 1e9, 4.0);
    EXPECT_DOUBLE_EQ(machine_rates{}.total(s), 7.0);
    EXPECT_DOUBLE_EQ((machine_rates{.native = 10.0, .expansion = 100.0, .multidigit = 1000.0}.total(s)), 4210.0);
}

TEST(costs_test, this_machine_has_rates)
{
    const machine_rates rates = measure_rates();
    for (const double relative : {rates.native, rates.expansion, rates.multidigit}) {
        EXPECT_GT(relative, 0.01);
        EXPECT_LT(relative, 1000.0);
    }
}

// Seconds differ between machines, but what is predicted to take ten times as long takes longer.
TEST(costs_test, factors_that_are_predicted_to_take_ten_times_as_long_take_longer)
{
    std::vector<std::pair<double, double>> all;
    for (const long bits : {53L, 106L, 212L, 424L}) {
        all.push_back(seconds_of_factors(random_full(100), bits));
        all.push_back(seconds_of_factors(random_full(220), bits));
        all.push_back(seconds_of_factors(poisson_2d(40), bits));
    }
    int compared = 0;
    for (const auto& [predicted, measured] : all) {
        for (const auto& [more_predicted, more_measured] : all) {
            if (more_predicted > 10.0 * predicted) {
                EXPECT_GT(more_measured, measured) << more_predicted << " and " << predicted;
                ++compared;
            }
        }
    }
    EXPECT_GT(compared, 20);
}

TEST(costs_test, iterations_of_refinement_are_known_within_a_factor_of_three)
{
    for (const linear_system& system : {with_solution_ones(poisson_2d(30)), with_solution_ones(random_full(80)),
                                        with_solution_ones(poisson_1d(200))}) {
        for (const long factors : {53L, 106L, 212L}) {
            solve_options options;
            options.method = method::refine;
            options.precision_bits = 848;
            options.factor_bits = factors;
            solver by(system, options);
            const predicted_cost cost = by.costs().front();
            const solve_result result = by.solve(ones(system.rows));
            ASSERT_EQ(cost.known, foresight::about);
            EXPECT_EQ(cost.choice.factor_bits, factors);
            EXPECT_LE(static_cast<double>(result.report.iterations), 3.0 * cost.iterations) << factors;
            EXPECT_GE(static_cast<double>(result.report.iterations), cost.iterations / 3.0) << factors;
        }
    }
}

TEST(costs_test, iterations_of_cg_are_bounded_by_the_condition_and_those_of_others_are_unknown)
{
    solve_options options = wanting(0, method::cg);
    options.precision_bits = 212;
    for (const preconditioner p : {preconditioner::none, preconditioner::jacobi}) {
        options.preconditioner = p;
        solver by(system_of(poisson_2d(30)), options);
        const predicted_cost cost = by.costs().front();
        EXPECT_EQ(cost.known, foresight::at_most);
        const solve_result result = by.solve(ones(900));
        EXPECT_LE(static_cast<double>(result.report.iterations), cost.iterations);
        EXPECT_FALSE(result.report.predicted_seconds.has_value());  // a bound is no prediction
    }
    options.preconditioner = preconditioner::ic0;
    EXPECT_EQ(first_cost(system_of(poisson_2d(30)), options).known, foresight::unknown);
    EXPECT_FALSE(first_cost(system_of(poisson_2d(30)), options).seconds().has_value());
    options.method = method::gmres;
    options.preconditioner = preconditioner::none;
    const predicted_cost gmres = first_cost(system_of(poisson_2d(30)), options);
    EXPECT_FALSE(gmres.seconds().has_value());
    EXPECT_GT(machine_rates{}.total(gmres.each), 0.0);
}

TEST(costs_test, many_digits_take_longer_factors_and_few_do_not)
{
    const linear_system system = with_solution_ones(random_full(60));
    EXPECT_EQ(first_cost(system, wanting(16)).choice.factor_bits, 53);
    const predicted_cost taken = first_cost(system, wanting(1000));
    EXPECT_EQ(taken.choice.method, method::refine);
    EXPECT_GE(taken.choice.factor_bits, 212);
    EXPECT_LT(taken.choice.factor_bits, taken.in.bits);

    const solve_result result = solve(system, wanting(1000));
    EXPECT_EQ(result.report.status, solve_status::converged);
    EXPECT_EQ(result.report.factor_bits, taken.choice.factor_bits);
    EXPECT_GE(result.report.digits, 1000);
    EXPECT_LT(error_of_ones(result.x), ldexp(real(1.0), -3321));
    EXPECT_TRUE(result.report.escalations.empty());
    ASSERT_TRUE(result.report.predicted_seconds.has_value());
    EXPECT_DOUBLE_EQ(*result.report.predicted_seconds, *taken.seconds());

    solve_options on_device = wanting(1000);
    on_device.executor = executor::cuda;
    system_facts facts = facts_of(system, on_device);
    facts.condition = {.condition = real(1e4), .scaled = 1e4, .of_x = real(1e4)};
    for (const solve_options& options : {wanting(1000), on_device}) {  // the same choice
        solve_plan plan{.candidates = {{method::refine, preconditioner::lu}}, .reason = {}};
        prefer_longer_factors(plan, facts, options, find_reach(facts, {}, 0.0), 3392);
        EXPECT_GT(plan.candidates.front().factor_bits, 53);
        EXPECT_EQ(plan.candidates.back().factor_bits, 53);  // where the longer ones do not fit
    }
}

TEST(costs_test, a_second_solve_is_predicted_without_what_is_kept)
{
    const linear_system system = with_solution_ones(random_full(150));
    solver by(system, wanting(30));
    const std::optional<double> first = by.solve(system.b).report.predicted_seconds;
    const std::optional<double> second = by.solve(system.b).report.predicted_seconds;
    ASSERT_TRUE(first && second);
    EXPECT_LT(*second, *first);
    EXPECT_GT(*second, 0.0);
}

TEST(costs_test, factors_that_exist_cost_nothing)
{
    const solve_options options = wanting(30);
    system_facts facts = facts_of(system_of(random_full(60)), options);
    facts.condition = {.condition = real(1e14), .scaled = 1e14, .of_x = real(1e14)};
    const candidate choice{method::refine, preconditioner::lu, 106};
    const double with_factors = *predict(facts, options, choice, 212).seconds();
    facts.made = {53, 106};
    const double without = *predict(facts, options, choice, 212, facts.made).seconds();
    EXPECT_GT(with_factors, without);

    // at this condition an iteration by those of 53 bits gives some 10 bits, by those of 106 some 60
    solve_plan plan{.candidates = {{method::refine, preconditioner::lu}}, .reason = {}};
    prefer_longer_factors(plan, facts, options, find_reach(facts, {}, 0.0), 212);
    EXPECT_EQ(plan.candidates.front().factor_bits, 106);
}

TEST(costs_test, all_that_may_be_taken_has_seconds_and_bytes)
{
    solver by(with_solution_ones(poisson_2d(20)), wanting(60));
    const std::vector<predicted_cost> costs = by.costs();
    EXPECT_EQ(costs.front().choice, by.plan().candidates.front());
    const auto has = [&](method m, long factors) {
        return std::any_of(costs.begin(), costs.end(), [&](const predicted_cost& each) {
            return each.choice.method == m && each.choice.factor_bits == factors;
        });
    };
    EXPECT_TRUE(has(method::refine, 53));
    EXPECT_TRUE(has(method::refine, 106));
    EXPECT_TRUE(has(method::direct, 0));
    EXPECT_TRUE(has(method::cg, 0));
    for (const predicted_cost& each : costs) {
        EXPECT_GT(each.bytes, 400.0 * 8.0);
        EXPECT_GT(machine_rates{}.total(each.each), 0.0);
    }
    linear_system singular = system_of(from_rows({{1.0, 0.0}, {0.0, 0.0}}));
    EXPECT_TRUE(solver(singular, wanting(16)).costs().empty());
}

TEST(costs_test, what_cannot_work_is_left_out_and_bounds_beyond_the_limit_of_iterations_are_unknown)
{
    const linear_system system = with_solution_ones(scaled_hilbert(16));  // condition 1e23
    solver by(system, wanting(0));
    bool has_cg = false;
    for (const predicted_cost& each : by.costs()) {
        EXPECT_FALSE(each.choice.method == method::refine && each.choice.factor_bits == 53);
        EXPECT_LE(each.iterations, 1000.0);
        has_cg = has_cg || each.choice.method == method::cg;
    }
    EXPECT_TRUE(has_cg);
    const std::vector<predicted_cost> all = by.costs();
    EXPECT_TRUE(
        std::any_of(all.begin(), all.end(), [](const predicted_cost& each) { return each.choice.factor_bits == 106; }));
}

TEST(costs_test, cg_tells_how_fast_it_converges)
{
    const auto bits = [](const io::coo<double>& a, index_t steps) {
        return bits_of_cg(scale(system_of(a), true), steps);
    };
    const double fast = bits(from_rows({{2.0, 1.0}, {1.0, 2.0}}), 10);
    EXPECT_GT(fast, 4.0);  // it ends after two steps
    const double grid = bits(poisson_3d(12), 80), chain = bits(poisson_1d(1728), 80);
    EXPECT_GT(grid, 0.3);
    EXPECT_LT(chain, 0.3 * grid);
    EXPECT_EQ(bits(from_rows({{1.0, 2.0}, {2.0, 1.0}}), 10), 0.0);  // not definite
}

TEST(costs_test, cg_comes_before_factors_that_take_much_longer)
{
    cg_asked large(poisson_3d(48));
    const std::optional<cg_first> found = large(wanting(16));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->choice.method, method::cg);
    EXPECT_GT(found->choice.most_iterations, 258);  // that it takes
    EXPECT_LT(found->choice.most_iterations, 1000);
    EXPECT_GT(found->bits, 0.1);
    EXPECT_FALSE(large(wanting(100)));  // which CG has to compute in 424 bits
    EXPECT_FALSE(large(wanting(0)));    // the error is to be known without other solves
    EXPECT_FALSE(cg_asked(poisson_3d(12))(wanting(16)));
    EXPECT_FALSE(cg_asked(poisson_2d(100))(wanting(16)));
}
