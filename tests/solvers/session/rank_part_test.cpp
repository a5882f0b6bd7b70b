// Ranks that a part of the matrix shows, against exact rational arithmetic.
#include <residua/solvers/session/rank_part.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/solver.hpp>
#include <tests/support/rational_matrix.hpp>

namespace residua {
namespace {

using namespace residua::support;

constexpr int digits = 25;

/// [H B'; B 0]
rational_matrix saddle(const rational_matrix& h, const rational_matrix& b)
{
    const std::size_t n = h.size();
    rational_matrix a(n + b.size(), rational_vector(n + b.size()));
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            a[i][j] = h[i][j];
        }
        for (std::size_t k = 0; k < b.size(); ++k) {
            a[n + k][i] = a[i][n + k] = b[k][i];
        }
    }
    return a;
}

/// Differences between the pressures of edges, which vanish for constants on each connected set of them.
rational_matrix differences(random_integers& random, std::size_t pressures, std::size_t edges)
{
    rational_matrix b(pressures, rational_vector(edges));
    for (std::size_t e = 0; e < edges; ++e) {
        const auto p = static_cast<std::size_t>(random.below(static_cast<int>(pressures)));
        const auto q = static_cast<std::size_t>(random.below(static_cast<int>(pressures)));
        const int weight = 1 + random.below(5);
        b[p][e] += weight;
        b[q][e] -= weight;
    }
    return b;
}

/// A diagonal with entries from 2^-50 to 1, as inverses of weights are.
rational_matrix spread_diagonal(random_integers& random, std::size_t n)
{
    rational_matrix d(n, rational_vector(n));
    for (std::size_t i = 0; i < n; ++i) {
        d[i][i] = mpq_class(2 * random.below(20) + 1) / (mpz_class(1) << random.below(50));
    }
    return d;
}

template <class Show>
std::optional<known_rank> shown(const Show& show, const rational_matrix& a)
{
    const linear_system system = system_of(a, {});
    const solve_options options{.digits = digits};
    const solve_clock clock(options);
    return show(system, inspect(system), options, clock, digits);
}

std::size_t true_rank(rational_matrix a) { return reduce(a).size(); }

void expect_solved(const rational_matrix& a, const rational_vector& b, const std::string& what)
{
    const judgement truth = judge_exactly(a, b);
    const solve_result result = solve(system_of(a, b), {.digits = digits});
    const solve_report& report = result.report;
    const bool singular = truth.rank < a.size();
    EXPECT_EQ(report.status, truth.in_range ? solve_status::converged : solve_status::breakdown)
        << what << ": " << report.message;
    EXPECT_EQ(report.rank, singular ? std::optional(static_cast<index_t>(truth.rank)) : std::nullopt)
        << what << ": " << report.message;
    EXPECT_EQ(report.digits >= digits, truth.in_range) << what << ": " << report.message;
    EXPECT_LE(relative_error(result.x, truth.x), std::pow(10.0, -std::max(report.digits, digits))) << what;
}

TEST(rank_part_test, a_flow_whose_pressure_is_free)
{
    const rational_matrix a = saddle({{2, -1}, {-1, 2}}, {{1, 0}, {-1, 1}, {0, -1}});
    const std::optional<known_rank> known = shown(show_rank_by_sums, a);

    ASSERT_TRUE(known);
    EXPECT_EQ(known->rank(), 4);
    EXPECT_EQ(known->floating.size(), 1U);
    EXPECT_EQ(words_about(*known), "the 3 rows that are connected with row 3 sum to zero");
    expect_solved(a, {1, 2, 3, -1, -2}, "in the range");
    expect_solved(a, {1, 2, 3, -1, 0}, "not in the range");
}

TEST(rank_part_test, free_pressures_of_random_flows_and_augmented_systems_with_spread_weights)
{
    random_integers random{{21}};
    int found = 0;
    for (int k = 0; k < 150; ++k) {
        const auto pressures = static_cast<std::size_t>(1 + random.below(6));
        const auto unknowns = static_cast<std::size_t>(1 + random.below(9));
        rational_matrix h = spread_diagonal(random, unknowns);
        if (k % 3 == 0) {  // which may be singular
            const rational_matrix half = random.matrix(unknowns, unknowns, 3, 5);
            h = product(half, transposed(half));
        }
        rational_matrix b = differences(random, pressures, unknowns);
        if (k % 5 == 4) {  // a row that depends on the others in another way
            b.push_back(b[0]);
            b.back()[0] += k % 2;
        }
        const rational_matrix a = saddle(h, b);
        const std::string what = "number " + std::to_string(k);
        if (const std::optional<known_rank> known = shown(show_rank_by_sums, a)) {
            EXPECT_EQ(known->rank(), static_cast<index_t>(true_rank(a))) << what;
            ++found;
        }
        rational_vector rhs = transposed(random.matrix(a.size(), 1, 9, 1))[0];
        if (k % 2 == 0) {
            rhs = transposed(product(a, random.matrix(a.size(), 1, 9, 1)))[0];
        }
        if (std::any_of(rhs.begin(), rhs.end(), [](const mpq_class& x) { return x != 0; })) {
            expect_solved(a, rhs, what);
        }
    }
    EXPECT_GT(found, 60);
}

