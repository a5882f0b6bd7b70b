// Random systems whose solutions are known exactly: what a report claims is never more than is true.
//
// x* has 500 bits and b = A x* is formed exactly, so that the error of x is known to all its digits. Matrices are
// nonsingular by construction or by a determinant modulo a prime, or singular by construction. RESIDUA_TEST_SCALE
// multiplies the number of systems; from 10 on they have up to 2000 unknowns, else up to 60.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <residua/arith/base/random.hpp>
#include <residua/solvers/assess/forward_error.hpp>
#include <residua/solvers/solver.hpp>

#include "tests/support/scale.hpp"
#include "tests/support/systems.hpp"

using namespace residua;
using namespace residua::support;

namespace {

constexpr long exact_bits = 4000;
constexpr long solution_bits = 500;
constexpr double hang_seconds = 300.0;

/// A dense or sparse matrix of exact numbers p + q 2^-shift, p and q integers.
struct exact_matrix {
    index_t n = 0;
    std::vector<index_t> row, col;
    std::vector<std::int64_t> p, q;
    long shift = 0;
    std::vector<int> row_scale, col_scale;  ///< powers of two
    bool singular = false;

    void push(index_t i, index_t j, std::int64_t entry, std::int64_t small = 0)
    {
        row.push_back(i);
        col.push_back(j);
        p.push_back(entry);
        q.push_back(small);
    }
    real entry(std::size_t k) const
    {
        const real whole(static_cast<double>(p[k]), exact_bits);
        const real small = ldexp(real(static_cast<double>(q[k]), exact_bits), -shift);
        return ldexp(whole + small,
                     row_scale[static_cast<std::size_t>(row[k])] + col_scale[static_cast<std::size_t>(col[k])]);
    }
};

std::int64_t integer(splitmix64& random, std::int64_t least, std::int64_t most)
{
    return least + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most - least + 1));
}

/// Whether the integer matrix 2^shift P + Q is nonsingular modulo a prime, and so nonsingular.
bool is_nonsingular(const exact_matrix& a)
{
    constexpr std::uint64_t prime = 2147483647;
    const auto n = static_cast<std::size_t>(a.n);
    const auto power = [](std::uint64_t base, std::uint64_t e) {
        std::uint64_t result = 1;
        for (; e > 0; e >>= 1) {
            result = (e & 1) != 0 ? result * base % prime : result;
            base = base * base % prime;
        }
        return result;
    };
    const auto residue = [](std::int64_t x) {
        return static_cast<std::uint64_t>((x % std::int64_t{prime} + std::int64_t{prime}) % std::int64_t{prime});
    };
    std::vector<std::uint64_t> m(n * n, 0);
    const std::uint64_t scale = power(2, static_cast<std::uint64_t>(a.shift));
    for (std::size_t k = 0; k < a.p.size(); ++k) {
        std::uint64_t& at = m[static_cast<std::size_t>(a.row[k]) * n + static_cast<std::size_t>(a.col[k])];
        at = (at + residue(a.p[k]) * scale + residue(a.q[k])) % prime;
    }
    for (std::size_t k = 0; k < n; ++k) {
        std::size_t pivot = k;
        while (pivot < n && m[pivot * n + k] == 0) {
            ++pivot;
        }
        if (pivot == n) {
            return false;
        }
        for (std::size_t j = k; j < n; ++j) {
            std::swap(m[pivot * n + j], m[k * n + j]);
        }
        const std::uint64_t inverse = power(m[k * n + k], prime - 2);
        for (std::size_t i = k + 1; i < n; ++i) {
            const std::uint64_t factor = m[i * n + k] * inverse % prime;
            for (std::size_t j = k; factor != 0 && j < n; ++j) {
                m[i * n + j] = (m[i * n + j] + (prime - factor) * m[k * n + j]) % prime;
            }
        }
    }
    return true;
}

enum class kind { chain, graded, nearly_singular, singular };

/// Integers at random places, the diagonal larger than the rest of its row, times a unit bidiagonal matrix whose inverse has
/// entries up to 2^length: nonsingular, with a condition of about that.
exact_matrix with_chain(splitmix64& random, index_t n, bool sparse)
{
    exact_matrix a;
    a.n = n;
    const index_t length = std::min<index_t>(integer(random, 0, 200), n - 1);
    for (index_t i = 0; i < n; ++i) {
        std::vector<std::int64_t> row(static_cast<std::size_t>(n), 0);
        std::int64_t sum = 0;
        for (index_t k = 0; k < (sparse ? 3 : n); ++k) {
            const auto j = static_cast<std::size_t>(sparse ? integer(random, 0, n - 1) : k);
            row[j] = integer(random, -9, 9);
        }
        row[static_cast<std::size_t>(i)] = 0;
        for (const std::int64_t each : row) {
            sum += std::abs(each);
        }
        row[static_cast<std::size_t>(i)] = sum + integer(random, 1, 9);
        for (index_t j = n - 1; j > 0; --j) {
            row[static_cast<std::size_t>(j)] -= j <= length ? 2 * row[static_cast<std::size_t>(j - 1)] : 0;
        }
        for (index_t j = 0; j < n; ++j) {
            if (row[static_cast<std::size_t>(j)] != 0) {
                a.push(i, j, row[static_cast<std::size_t>(j)]);
            }
        }
    }
    return a;
}

