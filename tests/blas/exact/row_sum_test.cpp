#include <algorithm>
#include <cmath>
#include <limits>
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

    /// Those that a window holds: others stay zero.
    struct sums_held {
        std::vector<multidigit_number> sum;
        std::vector<bool> held;

        index_t count() const { return std::count(held.begin(), held.end(), true); }
    };

    template <class Digit>
    sums_held in_window() const
    {
        return with_size<Digit>(
            []<int N>(const auto& window, index_t i) { return window.template store<Digit, N>(i); });
    }

    template <class Digit>
    sums_held in_digit_window() const
    {
        return with_size<Digit>(
            []<int N>(const auto& window, index_t i) { return window.template store_short<Digit, N>(i); });
    }

private:
    template <class Digit, class Store>
    sums_held with_size(const Store& store) const
    {
        sums_held result;
        result.sum = each([&](const auto& product, index_t i, const exact_digits_result& y) {
            const row_in_window window{product, y};
            with_multidigit_size<Digit>(multidigit_count<Digit>(y.p), [&]<int N>() {
                if constexpr (N * sizeof(Digit) <= 112) {
                    result.held.push_back(store.template operator()<N>(window, i));
                }
            });
        });
        return result;
    }
};

void expect_held_sums(const row_sums<double>::sums_held& found, const std::vector<multidigit_number>& right)
{
    for (std::size_t i = 0; i < right.size(); ++i) {
        EXPECT_TRUE(!found.held[i] || exact_format<multidigit>::same(found.sum[i], right[i])) << i;
    }
}

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
    const auto any = rows.of_any_spread();
    const auto of_32 = rows.template in_window<std::uint32_t>();
    const auto of_64 = rows.template in_window<std::uint64_t>();
    count counted;
    for (std::size_t i = 0; i < m; ++i) {
        const multidigit_number right = format.from(expected[i]);
        EXPECT_TRUE(exact_format<multidigit>::same(any[i], right)) << i;
        EXPECT_EQ(of_32.held[i], of_64.held[i]) << i;
        EXPECT_TRUE(!of_32.held[i] || exact_format<multidigit>::same(of_32.sum[i], right)) << i;
        EXPECT_TRUE(!of_64.held[i] || exact_format<multidigit>::same(of_64.sum[i], right)) << i;
        counted.held += of_32.held[i] ? 1 : 0;
        ++counted.all;
    }
    if constexpr (std::is_same_v<V, double>) {
        expect_held_sums(rows.template in_digit_window<std::uint32_t>(), any);
        expect_held_sums(rows.template in_digit_window<std::uint64_t>(), any);
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

// Factors of eight bits and numbers of about one size: sums beside one digit, of either kind, and nearly all of them.
TEST(row_sum_test, factors_of_few_bits_are_one_digit)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    for (const long bits : {64, 65, 106, 212, 424, 500, 848}) {
        SCOPED_TRACE(std::to_string(bits) + " bits");
        const exact_format<multidigit> format{multidigit_format(bits)};
        for (const bool subtracts : {false, true}) {
            constexpr index_t m = 200;
            row_sums<double> rows{
                {format, exact_format<double>{}, random, exact_kind::uniform, m, 9}, format, subtracts};
            for (index_t p = 0; p < rows.s.a.entries(); ++p) {
                const double of_eight_bits = static_cast<double>(random.integer(1, 255));
                rows.s.a.value().data()[p] =
                    std::ldexp(random.one_in(2) ? -of_eight_bits : of_eight_bits, random.integer(-3, 3));
            }
            const auto right = rows.of_any_spread();
            const auto of_32 = rows.in_digit_window<std::uint32_t>();
            const auto of_64 = rows.in_digit_window<std::uint64_t>();
            expect_held_sums(of_32, right);
            expect_held_sums(of_64, right);
            EXPECT_GT(of_32.count(), m / 2);
            EXPECT_GT(of_64.count(), m * 9 / 10);
        }
    }
}

