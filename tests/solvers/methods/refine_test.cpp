#include <gtest/gtest.h>

#include <residua/solvers/build/format_engine.hpp>
#include <residua/solvers/methods/refine.hpp>
#include <residua/solvers/space/blas_space.hpp>

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
    std::copy(value.begin(), value.end(), entries.value().data());
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
    expect_a_residual_rounded_once(blas_space<host_executor, multidigit>{{}, multidigit_format(64)});
    expect_a_residual_rounded_once(blas_space<host_executor, rns>{{}, rns_format(60)});
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

/// Parts of x: what remains of (2 0; 0 -3) after a correction is 0.2 and 1.9 of the residual.
struct rough_diagonal {
    void apply(const real_space&, const std::vector<real>& x, std::vector<real>& y) const
    {
        for (std::size_t i = 0; i < x.size(); ++i) {
            y[i] = x[i] * real(i == 0 ? 0.4 : 0.3);
        }
    }
};

/// A that counts its products.
struct counted_matrix {
    real_matrix a;
    int& products;

    void apply(const real_space& space, const std::vector<real>& x, std::vector<real>& y) const
    {
        ++products;
        a.apply(space, x, y);
    }
};

TEST(refine_test, a_guess_of_zero_saves_a_product_and_changes_no_bit)
{
    const io::coo<double> entries = from_rows({{2, 0}, {0, 3}});
    const real_space space{150};
    const std::vector<real> b{real(2.0), real(1.0)};
    const stop_rule until = rule(1e-30);
    std::vector<std::vector<real>> x(2, space.make_vector(2));
    std::vector<int> products(2, 0);
    std::vector<iteration_report> reports;
    for (std::size_t k = 0; k < 2; ++k) {
        refine_workspace<real_space> work(space, 2);
        const std::vector<method_column<real_space::vector>> system{{b, x[k], until, k == 1}};
        reports.push_back(
            refine(space, counted_matrix{real_matrix{entries}, products[k]}, rough_diagonal{}, system, work).front());
    }
    EXPECT_EQ(reports[0].status, solve_status::converged);
    EXPECT_EQ(reports[1].iterations, reports[0].iterations);
    EXPECT_EQ(reports[1].recursive_residual, reports[0].recursive_residual);
    EXPECT_EQ(x[1], x[0]);
    EXPECT_EQ(products[1], products[0] - 1);
}

TEST(refine_test, columns_go_their_own_ways)
{
    const real_matrix a{from_rows({{2, 0}, {0, -3}})};  // M makes the second element grow
    const real_space space{150};
    const std::vector<std::vector<real>> b{{real(2.0), real(0.0)},  // converges
                                           {real(1.0), real(1.0)},  // is taken back
                                           {real(0.0), real(0.0)},  // is done at once
                                           {real(1e-250), real(0.0)},
                                           {real(1e250), real(0.0)}};
    std::vector<std::vector<real>> x(b.size(), space.make_vector(2));
    std::vector<stop_rule> rules{rule(1e-20), rule(1e-20), rule(1e-20), rule(1e-30), rule(1e-30, 5)};
    std::vector<method_column<real_space::vector>> system;
    for (std::size_t j = 0; j < b.size(); ++j) {
        system.push_back({b[j], x[j], rules[j]});
    }
    refine_workspace<real_space> work(space, 2, b.size());

    const std::vector<iteration_report> reports = refine(space, a, rough_diagonal{}, system, work);

    const solve_status expected[] = {solve_status::converged, solve_status::stagnated, solve_status::converged,
                                     solve_status::converged, solve_status::not_converged};
    for (std::size_t j = 0; j < b.size(); ++j) {
        std::vector<real> alone = space.make_vector(2);
        refine_workspace<real_space> own(space, 2);
        const iteration_report report = refine(space, a, rough_diagonal{}, b[j], alone, rules[j], own);
        EXPECT_EQ(reports[j].status, expected[j]) << j;
        EXPECT_EQ(reports[j].status, report.status) << j;
        EXPECT_EQ(reports[j].iterations, report.iterations) << j;
        EXPECT_EQ(reports[j].matvecs, report.matvecs) << j;
        EXPECT_EQ(reports[j].recursive_residual, report.recursive_residual) << j;
        EXPECT_EQ(reports[j].message, report.message) << j;
        EXPECT_EQ(x[j], alone) << j;
    }
    EXPECT_EQ(x[1], space.make_vector(2));
    EXPECT_EQ(reports[2].iterations, 0);
    EXPECT_EQ(reports[4].iterations, 5);
}

