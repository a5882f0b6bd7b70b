#include <residua/io/harwell_boeing.hpp>

#include <optional>
#include <string>

#include <gtest/gtest.h>

#include <residua/io/fortran_format.hpp>
#include "tests/io/words.hpp"
#include "tests/support/scale.hpp"

namespace residua::io {
namespace {

using testing::refusal;
using testing::said_by;

const std::string title = "A matrix                                                                KEY     \n";

/// A file of a 2 x 2 matrix with three entries; `lines` are its pointers, row numbers, values and all that follows.
std::string file_of(const std::string& type, const std::string& lines,
                    const std::string& formats = "(3I2) (3I2) (3E9.2)", const std::string& rhs = "")
{
    return title + "             4             1             1             1             " + (rhs.empty() ? "0" : "1") +
           "\n" + type + "                        2             2             3             0\n" + formats + "\n" +
           rhs + lines;
}

const std::string three = " 1 3 4\n 1 2 2\n  1.5E+00-2.5D-01 1.25-003\n";

TEST(fortran_format, understands_the_formats_of_files)
{
    const auto is = [](const std::string& text, index_t count, index_t width, index_t decimals, index_t scale = 0) {
        return fortran_format::parse(text) == fortran_format{count, width, decimals, scale};
    };
    EXPECT_TRUE(is("(10I8)", 10, 8, 0));
    EXPECT_TRUE(is("(I8)", 1, 8, 0));
    EXPECT_TRUE(is("(3E26.18)", 3, 26, 18));
    EXPECT_TRUE(is("(1P,4D20.12)", 4, 20, 12, 1));
    EXPECT_TRUE(is(" ( 1p4e20.12 ) ", 4, 20, 12, 1));
    EXPECT_TRUE(is("(-2P,F20.3)", 1, 20, 3, -2));
    EXPECT_TRUE(is("(3E26.16E3)", 3, 26, 16));
    EXPECT_TRUE(is("(2ES24.16)", 2, 24, 16));
    EXPECT_TRUE(is("(5G16.8)", 5, 16, 8));
    for (const char* wrong : {"", "10I8", "(10I8", "(A20)", "(0I8)", "(3I0)", "(I)", "(E20.)", "(3E20.12,1X)",
                              "(3(E20.12))", "(-3E20.12)", "(99999I8)", "(3I8)x"}) {
        EXPECT_FALSE(fortran_format::parse(wrong)) << wrong;
    }
}

TEST(fortran_format, decimals_have_the_value_of_the_field)
{
    const auto plain = [](const std::string& field) { return fortran_decimal(field, {1, 20, 3, 0}); };
    EXPECT_EQ(plain("1.5"), "1.5");
    EXPECT_EQ(plain("-1.5E-3"), "-1.5e-3");
    EXPECT_EQ(plain("1.5D+03"), "1.5e+03");
    EXPECT_EQ(plain("1.5-3"), "1.5e-3");
    EXPECT_EQ(plain("+1.5+300"), "+1.5e+300");
    EXPECT_EQ(plain("1.0E 00"), "1.0e00");
    EXPECT_EQ(plain("12345"), "12345e-3");  // Fortran's F20.3 puts the point there
    EXPECT_EQ(plain("12345E+2"), "12345e-1");
    EXPECT_EQ(fortran_decimal("1.5", {1, 20, 3, 1}), "1.5e-1");  // 1P, without an exponent
    EXPECT_EQ(fortran_decimal("1.5E0", {1, 20, 3, 1}), "1.5e0");
    EXPECT_EQ(fortran_decimal("15", {1, 20, 3, -2}), "15e-1");
    for (const char* wrong : {"", "-", "x", "1.5.2", "1-2-3", "1e", "nan", "12e99999999999999999999", "1,5"}) {
        EXPECT_EQ(plain(wrong), std::nullopt) << wrong;
    }
}

TEST(harwell_boeing, matrices_of_all_types)
{
    EXPECT_EQ(said_by(file_of("RUA", three)), "2 x 2: (1, 1) 1.5e+00, (2, 1) -2.5e-01, (2, 2) 1.25e-003");
    EXPECT_EQ(said_by(file_of("rra", three)), "2 x 2: (1, 1) 1.5e+00, (2, 1) -2.5e-01, (2, 2) 1.25e-003");
    EXPECT_EQ(said_by(file_of("RSA", three)),
              "2 x 2: (1, 1) 1.5e+00, (1, 2) -2.5e-01, (2, 1) -2.5e-01, (2, 2) 1.25e-003");
    EXPECT_EQ(said_by(file_of("PUA", " 1 3 4\n 1 2 2\n", "(3I2) (3I2)")), "2 x 2: (1, 1) 1, (2, 1) 1, (2, 2) 1");
    EXPECT_EQ(said_by(file_of("RZA", " 1 3 4\n 1 2 2\n 0 5 0\n", "(3I2) (3I2) (3F2.0)")),
              "2 x 2: (1, 1) 0, (1, 2) -5, (2, 1) 5, (2, 2) 0");
    EXPECT_EQ(said_by(file_of("IUA", " 1 3 4\n 1 2 2\n 1 2 3\n", "(3I2) (3I2) (3I2)")),
              "2 x 2: (1, 1) 1, (2, 1) 2, (2, 2) 3");
    EXPECT_EQ(said_by(file_of("CHA", " 1 3 4\n 1 2 2\n 1 0 2 3\n 4 0\n", "(3I2) (3I2) (4I2)")),
              "2 x 2: (1, 1) 1 +i 0, (1, 2) 2 +i -3, (2, 1) 2 +i 3, (2, 2) 4 +i 0");
}

TEST(harwell_boeing, fields_stand_without_blanks_and_in_several_lines)
{
    const std::string digits = "1.234567890123456789012345678901234567890123456789012345678901E+00";  // 66 bytes
    const std::string text = file_of("RUA", "001\n003\n004\n001002\n002\n" + digits + digits + "\n" + digits + "\n",
                                     "(1I3)           (2I3)           (2E66.60)           ");
    const std::string value = "1.234567890123456789012345678901234567890123456789012345678901e+00";
    EXPECT_EQ(said_by(text), "2 x 2: (1, 1) " + value + ", (2, 1) " + value + ", (2, 2) " + value);
    std::string windows;
    for (const char c : text) {
        windows += c == '\n' ? "\r\n" : std::string(1, c);
    }
    EXPECT_EQ(said_by(windows), said_by(text));
}

TEST(harwell_boeing, right_hand_sides_guesses_and_solutions_are_parts)
{
    const std::string all = file_of("RUA", three + " 1 2 3\n 4\n 5 6 7\n 8\n-1-2-3\n-4\n",
                                    "(3I2) (3I2) (3E9.2) (3F2.0)", "FGX                        2             0\n");
    EXPECT_EQ(said_by(all, file_part::rhs), "2 x 2: (1, 1) 1, (1, 2) 3, (2, 1) 2, (2, 2) 4");
    EXPECT_EQ(said_by(all, file_part::guess), "2 x 2: (1, 1) 5, (1, 2) 7, (2, 1) 6, (2, 2) 8");
    EXPECT_EQ(said_by(all, file_part::solution), "2 x 2: (1, 1) -1, (1, 2) -3, (2, 1) -2, (2, 2) -4");
    const text matrix = as_matrix_market(make_text("f", all));
    ASSERT_EQ(matrix.notes.size(), 1U);
    EXPECT_EQ(matrix.notes[0], "f: holds right-hand sides, too (2), which are read where the file is given as b");
    const std::string no_guess = file_of("RUA", three + " 1 2\n-1-2\n", "(3I2) (3I2) (3E9.2) (3F2.0)",
                                         "F X                        1             0\n");
    EXPECT_EQ(said_by(no_guess, file_part::solution), "2 x 1: (1, 1) -1, (2, 1) -2");
    EXPECT_EQ(refusal(no_guess, file_part::guess), "input_error f: a matrix of Harwell-Boeing without initial guesses");
    EXPECT_EQ(refusal(file_of("RUA", three), file_part::rhs),
              "input_error f: a matrix of Harwell-Boeing without right-hand sides");
    EXPECT_EQ(
        refusal(file_of("RUA", three, "(3I2) (3I2) (3E9.2) (3F2.0)", "M                          1             3\n"),
                file_part::rhs),
        "unsupported_error f: right-hand sides of the type 'm  ' are not in full, and are not read");
    testing::expect_damage_is_refused(all, file_part::solution);
    const std::string complex = file_of("CUA", " 1 3 4\n 1 2 2\n 1 0 2 3\n 4 0\n 1 2 3-4\n 5 6 0-8\n",
                                        "(3I2) (3I2) (4I2) (4F2.0)", "F X                        1             0\n");
    EXPECT_EQ(said_by(complex, file_part::rhs), "2 x 1: (1, 1) 1 +i 2, (2, 1) 3 +i -4");
    EXPECT_EQ(said_by(complex, file_part::solution), "2 x 1: (1, 1) 5 +i 6, (2, 1) 0 +i -8");
}

TEST(harwell_boeing, refusals_say_where_and_why)
{
    const std::string head = "input_error f:";
    EXPECT_EQ(refusal(file_of("RUA", " 1 3 4\n 1 2 3\n")),
              head + "6: field 3 of 3, among the row numbers, is 3, which is outside 1..2");
    EXPECT_EQ(refusal(file_of("RUA", " 1 3 2\n")),
              head + "5: field 3 of 3, among the pointers, is 2, which is outside 3..4");
    EXPECT_EQ(
        refusal(file_of("RUA", " 1 3 3\n")),
        head +
            "5: field 3 of 3, among the pointers, is 3, but the last one must be 4, one more than the entries that "
            "line 3 announces");
    EXPECT_EQ(refusal(file_of("RUA", " 1 3\n")), head + "5: field 3 of 3, among the pointers, is blank");
    EXPECT_EQ(refusal(file_of("RUA", " 1 3 4\n")), head + "5: the file ends after 0 row numbers; is it cut short?");
    EXPECT_EQ(refusal(file_of("RUA", " 1 3 4\n 1 2 2\n  1.5E+00 -2.5x01 1.25-003\n")),
              head + "7: field 2 of 3, among the values, is no number that can be read: '-2.5x01' is not a number");
    EXPECT_EQ(
        refusal(file_of("RSA", " 1 2 4\n 1 1 2\n")),
        head +
            "6: field 2 of 3, among the row numbers, is 1 in column 2, above the diagonal; the type 'rsa' holds the "
            "lower triangle only");
    EXPECT_EQ(refusal(file_of("RZA", three)),
              head + "7: field 1 of 3, among the values, is on the diagonal, where the type 'rza' has zeros");
    EXPECT_EQ(refusal(file_of("RUA", three, "(3I2) (A2) (3E9.2)")),
              head +
                  "4: the format '(A2)' of the row numbers is not one that is read: those are as (10I8), (3E26.18), "
                  "(1P,4D20.12), (8F10.3)");
    EXPECT_EQ(refusal(file_of("RUA", three, "(3I2) (3I2)")),
              head + "4: there is no format of the values in '(3I2) (3I2)'");
    EXPECT_EQ(refusal(file_of("RHA", three)),
              head + "3: the type 'rha': a hermitian matrix needs the field complex; a real one is called symmetric");
    EXPECT_EQ(
        refusal(file_of("RSE", three)),
        "unsupported_error f: the type 'rse' is a matrix of finite elements that are not assembled, which is not read; "
        "write it assembled, as MatrixMarket");
    EXPECT_EQ(
        refusal("title\nrhsrd bcsstk01 r            48             1             0\n(20I4)\n", file_part::rhs),
        "unsupported_error f: a supplementary file of Rutherford-Boeing ('rhs') is not read; write its numbers one to "
        "a line");
}

TEST(harwell_boeing, sizes_are_held_against_the_bytes)
{
    const std::string huge = title +
                             "  4  1  1  1\nRUA  9000000000000000000 9000000000000000000 9000000000000000000 0\n" +
                             "(3I2) (3I2) (3E9.2)\n 1 3 4\n";
    EXPECT_EQ(refusal(huge),
              "input_error f:3: the header announces more columns or entries than the file has bytes; is it "
              "cut short?");
    const std::string many = file_of("RUA", three, "(3I2) (3I2) (3E9.2) (3F2.0)", "F  9000000000000000000 0\n");
    EXPECT_EQ(refusal(many, file_part::rhs),
              "input_error f:5: announces more right-hand sides than the file has bytes");
}

TEST(harwell_boeing, entries_that_stand_twice_are_added_with_a_warning)
{
    const text file = as_matrix_market(make_text("f", file_of("RUA", " 1 3 4\n 2 2 2\n 1 2 4\n", "(3I2) (3I2) (3I2)")));
    const matrix_market<double> m = read_matrix_market(file, parse_binary64);
    EXPECT_EQ(m.entries.value, (std::vector<double>{3.0, 4.0}));
    EXPECT_EQ(m.warnings, (std::vector<std::string>{"f: entry (2, 1) stands in the file before; the two were added"}));
}

TEST(harwell_boeing, damage_is_refused)
{
    testing::expect_damage_is_refused(file_of("RUA", three));
    testing::expect_damage_is_refused(file_of("CHA", " 1 3 4\n 1 2 2\n 1 0 2 3\n 4 0\n", "(3I2) (3I2) (4I2)"));
}

TEST(harwell_boeing, the_file_of_a_report)
{
    const auto dir = support::matrix_dir();
    if (!dir) {
        GTEST_SKIP() << "RESIDUA_MATRIX_DIR is not set";
    }
    const std::string one = "1.0000000000000000e+00";
    EXPECT_EQ(said_by(as_matrix_market(load((*dir / "reports/harwell_boeing.rua").string()))),
              "3 x 3: (1, 1) " + one + ", (2, 2) " + one + ", (3, 3) " + one);
}

}  // namespace
}  // namespace residua::io
