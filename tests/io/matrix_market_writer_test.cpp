#include <residua/io/matrix_market_writer.hpp>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include <residua/io/decimal.hpp>
#include <residua/io/matrix_market.hpp>
#include "tests/support/scale.hpp"

namespace residua::io {
namespace {

using indices = std::vector<index_t>;
using numbers = std::vector<double>;

class matrix_market_writer_test : public testing::Test {
protected:
    ~matrix_market_writer_test() override { std::filesystem::remove(path); }

    std::string written() const
    {
        std::ifstream file(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }

    const std::string path =
        (std::filesystem::temp_directory_path() / ("residua_writer_test_" + std::to_string(getpid()) + ".mtx"))
            .string();
};

/// The message of the error that the body throws.
template <class Body>
std::string message_of(const Body& body)
{
    try {
        body();
    } catch (const error& e) {
        return e.what();
    }
    return "no error";
}

matrix_market<double> small(matrix_field field, matrix_symmetry symmetry)
{
    matrix_market<double> m;
    m.header.field = field;
    m.header.symmetry = symmetry;
    m.entries = {2, 2, {0, 0, 1}, {0, 1, 0}, {2.0, -1.0, -1.0}};
    return m;
}

TEST_F(matrix_market_writer_test, writes_a_coordinate_file_with_comments)
{
    write_matrix_market(path, small(matrix_field::real, matrix_symmetry::general), to_decimal,
                        {"one", "two\nthree", ""});

    EXPECT_EQ(written(),
              "%%MatrixMarket matrix coordinate real general\n% one\n% two\n% three\n% \n"
              "2 2 3\n1 1 2\n1 2 -1\n2 1 -1\n");
}

TEST_F(matrix_market_writer_test, writes_the_lower_triangle_of_a_symmetric_matrix)
{
    matrix_market<double> m = small(matrix_field::integer, matrix_symmetry::symmetric);

    write_matrix_market(path, m, to_decimal);
    const std::string from_all = written();
    m.entries = lower_triangle(m.entries);
    write_matrix_market(path, m, to_decimal);

    EXPECT_EQ(from_all, "%%MatrixMarket matrix coordinate integer symmetric\n2 2 2\n1 1 2\n2 1 -1\n");
    EXPECT_EQ(written(), from_all);
}

TEST_F(matrix_market_writer_test, writes_a_pattern_without_values)
{
    write_matrix_market(path, small(matrix_field::pattern, matrix_symmetry::symmetric), to_decimal);

    EXPECT_EQ(written(), "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n1 1\n2 1\n");
}

TEST_F(matrix_market_writer_test, writes_a_vector_as_an_array)
{
    write_array(path, 3, 1, std::span<const double>(numbers{0.1, -2.0, 1e300}), to_decimal);

    EXPECT_EQ(written(), "%%MatrixMarket matrix array real general\n3 1\n0.1\n-2\n1e+300\n");
}

TEST_F(matrix_market_writer_test, writes_an_array_by_columns)
{
    write_array(path, 2, 2, std::span<const double>(numbers{1.0, 2.0, 3.0, 4.0}), to_decimal);

    const auto m = read_matrix_market(load(path), parse_binary64);
    EXPECT_EQ(m.entries.value, (numbers{1.0, 3.0, 2.0, 4.0}));
}

TEST_F(matrix_market_writer_test, refuses_what_a_reader_would_refuse)
{
    const auto with = [&](matrix_market<double> m) {
        return message_of([&] { write_matrix_market(path, m, to_decimal); });
    };
    matrix_market<double> m = small(matrix_field::integer, matrix_symmetry::general);
    m.entries.value[1] = 0.5;
    EXPECT_EQ(with(m), path + ": '0.5' is not an integer");

    m = small(matrix_field::real, matrix_symmetry::hermitian);
    EXPECT_EQ(with(m), path + ": a hermitian matrix needs the field complex; a real one is called symmetric");

    m = small(matrix_field::real, matrix_symmetry::general);
    m.entries.rows = 1;
    EXPECT_EQ(with(m), path + ": entry (2, 1) lies outside the matrix of 1 x 2");

    m = small(matrix_field::real, matrix_symmetry::general);
    m.header.format = matrix_format::array;
    EXPECT_EQ(with(m), path + ": an array of 2 x 2 does not store 3 values");

    m = small(matrix_field::real, matrix_symmetry::general);
    m.entries.value[0] = std::numeric_limits<double>::infinity();
    EXPECT_EQ(with(m), "an infinity cannot be written as a decimal");
    EXPECT_EQ(message_of([&] { write_matrix_market(path, m, [](double) { return std::string("inf"); }); }),
              path + ": 'inf' is not a finite decimal");
}

TEST_F(matrix_market_writer_test, refuses_a_matrix_without_the_symmetry_of_its_header)
{
    const auto with = [&](matrix_field field, matrix_symmetry symmetry, numbers real, numbers imaginary) {
        matrix_market<double> m = small(field, symmetry);
        m.entries.value = std::move(real);
        m.imaginary = std::move(imaginary);
        return message_of([&] { write_matrix_market(path, m, to_decimal); });
    };
    const auto refusal = [&](const std::string& symmetry) {
        return path + ": a matrix that is not " + symmetry + " cannot be written as such";
    };
    using enum matrix_field;
    using enum matrix_symmetry;
    EXPECT_EQ(with(real, symmetric, {1, 2, 2}, {}), "no error");
    EXPECT_EQ(with(real, symmetric, {1, 2, 3}, {}), refusal("symmetric"));
    EXPECT_EQ(with(pattern, symmetric, {1, 2, 3}, {}), "no error");
    EXPECT_EQ(with(real, skew_symmetric, {0, -2, 2}, {}), "no error");
    EXPECT_EQ(with(real, skew_symmetric, {0, 2, 2}, {}), refusal("skew-symmetric"));
    EXPECT_EQ(with(real, skew_symmetric, {1, -2, 2}, {}), refusal("skew-symmetric"));
    EXPECT_EQ(with(complex, symmetric, {1, 2, 2}, {1, 3, 3}), "no error");
    EXPECT_EQ(with(complex, symmetric, {1, 2, 2}, {1, 3, 4}), refusal("symmetric"));
    EXPECT_EQ(with(complex, hermitian, {1, 2, 2}, {0, 3, -3}), "no error");
    EXPECT_EQ(with(complex, hermitian, {1, 2, 2}, {0, 3, 3}), refusal("hermitian"));
    EXPECT_EQ(with(complex, hermitian, {1, 2, 2}, {1, 3, -3}), refusal("hermitian"));
    EXPECT_EQ(with(complex, skew_symmetric, {0, 2, -2}, {0, 3, -3}), "no error");

    matrix_market<double> m = small(real, skew_symmetric);
    m.entries = {2, 2, {0, 1}, {0, 0}, {1.0, 2.0}};  // the lower triangle only
    EXPECT_EQ(message_of([&] { write_matrix_market(path, m, to_decimal); }), refusal("skew-symmetric"));
    m.entries.value[0] = 0.0;
    EXPECT_EQ(message_of([&] { write_matrix_market(path, m, to_decimal); }), "no error");
    m.entries = {2, 2, {0}, {1}, {2.0}};  // the upper triangle only
    EXPECT_EQ(message_of([&] { write_matrix_market(path, m, to_decimal); }), refusal("skew-symmetric"));
}

TEST_F(matrix_market_writer_test, checks_each_position)
{
    const auto after = [&](matrix_market_header header, indices rows, indices cols) {
        return message_of([&] {
            matrix_market_writer writer(path, header);
            for (std::size_t k = 0; k < rows.size(); ++k) {
                writer.write(rows[k], cols[k], "1");
            }
            writer.close();
        });
    };
    matrix_market_header header{matrix_format::array, matrix_field::real, matrix_symmetry::symmetric, 2, 2, 3};

    EXPECT_EQ(after(header, {0, 1, 1}, {0, 0, 1}), "no error");
    EXPECT_EQ(after(header, {0, 1}, {0, 1}),
              path + ": entry (2, 2) comes where (2, 1) must; array files go by columns");
    EXPECT_EQ(after(header, {0, 1}, {0, 0}), path + ": 2 entries were written, but 3 announced");
    EXPECT_EQ(after(header, {0, 1, 1, 1}, {0, 0, 1, 1}),
              path + ": entry (2, 2) comes where (3, 3) must; array files go by columns");
    header.format = matrix_format::coordinate;
    EXPECT_EQ(after(header, {0}, {1}), path + ": entry (1, 2) lies above the diagonal of a matrix with symmetry");
    header.symmetry = matrix_symmetry::skew_symmetric;
    EXPECT_EQ(after(header, {1}, {1}), path + ": entry (2, 2) lies on the diagonal of a skew-symmetric matrix");
    header.rows = -1;
    header.cols = -1;
    EXPECT_EQ(after(header, {}, {}), path + ": a size is negative");
}

TEST_F(matrix_market_writer_test, checks_sizes_of_an_array)
{
    EXPECT_THROW(write_array(path, 2, 2, std::span<const double>(numbers{1.0}), to_decimal), dimension_error);
}

TEST_F(matrix_market_writer_test, reports_a_file_that_cannot_be_created)
{
    EXPECT_EQ(message_of([] { write_array("/nonexistent/x.mtx", 0, 1, std::span<const double>(), to_decimal); }),
              "/nonexistent/x.mtx: cannot be written: No such file or directory");
}

TEST_F(matrix_market_writer_test, reports_a_full_disk)
{
    if (!std::filesystem::exists("/dev/full")) {
        GTEST_SKIP() << "no /dev/full on this system";
    }
    const std::string message = "/dev/full: cannot be written: No space left on device";
    const matrix_market_header header{
        matrix_format::array, matrix_field::real, matrix_symmetry::general, 100000, 1, 100000};
    const numbers x{1.0};

    EXPECT_EQ(message_of([&] {  // a small file: seen when it is closed
                  write_array("/dev/full", 1, 1, std::span<const double>(x), to_decimal);
              }),
              message);
    matrix_market_writer writer("/dev/full", header);
    EXPECT_EQ(message_of([&] {  // a large one: seen as soon as the buffer is written
                  for (index_t k = 0; k < header.stored; ++k) {
                      writer.write(k, 0, "1");
                  }
              }),
              message);
}

TEST_F(matrix_market_writer_test, leaves_a_file_that_no_reader_takes_after_an_error)
{
    const numbers x{1.0, std::numeric_limits<double>::quiet_NaN()};

    EXPECT_THROW(write_array(path, 2, 1, std::span<const double>(x), to_decimal), error);

    EXPECT_THROW(read_matrix_market(load(path), parse_binary64), input_error);
}

TEST_F(matrix_market_writer_test, writes_to_standard_output)
{
    std::fflush(stdout);
    const int saved = dup(STDOUT_FILENO);
    std::FILE* const file = std::fopen(path.c_str(), "wb");
    dup2(fileno(file), STDOUT_FILENO);
    write_array("-", 1, 1, std::span<const double>(numbers{7.0}), to_decimal);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    std::fclose(file);

    EXPECT_EQ(written(), "%%MatrixMarket matrix array real general\n1 1\n7\n");
}

/// A random matrix as the reader would give it, by writing its stored entries and reading them.
matrix_market<double> random_matrix(std::mt19937_64& random, const matrix_market_header& kind, const std::string& path)
{
    matrix_market_header header = kind;
    const bool array = kind.format == matrix_format::array;
    std::vector<std::pair<index_t, index_t>> positions;
    for (index_t col = 0; col < header.cols; ++col) {
        for (index_t row = 0; row < header.rows; ++row) {
            const bool skew = kind.symmetry == matrix_symmetry::skew_symmetric;
            const bool stored = kind.symmetry == matrix_symmetry::general || row > col || (row == col && !skew);
            if (stored && (array || random() % 2 == 0)) {
                positions.emplace_back(row, col);
            }
        }
    }
    const auto number = [&] {
        const double x = static_cast<double>(static_cast<std::int64_t>(random()) >> 8);
        return to_decimal(kind.field == matrix_field::integer ? x : x * 0x1p-60);
    };
    header.stored = static_cast<index_t>(positions.size());
    matrix_market_writer writer(path, header);
    for (const auto& [row, col] : positions) {
        const std::string real = number();
        const bool diagonal = row == col && kind.symmetry == matrix_symmetry::hermitian;
        writer.write(row, col, real, diagonal ? "0" : number());
    }
    writer.close();
    return read_matrix_market(load(path), parse_binary64);
}

TEST_F(matrix_market_writer_test, round_trips_every_kind)
{
    const std::uint64_t seed = 31337;
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    int kinds = 0;
    for (std::int64_t trial = 0; trial < support::scaled(10); ++trial) {
        for (int kind = 0; kind < 2 * 4 * 4; ++kind) {
            matrix_market_header header;
            header.format = static_cast<matrix_format>(kind % 2);
            header.field = static_cast<matrix_field>(kind / 2 % 4);
            header.symmetry = static_cast<matrix_symmetry>(kind / 8);
            header.rows = static_cast<index_t>(random() % 9);
            header.cols =
                header.symmetry == matrix_symmetry::general ? static_cast<index_t>(random() % 9) : header.rows;
            if (!why_invalid(header).empty()) {
                continue;
            }
            ++kinds;
            const matrix_market<double> m = random_matrix(random, header, path);

            write_matrix_market(path, m, to_decimal);
            const matrix_market<double> back = read_matrix_market(load(path), parse_binary64);

            ASSERT_EQ(back.header, m.header) << written();
            ASSERT_EQ(back.entries.row, m.entries.row) << written();
            ASSERT_EQ(back.entries.col, m.entries.col) << written();
            ASSERT_EQ(back.entries.value, m.entries.value) << written();
            ASSERT_EQ(back.imaginary, m.imaginary) << written();
        }
    }
    EXPECT_GT(kinds, 0);
}

}  // namespace
}  // namespace residua::io
