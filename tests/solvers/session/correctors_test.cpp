// What is kept between two corrections outlives what it was made from.
#include <memory>

#include <gtest/gtest.h>

#include <residua/solvers/gallery/gallery.hpp>
#include <residua/solvers/session/correctors.hpp>

#include "tests/support/stopping.hpp"
#include "tests/support/systems.hpp"

using namespace residua;
using namespace residua::support;

TEST(correctors_test, keep_factors_that_are_given_up_for_longer_ones)
{
    // Hilbert's matrix of order 50 has a condition of 1e74: 212 bits do not suffice for an estimate of it
    constexpr index_t n = 50;
    io::coo<real> a{n, n, {}, {}, {}};
    for (index_t i = 0; i < n; ++i) {
        for (index_t j = 0; j < n; ++j) {
            a.row.push_back(i);
            a.col.push_back(j);
            a.value.push_back(real(1.0, 800) / real(static_cast<double>(i + j + 1), 800));
        }
    }
    solve_options options;
    options.method = method::refine;
    options.preconditioner = preconditioner::lu;
    options.precision_bits = 424;
    options.factor_bits = 212;
    const solve_clock clock(options);
    prepared_system prepared(std::make_shared<const linear_system>(make_system(a, ones(n))), options, clock);
    correctors all(prepared, false);

    corrector& by = all.get(prepared.plan().candidates.front(), 424, 1);
    ASSERT_NE(by.engine, nullptr) << by.failure;
    ASSERT_EQ(by.factors.bits(), 212);
    ASSERT_NE(prepared.make_inverse(424), nullptr);

    EXPECT_GT(prepared.made().trusted_bits(), 212);  // the factors at work are given up there
    long_vector r = long_vector::exactly(ones(n));
    std::vector<correction> columns{{.r = r, .rule = {}}};
    columns.front().rule.relative_residual = 0.5;
    by.engine->correct(columns);
    EXPECT_TRUE(columns.front().d.is_finite());
}

TEST(correctors_test, make_sparse_factors_anew_that_were_stopped)
{
    solve_options options;
    options.method = method::refine;
    options.factor_bits = 24;
    options.estimate_condition = false;
    const solve_clock clock(options);
    prepared_system prepared(std::make_shared<const linear_system>(with_solution_ones(poisson_2d(20))), options, clock);
    correctors all(prepared, false);
    const candidate choice = prepared.plan().candidates.front();
    ASSERT_EQ(choice.factor_bits, 24);

    EXPECT_TRUE(is_stopped([] { return true; }, [&] { all.get(choice, 53, 1); }));
    const corrector& by = all.get(choice, 53, 1);

    EXPECT_EQ(by.failure, "");
    EXPECT_NE(by.engine, nullptr);
    EXPECT_EQ(&all.get(choice, 53, 1), &by);
}
