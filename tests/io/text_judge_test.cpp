#include <residua/io/text_judge.hpp>

#include <string>

#include <gtest/gtest.h>

#include <residua/io/error.hpp>

namespace residua::io {
namespace {

const std::string name = "a.mtx";
const std::string banner = "%%MatrixMarket matrix coordinate real general\n";

/// What a judge says of a text that comes in steps of so many bytes: the bytes after which it wants no more, or all.
std::size_t bytes_wanted(const std::string& text, std::size_t step)
{
    text_judge judge(name);
    for (std::size_t end = step; end < text.size() + step; end += step) {
        if (!judge.wants_more(std::string_view(text).substr(0, end))) {
            return std::min(end, text.size());
        }
    }
    return text.size();
}

std::string refusal(const std::string& text, std::size_t step)
{
    try {
        bytes_wanted(text, step);
    } catch (const input_error& e) {
        return e.what();
    }
    return "not refused";
}

TEST(text_judge, wants_all_of_a_whole_file)
{
    for (const std::string end : {"\n", "\r\n", "\r"}) {
        std::string text = "\xef\xbb\xbf%%matrixmarket MATRIX coordinate real general" + end + "% comment" + end + end;
        text += "  3 3 4" + end;
        for (int k = 1; k < 5; ++k) {
            text += end + "1 2 " + std::string(900, '3') + end + " % comment" + end;
        }
        for (const std::size_t step : {40, 41, 100, 5000}) {
            EXPECT_EQ(bytes_wanted(text, std::max(step, std::size_t{64})), text.size()) << step;
        }
    }
}

TEST(text_judge, wants_no_more_of_what_has_no_format)
{
    EXPECT_EQ(bytes_wanted(std::string(100000, '\0'), 64), 64);
    EXPECT_EQ(bytes_wanted("%MatrixMarket matrix\n2 2 1\n" + std::string(1000, '\n'), 64), 64);
    EXPECT_EQ(bytes_wanted("hello\n\n\n" + std::string(1000, '1'), 64), 64);
    EXPECT_EQ(bytes_wanted("1\n2\nthree\n" + std::string(1000, '1'), 64), 64);
}

TEST(text_judge, wants_all_of_other_formats)
{
    const std::string column = "# b\n1.5\n" + std::string(1000, '\n') + "-2\n% end\n";
    EXPECT_EQ(bytes_wanted(column, 64), column.size());
    EXPECT_EQ(bytes_wanted(column + "two\n" + std::string(1000, '\n'), 64), (column.size() + 4 + 63) / 64 * 64);
    const std::string boeing = "title\n 4 1 1 1\nRUA 3 3 3 0\n(40I2) (40I2) (3E25.16)\n" + std::string(1000, '\n');
    EXPECT_EQ(bytes_wanted(boeing, 64), boeing.size());
    const std::string archive = "PK\x03\x04" + std::string(text_judge::most_of_line + 100, '1');
    EXPECT_EQ(bytes_wanted(archive, 64), archive.size());
    EXPECT_EQ(refusal("1\n" + std::string(text_judge::most_of_line + 2, '1'), 1 << 16),
              "a.mtx: line 2 has more than " + std::to_string(text_judge::most_of_line) + " bytes");
}

TEST(text_judge, wants_no_more_than_is_announced)
{
    const std::string three = banner + "9 9 3\n1 1 1\n2 2 2\n3 3 3\n";
    EXPECT_EQ(bytes_wanted(three + "\n\n", 64), three.size() + 2);
    EXPECT_LT(bytes_wanted(three + std::string(1000, '4') + "\n" + std::string(1 << 16, '4'), 64), three.size() + 1100);
    const std::string array = "%%MatrixMarket matrix array real general\n2 2\n1\n1\n1\n1\n";
    EXPECT_EQ(bytes_wanted(array + "\n\n", 64), array.size() + 2);
    EXPECT_LT(bytes_wanted(array + "1\n1\n" + std::string(1 << 16, ' '), 64), array.size() + 64);
    // sizes that it does not understand are left to the parser
    EXPECT_EQ(bytes_wanted(banner + "nine\n1 1 1\n2 2 2\n", 64), banner.size() + 17);
}

TEST(text_judge, a_byte_order_mark_changes_nothing)
{
    const std::string text = "\xef\xbb\xbf" + banner + "9 9 1\n1 1 1\n";
    EXPECT_EQ(bytes_wanted(text + "2 2 2\n" + std::string(1000, '\n'), 64), 128);
    EXPECT_EQ(bytes_wanted(text, 64), text.size());
}

TEST(text_judge, says_the_same_of_single_bytes)
{
    for (const std::string& mark : {std::string(), std::string("\xef\xbb\xbf")}) {
        const std::string text = mark + banner + "9 9 1\n1 1 1\n";
        EXPECT_EQ(bytes_wanted(text, 1), text.size());
        EXPECT_EQ(bytes_wanted(text + "2 2 2\n3", 1), text.size() + 6);
    }
    EXPECT_EQ(bytes_wanted("%MatrixMarket\n1\n2 2\n3", 1), 20);
}

TEST(text_judge, refuses_long_lines_and_many_comments)
{
    const std::string most = std::to_string(text_judge::most_of_line);
    EXPECT_EQ(refusal(banner + std::string(text_judge::most_of_line + 2, '\0'), 1 << 16),
              "a.mtx: line 2 has more than " + most + " bytes");
    EXPECT_EQ(
        refusal("%%MatrixMarket matrix array real general\r\n\r\n" + std::string(text_judge::most_of_line + 2, '1'),
                64),
        "a.mtx: line 3 has more than " + most + " bytes");
    EXPECT_EQ(refusal(banner + std::string(text_judge::most_of_line, ' '), 1 << 16), "not refused");
    const std::string comments = [] {
        std::string all;
        for (std::size_t k = 0; k < text_judge::most_beside_entries / 1000 + 2; ++k) {
            all += "%" + std::string(998, 'c') + "\n";
        }
        return all;
    }();
    EXPECT_EQ(refusal(banner + comments, 1 << 22), "a.mtx: there are more than " +
                                                       std::to_string(text_judge::most_beside_entries) +
                                                       " bytes of comments and blank lines");
}

}  // namespace
}  // namespace residua::io
