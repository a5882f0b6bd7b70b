#pragma once

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <residua/arith/expansion/convert.hpp>
#include <residua/solvers/batch/solve_batch.hpp>
#include <residua/solvers/matrix/make_system.hpp>

#include "tests/support/biased_random.hpp"

namespace residua::support {

/// Systems by rows.
template <class Value>
struct owned_batch {
    index_t n = 0;
    index_t count = 0;
    std::vector<Value> a, b;

    dense_batch<Value> view(storage_order order = storage_order::row_major) const { return {n, count, a, b, order}; }

    Value& entry(index_t s, index_t i, index_t j) { return a[static_cast<std::size_t>((s * n + i) * n + j)]; }

    /// System s alone.
    owned_batch at(index_t s) const
    {
        const auto first = static_cast<std::size_t>(s), size = static_cast<std::size_t>(n);
        const auto of = [](const std::vector<Value>& x, std::size_t from, std::size_t length) {
            return std::vector<Value>(x.begin() + static_cast<std::ptrdiff_t>(from),
                                      x.begin() + static_cast<std::ptrdiff_t>(from + length));
        };
        return {n, 1, of(a, first * size * size, size * size), of(b, first * size, size)};
    }
};

/// The last row of system s is the sum of the others but for 2^-e times random numbers, e rising from 0 to most_bits.
template <class Value>
owned_batch<Value> falling_systems(biased_random& random, index_t n, index_t count, int most_bits)
{
    owned_batch<Value> x{n, count, {}, {}};
    for (index_t s = 0; s < count; ++s) {
        const double distance = std::ldexp(1.0, -static_cast<int>(most_bits * s / std::max<index_t>(count - 1, 1)));
        std::vector<Value> sums(static_cast<std::size_t>(n), Value{0.0});
        for (index_t i = 0; i < n; ++i) {
            for (index_t j = 0; j < n; ++j) {
                const double few = std::ldexp(static_cast<double>(random.integer(-1000, 1000)), -10);
                const Value own =
                    i + 1 < n ? Value{few} : Value{sums[static_cast<std::size_t>(j)] + Value{few * distance}};
                sums[static_cast<std::size_t>(j)] = sums[static_cast<std::size_t>(j)] + own;
                x.a.push_back(own);
            }
            x.b.push_back(random.number<Value>(-2, 2));
        }
    }
    return x;
}

/// Whether all words of two solutions are the same, and all verdicts.
inline void expect_same(const batch_solution& x, index_t s, const batch_solution& y, index_t t, const std::string& what)
{
    const batch_verdict &a = x.verdicts[static_cast<std::size_t>(s)], &b = y.verdicts[static_cast<std::size_t>(t)];
    ASSERT_EQ(x.terms, y.terms) << what;
    EXPECT_EQ(a.status, b.status) << what;
    EXPECT_EQ(a.digits, b.digits) << what;
    EXPECT_EQ(a.error, b.error) << what;
    EXPECT_EQ(a.factor_bits, b.factor_bits) << what;
    EXPECT_EQ(a.corrected, b.corrected) << what;
    EXPECT_EQ(a.one_by_one, b.one_by_one) << what;
    const index_t words = x.n * x.terms;
    for (index_t e = 0; e < words; ++e) {
        EXPECT_EQ(to_bits(x.x[static_cast<std::size_t>(s * words + e)]),
                  to_bits(y.x[static_cast<std::size_t>(t * words + e)]))
            << what << ": word " << e;
    }
}

}  // namespace residua::support
