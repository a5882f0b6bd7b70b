#include <residua/io/column.hpp>

#include <cstring>
#include <string>

#include <residua/io/decimal.hpp>
#include <residua/io/interruption.hpp>
#include <residua/io/matrix_market_header.hpp>
#include <residua/io/text_cursor.hpp>

namespace residua::io {
namespace {

/// The lines of a text one after the other, without blanks at their ends.
class column_lines {
public:
    explicit column_lines(std::string_view bytes) : rest_(without_byte_order_mark(bytes)) {}

    /// Finds the next line that is neither blank nor a comment.
    bool next(std::string_view& line)
    {
        constexpr std::string_view blanks = " \t";
        while (!rest_.empty()) {
            const std::size_t end = std::min(rest_.find_first_of("\r\n"), rest_.size());
            const std::string_view whole = rest_.substr(0, end);
            rest_.remove_prefix(std::min(rest_.size(), end + (rest_.substr(end, 2) == "\r\n" ? 2 : 1)));
            ++line_;
            if (const std::size_t first = whole.find_first_not_of(blanks);
                first != std::string_view::npos && whole[first] != '%' && whole[first] != '#') {
                line = whole.substr(first, whole.find_last_not_of(blanks) + 1 - first);
                return true;
            }
        }
        return false;
    }

    index_t number() const { return line_; }

private:
    std::string_view rest_;
    index_t line_ = 0;
};

}  // namespace

bool begins_column(std::string_view bytes)
{
    const std::size_t first = bytes.find_first_not_of(" \t\r\n", bytes.size() - without_byte_order_mark(bytes).size());
    if (first != std::string_view::npos &&
        std::string_view("%#+-.0123456789").find(bytes[first]) == std::string_view::npos) {
        return false;  // before the end of a line is sought that may be far
    }
    std::string_view line;
    return !bytes.empty() && (!column_lines(bytes).next(line) || is_decimal(line));
}

text rewrite_column(const text& file, file_part part)
{
    const std::string_view all = without_byte_order_mark(file.bytes);
    if (part == file_part::matrix) {
        throw input_error(
            file.name, 0,
            "a column of numbers, which is read as a right-hand side or an initial guess, not as a matrix; "
            "a matrix begins with '%%MatrixMarket matrix ...'");
    }
    column_lines lines(all);
    index_t count = 0;
    for (std::string_view line; lines.next(line); ++count) {
        ask_for_stop_at(count);
        const decimal_scan scan = scan_decimal(line);
        if (scan.result == decimal_scan::outcome::exponent_too_large) {
            throw input_error(file.name, lines.number(),
                              "the exponent of " + quote(line) + " does not fit into 64 bits");
        }
        if (scan.result != decimal_scan::outcome::decimal || scan.end != line.data() + line.size()) {
            throw input_error(file.name, lines.number(),
                              line.find_first_of(" \t") == std::string_view::npos
                                  ? why_not_decimal(line)
                                  : quote(line) + " is more than a number; a column has one in each line");
        }
    }
    if (count == 0) {
        throw input_error(file.name, 0, "there is no number in it");
    }
    const matrix_market_header header{.format = matrix_format::array, .rows = count, .cols = 1, .stored = count};
    const std::string head = banner_line(header) + size_line(header);
    text column{
        .name = file.name, .bytes = {}, .first_line = -1, .numbers = file.numbers, .transposed = file.transposed};
    column.bytes.resize(head.size() + all.size());
    std::memcpy(column.bytes.data(), head.data(), head.size());
    char* at = column.bytes.data() + head.size();
    std::memcpy(at, all.data(), all.size());
    for (char* const end = at + all.size(); at != end; ++at) {
        *at = *at == '#' ? '%' : *at;  // comments of MatrixMarket; no number has either
    }
    return column;
}

}  // namespace residua::io
