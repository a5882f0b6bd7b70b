// L D L' of sparse symmetric matrices that are not definite, where solve() uses them: triangles of it against the matrix over
// MPFR, and solutions that are known.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <omp.h>

#include <residua/solvers/planning/ladder.hpp>
#include <residua/solvers/planning/plan.hpp>
#include <residua/solvers/precond/factor_kinds.hpp>
#include <residua/solvers/precond/factorize.hpp>
#include <residua/solvers/precond/triangular.hpp>
#include <residua/solvers/solver.hpp>

#include "tests/support/symmetric_matrices.hpp"
#include "tests/support/systems.hpp"

using namespace residua;
using namespace residua::support;

namespace {

constexpr long exact_bits = 400;

linear_system system_with_ones(const sparse_matrix& a)
{
    linear_system system;
    system.rows = system.cols = a.rows;
    system.row_begin = a.row_begin;
    system.column = a.column;
    system.values = a.values;
    system.b = ones(a.rows);
    system.b = row_sums(system);
    return system;
}

struct named_matrix {
    std::string name;
    sparse_matrix a;
};

std::vector<named_matrix> indefinite_matrices()
{
    return {{"saddle point", saddle_point(12, 40, 3)},
            {"shifted Poisson", shifted_grid(17, 13, 1.53)},
            {"zero diagonal", zero_diagonal(120, 5)},
            {"pairs", pairs_of_both_kinds(101)},
            {"any, other units", any_indefinite(90, 0.05, 12, 7)}};
}

solve_options with(method m, int digits, preconditioner p = preconditioner::automatic)
{
    solve_options options;
    options.method = m;
    options.digits = digits;
    options.preconditioner = p;
    return options;
}

real distance_from_ones(const std::vector<real>& x)
{
    real worst(0.0);
    for (const real& each : x) {
        worst = max(worst, abs(each - real(1.0, exact_bits)));
    }
    return worst;
}

/// Triangles of L D L' in so many bits, whose unit is u: their product is A, and solves with them are those with the fronts.
void expect_same_triangles(const sparse_matrix& a, long bits, double u)
{
    sparse_analyses analyses;
    const factorization by_fronts = factorize_native(a, factor_kind::ldl, analyses, {.bits = bits});
    ASSERT_EQ(by_fronts.failure(), "");
    ASSERT_TRUE(by_fronts.are_fronts());
    const triangular_factors& f = by_fronts.triangles();
    const auto n = static_cast<std::size_t>(a.rows);
    std::vector<std::vector<real>> rest(n, std::vector<real>(n, real(0.0, exact_bits)));
    std::vector<std::vector<double>> size(n, std::vector<double>(n));
    for (std::size_t i = 0; i < n; ++i) {
        ASSERT_EQ(f.lower.values[f.lower.row_begin[i + 1] - 1], 1.0);
        ASSERT_EQ(f.lower.column[f.lower.row_begin[i + 1] - 1], static_cast<std::int32_t>(i));
        ASSERT_EQ(f.upper.column[f.upper.row_begin[i]], static_cast<std::int32_t>(i));
        for (index_t p = f.lower.row_begin[i]; p < f.lower.row_begin[i + 1]; ++p) {
            const auto k = static_cast<std::size_t>(f.lower.column[p]);
            for (index_t q = f.upper.row_begin[k]; q < f.upper.row_begin[k + 1]; ++q) {
                const real term = real(f.lower.values[p], exact_bits) * real(f.upper.values[q], exact_bits);
                rest[i][f.upper.column[q]] += term;
                size[i][f.upper.column[q]] += std::abs(to_double(term));
            }
        }
    }
    const sparse_matrix b = arranged(a, f);
    for (std::size_t i = 0; i < n; ++i) {
        for (index_t p = b.row_begin[i]; p < b.row_begin[i + 1]; ++p) {
            const auto j = static_cast<std::size_t>(b.column[p]);
            rest[i][j] -= real(b.values[p], exact_bits);
            size[i][j] += std::abs(b.values[p]);
        }
    }
    double worst = 0.0, largest = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            worst = std::max(worst, std::abs(to_double(rest[i][j])) - 0x1p-1000);
            largest = std::max(largest, size[i][j]);
        }
    }
    EXPECT_LE(worst, 40.0 * u * largest);

    const factorization other = by_triangles(f);
    for (const bool transposed : {false, true}) {
        vector<host_executor, double> x(a.rows), y(a.rows);
        for (index_t i = 0; i < a.rows; ++i) {
            x.set(i, static_cast<double>(i % 11) - 4.0);
            y.set(i, static_cast<double>(i % 11) - 4.0);
        }
        by_fronts.solve(x, transposed);
        other.solve(y, transposed);
        double difference = 0.0, norm = 0.0;
        for (index_t i = 0; i < a.rows; ++i) {
            difference = std::max(difference, std::abs(x.get(i) - y.get(i)));
            norm = std::max(norm, std::abs(x.get(i)));
        }
        EXPECT_LE(difference, 1e-7 * norm);
        EXPECT_GT(norm, 0.0);
    }
    const std::optional<real> one = by_fronts.find_determinant(), two = other.find_determinant();
    ASSERT_TRUE(one && two);
    EXPECT_LE(abs(*one - *two), real(1e-9) * abs(*one));
}

}  // namespace

