#pragma once

#include <string>
#include <string_view>

#include <residua/io/error.hpp>
#include <residua/io/text_cursor.hpp>

namespace residua::io {

enum class matrix_object { matrix, vector };
enum class matrix_format { coordinate, array };
enum class matrix_field { real, integer, pattern, complex };
enum class matrix_symmetry { general, symmetric, skew_symmetric, hermitian };

/// The words of the banner.
std::string_view to_string(matrix_format format);
std::string_view to_string(matrix_field field);
std::string_view to_string(matrix_symmetry symmetry);

/// Banner and size line of a MatrixMarket file.
struct matrix_market_header {
    matrix_format format = matrix_format::coordinate;
    matrix_field field = matrix_field::real;
    matrix_symmetry symmetry = matrix_symmetry::general;
    index_t rows = 0;
    index_t cols = 0;
    index_t stored = 0;                            ///< entries in the file, before symmetry is expanded
    matrix_object object = matrix_object::matrix;  ///< a vector has one column, of which its entries say nothing

    bool operator==(const matrix_market_header&) const = default;
};

/// A text behind the three bytes that some editors put before UTF-8.
std::string_view without_byte_order_mark(std::string_view bytes);

/// Whether a text begins with the first word of a banner.
bool begins_matrix_market(std::string_view bytes);

/// How many values an array file stores: all, or the lower triangle, without the diagonal if
/// skew-symmetric.
///
/// returns  -1 if the number exceeds 64 bits
index_t stored_in_array(index_t rows, index_t cols, matrix_symmetry symmetry);

/// Why a combination of format, field, symmetry and sizes is not MatrixMarket; empty if it is.
std::string_view why_invalid(const matrix_market_header& header);

/// The lines that begin a file with this header, as that of a matrix.
std::string banner_line(const matrix_market_header& header);
std::string size_line(const matrix_market_header& header);

/// Reads banner and size line from the beginning of a text; the cursor ends behind the sizes.
///
/// throws  input_error with file, line and reason
matrix_market_header read_header(text_cursor& cursor);

}  // namespace residua::io
