#include <gtest/gtest.h>

#include <residua/solvers/base/format_space.hpp>
#include <residua/solvers/format_engine.hpp>
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

/// (1 3; 0 1) (2^-80, 5) = (15 + 2^-80, 5), which 53 bits round to (15, 5).
template <class Space>
void expect_a_residual_rounded_once(const Space& space)
{
    csr<host_executor, double> entries(2, 2, 3);
    const std::vector<index_t> begin{0, 2, 3};
    const std::vector<column_t> col{0, 1, 1};
    const std::vector<double> value{1.0, 3.0, 1.0};
    std::copy(begin.begin(), begin.end(), entries.row_begin().begin());
    std::copy(col.begin(), col.end(), entries.col().begin());
    std::copy(value.begin(), value.end(), entries.value().data);
    const any_operator<Space> a = matrix_operator(space, entries);
    any_operator<Space> only_applied;
    only_applied.function = a.function;
    auto x = space.make_vector(2);
    auto b = space.make_vector(2);
    auto q = space.make_vector(2);
    auto r = space.make_vector(2);
    x.set(0, space.make_scalar(0x1p-80));
    x.set(1, space.make_scalar(5.0));
    b.set(0, space.make_scalar(15.0));
    b.set(1, space.make_scalar(5.0));

    make_residual(space, a, x, b, q, r);
    EXPECT_EQ(to_double(r.get(0)), -0x1p-80);
    EXPECT_EQ(to_double(r.get(1)), 0.0);

    make_residual(space, only_applied, x, b, q, r);
    EXPECT_EQ(to_double(r.get(0)), 0.0);
}

TEST(refine_test, a_residual_is_rounded_once_where_the_matrix_is_there)
{
    expect_a_residual_rounded_once(host_space<double>{});
    expect_a_residual_rounded_once(format_space<host_executor, multidigit>{{}, multidigit_format(64)});
    expect_a_residual_rounded_once(format_space<host_executor, rns>{{}, rns_format(60)});
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
