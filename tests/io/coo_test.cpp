#include <residua/io/coo.hpp>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <omp.h>

#include "tests/support/scale.hpp"

namespace residua::io {
namespace {

using indices = std::vector<index_t>;

TEST(row_major_order, is_empty_for_entries_in_order)
{
    EXPECT_TRUE(row_major_order(0, {}, {}).empty());
    EXPECT_TRUE(row_major_order(3, indices{0, 0, 2, 2}, indices{1, 1, 0, 2}).empty());
}

TEST(row_major_order, keeps_the_order_of_entries_at_the_same_position)
{
    EXPECT_EQ(row_major_order(3, indices{2, 0, 2, 0, 1}, indices{1, 4, 0, 4, 7}), (indices{1, 3, 4, 2, 0}));
}

TEST(row_major_order, needs_no_memory_for_empty_rows)
{
    const index_t huge = index_t{1} << 62;

    EXPECT_EQ(row_major_order(huge, indices{huge - 1, 5, 5}, indices{huge - 1, huge - 2, 0}), (indices{2, 1, 0}));
}

TEST(distinct_positions, is_empty_if_none_comes_twice)
{
    EXPECT_TRUE(distinct_positions({}, {}).empty());
    EXPECT_TRUE(distinct_positions(indices{0, 0, 1}, indices{0, 1, 1}).empty());
}

TEST(distinct_positions, gives_the_beginning_of_each_run)
{
    EXPECT_EQ(distinct_positions(indices{0, 0, 0, 1, 1}, indices{0, 0, 1, 2, 2}), (indices{0, 2, 3}));
}

/// Records the order in which terms were added.
struct trace {
    std::string terms;
    friend trace operator+(const trace& a, const trace& b) { return {a.terms + b.terms}; }
    bool operator==(const trace&) const = default;
};

TEST(sort_and_sum, adds_in_the_order_given)
{
    coo<trace> a{2, 2, {1, 0, 1, 0, 1}, {1, 0, 1, 0, 0}, {{"a"}, {"b"}, {"c"}, {"d"}, {"e"}}};
    std::vector<std::string> also{"A", "B", "C", "D", "E"};

    const indices repeated = sort_and_sum(a, also);

    EXPECT_EQ(repeated, (indices{2, 3}));
    EXPECT_EQ(a.row, (indices{0, 1, 1}));
    EXPECT_EQ(a.col, (indices{0, 0, 1}));
    EXPECT_EQ(a.value, (std::vector<trace>{{"bd"}, {"e"}, {"ac"}}));
    EXPECT_EQ(also, (std::vector<std::string>{"BD", "E", "AC"}));
}

TEST(sort_and_sum, sums_entries_that_are_in_order_already)
{
    coo<double> a{1, 3, {0, 0, 0}, {1, 1, 1}, {1.0, 2.0, 4.0}};

    EXPECT_EQ(sort_and_sum(a), (indices{1, 2}));
    EXPECT_EQ(a.size(), 1);
    EXPECT_EQ(a.value, (std::vector<double>{7.0}));
}

TEST(sort_and_sum, agrees_with_an_ordered_map_on_random_entries)
{
    const std::uint64_t seed = 20250131;
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    for (int trial = 0; trial < support::scaled(300); ++trial) {
        // Few and many entries a row, rows beyond the number of entries, columns in some order.
        const index_t rows = 1 + static_cast<index_t>(random() % (random() % 2 ? 5 : 400));
        const index_t cols = 1 + static_cast<index_t>(random() % (random() % 2 ? 5 : 400));
        coo<double> a{rows, cols, {}, {}, {}};
        std::map<std::pair<index_t, index_t>, double> expected;
        for (std::uint64_t k = random() % 200; k > 0; --k) {
            const index_t r = static_cast<index_t>(random() % static_cast<std::uint64_t>(rows));
            const index_t c = static_cast<index_t>(random() % static_cast<std::uint64_t>(cols));
            const double v = static_cast<double>(random() % 1000);
            a.row.push_back(r);
            a.col.push_back(c);
            a.value.push_back(v);
            expected[{r, c}] += v;
        }
        const index_t before = a.size();

        const indices repeated = sort_and_sum(a);

        ASSERT_EQ(a.size(), static_cast<index_t>(expected.size()));
        ASSERT_EQ(before - a.size(), static_cast<index_t>(repeated.size()));
        std::size_t k = 0;
        for (const auto& [position, value] : expected) {
            ASSERT_EQ(std::pair(a.row[k], a.col[k]), position);
            ASSERT_EQ(a.value[k], value);
            ++k;
        }
    }
}

TEST(is_symmetric, compares_positions_and_values)
{
    const coo<double> symmetric{2, 2, {0, 0, 1}, {0, 1, 0}, {1.0, 5.0, 5.0}};
    const coo<double> value_differs{2, 2, {0, 0, 1}, {0, 1, 0}, {1.0, 5.0, 6.0}};
    const coo<double> position_missing{2, 2, {0, 0}, {0, 1}, {1.0, 5.0}};
    const coo<double> not_square{2, 3, {0}, {0}, {1.0}};
    const coo<double> shifted{3, 3, {0, 1, 2}, {1, 2, 0}, {1.0, 1.0, 1.0}};

    EXPECT_TRUE(is_symmetric(symmetric));
    EXPECT_TRUE(is_symmetric(coo<double>{}));
    EXPECT_FALSE(is_symmetric(value_differs));
    EXPECT_FALSE(is_symmetric(position_missing));
    EXPECT_FALSE(is_symmetric(not_square));
    EXPECT_FALSE(is_symmetric(shifted));
}

TEST(lower_triangle, keeps_the_diagonal)
{
    const coo<double> a{2, 2, {0, 0, 1, 1}, {0, 1, 0, 1}, {1.0, 2.0, 3.0, 4.0}};

    const coo<double> lower = lower_triangle(a);

    EXPECT_EQ(lower.row, (indices{0, 1, 1}));
    EXPECT_EQ(lower.col, (indices{0, 0, 1}));
    EXPECT_EQ(lower.value, (std::vector<double>{1.0, 3.0, 4.0}));
}

TEST(sort_and_sum, sorts_large_matrices_alike_with_any_number_of_threads)
{
    std::mt19937_64 random(5);
    std::vector<std::pair<index_t, index_t>> places;
    for (index_t i = 0; i < 3000; ++i) {
        const index_t entries = i % 500 == 0 ? 20000 : static_cast<index_t>(random() % 60);  // some rows are long
        for (index_t k = 0; k < entries; ++k) {
            places.emplace_back(i, k * 7919 % 40009);
        }
    }
    std::shuffle(places.begin(), places.end(), random);
    const int threads = omp_get_max_threads();
    for (const int k : {1, 2, 3, 8}) {
        omp_set_num_threads(k);
        coo<double> a{3000, 40009, {}, {}, {}};
        for (const auto& [row, col] : places) {
            a.row.push_back(row);
            a.col.push_back(col);
            a.value.push_back(static_cast<double>(row * 40009 + col));
        }
        EXPECT_TRUE(sort_and_sum(a).empty());
        EXPECT_TRUE(is_row_major(a.row, a.col));
        ASSERT_EQ(a.row.size(), places.size());
        for (std::size_t e = 0; e < places.size(); ++e) {
            ASSERT_EQ(a.value[e], static_cast<double>(a.row[e] * 40009 + a.col[e]));
        }
        a.row.push_back(a.row.front());  // a position twice
        a.col.push_back(a.col.front());
        a.value.push_back(1.0);
        const double sum = a.value.front() + 1.0;
        EXPECT_EQ(sort_and_sum(a), (indices{static_cast<index_t>(places.size())}));
        EXPECT_EQ(a.value.front(), sum);
        EXPECT_EQ(a.row.size(), places.size());
    }
    omp_set_num_threads(threads);
}

TEST(is_symmetric, tells_one_different_entry)
{
    coo<double> a{4, 4, {0, 0, 1, 2, 3, 3}, {0, 3, 1, 2, 0, 3}, {1.0, 2.0, 0.0, 5.0, 2.0, 1.0}};
    EXPECT_TRUE(is_symmetric(a));
    a.value[4] = 2.5;
    EXPECT_FALSE(is_symmetric(a));
    a.value[4] = 2.0;
    a.col[1] = 2;
    EXPECT_FALSE(is_symmetric(a));
    const index_t far = index_t{1} << 60;  // without memory for every row
    EXPECT_TRUE(is_symmetric(coo<double>{far, far, {3, far - 1}, {far - 1, 3}, {7.0, 7.0}}));
    EXPECT_FALSE(is_symmetric(coo<double>{far, far, {3, far - 1}, {far - 1, 3}, {7.0, 8.0}}));
}

}  // namespace
}  // namespace residua::io