TEST(ldl_factors_test, triangles_are_the_same_factors)
{
    for (const auto& [name, a] : indefinite_matrices()) {
        SCOPED_TRACE(name);
        expect_same_triangles(a, 53, 0x1p-53);
        expect_same_triangles(a, 24, 0x1p-24);
    }
}

TEST(ldl_factors_test, serve_refinement_gmres_ir_and_auto_to_any_digits)
{
    for (const auto& [name, a] : indefinite_matrices()) {
        const linear_system system = system_with_ones(a);
        for (const int digits : {16, 30, 100}) {
            for (const method m : {method::refine, method::gmres_ir, method::automatic}) {
                SCOPED_TRACE(name + ", " + std::string(to_string(m)) + ", " + std::to_string(digits));
                const solve_result result = solve(system, with(m, digits));
                EXPECT_EQ(result.report.status, solve_status::converged) << result.report.message;
                EXPECT_EQ(result.report.preconditioner, preconditioner::ldl);
                EXPECT_GE(result.report.factor_bits, 53);
                EXPECT_LE(result.report.factor_bits, m == method::automatic ? 106 : 53);
                EXPECT_GE(result.report.digits, digits);
                EXPECT_LE(distance_from_ones(result.x), pow(real(10.0, exact_bits), -digits));
            }
        }
    }
}

TEST(ldl_factors_test, precondition_krylov_methods_as_triangles)
{
    for (const auto& [name, a] : indefinite_matrices()) {
        const linear_system system = system_with_ones(a);
        for (const method m : {method::gmres, method::bicgstab, method::bicg, method::idr}) {
            for (const preconditioner p : {preconditioner::lu, preconditioner::ldl}) {
                SCOPED_TRACE(name + ", " + std::string(to_string(m)) + ", " + std::string(to_string(p)));
                const solve_result result = solve(system, with(m, 30, p));
                EXPECT_EQ(result.report.status, solve_status::converged) << result.report.message;
                EXPECT_EQ(result.report.preconditioner, p);
                EXPECT_LE(result.report.iterations, 40);
                EXPECT_LE(distance_from_ones(result.x), real(1e-30));
            }
        }
    }
}

TEST(ldl_factors_test, are_the_kind_that_was_asked_for)
{
    const linear_system indefinite = system_with_ones(shifted_grid(15, 15, 1.53));
    const linear_system definite = system_with_ones(shifted_grid(15, 15, -0.5));
    const linear_system dense = with_solution_ones(from_rows({{1, 2, 3}, {2, 1, 2}, {3, 2, 0}}));
    const linear_system other = with_solution_ones(from_rows({{3, 1}, {0, 3}}));
    for (const method m : {method::refine, method::gmres_ir}) {
        for (const long factors : {24L, 53L, 106L, 212L}) {
            const auto kind = [&](const linear_system& system, preconditioner asked) {
                solve_options options;
                options.method = m;
                options.precision_bits = 212;
                options.factor_bits = factors;
                options.preconditioner = asked;
                const solve_result result = solve(system, options);
                EXPECT_EQ(result.report.status, solve_status::converged) << result.report.message;
                EXPECT_EQ(result.report.factor_bits, factors);
                EXPECT_LE(distance_from_ones(result.x), real(1e-50));
                return result.report.preconditioner;
            };
            EXPECT_EQ(kind(indefinite, preconditioner::automatic), preconditioner::ldl);
            EXPECT_EQ(kind(definite, preconditioner::automatic), preconditioner::cholesky);
            EXPECT_EQ(kind(dense, preconditioner::automatic), preconditioner::ldl);
            for (const linear_system* each : {&indefinite, &definite, &dense}) {
                EXPECT_EQ(kind(*each, preconditioner::lu), preconditioner::lu);
                EXPECT_EQ(kind(*each, preconditioner::ldl), preconditioner::ldl);
            }
            EXPECT_EQ(kind(definite, preconditioner::cholesky), preconditioner::cholesky);

            solve_options options = with(m, 0, preconditioner::cholesky);
            options.precision_bits = 212;
            options.factor_bits = factors;
            const solve_report none = solve(indefinite, options).report;
            EXPECT_EQ(none.status, solve_status::breakdown);
            EXPECT_EQ(none.preconditioner, preconditioner::cholesky);
            EXPECT_NE(none.message.find("not positive definite"), std::string::npos) << none.message;
        }
        EXPECT_THROW(solve(other, with(m, 16, preconditioner::ldl)), unsupported_error);
    }
    EXPECT_THROW(solve(indefinite, with(method::cg, 16, preconditioner::ldl)), unsupported_error);
}

