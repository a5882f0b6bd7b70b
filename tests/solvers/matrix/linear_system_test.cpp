#include <gtest/gtest.h>

#include <residua/solvers/matrix/linear_system.hpp>
#include <residua/solvers/matrix/structure.hpp>
#include <residua/solvers/session/analyze.hpp>
#include <residua/solvers/solve.hpp>

#include "tests/support/systems.hpp"

using namespace residua;
using namespace residua::support;

TEST(linear_system_test, keeps_decimals_only_where_binary64_does_not_hold_them)
{
    io::coo<real> a;
    a.rows = a.cols = 2;
    a.row = a.col = {0, 1};
    a.value = {real("0.5", 200), real("0.25", 200)};
    EXPECT_TRUE(make_system(a, ones(2)).exact.empty());

    a.value[1] = real("0.1", 200);
    const linear_system system = make_system(a, ones(2));

    ASSERT_EQ(system.exact.size(), 2u);
    EXPECT_EQ(system.values[1], 0.1);
    EXPECT_EQ(system.exact.at(1, 64), real("0.1", 200));
}

TEST(linear_system_test, refuses_a_right_hand_side_of_the_wrong_size)
{
    EXPECT_THROW(make_system(poisson_1d(3), ones(2)), dimension_error);
}

TEST(linear_system_test, refuses_coordinates_outside_and_adds_those_in_one_place)
{
    const auto matrix = [](std::vector<index_t> row, std::vector<index_t> col) {
        io::coo<double> a{2, 2, std::move(row), std::move(col), {}};
        a.value.assign(a.col.size(), 1.0);
        return a;
    };
    for (const io::coo<double>& a :
         {matrix({0, 0, 1}, {0, 1, 1}), matrix({1, 0, 0}, {1, 1, 0}), matrix({0, 1, 0}, {1, 1, 0})}) {
        EXPECT_EQ(make_system(a, ones(2)).row_begin, (std::vector<index_t>{0, 2, 3}));
    }
    EXPECT_EQ(make_system(matrix({0, 1, 1}, {0, 1, 1}), ones(2)).values, (std::vector<double>{1.0, 2.0}));
    for (const io::coo<double>& a :
         {matrix({0, 7}, {0, 1}), matrix({0, -1}, {0, 1}), matrix({0, 1}, {0, 2}), matrix({0, 1}, {0, -1})}) {
        EXPECT_THROW(make_system(a, ones(2)), dimension_error);
    }
    io::coo<double> without_a_value = matrix({0, 1}, {0, 1});
    without_a_value.value.pop_back();
    EXPECT_THROW(make_system(without_a_value, ones(2)), dimension_error);
    EXPECT_THROW(make_system(matrix({0, 1}, {0, 1}), std::vector<real>{}, ones(2)), dimension_error);
    EXPECT_THROW(make_system(matrix({1, 0}, {0, 0}), ones(2), ones(2)), dimension_error);
}

TEST(linear_system_test, one_made_by_hand_is_checked_before_it_is_solved)
{
    const linear_system right = system_of(from_rows({{2, 1}, {1, 3}}));
    EXPECT_NO_THROW(require_valid(right));
    const auto refused = [&](auto&& spoil) {
        linear_system wrong = right;
        spoil(wrong);
        EXPECT_THROW(require_valid(wrong), dimension_error);
        EXPECT_THROW(solve(wrong), dimension_error);
        EXPECT_THROW(analyze(wrong), dimension_error);
    };
    refused([](linear_system& s) { s.row_begin = {0, 9, 4}; });
    refused([](linear_system& s) { s.row_begin = {0, 2}; });
    refused([](linear_system& s) { s.row_begin.clear(); });
    refused([](linear_system& s) { s.row_begin = {1, 2, 4}; });
    refused([](linear_system& s) { s.row_begin = {0, 2, 3}; });
    refused([](linear_system& s) { s.row_begin = {0, -1, 4}; });
    refused([](linear_system& s) { s.column.own()[3] = 2; });
    refused([](linear_system& s) { s.column.own()[0] = -1; });
    refused([](linear_system& s) { s.column.own()[1] = 0; });
    refused([](linear_system& s) { s.values.pop_back(); });
    refused([](linear_system& s) { s.exact = std::vector<real>{real(1.0)}; });
}

TEST(row_sums_test, are_exact_across_the_range_of_binary64)
{
    const linear_system system = system_of(from_rows({{0x1p1000, 1.0, 0x1p-1000}, {1, -1, 0}, {0, 0, 3}}));

    const std::vector<real> sums = row_sums(system);

    EXPECT_EQ(sums[0], ldexp(real(1.0, 2400), 1000) + real(1.0) + ldexp(real(1.0), -1000));
    EXPECT_TRUE(is_zero(sums[1]));
    EXPECT_EQ(sums[2], real(3.0));
}

