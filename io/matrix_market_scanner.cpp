#include <residua/io/matrix_market_scanner.hpp>

#include <algorithm>
#include <cctype>
#include <cstdint>

#include <residua/io/decimal_scan.hpp>
#include <residua/io/digits.hpp>

namespace residua::io {

namespace {

bool is_array(const matrix_market_header& header) { return header.format == matrix_format::array; }

/// What an entry of a coordinate file looks like.
std::string layout(const matrix_market_header& header)
{
    if (header.object == matrix_object::vector) {
        return "an entry of a vector is 'row value'";
    }
    switch (header.field) {
        case matrix_field::pattern:
            return "a pattern entry is 'row column'";
        case matrix_field::complex:
            return "a complex entry is 'row column real-part imaginary-part'";
        case matrix_field::integer:
            return "an integer entry is 'row column value'";
        case matrix_field::real:
            break;
    }
    return "a real entry is 'row column value'";
}

}  // namespace

matrix_market_scanner::matrix_market_scanner(const text& source)
    : cursor_(source), header_(read_header(cursor_)), size_line_(cursor_.line())
{
    array_row_ = header_.symmetry == matrix_symmetry::skew_symmetric ? 1 : 0;
}

std::vector<matrix_market_scanner> matrix_market_scanner::parts(index_t count) const
{
    std::vector<matrix_market_scanner> all;
    text_cursor at = cursor_;
    const auto pass_line = [](text_cursor& cursor) {
        cursor.skip_line();
        if (!cursor.at_end()) {
            cursor.pass_line_end();
        }
    };
    pass_line(at);  // that of the sizes
    const index_t bytes = at.bytes_left();
    for (index_t k = 1; k <= count && !at.at_end(); ++k) {
        text_cursor end = at;
        end.move_to(k < count ? std::max(at.at(), at.end() - (bytes - bytes / count * k)) : at.end());
        pass_line(end);
        matrix_market_scanner part = *this;
        part.cursor_ = at.before(end.at());
        part.cursor_.move_to(at.at(), 0);
        part.is_part_ = true;
        all.push_back(part);
        at.move_to(end.at());
    }
    return all;
}

matrix_market_scanner matrix_market_scanner::resumed_at(const matrix_market_scanner& part, index_t lines,
                                                        index_t entries) const
{
    matrix_market_scanner resumed = *this;
    resumed.cursor_.move_to(part.cursor_.at(), size_line_ + 1 + lines);
    resumed.read_ = entries;
    return resumed;
}

bool matrix_market_scanner::next(scanned_entry& entry)
{
    const bool is_coordinate = !is_array(header_) && header_.object == matrix_object::matrix;
    if (read_ < header_.stored && is_coordinate && read_plain_line(entry)) {
        ++read_;
        return true;
    }
    if (inside_line_) {
        cursor_.skip_blanks();
    }
    if (!inside_line_ || cursor_.at_line_end()) {
        inside_line_ = false;
        if (!cursor_.find_content()) {
            if (read_ != header_.stored && !is_part_) {
                cursor_.fail_at_end("the file ends after " + std::to_string(read_) + " of the " + announced() +
                                    "; is it cut short?");
            }
            return false;
        }
    }
    if (read_ == header_.stored) {
        const bool skew_array = is_array(header_) && header_.symmetry == matrix_symmetry::skew_symmetric;
        cursor_.fail("unexpected " + quote(cursor_.word()) + " after the " + announced() +
                     (skew_array ? "; an array skew-symmetric file has no diagonal, only what is below it" : ""));
    }
    entry.line = cursor_.line();
    if (is_array(header_)) {
        read_array(entry);
    } else {
        read_coordinate(entry);
    }
    // Places in an array are in the lower triangle; only those of a hermitian one may be on the diagonal and be wrong.
    if (header_.symmetry != matrix_symmetry::general &&
        (!is_array(header_) || header_.symmetry == matrix_symmetry::hermitian)) {
        check_symmetry(entry);
    }
    ++read_;
    return true;
}

index_t matrix_market_scanner::most_entries_left() const
{
    // The shortest are "1 1 1\n" in a coordinate file, "1 1\n" in a pattern and "1\n" in an array;
    // those of a vector have no column.
    const bool pattern = header_.field == matrix_field::pattern;
    const bool vector = header_.object == matrix_object::vector;
    const index_t shortest = is_array(header_) ? 2 : (pattern ? 4 : 6) - (vector ? 2 : 0);
    return std::min(header_.stored - read_, cursor_.bytes_left() / shortest + 1);
}

/// The next entry if it stands in the next line, in the form that nearly all lines of coordinate files have; otherwise
/// nothing happens.
bool matrix_market_scanner::read_plain_line(scanned_entry& entry)
{
    const char* p = cursor_.at();
    const char* const end = cursor_.end();
    index_t line = cursor_.line();
    if (p != end && (*p == '\n' || *p == '\r')) {
        p += *p == '\r' && p[1] == '\n' ? 2 : 1;
        ++line;
    }
    if (p == end) {
        return false;
    }
    const auto skip_blanks = [&] {
        while (*p == ' ' || *p == '\t') {
            ++p;
        }
    };
    const auto read = [&](index_t size, index_t& index) {
        skip_blanks();
        const char* const begin = p;
        std::uint64_t n = 0;
        p = append_few_digits(p, padded_end(), n);
        if (p == begin || p - begin > 18) {
            return false;
        }
        index = static_cast<index_t>(n) - 1;
        return 0 <= index && index < size;
    };
    const auto at_blank = [&] { return *p == ' ' || *p == '\t'; };
    const auto at_line_end = [&] { return *p == '\n' || *p == '\r' || p == end; };
    if (!read(header_.rows, entry.row) || !at_blank() || !read(header_.cols, entry.col)) {
        return false;
    }
    const bool pattern = header_.field == matrix_field::pattern;
    if (pattern) {
        entry.real = decimal_word("1");
    } else {
        if (header_.field == matrix_field::complex || !at_blank()) {
            return false;
        }
        skip_blanks();
        const decimal_scan scan = scan_decimal_until(p, padded_end());
        if (scan.result != decimal_scan::outcome::decimal ||
            (header_.field == matrix_field::integer && !(scan.value.is_short && scan.value.exponent >= 0))) {
            return false;
        }
        entry.real = decimal_word(p, scan);
        p = scan.end;
    }
    skip_blanks();
    if (!at_line_end()) {
        return false;
    }
    if (header_.symmetry != matrix_symmetry::general &&
        (entry.row < entry.col || (entry.row == entry.col && header_.symmetry != matrix_symmetry::symmetric))) {
        return false;
    }
    entry.imaginary = decimal_word();
    entry.line = line;
    cursor_.move_to(p, line);
    return true;
}

void matrix_market_scanner::read_coordinate(scanned_entry& entry)
{
    entry.row = read_index("row", header_.rows);
    entry.col = header_.object == matrix_object::vector ? 0 : read_index("column", header_.cols);
    read_values(entry);
    cursor_.skip_blanks();
    if (!cursor_.at_line_end()) {
        cursor_.fail("unexpected " + quote(cursor_.word()) + " after the entry; " + layout(header_));
    }
}

void matrix_market_scanner::read_array(scanned_entry& entry)
{
    entry.row = array_row_;
    entry.col = array_col_;
    read_values(entry);
    inside_line_ = true;

    ++array_row_;
    if (array_row_ == header_.rows) {
        ++array_col_;
        array_row_ = header_.symmetry == matrix_symmetry::general          ? 0
                     : header_.symmetry == matrix_symmetry::skew_symmetric ? array_col_ + 1
                                                                           : array_col_;
    }
}

void matrix_market_scanner::read_values(scanned_entry& entry)
{
    entry.real = header_.field == matrix_field::pattern ? decimal_word("1") : read_decimal();
    entry.imaginary = header_.field == matrix_field::complex ? read_decimal() : decimal_word();
}

/// A row or column number, in the file from 1 to size, here from 0.
index_t matrix_market_scanner::read_index(const char* what, index_t size)
{
    cursor_.skip_blanks();
    const char* p = cursor_.at();
    index_t n = 0;
    for (; static_cast<unsigned char>(*p - '0') <= 9 && p - cursor_.at() < 18; ++p) {
        n = 10 * n + (*p - '0');
    }
    text_cursor behind = cursor_;
    behind.move_to(p);
    if (p != cursor_.at() && (behind.at_blank() || behind.at_line_end())) {
        cursor_ = behind;
    } else {  // no index, or one of a rare form
        if (cursor_.at_line_end()) {
            cursor_.fail("the line ends before the " + std::string(what) + "; " + layout(header_));
        }
        n = cursor_.read_whole_number("the " + std::string(what));
    }
    if (n < 1 || n > size) {
        cursor_.fail(std::string(what) + " " + std::to_string(n) + " is outside 1.." + std::to_string(size) +
                     " (sizes in line " + std::to_string(size_line_) + ")" +
                     (n == 0 ? "; rows and columns count from 1" : ""));
    }
    return n - 1;
}

decimal_word matrix_market_scanner::read_decimal()
{
    cursor_.skip_blanks();
    const decimal_scan scan = scan_decimal(cursor_.rest());
    text_cursor behind = cursor_;
    behind.move_to(scan.end);
    if (scan.result != decimal_scan::outcome::decimal || !(behind.at_blank() || behind.at_line_end())) {
        fail_as_decimal(scan.result == decimal_scan::outcome::exponent_too_large);
    }
    const decimal_word decimal(cursor_.at(), scan);
    if (header_.field == matrix_field::integer && !take_apart(decimal).is_integer()) {
        cursor_.fail(quote(decimal) + " is not an integer; should the banner say real?");
    }
    cursor_ = behind;
    return decimal;
}

void matrix_market_scanner::fail_as_decimal(bool exponent_too_large) const
{
    if (cursor_.at_line_end()) {
        cursor_.fail(is_array(header_) ? "the line ends before the imaginary part; the two parts of a value "
                                         "stand in one line"
                                       : "the line ends before the value; " + layout(header_));
    }
    const std::string_view word = cursor_.word();
    cursor_.fail(exponent_too_large ? "the exponent of " + quote(word) + " does not fit into 64 bits"
                                    : why_not_decimal(word));
}

void matrix_market_scanner::check_symmetry(const scanned_entry& entry) const
{
    if (entry.row < entry.col) {
        cursor_.fail("entry (" + std::to_string(entry.row + 1) + ", " + std::to_string(entry.col + 1) +
                     ") lies above the diagonal; a " + std::string(to_string(header_.symmetry)) +
                     " file holds the lower triangle only");
    }
    if (entry.row > entry.col) {
        return;
    }
    const bool real_is_zero = take_apart(entry.real).is_zero();
    const bool imaginary_is_zero = take_apart(entry.imaginary).is_zero();
    if (header_.symmetry == matrix_symmetry::skew_symmetric && !(real_is_zero && imaginary_is_zero)) {
        cursor_.fail("the diagonal of a skew-symmetric matrix is zero, not " +
                     quote(real_is_zero ? entry.imaginary.text() : entry.real.text()));
    }
    if (header_.symmetry == matrix_symmetry::hermitian && !imaginary_is_zero) {
        cursor_.fail("the diagonal of a hermitian matrix is real, its imaginary part cannot be " +
                     quote(entry.imaginary));
    }
}

/// How many entries the size line announces, in words.
std::string matrix_market_scanner::announced() const
{
    const bool one = header_.stored == 1;
    const char* const things = is_array(header_) ? (one ? " value" : " values") : (one ? " entry" : " entries");
    return std::to_string(header_.stored) + things + " that line " + std::to_string(size_line_) + " announces";
}

}  // namespace residua::io
