#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/matrix/make_system.hpp>
#include <residua/solvers/matrix/structure.hpp>

namespace residua {
namespace {

/// [4 1 0; 0 0 0; 2 0 5] by columns, the rows of the first in descending order.
struct small_matrix {
    std::vector<std::int32_t> begin{0, 2, 3, 4};
    std::vector<std::int32_t> row{2, 0, 0, 2};
    std::vector<double> value{2, 4, 1, 5};

    csc_view<std::int32_t, double> view() const
    {
        return {.rows = 3, .cols = 3, .col_begin = begin, .row = row, .value = value};
    }
};

template <class Call>
std::string refusal(const Call& call)
{
    try {
        call();
    } catch (const error& e) {
        return e.what();
    }
    return "nothing was thrown";
}

TEST(matrix_views_test, compressed_columns_become_rows)
{
    const linear_system a = make_system(small_matrix{}.view(), std::vector<int>{1, 2, 3});
    EXPECT_EQ(a.row_begin, (std::vector<index_t>{0, 2, 2, 4}));
    EXPECT_EQ(a.column, (std::vector<std::int32_t>{0, 1, 0, 2}));
    EXPECT_EQ(a.values, (std::vector<double>{4, 1, 2, 5}));
    EXPECT_EQ(a.b, (std::vector<real>{1, 2, 3}));
    EXPECT_NO_THROW(require_valid(a));
}

TEST(matrix_views_test, columns_hold_other_numbers_and_count_from_1_too)
{
    const std::vector<std::int64_t> begin{1, 3, 5};
    const std::vector<std::int64_t> row{1, 2, 2, 2};
    const std::vector<std::string_view> decimals{"0.1000000000000000000001", "2", "3", "4e-400"};
    EXPECT_NE(refusal([&] {
                  make_system(csc_view<std::int64_t, std::string_view>{2, 2, begin, row, decimals, 1});
              }).find("more than once"),
              std::string::npos);
    const std::vector<std::int64_t> once{1, 2, 1, 2};
    const linear_system a = make_system(csc_view<std::int64_t, std::string_view>{2, 2, begin, once, decimals, 1});
    EXPECT_EQ(entry(a, 0, 200), real("0.1000000000000000000001", 200));
    EXPECT_EQ(entry(a, 1, 200), real(3));
    EXPECT_EQ(entry(a, 3, 200), real("4e-400", 200));
    const std::vector<real> long_ones{real(1), ldexp(real(1), -80), real(3), real(4)};
    const linear_system summed = make_system(csc_view<std::int64_t, real>{2, 2, begin, row, long_ones, 1});
    EXPECT_EQ(entry(summed, 0, 200), real(1));
    EXPECT_EQ(entry(summed, 2, 200), real(7));
}

TEST(matrix_views_test, a_symmetric_matrix_by_columns_is_seen_to_be_symmetric)
{
    const std::vector<std::int32_t> begin{0, 2, 4};
    const std::vector<std::int32_t> row{1, 0, 1, 0};
    const std::vector<double> value{2, 1, -3, 2};
    EXPECT_TRUE(inspect(make_system(csc_view<std::int32_t, double>{2, 2, begin, row, value})).symmetric);
}

TEST(matrix_views_test, refuses_columns_that_do_not_fit)
{
    small_matrix m;
    m.begin[1] = 4;
    EXPECT_EQ(refusal([&] { make_system(m.view()); }),
              "make_system: col_begin[2], from 0, is 3, but the position before it is 4");
    m = {};
    m.begin[3] = 3;
    EXPECT_EQ(refusal([&] { make_system(m.view()); }),
              "make_system: col_begin[3], from 0, is 3, but there are 4 entries");
    m = {};
    m.begin[0] = 1;
    EXPECT_EQ(refusal([&] { make_system(m.view()); }),
              "make_system: col_begin[0], from 0, is 1, but the first entry is 0");
    m = {};
    m.begin.pop_back();
    EXPECT_EQ(refusal([&] { make_system(m.view()); }), "make_system: col_begin has 3 positions; 3 columns need 4");
    m = {};
    m.row[1] = 3;
    EXPECT_EQ(refusal([&] { make_system(m.view()); }),
              "make_system: row[1] is 3; a matrix of 3 rows has those from 0 to 2");
}

TEST(matrix_views_test, long_doubles_are_taken_exactly)
{
    const std::vector<long double> value{1 + 0x1p-63L, 1};
    const linear_system a = make_system(dense_view<long double>{1, 2, value}, std::vector<long double>{0x1p-16000L});
    EXPECT_EQ(entry(a, 0, 100), real(1) + ldexp(real(1, 100), -63));
    EXPECT_EQ(a.b[0], ldexp(real(1), -16000));
}

}  // namespace
}  // namespace residua