/// Rank n - 1 and, if it is not to be singular, 2^-shift times random integers.
exact_matrix of_lower_rank(splitmix64& random, index_t n, bool nearly)
{
    while (true) {
        exact_matrix a;
        a.n = n;
        a.shift = nearly ? integer(random, 20, 200) : 0;
        a.singular = !nearly;
        std::vector<std::int64_t> last(static_cast<std::size_t>(n), 0);
        for (index_t i = 0; i < n; ++i) {
            for (index_t j = 0; j < n; ++j) {
                const auto at = static_cast<std::size_t>(j);
                const std::int64_t entry = i + 1 < n ? integer(random, -9, 9) : last[at];
                last[at] += i + 1 < n ? entry * (i % 3 - 1) : 0;
                a.push(i, j, entry, nearly ? integer(random, -9, 9) : 0);
            }
        }
        if (!nearly || is_nonsingular(a)) {
            return a;
        }
    }
}

exact_matrix random_matrix(splitmix64& random, kind of, index_t n)
{
    exact_matrix a = of == kind::chain || of == kind::graded
                         ? with_chain(random, n, integer(random, 0, 1) == 1)
                         : of_lower_rank(random, std::min<index_t>(n, 60), of == kind::nearly_singular);
    a.row_scale.assign(static_cast<std::size_t>(a.n), 0);
    a.col_scale.assign(static_cast<std::size_t>(a.n), 0);
    if (of == kind::graded) {
        const std::int64_t most = integer(random, 1, 90);
        for (auto* scales : {&a.row_scale, &a.col_scale}) {
            for (int& each : *scales) {
                each = static_cast<int>(integer(random, -most, most));
            }
        }
    }
    return a;
}

/// The system with b = A x, exactly.
linear_system system_of(const exact_matrix& a, const std::vector<real>& x)
{
    linear_system system;
    system.rows = system.cols = a.n;
    std::vector<index_t> row_begin(static_cast<std::size_t>(a.n) + 1, 0);
    system.b.assign(static_cast<std::size_t>(a.n), real(0.0, exact_bits));
    bool is_binary64 = true;
    std::vector<real> entries;
    for (std::size_t k = 0; k < a.p.size(); ++k) {
        real entry = a.entry(k);
        system.b[static_cast<std::size_t>(a.row[k])] += entry * x[static_cast<std::size_t>(a.col[k])];
        system.column.push_back(static_cast<std::int32_t>(a.col[k]));
        system.values.push_back(to_double(entry));
        is_binary64 = is_binary64 && real(system.values.back()) == entry;
        entries.push_back(entry.with_precision(600));
        ++row_begin[static_cast<std::size_t>(a.row[k]) + 1];
    }
    for (std::size_t i = 1; i < row_begin.size(); ++i) {
        row_begin[i] += row_begin[i - 1];
    }
    system.row_begin = std::move(row_begin);
    if (!is_binary64) {
        system.exact = std::move(entries);
    }
    return system;
}

solve_options random_options(splitmix64& random)
{
    constexpr int digits[] = {0, 3, 16, 16, 30, 100};
    constexpr method methods[] = {method::automatic, method::automatic, method::automatic, method::automatic,
                                  method::direct,    method::refine,    method::gmres_ir,  method::gmres};
    solve_options options;
    options.digits = digits[random() % 6];
    options.method = methods[random() % 8];
    options.precision_bits = options.digits == 0 && random() % 2 == 0 ? 106 : 0;
    options.time_limit_seconds = hang_seconds / 2.0;
    return options;
}

/// x minus its part along the one vector that a matrix of rank n - 1 takes to zero: by elimination with complete pivoting.
std::vector<real> shortest(const linear_system& a, std::vector<real> x)
{
    const auto n = static_cast<std::size_t>(a.rows);
    std::vector<std::vector<real>> m(n, std::vector<real>(n, real(0.0, exact_bits)));
    std::vector<std::size_t> place(n);
    std::iota(place.begin(), place.end(), std::size_t{0});
    for (index_t i = 0; i < a.rows; ++i) {
        for (index_t k = a.row_begin[i]; k < a.row_begin[i + 1]; ++k) {
            m[static_cast<std::size_t>(i)][static_cast<std::size_t>(a.column[k])] =
                entry(a, k, exact_bits).with_precision(exact_bits);
        }
    }
    for (std::size_t k = 0; k + 1 < n; ++k) {
        std::size_t row = k, column = k;
        for (std::size_t i = k; i < n; ++i) {
            for (std::size_t j = k; j < n; ++j) {
                if (abs(m[row][column]) < abs(m[i][j])) {
                    row = i;
                    column = j;
                }
            }
        }
        std::swap(m[k], m[row]);
        std::swap(place[k], place[column]);
        for (std::vector<real>& each : m) {
            std::swap(each[k], each[column]);
        }
        for (std::size_t i = k + 1; i < n; ++i) {
            const real factor = m[i][k] / m[k][k];
            for (std::size_t j = k; j < n; ++j) {
                m[i][j] -= factor * m[k][j];
            }
        }
    }
    std::vector<real> null(n, real(0.0, exact_bits));  // in the order of places
    null[n - 1] = real(1.0, exact_bits);
    for (std::size_t k = n - 1; k-- > 0;) {
        for (std::size_t j = k + 1; j < n; ++j) {
            null[k] -= m[k][j] * null[j];
        }
        null[k] = null[k] / m[k][k];
    }
    real product(0.0, exact_bits), square(0.0, exact_bits);
    for (std::size_t k = 0; k < n; ++k) {
        product += null[k] * x[place[k]].with_precision(exact_bits);
        square += null[k] * null[k];
    }
    for (std::size_t k = 0; k < n; ++k) {
        x[place[k]] = x[place[k]].with_precision(exact_bits) - null[k] * product / square;
    }
    return x;
}

