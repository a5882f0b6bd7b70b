// LU factors in a precision of their own: what they are, and what refinement and GMRES-IR make of them.
#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/build/engine.hpp>
#include <residua/solvers/precond/factors.hpp>
#include <residua/solvers/precond/long_factors.hpp>
#include <residua/solvers/session/plan.hpp>
#include <residua/solvers/solver.hpp>
#include <residua/solvers/system/scaled_matrix.hpp>

#include "tests/support/dense.hpp"
#include "tests/support/scale.hpp"
#include "tests/support/systems.hpp"

using namespace residua;
using namespace residua::support;

namespace {

constexpr long bits = 2000;  // in which products of factors are exact

using rows = std::vector<std::vector<real>>;

rows zeros(std::size_t n) { return rows(n, std::vector<real>(n, real(0.0, bits))); }

/// |L U - S| <= bound |L| |U|, by elements.
void expect_product(const rows& l, const rows& u, const rows& s, const real& bound)
{
    for (std::size_t i = 0; i < s.size(); ++i) {
        for (std::size_t j = 0; j < s.size(); ++j) {
            real sum(0.0, bits), size(0.0, bits);
            for (std::size_t k = 0; k <= std::min(i, j); ++k) {
                sum += l[i][k] * u[k][j];
                size += abs(l[i][k] * u[k][j]);
            }
            EXPECT_LE(abs(sum - s[i][j]), bound * size) << i << ", " << j;
        }
    }
}

/// Entries of very different sizes, of which `share` are stored, and the diagonal.
io::coo<double> any_matrix(index_t n, double share, unsigned seed)
{
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> entry(-1.0, 1.0), chance(0.0, 1.0);
    std::uniform_int_distribution<int> exponent(-12, 0);
    io::coo<double> a;
    a.rows = a.cols = n;
    for (index_t i = 0; i < n; ++i) {
        for (index_t j = 0; j < n; ++j) {
            if (i == j || chance(random) < share) {
                a.row.push_back(i);
                a.col.push_back(j);
                a.value.push_back(std::ldexp(entry(random), exponent(random)));
            }
        }
    }
    return a;
}

/// Hilbert's matrix times lcm(1, ..., 31), n = 16: integers, condition 2e22.
io::coo<double> integer_hilbert()
{
    io::coo<double> a;
    a.rows = a.cols = 16;
    for (index_t i = 0; i < 16; ++i) {
        for (index_t j = 0; j < 16; ++j) {
            a.row.push_back(i);
            a.col.push_back(j);
            a.value.push_back(72201776446800.0 / static_cast<double>(i + j + 1));
        }
    }
    return a;
}

solve_options with(method m, long precision, long factors)
{
    solve_options options;
    options.method = m;
    options.precision_bits = precision;
    options.factor_bits = factors;
    return options;
}

/// max |x_i - 1|
real error_of(const std::vector<real>& x)
{
    real largest(0.0, bits);
    for (const real& each : x) {
        largest = max(largest, abs(each - real(1.0, bits)));
    }
    return largest;
}

}  // namespace

TEST(factor_precision_test, binary32_rounds_what_binary64_holds)
{
    const sparse_rows a = rows_of(from_rows({{1.0, 0x1p-30}, {0.5, 1.0 + 0x1p-30}}));

    const triangular_factors factors = factorize_lu(a, {.bits = 24});

    ASSERT_TRUE(factors.failure.empty()) << factors.failure;
    for (const sparse_rows* side : {&factors.lower, &factors.upper}) {
        for (const double each : side->value) {
            EXPECT_EQ(each, static_cast<double>(static_cast<float>(each)));
        }
    }
    EXPECT_NE(to_dense(factors.upper), to_dense(factorize_lu(a).upper));
}

TEST(factor_precision_test, what_is_singular_in_binary32_alone_is_told)
{
    const sparse_rows a = rows_of(from_rows({{1.0, 1.0}, {1.0, 1.0 + 0x1p-30}}));

    EXPECT_NE(factorize_lu(a, {.bits = 24}).failure.find("binary32"), std::string::npos);
    EXPECT_TRUE(factorize_lu(a).failure.empty());
}

