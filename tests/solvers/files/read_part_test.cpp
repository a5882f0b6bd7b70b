#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <residua/arith/multidigit/real.hpp>
#include <residua/io/decimal.hpp>
#include <residua/io/interruption.hpp>
#include <residua/io/matrix_market.hpp>
#include <residua/solvers/files/load.hpp>
#include <residua/solvers/files/read_part.hpp>
#include <residua/solvers/files/read_rhs_part.hpp>
#include <residua/solvers/matrix/rows_elsewhere.hpp>
#include <residua/solvers/serve.hpp>
#include <residua/solvers/solve.hpp>
#include <residua/solvers/space/long_vector.hpp>

#include "tests/solvers/processes/pieces.hpp"
#include "tests/solvers/processes/shared_solves.hpp"
#include "tests/support/random_market_text.hpp"
#include "tests/support/scale.hpp"
#include "tests/support/stopping.hpp"

// A file that several processes read in parts: the entries, the counts and the errors of reading it in one go.
namespace residua {
namespace {

using namespace support;

/// A file of this content, while the object lives.
class temporary_file {
public:
    explicit temporary_file(const std::string& content)
        : path(testing::TempDir() + "read_part." + std::to_string(std::random_device{}()) + ".mtx")
    {
        std::ofstream(path, std::ios::binary) << content;
    }
    ~temporary_file() { std::filesystem::remove(path); }
    temporary_file(const temporary_file&) = delete;
    temporary_file& operator=(const temporary_file&) = delete;

