#include <gtest/gtest.h>

#include "apps/residua/text/layout.hpp"

namespace residua {
namespace {

TEST(wrapped, breaks_at_blanks_and_indents)
{
    EXPECT_EQ(wrapped("one two three", 2, 9), "  one two\n  three\n");
    EXPECT_EQ(wrapped("", 2, 9), "  \n");
}

TEST(wrapped, keeps_words_that_are_too_long)
{
    EXPECT_EQ(wrapped("a incomprehensibilities b", 0, 5), "a\nincomprehensibilities\nb\n");
}

TEST(row, aligns_text_behind_the_label) { EXPECT_EQ(row("label", "text"), "label               text\n"); }

TEST(text_table, pads_columns_to_their_widest_cell)
{
    text_table table({text_table::align::left, text_table::align::right, text_table::align::left});
    table.add({"name", "n", "x"});
    table.add({"a", "1000", "yy"});

    EXPECT_EQ(table.text(), "name     n  x\na     1000  yy\n");
}

TEST(csv_line, quotes_what_would_be_misread)
{
    EXPECT_EQ(csv_line({"a", "b,c", "d\"e", "f\ng", ""}), "a,\"b,c\",\"d\"\"e\",\"f\ng\",\n");
}

}  // namespace
}  // namespace residua
