// The format and the precision that serve a request.
#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/base/tuning_table.hpp>
#include <residua/solvers/build/engine.hpp>
#include <residua/solvers/options/method_bytes.hpp>
#include <residua/solvers/planning/placement.hpp>
#include <residua/solvers/planning/plan.hpp>
#include <residua/solvers/session/analyze.hpp>
#include <residua/solvers/solver.hpp>

#include "tests/support/systems.hpp"

using namespace residua;
using namespace residua::support;

namespace {

/// What serves a request for so many bits.
std::pair<number_format, long> served(number_format format, long bits, executor where = executor::host)
{
    solve_options options;
    options.format = format;
    options.precision_bits = bits;
    options.executor = where;
    const long served_bits = choose_precision(options, real(1.0));
    return {arithmetic_of(format, served_bits).format, served_bits};
}

using result = std::pair<number_format, long>;

}  // namespace

TEST(tuning_test, a_row_holds_up_to_its_bits_and_the_last_one_beyond)
{
    constexpr tuning::device_row table[] = {{53, 1}, {106, 2}, {212, 3}};
    EXPECT_EQ(tuning::row_of(table, 1).least_unknowns, 1);
    EXPECT_EQ(tuning::row_of(table, 53).least_unknowns, 1);
    EXPECT_EQ(tuning::row_of(table, 54).least_unknowns, 2);
    EXPECT_EQ(tuning::row_of(table, 106).least_unknowns, 2);
    EXPECT_EQ(tuning::row_of(table, 212).least_unknowns, 3);
    EXPECT_EQ(tuning::row_of(table, 4096).least_unknowns, 3);
}

TEST(tuning_test, the_table_ascends_to_the_last_precision)
{
    const auto expect_ascending = [](const auto& table, long last) {
        EXPECT_TRUE(std::is_sorted(std::begin(table), std::end(table),
                                   [](const auto& x, const auto& y) { return x.most_bits <= y.most_bits; }));
        EXPECT_EQ(std::rbegin(table)->most_bits, last);
    };
    expect_ascending(tuning::formats, 4096);
    expect_ascending(tuning::refine_formats, 4096);
    expect_ascending(tuning::expansion_panels, 424);
    expect_ascending(tuning::multidigit_panels, 4096);
    expect_ascending(tuning::products, 4096);
    expect_ascending(tuning::devices, 4096);
}

TEST(plan_test, automatic_takes_the_format_of_the_table)
{
    const auto expect_formats = [](const auto& table, method m) {
        long first = 1;
        for (const auto& [most_bits, format] : table) {
            for (const long bits : {first, (first + most_bits) / 2, most_bits}) {
                EXPECT_EQ(format_of(bits, m), format) << bits;
                EXPECT_TRUE(precisions_of(format).holds(bits)) << bits;
            }
            first = most_bits + 1;
        }
    };
    expect_formats(tuning::formats, method::automatic);
    expect_formats(tuning::formats, method::gmres);
    expect_formats(tuning::refine_formats, method::refine);
    EXPECT_EQ(format_of(53), number_format::native);
    EXPECT_NE(format_of(54), number_format::native);
    EXPECT_EQ(format_of(4096), number_format::multidigit);
    EXPECT_THROW(format_of(0), unsupported_error);
    EXPECT_THROW(format_of(4097), unsupported_error);
}

TEST(plan_test, automatic_serves_the_next_precision_and_multidigit_ones_exactly_on_the_host_and_on_a_gpu)
{
    for (const executor where : {executor::automatic, executor::host, executor::cuda}) {
        const auto by_default = [where](long bits) { return served(number_format::automatic, bits, where); };
        EXPECT_EQ(by_default(1), result(number_format::native, 53));
        EXPECT_EQ(by_default(53), result(number_format::native, 53));
        for (const long bits : {54L, 107L, 160L, 213L, 300L, 848L, 849L, 1735L, 4096L}) {
            const number_format format = format_of(bits);
            EXPECT_EQ(by_default(bits), served(format, bits)) << bits;
            EXPECT_TRUE(format == number_format::expansion || by_default(bits).second == bits) << bits;
        }
        try {
            by_default(4097);
            FAIL() << "not refused";
        } catch (const unsupported_error& e) {
            EXPECT_STREQ(e.what(), "the format auto has 1 to 4096 bits, not 4097");
        }
    }
}

TEST(plan_test, automatic_is_raised_through_formats_that_have_the_precisions)
{
    const std::vector<long> all{53, 106, 159, 212, 318, 424, 636, 848, 1272, 1696, 2544, 3392, 4096};
    EXPECT_EQ(available_precisions(), all);
    for (const long bits : all) {
        EXPECT_EQ(served(number_format::automatic, bits), result(format_of(bits), bits));
        EXPECT_TRUE(precisions_of(format_of(bits)).holds(bits)) << bits;
    }
}

