// LU factors in a precision of their own: what refinement and GMRES-IR make of them.
#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/base/memory.hpp>
#include <residua/solvers/gallery/gallery.hpp>
#include <residua/solvers/matrix/scaled_matrix.hpp>
#include <residua/solvers/planning/plan.hpp>
#include <residua/solvers/precond/factorize.hpp>
#include <residua/solvers/precond/factors.hpp>
#include <residua/solvers/session/prepared.hpp>
#include <residua/solvers/solver.hpp>

#include "tests/support/dense.hpp"
#include "tests/support/systems.hpp"

using namespace residua;
using namespace residua::support;

namespace {

solve_options with(method m, long precision, long factors)
{
    solve_options options;
    options.method = m;
    options.precision_bits = precision;
    options.factor_bits = factors;
    return options;
}

/// A dense definite matrix of this condition, and x = (1, ..., 1)'.
linear_system randsvd(const char* condition)
{
    const gallery_options of{.n = 120, .cond = real(condition, 64), .definite = true};
    linear_system system = make_system(all_entries(make_gallery(gallery_kind_of("randsvd"), of)), ones(of.n));
    system.b = row_sums(system);
    return system;
}

/// v v' + 2^-70 w w' + 2^-5000 I, a dense matrix that all factors of up to 4096 bits take for one of rank 2.
linear_system nearly_of_rank_2(index_t n)
{
    constexpr long bits = 6000;
    std::mt19937 random(5);
    const auto any = [&] { return real(1.0, bits) / real(static_cast<double>(random() % 2000) - 1000.5, bits); };
    std::vector<real> v, w;
    for (index_t i = 0; i < n; ++i) {
        v.push_back(any());
        w.push_back(any());
    }
    io::coo<real> a{n, n, {}, {}, {}};
    for (std::size_t i = 0; i < v.size(); ++i) {
        for (std::size_t j = 0; j < v.size(); ++j) {
            a.row.push_back(static_cast<index_t>(i));
            a.col.push_back(static_cast<index_t>(j));
            a.value.push_back(v[i] * v[j] + ldexp(w[i] * w[j], -70) + ldexp(real(i == j ? 1.0 : 0.0, bits), -5000));
        }
    }
    return make_system(a, ones(n));
}

/// The bits of the factors that are made for the condition, with the verdict on it.
std::pair<std::vector<long>, inverse_state> sought(const linear_system& system, const solve_options& options = {})
{
    const solve_clock clock(options);
    prepared_system prepared(std::make_shared<const linear_system>(system), options, clock);
    if (options.precision_bits == 0) {
        prepared.make_inverse(0);
    }
    return {prepared.tried_bits(), prepared.inverse_found()};
}

}  // namespace

TEST(factor_precision_test, dense_factors_of_11_bits_are_coarser_and_serve_both_methods)
{
    io::coo<double> a = any_matrix(150, 1.0, 5);
    for (std::size_t k = 0; k < a.value.size(); ++k) {
        a.value[k] += a.row[k] == a.col[k] ? 16.0 : 0.0;
    }
    const linear_system system = with_solution_ones(a);
    const triangular_factors low = factorize_lu(rows_of(a), {.bits = 11});
    const triangular_factors single = factorize_lu(rows_of(a), {.bits = 24});
    ASSERT_EQ(low.failure, "");
    ASSERT_EQ(low.row_order, single.row_order);
    double worst = 0.0;
    for (std::size_t k = 0; k < low.upper.values.size(); ++k) {
        worst = std::max(worst, std::abs(low.upper.values[k] - single.upper.values[k]));
        EXPECT_EQ(low.upper.values[k], static_cast<double>(static_cast<float>(low.upper.values[k])));
    }
    EXPECT_GT(worst, 0x1p-20);
    EXPECT_LT(worst, 0x1p-9);

    for (const method m : {method::refine, method::gmres_ir}) {
        const solve_result result = solve(system, with(m, 106, 11));
        EXPECT_EQ(result.report.status, solve_status::converged) << result.report.message;
        EXPECT_EQ(result.report.factor_bits, 11);
        EXPECT_LE(error_of_ones(result.x), real(1e-25));
        EXPECT_EQ(solve(system, with(m, 106, 12)).report.factor_bits, 24);
    }
}

