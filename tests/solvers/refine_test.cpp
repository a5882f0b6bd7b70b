#include <gtest/gtest.h>

#include <residua/solvers/refine.hpp>

#include "tests/support/krylov.hpp"

using namespace residua;
using namespace residua::support;

TEST(refine_test, reaches_full_precision_with_a_rough_inverse)
{
    struct rough_half {
        void apply(const real_space&, const std::vector<real>& x, std::vector<real>& y) const
        {
            for (std::size_t i = 0; i < x.size(); ++i) {
                y[i] = real(to_double(x[i]) * 0.4, x[i].precision());
            }
        }
    };
    const io::coo<double> a = from_rows({{2, 0}, {0, 2}});
    const real_space space{200};
    std::vector<real> x = space.make_vector(2);
    refine_workspace<real_space> work(space, 2);

    const iteration_report report =
        refine(space, real_matrix{a}, rough_half{}, {real(2.0), real(1e-200)}, x, rule(1e-55), work);

    EXPECT_EQ(report.status, solve_status::converged);
    EXPECT_GT(agreeing_digits(x, {real(1.0), real(5e-201)}), 54.0);
}

TEST(refine_test, takes_back_a_correction_that_makes_things_worse)
{
    const io::coo<double> a = from_rows({{1, 0}, {0, -3}});  // M = I makes the second entry grow
    const real_space space{100};
    std::vector<real> x = space.make_vector(2);
    refine_workspace<real_space> work(space, 2);

    const iteration_report report =
        refine(space, real_matrix{a}, real_identity{}, {real(1.0), real(1.0)}, x, rule(1e-20), work);

    EXPECT_EQ(report.status, solve_status::stagnated);
    EXPECT_EQ(x, space.make_vector(2));
    EXPECT_DOUBLE_EQ(report.recursive_residual, 1.0);
}
