#include <residua/io/matrix_market_header.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <string>

namespace residua::io {

namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
constexpr std::string_view first_word = "%%MatrixMarket";

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

bool same_word(std::string_view a, std::string_view b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

/// Known kinds of files that are not MatrixMarket, by how they begin.
std::string_view kind_of_file(std::string_view bytes)
{
    struct kind {
        std::string_view beginning;
        std::string_view name;
    };
    static constexpr std::array<kind, 11> kinds{{
        {"version https://git-lfs", "a Git LFS pointer; fetch the file itself by 'git lfs pull'"},
        {"<!DOCTYPE", "a web page"},
        {"<!doctype", "a web page"},
        {"<html", "a web page"},
        {"BZh", "bzip2 data; decompress it first"},
        {"\xfd"
         "7zXZ",
         "xz data; decompress it first"},
        {"\x28\xb5\x2f\xfd", "zstd data; decompress it first"},
        {"\xff\xfe", "UTF-16 text; save it as ASCII"},
        {"\xfe\xff", "UTF-16 text; save it as ASCII"},
        {"MATLAB",
         "a MATLAB file; write it as MatrixMarket, in Python: import scipy.io; scipy.io.mmwrite('A.mtx', "
         "scipy.io.loadmat('A.mat')['A'])"},
        {"\x89HDF",
         "an HDF5 file, as MATLAB's from version 7.3 on; there, save('A.mat', 'A', '-v7'), then, in Python: import "
         "scipy.io; scipy.io.mmwrite('A.mtx', scipy.io.loadmat('A.mat')['A'])"},
    }};
    for (const kind& k : kinds) {
        if (bytes.substr(0, k.beginning.size()) == k.beginning) {
            return k.name;
        }
    }
    return {};
}

[[noreturn]] void fail_to_begin(const text_cursor& cursor)
{
    if (cursor.at_end()) {
        cursor.fail("the file is empty");
    }
    const std::string_view bytes = cursor.rest();
    const std::string_view kind = kind_of_file(bytes);
    if (!kind.empty()) {
        cursor.fail("not a MatrixMarket file but " + std::string(kind));
    }
    cursor.fail("not a MatrixMarket file: it begins with " + quote(bytes.substr(0, bytes.find_first_of("\r\n"))) +
                " instead of '%%MatrixMarket matrix ...'");
}

std::string_view banner_word(text_cursor& cursor, const std::string& what)
{
    cursor.skip_blanks();
    if (cursor.at_line_end()) {
        cursor.fail("the banner ends before the " + what +
                    "; it must be '%%MatrixMarket matrix FORMAT FIELD SYMMETRY'");
    }
    const std::string_view word = cursor.word();
    cursor.move_to(word.data() + word.size());
    return word;
}

/// The next word of the banner as a value; fails with the list of those allowed.
template <class Enum, std::size_t N>
Enum banner_value(text_cursor& cursor, const std::string& what, const std::array<Enum, N>& values)
{
    const std::string_view word = banner_word(cursor, what);
    std::string allowed;
    for (const Enum value : values) {
        if (same_word(word, to_string(value))) {
            return value;
        }
        allowed += (allowed.empty() ? "" : ", ") + std::string(to_string(value));
    }
    cursor.fail("the " + what + " " + quote(word) + " is not one of " + allowed);
}

void read_banner(text_cursor& cursor, matrix_market_header& header)
{
    cursor.move_to(without_byte_order_mark(cursor.rest()).data());
    const std::string_view banner = cursor.word();
    if (!same_word(banner, first_word)) {
        fail_to_begin(cursor);
    }
    cursor.move_to(banner.data() + banner.size());

    const std::string_view object = banner_word(cursor, "object");
    if (same_word(object, "vector")) {
        header.object = matrix_object::vector;
    } else if (!same_word(object, "matrix")) {
        cursor.fail("the object " + quote(object) + " is not one of matrix, vector");
    }
    header.format = banner_value(cursor, "format", std::array{matrix_format::coordinate, matrix_format::array});
    header.field = banner_value(
        cursor, "field",
        std::array{matrix_field::real, matrix_field::integer, matrix_field::pattern, matrix_field::complex});
    header.symmetry = banner_value(cursor, "symmetry",
                                   std::array{matrix_symmetry::general, matrix_symmetry::symmetric,
                                              matrix_symmetry::skew_symmetric, matrix_symmetry::hermitian});
    cursor.skip_blanks();
    if (!cursor.at_line_end()) {
        cursor.fail("unexpected " + quote(cursor.word()) + " at the end of the banner");
    }
    const std::string_view reason = why_invalid(header);
    if (!reason.empty()) {
        cursor.fail(std::string(reason));
    }
}

/// The next number of the size line; `layout` tells what the line must look like.
index_t read_size(text_cursor& cursor, const std::string& what, const std::string& layout)
{
    cursor.skip_blanks();
    if (cursor.at_line_end()) {
        cursor.fail("the line ends before the number of " + what + "; " + layout);
    }
    const index_t n = cursor.read_whole_number("the number of " + what);
    if (n < 0) {
        cursor.fail("the number of " + what + " is negative: " + std::to_string(n));
    }
    return n;
}

void read_sizes(text_cursor& cursor, matrix_market_header& header)
{
    const bool array = header.format == matrix_format::array;
    const bool vector = header.object == matrix_object::vector;
    const std::string layout = vector  ? array ? "the size line of an array vector is 'rows'"
                                               : "the size line of a coordinate vector is 'rows' or 'rows entries'"
                               : array ? "the size line of an array file is 'rows columns'"
                                       : "the size line of a coordinate file is 'rows columns entries'";
    if (!cursor.find_content()) {
        cursor.fail_at_end("the file ends before its size line; is it cut short?");
    }
    header.rows = read_size(cursor, "rows", layout);
    header.cols = vector ? 1 : read_size(cursor, "columns", layout);
    const std::string shape = std::to_string(header.rows) + " x " + std::to_string(header.cols);
    const std::string_view reason = why_invalid(header);
    if (!reason.empty()) {
        cursor.fail(std::string(reason) + "; this one is " + shape);
    }
    cursor.skip_blanks();
    const bool announces_all = array || (vector && cursor.at_line_end());  // as Lis writes vectors
    header.stored = announces_all ? stored_in_array(header.rows, header.cols, header.symmetry)
                                  : read_size(cursor, "entries", layout);
    if (header.stored < 0) {
        cursor.fail("an array of " + shape + " values is larger than any file");
    }
    cursor.skip_blanks();
    if (!cursor.at_line_end()) {
        const std::string_view word = cursor.word();
        const bool by_lis =
            !array && !vector && (word == "0" || word == "1");  // its flags for a right-hand side and a solution
        cursor.fail("unexpected " + quote(word) + " after the sizes; " + layout +
                    (by_lis
                         ? "; is this Lis's format, with b or x behind the entries? Write those into files of their own"
                         : ""));
    }
}

}  // namespace

std::string_view without_byte_order_mark(std::string_view bytes)
{
    return bytes.substr(bytes.starts_with(byte_order_mark) ? byte_order_mark.size() : 0);
}

bool begins_matrix_market(std::string_view bytes)
{
    const std::string_view text = without_byte_order_mark(bytes).substr(0, first_word.size() + 1);
    return same_word(text.substr(0, first_word.size()), first_word) &&
           text.find_first_not_of(" \t\r\n", first_word.size()) == std::string_view::npos;
}

std::string_view to_string(matrix_format format)
{
    return format == matrix_format::coordinate ? "coordinate" : "array";
}

std::string_view to_string(matrix_field field)
{
    switch (field) {
        case matrix_field::real:
            return "real";
        case matrix_field::integer:
            return "integer";
        case matrix_field::pattern:
            return "pattern";
        case matrix_field::complex:
            break;
    }
    return "complex";
}

std::string_view to_string(matrix_symmetry symmetry)
{
    switch (symmetry) {
        case matrix_symmetry::general:
            return "general";
        case matrix_symmetry::symmetric:
            return "symmetric";
        case matrix_symmetry::skew_symmetric:
            return "skew-symmetric";
        case matrix_symmetry::hermitian:
            break;
    }
    return "hermitian";
}

index_t stored_in_array(index_t rows, index_t cols, matrix_symmetry symmetry)
{
    if (rows != 0 && cols > std::numeric_limits<index_t>::max() / rows) {
        return -1;
    }
    if (symmetry == matrix_symmetry::general) {
        return rows * cols;
    }
    const index_t strictly_lower = rows % 2 == 0 ? rows / 2 * (rows - 1) : (rows - 1) / 2 * rows;
    return symmetry == matrix_symmetry::skew_symmetric ? strictly_lower : strictly_lower + rows;
}

std::string_view why_invalid(const matrix_market_header& header)
{
    const bool pattern = header.field == matrix_field::pattern;
    if (header.format == matrix_format::array && pattern) {
        return "a pattern has no values, so it cannot be in array format, only in coordinate "
               "format";
    }
    if (pattern && header.symmetry == matrix_symmetry::skew_symmetric) {
        return "a pattern has no signs, so it cannot be skew-symmetric";
    }
    if (header.symmetry == matrix_symmetry::hermitian && header.field != matrix_field::complex) {
        return "a hermitian matrix needs the field complex; a real one is called symmetric";
    }
    if (header.object == matrix_object::vector && header.symmetry != matrix_symmetry::general) {
        return "a vector is general";
    }
    if (header.symmetry != matrix_symmetry::general && header.rows != header.cols) {
        return "a matrix with symmetry must be square";
    }
    return {};
}

std::string banner_line(const matrix_market_header& header)
{
    std::string line = std::string(first_word) + " matrix ";
    line += to_string(header.format);
    line += ' ';
    line += to_string(header.field);
    line += ' ';
    line += to_string(header.symmetry);
    return line + '\n';
}

std::string size_line(const matrix_market_header& header)
{
    const std::string sizes = std::to_string(header.rows) + " " + std::to_string(header.cols);
    return sizes + (header.format == matrix_format::array ? "" : " " + std::to_string(header.stored)) + "\n";
}

matrix_market_header read_header(text_cursor& cursor)
{
    matrix_market_header header;
    read_banner(cursor, header);
    read_sizes(cursor, header);
    return header;
}

}  // namespace residua::io