TEST(plan_test, a_format_by_name_keeps_its_own_precisions)
{
    EXPECT_EQ(served(number_format::native, 1), result(number_format::native, 53));
    EXPECT_THROW(served(number_format::native, 54), unsupported_error);
    EXPECT_EQ(served(number_format::expansion, 53), result(number_format::expansion, 106));
    EXPECT_EQ(served(number_format::expansion, 300), result(number_format::expansion, 318));
    EXPECT_EQ(served(number_format::expansion, 319), result(number_format::expansion, 424));
    EXPECT_EQ(served(number_format::expansion, 849), result(number_format::multidigit, 849));
    EXPECT_EQ(served(number_format::expansion, 1696), result(number_format::multidigit, 1696));
    EXPECT_THROW(served(number_format::expansion, 4097), unsupported_error);
    EXPECT_EQ(served(number_format::multidigit, 100), result(number_format::multidigit, 100));
    for (const number_format f : {number_format::automatic, number_format::native, number_format::expansion,
                                  number_format::multidigit, number_format::rns}) {
        solve_options options;
        options.format = f;
        EXPECT_EQ(choose_precision(options, real("1e5000", 64)), available_precisions(f).back());
    }
}

TEST(plan_test, automatic_goes_on_in_multidigit_floats_where_expansions_do_not_suffice)
{
    solve_options options;
    options.digits = 700;
    const solve_result solved = solve(with_solution_ones(poisson_1d(20)), options);

    EXPECT_EQ(solved.report.status, solve_status::converged);
    EXPECT_EQ(solved.report.format, number_format::multidigit);
    EXPECT_GE(solved.report.digits, 700);
    EXPECT_GT(agreeing_digits(solved.x, ones(20)), 700.0);
}

TEST(plan_test, a_gpu_takes_direct_where_it_makes_dense_factors_or_their_products)
{
    const candidate direct{method::direct, preconditioner::none};
    const auto expect_by_rows = [&](const auto& table, number_format format) {
        for (const tuning::panel_row& row : table) {
            const bool has = row.least_lu != tuning::never || row.least_cholesky != tuning::never;
            const bool is_short = format == number_format::expansion && row.most_bits <= 424;
            EXPECT_EQ(runs_on_gpu({format, row.most_bits}, direct), has || is_short)
                << to_string(format) << row.most_bits;
            EXPECT_TRUE(runs_on_gpu({format, row.most_bits}, {method::refine, preconditioner::lu}));
            EXPECT_TRUE(runs_on_gpu({format, row.most_bits}, {method::gmres_ir, preconditioner::lu}));
        }
    };
    expect_by_rows(tuning::expansion_panels, number_format::expansion);
    expect_by_rows(tuning::multidigit_panels, number_format::multidigit);
    EXPECT_FALSE(runs_on_gpu({number_format::rns, 212}, direct));
    EXPECT_FALSE(runs_on_gpu({number_format::rns, 212}, {method::gmres, preconditioner::lu}));
    EXPECT_TRUE(runs_on_gpu({number_format::rns, 212}, {method::refine, preconditioner::lu}));
    for (const method m : {method::refine, method::gmres_ir, method::direct}) {  // not without being asked
        EXPECT_FALSE(takes_gpu_unasked({m, m == method::direct ? preconditioner::none : preconditioner::lu}));
    }
}

TEST(plan_test, a_gpu_asked_for_is_refused_for_rns_floats_only)
{
    solve_options options;
    options.executor = executor::cuda;
    for (const number_format format : {number_format::automatic, number_format::native, number_format::expansion,
                                       number_format::multidigit, number_format::rns}) {
        options.format = format;
        for (const method m : {method::automatic, method::cg, method::minres, method::gmres, method::bicgstab,
                               method::bicgstabl, method::idr, method::tfqmr, method::bicg, method::cocg, method::cocr,
                               method::lsqr, method::refine, method::gmres_ir, method::direct}) {
            options.method = m;
            const bool taken =
                format != number_format::rns || m == method::automatic || m == method::cg || m == method::refine;
            EXPECT_EQ(taken,
                      [&] {
                          try {
                              require_executor(options);
                              return true;
                          } catch (const unsupported_error&) {
                              return false;
                          }
                      }())
                << to_string(m) << " in " << to_string(format);
        }
    }
}

TEST(plan_test, a_gpu_that_is_not_there_is_all_that_stops_refinement)
{
    for (const method m : {method::refine, method::gmres_ir, method::automatic}) {
        solve_options options;
        options.method = m;
        options.executor = executor::cuda;
        options.device = 1000;
        EXPECT_THROW((void)solve(with_solution_ones(poisson_1d(20)), options), resource_error) << to_string(m);
    }
}