TEST(rank_part_test, constraints_that_depend_on_others)
{
    random_integers random{{22}};
    int found = 0;
    for (int k = 0; k < 150; ++k) {
        const auto unknowns = static_cast<std::size_t>(2 + random.below(9));
        const auto rows = static_cast<std::size_t>(1 + random.below(6));
        const auto rank = static_cast<std::size_t>(1 + random.below(static_cast<int>(std::min(rows, unknowns))));
        rational_matrix h = spread_diagonal(random, unknowns);
        if (k % 3 == 0) {
            const rational_matrix half = random.matrix(unknowns, unknowns, 3, 5);
            h = product(half, transposed(half));
        }
        const rational_matrix b = product(random.matrix(rows, rank, 4, 3), random.matrix(rank, unknowns, 4, 3));
        const rational_matrix a = saddle(h, b);
        if (const std::optional<known_rank> known = shown(show_rank_by_constraints, a)) {
            EXPECT_EQ(known->rank(), static_cast<index_t>(true_rank(a))) << "number " << k;
            EXPECT_TRUE(known->floating.empty());
            ++found;
        }
    }
    EXPECT_GT(found, 40);
}

TEST(rank_part_test, what_is_not_shown_is_not_claimed)
{
    // constants are in the null space, and (1, -1, 0, 0, 0) beside them
    const rational_matrix more = {
        {1, 1, 0, 1, -1}, {1, 1, 0, 1, -1}, {0, 0, 2, 1, -1}, {1, 1, 1, 0, 0}, {-1, -1, -1, 0, 0}};
    EXPECT_EQ(true_rank(more), 3U);
    EXPECT_FALSE(shown(show_rank_by_sums, more));
    EXPECT_FALSE(shown(show_rank_by_constraints, more));
    // an entry of 2^-60 makes it nonsingular: sums are exact
    const mpq_class small = mpq_class(1) / (mpz_class(1) << 60);
    const rational_matrix nearly = saddle({{2, -1}, {-1, 2}}, {{1, 0}, {-1, 1}, {small, -1}});
    EXPECT_EQ(true_rank(nearly), 4U);
    EXPECT_FALSE(shown(show_rank_by_sums, nearly));
    EXPECT_FALSE(shown(show_rank_by_sums, {{1, -1, 0}, {0, 1, -1}, {-1, 0, 1}})) << "not symmetric";
}

/// The unknowns of a flow on a grid of n x n cells: velocities across inner sides, then pressures.
linear_system stokes(index_t n)
{
    io::coo<double> a;
    const auto put = [&](index_t i, index_t j, double x) {
        a.row.push_back(i);
        a.col.push_back(j);
        a.value.push_back(x);
        if (i != j) {
            a.row.push_back(j);
            a.col.push_back(i);
            a.value.push_back(x);
        }
    };
    const index_t across = n * (n - 1);  // velocities in one direction
    const index_t pressures = 2 * across;
    for (index_t direction = 0; direction < 2; ++direction) {
        const auto at = [&](index_t p, index_t q) { return direction * across + q * (n - 1) + p; };
        for (index_t q = 0; q < n; ++q) {
            for (index_t p = 0; p + 1 < n; ++p) {
                put(at(p, q), at(p, q), 4.0);
                if (p + 2 < n) {
                    put(at(p + 1, q), at(p, q), -1.0);
                }
                if (q + 1 < n) {
                    put(at(p, q + 1), at(p, q), -1.0);
                }
                const index_t cell = direction == 0 ? q * n + p : p * n + q;
                put(pressures + cell, at(p, q), -1.0);
                put(pressures + cell + (direction == 0 ? 1 : n), at(p, q), 1.0);
            }
        }
    }
    a.rows = a.cols = pressures + n * n;
    return make_system(a, {});
}

TEST(rank_part_test, a_flow_on_a_grid_beyond_elimination)
{
    linear_system system = stokes(128);
    std::vector<real> x;  // without a mean of the pressures
    for (index_t i = 0; i < system.cols; ++i) {
        x.emplace_back(i + 128 * 128 < system.cols ? static_cast<double>(i % 7) : i % 2 == 0 ? 1.0 : -1.0);
    }
    std::vector<real> b;
    for (index_t i = 0; i < system.rows; ++i) {
        real sum(0.0);
        for (index_t k = system.row_begin[i]; k < system.row_begin[i + 1]; ++k) {
            sum = sum + real(system.values[k]) * x[static_cast<std::size_t>(system.column[k])];
        }
        b.push_back(sum);
    }
    solver by(system, {.digits = 30});
    const solve_result result = by.solve(b);
    EXPECT_EQ(result.report.status, solve_status::converged) << result.report.message;
    EXPECT_EQ(result.report.nullity, 1) << result.report.message;
    EXPECT_GE(result.report.digits, 30);
    for (std::size_t i = 0; i < x.size(); ++i) {
        ASSERT_LT(abs(result.x[i] - x[i]), real(6e-30)) << i;
    }
    ASSERT_TRUE(by.inertia());
    EXPECT_EQ(by.inertia()->zero, 1);
    EXPECT_EQ(by.inertia()->negative, 128 * 128 - 1);
    ASSERT_TRUE(by.null_space());
    EXPECT_EQ(by.null_space()->rank.source, rank_source::part);
    EXPECT_LT(abs(abs(by.null_space()->vectors[0].back()) - real(1.0 / 128)), real(1e-30));
}

}  // namespace
}  // namespace residua
