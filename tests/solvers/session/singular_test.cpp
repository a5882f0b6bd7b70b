// Singular systems against exact rational arithmetic: rank, range, the shortest solution, and what is said of them.
#include <residua/solvers/solver.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gmpxx.h>
#include <gtest/gtest.h>

#include <residua/arith/base/random.hpp>
#include <residua/solvers/session/analyze.hpp>

namespace residua {
namespace {

using rational_matrix = std::vector<std::vector<mpq_class>>;
using rational_vector = std::vector<mpq_class>;

/// The reduced row echelon form, and the columns of its pivots.
std::vector<std::size_t> reduce(rational_matrix& a)
{
    std::vector<std::size_t> pivots;
    const std::size_t columns = a.empty() ? 0 : a.front().size();
    for (std::size_t j = 0; j < columns && pivots.size() < a.size(); ++j) {
        const std::size_t k = pivots.size();
        const auto row = std::find_if(a.begin() + static_cast<std::ptrdiff_t>(k), a.end(),
                                      [&](const rational_vector& r) { return r[j] != 0; });
        if (row == a.end()) {
            continue;
        }
        std::swap(*row, a[k]);
        const mpq_class pivot = a[k][j];
        for (mpq_class& x : a[k]) {
            x /= pivot;
        }
        for (std::size_t i = 0; i < a.size(); ++i) {
            if (const mpq_class factor = a[i][j]; i != k && factor != 0) {
                for (std::size_t l = j; l < columns; ++l) {
                    a[i][l] -= factor * a[k][l];
                }
            }
        }
        pivots.push_back(j);
    }
    return pivots;
}

/// X of A X = B, A not singular.
rational_matrix solved(rational_matrix a, const rational_matrix& b)
{
    const std::size_t n = a.size();
    for (std::size_t i = 0; i < n; ++i) {
        a[i].insert(a[i].end(), b[i].begin(), b[i].end());
    }
    reduce(a);
    for (rational_vector& row : a) {
        row.erase(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(n));
    }
    return a;
}

rational_matrix transposed(const rational_matrix& a)
{
    rational_matrix t(a.empty() ? 0 : a.front().size(), rational_vector(a.size()));
    for (std::size_t i = 0; i < a.size(); ++i) {
        for (std::size_t j = 0; j < a[i].size(); ++j) {
            t[j][i] = a[i][j];
        }
    }
    return t;
}

rational_matrix product(const rational_matrix& a, const rational_matrix& b)
{
    rational_matrix c(a.size(), rational_vector(b.empty() ? 0 : b.front().size()));
    for (std::size_t i = 0; i < a.size(); ++i) {
        for (std::size_t k = 0; k < b.size(); ++k) {
            for (std::size_t j = 0; j < b[k].size(); ++j) {
                c[i][j] += a[i][k] * b[k][j];
            }
        }
    }
    return c;
}

/// What exact arithmetic says of A x = b.
struct judgement {
    std::size_t rank = 0;
    bool in_range = false;
    rational_vector x;  ///< the shortest of those that make ||b - A x|| least
};

judgement judge_exactly(const rational_matrix& a, const rational_vector& b)
{
    judgement truth;
    rational_matrix rows = a;
    const std::vector<std::size_t> pivots = reduce(rows);
    truth.rank = pivots.size();
    rational_matrix both = a;
    for (std::size_t i = 0; i < a.size(); ++i) {
        both[i].push_back(b[i]);
    }
    truth.in_range = reduce(both).size() == truth.rank;
    truth.x.assign(a.front().size(), 0);
    if (truth.rank == 0) {
        return truth;
    }
    rational_matrix c;  // A = C F of full rank
    for (const rational_vector& row : a) {
        rational_vector& of = c.emplace_back();
        for (const std::size_t j : pivots) {
            of.push_back(row[j]);
        }
    }
    rows.resize(truth.rank);
    rational_matrix right(b.size(), rational_vector(1));
    for (std::size_t i = 0; i < b.size(); ++i) {
        right[i][0] = b[i];
    }
    const rational_matrix ct = transposed(c);
    const rational_matrix y = solved(product(ct, c), product(ct, right));
    const rational_matrix x = product(transposed(rows), solved(product(rows, transposed(rows)), y));
    for (std::size_t j = 0; j < x.size(); ++j) {
        truth.x[j] = x[j][0];
    }
    return truth;
}

real to_real(const mpq_class& x, long bits)
{
    real value(0.0, bits);
    mpfr_set_q(value.mpfr(), x.get_mpq_t(), MPFR_RNDN);
    return value;
}

/// ||x - x*||_inf / ||x*||_inf; 0 where both are zero.
double relative_error(const std::vector<real>& x, const rational_vector& truth)
{
    constexpr long bits = 2000;
    real error(0.0, bits);
    real size(0.0, bits);
    for (std::size_t i = 0; i < x.size(); ++i) {
        const real exact = to_real(truth[i], bits);
        error = max(error, abs(x[i].with_precision(bits) - exact));
        size = max(size, abs(exact));
    }
    return is_zero(error) ? 0.0 : to_double(error / size);
}

linear_system system_of(const rational_matrix& a, const rational_vector& b)
{
    io::coo<double> entries;
    entries.rows = static_cast<index_t>(a.size());
    entries.cols = static_cast<index_t>(a.front().size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        for (std::size_t j = 0; j < a[i].size(); ++j) {
            if (a[i][j] != 0) {
                entries.row.push_back(static_cast<index_t>(i));
                entries.col.push_back(static_cast<index_t>(j));
                entries.value.push_back(a[i][j].get_d());
            }
        }
    }
    std::vector<real> right;
    for (const mpq_class& x : b) {
        right.push_back(to_real(x, 64));
    }
    return make_system(entries, std::move(right));
}

struct random_integers {
    splitmix64 next;

