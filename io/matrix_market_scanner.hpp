#pragma once

#include <string>
#include <vector>

#include <residua/io/decimal.hpp>
#include <residua/io/matrix_market_header.hpp>
#include <residua/io/text_cursor.hpp>

namespace residua::io {

/// One entry as it stands in the file; the decimals are validated words of the text.
struct scanned_entry {
    index_t row = 0;  ///< from 0
    index_t col = 0;
    decimal_word real;       ///< "1" in a pattern
    decimal_word imaginary;  ///< "0" unless the field is complex
    index_t line = 0;
};

/// Reads a MatrixMarket text entry by entry, as stored: symmetry is not expanded, repeated
/// positions are handed out again. It checks everything that can be checked so.
///
/// What the standard leaves open. Read are: banner letters in either case, a byte order mark, line
/// ends LF, CRLF or CR, comments and blank lines anywhere after the banner, exponents with D, array
/// values one or several to a line, whole numbers written 2.0 or 2e0 in an integer file, and zeros
/// on the diagonal of a skew-symmetric coordinate file. Errors are: values that are not finite,
/// entries above the diagonal of a file with symmetry, values in a pattern file, and all the rest.
///
/// needs   the text outlives the scanner and its entries
/// cost    O(bytes), no allocation
/// throws  input_error with file, line and reason
class matrix_market_scanner {
public:
    explicit matrix_market_scanner(const text& source);
    explicit matrix_market_scanner(text&&) = delete;

    const matrix_market_header& header() const { return header_; }

    /// Scanners of `count` parts of the rest, or of fewer parts if lines are few. Each begins with a line, and knows
    /// nothing of what is before: it takes any number of entries, counts lines from 0, and gives no places in an array.
    std::vector<matrix_market_scanner> parts(index_t count) const;

    /// A scanner of the whole text from where the part begins, with `lines` lines and `entries` entries before it.
    ///
    /// part  as it came from parts()
    matrix_market_scanner resumed_at(const matrix_market_scanner& part, index_t lines, index_t entries) const;

    /// The entries read so far, and the lines that end before the current place; a part counts from its own beginning.
    index_t entries() const { return read_; }
    index_t lines() const { return cursor_.line() - (is_part_ ? 0 : 1); }
    index_t bytes_left() const { return cursor_.bytes_left(); }

    /// Gives the next entry, or false once all are read and nothing else follows.
    bool next(scanned_entry& entry);

    /// As many entries as may still come, by the header and by the bytes left: a size to reserve.
    index_t most_entries_left() const;

private:
    bool read_plain_line(scanned_entry& entry);
    void read_coordinate(scanned_entry& entry);
    void read_array(scanned_entry& entry);
    void read_values(scanned_entry& entry);
    index_t read_index(const char* what, index_t size);
    decimal_word read_decimal();
    [[noreturn]] void fail_as_decimal(bool exponent_too_large) const;
    void check_symmetry(const scanned_entry& entry) const;
    std::string announced() const;

    text_cursor cursor_;
    matrix_market_header header_;
    index_t size_line_;
    index_t read_ = 0;
    index_t array_row_ = 0;  ///< position of the next value of an array
    index_t array_col_ = 0;
    bool is_part_ = false;
    bool inside_line_ = false;  ///< an array value was read and its line may go on
};

}  // namespace residua::io
