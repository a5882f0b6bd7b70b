#pragma once

#include <algorithm>
#include <vector>

#include <residua/blas/level1/sum_state.hpp>
#include <tests/support/biased_random.hpp>

namespace residua::support {

/// Sums of n terms from 1 to 7 parts, which are cut at random and may be empty, and whose states are merged in a random
/// order and go through bytes now and then; state(first, last) computes one.
template <class F, class State>
blas::sum_state<F> sum_of_parts(biased_random& random, index_t n, const State& state)
{
    const index_t block = blas::block_of_sum<F>(n);
    const int blocks = static_cast<int>((n + block - 1) / block);
    std::vector<index_t> cuts{0, n};
    for (int more = random.integer(0, 6); more > 0; --more) {
        cuts.push_back(std::min(random.integer(0, blocks) * block, n));
    }
    std::sort(cuts.begin(), cuts.end());
    std::vector<blas::sum_state<F>> parts;
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
        parts.push_back(state(cuts[i], cuts[i + 1]));
    }
    while (parts.size() > 1) {
        const int left = random.integer(0, static_cast<int>(parts.size()) - 2);
        const auto& a = parts[static_cast<std::size_t>(left)];
        blas::sum_state<F> both = blas::merge(a, parts[static_cast<std::size_t>(left) + 1]);
        if (random.one_in(3)) {
            const std::vector<std::byte> bytes = blas::to_bytes(both);
            EXPECT_LE(bytes.size(), blas::most_bytes<F>(both.format(), n));
            both = blas::sum_from_bytes<F>(both.format(), bytes);
        }
        parts[static_cast<std::size_t>(left)] = both;
        parts.erase(parts.begin() + left + 1);
    }
    EXPECT_EQ(parts[0].first(), 0);
    EXPECT_EQ(parts[0].last(), n);
    return parts[0];
}

/// What is refused of parts and of bytes, for a format whose blocks have at most 2048 terms here; state(n, first, last)
/// is the state of these terms of n.
template <class F, class State>
void expect_refusals(const State& state)
{
    EXPECT_THROW(state(5000, 100, 5000), dimension_error);
    EXPECT_THROW(state(5000, 0, 2049), dimension_error);
    EXPECT_THROW(state(5000, -2048, 0), dimension_error);
    EXPECT_THROW(state(5000, 4096, 5001), dimension_error);
    EXPECT_NO_THROW(state(5000, 5000, 5000));
    const auto begin = state(5000, 0, 2048);
    const auto end = state(5000, 4096, 5000);
    EXPECT_THROW(blas::merge(begin, end), dimension_error);
    EXPECT_THROW(blas::merge(end, begin), dimension_error);
    EXPECT_THROW(blas::merge(begin, state(5001, 2048, 4096)), dimension_error);

    std::vector<std::byte> bytes = blas::to_bytes(begin);
    bytes.push_back(std::byte{1});
    EXPECT_EQ(blas::to_bytes(blas::sum_from_bytes<F>(begin.format(), bytes)), blas::to_bytes(begin));
    for (const std::size_t word : {0, 1, 3, 4, 5, 6, 7}) {
        auto other = blas::to_bytes(begin);
        other[8 * word + 1] ^= std::byte{0x7f};
        EXPECT_THROW(blas::sum_from_bytes<F>(begin.format(), other), error) << word;
    }
    bytes.resize(bytes.size() - 2);
    EXPECT_THROW(blas::sum_from_bytes<F>(begin.format(), bytes), error);
    bytes.resize(20);
    EXPECT_THROW(blas::sum_from_bytes<F>(begin.format(), bytes), error);
}

}  // namespace residua::support