TEST(ldl_factors_test, of_fewer_bits_than_binary32_are_in_binary32)
{
    const linear_system sparse = system_with_ones(shifted_grid(15, 15, 1.53));
    const linear_system dense = with_solution_ones(from_rows({{1, 2, 3}, {2, 1, 2}, {3, 2, 0}}));
    for (const method m : {method::refine, method::gmres_ir}) {
        for (const auto& [system, asked] :
             {std::pair{&sparse, preconditioner::automatic}, std::pair{&sparse, preconditioner::ldl},
              std::pair{&dense, preconditioner::ldl}}) {
            solve_options options = with(m, 30, asked);
            options.factor_bits = 11;
            const solve_result result = solve(*system, options);
            EXPECT_EQ(result.report.status, solve_status::converged) << result.report.message;
            EXPECT_EQ(result.report.preconditioner, preconditioner::ldl);
            EXPECT_EQ(result.report.factor_bits, 24);
            EXPECT_LE(distance_from_ones(result.x), real(1e-30));
        }
    }
}

TEST(ldl_factors_test, follow_on_cholesky_factors_that_there_are_not)
{
    sparse_matrix a = shifted_grid(20, 20, 1.53);  // a positive diagonal
    const scaled_matrix m = scale(system_with_ones(a), true);
    EXPECT_EQ(kinds_of_factors(m), (std::vector{factor_kind::cholesky, factor_kind::ldl}));
    const solve_result result = solve(system_with_ones(a), with(method::refine, 16));
    EXPECT_EQ(result.report.preconditioner, preconditioner::ldl);

    a = saddle_point(6, 8, 1);
    EXPECT_EQ(kinds_of_factors(scale(system_with_ones(a), true)), std::vector{factor_kind::ldl});
    EXPECT_EQ(kinds_of_factors(scale(system_with_ones(a), false)), std::vector{factor_kind::lu});
}

TEST(ldl_factors_test, are_predicted_to_take_half)
{
    const sparse_matrix a = shifted_grid(60, 60, 1.53);
    const scaled_matrix m = scale(system_with_ones(a), true);
    sparse_analyses analyses;
    for (const long bits : {24L, 53L, 106L}) {
        const factor_need ldl = need_of_factors(work_of_factors(m, analyses, {}), bits);
        const factor_need lu =
            need_of_factors(work_of_factors(m, analyses, with(method::refine, 16, preconditioner::lu)), bits);
        EXPECT_LT(ldl.seconds, 0.7 * lu.seconds);
        EXPECT_LT(ldl.bytes, 0.8 * lu.bytes);
    }
}

TEST(ldl_factors_test, have_one_inertia_and_one_determinant)
{
    for (const auto& [name, a] : indefinite_matrices()) {
        SCOPED_TRACE(name);
        solver by_binary64(system_with_ones(a)),
            by_lu(system_with_ones(a), with(method::refine, 16, preconditioner::lu));
        const auto one = by_binary64.inertia(), other = by_lu.inertia();
        ASSERT_TRUE(one && other);
        EXPECT_EQ(one->positive, other->positive);
        EXPECT_EQ(one->negative, other->negative);
        EXPECT_EQ(one->positive + one->negative, a.rows);
        EXPECT_GT(one->negative, 0);
        const auto of_ldl = by_binary64.determinant(), of_lu = by_lu.determinant();
        ASSERT_TRUE(of_ldl && of_lu);
        EXPECT_LE(abs(of_ldl->value - of_lu->value),
                  (of_ldl->relative_error + of_lu->relative_error) * abs(of_lu->value));
    }
}