    const std::string path;
};

std::string words_of(const io::binary64_tally& t)
{
    return std::to_string(t.numbers) + " numbers, " + std::to_string(t.inexact) + " inexact, " +
           std::to_string(t.underflows) + ", " + std::to_string(t.overflows) + ", " + std::to_string(t.most_digits) +
           ", " + std::to_string(t.all_are_printed) + ", " + io::to_decimal(t.rounding()) + "\n";
}

std::string words_of(index_t i, index_t j, double value)
{
    return std::to_string(i) + " " + std::to_string(j) + " " + (std::isfinite(value) ? io::to_decimal(value) : "inf") +
           "\n";
}

/// What reading a whole file gives, in words: every entry, or why it is refused.
std::string in_one_go(const std::string& path, bool transposed)
{
    try {
        io::text text = io::load(path);
        text.transposed = transposed;
        io::binary64_tally tally;
        const io::matrix_market<double> m = io::read_matrix_market(text, tally, 1);
        std::string words = words_of(tally);
        for (const std::string& warning : m.warnings) {
            words += warning + "\n";
        }
        for (std::size_t k = 0; k < m.entries.row.size(); ++k) {
            words += words_of(m.entries.row[k], m.entries.col[k], m.entries.value[k]);
        }
        return words;
    } catch (const error& e) {
        return e.what();
    }
}

/// The same by so many processes.
std::string in_parts(const std::string& path, bool transposed, index_t count, index_t bytes)
{
    std::string words;
    run_processes(count, [&](thread_process& all) {
        try {
            const std::optional<read_part> read = read_part_of(all, path, transposed, bytes);
            if (!read) {
                if (all.rank() == 0) {
                    words = "not taken";
                }
                return;
            }
            const sparse_matrix a = read->part.gathered();
            if (all.rank() == 0) {
                words = words_of(read->tally) + read->warning + (read->warning.empty() ? "" : "\n");
                for (index_t i = 0; i < a.rows; ++i) {
                    for (index_t k = a.row_begin[i]; k < a.row_begin[i + 1]; ++k) {
                        words += words_of(i, a.column[k], a.values[k]);
                    }
                }
            }
        } catch (const error& e) {
            if (all.rank() != 0) {
                throw;
            }
            words = e.what();
        }
    });
    return words;
}

/// Whether the head is right and says that processes may read the file.
bool is_for_parts(const std::string& path)
{
    try {
        const io::text text = io::load(path);
        io::text_cursor cursor(text);
        const io::matrix_market_header h = io::read_header(cursor);
        return h.format == io::matrix_format::coordinate && h.field != io::matrix_field::complex && h.rows == h.cols &&
               h.object == io::matrix_object::matrix && h.cols < index_t{1} << 31;
    } catch (const error&) {
        return false;
    }
}

/// Compares both, and counts what was compared.
void expect_equal(const std::string& path, bool transposed, index_t count, index_t bytes, int& read, int& refused)
{
    const std::string expected = in_one_go(path, transposed);
    const std::string found = in_parts(path, transposed, count, bytes);
    if (!is_for_parts(path)) {
        EXPECT_EQ(found, "not taken");
        return;
    }
    ASSERT_EQ(found, expected) << path;
    ++(found.find(path) == 0 ? refused : read);
}

}  // namespace

TEST(read_part, gives_the_entries_and_the_errors_of_reading_in_one_go)
{
    const std::uint64_t seed = 20261129;
    random_market_text next(seed);
    int read = 0, refused = 0;
    for (std::int64_t k = 0; k < scaled(1000); ++k) {
        const temporary_file file(next());
        for (const index_t count : {1, 2, 3, 7}) {
            SCOPED_TRACE("text " + std::to_string(k) + " on " + std::to_string(count));
            expect_equal(file.path, k % 3 == 0, count, k % 2 == 0 ? 17 : 4096, read, refused);
        }
    }
    EXPECT_GT(read, 300);
    EXPECT_GT(refused, 100);
}

TEST(read_part, takes_the_tricky_files_as_they_are_taken_in_one_go)
{
    const std::optional<std::filesystem::path> matrices = matrix_dir();
    if (!matrices) {
        GTEST_SKIP() << "no RESIDUA_MATRIX_DIR";
    }
    int read = 0, refused = 0;
    for (const char* folder : {"tricky", "public"}) {
        for (const auto& file : std::filesystem::directory_iterator(*matrices / folder)) {
            if (file.path().extension() == ".mtx") {
                for (const index_t count : {1, 2, 3, 7}) {
                    expect_equal(file.path().string(), false, count, 1000, read, refused);
                }
            }
        }
    }
    EXPECT_GT(read, 100);
    EXPECT_GT(refused, 50);
}

TEST(read_part, adds_values_at_one_position_in_the_order_of_the_file)
{
    // 1e16 + 1 + 1 - 1e16 is 0 from left to right, and 2 or 1 in other orders
    std::string content = "%%MatrixMarket matrix coordinate real general\n3000 3000 6\n";
    for (const char* value : {"1e16", "1", "1", "-1e16"}) {
        content += "2999 1 " + std::string(value) + "\n";
    }
    const temporary_file file(content + "1 3000 2\n1 3000 3\n");
    for (const index_t count : {1, 2, 3, 5}) {
        EXPECT_EQ(in_parts(file.path, false, count, 10), in_one_go(file.path, false));
    }
}

TEST(read_part, of_a_missing_file_is_an_error_on_process_0)
{
    EXPECT_EQ(in_parts("/nowhere/a.mtx", false, 3, 1000), in_one_go("/nowhere/a.mtx", false));
}

TEST(read_part, stops_on_all_when_process_0_has_to)
{
    std::string content = "%%MatrixMarket matrix coordinate real general\n100 100 10000\n";
    for (int k = 0; k < 10000; ++k) {
        content += std::to_string(k / 100 + 1) + " " + std::to_string(k % 100 + 1) + " 1\n";
    }
    const temporary_file file(content);
    const asked_each_time each;
    run_processes(3, [&](thread_process& all) {
        const io::stop_function stop = [&] { return all.rank() == 0; };
        const io::interruption interrupted(stop);
        if (all.rank() == 0) {
            EXPECT_THROW(read_part_of(all, file.path, false, 5000), io::stopped_error);
        } else {
            EXPECT_FALSE(read_part_of(all, file.path, false, 5000));
        }
    });
}

TEST(load_shared, solves_with_the_bits_of_one_process_that_reads_the_file)
{
    std::string content = "%%MatrixMarket matrix coordinate real symmetric\n% 70 x 70\n4900 4900 14560\n";
    const io::coo<double> a = io::lower_triangle(poisson_2d(70));
    for (std::size_t k = 0; k < a.row.size(); ++k) {
        content +=
            std::to_string(a.row[k] + 1) + " " + std::to_string(a.col[k] + 1) + " " + io::to_decimal(a.value[k]) + "\n";
    }
    const temporary_file file(content);
    loaded_system alone = load_matrix(io::load(file.path));
    alone.system.b = ones(alone.system.rows);
    solve_options options = options_of(method::cg, preconditioner::jacobi, 212);
    const solve_result expected = solve(alone.system, options);
    run_with(3, [&](processes& all) {
        std::optional<loaded_system> loaded = load_shared(all, file.path, false);
        EXPECT_TRUE(loaded);
        if (loaded) {
            EXPECT_TRUE(loaded->system.values.empty());
            EXPECT_EQ(loaded->facts.nonzeros, alone.facts.nonzeros);
            EXPECT_EQ(loaded->facts.symmetric, alone.facts.symmetric);
            EXPECT_EQ(loaded->facts.header, alone.facts.header);
            EXPECT_TRUE(make_rhs(loaded->system, {.what = named_rhs::kind::row_sums}));
            EXPECT_TRUE(loaded->system.b_in_pieces->numbers() == row_sums(alone.system));
            loaded->system.b_in_pieces.reset();
            loaded->system.b = ones(alone.system.rows);
            options.processes = &all;
            support::expect_equal(solve(loaded->system, options), expected);
        }
        return code;
    });
}

TEST(read_rhs_part, reads_the_numbers_that_one_process_reads)
{
    const index_t n = 300;
    std::string lines;
    std::vector<real> expected;
    for (index_t i = 0; i < n; ++i) {  // several to a line, comments and blank lines between them
        const double number = static_cast<double>(i * 37 % 101 - 50) / 64.0;
        expected.emplace_back(number);
        lines += io::to_decimal(number) + (i % 3 == 0 ? " " : i % 50 == 1 ? "\n% -1\n\n" : "\n");
    }
    const std::string head = "%%MatrixMarket matrix array real general\n% a comment\n";
    const std::string sizes = std::to_string(n) + " 1\n";
    const temporary_file file(head + sizes + lines);
    std::string crlf = head + sizes + lines;
    for (std::size_t at = 0; (at = crlf.find('\n', at)) != std::string::npos; at += 2) {
        crlf.replace(at, 1, "\r\n");
    }
    const temporary_file of_windows(crlf);
    const temporary_file inexact(head + sizes + "0.1 " + lines.substr(lines.find(' ')));
    const temporary_file wrong(head + sizes + lines.substr(0, lines.size() / 2) + " x\n" +
                               lines.substr(lines.size() / 2));
    const temporary_file more(head + sizes + lines + "1\n");
    const temporary_file less(head + sizes + lines.substr(0, lines.size() - 8));
    const temporary_file wide(head + std::to_string(n / 2) + " 2\n" + lines);
    const temporary_file coordinates("%%MatrixMarket matrix coordinate real general\n300 1 1\n1 1 1\n");
    for (const index_t count : {1, 2, 3, 7}) {
        for (const index_t bytes : {0, 1, 37, 1000}) {
            run_processes(count, [&](thread_process& all) {
                const partition rows = partition::even(n, 32, count);
                for (const temporary_file* const each : {&file, &of_windows}) {
                    const std::optional<read_rhs_part> read = read_rhs_part_of(all, each->path, rows, 0, bytes);
                    ASSERT_TRUE(read);
                    EXPECT_EQ(read->tally.numbers, n);
                    ASSERT_EQ(read->columns.size(), 1U);
                    const number_part::numbers& own = read->columns.front().own();
                    EXPECT_EQ(own.size(), rows.size(all.rank()));
                    for (index_t i = 0; i < own.size(); ++i) {
                        EXPECT_TRUE(to_real(own.get(i)) ==
                                    expected[static_cast<std::size_t>(rows.first(all.rank()) + i)]);
                    }
                }
                for (const temporary_file* const each : {&inexact, &wrong, &more, &less, &wide, &coordinates}) {
                    EXPECT_FALSE(read_rhs_part_of(all, each->path, rows, 0, bytes));
                }
                EXPECT_FALSE(read_rhs_part_of(all, "no such file", rows, 0, bytes));
            });
        }
    }
}

TEST(read_rhs_part, gives_each_process_its_rows_of_every_column)
{
    const std::uint64_t seed = 20261130;
    biased_random random(seed);
    for (std::int64_t k = 0; k < scaled(60); ++k) {
        const index_t n = k % 5 == 0 ? 1 : random.integer(2, 200), cols = random.integer(1, 5);
        std::vector<real> expected;
        std::string lines;
        for (index_t at = 0; at < n * cols; ++at) {
            const double number = static_cast<double>(random.integer(-4000, 4000)) / 64.0;
            expected.emplace_back(number);
            lines += io::to_decimal(number) + (random.integer(0, 5) == 0 ? " " : "\n");
        }
        const auto text = [&](index_t of_cols, const std::string& numbers) {
            return "%%MatrixMarket matrix array real general\n" + std::to_string(n) + " " + std::to_string(of_cols) +
                   "\n" + numbers + "\n";
        };
        const temporary_file file(text(cols, lines));
        const std::string::size_type middle = lines.find_first_of(" \n", lines.size() / 2);
        const temporary_file wrong(text(cols, lines.substr(0, middle) + " x" + lines.substr(middle)));
        const temporary_file more(text(cols + 1, lines));
        const temporary_file less(text(cols, lines + "1\n"));
        const temporary_file huge(text(std::numeric_limits<index_t>::max() / n, lines));
        for (const index_t count : {1, 2, 3, 4, 7}) {
            SCOPED_TRACE("text " + std::to_string(k) + " on " + std::to_string(count));
            const partition rows = random_partition(random, n, 1, count);
            const index_t bytes = random.integer(0, 40);
            run_processes(count, [&](thread_process& all) {
                for (const index_t wanted : {index_t{0}, cols}) {
                    const std::optional<read_rhs_part> read = read_rhs_part_of(all, file.path, rows, wanted, bytes);
                    ASSERT_TRUE(read);
                    EXPECT_EQ(read->tally.numbers, n * cols);
                    ASSERT_EQ(read->columns.size(), static_cast<std::size_t>(cols));
                    for (index_t j = 0; j < cols; ++j) {
                        const number_part& part = read->columns[static_cast<std::size_t>(j)];
                        ASSERT_EQ(part.own().size(), rows.size(all.rank()));
                        for (index_t i = 0; i < part.own().size(); ++i) {
                            EXPECT_TRUE(to_real(part.own().get(i)) ==
                                        expected[static_cast<std::size_t>(j * n + part.first() + i)]);
                        }
                    }
                }
                EXPECT_FALSE(read_rhs_part_of(all, file.path, rows, cols + 1, bytes));
                for (const temporary_file* const each : {&wrong, &more, &less, &huge}) {
                    EXPECT_FALSE(read_rhs_part_of(all, each->path, rows, 0, bytes));
                }
            });
        }
    }
}

TEST(load_shared, leaves_decimals_to_process_0)
{
    const std::string head = "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 2\n2 2 3\n";
    const temporary_file decimals(head + "1 2 0.123456789012345678901\n");
    const temporary_file sums(head + "1 1 4\n");
    run_with(2, [&](processes& all) {
        EXPECT_FALSE(load_shared(all, decimals.path, false));
        EXPECT_FALSE(load_shared(all, sums.path, false, entry_reading::decimal));
        const std::optional<loaded_system> loaded = load_shared(all, sums.path, false);
        EXPECT_TRUE(loaded && loaded->facts.warnings == load_matrix(io::load(sums.path)).facts.warnings);
        return code;
    });
    const temporary_file file(head + "1 2 1e999\n");
    run_with(2, [&](processes& all) {
        EXPECT_THROW(load_shared(all, file.path, false, entry_reading::binary64), binary64_overflow);
        return code;
    });
}

}  // namespace residua
