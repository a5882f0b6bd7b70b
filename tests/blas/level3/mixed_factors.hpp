// What getrf_mixed is held to, on the host and on a device.
#pragma once

#include <cstring>
#include <functional>
#include <numeric>

#include <residua/blas/level3/getrf_mixed.hpp>

#include "tests/blas/level3/lu_factors.hpp"

namespace residua::support {

using blas::low_precision;
inline constexpr low_precision both_precisions[] = {low_precision::tf32, low_precision::binary16};

inline std::string name_of(low_precision p) { return p == low_precision::tf32 ? "tf32" : "binary16"; }

/// Makes factors in place, with products of a precision, in panels of so many columns, or 0 for the default.
using mixed_factorization =
    std::function<index_t(columns_of<float>& a, std::vector<std::int64_t>& pivots, low_precision, index_t panel)>;

inline bool same_bits(const columns_of<float>& a, const columns_of<float>& b)
{
    return std::memcmp(a.words.data(), b.words.data(), a.words.size() * sizeof(float)) == 0;
}

/// max |P A - L U|_ij / bound_ij, bound_ij by (magnitude, underflow): (|L| |U|)_ij, sum_(k < min(i, j)) (|l_ik| +
/// |u_kj|). Products of binary32 numbers are exact in binary64, and their sums to n 2^-53, far below every bound here.
template <class Bound>
double worst_part(const columns_of<float>& a, const columns_of<float>& lu, const std::vector<std::int64_t>& pivots,
                  const Bound& bound)
{
    const std::vector<index_t> order = blas::row_order(pivots);
    double worst = 0.0;
    for (index_t j = 0; j < a.n; ++j) {
        std::vector<double> sum(static_cast<std::size_t>(a.n)), magnitude(sum), underflow(sum);
        for (index_t k = 0; k <= j; ++k) {
            const double u = lu.at(k, j);
            sum[static_cast<std::size_t>(k)] += u;
            magnitude[static_cast<std::size_t>(k)] += std::abs(u);
            for (index_t i = k + 1; i < a.n; ++i) {
                const auto at = static_cast<std::size_t>(i);
                const double l = lu.at(i, k);
                sum[at] += l * u;
                magnitude[at] += std::abs(l * u);
                underflow[at] += k < j ? std::abs(l) + std::abs(u) : 0.0;
            }
        }
        for (index_t i = 0; i < a.n; ++i) {
            const auto at = static_cast<std::size_t>(i);
            const double off = std::abs(sum[at] - static_cast<double>(a.at(order[at], j)));
            const double part = off == 0.0 ? 0.0 : off / bound(magnitude[at], underflow[at]);
            worst = part <= worst ? worst : part;  // a NaN stays
        }
    }
    return worst;
}

/// |P A - L U| <= the bound of getrf_mixed, whose sums have m = sums (n + 1); multipliers are at most 1.
inline void expect_mixed_factors(const columns_of<float>& a, const columns_of<float>& lu,
                                 const std::vector<std::int64_t>& pivots, low_precision p, double sums,
                                 const std::string& what)
{
    const double mu = sums * static_cast<double>(a.n + 1) * 0x1p-24;
    const double relative = 0x1p-10 + (1.0 + 0x1p-10) * mu / (1.0 - mu);
    const double absolute = p == low_precision::binary16 ? 0x1p-24 : 0.0;
    EXPECT_LE(
        worst_part(a, lu, pivots, [&](double magnitude, double u) { return relative * magnitude + absolute * u; }), 1.0)
        << what;
    for (index_t j = 0; j < a.n; ++j) {
        for (index_t i = j + 1; i < a.n; ++i) {
            ASSERT_LE(std::abs(lu.at(i, j)), 1.0f) << "multiplier " << i << ", " << j << " of " << what;
        }
    }
}

/// Random matrices of these orders in panels of so many columns: the bound, the same bits twice, nothing beside A.
inline void expect_bound(const mixed_factorization& factorize, biased_random& random, double sums,
                         const std::vector<index_t>& orders, index_t panel)
{
    for (const index_t n : orders) {
        for (const low_precision p : both_precisions) {
            const index_t more = random.integer(0, 3);
            const columns_of<float> a = random_columns<float>(random, n, random.one_in(2) ? 20 : 3, more);
            columns_of<float> lu = a, again = a;
            std::vector<std::int64_t> pivots, pivots_again;
            const std::string what = "n " + std::to_string(n) + ", " + name_of(p) + ", panels of " +
                                     std::to_string(panel) + ", " + std::to_string(more) + " more";

            ASSERT_EQ(factorize(lu, pivots, p, panel), 0) << what;
            ASSERT_EQ(factorize(again, pivots_again, p, panel), 0) << what;

            expect_mixed_factors(a, lu, pivots, p, sums, what);
            EXPECT_EQ(pivots, pivots_again) << what;
            EXPECT_TRUE(same_bits(lu, again)) << what;
            for (index_t j = 0; j < n; ++j) {
                for (index_t i = n; i < lu.ld; ++i) {
                    ASSERT_EQ(lu.words[static_cast<std::size_t>(j * lu.ld + i)], 7.0f) << "beside column " << j;
                }
            }
        }
    }
}

/// A matrix with factors that every step of every order gives exactly, and the order of its rows in them. Multipliers
/// are a half at most, so that pivots are unique, and stand in odd rows and even columns alone, so that L inverse is 2
/// I - L.
struct exact_system {
    columns_of<float> a, lu;
    std::vector<index_t> order;
};

/// zeros  pivots that are zero, with no multipliers in their columns; the order is another one then
inline exact_system make_exact_system(biased_random& random, index_t n, const std::vector<index_t>& zeros = {})
{
    exact_system s{columns_of<float>(n, 2), columns_of<float>(n, 2), std::vector<index_t>(static_cast<std::size_t>(n))};
    const auto is_zero_pivot = [&](index_t k) { return std::find(zeros.begin(), zeros.end(), k) != zeros.end(); };
    for (index_t j = 0; j < n; ++j) {
        for (index_t i = 0; i < n; ++i) {
            const bool has_multiplier = i % 2 == 1 && j % 2 == 0 && !is_zero_pivot(j) && !random.one_in(3);
            const double pivot =
                is_zero_pivot(j) ? 0.0 : random.with_random_sign(std::ldexp(1.0, random.integer(0, 2)));
            s.lu.at(i, j) = static_cast<float>(i < j            ? 0.25 * random.integer(-9, 9)
                                               : i == j         ? pivot
                                               : has_multiplier ? random.with_random_sign(random.one_in(2) ? 0.5 : 0.25)
                                                                : 0.0);
        }
    }
    std::iota(s.order.begin(), s.order.end(), index_t{0});
    for (index_t i = n - 1; i > 0; --i) {
        std::swap(s.order[static_cast<std::size_t>(i)],
                  s.order[static_cast<std::size_t>(random.integer(0, static_cast<int>(i)))]);
    }
    for (index_t j = 0; j < n; ++j) {
        for (index_t i = 0; i < n; ++i) {
            float sum = i <= j ? s.lu.at(i, j) : 0.0f;
            for (index_t k = 0; k <= std::min(i - 1, j); ++k) {
                sum += s.lu.at(i, k) * s.lu.at(k, j);
            }
            s.a.at(s.order[static_cast<std::size_t>(i)], j) = sum;
        }
    }
    return s;
}

inline void expect_exact_factors(const mixed_factorization& factorize, biased_random& random, index_t n, index_t panel)
{
    for (const low_precision p : both_precisions) {
        const std::string what = "n " + std::to_string(n) + ", " + name_of(p) + ", panels of " + std::to_string(panel);
        exact_system s = make_exact_system(random, n);
        std::vector<std::int64_t> pivots;

        ASSERT_EQ(factorize(s.a, pivots, p, panel), 0) << what;

        ASSERT_EQ(blas::row_order(pivots), s.order) << what;
        for (index_t j = 0; j < n; ++j) {
            for (index_t i = 0; i < n; ++i) {
                ASSERT_EQ(s.a.at(i, j), s.lu.at(i, j)) << i << ", " << j << " of " << what;
            }
        }
    }
}

inline void expect_zero_pivots(const mixed_factorization& factorize, biased_random& random, index_t n, index_t panel)
{
    for (const low_precision p : both_precisions) {
        for (const index_t zero : {index_t{0}, index_t{1}, panel - 1, panel, panel + 1, 2 * panel + 3, n - 2, n - 1}) {
            for (const index_t next : {zero, std::min(zero + 2, n - 1), n - 1}) {
                exact_system s = make_exact_system(random, n, {zero, next});
                std::vector<std::int64_t> pivots;

                EXPECT_EQ(factorize(s.a, pivots, p, panel), zero + 1) << name_of(p) << ", then " << next + 1;
            }
        }
    }
}

/// A number with a size from 2^lo to 2^(hi + 1): often a tie of 11 bits or of multiples of 2^-24, or next to one.
inline float hard_to_round(biased_random& random, int lo, int hi)
{
    const auto x = static_cast<float>(random.full(lo, hi));
    const auto last = std::abs(x) < 0x1p-13f ? 0x1p-25f : std::ldexp(1.0f, std::ilogb(x) - 11);
    const float tie = std::nearbyint(x / last) * last;
    switch (random.integer(0, 4)) {
        case 0:
            return tie;
        case 1:
            return std::nextafter(tie, 2.0f * x);
        case 2:
            return std::nextafter(tie, 0.0f);
        default:
            return x;
    }
}

/// The identity, with u in row `panel / 2` behind the panel and l in its column below: so that one product of each is
/// what is left of the last row (u many, l one) or of the last column (l many, u one).
inline void expect_rounded_products(const mixed_factorization& factorize, biased_random& random, index_t n,
                                    index_t panel)
{
    const index_t k = panel / 2;
    for (const low_precision p : both_precisions) {
        for (const bool many_u : {true, false}) {
            columns_of<float> a(n, 1);
            for (index_t j = 0; j < n; ++j) {
                for (index_t i = 0; i < n; ++i) {
                    a.at(i, j) = i == j && i != n - 1 ? 1.0f : 0.0f;
                }
            }
            for (index_t i = many_u ? n - 1 : panel; i < n; ++i) {
                a.at(i, k) = hard_to_round(random, many_u ? -4 : -30, -2);
            }
            for (index_t j = many_u ? panel : n - 1; j < n; ++j) {
                a.at(k, j) = hard_to_round(random, many_u ? -30 : -18, many_u ? -2 : 14);
            }
            (many_u ? a.at(k, n - 1) : a.at(n - 1, k)) = 0.7f;  // the last pivot is not zero
            columns_of<float> lu = a;
            std::vector<std::int64_t> pivots;

            ASSERT_EQ(factorize(lu, pivots, p, panel), 0);

            for (index_t i = panel; i < n; ++i) {
                const index_t row = many_u ? n - 1 : i;
                const index_t column = many_u ? i : n - 1;
                const float l = blas::detail::rounded_to(p, a.at(row, k));
                const float u = blas::detail::rounded_to(p, a.at(k, column));
                EXPECT_EQ(lu.at(row, column), -l * u) << name_of(p) << ": " << a.at(row, k) << " " << a.at(k, column);
                EXPECT_EQ(pivots[static_cast<std::size_t>(i)], i + 1);
            }
        }
    }
}

/// Factors of random numbers are off by about 2^-11, and not by what sums of binary32 leave.
inline void expect_eleven_bits(const mixed_factorization& factorize, biased_random& random)
{
    for (const low_precision p : both_precisions) {
        const columns_of<float> a = random_columns<float>(random, 40, 1);
        columns_of<float> lu = a;
        std::vector<std::int64_t> pivots;

        ASSERT_EQ(factorize(lu, pivots, p, 8), 0);

        EXPECT_GE(worst_part(a, lu, pivots, [](double magnitude, double) { return magnitude; }), 0x1p-14) << name_of(p);
    }
}

/// An entry of U beyond binary16: one of 65520 becomes an infinity, one just below it does not.
inline void expect_overflow_of_binary16_only(const mixed_factorization& factorize)
{
    for (const low_precision p : both_precisions) {
        for (const float large : {std::nextafter(65520.0f, 0.0f), 65520.0f, -1e6f}) {
            columns_of<float> a(20);
            for (index_t j = 0; j < a.n; ++j) {
                for (index_t i = 0; i < a.n; ++i) {
                    a.at(i, j) = i == j ? 1.0f : 0.125f;
                }
            }
            a.at(0, 17) = large;
            std::vector<std::int64_t> pivots;

            EXPECT_EQ(factorize(a, pivots, p, 8), 0);

            const bool finite = std::all_of(a.words.begin(), a.words.end(), [](float x) { return std::isfinite(x); });
            EXPECT_EQ(finite, p == low_precision::tf32 || std::abs(large) < 65520.0f) << name_of(p) << " " << large;
        }
    }
}

}  // namespace residua::support
