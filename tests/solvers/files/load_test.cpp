#include <limits>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include <residua/io/interruption.hpp>
#include <residua/solvers/base/memory.hpp>
#include <residua/solvers/files/load.hpp>
#include <residua/solvers/solve.hpp>

namespace residua {
namespace {

io::text matrix_of(const std::string& entries)
{
    return io::make_text("a", "%%MatrixMarket matrix array real general\n2 2\n" + entries);
}

io::text rhs_of(const std::string& entries, int columns = 1)
{
    return io::make_text("b",
                         "%%MatrixMarket matrix array real general\n2 " + std::to_string(columns) + "\n" + entries);
}

const real rounded_once = ldexp(real(1.0), -decimal_bits());

TEST(load_test, takes_long_numbers_as_written_and_short_ones_as_binary64)
{
    const loaded_system binary64 = load_matrix(matrix_of("0.1 0 0 2"));
    EXPECT_FALSE(binary64.facts.decimal);
    EXPECT_EQ(binary64.facts.inexact, 1);
    EXPECT_EQ(binary64.system.values, (std::vector<double>{0.1, 0.0, 0.0, 2.0}));
    EXPECT_TRUE(binary64.system.exact.empty());

    const loaded_system decimal = load_matrix(matrix_of("0.10000000000000000001 0 0 2"));
    EXPECT_TRUE(decimal.facts.decimal);
    for (const long bits : {53L, 200L, decimal_bits()}) {
        EXPECT_EQ(decimal.system.exact.at(0, bits), real("0.10000000000000000001", bits));
    }
}

TEST(load_test, decides_for_each_file_by_its_own_numbers)
{
    const std::string printed = "1.00000000000000005551e-01";  // 0.1
    const auto readings = [](const std::string& a, const std::string& b) {
        const loaded_system both = load_system(matrix_of(a + " 0 0 2"), rhs_of("1 " + b));
        return std::pair(both.facts.decimal, both.rhs->decimal);
    };
    EXPECT_EQ(readings("0.1", "0.10000000000000000001"), std::pair(false, true));
    EXPECT_EQ(readings("0.10000000000000000001", "0.1"), std::pair(true, false));
    EXPECT_EQ(readings(printed, printed), std::pair(false, false));
    EXPECT_EQ(load_system(matrix_of(printed + " 0 0 2"), rhs_of("1 " + printed)).system.b[1], real(0.1));
    EXPECT_EQ(load_matrix(matrix_of(printed + " 0 0 2")).facts.printed_digits, 21);
    EXPECT_EQ(load_matrix(matrix_of("0.1 0 0 2")).facts.printed_digits, 0);
    EXPECT_FALSE(load_matrix(matrix_of("0.1 0 0 2")).rhs);
}

TEST(load_test, bounds_the_distance_of_the_two_readings)
{
    const auto distance = [](const std::string& a, const std::string& b, entry_reading reading) {
        return load_system(matrix_of(a + " 0 0 2"), rhs_of("1 " + b), reading).system.other_reading;
    };
    EXPECT_EQ(distance("0.1", "3", entry_reading::automatic), 0x1p-53);
    EXPECT_EQ(distance("0.1", "0.1", entry_reading::automatic), 0x1p-52);
    EXPECT_EQ(distance("0.5", "3", entry_reading::automatic), 0.0);
    EXPECT_EQ(distance("1.00000000000000005551e-01", "3", entry_reading::automatic), 0.5e-20);
    EXPECT_EQ(distance("0.1", "0.1", entry_reading::decimal), 0.0);
    EXPECT_EQ(distance("0.1", "0.1", entry_reading::binary64), 0.0);
}

TEST(load_test, takes_complex_numbers_without_imaginary_parts_as_real_ones)
{
    const auto hermitian = [](const std::string& imaginary) {
        return io::make_text("a",
                             "%%MatrixMarket matrix array complex hermitian\n2 2\n2 0\n0.1 " + imaginary + "\n3 0\n");
    };
    for (const entry_reading reading : {entry_reading::automatic, entry_reading::decimal}) {
        const loaded_system real_one = load_matrix(hermitian("-0.0"), reading);
        EXPECT_EQ(real_one.system.values, (std::vector<double>{2.0, 0.1, 0.1, 3.0}));
        EXPECT_EQ(real_one.system.exact.empty(), reading == entry_reading::automatic);
        EXPECT_TRUE(real_one.facts.symmetric);
        EXPECT_EQ(real_one.facts.header.field, io::matrix_field::real);
        EXPECT_EQ(real_one.facts.header.symmetry, io::matrix_symmetry::symmetric);
        EXPECT_EQ(real_one.facts.warnings,
                  (std::vector<std::string>{"a: complex, but all imaginary parts are 0: read as a real matrix"}));
    }
    EXPECT_TRUE(load_matrix(hermitian("1e-400")).system.complex);
}

TEST(load_test, keeps_decimals_as_they_are_written)
{
    const auto error_of = [](const std::string& entries, entry_reading reading) {
        return load_matrix(matrix_of(entries), reading).system.reading_error;
    };
    EXPECT_EQ(error_of("0.1 0 0 2", entry_reading::decimal), real(0.0));
    EXPECT_EQ(error_of("0.125 0 0 2e300", entry_reading::decimal), real(0.0));
    EXPECT_EQ(error_of("0.125 0 0 1180591620717411303425", entry_reading::decimal), real(0.0));  // 2^70 + 1
    EXPECT_EQ(error_of("0.1 0 0 2", entry_reading::binary64), real(0.0));  // 0.1 means its binary64 number
}

TEST(load_test, reads_the_same_decimals_in_one_pass_as_in_two)
{
    const std::string entries = "3 1 0.10000000000000000000000000000000000007\n2 1 -0.3\n3 2 7e-400\n";
    for (const std::string symmetry : {"general", "symmetric", "skew-symmetric"}) {
        const auto read = [&](entry_reading reading) {
            return load_matrix(
                io::make_text("a", "%%MatrixMarket matrix coordinate real " + symmetry + "\n3 3 3\n" + entries),
                reading);
        };
        const loaded_system one = read(entry_reading::decimal), two = read(entry_reading::automatic);
        EXPECT_EQ(one.system.values, two.system.values);
        EXPECT_EQ(one.system.column, two.system.column);
        EXPECT_EQ(one.system.exact.in_bits(300), two.system.exact.in_bits(300));
        EXPECT_EQ(one.facts.inexact, two.facts.inexact);
        EXPECT_EQ(one.system.exact.at(one.system.exact.size() - 2, 300),
                  real("0.10000000000000000000000000000000000007", 300));
    }
}

TEST(load_test, finds_decimals_behind_any_number_of_binary64_numbers)
{
    for (const int before : {0, 1, 998, 999, 1000, 1001, 5000}) {
        std::string entries = "100 60\n";
        for (int k = 0; k < 6000; ++k) {
            entries += (k < before ? "0.5\n" : "-0." + std::string(30, static_cast<char>('1' + k % 9)) + "\n");
        }
        const auto read = [&](entry_reading reading) {
            return load_matrix(io::make_text("a", "%%MatrixMarket matrix array real general\n" + entries), reading);
        };
        const loaded_system one = read(entry_reading::decimal), other = read(entry_reading::automatic);
        EXPECT_TRUE(other.facts.decimal) << before;
        EXPECT_EQ(other.facts.inexact, 6000 - before);
        EXPECT_EQ(one.system.values, other.system.values) << before;
        EXPECT_EQ(one.system.exact.in_bits(200), other.system.exact.in_bits(200)) << before;
    }
    // the same error wherever it is
    for (const std::string wrong : {"0.1111111111111111111111111111111 x 3 4", "x 3 4 5", "1 2 3", "1 2 3 4 5"}) {
        const auto said = [&](entry_reading reading) -> std::string {
            try {
                load_matrix(matrix_of(wrong), reading);
            } catch (const input_error& e) {
                return e.what();
            }
            return "";
        };
        EXPECT_FALSE(said(entry_reading::automatic).empty());
        EXPECT_EQ(said(entry_reading::automatic), said(entry_reading::decimal));
    }
}

TEST(load_test, bounds_what_reading_decimals_rounded)
{
    // The sum at (1, 1) makes all entries reals of decimal_bits().
    const linear_system system =
        load_matrix(io::make_text("a",
                                  "%%MatrixMarket matrix coordinate real general\n2 2 5\n1 1 0.04\n1 1 0.06\n"
                                  "2 1 7e-400\n1 2 3.3\n2 2 2\n"),
                    entry_reading::decimal)
            .system;

    const auto error = [&](std::size_t k, const char* written) {
        const real exact(written, 2 * decimal_bits());
        return abs(system.exact.at(k, decimal_bits()) - exact) / abs(exact);
    };
    EXPECT_FALSE(system.exact.are_decimals());
    EXPECT_GT(error(0, "0.1"), real(0.0));
    EXPECT_LE(error(0, "0.1"), system.reading_error);
    EXPECT_LE(error(1, "3.3"), system.reading_error);
    EXPECT_LE(error(2, "7e-400"), system.reading_error);
}

TEST(load_test, counts_what_was_rounded_in_a_right_hand_side_and_in_sums)
{
    const auto errors_of = [](const std::string& numbers, int columns) {
        const linear_system system =
            load_system(matrix_of("1 0 0 2"), rhs_of(numbers, columns), entry_reading::decimal).system;
        EXPECT_EQ(system.reading_error, real(0.0));
        return system.rhs_reading_errors;
    };
    EXPECT_EQ(errors_of("1 0.3", 1), std::vector<real>{rounded_once});
    EXPECT_EQ(errors_of("1 0.5", 1), std::vector<real>{});
    EXPECT_EQ(errors_of("1 2 1e-30 4", 2), (std::vector<real>{real(0.0), rounded_once}));

    const std::string twice = "%%MatrixMarket matrix coordinate real general\n1 1 2\n1 1 1e-3000\n1 1 1\n";
    EXPECT_EQ(load_matrix(io::make_text("a", twice), entry_reading::decimal).system.reading_error,
              ldexp(rounded_once, 1));
}

TEST(load_test, gives_up_what_cannot_be_solved_before_it_costs_memory)
{
    const auto sparse = [](const std::string& sizes) {
        return io::make_text("a", "%%MatrixMarket matrix coordinate real general\n" + sizes + " 1\n5 1 1.5\n");
    };
    solve_options options;
    EXPECT_THROW(load_matrix(sparse("10000000 10000000"), entry_reading::automatic, &options), singular_matrix);
    EXPECT_EQ(load_matrix(sparse("2000000 2000000")).system.rows, 2000000);
    EXPECT_EQ(load_matrix(sparse("9 9"), entry_reading::automatic, &options).system.rows, 9);
    options.method = method::lsqr;
    const memory_limit limit(1e9);
    EXPECT_THROW(load_matrix(sparse("9000000 1"), entry_reading::automatic, &options), resource_error);
}

TEST(load_test, stops_when_it_is_told_to)
{
    const io::stop_function yes = [] { return true; };
    const io::interruption asked(yes);
    EXPECT_THROW(load_matrix(matrix_of("1 0 0 2")), io::stopped_error);
    EXPECT_THROW(load_columns(rhs_of("3 4"), 2, 1), io::stopped_error);
}

TEST(load_test, takes_decimals_of_any_size)
{
    const auto entry_of = [](const std::string& word) {
        return load_matrix(matrix_of(word + " 0 0 2"), entry_reading::decimal)
            .system.exact.at(0, 300)
            .with_precision(300);
    };
    for (const std::string word :
         {"1e5000000", "-0.1e-5000000", "12345678901234567890123.5e310000000", "3e-310000000"}) {
        EXPECT_EQ(entry_of(word), real(word, 300)) << word;
    }
    EXPECT_THROW(entry_of("1e400000000"), input_error);
    EXPECT_THROW(entry_of("1e-9000000000000000000"), input_error);
}

TEST(load_test, keeps_several_right_hand_sides_apart)
{
    const loaded_system one = load_system(matrix_of("1 0 0 2"), rhs_of("3 4"));
    EXPECT_EQ(one.system.b, (std::vector<real>{real(3), real(4)}));
    EXPECT_TRUE(one.columns.empty());

    const loaded_system two = load_system(matrix_of("1 0 0 2"), rhs_of("3 4 5 6", 2));
    ASSERT_EQ(two.columns.size(), 2u);
    EXPECT_EQ(two.columns[1], (std::vector<real>{real(5), real(6)}));
    EXPECT_THROW(load_system(matrix_of("1 0 0 2"), rhs_of("3 4 5 6", 2), entry_reading::automatic, false), input_error);
}

TEST(load_test, refuses_what_is_no_system)
{
    EXPECT_THROW(load_matrix(matrix_of("1 0 0")), input_error);
    EXPECT_THROW(load_matrix(matrix_of("1 0 0 1e400"), entry_reading::binary64), binary64_overflow);
    EXPECT_THROW(load_columns(rhs_of("3 4"), 3, 1), input_error);
}

TEST(load, binary_numbers_are_exact_in_every_reading)
{
    const auto array_of = [](const std::string& type, const std::string& element) {
        std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (1, 1), }";
        header.resize(117, ' ');
        return std::string("\x93NUMPY\1\0", 8) + std::string("\x76\0", 2) + header + "\n" + element;
    };
    const std::string tenth("\x9a\x99\x99\x99\x99\x99\xb9\x3f", 8);    // the binary64 number nearest to 0.1
    const std::string integer("\x01\x00\x00\x00\x00\x00\x20\x00", 8);  // 2^53 + 1
    const real exact = ldexp(real(1.0), 53) + real("1", 128);
    for (const entry_reading reading : {entry_reading::automatic, entry_reading::decimal, entry_reading::binary64}) {
        const loaded_system doubles = load_system(io::make_text("a", array_of("<f8", tenth)),
                                                  io::make_text("b", array_of("<f8", tenth)), reading);
        EXPECT_EQ(doubles.system.b[0], real(0.1));
        EXPECT_TRUE(doubles.system.exact.empty());
        EXPECT_EQ(doubles.facts.inexact, 0);
        EXPECT_FALSE(doubles.facts.decimal);
        const loaded_system whole = load_system(io::make_text("a", array_of("<i8", integer)),
                                                io::make_text("b", array_of("<i8", integer)), reading);
        EXPECT_EQ(whole.system.b[0] == exact, reading != entry_reading::binary64);
        EXPECT_EQ(whole.facts.decimal, reading != entry_reading::binary64);
        EXPECT_EQ(whole.system.exact.empty(), reading == entry_reading::binary64);
    }
    EXPECT_EQ(load_columns(io::make_text("x", array_of("<f8", tenth)), 1, 1)[0][0], real(0.1));
    EXPECT_NE(load_columns(io::make_text("x", "0.1\n"), 1, 1)[0][0], real(0.1));
}

TEST(load, the_transpose_has_the_sizes_and_the_digits_of_the_transpose)
{
    const auto loaded = [](const std::string& value, entry_reading reading) {
        io::text text = io::make_text(
            "a", "%%MatrixMarket matrix coordinate real general\n2 3 3\n1 1 1\n2 1 " + value + "\n1 3 5\n");
        text.transposed = true;
        return load_system(std::move(text), io::make_text("b", "1\n2\n3\n"), reading);
    };
    for (const entry_reading reading : {entry_reading::binary64, entry_reading::decimal}) {
        const loaded_system a = loaded("0.1", reading);
        EXPECT_TRUE(a.facts.transposed);
        EXPECT_EQ(a.facts.header.rows, 3);
        EXPECT_EQ(a.system.rows, 3);
        EXPECT_EQ(a.system.cols, 2);
        EXPECT_EQ(std::vector<index_t>(a.system.row_begin.begin(), a.system.row_begin.end()),
                  (std::vector<index_t>{0, 2, 2, 3}));
        EXPECT_EQ(a.system.values[1], 0.1);
        EXPECT_EQ(a.system.values[2], 5.0);
        EXPECT_EQ(a.system.exact.empty(), reading == entry_reading::binary64);
    }
}

}  // namespace
}  // namespace residua