TEST(plan_test, the_largest_product_of_direct_takes_its_numbers_residues_and_sums_on_a_device)
{
    // 100 x 100 numbers of 128 bits in 20 bytes. Sums of 320 bits take 47 moduli of 8 bits: a byte for each of A and B,
    // four of each product
    const double numbers = 3.0 * 1e4 * 20.0;
    const double residues = 2.0 * 1e4 * 47.0;
    const double sums = 1e4 * (4.0 * 47.0 + 40.0);
    const double bytes = device_product_bytes({number_format::multidigit, 128}, 200);
    EXPECT_GT(bytes, numbers + residues + sums);
    EXPECT_LT(bytes, 2.0 * (numbers + residues + sums));
    // 8 GB of sums at a time
    EXPECT_LT(device_product_bytes({number_format::multidigit, 848}, 20000), 1e8 * (3.0 * 112.0 + 2.0 * 600.0) + 8e9);
}

TEST(plan_test, large_matrices_without_factors_are_tried_as_their_symmetry_allows)
{
    const auto first_method = [](bool symmetric, bool positive) {
        system_facts facts;
        facts.sizes.rows = facts.sizes.cols = largest_automatic_lu + 1;
        facts.structure.square = true;
        facts.structure.symmetric = symmetric;
        facts.structure.nonzero_diagonal = true;
        facts.structure.positive_diagonal = positive;
        return plan(facts, {}, {}).first.choice.method;
    };
    EXPECT_EQ(first_method(true, true), method::cg);
    EXPECT_EQ(first_method(true, false), method::minres);
    EXPECT_EQ(first_method(false, true), method::gmres);

    for (const method m : {method::cg, method::minres}) {
        solve_options options;
        options.method = m;
        EXPECT_THROW(plan({}, options, {}), unsupported_error) << to_string(m);
    }
}

TEST(plan_test, the_same_facts_on_the_same_machine_give_the_same_decisions)
{
    solve_options options;
    options.digits = 16;
    system_facts facts = facts_of(system_of(poisson_2d(30)), options);
    facts.binary64 = {.kind = preconditioner::cholesky, .available = true, .trusted = true, .entries = 1234.0};
    facts.condition = {.condition = real(1e3), .scaled = 1e3, .of_x = real(1e3)};
    facts.trusted_bits = 53;
    const machine large{.memory = 1e12, .threads = 3}, small{.memory = 1e5, .threads = 3};

    const decisions made = plan(facts, options, large);

    EXPECT_TRUE(made == plan(system_facts(facts), options, large));
    EXPECT_EQ(made.first.choice, (candidate{method::refine, preconditioner::cholesky}));
    EXPECT_EQ(made.first.choice, made.plan.candidates.front());
    EXPECT_EQ(made.first.in.bits, 106);
    EXPECT_GT(made.first.bytes, 0.0);
    EXPECT_GT(made.first.seconds().value(), 0.0);
    EXPECT_EQ(made.reach.automatic, 4096);
    EXPECT_EQ(made.gpu, gpu_use::none);
    EXPECT_EQ(made.threads, 3);
    EXPECT_EQ(made.reasons.preconditioner, "the binary64 factors, with 1234 entries in L, by Cholesky");
    EXPECT_EQ(to_string(made).find(made.plan.reason), 0u);

    const decisions elsewhere = plan(facts, options, small);
    EXPECT_FALSE(made == elsewhere);
    EXPECT_EQ(elsewhere.reach.automatic, 0);
    EXPECT_EQ(elsewhere.first.choice, made.first.choice);  // its factors exist
    facts.condition->of_x = real(1e20);
    EXPECT_GT(plan(facts, options, large).first.in.bits, 106);
    facts.binary64 = {};
    facts.trusted_bits = 0;
    EXPECT_EQ(plan(facts, options, small).first.choice, (candidate{method::cg, preconditioner::jacobi}));
}

TEST(plan_test, cg_begins_with_the_preconditioner_whose_iterations_pay_on_any_number_of_threads)
{
    system_facts facts;
    facts.sizes = {.rows = 1000000, .cols = 1000000, .nonzeros = 6940000};
    facts.structure.square = facts.structure.symmetric = true;
    facts.structure.nonzero_diagonal = facts.structure.positive_diagonal = true;
    const auto order = [&](long bits, int threads) {
        solve_options options;
        options.precision_bits = bits;
        const std::vector<candidate> all = plan(facts, options, {.memory = 1e12, .threads = threads}).plan.candidates;
        return std::pair(all[0].preconditioner, all[1].preconditioner);
    };
    for (const int threads : {1, 2, 16, 64}) {
        EXPECT_EQ(order(53, threads), std::pair(preconditioner::ic0, preconditioner::jacobi));
        for (const long bits : {106L, 159L, 212L, 424L}) {
            EXPECT_EQ(order(bits, threads), std::pair(preconditioner::jacobi, preconditioner::ic0)) << bits;
        }
    }
}