TEST(factor_precision_test, binary32_factors_are_those_of_a_matrix_nearby)
{
    for (const double share : {0.1, 1.0}) {  // sparse and dense
        const index_t n = 40;
        const unsigned seed = 7;
        const sparse_rows a = rows_of(any_matrix(n, share, seed));

        const triangular_factors f = factorize_lu(a, {.bits = 24});

        ASSERT_TRUE(f.failure.empty()) << f.failure;
        rows l = zeros(n), u = zeros(n), s = zeros(n);
        for (const auto& [from, to] : {std::pair{&f.lower, &l}, std::pair{&f.upper, &u}}) {
            for (index_t i = 0; i < n; ++i) {
                for (index_t k = from->row_begin[i]; k < from->row_begin[i + 1]; ++k) {
                    (*to)[i][from->column[k]] = real(from->value[k], bits);
                }
            }
        }
        std::vector<index_t> column(n), row(n);  // where they went
        for (index_t i = 0; i < n; ++i) {
            row[f.row_order[i]] = i;
            column[f.column_order.empty() ? i : f.column_order[i]] = i;
        }
        for (index_t i = 0; i < n; ++i) {
            for (index_t k = a.row_begin[i]; k < a.row_begin[i + 1]; ++k) {
                s[row[i]][column[a.column[k]]] =
                    ldexp(real(a.value[k], bits), f.row_exponent[i] + f.column_exponent[a.column[k]]);
            }
        }
        // [Higham02, Thm 9.3], and the rounding of S: |s_ij| <= |L| |U| / (1 - n u) or so
        expect_product(l, u, s, real((n + 2) * 0x1p-24, bits));
    }
}

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
    for (std::size_t k = 0; k < low.upper.value.size(); ++k) {
        worst = std::max(worst, std::abs(low.upper.value[k] - single.upper.value[k]));
        EXPECT_EQ(low.upper.value[k], static_cast<double>(static_cast<float>(low.upper.value[k])));
    }
    EXPECT_GT(worst, 0x1p-20);
    EXPECT_LT(worst, 0x1p-9);

    for (const method m : {method::refine, method::gmres_ir}) {
        const solve_result result = solve(system, with(m, 106, 11));
        EXPECT_EQ(result.report.status, solve_status::converged) << result.report.message;
        EXPECT_EQ(result.report.factor_bits, 11);
        EXPECT_LE(error_of(result.x), real(1e-25, bits));
        EXPECT_EQ(solve(system, with(m, 106, 12)).report.factor_bits, 24);
    }
}

TEST(factor_precision_test, factors_beyond_the_range_of_binary16_have_that_of_binary32)
{
    io::coo<double> a;  // Wilkinson's: 1 on the diagonal and in the last column, -1 below; the last column of U doubles
    const index_t n = 100;
    a.rows = a.cols = n;
    for (index_t i = 0; i < n; ++i) {
        for (index_t j = 0; j < n; ++j) {
            if (j <= i || j == n - 1) {
                a.row.push_back(i);
                a.col.push_back(j);
                a.value.push_back(j < i ? -1.0 : 1.0);
            }
        }
    }

    const triangular_factors f = factorize_lu(rows_of(a), {.bits = 11});

    ASSERT_EQ(f.failure, "");
    EXPECT_EQ(f.upper.value.back(),
              std::ldexp(1.0, static_cast<int>(n) - 1 + f.row_exponent[0] + f.column_exponent[n - 1]));
}

TEST(factor_precision_test, long_factors_are_those_of_a_matrix_nearby)
{
    const index_t n = 40;
    const linear_system system = system_of(any_matrix(n, 1.0, 11));
    const scaled_matrix matrix = scale(system, false);
    for (const long wanted : {54L, 106L, 159L, 212L, 300L}) {
        const arithmetic in = factors_in(wanted);
        EXPECT_GE(in.bits, wanted);

        const auto f = factorize_long(in, matrix, {});

        ASSERT_TRUE(f->failure().empty()) << f->failure();
        rows l = zeros(n), u = zeros(n), s = zeros(n);
        for (index_t i = 0; i < n; ++i) {
            for (index_t j = 0; j < n; ++j) {
                (i > j ? l : u)[i][j] = f->entry(i, j).with_precision(bits);
            }
            l[i][i] = real(1.0, bits);
            for (index_t k = matrix.a.row_begin[i]; k < matrix.a.row_begin[i + 1]; ++k) {
                s[i][matrix.a.column[k]] = real(matrix.a.value[k], bits);
            }
        }
        std::vector<real> b;
        for (index_t i = 0; i < n; ++i) {
            real sum(0.0, bits);
            for (const real& each : s[i]) {
                sum += each;
            }
            b.push_back(sum);
        }
        for (index_t k = 0; k < n; ++k) {
            std::swap(s[k], s[f->pivots()[k]]);
        }
        const real unit = ldexp(real(1.0, bits), -in.bits);
        expect_product(l, u, s, real(8.0 * n, bits) * unit);  // an operation is off by up to 4 units, of expansions

        f->solve(b);  // S 1 = b; kappa(S) is about 1e4
        EXPECT_LE(error_of(b), real(1e8, bits) * unit) << in.bits;
    }
}