TEST(row_sums_test, are_exact_for_decimals)
{
    io::coo<real> a;
    a.rows = a.cols = 1;
    a.cols = 2;
    a.row = {0, 0};
    a.col = {0, 1};
    a.value = {real("1e300", 300), real("1e-300", 300)};

    const std::vector<real> sums = row_sums(make_system(a, ones(1)));

    EXPECT_EQ(sums[0] - a.value[0], a.value[1]);
}

TEST(structure_test, sees_symmetry_exactly)
{
    EXPECT_TRUE(inspect(system_of(poisson_1d(5))).symmetric);
    EXPECT_FALSE(inspect(system_of(from_rows({{1, 2}, {2.0000000000000004, 1}}))).symmetric);
    EXPECT_FALSE(inspect(system_of(from_rows({{1, 2, 0}, {0, 1, 2}, {2, 0, 1}}))).symmetric);
    EXPECT_TRUE(inspect(system_of(from_rows({{0, 2}, {-2, 0}}))).skew_symmetric);
}

TEST(structure_test, measures_diagonal_bandwidth_and_empty_rows)
{
    const matrix_structure s = inspect(system_of(from_rows({{1, 0, 5}, {0, 0, 0}, {1, 0, -2}})));

    EXPECT_TRUE(s.square);
    EXPECT_FALSE(s.nonzero_diagonal);
    EXPECT_EQ(s.upper_bandwidth, 2);
    EXPECT_EQ(s.lower_bandwidth, 2);
    EXPECT_EQ(s.zero_rows, 1);
    EXPECT_EQ(s.zero_cols, 1);
    EXPECT_EQ(zero_words(s), "row 2 and column 2 have no nonzero entry");
    EXPECT_EQ(zero_words(inspect(system_of(from_rows({{1, 0, 0}, {1, 0, 0}})))),
              "column 2 (the first of 2) has no nonzero entry");
    EXPECT_EQ(zero_words(inspect(system_of(from_rows({{1, 2}, {0, 0}})))), "row 2 has no nonzero entry");
    EXPECT_EQ(zero_words(inspect(system_of(poisson_1d(4)))), "");
    EXPECT_TRUE(inspect(system_of(poisson_1d(4))).diagonally_dominant);
    EXPECT_TRUE(inspect(system_of(poisson_1d(4))).positive_diagonal);
}

TEST(structure_test, decides_dominance_by_the_exact_entries)
{
    const auto dominant = [](const std::vector<const char*>& entries) {
        io::coo<real> a;
        for (std::size_t k = 0; k < entries.size(); ++k) {
            a.row.push_back(0);
            a.col.push_back(static_cast<index_t>(k));
            a.value.emplace_back(entries[k], 200);
        }
        a.rows = a.cols = static_cast<index_t>(entries.size());
        for (index_t i = 1; i < a.rows; ++i) {
            a.row.push_back(i);
            a.col.push_back(i);
            a.value.emplace_back(1.0);
        }
        return inspect(make_system(a, ones(entries.size()))).diagonally_dominant;
    };
    for (const char* scale : {"e-400", "e400", "e-310", "e308", "", "e-17"}) {
        const auto times = [&](const char* digits) { return digits + std::string(scale); };
        EXPECT_FALSE(dominant({times("1").c_str(), times("5").c_str()})) << scale;
        EXPECT_TRUE(dominant({times("5").c_str(), times("-1").c_str()})) << scale;
        EXPECT_TRUE(dominant({times("-5").c_str(), times("5").c_str()})) << scale;
        EXPECT_FALSE(dominant({times("1").c_str(), times("1.00000000000000000001").c_str()})) << scale;
    }
    // sums of binary64 numbers that are rounded: 2^53 and 1, and twice half of the last place of 1
    EXPECT_FALSE(dominant({"9007199254740992", "9007199254740992", "1"}));
    EXPECT_TRUE(dominant({"9007199254740994", "9007199254740992", "1", "1"}));
    EXPECT_FALSE(dominant({"9007199254740992", "1", "1", "9007199254740991"}));
    const char* largest = "1.7e308";
    EXPECT_FALSE(dominant({largest, largest, largest}));
    EXPECT_FALSE(dominant({largest, largest, "1"}));
    EXPECT_TRUE(dominant({largest, "8e307", "8e307"}));
}