TEST(factor_precision_test, a_matrix_that_is_singular_in_a_long_format_is_told)
{
    const linear_system system = system_of(from_rows({{1, 2}, {2, 4}}));

    EXPECT_FALSE(factorize_long(factors_in(106), scale(system, false), {}).failure().empty());
    for (const method m : {method::refine, method::gmres_ir}) {
        const solve_report report = solve(system, with(m, 106, 106)).report;
        EXPECT_EQ(report.status, solve_status::breakdown);
        EXPECT_FALSE(report.message.empty());
    }
}

TEST(factor_precision_test, both_methods_take_every_precision_shorter_and_longer_than_their_own)
{
    const linear_system system = with_solution_ones(any_matrix(30, 0.2, 3));
    for (const method m : {method::refine, method::gmres_ir}) {
        for (const long precision : {53L, 106L, 159L, 212L, 300L}) {
            for (const long factors : {1L, 24L, 53L, 106L, 159L, 212L, 300L}) {
                const solve_result result = solve(system, with(m, precision, factors));
                const solve_report& report = result.report;
                EXPECT_EQ(report.status, solve_status::converged) << report.message;
                EXPECT_EQ(report.factor_bits, factors == 1 ? 24 : factors);
                EXPECT_TRUE(report.escalations.empty());
                EXPECT_LE(error_of_ones(result.x), ldexp(real(1e6), -precision * 9 / 10)) << factors;
            }
        }
    }
}

TEST(factor_precision_test, long_factors_refine_what_binary64_factors_do_not)
{
    const linear_system system = with_solution_ones(scaled_hilbert(16));
    for (const long factors : {24L, 53L}) {
        const solve_report rough = solve(system, with(method::refine, 212, factors)).report;
        EXPECT_NE(rough.status, solve_status::converged);
        EXPECT_EQ(rough.verdict.limit, limit::factors);
        EXPECT_EQ(rough.verdict.bits, factors);
        EXPECT_TRUE(factors == 24 || rough.verdict.tries.front() == (suggestion{remedy::factors, 106}));
    }
    for (const long precision : {106L, 212L}) {
        const solve_result fine = solve(system, with(method::refine, precision, 106));
        EXPECT_EQ(fine.report.status, solve_status::converged) << fine.report.message;
        EXPECT_LE(error_of_ones(fine.x), ldexp(real(1e23), -precision * 9 / 10));
    }
}

TEST(factor_precision_test, factors_that_nobody_asked_for_become_longer_where_corrections_stagnate)
{
    const linear_system system = with_solution_ones(scaled_hilbert(16));

    const solve_result result = solve(system, with(method::refine, 212, 0));

    EXPECT_EQ(result.report.status, solve_status::converged) << result.report.message;
    EXPECT_EQ(result.report.factor_bits, 106);
    ASSERT_EQ(result.report.escalations.size(), 1u);
    const escalation& left = result.report.escalations.front();
    EXPECT_EQ(left.method, method::refine);
    EXPECT_EQ(left.factor_bits, 53);
    EXPECT_EQ(left.precision_bits, 212);
    EXPECT_FALSE(left.reason.empty());
    EXPECT_LE(error_of_ones(result.x), real(1e-30));
    EXPECT_TRUE(solve(with_solution_ones(any_matrix(30, 0.2, 3)), with(method::refine, 212, 0))
                    .report.escalations.empty());  // a condition that binary64 sees
}

TEST(factor_precision_test, gmres_ir_goes_beyond_what_long_sparse_factors_refine)
{
    // Hilbert's matrix of condition 1e50, and four with larger diagonals, so that all are sparse. GMRES needs a solve that is linear to more than the bits of the
    // factors.
    const index_t size = 34, n = 5 * size;
    io::coo<real> a{n, n, {}, {}, {}};
    for (index_t i = 0; i < n; ++i) {
        for (index_t j = i / size * size; j < (i / size + 1) * size; ++j) {
            a.row.push_back(i);
            a.col.push_back(j);
            const real top(i == j ? 1.0 + 0.1 * static_cast<double>(i / size) : 1.0, 400);
            a.value.push_back(top / real(static_cast<double>(i % size + j % size + 1)));
        }
    }
    linear_system system = make_system(a, std::vector<real>(static_cast<std::size_t>(n)));
    system.b = row_sums(system);
    for (const preconditioner p : {preconditioner::automatic, preconditioner::lu}) {
        solve_options options = with(method::refine, 212, 106);
        options.preconditioner = p;
        EXPECT_EQ(solve(system, options).report.verdict.limit, limit::factors);
        options.method = method::gmres_ir;
        const solve_result result = solve(system, options);
        EXPECT_EQ(result.report.status, solve_status::converged) << result.report.message;
        EXPECT_EQ(result.report.factor_bits, 106);
        EXPECT_LE(error_of_ones(result.x), real(1e-10));
    }
}

