#include <residua/io/matrix_market.hpp>

#include <limits>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <residua/io/decimal.hpp>
#include "tests/io/words.hpp"

namespace residua::io {
namespace {

using indices = std::vector<index_t>;
using numbers = std::vector<double>;

const std::string banner = "%%MatrixMarket matrix ";

matrix_market<double> read(const std::string& bytes) { return read_matrix_market(text{"f", bytes}, parse_binary64); }

TEST(read_matrix_market, sorts_by_row_then_column)
{
    const auto m = read(banner + "coordinate real general\n2 3 4\n2 1 4\n1 3 3\n2 3 5\n1 1 1e0\n");

    EXPECT_EQ(m.header.stored, 4);
    EXPECT_EQ(m.entries.rows, 2);
    EXPECT_EQ(m.entries.cols, 3);
    EXPECT_EQ(m.entries.row, (indices{0, 0, 1, 1}));
    EXPECT_EQ(m.entries.col, (indices{0, 2, 0, 2}));
    EXPECT_EQ(m.entries.value, (numbers{1.0, 3.0, 4.0, 5.0}));
    EXPECT_TRUE(m.imaginary.empty());
    EXPECT_TRUE(m.warnings.empty());
}

TEST(read_matrix_market, keeps_explicit_zeros)
{
    EXPECT_EQ(read(banner + "coordinate real general\n1 3 2\n1 1 0\n1 3 0.0\n").entries.size(), 2);
}

TEST(read_matrix_market, expands_symmetry)
{
    const std::string entries = "2 2 2\n1 1 0\n2 1 5\n";

    EXPECT_EQ(read(banner + "coordinate real symmetric\n" + entries).entries.value, (numbers{0.0, 5.0, 5.0}));
    const auto skew = read(banner + "coordinate real skew-symmetric\n" + entries);
    EXPECT_EQ(skew.entries.row, (indices{0, 0, 1}));
    EXPECT_EQ(skew.entries.col, (indices{0, 1, 0}));
    EXPECT_EQ(skew.entries.value, (numbers{0.0, -5.0, 5.0}));
}

TEST(read_matrix_market, expands_symmetry_of_complex_values)
{
    const std::string entries = "2 2 1\n2 1 5 7\n";

    const auto symmetric = read(banner + "coordinate complex symmetric\n" + entries);
    EXPECT_EQ(symmetric.entries.value, (numbers{5.0, 5.0}));
    EXPECT_EQ(symmetric.imaginary, (numbers{7.0, 7.0}));
    const auto skew = read(banner + "coordinate complex skew-symmetric\n" + entries);
    EXPECT_EQ(skew.entries.value, (numbers{-5.0, 5.0}));
    EXPECT_EQ(skew.imaginary, (numbers{-7.0, 7.0}));
    const auto hermitian = read(banner + "coordinate complex hermitian\n" + entries);
    EXPECT_EQ(hermitian.entries.value, (numbers{5.0, 5.0}));
    EXPECT_EQ(hermitian.imaginary, (numbers{-7.0, 7.0}));
}

TEST(read_matrix_market, gives_ones_for_a_pattern)
{
    EXPECT_EQ(read(banner + "coordinate pattern symmetric\n2 2 2\n1 1\n2 1\n").entries.value, (numbers{1.0, 1.0, 1.0}));
}

TEST(read_matrix_market, gives_arrays_by_rows)
{
    EXPECT_EQ(read(banner + "array real general\n2 3\n1 2 3 4 5 6\n").entries.value,
              (numbers{1.0, 3.0, 5.0, 2.0, 4.0, 6.0}));
    EXPECT_EQ(read(banner + "array real symmetric\n2 2\n1 2 3\n").entries.value, (numbers{1.0, 2.0, 2.0, 3.0}));
}

/// A number that remembers how it came about.
struct trace {
    std::string made;
    trace operator-() const { return {"-" + made}; }
    trace operator+(const trace& other) const { return {"(" + made + "+" + other.made + ")"}; }
};

TEST(read_matrix_market, sums_in_the_order_of_the_file_on_both_sides_of_the_diagonal)
{
    const text source{"f", banner +
                               "coordinate real skew-symmetric\n3 3 5\n"
                               "3 1 1.0e0\n2 1 7\n3 1 +2\n3 2 8\n3 1 3D1\n"};

    const auto m = read_matrix_market(source, [](std::string_view decimal) { return trace{std::string(decimal)}; });

    ASSERT_EQ(m.entries.size(), 6);
    EXPECT_EQ(m.entries.value[1].made, "((-1.0e0+-+2)+-3D1)");
    EXPECT_EQ(m.entries.value[4].made, "((1.0e0++2)+3D1)");
    EXPECT_EQ(m.warnings,
              (std::vector<std::string>{"f:5: 2 entries stand in the file before, (3, 1) first; values at the "
                                        "same position were added"}));
}

TEST(read_matrix_market, warns_of_one_sum)
{
    const auto m = read(banner + "coordinate complex general\n2 2 3\n2 2 1 5\n1 1 1 6\n2 2 2 7\n");

    EXPECT_EQ(m.entries.value, (numbers{1.0, 3.0}));
    EXPECT_EQ(m.imaginary, (numbers{6.0, 12.0}));
    EXPECT_EQ(m.warnings,
              (std::vector<std::string>{"f:5: entry (2, 2) stands in the file before; the two were added"}));
}

TEST(read_matrix_market, adds_file_and_line_to_what_the_parser_refuses)
{
    const std::string bytes = banner + "coordinate real general\n1 2 2\n1 1 1\n\n1 2 1e400\n";
    try {
        read(bytes);
        FAIL();
    } catch (const input_error& e) {
        EXPECT_EQ(std::string(e.what()).substr(0, 25), "f:5: '1e400' is beyond bi");
    }
}

TEST(read_matrix_market, passes_the_end_of_memory_on_as_such)
{
    const text source{"f", banner + "array real general\n1 1\n1\n"};

    EXPECT_THROW(read_matrix_market(source, [](std::string_view) -> double { throw resource_error("no memory"); }),
                 resource_error);
    EXPECT_THROW(read_matrix_market(source, [](std::string_view) -> double { throw std::bad_alloc(); }),
                 resource_error);
}

TEST(read_matrix_market, counts_with_a_tally)
{
    binary64_tally tally;
    const text source{"f", banner + "coordinate real symmetric\n2 2 2\n1 1 0.5\n2 1 0.1\n"};

    const auto m = read_matrix_market(source, tally);

    EXPECT_EQ(m.entries.value, (numbers{0.5, 0.1, 0.1}));
    EXPECT_EQ(tally.numbers, 2);
    EXPECT_EQ(tally.inexact, 1);
}

TEST(read_matrix_market, needs_no_memory_for_empty_rows)
{
    const index_t huge = std::numeric_limits<index_t>::max();
    const std::string n = std::to_string(huge);

    const auto m =
        read(banner + "coordinate real symmetric\n" + n + " " + n + " 2\n" + n + " " + n + " 1\n" + n + " 1 2\n");

    EXPECT_EQ(m.entries.row, (indices{0, huge - 1, huge - 1}));
    EXPECT_EQ(m.entries.value, (numbers{2.0, 2.0, 1.0}));
}

TEST(matrix_market, a_transposed_text_has_rows_and_columns_in_each_others_place)
{
    const auto transposed = [&](const std::string& rest) {
        return testing::said_by(text{.name = "f", .bytes = banner + rest, .transposed = true});
    };
    EXPECT_EQ(transposed("coordinate real general\n2 3 3\n2 1 5\n1 3 7\n1 1 2\n"),
              "3 x 2: (1, 1) 2, (1, 2) 5, (3, 1) 7");
    EXPECT_EQ(transposed("array real general\n2 3\n1 2 3 4 5 6\n"),
              "3 x 2: (1, 1) 1, (1, 2) 2, (2, 1) 3, (2, 2) 4, (3, 1) 5, (3, 2) 6");
    EXPECT_EQ(transposed("coordinate real symmetric\n2 2 2\n2 1 5\n1 1 7\n"), "2 x 2: (1, 1) 7, (1, 2) 5, (2, 1) 5");
    EXPECT_EQ(transposed("coordinate real skew-symmetric\n2 2 1\n2 1 5\n"), "2 x 2: (1, 2) 5, (2, 1) -5");
    const matrix_market<double> sums = read_matrix_market(
        text{
            .name = "f", .bytes = banner + "coordinate real general\n2 3 3\n2 1 5\n1 3 7\n2 1 1\n", .transposed = true},
        parse_binary64);
    EXPECT_EQ(sums.entries.value, (std::vector<double>{6.0, 7.0}));
    EXPECT_EQ(sums.warnings,
              (std::vector<std::string>{"f:5: entry (2, 1) stands in the file before; the two were added"}));
}

}  // namespace
}  // namespace residua::io