    int below(int n) { return static_cast<int>(next() % static_cast<std::uint64_t>(n)); }
    rational_matrix matrix(std::size_t rows, std::size_t columns, int most, int zeros)
    {
        rational_matrix a(rows, rational_vector(columns));
        for (rational_vector& row : a) {
            for (mpq_class& x : row) {
                x = below(10) < zeros ? 0 : below(2 * most + 1) - most;
            }
        }
        return a;
    }
};

void expect_true(const rational_matrix& a, const rational_vector& b, const std::string& what, int digits = 20)
{
    const judgement truth = judge_exactly(a, b);
    solve_options options;
    options.digits = digits;
    const linear_system system = system_of(a, b);
    const solve_result result = solve(system, options);
    const solve_report& report = result.report;
    const bool is_zero_b = std::all_of(b.begin(), b.end(), [](const mpq_class& x) { return x == 0; });
    if (truth.rank == a.size()) {
        EXPECT_FALSE(report.rank) << what;
        EXPECT_EQ(report.status, solve_status::converged) << what << ": " << report.message;
    } else {
        if (!is_zero_b) {
            ASSERT_TRUE(report.rank) << what << ": " << report.message;
            EXPECT_EQ(*report.rank, static_cast<index_t>(truth.rank)) << what;
            EXPECT_EQ(report.nullity, static_cast<index_t>(a.size() - truth.rank)) << what;
            EXPECT_EQ(is_zero(*report.part_outside), truth.in_range) << what << ": " << report.message;
        }
        EXPECT_EQ(report.status, truth.in_range ? solve_status::converged : solve_status::breakdown)
            << what << ": " << report.message;
    }
    const bool is_solved = truth.rank == a.size() || truth.in_range;
    EXPECT_EQ(report.digits >= digits, is_solved) << what << ": " << report.message;
    EXPECT_LE(relative_error(result.x, truth.x), std::pow(10.0, -std::max(report.digits, digits))) << what;
}

TEST(singular_test, random_matrices_of_any_rank)
{
    random_integers random{{1}};
    for (int k = 0; k < 300; ++k) {
        const auto n = static_cast<std::size_t>(1 + random.below(9));
        const auto rank = static_cast<std::size_t>(random.below(static_cast<int>(n) + 1));
        const int zeros = random.below(8);
        rational_matrix a = product(random.matrix(n, rank, 5, zeros), random.matrix(rank, n, 5, zeros));
        if (rank == 0) {
            a.assign(n, rational_vector(n));
        }
        if (random.below(3) == 0) {
            const rational_matrix other = transposed(a);
            for (std::size_t i = 0; i < n; ++i) {
                for (std::size_t j = 0; j < n; ++j) {
                    a[i][j] += other[i][j];  // symmetric
                }
            }
        }
        const rational_matrix x = random.matrix(n, 1, 9, 2);
        rational_matrix b = product(a, x);
        if (random.below(2) == 0) {
            b[0][0] += 1;  // outside of the range for most singular matrices
        }
        expect_true(a, transposed(b)[0], "number " + std::to_string(k));
    }
}

/// The Laplacian of edges between n vertices, with weights.
rational_matrix laplacian(std::size_t n, const std::vector<std::pair<std::size_t, std::size_t>>& edges)
{
    rational_matrix a(n, rational_vector(n));
    int weight = 1;
    for (const auto& [i, j] : edges) {
        a[i][i] += weight;
        a[j][j] += weight;
        a[i][j] -= weight;
        a[j][i] -= weight;
        weight = weight % 3 + 1;
    }
    return a;
}

TEST(singular_test, laplacians_of_paths_cycles_forests_and_lone_vertices)
{
    const std::vector<std::pair<std::size_t, std::size_t>> path{{0, 1}, {1, 2}, {2, 3}, {3, 4}};
    const std::vector<std::pair<std::size_t, std::size_t>> cycle{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 0}};
    const std::vector<std::pair<std::size_t, std::size_t>> forest{{0, 3}, {3, 6}, {1, 4}, {2, 5}, {5, 7}};
    for (const auto& [n, edges] : {std::pair(5, path), std::pair(5, cycle), std::pair(9, forest),
                                   std::pair(3, std::vector<std::pair<std::size_t, std::size_t>>{})}) {
        const rational_matrix a = laplacian(static_cast<std::size_t>(n), edges);
        rational_matrix x(a.size(), rational_vector(1));
        for (std::size_t i = 0; i < x.size(); ++i) {
            x[i][0] = static_cast<int>(7 * i % 5) - 2;
        }
        rational_vector b = transposed(product(a, x))[0];
        expect_true(a, b, "consistent " + std::to_string(n));
        b[0] += 1;
        expect_true(a, b, "inconsistent " + std::to_string(n));
        rational_matrix grounded = a;
        for (std::size_t i = 0; i < grounded.size(); ++i) {
            grounded[i][i] += 1;
        }
        expect_true(grounded, b, "grounded " + std::to_string(n));
    }
}

TEST(singular_test, says_which_rows_depend_on_each_other)
{
    const solve_report floating = solve(system_of(laplacian(5, {{0, 2}, {1, 3}, {3, 4}}), {1, 2, -1, 0, -2})).report;
    EXPECT_EQ(floating.message,
              "A is singular, of rank 3 of 5: the 2 rows that are connected with row 1 sum to zero, the first "
              "of 2 such parts; b is in its range, and x is the shortest solution");
    const solve_report dense =
        solve(system_of({{1, 2, 3, 0}, {4, 5, 6, 0}, {0, 1, 1, 1}, {5, 7, 9, 0}}, {1, 1, 1, 3})).report;
    EXPECT_EQ(dense.status, solve_status::breakdown);
    EXPECT_EQ(dense.message.rfind(
                  "A is singular, of rank 3 of 4: rows 1, 2 and 4 are linearly dependent; no x solves A x = b, "
                  "since a part of b is outside of its range",
                  0),
              0U)
        << dense.message;
}

TEST(singular_test, a_condition_beyond_all_factors_is_not_taken_for_singular)
{
    for (const long exponent : {300L, 1200L, 2800L}) {  // [1 1; 1 1 + 2^-exponent] x = (1, 1)
        const real one(1.0);
        const linear_system system = make_system(
            io::coo<real>{
                2, 2, {0, 0, 1, 1}, {0, 1, 0, 1}, {one, one, one, real(1.0, 4000) + ldexp(real(1.0, 4000), -exponent)}},
            {one, one});
        solve_options options;
        options.digits = 16;
        const solve_result result = solve(system, options);
        EXPECT_EQ(result.report.status, solve_status::converged) << exponent << ": " << result.report.message;
        EXPECT_FALSE(result.report.rank);
        EXPECT_GE(result.report.digits, 16) << exponent;
        EXPECT_LT(abs(result.x[0] - one), real(1e-16)) << exponent;
        EXPECT_LT(abs(result.x[1]), real(1e-16)) << exponent;
    }
}

TEST(singular_test, a_solve_that_has_to_end_says_why_and_claims_nothing)
{
    constexpr index_t n = 20000;
    io::coo<double> path{n, n, {}, {}, {}};
    std::vector<real> b(static_cast<std::size_t>(n), real(0.0));
    b.front() = real(1.0);
    b.back() = real(-1.0);
    for (index_t i = 0; i + 1 < n; ++i) {
        for (const auto& [row, column, value] : {std::tuple(i, i, 1.0), std::tuple(i + 1, i + 1, 1.0),
                                                 std::tuple(i, i + 1, -1.0), std::tuple(i + 1, i, -1.0)}) {
            path.row.push_back(row);
            path.col.push_back(column);
            path.value.push_back(value);
        }
    }
    const linear_system system = make_system(path, std::move(b));
    const auto expect = [&](const solve_options& options, solve_status when_ended) {
        const solve_report report = solve(system, options).report;
        const bool solved = report.status == solve_status::converged;
        EXPECT_TRUE(solved || report.status == when_ended) << report.message;
        EXPECT_EQ(report.part_outside.has_value(), solved);
        EXPECT_EQ(report.digits >= 30, solved);
        EXPECT_TRUE(solved || report.digits == 0);
        return solved;
    };
    for (const double seconds : {0.003, 0.01, 0.03, 0.1, 0.3}) {
        expect({.digits = 30, .time_limit_seconds = seconds}, solve_status::time_limit);
    }
    bool solved = false;
    for (int most = 1; !solved; most *= 2) {
        int calls = 0;
        solved = expect({.digits = 30, .interrupted = [&] { return ++calls > most; }}, solve_status::interrupted);
    }
}

TEST(singular_test, several_right_hand_sides_determinant_and_inertia)
{
    const rational_matrix a{{2, -1, -1, 0}, {-1, 0, 1, 0}, {-1, 1, 0, 0}, {0, 0, 0, -3}};
    const linear_system system = system_of(a, {});
    solver by(system, {.digits = 30});
    std::vector<rational_vector> right{{1, -1, 0, 3}, {1, 1, 1, 1}, {0, 0, 0, 0}};
    std::vector<std::vector<real>> columns;
    for (const rational_vector& b : right) {
        std::vector<real>& to = columns.emplace_back();
        for (const mpq_class& x : b) {
            to.push_back(to_real(x, 64));
        }
    }
    const std::vector<solve_result> results = by.solve(columns);
    for (std::size_t k = 0; k < right.size(); ++k) {
        const judgement truth = judge_exactly(a, right[k]);
        EXPECT_LE(relative_error(results[k].x, truth.x), 1e-30) << k;
        EXPECT_EQ(results[k].report.status, truth.in_range ? solve_status::converged : solve_status::breakdown) << k;
    }
    ASSERT_TRUE(by.determinant());
    EXPECT_TRUE(is_zero(by.determinant()->value));
    ASSERT_TRUE(by.inertia());
    EXPECT_EQ(by.inertia()->zero, 1);
    EXPECT_EQ(by.inertia()->positive + by.inertia()->negative, 3);
    EXPECT_EQ(analyze(system).rank, std::optional<index_t>(3));
}

}  // namespace
}  // namespace residua