TEST(factor_precision_test, factors_that_do_not_exist_become_longer_too)
{
    io::coo<real> a{2, 2, {0, 0, 1, 1}, {0, 1, 0, 1}, {}};
    const real third = real(1.0, 300) / real(3.0);
    a.value = {third, third, real(2.0) * third, real(2.0) * third};
    a.value.back() += ldexp(real(1.0), -150);  // what 106 bits do not see
    linear_system system = make_system(a, std::vector<real>(2));
    system.b = row_sums(system);

    for (const method m : {method::refine, method::gmres_ir}) {
        const solve_result result = solve(system, with(m, 0, 0));

        EXPECT_EQ(result.report.status, solve_status::converged) << result.report.message;
        EXPECT_EQ(result.report.factor_bits, 212);
    }
}

TEST(factor_precision_test, factors_that_have_become_longer_stay_so)
{
    io::coo<real> a{30, 30, {}, {}, {}};  // Hilbert's, of condition 1e44
    for (index_t i = 0; i < a.rows; ++i) {
        for (index_t j = 0; j < a.cols; ++j) {
            a.row.push_back(i);
            a.col.push_back(j);
            a.value.push_back(real(1.0, 600) / real(static_cast<double>(i + j + 1)));
        }
    }
    linear_system system = make_system(a, std::vector<real>(30));
    system.b = row_sums(system);
    solve_options options = with(method::refine, 0, 0);
    options.digits = 90;

    const solve_report report = solve(system, options).report;

    EXPECT_EQ(report.status, solve_status::converged) << report.message;
    EXPECT_GE(report.digits, 90);
    EXPECT_EQ(report.factor_bits, 212);
    std::vector<long> left;
    for (const escalation& each : report.escalations) {
        left.push_back(each.factor_bits);
    }
    EXPECT_TRUE(std::is_sorted(left.begin(), left.end()));
    EXPECT_LE(std::count(left.begin(), left.end(), 53), 1);
}

TEST(factor_precision_test, automatic_methods_begin_with_factors_that_suffice)
{
    solve_options options;
    options.digits = 30;
    const linear_system system = with_solution_ones(scaled_hilbert(16));  // condition 1e23

    const solve_report report = solve(system, options).report;

    EXPECT_EQ(report.status, solve_status::converged);
    EXPECT_TRUE(report.escalations.empty());
    EXPECT_EQ(report.method, method::refine);
    EXPECT_EQ(report.factor_bits, 106);
}

TEST(factor_precision_test, a_large_condition_is_found_without_a_step_that_would_fail)
{
    const auto found_by = [](const std::vector<long>& bits) { return std::pair(bits, inverse_state::found); };
    EXPECT_EQ(sought(randsvd("1e20")), found_by({106}));
    EXPECT_EQ(sought(randsvd("1e50")), found_by({106, 212}));
    const linear_system system = randsvd("1e60");
    EXPECT_EQ(sought(system), found_by({106, 424}));

    solve_options options;
    options.digits = 30;
    const solve_result result = solve(system, options);

    EXPECT_EQ(result.report.status, solve_status::converged) << result.report.message;
    EXPECT_EQ(result.report.factor_bits, 424);
    EXPECT_TRUE(result.report.escalations.empty());
    EXPECT_LE(error_of_ones(result.x), real(1e-30));

    options = {};
    options.precision_bits = 212;  // the last step that may be tried, though 424 bits are expected
    EXPECT_EQ(sought(system, options).first, (std::vector<long>{106, 212}));
}

TEST(factor_precision_test, the_last_step_is_tried_before_a_matrix_looks_singular)
{
    const auto fails_in = [](const std::vector<long>& bits) { return std::pair(bits, inverse_state::looks_singular); };
    const solve_options options = with(method::refine, 0, 0);
    EXPECT_EQ(sought(nearly_of_rank_2(40), options), fails_in({106, 424, 848, 1696, 4096}));
    EXPECT_EQ(sought(nearly_of_rank_2(3), options), fails_in({106, 212, 424, 848, 1696, 4096}));
}

