#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <residua/blas/exact/sparse_product.hpp>

#include "tests/blas/exact/exact_sparse.hpp"

namespace residua {
namespace {

using namespace support;
using namespace blas::detail;

/// The sums of the rows of a system in multi-digit floats by what host and device are made of: the window with digits
/// of 32 and 64 bits, where it holds them, and the sums of any spread.
template <class V>
struct row_sums {
    using product_type = decltype(exact_product_of(host_executor{}, csr<host_executor, V>(),
                                                   std::declval<exact_vector_operands<host_executor, multidigit>>()));

    exact_system<multidigit, V> s;
    exact_format<multidigit> format;
    bool subtracts;

    template <class Store>
    std::vector<multidigit_number> each(const Store& store) const
    {
        auto y = format.zeros(s.a.rows());
        const vector_view<host_executor, const multidigit> b = s.b;
        const exact_vector_operands<host_executor, multidigit> of{"test", s.x, subtracts ? &b : nullptr, y, {}};
        const auto product = exact_product_of(host_executor{}, s.a, of);
        std::vector<multidigit_number> sums;
        for (index_t i = 0; i < s.a.rows(); ++i) {
            store(product, i, exact_result(host_executor{}, of.y));
            sums.push_back(y.get(i));
        }
        return sums;
    }

    std::vector<multidigit_number> of_any_spread() const
    {
        return each([&](const auto& product, index_t i, const exact_digits_result& y) {
            using sum_type = row_sum<std::remove_cvref_t<decltype(product.a)>, exact_digits>;
            std::vector<std::uint64_t> memory(3 * static_cast<std::size_t>(sum_type::words(product, y.p)));
            sum_type sum(product, vector_extent::none, y.p, {memory.data(), 3, static_cast<int>(memory.size() / 3)});
            sum.store(i, y, i);
        });
    }

    /// `held` counts the rows that the window holds; the others stay zero.
    template <class Digit>
    std::vector<multidigit_number> in_window(std::vector<bool>& held) const
    {
        return each([&](const auto& product, index_t i, const exact_digits_result& y) {
            const row_in_window window{product, y};
            with_multidigit_size<Digit>(multidigit_count<Digit>(y.p), [&]<int N>() {
                if constexpr (N * sizeof(Digit) <= 112) {
                    held.push_back(window.template store<Digit, N>(i));
                }
            });
        });
    }
};

/// How many rows the window held, of how many.
struct count {
    int held = 0, all = 0;
};

template <class V>
count expect_same_sums(const exact_format<multidigit>& format, const exact_format<V>& of_matrix, exact_kind kind,
                       bool subtracts)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    constexpr index_t m = 40;
    const row_sums<V> rows{{format, of_matrix, random, kind, m, 8}, format, subtracts};
    const auto expected = exact_sums(rows.s, subtracts, 0, std::max(format.of_sums(), of_matrix.of_sums()));
    std::vector<bool> held_32, held_64;
    const auto any = rows.of_any_spread();
    const auto of_32 = rows.template in_window<std::uint32_t>(held_32);
    const auto of_64 = rows.template in_window<std::uint64_t>(held_64);
    count counted;
    for (std::size_t i = 0; i < m; ++i) {
        const multidigit_number right = format.from(expected[i]);
        EXPECT_TRUE(exact_format<multidigit>::same(any[i], right)) << i;
        EXPECT_EQ(held_32[i], held_64[i]) << i;
        EXPECT_TRUE(!held_32[i] || exact_format<multidigit>::same(of_32[i], right)) << i;
        EXPECT_TRUE(!held_64[i] || exact_format<multidigit>::same(of_64[i], right)) << i;
        counted.held += held_32[i] ? 1 : 0;
        ++counted.all;
    }
    return counted;
}

// Of numbers of about one size the window holds every row, of such with spreads of 2^1000 hardly one, and it says so.
TEST(row_sum_test, all_ways_to_sum_have_the_same_bits)
{
    for (const long bits : {64, 65, 106, 212, 424, 500, 848}) {
        SCOPED_TRACE(std::to_string(bits) + " bits");
        const exact_format<multidigit> format{multidigit_format(bits)};
        for (const exact_kind kind : exact_kinds) {
            SCOPED_TRACE("kind " + std::to_string(static_cast<int>(kind)));
            for (const bool subtracts : {false, true}) {
                const count binary64 = expect_same_sums(format, exact_format<double>{}, kind, subtracts);
                const count own = expect_same_sums(format, format, kind, subtracts);
                if (kind == exact_kind::uniform) {
                    EXPECT_EQ(binary64.held, binary64.all);
                    EXPECT_EQ(own.held, own.all);
                }
                if (kind == exact_kind::spread) {
                    EXPECT_LT(binary64.held, binary64.all / 2);
                }
            }
        }
    }
}

}  // namespace
}  // namespace residua