TEST(factor_precision_test, a_matrix_that_is_singular_in_a_long_format_is_told)
{
    const linear_system system = system_of(from_rows({{1, 2}, {2, 4}}));

    EXPECT_FALSE(factorize_long(factors_in(106), scale(system, false), {})->failure().empty());
    for (const method m : {method::refine, method::gmres_ir}) {
        const solve_report report = solve(system, with(m, 106, 106)).report;
        EXPECT_EQ(report.status, solve_status::breakdown);
        EXPECT_FALSE(report.message.empty());
    }
}

TEST(factor_precision_test, both_methods_take_every_precision_up_to_their_own)
{
    const linear_system system = with_solution_ones(any_matrix(30, 0.2, 3));
    for (const method m : {method::refine, method::gmres_ir}) {
        for (const long precision : {53L, 106L, 159L, 212L, 300L}) {
            for (const long factors : {1L, 24L, 53L, 106L, 159L, 212L, 300L}) {
                if (factors > precision) {
                    EXPECT_THROW(solve(system, with(m, precision, factors)), unsupported_error) << precision;
                    continue;
                }
                const solve_result result = solve(system, with(m, precision, factors));
                const solve_report& report = result.report;
                EXPECT_EQ(report.status, solve_status::converged) << report.message;
                EXPECT_EQ(report.factor_bits, factors == 1 ? 24 : factors);
                EXPECT_TRUE(report.escalations.empty());
                EXPECT_LE(error_of(result.x), ldexp(real(1e6, bits), -precision * 9 / 10)) << factors;
            }
        }
    }
}

TEST(factor_precision_test, long_factors_refine_what_binary64_factors_do_not)
{
    const linear_system system = with_solution_ones(integer_hilbert());
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
        EXPECT_LE(error_of(fine.x), ldexp(real(1e23, bits), -precision * 9 / 10));
    }
}

TEST(factor_precision_test, factors_that_nobody_asked_for_become_longer_where_corrections_stagnate)
{
    const linear_system system = with_solution_ones(integer_hilbert());

    const solve_result result = solve(system, with(method::refine, 212, 0));

    EXPECT_EQ(result.report.status, solve_status::converged) << result.report.message;
    EXPECT_EQ(result.report.factor_bits, 106);
    ASSERT_EQ(result.report.escalations.size(), 1u);
    const escalation& left = result.report.escalations.front();
    EXPECT_EQ(left.method, method::refine);
    EXPECT_EQ(left.factor_bits, 53);
    EXPECT_EQ(left.precision_bits, 212);
    EXPECT_FALSE(left.reason.empty());
    EXPECT_LE(error_of(result.x), real(1e-30, bits));
    EXPECT_TRUE(solve(with_solution_ones(any_matrix(30, 0.2, 3)), with(method::refine, 212, 0))
                    .report.escalations.empty());  // a condition that binary64 sees
}

TEST(factor_precision_test, factors_that_do_not_exist_become_longer_too)
{
    io::coo<real> a{2, 2, {0, 0, 1, 1}, {0, 1, 0, 1}, {}};
    a.value.assign(4, real(1.0, 300) / real(3.0));
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
    const linear_system system = with_solution_ones(integer_hilbert());  // condition 1e23

    const solve_report report = solve(system, options).report;

    EXPECT_EQ(report.status, solve_status::converged);
    EXPECT_TRUE(report.escalations.empty());
    EXPECT_EQ(report.method, method::refine);
    EXPECT_EQ(report.factor_bits, 106);
}

TEST(factor_precision_test, the_precision_begins_where_the_factors_have_room)
{
    const linear_system system = with_solution_ones(any_matrix(30, 0.2, 3));

    const solve_report report = solve(system, with(method::gmres_ir, 0, 200)).report;

    EXPECT_EQ(report.status, solve_status::converged);
    EXPECT_EQ(report.precision_bits, 212);
    EXPECT_EQ(report.factor_bits, 212);
}

TEST(factor_precision_test, factors_fit_a_method_that_has_them)
{
    for (const method m : {method::automatic, method::cg, method::gmres, method::lsqr, method::direct}) {
        EXPECT_THROW(require_factors(with(m, 212, 53)), unsupported_error);
        EXPECT_NO_THROW(require_factors(with(m, 212, 0)));
    }
    EXPECT_THROW(require_factors(with(method::refine, 0, -1)), unsupported_error);
    EXPECT_THROW(require_factors(with(method::refine, 0, 4097)), unsupported_error);
    solve_options native = with(method::refine, 0, 106);
    native.format = number_format::native;
    EXPECT_THROW(require_factors(native), unsupported_error);
    solve_options served_by_more = with(method::refine, 128, 128);
    served_by_more.format = number_format::multidigit;
    EXPECT_THROW(require_factors(served_by_more), unsupported_error);  // 159 bits
    served_by_more.factor_bits = 106;
    EXPECT_NO_THROW(require_factors(served_by_more));
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
    const linear_system system = system_of(integer_hilbert());
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