TEST(factor_precision_test, a_step_that_was_skipped_is_tried_where_the_longer_one_has_no_room)
{
    const solve_options options = with(method::refine, 0, 0);
    const solve_clock clock(options);
    prepared_system prepared(std::make_shared<const linear_system>(randsvd("1e60")), options, clock);
    ASSERT_EQ(prepared.tried_bits(), std::vector<long>());
    const auto bytes = [&](long bits) { return prepared.direct_bytes(factors_in(bits)); };
    const memory_limit limit(0.5 * (bytes(212) + bytes(424)));

    EXPECT_EQ(prepared.make_inverse(0), nullptr);

    EXPECT_EQ(prepared.tried_bits(), (std::vector<long>{106, 212}));
    EXPECT_EQ(prepared.inverse_found(), inverse_state::too_large);
    EXPECT_TRUE(prepared.lacks_memory_for_inverse());
}

TEST(factor_precision_test, the_precision_begins_where_the_factors_have_room)
{
    const linear_system system = with_solution_ones(any_matrix(30, 0.2, 3));

    const solve_report report = solve(system, with(method::gmres_ir, 0, 200)).report;

    EXPECT_EQ(report.status, solve_status::converged);
    EXPECT_EQ(report.precision_bits, 212);
    EXPECT_EQ(report.factor_bits, 212);
}

TEST(factor_precision_test, longer_formats_take_factors_that_are_longer_still)
{
    const linear_system system = with_solution_ones(scaled_hilbert(16));  // condition 1e23
    for (const auto& [format, bits] :
         {std::pair(number_format::expansion, 106L), std::pair(number_format::multidigit, 128L),
          std::pair(number_format::rns, 106L)}) {
        solve_options options = with(method::refine, bits, 212);
        options.format = format;

        const solve_result result = solve(system, options);

        EXPECT_EQ(result.report.status, solve_status::converged) << to_string(format) << result.report.message;
        EXPECT_EQ(result.report.factor_bits, 212);
        EXPECT_LE(error_of_ones(result.x), ldexp(real(1e23), -bits * 9 / 10)) << to_string(format);
    }
}

TEST(factor_precision_test, factors_are_for_a_method_that_has_them)
{
    for (const method m : {method::automatic, method::cg, method::gmres, method::lsqr, method::direct}) {
        EXPECT_THROW(require_factors(with(m, 212, 53)), unsupported_error);
        EXPECT_NO_THROW(require_factors(with(m, 212, 0)));
    }
    EXPECT_THROW(require_factors(with(method::refine, 0, -1)), unsupported_error);
    EXPECT_THROW(require_factors(with(method::refine, 0, 4097)), unsupported_error);
    solve_options on_gpu = with(method::gmres_ir, 212, 106);
    on_gpu.executor = executor::cuda;
    EXPECT_THROW(require_factors(on_gpu), unsupported_error);
    on_gpu.factor_bits = 24;
    EXPECT_NO_THROW(require_factors(on_gpu));
}

TEST(factor_precision_test, limits_of_gmres_ir_are_those_of_the_theory)
{
    // [ABH+24]: 10^15.2, 10^21, 10^31.8, 10^47.9, 10^63.7
    const auto decades = [](long f, long g, long p) { return gmres_ir_limit_bits(f, g, p) * std::log10(2.0); };
    EXPECT_NEAR(decades(24, 53, 106), 15.2, 0.1);
    EXPECT_NEAR(decades(53, 53, 106), 21.3, 0.1);
    EXPECT_NEAR(decades(53, 106, 212), 31.9, 0.1);
    EXPECT_NEAR(decades(53, 212, 424), 47.9, 0.1);
    EXPECT_NEAR(decades(106, 212, 424), 63.8, 0.1);
}

TEST(factor_precision_test, several_right_hand_sides_get_what_they_get_alone)
{
    const linear_system system = system_of(scaled_hilbert(16));
    std::vector<std::vector<real>> b{ones(16), ones(16)};
    b.back().front() = real(-3.0);
    for (const long factors : {0L, 106L}) {
        const solve_options options = with(method::refine, 212, factors);

        const std::vector<solve_result> together = solver(system, options).solve(b);

        for (std::size_t j = 0; j < b.size(); ++j) {
            linear_system one = system;
            one.b = b[j];
            const solve_result alone = solve(one, options);
            EXPECT_EQ(together[j].report.status, solve_status::converged);
            EXPECT_EQ(together[j].report.iterations, alone.report.iterations);
            for (std::size_t i = 0; i < alone.x.size(); ++i) {
                EXPECT_EQ(together[j].x[i], alone.x[i]);
            }
        }
    }
}
