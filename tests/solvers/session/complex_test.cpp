// Complex systems through the solver, against exact rational arithmetic of their real forms.
#include <residua/solvers/solver.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <filesystem>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <residua/arith/complex/complex.hpp>
#include <residua/solvers/matrix/complex_form.hpp>
#include <residua/solvers/options/methods.hpp>
#include <residua/solvers/precond/factors.hpp>
#include <tests/support/complex_matrices.hpp>

namespace residua {
namespace {

using namespace residua::support;
using z = std::complex<double>;

/// [2 i; -i 3], hermitian and definite, and x = (1 + i, 2)
const std::vector<z> definite_matrix{{2, 0}, {0, 1}, {0, -1}, {3, 0}};

linear_system definite_system()
{
    return make_system(dense_view<z>{2, 2, definite_matrix}, std::vector<z>{{2, 4}, {7, -1}});
}

TEST(complex_test, a_system_that_can_be_checked_by_hand)
{
    solver by(definite_system(), {.digits = 40});
    const solve_result result = by.solve(std::vector<z>{{2, 4}, {7, -1}});

    EXPECT_EQ(result.report.status, solve_status::converged) << result.report.message;
    EXPECT_TRUE(result.report.complex);
    EXPECT_GE(result.report.digits, 40);
    const std::vector<complex_number<real>> x = complex_numbers(result.x);
    const real tiny(1e-40);
    EXPECT_LT(abs(x[0].real() - real(1.0)), tiny);
    EXPECT_LT(abs(x[0].imag() - real(1.0)), tiny);
    EXPECT_LT(abs(x[1].real() - real(2.0)), tiny);
    EXPECT_LT(abs(x[1].imag()), tiny);
    EXPECT_EQ(by.inertia()->positive, 2);
    EXPECT_EQ(by.inertia()->negative, 0);
    EXPECT_LT(abs(by.determinant()->value - real(5.0)), real(1e-30));
    EXPECT_FALSE(by.determinant()->parts);
    EXPECT_EQ(by.rank()->rank, 2);
    EXPECT_TRUE(by.null_space()->vectors.empty());
    EXPECT_EQ(solve(definite_system(), {.digits = 40}).x, result.x);
}

TEST(complex_test, matrices_of_any_rank_and_shape)
{
    random_integers random{{3}};
    for (int k = 0; k < 120; ++k) {
        const auto n = static_cast<std::size_t>(1 + random.below(6));
        const auto m = k % 3 == 0 ? static_cast<std::size_t>(1 + random.below(6)) : n;
        const auto rank = static_cast<std::size_t>(1 + random.below(static_cast<int>(std::min(m, n))));
        const rational_matrix a = product(random_form(random, m, rank), random_form(random, rank, n));
        rational_vector b = times(a, some_vector(random, 2 * n));
        b[0] += random.below(2);
        const judgement truth = judge_exactly(a, b);
        const std::string what = "number " + std::to_string(k);
        solver by(complex_system(a, b), {.digits = 20});
        const solve_result result = by.solve(as_reals(b));
        const solve_report& report = result.report;
        ASSERT_TRUE(by.rank()) << what;
        EXPECT_EQ(2 * by.rank()->rank, static_cast<index_t>(truth.rank)) << what;
        EXPECT_EQ(by.rank()->nullity, static_cast<index_t>(n - truth.rank / 2)) << what;
        if (report.rank) {
            EXPECT_EQ(2 * *report.rank, static_cast<index_t>(truth.rank)) << what;
            EXPECT_EQ(report.nullity, static_cast<index_t>(n - truth.rank / 2)) << what;
        }
        const bool solved = m != n || truth.rank == 2 * n || truth.in_range;
        EXPECT_EQ(report.status, solved ? solve_status::converged : solve_status::breakdown) << what << report.message;
        if (solved) {
            EXPECT_LE(relative_error(result.x, truth.x), 1e-20) << what << ": " << report.message;
        }
    }
}

TEST(complex_test, null_spaces_are_of_orthonormal_complex_vectors)
{
    random_integers random{{4}};
    constexpr long bits = 400;
    for (int k = 0; k < 60; ++k) {
        const auto m = static_cast<std::size_t>(2 + random.below(5));
        const auto n = static_cast<std::size_t>(2 + random.below(5));
        const auto rank = static_cast<std::size_t>(1 + random.below(static_cast<int>(std::min(m, n))));
        const rational_matrix a = product(random_form(random, m, rank), random_form(random, rank, n));
        rational_matrix reduced = a;
        const std::size_t nullity = n - reduce(reduced).size() / 2;
        const std::optional<null_space_basis> found = solver(complex_system(a, {}), {.digits = 30}).null_space();
        ASSERT_TRUE(found) << k;
        ASSERT_EQ(found->vectors.size(), nullity) << k;
        EXPECT_EQ(found->rank.nullity, static_cast<index_t>(nullity)) << k;
        EXPECT_GE(found->digits, 30) << k;
        const real tiny(1e-28);
        for (std::size_t p = 0; p < nullity; ++p) {
            const std::vector<real>& v = found->vectors[p];
            ASSERT_EQ(v.size(), 2 * n);
            for (const rational_vector& row : a) {
                real dot(0.0, bits);
                for (std::size_t j = 0; j < v.size(); ++j) {
                    dot = dot + to_real(row[j], bits) * v[j];
                }
                EXPECT_LT(abs(dot), tiny) << k;
            }
            for (std::size_t q = 0; q <= p; ++q) {  // v^H w = v.w + i (Jv).w
                const std::vector<real> image = times_i(v);
                real re(0.0, bits), im(0.0, bits);
                for (std::size_t j = 0; j < v.size(); ++j) {
                    re = re + v[j] * found->vectors[q][j];
                    im = im + image[j] * found->vectors[q][j];
                }
                EXPECT_LT(abs(re - real(p == q ? 1.0 : 0.0)), tiny) << k;
                EXPECT_LT(abs(im), tiny) << k;
            }
        }
    }
}

TEST(complex_test, determinants_and_inertia_of_hermitian_matrices)
{
    random_integers random{{5}};
    for (int k = 0; k < 40; ++k) {
        const auto n = static_cast<std::size_t>(1 + random.below(6));
        rational_matrix unit = random_form(random, n, n);  // of determinant 1: upper triangular with a diagonal of ones
        rational_matrix d(2 * n, rational_vector(2 * n));
        int positive = 0, negative = 0, zero = 0;
        mpq_class determinant = 1;
        for (std::size_t i = 0; i < 2 * n; ++i) {
            for (std::size_t j = 0; j <= i / 2; ++j) {
                unit[i][2 * j] = unit[i][2 * j + 1] = 0;
            }
            unit[i][i] = 1;
        }
        for (std::size_t i = 0; i < n; ++i) {
            const int pivot = random.below(k % 4 == 0 ? 7 : 6) - 3 + (k % 4 == 0 ? 0 : 4);
            const int signed_pivot = random.below(2) == 0 ? pivot : -pivot;
            d[2 * i][2 * i] = d[2 * i + 1][2 * i + 1] = signed_pivot;
            determinant *= signed_pivot;
            ++(signed_pivot > 0 ? positive : signed_pivot < 0 ? negative : zero);
        }
        const rational_matrix a = product(transposed(unit), product(d, unit));
        solver by(complex_system(a, {}), {.digits = 20});
        const std::optional<inertia> signs = by.inertia();
        ASSERT_TRUE(signs) << k;
        EXPECT_EQ(std::tuple(signs->positive, signs->negative, signs->zero), std::tuple(positive, negative, zero)) << k;
        const std::optional<determinant_estimate> found = by.determinant();
        ASSERT_TRUE(found) << k;
        EXPECT_FALSE(found->parts) << k;
        const real exact = to_real(determinant, 400);
        EXPECT_LE(abs(found->value - exact), found->relative_error * abs(exact)) << k;
        EXPECT_EQ(by.rank()->nullity, zero) << k;
    }
}

TEST(complex_test, determinants_of_other_matrices_are_complex)
{
    // det [3 + 4i, 1; 0, 2] = 6 + 8i
    const std::vector<z> a{{3, 4}, {1, 0}, {0, 0}, {2, 0}};
    solver by(make_system(dense_view<z>{2, 2, a}), {.digits = 30});
    const std::optional<determinant_estimate> found = by.determinant();
    ASSERT_TRUE(found);
    ASSERT_TRUE(found->parts);
    EXPECT_LT(abs(found->parts->first - real(6.0)), real(1e-28));
    EXPECT_LT(abs(found->parts->second - real(8.0)), real(1e-28));
    EXPECT_LT(abs(found->value - real(10.0)), real(1e-28));
    try {
        by.inertia();
        FAIL();
    } catch (const unsupported_error& e) {
        EXPECT_EQ(std::string(e.what()), "inertia needs a hermitian matrix, and this one is not");
    }
    const std::vector<z> singular{{1, 1}, {2, 2}, {0, 1}, {0, 2}};
    const std::optional<determinant_estimate> none = solver(make_system(dense_view<z>{2, 2, singular})).determinant();
    ASSERT_TRUE(none);
    EXPECT_TRUE(is_zero(none->value));
    EXPECT_FALSE(none->parts);
}

TEST(complex_test, determinants_of_sparse_matrices)
{
    random_integers random{{8}};
    int known = 0;
    for (int k = 0; k < 40; ++k) {
        const auto n = static_cast<std::size_t>(12 + random.below(12));
        rational_matrix a = random_form(random, n, n, 60);
        for (std::size_t i = 0; i < n; ++i) {  // some whose diagonal is in other places
            const std::size_t j = k % 2 == 0 ? i : (5 * i + 3) % n;
            const int re = random.below(9) - 4, im = re == 0 ? 3 : random.below(5) * (k % 3);
            a[2 * i][2 * j] = a[2 * i + 1][2 * j + 1] = re;
            a[2 * i + 1][2 * j] = im;
            a[2 * i][2 * j + 1] = -im;
        }
        if (k % 5 == 0) {  // a condition beyond binary64, whose numbers it holds
            for (std::size_t j = 0; j < 2 * n; ++j) {
                for (const std::size_t part : {0, 1}) {
                    a[2 + part][j] += a[part][j] * mpq_class(0x1p49);
                }
            }
        }
        const linear_system system = complex_system(a, {});
        EXPECT_FALSE(takes_dense_factors(system.rows, system.column.size())) << k;
        const auto [re, im] = complex_determinant(a);
        const std::optional<determinant_estimate> found = solver(system, {.digits = 20}).determinant();
        if (re == 0 && im == 0) {
            EXPECT_TRUE(!found || is_zero(found->value)) << k;
        } else if (im == 0 && found && !found->parts) {
            EXPECT_LE(abs(found->value - to_real(re, 400)), found->relative_error * abs(to_real(re, 400))) << k;
        } else {
            ASSERT_TRUE(found) << k;
            EXPECT_TRUE(is_true(*found, a)) << k;
            EXPECT_LE(found->relative_error, real(1e-20)) << k;
            ++known;
        }
    }
    EXPECT_GT(known, 25);
}

TEST(complex_test, entries_of_the_inverse)
{
    // inverse([2, i; 0, 4i]) = [1/2, -1/8; 0, -i/4]
    const std::vector<z> a{{2, 0}, {0, 1}, {0, 0}, {0, 4}};
    solver by(make_system(dense_view<z>{2, 2, a}), {.digits = 20});
    const std::vector<inverse_entry> found = by.inverse_entries({{0, 1}, {1, 1}, {0, 0}});
    ASSERT_EQ(found.size(), 3U);
    const real tiny(1e-20);
    EXPECT_LT(abs(found[0].value + real(0.125)), tiny);
    EXPECT_LT(abs(found[0].imaginary), tiny);
    EXPECT_LT(abs(found[1].value), tiny);
    EXPECT_LT(abs(found[1].imaginary + real(0.25)), tiny);
    EXPECT_LT(abs(found[2].value - real(0.5)), tiny);
    EXPECT_LT(*found[1].error, tiny);
    EXPECT_THROW(by.inverse_entries({{2, 0}}), dimension_error);
}

TEST(complex_test, the_transpose_is_conjugated)
{
    // [1, 0; i, 2]^H x = b with x = (1, i): b = (1 - i i, 2 i) = (2, 2i)
    const std::vector<z> a{{1, 0}, {0, 0}, {0, 1}, {2, 0}};
    solver by(make_system(dense_view<z>{2, 2, a}), {.digits = 25});
    const solve_result result = by.solve_transposed(std::vector<z>{{2, 0}, {0, 2}});
    EXPECT_TRUE(result.report.complex);
    const std::vector<real> wanted{real(1.0), real(0.0), real(0.0), real(1.0)};
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_LT(abs(result.x[i] - wanted[i]), real(1e-25)) << i;
    }
}

TEST(complex_test, the_condition_is_that_of_the_real_form)
{
    const std::vector<z> diagonal{{1, 0}, {0, 0}, {0, 0}, {0, 8}};
    EXPECT_EQ(solver(make_system(dense_view<z>{2, 2, diagonal})).condition()->condition, real(8.0));
    // Columns of parts 3 and 4 have a sum of 7, and an absolute value of 5; sqrt(2) is the most.
    const std::vector<z> turned{{3, 4}, {0, 0}, {0, 0}, {1, 0}};
    const double condition = to_double(solver(make_system(dense_view<z>{2, 2, turned})).condition()->condition);
    EXPECT_GE(condition, 5.0);
    EXPECT_LE(condition, 2.0 * 5.0);
}

TEST(complex_test, several_right_hand_sides_get_what_each_gets_alone)
{
    random_integers random{{6}};
    const rational_matrix a =
        sum(random_form(random, 7, 7), form_of(laplacian(7, {{0, 3}, {2, 5}}), rational_matrix(7, rational_vector(7))));
    std::vector<std::vector<real>> b;
    for (int k = 0; k < 3; ++k) {
        b.push_back(as_reals(some_vector(random, 14)));
    }
    const linear_system system = complex_system(a, {});
    for (const method m : {method::automatic, method::direct, method::refine, method::gmres}) {
        const solve_options options{.method = m, .digits = 30};
        const std::vector<solve_result> together = solver(system, options).solve(b);
        ASSERT_EQ(together.size(), b.size());
        for (std::size_t k = 0; k < b.size(); ++k) {
            EXPECT_EQ(together[k].x, solver(system, options).solve(b[k]).x) << to_string(m) << ' ' << k;
            EXPECT_TRUE(together[k].report.complex);
        }
    }
}

TEST(complex_test, every_method_solves_a_system_that_it_is_for)
{
    random_integers random{{7}};
    const rational_matrix half = random_form(random, 6, 6);
    rational_matrix definite = product(transposed(half), half);
    for (std::size_t i = 0; i < definite.size(); ++i) {
        definite[i][i] += 20;
    }
    rational_matrix turned = definite;  // definite + i 15: normal, and not hermitian
    for (std::size_t i = 0; i < turned.size(); i += 2) {
        turned[i][i + 1] -= 15;
        turned[i + 1][i] += 15;
    }
    rational_matrix symmetric = turned;  // its real parts, each for (i, j) and for (j, i), and i 15
    for (std::size_t i = 0; i < symmetric.size(); ++i) {
        for (std::size_t j = 0; j < symmetric.size(); ++j) {
            if (i / 2 != j / 2 && (i + j) % 2 != 0) {
                symmetric[i][j] = 0;
            }
        }
    }
    const rational_vector x = some_vector(random, 12);
    for (const method_traits& traits : all_methods()) {
        for (const rational_matrix& a : {definite, turned, symmetric}) {
            if (traits.symmetric && a != (traits.complex_symmetric ? symmetric : definite)) {
                EXPECT_THROW(solve(complex_system(a, times(a, x)), {.method = traits.method}), unsupported_error);
                continue;
            }
            const linear_system system = complex_system(a, times(a, x));
            const solve_result result = solve(system, {.method = traits.method, .digits = 30});
            EXPECT_EQ(result.report.status, solve_status::converged) << traits.name << ": " << result.report.message;
            EXPECT_EQ(result.report.method, traits.method);
            EXPECT_GE(result.report.digits, 30) << traits.name;
            EXPECT_LE(relative_error(result.x, x), 1e-30) << traits.name;
        }
    }
}

TEST(complex_test, refuses_what_is_no_complex_system)
{
    solver by(definite_system());
    EXPECT_THROW(by.solve(std::vector<z>{{1, 0}}), dimension_error);
    linear_system odd = system_of({{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {1, 1, 1});
    odd.complex = true;
    EXPECT_THROW(solver{odd}, dimension_error);
    odd = system_of({{1, 0, 0}, {0, 1, 0}}, {1, 1});
    odd.complex = true;
    EXPECT_THROW(solve(odd), dimension_error);
}

}  // namespace
}  // namespace residua
