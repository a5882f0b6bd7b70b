// Which factors are within reach, and the bits that they have.
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/planning/plan.hpp>
#include <residua/solvers/precond/factorize.hpp>

#include "tests/support/systems.hpp"

using namespace residua;
using namespace residua::support;

TEST(ladder_test, doubles_the_bits_up_to_the_most)
{
    using steps = std::vector<long>;
    EXPECT_EQ(steps(factor_ladder.begin(), factor_ladder.end()), (steps{106, 212, 424, 848, 1696, 4096}));
    EXPECT_EQ(longer_factor_bits(24), 53);
    EXPECT_EQ(longer_factor_bits(53), 106);
    EXPECT_EQ(longer_factor_bits(159), 318);
    EXPECT_EQ(factor_steps_up_to(53), steps());
    EXPECT_EQ(factor_steps_up_to(500), (steps{106, 212, 424}));
    EXPECT_EQ(factor_steps_up_to(848), (steps{106, 212, 424, 848}));
    EXPECT_EQ(factor_steps_up_to(2544), (steps{106, 212, 424, 848, 1696, 2544}));
    EXPECT_EQ(factor_steps_up_to(4096), (steps{106, 212, 424, 848, 1696, 4096}));
}

TEST(ladder_test, the_next_precision_is_above_and_the_longest_that_fits_below)
{
    const std::vector<long>& all = available_precisions();
    EXPECT_EQ(precision_above(all, 52), 53);
    EXPECT_EQ(precision_above(all, 106), 159);
    EXPECT_EQ(precision_above(all, 4096), 0);
    EXPECT_EQ(precision_below(all, 212, [](long) { return true; }), 159);
    EXPECT_EQ(precision_below(all, 4096, [](long bits) { return bits < 150; }), 106);
    EXPECT_EQ(precision_below(all, 53, [](long) { return true; }), 0);
}

TEST(ladder_test, work_that_exceeds_every_limit_is_not_counted_to_the_end)
{
    std::mt19937 random(7);  // a graph without small separators
    const index_t n = 72000;
    io::coo<double> a{n, n, {}, {}, {}};
    const auto add = [&](index_t i, index_t j, double value) {
        a.row.push_back(i);
        a.col.push_back(j);
        a.value.push_back(value);
    };
    for (index_t i = 0; i < n; ++i) {
        add(i, i, 100.0);
        const auto drawn = static_cast<index_t>(random() % 34000);
        for (const index_t step : {2 + drawn, 36002 + drawn / 2}) {
            if (i + step < n) {
                add(i, i + step, -1.0);
                add(i + step, i, -1.0);
            }
        }
        if (i + 1 < n) {
            add(i, i + 1, -1.0);
            add(i + 1, i, -1.0);
        }
    }
    const linear_system system = system_of(a);
    const system_facts facts = facts_of(system, {});
    EXPECT_FALSE(facts.factors.known);
    EXPECT_GT(facts.factors.least_multiply_adds, most_multiply_adds_in_reach());
    const factor_reach reach = find_reach(facts, {.memory = 1e15, .threads = 4}, 0.0);
    EXPECT_EQ(reach.automatic, 0);
    EXPECT_EQ(reach.resort, 0);
    EXPECT_NE(reach.why_not(53).find("factors in 53 bits would take at least "), std::string::npos)
        << reach.why_not(53);
    const solve_plan made = plan(facts, {}, {.memory = 1e15, .threads = 4}).plan;
    EXPECT_EQ(made.candidates.front().method, method::cg);
    EXPECT_NE(made.reason.find("at least"), std::string::npos) << made.reason;

    // what is in reach in binary64 or, as a last resort, in 106 bits is counted
    factor_work work{.kind = preconditioner::cholesky, .unknowns = n, .dense = false, .known = true};
    work.multiply_adds = 1.001 * most_multiply_adds_in_reach();
    EXPECT_GT(need_of_factors(work, 53).seconds, automatic_seconds);
    EXPECT_GT(need_of_factors(work, 106).seconds, resort_seconds);
    work.multiply_adds = 0.999 * most_multiply_adds_in_reach();
    EXPECT_TRUE(need_of_factors(work, 53).seconds < automatic_seconds ||
                need_of_factors(work, 106).seconds < resort_seconds);
}

TEST(ladder_test, bits_are_guessed_from_the_pivots_that_two_attempts_show)
{
    const auto guess = [](index_t first, index_t both) {
        return guess_factor_bits({.unknowns = 100, .bits = 53, .above = first},
                                 {.unknowns = 100, .bits = 106, .above = both});
    };
    EXPECT_EQ(guess(26, 52), 106 + 92 + 20);   // 47 pivots left, 27 in 53 bits
    EXPECT_EQ(guess(10, 52), 106 + 57 + 20);   // 43 in 53 bits
    EXPECT_EQ(guess(50, 51), 106 + 49 + 20);   // a cluster after 50 pivots, which show 51 in 53 bits
    EXPECT_EQ(guess(16, 32), 106 + 208 + 20);  // 67 left, 17 in 53 bits
    EXPECT_EQ(guess(10, 20), 424);             // one step is skipped at a time
    EXPECT_EQ(guess(50, 99), 126);
    EXPECT_EQ(guess(50, 100), 126);
    EXPECT_EQ(guess(50, 50), 0);
    EXPECT_EQ(guess(50, 49), 0);
}

TEST(ladder_test, pivots_are_counted_that_exceed_the_errors_of_dense_factors)
{
    const auto system_with = [](int exponent) {  // pivots 1 and 2^exponent
        const real one(1.0, 300);
        return make_system(io::coo<real>{2, 2, {0, 0, 1, 1}, {0, 1, 0, 1}, {one, one, one, one + ldexp(one, exponent)}},
                           {});
    };
    sparse_analyses analyses;
    const auto in_binary64 = [&](int exponent, factor_kind kind) {
        return count_pivots(factorize_native(scale(system_with(exponent), true), kind, analyses));
    };
    const auto counted = [](long bits, index_t above) {
        return std::optional(pivot_count{.unknowns = 2, .bits = bits, .above = above});
    };
    for (const factor_kind kind : {factor_kind::lu, factor_kind::cholesky, factor_kind::ldl}) {
        EXPECT_EQ(in_binary64(-49, kind), counted(53, 2));
        EXPECT_EQ(in_binary64(-50, kind), counted(53, 1));
        EXPECT_EQ(in_binary64(-60, kind), std::nullopt);  // no factors
    }
    for (const preconditioner kind : {preconditioner::lu, preconditioner::cholesky, preconditioner::ldl}) {
        const auto in_bits = [&](long bits, int exponent) {
            return count_pivots(factorize_long(factors_in(bits), scale(system_with(exponent), true), {.kind = kind}));
        };
        EXPECT_EQ(in_bits(106, -102), counted(106, 2));
        EXPECT_EQ(in_bits(106, -104), counted(106, 1));
        EXPECT_EQ(in_bits(212, -104), counted(212, 2));
        EXPECT_EQ(in_bits(848, -104)->above, 2);
    }
    const linear_system sparse = system_of(poisson_2d(10));
    EXPECT_EQ(count_pivots(factorize_native(scale(sparse, true), factor_kind::lu, analyses)), std::nullopt);
}