real relative_error(const std::vector<real>& x, const std::vector<real>& truth)
{
    real largest(0.0, 64);
    for (std::size_t i = 0; i < x.size(); ++i) {
        largest = max(largest, abs(x[i].with_precision(exact_bits) - truth[i]).with_precision(64));
    }
    return largest / norm_inf(x);
}

}  // namespace

TEST(campaign_test, claims_no_digit_that_is_not_true)
{
    const auto count = static_cast<int>(40.0 * test_scale());
    const double largest = test_scale() >= 10.0 ? 2000.0 : 60.0;
    std::vector<double> too_large;  // log10 of the claimed error over the true one
    int unknown = 0, asked = 0, reached = 0;
    const char* const first = std::getenv("RESIDUA_TEST_FIRST");  // to go on with, or to share the work
    for (int k = first == nullptr ? 0 : std::atoi(first); k < count; ++k) {
        const std::uint64_t seed = 1000 + static_cast<std::uint64_t>(k);
        splitmix64 random{seed};
        const auto n =
            static_cast<index_t>(std::exp(std::log(largest) * uniform(random) * 0.5 + std::log(largest) * 0.5));
        const kind of = static_cast<kind>(random() % 4);
        const exact_matrix a = random_matrix(random, of, std::max<index_t>(n, of == kind::chain ? 1 : 2));
        std::vector<real> x;
        for (index_t i = 0; i < a.n; ++i) {
            x.push_back(real(uniform(random), solution_bits) / real(3.0, solution_bits));
        }
        const linear_system system = system_of(a, x);
        const solve_options options = random_options(random);
        SCOPED_TRACE("seed " + std::to_string(seed) + ", n " + std::to_string(a.n) + ", kind " +
                     std::to_string(static_cast<int>(of)) + ", method " + std::string(to_string(options.method)) +
                     ", digits " + std::to_string(options.digits) + ", bits " + std::to_string(options.precision_bits));

        const solve_result result = solve(system, options);

        const solve_report& report = result.report;
        if (report.setup_seconds + report.solve_seconds > 30.0) {
            std::cout << "seed " << seed << ", n " << a.n << ", " << to_string(report.method) << " in "
                      << report.precision_bits << " bits: " << report.setup_seconds + report.solve_seconds << " s"
                      << std::endl;
        }
        EXPECT_LT(report.setup_seconds + report.solve_seconds, hang_seconds);
        if (report.status == solve_status::converged) {
            const residual_evaluation at = evaluate_residual(system, result.x, ldexp(report.rhs_norm, -3000));
            EXPECT_LE(at.norm2, max(report.rtol * report.rhs_norm, report.atol) * real(1.0001));
            EXPECT_GE(report.digits, options.digits);
        }
        asked += options.digits > 0 && !a.singular ? 1 : 0;
        reached += options.digits > 0 && !a.singular && report.status == solve_status::converged ? 1 : 0;
        if (!report.forward_error) {
            unknown += a.singular ? 0 : 1;
            EXPECT_EQ(report.digits, 0);
            continue;
        }
        if (a.singular && !report.rank) {
            EXPECT_EQ(report.digits, 0) << "of a singular matrix";
            continue;
        }
        EXPECT_EQ(a.singular, report.rank.has_value());
        const real truth = relative_error(result.x, a.singular ? shortest(system, x) : x);
        EXPECT_GE(*report.forward_error, truth) << to_string(*report.forward_error, 3) << " " << to_string(truth, 3);
        if (!is_zero(truth)) {
            EXPECT_LE(report.digits, std::max(0.0, -to_double(log10(truth))));
            too_large.push_back(to_double(log10(*report.forward_error / truth)));
        }
    }
    ASSERT_FALSE(too_large.empty());
    std::sort(too_large.begin(), too_large.end());
    const double median = too_large[too_large.size() / 2];
    EXPECT_LE(median, 4.0);
    std::cout << count << " systems: " << reached << " of " << asked << " have the digits asked for, " << unknown
              << " without an estimate; claimed over true error: least 1e" << too_large.front() << ", median 1e"
              << median << ", largest 1e" << too_large.back() << '\n';
}
