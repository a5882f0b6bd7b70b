#include <residua/io/column.hpp>

#include <string>

#include <gtest/gtest.h>

#include "tests/io/words.hpp"

namespace residua::io {
namespace {

using testing::refusal;
using testing::said_by;

TEST(column, numbers_keep_their_digits)
{
    const std::string sixty = "0.123456789012345678901234567890123456789012345678901234567890";
    EXPECT_EQ(said_by(sixty + "\n-1e-400\n", file_part::rhs), "2 x 1: (1, 1) " + sixty + ", (2, 1) -1e-400");
}

TEST(column, comments_and_blank_lines_are_passed)
{
    for (const std::string end : {"\n", "\r\n", "\r"}) {
        const std::string text = "\xef\xbb\xbf# by a program" + end + "  % 1" + end + end + "\t1 \t" + end + "#2" +
                                 end + " 3D+2" + end + "% end";
        EXPECT_EQ(said_by(text, file_part::guess), "2 x 1: (1, 1) 1, (2, 1) 3D+2");
    }
    EXPECT_EQ(said_by("7", file_part::any), "1 x 1: (1, 1) 7");
}

TEST(column, refusals_name_the_line)
{
    const auto rhs = [](const std::string& text) { return refusal(text, file_part::rhs); };
    EXPECT_EQ(rhs("# b\n1\n2 3\n"), "input_error f:3: '2 3' is more than a number; a column has one in each line");
    EXPECT_EQ(rhs("1\n\n0,5\n"), "input_error f:3: '0,5' is not a number; is the comma a decimal point?");
    EXPECT_EQ(rhs("1\r\nnan\r\n"), "input_error f:2: 'nan' is not a finite number");
    EXPECT_EQ(rhs("1\n2 # two\n"), "input_error f:2: '2 # two' is more than a number; a column has one in each line");
    EXPECT_EQ(rhs("1\n1e99999999999999999999\n"),
              "input_error f:2: the exponent of '1e99999999999999999999' does not fit into 64 bits");
    EXPECT_EQ(rhs("# nothing\n"), "input_error f: there is no number in it");
}

TEST(column, an_error_of_the_parser_names_the_line)
{
    const text file = as_matrix_market(make_text("f", "# b\n1\n2\n"), file_part::rhs);
    try {
        read_matrix_market(file, [](std::string_view decimal) {
            return decimal == "2" ? throw error("two") : testing::word{std::string(decimal)};
        });
        FAIL();
    } catch (const input_error& e) {
        EXPECT_STREQ(e.what(), "f:3: two");
    }
}

TEST(column, is_no_matrix)
{
    EXPECT_TRUE(
        refusal("1\n2\n").starts_with("input_error f: a column of numbers, which is read as a right-hand side"));
    EXPECT_EQ(
        refusal("1 2 3\n"),
        "input_error f:1: not a MatrixMarket file: it begins with '1 2 3' instead of '%%MatrixMarket matrix ...'");
}

TEST(column, damage_is_refused) { testing::expect_damage_is_refused("# b\n1.5e-3\r\n\n-2 \n", file_part::rhs); }

}  // namespace
}  // namespace residua::io
