// What is solved with where memory does not suffice for the factors that the condition may need: factors of fewer bits,
// incomplete ones, a Krylov method. And what is refused.
#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/base/memory.hpp>
#include <residua/solvers/planning/plan.hpp>
#include <residua/solvers/session/prepared.hpp>
#include <residua/solvers/solver.hpp>

#include "tests/support/dense.hpp"
#include "tests/support/stopping.hpp"
#include "tests/support/systems.hpp"

using namespace residua;
using namespace residua::support;

namespace {

/// Poisson's matrix with `coupling` times the entries on the left: not symmetric unless it is 1.
io::coo<double> convection(index_t side, double coupling)
{
    io::coo<double> a = poisson_2d(side);
    for (std::size_t k = 0; k < a.value.size(); ++k) {
        a.value[k] *= a.col[k] == a.row[k] - 1 ? coupling : 1.0;
    }
    return a;
}

/// A random matrix with `diagonal` on its diagonal, whose factors are nearly full.
io::coo<double> of_much_fill(index_t n, double share, double diagonal, bool symmetric)
{
    const io::coo<double> any = any_matrix(n, share, 7);
    std::vector<std::vector<double>> rows(static_cast<std::size_t>(n),
                                          std::vector<double>(static_cast<std::size_t>(n)));
    for (std::size_t k = 0; k < any.value.size(); ++k) {
        const index_t i = any.row[k], j = any.col[k];
        rows[i][j] = any.value[k];
        rows[j][i] = symmetric ? any.value[k] : rows[j][i];
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
        rows[i][i] = diagonal;
    }
    return from_rows(rows);
}

/// A beside (1, -2; 0, 1, -2; ...), whose inverse has the powers of two up to 2^steps.
io::coo<double> beside_a_chain(io::coo<double> a, index_t steps)
{
    for (index_t k = 0; k <= steps; ++k) {
        const index_t i = a.rows + k;
        a.row.push_back(i);
        a.col.push_back(i);
        a.value.push_back(1.0);
        if (k < steps) {
            a.row.push_back(i);
            a.col.push_back(i + 1);
            a.value.push_back(-2.0);
        }
    }
    a.rows += steps + 1;
    a.cols = a.rows;
    return a;
}

double need(const linear_system& system, long bits)
{
    return need_of_factors(facts_of(system, {}).factors, bits).bytes;
}

/// A limit of memory in which unasked factors in `bits` bits are within reach, and those of the next precision are not.
double room_for(const linear_system& system, const solve_options& options, long bits, long next)
{
    const double least = bits > 0 ? need(system, bits) : 0.0;
    return bytes_without_factors(sizes_of(system), options, 1) + (least + need(system, next)) / 2.0 / automatic_share;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

bool is_tried(const solve_plan& plan, method m, preconditioner p, long factor_bits)
{
    return std::any_of(plan.candidates.begin(), plan.candidates.end(), [&](const candidate& each) {
        return each.method == m && each.preconditioner == p && each.factor_bits == factor_bits;
    });
}

std::string refusal(const linear_system& system, const solve_options& options)
{
    try {
        solve(system, options);
    } catch (const resource_error& lack) {
        return lack.what();
    }
    return "not refused";
}

}  // namespace

TEST(factor_reach_test, tells_what_keeps_longer_factors_out_of_reach)
{
    const linear_system system = with_solution_ones(convection(40, 0.5));
    const system_facts facts = facts_of(system, {});
    const machine small{.memory = 1000.0 + need(system, 106) + need(system, 212)};

    const factor_reach reach = find_reach(facts, small, 1000.0);

    EXPECT_EQ(reach.automatic, 159);
    EXPECT_EQ(reach.resort, 159);
    EXPECT_FALSE(reach.lacks_memory(159));
    EXPECT_TRUE(reach.lacks_memory(212));
    EXPECT_EQ(reach.why_not(212), "factors in 212 bits need " + bytes_in_words(need(system, 212)) +
                                      ", half of the memory that is free is " + bytes_in_words(reach.memory));
    EXPECT_EQ(find_reach(facts, small, 1e9).automatic, 0);
}

TEST(factor_reach_test, tells_seconds_and_numbers_of_unknowns_too)
{
    factor_reach reach{.automatic = 53, .resort = 106, .unknowns = 5000, .memory = 1e9};
    reach.needs = {{53, 1e8, 100.0}, {106, 2e8, 500.0}};
    EXPECT_FALSE(reach.lacks_memory(106));
    EXPECT_EQ(reach.why_not(106), "factors in 106 bits would take 500 s, more than 60 s");
    reach.needs = {{53, 1e8, 0.0}, {106, 2e8, 0.0}};
    EXPECT_EQ(reach.why_not(106), "5000 unknowns are too many for factors in 106 bits by default");
}

TEST(factor_reach_test, forgets_factors_that_were_refused)
{
    system_facts facts = facts_of(system_of(poisson_2d(10)), {});
    facts.refuse(212, "the factorisation needs more");
    factor_reach reach = find_reach(facts, {}, 0.0);
    EXPECT_EQ(reach.automatic, 159);
    EXPECT_EQ(reach.resort, 159);
    EXPECT_FALSE(reach.lacks_memory(159));
    EXPECT_EQ(reach.why_not(424), "factors in 212 bits do not fit: the factorisation needs more");
    facts.refuse(53, "nor these");
    facts.refuse(106, "known");
    reach = find_reach(facts, {}, 0.0);
    EXPECT_EQ(reach.automatic, 0);
    EXPECT_EQ(reach.why_not(106), "factors in 53 bits do not fit: nor these");
}

TEST(memory_test, factors_of_fewer_bits_come_first)
{
    const linear_system system = with_solution_ones(beside_a_chain(of_much_fill(900, 0.02, 4.0, false), 110));
    solve_options options;
    options.digits = 12;
    const memory_limit limit(room_for(system, options, 106, 212));
    solver s(system, options);

    const solve_plan& plan = s.plan();

    const std::string reason = "half of the memory that is free is ";
    ASSERT_TRUE(plan.fall);
    EXPECT_EQ(plan.fall->left, (candidate{method::refine, preconditioner::lu, 212}));
    EXPECT_TRUE(has(plan.fall->reason, "factors in 212 bits need ") && has(plan.fall->reason, reason) &&
                plan.fall->reason.ends_with(": factors in 106 bits"));
    EXPECT_TRUE(has(plan.reason, plan.fall->reason)) << plan.reason;
    EXPECT_TRUE(is_tried(plan, method::gmres_ir, preconditioner::lu, 106));
    EXPECT_TRUE(is_tried(plan, method::refine, preconditioner::lu, 106));
    EXPECT_FALSE(is_tried(plan, method::refine, preconditioner::lu, 212));

    const solve_result result = s.solve(system.b);

    EXPECT_EQ(result.report.status, solve_status::converged) << result.report.message;
    EXPECT_EQ(result.report.method, method::gmres_ir);
    EXPECT_EQ(result.report.factor_bits, 106);
    EXPECT_GE(result.report.digits, 12);
    EXPECT_LE(error_of_ones(result.x), real(1e-12));
    ASSERT_FALSE(result.report.escalations.empty());
    EXPECT_EQ(result.report.escalations.front().reason, plan.fall->reason);
    EXPECT_EQ(result.report.escalations.front().factor_bits, 212);
    EXPECT_FALSE(result.report.looks_singular);
}

TEST(memory_test, incomplete_factors_come_next)
{
    io::coo<double> indefinite = poisson_2d(40);
    for (std::size_t k = 0; k < indefinite.value.size(); ++k) {
        indefinite.value[k] -= indefinite.row[k] == indefinite.col[k] ? 4.5 : 0.0;
    }
    const std::vector<std::tuple<io::coo<double>, candidate, std::string>> cases{
        {convection(40, 0.5), {method::gmres, preconditioner::ilut}, "incomplete factors"},
        {poisson_2d(40), {method::cg, preconditioner::jacobi}, "a Krylov method"},
        {indefinite, {method::minres, preconditioner::jacobi}, "a Krylov method"}};
    for (const auto& [a, first, instead] : cases) {
        const linear_system system = with_solution_ones(a);
        const memory_limit limit(room_for(system, {}, 0, 53));
        solver s(system, {});

        const solve_plan& plan = s.plan();
        const solve_result result = s.solve(system.b);

        EXPECT_EQ(plan.candidates.front(), first);
        EXPECT_TRUE(has(plan.reason, "factors in 53 bits need ") && has(plan.reason, ": " + instead + ";"))
            << plan.reason;
        EXPECT_EQ(plan.reason.find("factors in 53 bits"), plan.reason.rfind("factors in 53 bits")) << plan.reason;
        EXPECT_EQ(result.report.status, solve_status::converged) << result.report.message;
        EXPECT_EQ(result.report.method, first.method);
        EXPECT_LE(error_of_ones(result.x), real(1e-16));
        ASSERT_FALSE(result.report.escalations.empty());
        EXPECT_TRUE(result.report.escalations.front().reason.ends_with(": " + instead));
        EXPECT_TRUE(has(result.report.message, "there is no room for an estimate of the error"))
            << result.report.message;
        EXPECT_TRUE(has(result.report.message, "factors in 53 bits need ")) << result.report.message;
    }
}

TEST(memory_test, a_krylov_method_comes_last)
{
    const linear_system system = with_solution_ones(convection(40, 0.5));
    solve_options options;
    options.fill = 1000;
    const memory_limit limit(room_for(system, options, 0, 53));

    const solve_result result = solve(system, options);

    EXPECT_EQ(result.report.status, solve_status::converged) << result.report.message;
    EXPECT_EQ(result.report.method, method::gmres);
    EXPECT_EQ(result.report.preconditioner, preconditioner::ilu0);
    EXPECT_LE(error_of_ones(result.x), real(1e-16));
    ASSERT_EQ(result.report.escalations.size(), 2u);
    EXPECT_TRUE(has(result.report.escalations[1].reason, "the ILUT factorisation needs "));
    EXPECT_EQ(result.report.escalations[1].method, method::gmres);
}

TEST(memory_test, what_was_predicted_to_fit_and_does_not_is_a_step)
{
    const linear_system system = with_solution_ones(beside_a_chain(of_much_fill(600, 0.02, 4.0, false), 110));
    solve_options options;
    options.restart = 5;
    const double little = room_for(system, options, 0, 53);
    ASSERT_LT(little, need(system, 106));
    std::optional<memory_limit> limit;
    const asked_each_time each;
    std::atomic<int> asked = 0;
    constexpr int in_the_factors = 200;  // of the questions; the first twenty are in the analysis
    options.interrupted = [&] {
        if (++asked == in_the_factors) {
            limit.emplace(little);
        }
        return false;
    };

    const solve_result result = solve(system, options);

    EXPECT_GE(asked, in_the_factors);
    EXPECT_EQ(result.report.status, solve_status::converged) << result.report.message;
    EXPECT_EQ(result.report.method, method::gmres);
    ASSERT_FALSE(result.report.escalations.empty());
    const std::string& reason = result.report.escalations.front().reason;
    EXPECT_TRUE(has(reason, "factors in 106 bits do not fit: the factorisation needs ")) << reason;
    EXPECT_TRUE(reason.ends_with(": factors in 53 bits"));
}

TEST(memory_test, direct_takes_fewer_bits_where_nobody_asked_for_some)
{
    const linear_system system = with_solution_ones(convection(40, 0.5));
    solve_options options;
    options.method = method::direct;
    options.estimate_condition = false;
    const memory_limit limit(0.5 * (need(system, 53) + need(system, 106)));

    const solve_result result = solve(system, options);

    EXPECT_EQ(result.report.status, solve_status::converged) << result.report.message;
    EXPECT_EQ(result.report.precision_bits, 53);
    EXPECT_LE(error_of_ones(result.x), real(1e-13));
    ASSERT_EQ(result.report.escalations.size(), 1u);
    EXPECT_TRUE(has(result.report.escalations[0].reason, "in 106 bits the method needs "));
    EXPECT_TRUE(result.report.escalations[0].reason.ends_with(": factors in 53 bits"));
}

TEST(memory_test, what_was_asked_for_is_refused_with_what_would_fit)
{
    const linear_system general = with_solution_ones(of_much_fill(600, 0.02, 4.0, false));
    const linear_system definite = with_solution_ones(of_much_fill(600, 0.02, 4.0, true));
    solve_options options;
    options.method = method::refine;
    options.precision_bits = 212;
    options.factor_bits = 212;
    {
        const memory_limit limit(0.5 * (need(general, 106) + need(general, 212)));
        for (const method m : {method::refine, method::direct}) {
            options.method = m;
            options.factor_bits = m == method::refine ? 212 : 0;
            const std::string words = refusal(general, options);
            EXPECT_TRUE(has(words, " needs ") && has(words, " bytes of memory are available")) << words;
            EXPECT_TRUE(words.ends_with(": factors in 159 bits would fit")) << words;
        }
    }
    options = {};
    options.restart = 1;
    options.precision_bits = 53;
    for (const method m : {method::refine, method::gmres, method::cg}) {
        const linear_system& system = m == method::cg ? definite : general;
        options.method = m;
        options.preconditioner = m == method::cg      ? preconditioner::cholesky
                                 : m == method::gmres ? preconditioner::lu
                                                      : preconditioner::automatic;
        if (m == method::refine) {
            const memory_limit limit(0.99 * need(system, 53));
            const std::string words = refusal(system, options);
            EXPECT_TRUE(words.ends_with(": factors in 24 bits would fit")) << words;
        }
        const memory_limit limit(0.99 * need(system, m == method::refine ? 24 : 53));
        const std::string words = refusal(system, options);
        EXPECT_TRUE(has(words, "the sparse factorisation needs ")) << to_string(m) << ": " << words;
        EXPECT_TRUE(words.ends_with(m == method::cg ? "as cg with the preconditioner ic0"
                                                    : "as gmres with the preconditioner ilut"))
            << to_string(m) << ": " << words;
    }
}

TEST(memory_test, factors_of_an_estimate_give_way_to_the_method)
{
    for (const long bits : {53L, 106L}) {  // of the factors that the condition needs
        const bool definite = bits == 53;
        const linear_system system =
            with_solution_ones(definite ? poisson_2d(30) : beside_a_chain(convection(30, 0.5), 60));
        solve_options options;
        options.method = definite ? method::cg : method::gmres;
        const candidate without{options.method, definite ? preconditioner::ic0 : preconditioner::ilut};
        const solve_clock clock(options);
        prepared_system prepared(std::make_shared<const linear_system>(system), options, clock);
        ASSERT_NE(prepared.make_inverse(106), nullptr);
        ASSERT_EQ(prepared.made().trusted_bits(), bits);

        EXPECT_FALSE(prepared.release_factors({options.method, preconditioner::lu}));
        EXPECT_TRUE(prepared.release_factors(without));

        EXPECT_FALSE(prepared.made().binary64().factors.exist());
        EXPECT_FALSE(prepared.made().binary64().factors.failure().empty());
        EXPECT_EQ(prepared.make_inverse(106), nullptr);
        EXPECT_EQ(prepared.inverse_found(), inverse_state::too_large);
        EXPECT_TRUE(prepared.lacks_memory_for_inverse());
        EXPECT_NE(prepared.made().condition(), nullptr);
        EXPECT_FALSE(prepared.release_factors(without));
    }
}

TEST(memory_test, an_estimate_without_room_costs_no_digit_of_x)
{
    const linear_system system = with_solution_ones(beside_a_chain(poisson_2d(40), 60));
    solve_options options;
    options.method = method::gmres;
    options.preconditioner = preconditioner::ilut;
    options.precision_bits = 212;
    std::optional<memory_limit> limit;
    options.on_history = [&](const history_entry& entry) {
        if (!limit && entry.exact && entry.iteration > 0) {
            limit.emplace(1e4);
        }
    };

    const solve_result result = solve(system, options);

    EXPECT_TRUE(limit);
    EXPECT_EQ(result.report.status, solve_status::converged) << result.report.message;
    EXPECT_LE(error_of_ones(result.x), real(1e-30));
    EXPECT_FALSE(result.report.forward_error);
    EXPECT_FALSE(result.report.looks_singular);
    EXPECT_TRUE(
        has(result.report.message, "no digits are known: factors in 106 bits do not fit: the factorisation needs "))
        << result.report.message;
}

TEST(memory_test, solves_for_an_estimate_without_room_cost_no_digit_of_x)
{
    const linear_system system = with_solution_ones(convection(40, 0.5));
    solve_options options;
    options.method = method::gmres;
    options.preconditioner = preconditioner::ilut;
    options.digits = 5;
    options.precision_bits = 106;
    std::optional<memory_limit> limit(std::in_place, room_for(system, options, 0, 53));  // no factors
    options.on_history = [&](const history_entry& entry) {
        if (entry.exact && entry.iteration > 0) {
            limit.reset();
            limit.emplace(1e4);
        }
    };

    const solve_result result = solve(system, options);

    EXPECT_EQ(result.report.status, solve_status::not_converged);
    EXPECT_LE(error_of_ones(result.x), real(1e-20));
    EXPECT_EQ(result.report.digits, 0);
    EXPECT_TRUE(
        has(result.report.message,
            "there is no room for an estimate of the error, so no digits are known: the ILUT factorisation needs "))
        << result.report.message;
}
