#include <residua/io/matrix_market_scanner.hpp>

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <residua/io/matrix_market.hpp>

namespace residua::io {
namespace {

/// Reads to the end; the message if the text is refused, else "read".
std::string outcome(const std::string& bytes)
{
    const text source{"f", bytes};
    try {
        matrix_market_scanner scanner(source);
        scanned_entry entry;
        while (scanner.next(entry)) {
        }
    } catch (const input_error& e) {
        return e.what();
    }
    return "read";
}

const std::string banner = "%%MatrixMarket matrix ";
const std::string real = banner + "coordinate real general\n";
const std::string symmetric = banner + "coordinate real symmetric\n";
const std::string array = banner + "array real general\n";
const std::string complex = banner + "coordinate complex general\n";

TEST(matrix_market_scanner, gives_entries_as_they_stand)
{
    const text source{"f", real + "% comment\n3 4 2\n\n 1\t2   -1.50D+3 \n3 4 7"};

    matrix_market_scanner scanner(source);
    scanned_entry entry;

    EXPECT_EQ(scanner.header(),
              (matrix_market_header{matrix_format::coordinate, matrix_field::real, matrix_symmetry::general, 3, 4, 2}));
    ASSERT_TRUE(scanner.next(entry));
    EXPECT_EQ(entry.row, 0);
    EXPECT_EQ(entry.col, 1);
    EXPECT_EQ(entry.real, "-1.50D+3");
    EXPECT_EQ(entry.imaginary, "0");
    EXPECT_EQ(entry.line, 5);
    ASSERT_TRUE(scanner.next(entry));
    EXPECT_EQ(entry.row, 2);
    EXPECT_EQ(entry.col, 3);
    EXPECT_EQ(entry.real, "7");
    EXPECT_EQ(entry.line, 6);
    EXPECT_FALSE(scanner.next(entry));
    EXPECT_FALSE(scanner.next(entry));
}

TEST(matrix_market_scanner, goes_through_arrays_by_columns)
{
    struct shape {
        const char* symmetry;
        std::string values;
        std::string positions;
    };
    for (const shape& s : {shape{"general", "1 2 3 4 5 6 7 8 9", "11 21 31 12 22 32 13 23 33 "},
                           shape{"symmetric", "1\n2 3\n\n4 5 6", "11 21 31 22 32 33 "},
                           shape{"skew-symmetric", "1\n2\n% c\n3", "21 31 32 "}}) {
        const text source{"f", banner + "array real " + s.symmetry + "\n3 3\n" + s.values + "\n"};
        matrix_market_scanner scanner(source);
        scanned_entry entry;
        std::string positions;
        index_t k = 0;
        while (scanner.next(entry)) {
            positions += std::to_string(entry.row + 1) + std::to_string(entry.col + 1) + " ";
            EXPECT_EQ(entry.real, std::to_string(++k));
        }
        EXPECT_EQ(positions, s.positions) << s.symmetry;
    }
}

TEST(matrix_market_scanner, vectors_have_one_column)
{
    for (const auto& [kind, text] : {std::pair{"coordinate real", "3\n1 1.5\n2 0\n3 -2e400\n"},
                                     {"coordinate real", "3 2\n3 -2e400\n1 1.5\n"},
                                     {"array real", "3\n1.5\n0\n-2e400\n"}}) {
        const residua::io::text source{"f", std::string("%%MatrixMarket vector ") + kind + " general\n" + text};
        matrix_market_scanner scanner(source);
        EXPECT_EQ(scanner.header().rows, 3);
        EXPECT_EQ(scanner.header().cols, 1);
        std::string ends;
        for (scanned_entry entry; scanner.next(entry);) {
            EXPECT_EQ(entry.col, 0);
            ends += entry.row == 0 || entry.row == 2 ? std::to_string(entry.row) + std::string(entry.real.text()) : "";
        }
        EXPECT_TRUE(ends == "01.52-2e400" || ends == "2-2e40001.5") << ends;
    }
}

TEST(matrix_market_scanner, gives_both_parts_of_complex_values)
{
    const text source{"f", banner + "array complex general\n2 1\n1 -2 3 4\n"};

    matrix_market_scanner scanner(source);
    scanned_entry entry;

    ASSERT_TRUE(scanner.next(entry));
    EXPECT_EQ(entry.real, "1");
    EXPECT_EQ(entry.imaginary, "-2");
    ASSERT_TRUE(scanner.next(entry));
    EXPECT_EQ(entry.real, "3");
    EXPECT_EQ(entry.imaginary, "4");
    EXPECT_FALSE(scanner.next(entry));
}

TEST(matrix_market_scanner, reads_what_is_harmless)
{
    for (const std::string& bytes : {
             "\xef\xbb\xbf" + real + "1 1 0\n",
             std::string("%%MATRIXmarket MATRIX Coordinate REAL gEnErAl\n1 1 0"),
             banner + "coordinate real general\r\n1 1 1\r\n1 1 5\r\n",
             banner + "coordinate real general\r% c\r\r1 1 1\r1 1 5\r",
             banner + "coordinate integer general\n1 1 1\n1 1 20e-1\n",
             banner + "coordinate real skew-symmetric\n2 2 1\n1 1 0.0\n",
             banner + "coordinate complex skew-symmetric\n2 2 1\n1 1 -0 0e5\n",
             banner + "coordinate pattern symmetric\n2 2 1\n2 1\n",
             banner + "array complex hermitian\n1 1\n5 0\n",
             real + "0 0 0\n",
             real + "0 7 0\n% end",
             array + "0 5\n",
             array + "5 0",
             real + "9223372036854775807 9223372036854775807 1\n9223372036854775807 1 1\n",
             real + "3 3 1\n000000000000000000000000003 01 1\n",
             real + "1 1 1\n  % indented comment\n1 1 1\n \t\n",
             banner + "array real skew-symmetric\n1 1\n",
         }) {
        EXPECT_EQ(outcome(bytes), "read") << bytes;
    }
}

TEST(matrix_market_scanner, refuses_everything_else_with_line_and_reason)
{
    struct refusal {
        std::string bytes;
        std::string message;
    };
    const std::vector<refusal> refusals{
        // The banner.
        {"", "f:1: the file is empty"},
        {"\xef\xbb\xbf", "f:1: the file is empty"},
        {"\n" + real,
         "f:1: not a MatrixMarket file: it begins with '' instead of "
         "'%%MatrixMarket matrix ...'"},
        {"1 2 3\r",
         "f:1: not a MatrixMarket file: it begins with '1 2 3' instead of "
         "'%%MatrixMarket matrix ...'"},
        {"\xfd"
         "7zXZ",
         "f:1: not a MatrixMarket file but xz data; decompress it first"},
        {"\xff\xfe%", "f:1: not a MatrixMarket file but UTF-16 text; save it as ASCII"},
        {"<!doctype html>", "f:1: not a MatrixMarket file but a web page"},
        {"%%MatrixMarket",
         "f:1: the banner ends before the object; it must be "
         "'%%MatrixMarket matrix FORMAT FIELD SYMMETRY'"},
        {"MATLAB 5.0 MAT-file",
         "f:1: not a MatrixMarket file but a MATLAB file; write it as MatrixMarket, in Python: import scipy.io; "
         "scipy.io.mmwrite('A.mtx', scipy.io.loadmat('A.mat')['A'])"},
        {"\x89HDF\r\n",
         "f:1: not a MatrixMarket file but an HDF5 file, as MATLAB's from version 7.3 on; there, save('A.mat', 'A', "
         "'-v7'), then, in Python: import scipy.io; scipy.io.mmwrite('A.mtx', scipy.io.loadmat('A.mat')['A'])"},
        {"title\n4 1\nRUA\n3\n",
         "f:1: not a MatrixMarket file: it begins with 'title' instead of "
         "'%%MatrixMarket matrix ...'"},
        {"%%MatrixMarket tensor", "f:1: the object 'tensor' is not one of matrix, vector"},
        {"%%MatrixMarket vector array real symmetric\n2\n", "f:1: a vector is general"},
        {"%%MatrixMarket vector array real general\n2 1\n1\n2\n",
         "f:2: unexpected '1' after the sizes; the size line of an array vector is 'rows'"},
        {"%%MatrixMarket vector coordinate real general\n2 1 1\n1 2\n",
         "f:2: unexpected '1' after the sizes; the size line of a coordinate vector is 'rows' or 'rows entries'"},
        {"%%MatrixMarket vector coordinate real general\n2\n1 3\n",
         "f:3: the file ends after 1 of the 2 entries that line 2 announces; is it cut short?"},
        {"%%MatrixMarket vector coordinate real general\n2 1\n1 1 3\n",
         "f:3: unexpected '3' after the entry; an entry of a vector is 'row value'"},
        {banner + "csr", "f:1: the format 'csr' is not one of coordinate, array"},
        {banner + "array double", "f:1: the field 'double' is not one of real, integer, pattern, complex"},
        {banner + "array real skew",
         "f:1: the symmetry 'skew' is not one of general, symmetric, skew-symmetric, hermitian"},
        {banner + "array real general general\n", "f:1: unexpected 'general' at the end of the banner"},
        {banner + "array real hermitian\n",
         "f:1: a hermitian matrix needs the field complex; a "
         "real one is called symmetric"},
        {banner + "array pattern general\n",
         "f:1: a pattern has no values, so it cannot be in "
         "array format, only in coordinate format"},
        {banner + "coordinate pattern skew-symmetric\n", "f:1: a pattern has no signs, so it cannot be skew-symmetric"},
        // The sizes.
        {real, "f:1: the file ends before its size line; is it cut short?"},
        {real + "% c\n\n", "f:3: the file ends before its size line; is it cut short?"},
        {real + "3",
         "f:2: the line ends before the number of columns; the size line of a "
         "coordinate file is 'rows columns entries'"},
        {array + "3 3 9\n", "f:2: unexpected '9' after the sizes; the size line of an array file is 'rows columns'"},
        {real + "3 3 4 1 0\n",
         "f:2: unexpected '1' after the sizes; the size line of a coordinate file is 'rows columns entries'; is this "
         "Lis's "
         "format, with b or x behind the entries? Write those into files of their own"},
        {real + "3 x3 1\n", "f:2: the number of columns is not a whole number: 'x3'"},
        {real + "+3 3 1\n", "f:2: the number of rows is not a whole number: '+3'"},
        {real + "3 3 1%\n", "f:2: the number of entries is not a whole number: '1%'"},
        {real + "3 -1 1\n", "f:2: the number of columns is negative: -1"},
        {real + "3 9223372036854775808 1\n",
         "f:2: the number of columns does not fit into 64 bits: '9223372036854775808'"},
        {symmetric + "3 4 1\n", "f:2: a matrix with symmetry must be square; this one is 3 x 4"},
        {array + "3037000500 3037000500\n", "f:2: an array of 3037000500 x 3037000500 values is larger than any file"},
        {array + "4294967296 4294967296\n",  // 2^64
         "f:2: an array of 4294967296 x 4294967296 values is larger than any file"},
        {banner + "array real symmetric\n9223372036854775807 9223372036854775807\n",
         "f:2: an array of 9223372036854775807 x 9223372036854775807 values is larger than any "
         "file"},
        // The number of entries.
        {real + "1 1 1\n",
         "f:2: the file ends after 0 of the 1 entry that line 2 announces; is it "
         "cut short?"},
        {real + "1 1 2\r\n1 1 1\r\n",
         "f:3: the file ends after 1 of the 2 entries that line 2 announces; is it cut short?"},
        {array + "1 3\n1 2",
         "f:3: the file ends after 2 of the 3 values that line 2 announces; is "
         "it cut short?"},
        {real + "1 1 0\n\n1 1 1\n", "f:4: unexpected '1' after the 0 entries that line 2 announces"},
        {banner + "array real skew-symmetric\n2 2\n0 1 1 0\n",
         "f:3: unexpected '1' after the 1 value that line 2 announces; an array skew-symmetric file has no diagonal, "
         "only "
         "what is below it"},
        {array + "1 1\n1 2\n", "f:3: unexpected '2' after the 1 value that line 2 announces"},
        // Indices.
        {real + "3 3 1\n0 1 1\n",
         "f:3: row 0 is outside 1..3 (sizes in line 2); rows and columns "
         "count from 1"},
        {real + "3 3 1\n1 4 1\n", "f:3: column 4 is outside 1..3 (sizes in line 2)"},
        {real + "3 3 1\n-1 1 1\n", "f:3: row -1 is outside 1..3 (sizes in line 2)"},
        {real + "3 3 1\n1.0 1 1\n", "f:3: the row is not a whole number: '1.0'"},
        {real + "3 3 1\n1 +1 1\n", "f:3: the column is not a whole number: '+1'"},
        {real + "3 3 1\n1 2e0 1\n", "f:3: the column is not a whole number: '2e0'"},
        {real + "3 3 1\n1 99999999999999999999 1\n",
         "f:3: the column does not fit into 64 bits: '99999999999999999999'"},
        {real + "3 3 1\n1\n",
         "f:3: the line ends before the column; a real entry is 'row column "
         "value'"},
        {real + "3 3 1\n1" + std::string(1, '\0') + " 1 1\n", "f:3: the row is not a whole number: '1\\x00'"},
        // Values.
        {real + "3 3 1\n1 1",
         "f:3: the line ends before the value; a real entry is 'row column "
         "value'"},
        {complex + "3 3 1\n1 1 2\n",
         "f:3: the line ends before the value; a complex entry is 'row "
         "column real-part imaginary-part'"},
        {banner + "array complex general\n1 1\n2\n3\n",
         "f:3: the line ends before the imaginary part; the two parts of a value stand in one "
         "line"},
        {real + "3 3 1\n1 1 1 % c\n",
         "f:3: unexpected '%' after the entry; a real entry is 'row "
         "column value'"},
        {banner + "coordinate pattern general\n3 3 1\n1 1 1\n",
         "f:3: unexpected '1' after the entry; a pattern entry is 'row column'"},
        {banner + "coordinate integer general\n3 3 1\n1 1 1 1\n",
         "f:3: unexpected '1' after the entry; an integer entry is 'row column value'"},
        {banner + "coordinate integer general\n3 3 1\n1 1 1.5\n",
         "f:3: '1.5' is not an integer; should the banner say real?"},
        {real + "3 3 1\n1 1 x\n", "f:3: 'x' is not a number"},
        {real + "3 3 1\n1 1 1.5.\n", "f:3: '1.5.' is not a number"},
        {real + "3 3 1\n1 1 1,5\n", "f:3: '1,5' is not a number; is the comma a decimal point?"},
        {real + "3 3 1\n1 1 -nan(0x1)\n", "f:3: '-nan(0x1)' is not a finite number"},
        {real + "3 3 1\n1 1 +Infinity\n", "f:3: '+Infinity' is not a finite number"},
        {real + "3 3 1\n1 1 1" + std::string(1, '\0') + "\n", "f:3: '1\\x00' is not a number"},
        {real + "3 3 1\n1 1 1e9223372036854775808\n",
         "f:3: the exponent of '1e9223372036854775808' does not fit into 64 bits"},
        {array + "1 2\n1 % c\n", "f:3: '%' is not a number"},
        // Symmetry.
        {symmetric + "3 3 1\n1 2 1\n",
         "f:3: entry (1, 2) lies above the diagonal; a symmetric file "
         "holds the lower triangle only"},
        {banner + "coordinate real skew-symmetric\n3 3 1\n2 2 1\n",
         "f:3: the diagonal of a skew-symmetric matrix is zero, not '1'"},
        {banner + "coordinate complex skew-symmetric\n3 3 1\n2 2 0 1\n",
         "f:3: the diagonal of a skew-symmetric matrix is zero, not '1'"},
        {banner + "coordinate complex hermitian\n3 3 1\n2 2 1 1e-99\n",
         "f:3: the diagonal of a hermitian matrix is real, its imaginary part cannot be '1e-99'"},
        {banner + "array complex hermitian\n2 2\n1 0\n1 1\n1 1\n",
         "f:5: the diagonal of a hermitian matrix is real, its imaginary part cannot be '1'"},
    };
    for (const refusal& r : refusals) {
        EXPECT_EQ(outcome(r.bytes), r.message) << r.bytes;
    }
}

TEST(matrix_market_scanner, reserves_by_the_bytes_and_not_by_the_header)
{
    const text source{"f", real + "9 9 9000000000000000000\n1 1 1\n1 2 1\n"};

    const matrix_market_scanner scanner(source);

    EXPECT_EQ(scanner.most_entries_left(), 3);
}

TEST(matrix_market_scanner, never_reserves_too_little)
{
    for (const std::string& bytes : {real + "9 9 3\n1 1 1\n1 1 1\n1 1 1", array + "1 3\n1 1 1",
                                     banner + "coordinate pattern general\n9 9 3\n1 1\n1 1\n1 1"}) {
        const text source{"f", bytes};
        EXPECT_EQ(matrix_market_scanner(source).most_entries_left(), 3) << bytes;
    }
}

}  // namespace
}  // namespace residua::io