TEST(ldl_factors_test, bits_do_not_depend_on_threads)
{
    const linear_system system = system_with_ones(shifted_grid(60, 60, 1.53));
    const int before = omp_get_max_threads();
    for (const method m : {method::refine, method::gmres_ir, method::gmres}) {
        std::vector<std::vector<real>> x;
        for (const int threads : {1, 2}) {
            omp_set_num_threads(threads);
            x.push_back(solve(system, with(m, 30, preconditioner::ldl)).x);
        }
        EXPECT_EQ(x.front(), x.back());
    }
    omp_set_num_threads(before);
}

TEST(ldl_factors_test, of_a_matrix_that_a_unit_makes_singular_need_more_bits)
{
    // D A D with signs D, A the Laplacian of a ring, which is singular
    const index_t n = 60;
    symmetric_entries ring{n};
    for (index_t i = 0; i < n; ++i) {
        ring.set(i, i, 2.0);
        ring.set(i, (i + 1) % n, 1.0);
    }
    sparse_matrix a = ring.rows();
    const solve_result singular = solve(system_with_ones(a), with(method::refine, 16));  // ones are the shortest x
    EXPECT_EQ(singular.report.status, solve_status::converged) << singular.report.message;
    EXPECT_EQ(singular.report.rank, n - 1);
    EXPECT_LE(distance_from_ones(singular.x), real(1e-16));

    ring.set(n - 1, n - 1, 2.0 - 0x1p-52);  // a unit less: the determinant is -2^-52 n
    a = ring.rows();
    for (const method m : {method::refine, method::gmres_ir, method::automatic}) {
        const solve_result result = solve(system_with_ones(a), with(m, 16));
        EXPECT_EQ(result.report.status, solve_status::converged) << result.report.message;
        EXPECT_GE(result.report.digits, 16);
        EXPECT_LE(distance_from_ones(result.x), real(1e-16));
    }
    const auto signs = solver(system_with_ones(a)).inertia();
    ASSERT_TRUE(signs.has_value());
    EXPECT_EQ(signs->negative, 1);
    EXPECT_EQ(signs->positive, n - 1);
}

TEST(ldl_factors_test, scales_that_the_analysis_cuts_give_no_wrong_result)
{
    // Pairs [0, 2^e; 2^e, 0] in a chain of ones: a condition of 2^(e n / 2) or so, and matched entries are of size 1 by scales that
    // grow by 2^e from pair to pair, up to 2^(e n / 4). The determinant is that of the pairs.
    const auto check = [](index_t n, int e) {
        SCOPED_TRACE(std::to_string(n) + ", " + std::to_string(e));
        symmetric_entries a{n};
        for (index_t i = 0; i < n; i += 2) {
            a.set(i, i + 1, std::ldexp(1.0, e));
            if (i > 0) {
                a.set(i - 1, i, 1.0);
            }
        }
        const linear_system system = system_with_ones(a.rows());
        for (const preconditioner p : {preconditioner::ldl, preconditioner::lu}) {
            const solve_result result = solve(system, with(method::refine, 16, p));
            const int true_digits =
                is_zero(distance_from_ones(result.x))
                    ? 10000
                    : std::max(0, static_cast<int>(to_double(-log10(distance_from_ones(result.x)))));
            EXPECT_LE(result.report.digits, true_digits);
            EXPECT_EQ(result.report.status == solve_status::converged, result.report.digits >= 16);
            solver known(system, with(method::refine, 16, p));
            if (const auto found = known.determinant()) {
                const real det = ldexp(real(n / 2 % 2 == 0 ? 1.0 : -1.0), static_cast<long>(e) * n);
                EXPECT_LE(abs(found->value / det - real(1.0)), found->relative_error);
            }
            if (const auto found = known.inertia()) {
                EXPECT_EQ(found->positive, n / 2);
                EXPECT_EQ(found->negative, n / 2);
            }
        }
        return solver(system).inertia().has_value();
    };
    EXPECT_TRUE(check(60, -20));
    EXPECT_TRUE(check(70, -20));  // scales of 2^350 are cut to 2^300
    EXPECT_TRUE(check(78, -20));
    for (const int e : {-20, -40, -100}) {
        check(120, e);
    }
    // to be scaled row by row before, or what is left after the first pivot is no number of binary64
    symmetric_entries two{2};
    two.set(0, 0, 0x1p600);
    two.set(0, 1, 0x1p-600);
    const solve_result result = solve(system_with_ones(two.rows()), with(method::refine, 16));
    EXPECT_EQ(result.report.status, solve_status::converged) << result.report.message;
    EXPECT_LE(distance_from_ones(result.x), real(1e-16));
}
