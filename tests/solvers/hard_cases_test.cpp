// Systems at the edges: of ranges, of memory, of what is finite and what is nonsingular.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include <residua/solvers/methods/bicgstab.hpp>
#include <residua/solvers/methods/bicgstabl.hpp>
#include <residua/solvers/methods/cg.hpp>
#include <residua/solvers/methods/idr.hpp>
#include <residua/solvers/session/analyze.hpp>
#include <residua/solvers/solve.hpp>
#include <residua/solvers/space/blas_space.hpp>
#include <residua/solvers/space/true_residual.hpp>

#include "tests/support/address_space.hpp"
#include "tests/support/eigen_reference.hpp"
#include "tests/support/scale.hpp"
#include "tests/support/stopping.hpp"
#include "tests/support/systems.hpp"

using namespace residua;
using namespace residua::support;

namespace {

solve_options in_bits(method m, long bits)
{
    solve_options options;
    options.method = m;
    options.precision_bits = bits;
    return options;
}

linear_system decimal_2x2(const char* a, const char* b, const char* c, const char* d)
{
    io::coo<real> m{2, 2, {0, 0, 1, 1}, {0, 1, 0, 1}, {}};
    m.value = {real(a, 106), real(b, 106), real(c, 106), real(d, 106)};
    linear_system system = make_system(m, {real(0.0), real(0.0)});
    system.b = row_sums(system);
    return system;
}

/// A number times the identity, in binary64.
struct multiple_of_identity {
    double factor;

    void apply(const host_space<double>&, const vector<host_executor, double>& x,
               vector<host_executor, double>& y) const
    {
        for (index_t i = 0; i < x.size(); ++i) {
            y.set(i, factor * x.get(i));
        }
    }
};

real exact_residual(const linear_system& system, const std::vector<real>& x)
{
    return evaluate_residual(system, x, real("1e-15000", 64)).norm2;
}

}  // namespace

TEST(hard_cases_test, an_indefinite_symmetric_matrix_of_any_range_is_solved)
{
    std::vector<linear_system> systems;
    systems.push_back(with_solution_ones(from_rows({{0, 1e300}, {1e300, 1e-300}})));
    systems.push_back(with_solution_ones(from_rows({{0x1p-1074, 1}, {1, 0x1p-1074}})));
    systems.push_back(decimal_2x2("1e-400", "1", "1", "1e-400"));
    systems.push_back(decimal_2x2("0", "1e400", "1e400", "1"));
    for (const linear_system& system : systems) {
        for (const method m : {method::automatic, method::direct}) {
            for (const number_format f : {number_format::automatic, number_format::expansion}) {
                solve_options options = in_bits(m, 424);
                options.format = f;
                const solve_result result = solve(system, options);

                EXPECT_EQ(result.report.status, solve_status::converged) << result.report.message;
                EXPECT_GT(agreeing_digits(result.x, ones(2)), 30.0);
            }
        }
    }
}

TEST(hard_cases_test, the_reported_residual_is_the_one_of_x)
{
    for (const double small : {1e-40, 0x1p-150, 0x1p-100}) {
        linear_system system = system_of(from_rows({{1, 0}, {small, 1}}));
        system.b = {real(1.0), real(1.0)};

        const solve_result result = solve(system, in_bits(method::automatic, 106));

        const real exact = exact_residual(system, result.x);
        const real reported = result.report.relative_residual * result.report.rhs_norm;
        ASSERT_FALSE(is_zero(exact));
        EXPECT_NEAR(to_double(reported / exact), 1.0, 1e-5) << small;
    }
}

TEST(hard_cases_test, a_guess_of_mixed_precision_is_not_shortened)
{
    linear_system system = system_of(from_rows({{1, 0}, {0, 3}}));
    system.b = {real(1.0), real(1.0)};
    solve_options options = in_bits(method::refine, 106);
    options.rtol = real("1e-200", 64);
    options.initial_guess = {real(1.0), real(1.0, 1000) / real(3.0)};

    const solve_result result = solve(system, options);

    EXPECT_EQ(result.report.status, solve_status::converged);
    EXPECT_LE(exact_residual(system, result.x), *options.rtol * norm2(system.b));
}

TEST(hard_cases_test, digits_beyond_every_format_are_not_claimed_for_the_identity)
{
    linear_system system = system_of(from_rows({{1, 0}, {0, 1}}));
    system.b = {real(1.0), real(2.0)};
    solve_options options = in_bits(method::automatic, 53);
    options.digits = 200;
    EXPECT_GE(solve(system, options).report.digits, 200);
    EXPECT_EQ(solve(system, options).report.status, solve_status::converged);

    options.digits = 2500;
    EXPECT_THROW(solve(system, options), unsupported_error);
}