TEST(plan_test, gmres_with_binary64_factors_takes_at_most_a_third_of_the_time_of_the_factors_that_come_next)
{
    solve_options options;
    options.digits = 30;
    const auto begins = [&](index_t n) {
        system_facts facts;
        const auto entries = static_cast<double>(n) * static_cast<double>(n);
        facts.sizes = {.rows = n, .cols = n, .nonzeros = n * n};
        facts.structure.square = facts.structure.nonzero_diagonal = true;
        facts.factors = {
            .unknowns = n, .known = true, .multiply_adds = entries * static_cast<double>(n) / 3.0, .entries = entries};
        facts.binary64 = {.available = true, .entries = entries};
        facts.condition = {.condition = real(1e20), .scaled = 1e20, .of_x = real(1e20)};
        const decisions made = plan(facts, options, {.memory = 1e13, .threads = 16});
        const candidate& first = made.plan.candidates[0];
        const candidate& next = made.plan.candidates[1];
        EXPECT_EQ(first.method, method::gmres);
        EXPECT_EQ(first.factor_bits, 53);
        EXPECT_EQ(next, (candidate{method::refine, preconditioner::lu, 106}));
        const double spent = static_cast<double>(first.most_iterations) * machine_rates{}.total(made.first.each);
        EXPECT_LE(spent, need_of_factors(facts.factors, 106).seconds / 3.0) << n;
        return first.most_iterations;
    };
    const index_t at_6000 = begins(6000), at_8000 = begins(8000);
    EXPECT_GE(at_6000, 20);
    EXPECT_LT(at_6000, 150);
    EXPECT_GT(at_8000, at_6000);
    EXPECT_LE(at_8000, 200);
}

TEST(plan_test, info_tells_what_solve_does)
{
    for (const io::coo<double>& a :
         {poisson_2d(20), poisson_1d(200), scaled_hilbert(16), from_rows({{1, 2}, {3, 4}, {5, 7}})}) {
        const linear_system system = with_solution_ones(a);
        for (const int digits : {0, 30}) {
            const analysis told = analyze(system, digits);
            solve_options options;
            options.digits = digits;
            const solve_report done = solve(system, options).report;
            ASSERT_TRUE(told.picks.has_value());
            const predicted_cost& first = told.picks->first;
            EXPECT_TRUE(told.picks->plan == solver(system, options).plan());
            EXPECT_EQ(done.predicted_seconds, first.known == foresight::about ? first.seconds() : std::nullopt);
            if (done.escalations.empty()) {
                const candidate did{done.method, done.preconditioner, done.factor_bits, first.choice.most_iterations};
                EXPECT_EQ(did, first.choice);
                EXPECT_EQ((arithmetic{done.format, done.precision_bits}), first.in);
                EXPECT_EQ(done.executor, told.executor);
            }
        }
    }
}

TEST(plan_test, multigrid_comes_first_where_it_is_taken_and_others_follow)
{
    const linear_system system = with_solution_ones(poisson_2d(60));
    system_facts facts = facts_of(system, {});
    solve_plan of[3];
    for (const multigrid_use use : {multigrid_use::unfit, multigrid_use::missing, multigrid_use::taken}) {
        facts.multigrid = use;
        of[static_cast<std::size_t>(use)] = make_plan(facts, {}, {});
    }
    const auto& [without, missing, taken] = of;
    EXPECT_EQ(without.candidates, missing.candidates);
    EXPECT_FALSE(without.lacks_multigrid);
    EXPECT_TRUE(missing.lacks_multigrid);
    EXPECT_NE(missing.reason.find("residua-petsc"), std::string::npos) << missing.reason;
    EXPECT_FALSE(taken.lacks_multigrid);
    EXPECT_NE(taken.reason.find("CG with multigrid"), std::string::npos) << taken.reason;
    ASSERT_EQ(taken.candidates.size(), without.candidates.size() + 1);
    EXPECT_EQ(taken.candidates.front().method, method::cg);
    EXPECT_EQ(taken.candidates.front().preconditioner, preconditioner::amg);
    EXPECT_GT(taken.candidates.front().most_iterations, 0);
    EXPECT_TRUE(std::equal(without.candidates.begin(), without.candidates.end(), taken.candidates.begin() + 1));
}
