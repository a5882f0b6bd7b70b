#include <gtest/gtest.h>

#include <residua/solvers/session/analyze.hpp>
#include <residua/solvers/solve.hpp>

#include "tests/support/systems.hpp"

using namespace residua;
using namespace residua::support;

TEST(analyze_test, tells_definiteness_condition_and_the_pick)
{
    const analysis spd = analyze(system_of(poisson_1d(30)));
    EXPECT_EQ(spd.positive_definite, true);
    EXPECT_EQ(spd.entry_bits, 1);
    EXPECT_NEAR(to_double(*spd.condition), 480.0, 1.0);  // n = 30: ||inverse(A)||_1 = 120
    EXPECT_EQ(spd.picks.value().first.choice.method, method::refine);

    const analysis indefinite = analyze(system_of(from_rows({{1, 2}, {2, 1}})));
    EXPECT_EQ(indefinite.positive_definite, false);

    const analysis hard = analyze(system_of(scaled_hilbert(16)));
    EXPECT_GT(*hard.condition, real(1e20));
    EXPECT_GE(hard.picks.value().first.in.bits, 159);
    EXPECT_EQ(hard.positive_definite, true);

    EXPECT_FALSE(analyze(system_of(from_rows({{1, 2, 3}, {4, 5, 6}}))).square);
    EXPECT_EQ(analyze(system_of(from_rows({{1, 2}, {0, 0}}))).zero_rows, 1);
}

TEST(analyze_test, predicts_bytes_as_the_function_of_that_name)
{
    for (const double upper : {-1.0, -0.5}) {
        io::coo<double> a{300, 300, {}, {}, {}};
        for (index_t i = 0; i < 300; ++i) {
            for (const index_t j : {i - 17, i - 1, i, i + 1, i + 17}) {
                if (0 <= j && j < 300) {
                    a.row.push_back(i);
                    a.col.push_back(j);
                    a.value.push_back(i == j ? 4.5 : j < i ? -1.0 : upper);
                }
            }
        }
        const linear_system system = make_system(a, {});
        EXPECT_EQ(analyze(system, 30).bytes, predicted_bytes(system, {}, available_precisions()));
    }
}