TEST(hard_cases_test, what_is_singular_in_the_working_precision_alone_is_no_breakdown)
{
    // [1 1; 1 1 + 2^-200]
    const linear_system system =
        make_system(io::coo<real>{2,
                                  2,
                                  {0, 0, 1, 1},
                                  {0, 1, 0, 1},
                                  {real(1.0), real(1.0), real(1.0), real(1.0, 300) + ldexp(real(1.0, 300), -200)}},
                    {real(3.0), real(7.0)});
    const solve_report report = solve(system, in_bits(method::automatic, 53)).report;
    EXPECT_EQ(report.status, solve_status::stagnated);
    EXPECT_FALSE(report.looks_singular);
    EXPECT_EQ(report.verdict.limit, limit::precision);
    EXPECT_EQ(report.verdict.tries, (std::vector<suggestion>{{remedy::precision, 318}}));
    solve_options options;
    options.digits = 50;
    const solve_result result = solve(system, options);
    EXPECT_GE(result.report.digits, 50);
    EXPECT_GE(agreeing_digits(result.x, eigen_reference(system, 1000)), 50.0);
}

TEST(hard_cases_test, a_singular_matrix_is_named_even_if_the_residual_passes)
{
    const linear_system consistent = with_solution_ones(from_rows({{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}));
    linear_system inconsistent = consistent;
    inconsistent.b = {real(1.0), real(0.0), real(0.0)};

    const solve_result a = solve(consistent);
    const solve_result b = solve(inconsistent);

    EXPECT_EQ(a.report.status, solve_status::converged) << a.report.message;
    EXPECT_EQ(a.report.rank, std::optional<index_t>(2));
    EXPECT_FALSE(a.report.condition.has_value());
    EXPECT_NE(a.report.message.find("A is singular, of rank 2 of 3: rows 1, 2 and 3"), std::string::npos);
    EXPECT_EQ(b.report.status, solve_status::breakdown) << b.report.message;
    EXPECT_EQ(b.report.digits, 0);
    EXPECT_NE(b.report.message.find("no x solves A x = b"), std::string::npos);
    EXPECT_EQ(analyze(consistent).condition_note, "infinite: singular: of rank 2 of 3");
}

TEST(hard_cases_test, a_step_that_overflows_leaves_the_best_iterate)
{
    const host_space<double> space;
    vector<host_executor, double> b(2);
    b.set(0, 1.0);
    b.set(1, 0.5);
    const multiple_of_identity a{1e-320};
    const multiple_of_identity m{1.0};

    vector<host_executor, double> x(2);
    cg_workspace<host_space<double>> cg_work(space, 2);
    const iteration_report by_cg = cg(space, a, m, b, x, stop_rule{}, cg_work);
    EXPECT_EQ(by_cg.status, solve_status::breakdown);
    EXPECT_EQ(x.get(0), 0.0);

    vector<host_executor, double> y(2);
    bicgstab_workspace<host_space<double>> bicgstab_work(space, 2);
    const iteration_report by_bicgstab = bicgstab(space, a, m, b, y, stop_rule{}, bicgstab_work);
    EXPECT_EQ(by_bicgstab.status, solve_status::breakdown);
    EXPECT_EQ(y.get(0), 0.0);

    bicgstabl_workspace<host_space<double>> bicgstabl_work(space, 2);
    EXPECT_EQ(bicgstabl(space, a, m, b, y, stop_rule{}, bicgstabl_work).status, solve_status::breakdown);
    EXPECT_EQ(y.get(0), 0.0);

    idr_workspace<host_space<double>> idr_work(space, 2);
    EXPECT_EQ(idr(space, a, m, b, y, stop_rule{}, idr_work).status, solve_status::breakdown);
    EXPECT_EQ(y.get(0), 0.0);
}

TEST(hard_cases_test, what_a_longer_format_lacks_in_memory_costs_no_digit_of_x)
{
    if (!address_space_can_be_limited) {
        GTEST_SKIP() << "the address space cannot be limited";
    }
    // a full matrix, I + a third of ones: no x of finitely many bits
    std::vector<std::vector<double>> rows(500, std::vector<double>(500, 1.0));
    for (std::size_t i = 0; i < rows.size(); ++i) {
        rows[i][i] = 1501.0;
    }
    const linear_system system = system_of(from_rows(rows));
    solve_options options = in_bits(method::direct, 0);
    options.rtol = real("1e-290", 64);
    options.estimate_condition = false;
    std::optional<address_space_limit> limit;
    options.on_history = [&](const history_entry& entry) {
        if (!limit && entry.exact && entry.iteration > 0) {
            limit.emplace(6L << 20);
        }
    };

    const solve_result result = solve(system, options);
    const bool limited = limit.has_value();
    limit.reset();

    EXPECT_TRUE(limited);
    EXPECT_EQ(result.report.status, solve_status::stagnated);
    EXPECT_NE(result.report.message.find("bytes"), std::string::npos) << result.report.message;
    EXPECT_LT(result.report.relative_residual, real(1e-25));
}

TEST(hard_cases_test, cg_refuses_a_matrix_that_is_not_symmetric)
{
    EXPECT_THROW(solve(with_solution_ones(from_rows({{2, 1}, {0, 2}})), in_bits(method::cg, 106)), unsupported_error);
}

TEST(hard_cases_test, stored_zeros_do_not_spoil_symmetry)
{
    io::coo<double> a{2, 2, {0, 0, 1}, {0, 1, 1}, {2.0, 0.0, 1.0}};
    const linear_system system = make_system(a, {real(1.0), real(1.0)});

    EXPECT_TRUE(analyze(system).symmetric);
    EXPECT_EQ(solve(system, in_bits(method::cg, 106)).report.status, solve_status::converged);
}

TEST(hard_cases_test, what_is_not_finite_is_refused)
{
    const double infinity = std::numeric_limits<double>::infinity();
    const linear_system good = with_solution_ones(from_rows({{2, 1}, {1, 2}}));
    linear_system bad = good;
    bad.values.own()[1] = infinity;
    EXPECT_THROW(solve(bad), unsupported_error);
    bad.values.own()[1] = std::nan("");
    EXPECT_THROW(solve(bad), unsupported_error);
    for (const double tolerance : {-1.0, infinity, std::nan("")}) {
        solve_options options;
        options.rtol = real(tolerance);
        EXPECT_THROW(solve(good, options), unsupported_error);
        options = {};
        options.atol = real(tolerance);
        EXPECT_THROW(solve(good, options), unsupported_error);
    }
    solve_options options;
    options.restart = -1;
    EXPECT_THROW(solve(good, options), unsupported_error);
}

TEST(hard_cases_test, an_interruption_while_errors_are_estimated_is_told)
{
    linear_system system = system_of(from_rows({{1e-20, 1}, {1, 1e20}}));
    system.b = {real(1.0), real(1.0)};
    const asked_each_time each;
    int asked = 0;
    solve_options options = in_bits(method::direct, 848);
    options.rtol = real(1e-10);
    options.digits = 5;
    int most = 0;
    options.interrupted = [&] {
        ++asked;
        return false;
    };
    solve(system, options);
    most = asked;
    for (int last = 1; last < most; ++last) {
        asked = 0;
        options.interrupted = [&] { return ++asked >= last; };
        const solve_status status = solve(system, options).report.status;
        EXPECT_TRUE(status == solve_status::interrupted || status == solve_status::converged)
            << to_string(status) << " after " << last;
    }
}

TEST(hard_cases_test, no_digit_is_claimed_that_factors_lost_by_scaling)
{
    // powers of two; where others of their row are large, factors in few bits lose entries that matter in x
    constexpr int none = 9999;
    const int exponents[5][5] = {{-700, none, none, -1100, none},
                                 {none, 0, -1400, -1200, none},
                                 {1000, none, -300, 400, none},
                                 {800, none, none, -900, -400},
                                 {-200, 0, none, none, 1200}};
    io::coo<real> a{5, 5, {}, {}, {}};
    for (int i = 0; i < 5; ++i) {
        for (int j = 0; j < 5; ++j) {
            if (exponents[i][j] != none) {
                a.row.push_back(i);
                a.col.push_back(j);
                a.value.push_back(ldexp(real(1.0), exponents[i][j]));
            }
        }
    }
    linear_system system = make_system(a, std::vector<real>(5));
    system.b = row_sums(system);
    for (const method m : {method::automatic, method::direct, method::refine}) {
        for (const long bits : {0L, 1696L, 2544L, 4096L}) {
            const solve_result result = solve(system, in_bits(m, bits));
            EXPECT_LE(result.report.digits, std::max(0.0, agreeing_digits(result.x, ones(5))) + 1.0)
                << to_string(m) << bits;
        }
    }
}

TEST(hard_cases_test, options_below_zero_are_refused)
{
    const linear_system system = decimal_2x2("2", "1", "1", "3");
    const auto refused = [&](auto&& spoil) {
        solve_options options;
        spoil(options);
        EXPECT_THROW(solve(system, options), unsupported_error);
    };
    refused([](solve_options& o) { o.max_iterations = -5; });
    refused([](solve_options& o) { o.time_limit_seconds = -5.0; });
    refused([](solve_options& o) { o.time_limit_seconds = std::nan(""); });
    refused([](solve_options& o) { o.digits = -5; });
    refused([](solve_options& o) { o.device = -1; });
}

TEST(hard_cases_test, a_residual_far_below_the_tolerance_is_told_as_it_is)
{
    io::coo<real> a{3, 3, {0, 0, 0, 1, 1, 1, 2, 2, 2}, {0, 1, 2, 0, 1, 2, 0, 1, 2}, {}};
    for (int k = 1; k <= 9; ++k) {
        a.value.push_back(real(k, 2000));
    }
    a.value.back() += ldexp(real(1.0, 2000), -650);
    linear_system system = make_system(a, std::vector<real>(3));
    system.b = row_sums(system);
    for (const method m : {method::automatic, method::direct}) {
        for (const long bits : {0L, 212L, 500L, 848L}) {
            solve_options options = in_bits(m, bits);
            options.rtol = real(1e-5);
            const solve_result result = solve(system, options);
            const real truth = exact_residual(system, result.x) / norm2(system.b);
            EXPECT_LE(abs(result.report.relative_residual - truth), ldexp(truth, -18)) << to_string(m) << bits;
        }
    }
}
