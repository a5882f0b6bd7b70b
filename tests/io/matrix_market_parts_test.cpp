#include <residua/io/matrix_market_parts.hpp>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <omp.h>

#include <residua/io/decimal.hpp>
#include <residua/io/matrix_market.hpp>

#include "tests/support/random_market_text.hpp"
#include "tests/support/scale.hpp"
#include "tests/support/stopping.hpp"

namespace residua::io {
namespace {

/// What reading a text in so many parts gives, in words: every bit of it, or why it was refused.
template <class Parse>
std::string outcome(const text& source, Parse parse, index_t parts)
{
    std::string words;
    try {
        const auto m = read_matrix_market(source, parse, parts);
        words = std::to_string(m.entries.rows) + " x " + std::to_string(m.entries.cols) + "\n";
        for (std::size_t k = 0; k < m.entries.row.size(); ++k) {
            words += std::to_string(m.entries.row[k]) + " " + std::to_string(m.entries.col[k]) + " " +
                     to_decimal(m.entries.value[k]) + " " + (m.imaginary.empty() ? "" : to_decimal(m.imaginary[k])) +
                     "\n";
        }
        for (const std::string& warning : m.warnings) {
            words += warning + "\n";
        }
    } catch (const error& e) {
        words = e.what();
    }
    return words;
}

std::string in_one_go(const text& source) { return outcome(source, parse_binary64, 1); }

/// A tally of a text, in words.
std::string counts(const text& source, index_t parts)
{
    binary64_tally tally;
    read_matrix_market(source, tally, parts);
    return std::to_string(tally.numbers) + " " + std::to_string(tally.inexact) + " " +
           std::to_string(tally.underflows) + " " + std::to_string(tally.overflows) + " " +
           std::to_string(tally.most_digits);
}

using support::random_market_text;

TEST(matrix_market_parts, of_any_number_give_what_one_gives)
{
    const std::uint64_t seed = 20261125;
    SCOPED_TRACE("seed " + std::to_string(seed));
    random_market_text next(seed);
    int refused = 0;
    for (std::int64_t k = 0; k < support::scaled(2000); ++k) {
        const text source{"f", next()};
        const std::string expected = in_one_go(source);
        refused += expected.starts_with("f:");
        for (index_t parts = 2; parts <= 8; ++parts) {
            ASSERT_EQ(outcome(source, parse_binary64, parts), expected) << parts << " parts of\n"
                                                                        << std::string_view(source.bytes);
        }
        ASSERT_EQ(outcome(source, parse_binary64, 1000), expected) << std::string_view(source.bytes);
        if (!expected.starts_with("f:")) {
            ASSERT_EQ(counts(source, 3), counts(source, 1)) << std::string_view(source.bytes);
        }
    }
    EXPECT_GT(refused, support::scaled(100));
}

TEST(matrix_market_parts, of_large_arrays_go_to_their_places)
{
    struct shape {
        index_t rows, cols;
    };
    for (const auto& [rows, cols] : {shape{700, 300}, shape{40, 3000}, shape{200000, 1}, shape{1, 100000}}) {
        for (const bool complex : {false, true}) {
            std::string file = "%%MatrixMarket matrix array " + std::string(complex ? "complex" : "real") +
                               " general\n" + std::to_string(rows) + " " + std::to_string(cols) + "\n";
            for (index_t k = 0; k < rows * cols; ++k) {
                file += std::to_string(k) + (complex ? " " + std::to_string(-k) + "\n" : "\n");
            }
            for (const bool transposed : {false, true}) {
                text source{"f", file};
                source.transposed = transposed;
                for (const index_t parts : {1, 5}) {
                    const thread_limit threads(static_cast<int>(parts));
                    const auto m = read_matrix_market(source, parse_binary64, parts);
                    ASSERT_EQ(m.entries.rows, transposed ? cols : rows);
                    ASSERT_EQ(m.entries.size(), rows * cols);
                    for (index_t k = 0; k < rows * cols; ++k) {
                        const auto at = static_cast<std::size_t>(k);
                        const index_t i = k / m.entries.cols, j = k % m.entries.cols;
                        ASSERT_EQ(m.entries.row[at], i);
                        ASSERT_EQ(m.entries.col[at], j);
                        ASSERT_EQ(m.entries.value[at], static_cast<double>(transposed ? i * rows + j : j * rows + i));
                        ASSERT_TRUE(!complex || m.imaginary[at] == -m.entries.value[at]);
                    }
                }
            }
        }
    }
}

TEST(vector_of, has_zeros_in_the_pages_that_threads_took)
{
    const thread_limit threads(4);
    for (const std::size_t size : {0, 1, 1 << 22, (1 << 22) + 12345}) {
        const auto numbers = vector_of<double>(size);
        EXPECT_EQ(numbers, std::vector<double>(size, 0.0));
    }
}

TEST(matrix_market_parts, say_the_first_line_that_is_wrong)
{
    constexpr int lines = 40;
    for (const std::string end : {"\n", "\r\n"}) {
        for (int bad = 0; bad < lines; ++bad) {
            for (const std::string wrong : {"1 1 one", "0 1 1", "1 41 1", "1 1", "1 1 1e999", "1 1 1 1"}) {
                std::string bytes = "%%MatrixMarket matrix coordinate real general" + end + "40 40 40" + end;
                for (int k = 0; k < lines; ++k) {
                    bytes += (k == bad || k > bad + 7 ? wrong : std::to_string(k + 1) + " 1 0.5") + end;
                }
                const text source{"f", bytes};
                const std::string expected = in_one_go(source);
                ASSERT_TRUE(expected.starts_with("f:" + std::to_string(bad + 3) + ": ")) << expected;
                for (index_t parts = 2; parts <= 8; ++parts) {
                    ASSERT_EQ(outcome(source, parse_binary64, parts), expected);
                }
            }
        }
    }
}

TEST(matrix_market_parts, are_whole_lines_that_follow_each_other)
{
    const text source{"f",
                      "%%MatrixMarket matrix coordinate real general\r\n2 2 4\r\n1 1 1\r\n1 2 1\r\n\r\n2 1 1\r\n2 2 1"};
    const matrix_market_scanner scanner(source);

    for (index_t count = 1; count <= 40; ++count) {
        index_t entries = 0;
        index_t lines = 0;
        for (matrix_market_scanner& part : scanner.parts(count)) {
            scanned_entry entry;
            while (part.next(entry)) {
            }
            entries += part.entries();
            lines += part.lines();
        }
        EXPECT_EQ(entries, 4) << count;
        EXPECT_EQ(lines, 4) << count;  // the last one does not end
    }
    EXPECT_LE(scanner.parts(3).size(), 3u);
    const text empty{"f", "%%MatrixMarket matrix coordinate real general\n2 2 0"};
    EXPECT_TRUE(matrix_market_scanner(empty).parts(4).empty());
}

TEST(matrix_market_parts, reserve_by_the_bytes_and_not_by_the_header)
{
    const std::string huge =
        "%%MatrixMarket matrix coordinate real general\n9000000000000000000 9000000000000000000 "
        "9000000000000000000\n1 1 1\n2 2 1\n";
    EXPECT_EQ(outcome(text{"f", huge}, parse_binary64, 2), in_one_go(text{"f", huge}));
    EXPECT_EQ(in_one_go(text{"f", huge}),
              "f:4: the file ends after 2 of the 9000000000000000000 entries that line 2 announces; is it cut short?");
}

TEST(matrix_market_parts, are_read_alike_by_any_number_of_threads)
{
    std::string bytes = "%%MatrixMarket matrix coordinate real general\n1000 1000 120000\n";
    std::mt19937_64 random(7);
    for (int k = 0; k < 120000; ++k) {
        bytes += std::to_string(1 + random() % 1000) + " " + std::to_string(1 + random() % 1000) + " 0." +
                 std::to_string(random()) + "\n";
    }
    const text source{"f", bytes};
    const int threads = omp_get_max_threads();
    omp_set_num_threads(1);
    const std::string expected = outcome(source, parse_binary64, 0);
    for (int k = 2; k <= 8; ++k) {
        omp_set_num_threads(k);
        EXPECT_EQ(outcome(source, parse_binary64, 0), expected) << k << " threads";
    }
    omp_set_num_threads(threads);
}

TEST(matrix_market_parts, stop_when_they_are_told_to)
{
    std::string bytes = "%%MatrixMarket matrix coordinate real general\n9 9 200000\n";
    for (int k = 0; k < 200000; ++k) {
        bytes += "1 1 1\n";
    }
    const text source{"f", bytes};
    for (const index_t parts : {1, 4}) {
        int asked = 0;
        const auto read = [&] { read_matrix_market(source, parse_binary64, parts); };
        EXPECT_TRUE(support::is_stopped([&] { return ++asked == 3; }, read));
        EXPECT_EQ(asked, 3) << "it is not asked again";
        asked = 0;
        EXPECT_FALSE(support::is_stopped([&] { return ++asked < 0; }, read));
        EXPECT_GE(asked, 5) << "at least ten times a second";
        const stop_function yes = [] { return true; };
        const interruption at_once(yes);
        try {
            read();
            ADD_FAILURE();
        } catch (const stopped_error& e) {
            EXPECT_STREQ(e.what(), "f: stopped while it was read");
        }
    }
}

TEST(matrix_market_parts, keep_the_end_of_memory_as_such)
{
    const text source{"f", "%%MatrixMarket matrix coordinate real general\n9 9 3\n1 1 1\n1 2 1\n1 3 2\n"};
    const auto refuse =
        +[](const decimal_word& decimal) -> double { return decimal == "2" ? throw resource_error("no memory") : 0.0; };
    EXPECT_THROW(read_matrix_market(source, refuse, 3), resource_error);
}

}  // namespace
}  // namespace residua::io