// One row a case: a x_0 + 1 x_1 for digits of 32 bits, a x_0 + x_1 where a has no place, is none or is not finite.
TEST(row_sum_test, a_digit_window_knows_what_it_lost)
{
    constexpr double infinity = std::numeric_limits<double>::infinity();
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    struct example {
        const char* what;
        double a, x0;
        long up0, up1;  // exponents of x0 and x1 = 1
        bool held_32, held_64;
    };
    const example examples[] = {
        {"one and one", 1.0, 1.0, 0, 0, true, true},
        {"32 bits", 0xffffffffp0, 1.0, -31, 0, true, true},
        {"33 bits", 0x1ffffffffp0, 1.0, -32, 0, false, true},
        {"53 bits, five places up", 0x1.0000000000001p0, 1.0, 0, 5, false, true},
        {"15 places down", 1.0, 1.0, 0, -15, true, true},
        {"16 places down", 1.0, 1.0, 0, -16, true, true},
        {"17 places down", 1.0, 1.0, 0, -17, false, true},
        {"15 places up", 1.0, 1.0, 0, 15, true, true},
        {"16 places up", 1.0, 1.0, 0, 16, false, true},
        {"31 places up", 1.0, 1.0, 0, 31, false, true},
        {"32 places up", 1.0, 1.0, 0, 32, false, false},
        {"32 places down", 1.0, 1.0, 0, -32, false, true},
        {"33 places down", 1.0, 1.0, 0, -33, false, false},
        {"2^32 and two places down", 1.0, 1.0, 0x7ffffff0, -0x7ffffff2, false, false},
        {"large exponents", 1.0, 1.0, 0x1ffffff0, 0x1ffffff1, true, true},
        {"larger exponents", 1.0, 1.0, 0x20000000, 0x20000001, false, false},
        {"the largest binary64", 0x1p1023, 1.0, -1023, 0, true, true},
        {"the least normal binary64", 0x1p-1022, 1.0, 1022, 0, true, true},
        {"a subnormal factor", 0x1p-1030, 1.0, 1030, 0, false, false},
        {"zero as a factor", 0.0, 1.0, 0, 0, false, false},
        {"zero", 1.0, 0.0, 0, 0, true, true},
        {"an infinite factor", infinity, 1.0, 0, 0, false, false},
        {"zero times infinity", infinity, 0.0, 0, 0, false, false},
        {"zero times NaN", nan, 0.0, 0, 0, false, false},
        {"infinity", 1.0, infinity, 0, 0, false, false},
        {"NaN", 1.0, nan, 0, 0, false, false},
    };
    biased_random random;
    for (const long bits : {64, 106, 424, 848}) {
        const exact_format<multidigit> format{multidigit_format(bits)};
        for (const example& e : examples) {
            SCOPED_TRACE(std::string(e.what) + ", " + std::to_string(bits) + " bits");
            row_sums<double> rows{{format, exact_format<double>{}, random, exact_kind::uniform, 1, 2}, format, false};
            csr<host_executor, double> a(1, 2, 2);
            a.row_begin()[1] = 2;
            a.col()[1] = 1;
            a.value().data()[0] = e.a;
            a.value().data()[1] = 1.0;
            rows.s.a = a;
            rows.s.x.set(0, ldexp(multidigit_number(format.format, e.x0), e.up0));
            rows.s.x.set(1, ldexp(multidigit_number(format.format, 1.0), e.up1));
            const auto right = rows.of_any_spread();
            const auto of_32 = rows.in_digit_window<std::uint32_t>();
            const auto of_64 = rows.in_digit_window<std::uint64_t>();
            expect_held_sums(of_32, right);
            expect_held_sums(of_64, right);
            EXPECT_EQ(of_32.held[0], e.held_32);
            EXPECT_EQ(of_64.held[0], e.held_64);
        }
    }
}

}  // namespace
}  // namespace residua