/// A full matrix as an operator makes the residuals of enough vectors together, with the bits of each alone.
template <class Space, class Make>
void expect_residuals_together(const Space& space, const Make& make_values)
{
    constexpr index_t n = 9;
    auto values = make_values(n * n);
    for (index_t k = 0; k < n * n; ++k) {
        values.set(k, values.get(k) * values.get(k));
    }
    csr<host_executor, typename decltype(values)::value_type> entries(n, n, std::move(values));
    for (index_t i = 0; i < n; ++i) {
        entries.row_begin()[i + 1] = (i + 1) * n;
        for (index_t j = 0; j < n; ++j) {
            entries.col()[i * n + j] = static_cast<column_t>(j);
        }
    }
    const auto together = residuals_together<Space>(entries);
    ASSERT_TRUE(together);
    const any_operator<Space> a = matrix_operator(space, entries);
    for (const std::size_t count : {std::size_t{1}, std::size_t{2}, std::size_t{11}}) {
        std::vector<typename Space::vector> x, b, r, expected, q;
        for (auto* each : {&x, &b, &r, &expected, &q}) {
            each->assign(count, space.make_vector(n));
        }
        for (std::size_t j = 0; j < count; ++j) {
            for (index_t i = 0; i < n; ++i) {
                const double k = static_cast<double>(i + 1) + 100.0 * static_cast<double>(j);
                x[j].set(i, space.make_scalar(1.0) / space.make_scalar(k));
                b[j].set(i, space.make_scalar(std::ldexp(1.0, -static_cast<int>(i) * 30)) / space.make_scalar(k + 1.0));
            }
        }
        const_columns<Space> all_x, all_b;
        columns<Space> all_r;
        for (std::size_t j = 0; j < count; ++j) {
            all_x.push_back(&x[j]);
            all_b.push_back(&b[j]);
            all_r.push_back(&r[j]);
            make_residual(space, a, x[j], b[j], q[j], expected[j]);
        }
        ASSERT_EQ(together(space, all_x, all_b, all_r), count >= 2);
        for (std::size_t j = 0; j < count && count >= 2; ++j) {
            for (index_t i = 0; i < n; ++i) {
                EXPECT_TRUE(r[j].get(i) == expected[j].get(i)) << i << ' ' << j;
            }
        }
    }
}

TEST(refine_test, residuals_made_together_are_those_made_alone)
{
    const auto binary64 = [](index_t count) {
        vector<host_executor, double> v(count);
        for (index_t k = 0; k < count; ++k) {
            v.set(k, 1.0 / static_cast<double>(k + 3));
        }
        return v;
    };
    const host_space<expansion<double, 4>> qd{};
    const blas_space<host_executor, multidigit> long_numbers{{}, multidigit_format(300)};
    const auto of = [](const auto& space) {
        return [&space](index_t count) {
            auto v = space.make_vector(count);
            for (index_t k = 0; k < count; ++k) {
                v.set(k, space.make_scalar(1.0) / space.make_scalar(static_cast<double>(k + 3)));
            }
            return v;
        };
    };
    expect_residuals_together(host_space<double>{}, binary64);
    expect_residuals_together(qd, binary64);
    expect_residuals_together(qd, of(qd));
    expect_residuals_together(long_numbers, binary64);
    expect_residuals_together(long_numbers, of(long_numbers));
}
