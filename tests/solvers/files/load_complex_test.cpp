// Complex files become real forms of complex systems.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/files/load.hpp>
#include <residua/solvers/matrix/structure.hpp>

namespace residua {
namespace {

constexpr long many_bits = 20000;

io::text file(const std::string& name, const std::string& header, const std::string& numbers)
{
    return io::make_text(name, "%%MatrixMarket matrix " + header + "\n" + numbers);
}

/// The words that the real form should have, row by row; "" has no entry.
void expect_form(const linear_system& a, const std::vector<std::vector<std::string>>& rows)
{
    ASSERT_TRUE(a.complex);
    ASSERT_EQ(a.rows, static_cast<index_t>(rows.size()));
    index_t k = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        ASSERT_EQ(a.cols, static_cast<index_t>(rows[i].size()));
        for (std::size_t j = 0; j < rows[i].size(); ++j) {
            if (rows[i][j].empty()) {
                continue;
            }
            ASSERT_LT(k, a.row_begin[i + 1]) << i << ' ' << j;
            EXPECT_EQ(a.column[k], static_cast<std::int32_t>(j)) << i;
            EXPECT_EQ(entry(a, k, many_bits), real(rows[i][j], many_bits)) << i << ' ' << j;
            ++k;
        }
        EXPECT_EQ(k, a.row_begin[i + 1]) << i;
    }
    EXPECT_NO_THROW(require_valid(a));
}

TEST(load_complex_test, all_symmetries_of_coordinates)
{
    const auto with = [](const std::string& symmetry, const std::string& entries, int stored) {
        return load_matrix(
            file("a", "coordinate complex " + symmetry, "2 2 " + std::to_string(stored) + "\n" + entries));
    };
    const loaded_system general = with("general", "2 2 0 4\n1 1 1 2\n1 2 -3 0\n", 3);
    expect_form(general.system, {{"1", "-2", "-3", ""}, {"2", "1", "", "-3"}, {"", "", "", "-4"}, {"", "", "4", ""}});
    EXPECT_EQ(general.facts.nonzeros, 3);
    EXPECT_EQ(general.facts.header.rows, 2);
    EXPECT_EQ(general.facts.header.field, io::matrix_field::complex);
    EXPECT_FALSE(general.facts.symmetric);

    const loaded_system hermitian = with("hermitian", "1 1 2 0\n2 1 3 4\n", 2);
    expect_form(hermitian.system, {{"2", "", "3", "4"}, {"", "2", "-4", "3"}, {"3", "-4", "", ""}, {"4", "3", "", ""}});
    EXPECT_TRUE(hermitian.facts.symmetric);
    EXPECT_EQ(hermitian.facts.nonzeros, 3);
    EXPECT_EQ(hermitian.facts.header.stored, 2);

    const loaded_system symmetric = with("symmetric", "1 1 2 1\n2 1 3 4\n", 2);
    expect_form(symmetric.system,
                {{"2", "-1", "3", "-4"}, {"1", "2", "4", "3"}, {"3", "-4", "", ""}, {"4", "3", "", ""}});
    EXPECT_FALSE(symmetric.facts.symmetric);
    EXPECT_TRUE(inspect(symmetric.system).complex_symmetric);

    const loaded_system skew = with("skew-symmetric", "2 1 3 4\n", 1);
    expect_form(skew.system, {{"", "", "-3", "4"}, {"", "", "-4", "-3"}, {"3", "-4", "", ""}, {"4", "3", "", ""}});
}

TEST(load_complex_test, arrays_and_other_shapes)
{
    expect_form(load_matrix(file("a", "array complex general", "1 2\n1 2\n0 0\n")).system,
                {{"1", "-2", "0", ""}, {"2", "1", "", "0"}});
    expect_form(load_matrix(file("a", "array complex hermitian", "2 2\n5 0\n1 -1\n7 0\n")).system,
                {{"5", "", "1", "-1"}, {"", "5", "1", "1"}, {"1", "1", "7", ""}, {"-1", "1", "", "7"}});
    io::text tall = file("a", "array complex general", "2 1\n1 2\n3 0\n");
    tall.transposed = true;  // and not conjugated
    expect_form(load_matrix(std::move(tall)).system, {{"1", "-2", "3", ""}, {"2", "1", "", "3"}});
}

TEST(load_complex_test, a_general_matrix_that_is_hermitian_is_found_to_be)
{
    EXPECT_TRUE(load_matrix(file("a", "array complex general", "2 2\n5 0\n1 -1\n1 1\n7 0\n")).facts.symmetric);
    EXPECT_FALSE(load_matrix(file("a", "array complex general", "2 2\n5 0\n1 -1\n1 -1\n7 0\n")).facts.symmetric);
    EXPECT_FALSE(load_matrix(file("a", "array complex symmetric", "1 1\n5 1\n")).facts.symmetric);
}

TEST(load_complex_test, decimals_are_kept_as_they_are_written)
{
    const std::string one = "1 1 1\n1 1 0.1 -1e-400\n";
    for (const entry_reading reading : {entry_reading::automatic, entry_reading::decimal}) {
        const loaded_system a = load_matrix(file("a", "coordinate complex general", one), reading);
        EXPECT_TRUE(a.facts.decimal);
        EXPECT_TRUE(a.system.exact.are_decimals());
        EXPECT_TRUE(is_zero(a.system.reading_error));
        expect_form(a.system, {{"0.1", "1e-400"}, {"-1e-400", "0.1"}});
    }
    const linear_system binary64 = load_matrix(file("a", "array complex general", "1 1\n0.1 0.3\n")).system;
    EXPECT_TRUE(binary64.exact.empty());
    EXPECT_EQ(binary64.values, (std::vector<double>{0.1, -0.3, 0.3, 0.1}));
    EXPECT_EQ(binary64.other_reading, 0x1p-53);
    EXPECT_EQ(
        load_matrix(file("a", "array complex general", "1 1\n0.5 0.1\n"), entry_reading::decimal).system.other_reading,
        0.0);
    EXPECT_THROW(load_matrix(file("a", "array complex general", "1 1\n1 1e400\n"), entry_reading::binary64),
                 binary64_overflow);
}

TEST(load_complex_test, repeated_entries_are_added_part_by_part)
{
    const std::string twice = "1 1 2\n1 1 1 2\n1 1 3 -2\n";
    const loaded_system a = load_matrix(file("a", "coordinate complex general", twice));
    ASSERT_EQ(a.facts.warnings.size(), 1U);
    EXPECT_EQ(a.facts.nonzeros, 1);
    expect_form(a.system, {{"4", ""}, {"", "4"}});

    const loaded_system decimals = load_matrix(
        file("a", "coordinate complex general", "1 1 2\n1 1 0.1 0.3\n1 1 0.2 0.4\n"), entry_reading::decimal);
    EXPECT_FALSE(is_zero(decimals.system.reading_error));
    const real exact("0.7", many_bits);
    EXPECT_LE(abs(entry(decimals.system, 2, many_bits) - exact), decimals.system.reading_error * exact);
}

TEST(load_complex_test, right_hand_sides_of_a_complex_system)
{
    const auto load = [](const std::string& b_header, const std::string& numbers, entry_reading reading) {
        return load_system(file("a", "array complex general", "2 2\n1 1\n0 0\n0 0\n1 0\n"),
                           file("b", b_header, numbers), reading);
    };
    const auto vector = [](const std::vector<std::string>& words) {
        std::vector<real> all;
        for (const std::string& word : words) {
            all.push_back(real(word, decimal_bits()));
        }
        return all;
    };
    EXPECT_EQ(load("array complex general", "2 1\n1 2\n3 4\n", entry_reading::automatic).system.b,
              vector({"1", "2", "3", "4"}));
    EXPECT_EQ(load("array real general", "2 1\n5\n6\n", entry_reading::automatic).system.b,
              vector({"5", "0", "6", "0"}));
    EXPECT_EQ(load("coordinate complex general", "2 1 1\n2 1 0 7\n", entry_reading::automatic).system.b,
              vector({"0", "0", "0", "7"}));
    const loaded_system decimals = load("array complex general", "2 1\n0.1 1e-400\n0 0\n", entry_reading::decimal);
    EXPECT_EQ(decimals.system.b, vector({"0.1", "1e-400", "0", "0"}));
    EXPECT_EQ(decimals.system.rhs_reading_errors.size(), 1U);
    const loaded_system two = load("array complex general", "2 2\n1 2\n3 4\n5 6\n7 8\n", entry_reading::automatic);
    ASSERT_EQ(two.columns.size(), 2U);
    EXPECT_EQ(two.columns[1], vector({"5", "6", "7", "8"}));
}

TEST(load_complex_test, a_complex_right_hand_side_makes_a_real_system_complex)
{
    const auto matrix = [] { return file("a", "array real general", "1 2\n0.1\n2\n"); };
    const loaded_system a = load_system(matrix(), file("b", "array complex general", "1 1\n1 2\n"));
    expect_form(a.system, {{"0.1000000000000000055511151231257827021181583404541015625", "", "2", ""},
                           {"", "0.1000000000000000055511151231257827021181583404541015625", "", "2"}});
    EXPECT_EQ(a.system.b, (std::vector<real>{real(1.0), real(2.0)}));
    EXPECT_EQ(a.facts.header.field, io::matrix_field::real);
    EXPECT_EQ(a.system.other_reading, 0x1p-53);
    const linear_system decimals =
        load_system(matrix(), file("b", "array complex general", "1 1\n1 2\n"), entry_reading::decimal).system;
    expect_form(decimals, {{"0.1", "", "2", ""}, {"", "0.1", "", "2"}});

    const loaded_system stays_real = load_system(matrix(), file("b", "array complex general", "1 1\n1 0\n"));
    EXPECT_FALSE(stays_real.system.complex);
    EXPECT_EQ(stays_real.system.b, std::vector<real>{real(1.0)});
}

TEST(load_complex_test, columns_of_other_files)
{
    const std::vector<real> form{real(1.0), real(2.0), real(3.0), real(0.0)};
    const auto complex = [] { return file("x", "array complex general", "2 1\n1 2\n3 0\n"); };
    EXPECT_EQ(load_columns(complex(), 2, 1, io::file_part::guess, true)[0], form);
    EXPECT_EQ(load_columns(file("x", "array real general", "2 1\n1\n3\n"), 2, 1, io::file_part::guess, true)[0],
              (std::vector<real>{real(1.0), real(0.0), real(3.0), real(0.0)}));
    EXPECT_THROW(load_columns(complex(), 2, 1), input_error);
}

TEST(load_complex_test, wrong_sizes_are_named_as_the_files_have_them)
{
    const auto refusal = [](const auto& call) -> std::string {
        try {
            call();
        } catch (const input_error& e) {
            return e.what();
        }
        return "no input_error was thrown";
    };
    const auto matrix = [] { return file("a", "array complex general", "2 2\n1 1\n0 0\n0 0\n1 0\n"); };
    const auto three = [] { return file("b", "array complex general", "3 1\n1 2\n3 4\n5 6\n"); };
    EXPECT_EQ(refusal([&] { load_system(matrix(), three()); }), "b: holds 3 x 1 numbers, but the system needs 2 x 1");
    EXPECT_EQ(refusal([&] { load_system(file("a", "array real general", "2 2\n1\n0\n0\n1\n"), three()); }),
              "b: holds 3 x 1 numbers, but the system needs 2 x 1");
    EXPECT_EQ(refusal([&] { load_columns(three(), 2, 1, io::file_part::guess, true); }),
              "b: holds 3 x 1 numbers, but the system needs 2 x 1");
    EXPECT_EQ(refusal([&] { load_columns(three(), 3, 1); }), "b: holds complex numbers, but real ones are needed");
    EXPECT_THROW(load_matrix(file("a", "array complex general", "1 1\n1\n")), input_error);
    const auto sized = [&](const std::string& sizes) {
        return load_matrix(file("a", "coordinate complex general", sizes + " 1\n1 1 1 2\n"));
    };
    for (const std::string sizes : {"4611686018427387904 1", "1 9223372036854775807"}) {
        EXPECT_THROW(sized(sizes), resource_error) << sizes;
    }
    EXPECT_EQ(sized("1 1073741823").system.cols, 2147483646);
    try {
        sized("1 1073741824");
        FAIL();
    } catch (const unsupported_error& e) {
        EXPECT_EQ(std::string(e.what()), "a: 1073741824 columns; at most 2^30 - 1 complex ones are supported");
    }
    EXPECT_THROW(load_matrix(file("a", "coordinate complex hermitian", "1 1 1\n1 1 1 1\n")), input_error);
}

}  // namespace
}  // namespace residua
