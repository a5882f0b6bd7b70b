#pragma once

#include <string_view>

#include <residua/io/text.hpp>

namespace residua::io {

/// What is wanted of a file. Only Harwell-Boeing files hold more than one of these.
enum class file_part {
    matrix,
    rhs,       ///< one or several right-hand sides
    guess,     ///< where iterations begin
    solution,  ///< the exact one
    any,       ///< a matrix, or numbers in columns
};

/// A file format other than MatrixMarket. The first bytes of a file identify it.
struct file_format {
    std::string_view name;
    bool is_binary;

    /// Whether a file that begins so is of this format; the file may be longer.
    bool (*begins)(std::string_view bytes);

    /// What is wanted of the file, as MatrixMarket text that the reader takes as it is. Each number of a text keeps its
    /// digits.
    ///
    /// cost    memory in proportion to the file: sizes that it states are held against its bytes first
    /// throws  input_error with file, line or member, and reason; unsupported_error for what is known and not read
    text (*rewrite)(const text& file, file_part part);
};

/// The format of a file that is not MatrixMarket; null if no format is known to begin so.
const file_format* other_format(std::string_view bytes);

/// A file of any format that is read, as MatrixMarket text. What is no such file stays as it is, and the reader refuses
/// it.
///
/// throws  as file_format::rewrite; resource_error if memory does not suffice; stopped_error
text as_matrix_market(text file, file_part part = file_part::matrix);

}  // namespace residua::io
