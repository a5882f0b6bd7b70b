#include <residua/io/harwell_boeing.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include <residua/io/decimal.hpp>
#include <residua/io/fortran_format.hpp>
#include <residua/io/interruption.hpp>
#include <residua/io/market_text.hpp>
#include <residua/io/matrix_market_header.hpp>
#include <residua/io/text_cursor.hpp>

namespace residua::io {
namespace {

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

std::string_view line_of(std::string_view bytes, int which)
{
    for (int line = 1; line < which; ++line) {
        const std::size_t end = bytes.find('\n');
        bytes = end == std::string_view::npos ? std::string_view() : bytes.substr(end + 1);
    }
    return bytes.substr(0, bytes.find_first_of("\r\n"));
}

bool is_one_of(char c, std::string_view letters) { return letters.find(lower(c)) != std::string_view::npos; }

/// Whether a line has three letters for type, form and storage, and then a count.
bool states_type(std::string_view line)
{
    if (line.size() < 4 || !is_one_of(line[0], "rcpiq") || !is_one_of(line[1], "suhzr") || !is_one_of(line[2], "ae") ||
        line[3] != ' ') {
        return false;
    }
    const std::size_t count = line.find_first_not_of(' ', 3);
    return count != std::string_view::npos && '0' <= line[count] && line[count] <= '9';
}

/// Whether a line begins as the second one of a supplementary file: what it holds, where that belongs, how it is stored.
bool states_supplement(std::string_view line)
{
    constexpr std::string_view kinds = "ord rhs sln est evl svl evc svc sbv sbm sbp ipt icv lvl geo avl";
    if (line.size() < 40 || !is_one_of(line[3], "lrs ") || !is_one_of(line[4], "sd ") || line[5] != ' ') {
        return false;
    }
    const std::string kind{lower(line[0]), lower(line[1]), lower(line[2])};
    return kind.find(' ') == std::string::npos && kinds.find(kind) != std::string_view::npos;
}

bool is_zero(const std::string& decimal) { return decimal.empty() || take_apart(decimal).is_zero(); }

/// What the first lines state.
struct boeing_header {
    std::string type;  ///< in lower case
    index_t rows = 0;
    index_t cols = 0;
    index_t entries = 0;
    fortran_format pointers, indices, values;
    std::string rhs_type;  ///< in lower case; empty: there is no right-hand side
    index_t rhs_count = 0;
    fortran_format rhs;
};

class boeing_reader {
public:
    explicit boeing_reader(const text& file) : file_(file), cursor_(file) { read_header(); }

    text matrix();
    text columns(file_part part);

private:
    void read_header();
    void read_formats(bool has_rhs);
    void next_line();
    std::string_view line() const;
    std::vector<index_t> counts(std::string_view numbers, std::size_t least) const;
    void skip_matrix();
    bool has_values() const { return header_.type[0] != 'p'; }
    index_t numbers_of_entry() const { return header_.type[0] == 'c' ? 2 : 1; }
    matrix_symmetry symmetry() const;

    const text& file_;
    text_cursor cursor_;
    boeing_header header_;
};

/// The line at whose beginning the cursor stands.
std::string_view boeing_reader::line() const
{
    text_cursor end = cursor_;
    end.skip_line();
    return {cursor_.at(), static_cast<std::size_t>(end.at() - cursor_.at())};
}

void boeing_reader::next_line()
{
    cursor_.skip_line();
    if (cursor_.at_end()) {
        cursor_.fail_at_end("the file ends early; is it cut short?");
    }
    cursor_.pass_line_end();
}

/// The whole numbers of a line, `least` of them at least; none is negative.
std::vector<index_t> boeing_reader::counts(std::string_view numbers, std::size_t least) const
{
    std::vector<index_t> all;
    for (;;) {
        numbers.remove_prefix(std::min(numbers.find_first_not_of(" \t"), numbers.size()));
        index_t number = 0;
        const auto [end, status] = std::from_chars(numbers.data(), numbers.data() + numbers.size(), number);
        if (status != std::errc()) {
            break;
        }
        if (number < 0) {
            cursor_.fail("a count is negative: " + std::to_string(number));
        }
        all.push_back(number);
        numbers.remove_prefix(static_cast<std::size_t>(end - numbers.data()));
    }
    if (all.size() < least || !numbers.empty()) {
        cursor_.fail("the header needs " + std::to_string(least) + " whole numbers or more here, not " + quote(line()));
    }
    return all;
}

void boeing_reader::read_header()
{
    next_line();
    if (states_supplement(line())) {
        throw unsupported_error(file_.name + ": a supplementary file of Rutherford-Boeing (" +
                                quote(line().substr(0, 3)) + ") is not read; write its numbers one to a line");
    }
    const std::vector<index_t> lines = counts(line(), 4);
    next_line();
    for (const char letter : line().substr(0, 3)) {
        header_.type += lower(letter);
    }
    const std::vector<index_t> sizes = counts(line().substr(3), 3);
    header_.rows = sizes[0];
    header_.cols = sizes[1];
    header_.entries = sizes[2];
    if (std::max(header_.cols, header_.entries) > static_cast<index_t>(file_.bytes.size())) {
        cursor_.fail("the header announces more columns or entries than the file has bytes; is it cut short?");
    }
    if (header_.type[2] == 'e' || header_.type[0] == 'q') {
        throw unsupported_error(file_.name + ": the type '" + header_.type + "' is " +
                                (header_.type[2] == 'e' ? "a matrix of finite elements that are not assembled"
                                                        : "a matrix whose values are in another file") +
                                ", which is not read; write it assembled, as MatrixMarket");
    }
    next_line();
    read_formats(lines.size() > 4 && lines[4] > 0);
}

void boeing_reader::read_formats(bool has_rhs)
{
    std::vector<std::string_view> formats;
    for (std::string_view rest = line(); rest.find(')') != std::string_view::npos;) {
        const std::size_t end = rest.find(')') + 1;
        const std::size_t begin = std::min(rest.find('('), end);
        formats.push_back(rest.substr(begin, end - begin));
        rest.remove_prefix(end);
    }
    const auto format_of = [&](std::size_t which, const char* what) {
        if (which >= formats.size()) {
            cursor_.fail("there is no format of the " + std::string(what) + " in " + quote(line()));
        }
        const std::optional<fortran_format> format = fortran_format::parse(formats[which]);
        if (!format) {
            cursor_.fail("the format " + quote(formats[which]) + " of the " + what +
                         " is not one that is read: those are as (10I8), (3E26.18), (1P,4D20.12), (8F10.3)");
        }
        return *format;
    };
    header_.pointers = format_of(0, "pointers");
    header_.indices = format_of(1, "row numbers");
    if (has_values()) {
        header_.values = format_of(2, "values");
    }
    if (has_rhs) {
        header_.rhs = format_of(std::max<std::size_t>(formats.size(), 3) - 1, "right-hand sides");
    }
    next_line();
    if (has_rhs) {
        for (const char letter : line().substr(0, 3)) {
            header_.rhs_type += lower(letter);
        }
        header_.rhs_type.resize(3, ' ');
        header_.rhs_count = counts(line().substr(std::min<std::size_t>(3, line().size())), 1).front();
        next_line();
    }
}

matrix_symmetry boeing_reader::symmetry() const
{
    switch (header_.type[1]) {
        case 's':
            return matrix_symmetry::symmetric;
        case 'z':
            return matrix_symmetry::skew_symmetric;
        case 'h':
            return matrix_symmetry::hermitian;
        default:
            return matrix_symmetry::general;
    }
}

text boeing_reader::matrix()
{
    const matrix_market_header as{.format = matrix_format::coordinate,
                                  .field = !has_values()             ? matrix_field::pattern
                                           : numbers_of_entry() == 2 ? matrix_field::complex
                                                                     : matrix_field::real,
                                  .symmetry = symmetry(),
                                  .rows = header_.rows,
                                  .cols = header_.cols,
                                  .stored = header_.entries};
    if (const std::string_view reason = why_invalid(as); !reason.empty()) {
        throw input_error(file_.name, 3, "the type '" + header_.type + "': " + std::string(reason));
    }
    // Both arrays grow as the file has fields for them, whatever the header announces.
    std::vector<index_t> begin;
    fortran_fields pointers(cursor_, header_.pointers, "pointers");
    for (index_t j = 0; j <= header_.cols; ++j) {
        ask_for_stop_at(j);
        begin.push_back(pointers.next_number(j == 0 ? 1 : begin.back(), j == 0 ? 1 : header_.entries + 1));
    }
    if (begin.back() != header_.entries + 1) {
        pointers.fail("is " + std::to_string(begin.back()) + ", but the last one must be " +
                      std::to_string(header_.entries + 1) + ", one more than the entries that line 3 announces");
    }
    pointers.end();
    std::vector<index_t> row;
    fortran_fields indices(cursor_, header_.indices, "row numbers");
    for (index_t j = 0; j < header_.cols; ++j) {
        for (index_t k = begin[static_cast<std::size_t>(j)]; k < begin[static_cast<std::size_t>(j) + 1]; ++k) {
            ask_for_stop_at(k);
            row.push_back(indices.next_number(1, header_.rows) - 1);
            if (as.symmetry != matrix_symmetry::general && row.back() < j) {
                indices.fail("is " + std::to_string(row.back() + 1) + " in column " + std::to_string(j + 1) +
                             ", above the diagonal; the type '" + header_.type + "' holds the lower triangle only");
            }
        }
    }
    indices.end();
    market_text made(as);
    fortran_fields values(cursor_, header_.values, "values");
    for (index_t j = 0; j < header_.cols; ++j) {
        for (index_t k = begin[static_cast<std::size_t>(j)]; k < begin[static_cast<std::size_t>(j) + 1]; ++k) {
            ask_for_stop_at(k);
            const index_t i = row[static_cast<std::size_t>(k - 1)];
            const std::string real = has_values() ? values.next_decimal() : "";
            const std::string imaginary = numbers_of_entry() == 2 ? values.next_decimal() : "";
            if (i == j && as.symmetry == matrix_symmetry::skew_symmetric && !(is_zero(real) && is_zero(imaginary))) {
                values.fail("is on the diagonal, where the type '" + header_.type + "' has zeros");
            }
            if (i == j && as.symmetry == matrix_symmetry::hermitian && !is_zero(imaginary)) {
                values.fail("is on the diagonal, where the type '" + header_.type + "' has real numbers");
            }
            made.add(i, j, real, imaginary);
        }
    }
    values.end();
    text all = made.finish(file_);
    if (header_.rhs_count > 0) {
        all.notes.push_back(file_.name + ": holds right-hand sides, too (" + std::to_string(header_.rhs_count) +
                            "), which are read where the file is given as b");
    }
    return all;
}

/// Moves the cursor behind pointers, row numbers and values.
void boeing_reader::skip_matrix()
{
    const auto skip = [&](const fortran_format& format, index_t fields) {
        for (index_t lines = fields == 0 ? 0 : (fields - 1) / format.count + 1; lines > 0; --lines) {
            ask_for_stop_at(lines);
            next_line();
        }
    };
    skip(header_.pointers, header_.cols + 1);
    skip(header_.indices, header_.entries);
    if (has_values()) {
        skip(header_.values, header_.entries * numbers_of_entry());
    }
}

text boeing_reader::columns(file_part part)
{
    constexpr std::array<const char*, 3> names{"right-hand sides", "initial guesses", "exact solutions"};
    const std::size_t which = part == file_part::guess ? 1 : part == file_part::solution ? 2 : 0;
    const std::string& type = header_.rhs_type;
    const char letter = "fgx"[which];
    if (type.empty() || (which > 0 && type[which] != letter)) {
        throw input_error(file_.name, 0, "a matrix of Harwell-Boeing without " + std::string(names[which]));
    }
    if (type[0] != 'f') {
        throw unsupported_error(file_.name + ": right-hand sides of the type '" + type +
                                "' are not in full, and are not read");
    }
    const index_t stored = stored_in_array(header_.rows, header_.rhs_count, matrix_symmetry::general);
    if (stored < 0 || stored > static_cast<index_t>(file_.bytes.size())) {
        throw input_error(file_.name, 5, "announces more right-hand sides than the file has bytes");
    }
    skip_matrix();
    const bool complex = header_.type[0] == 'c';
    market_text made({.format = matrix_format::array,
                      .field = complex ? matrix_field::complex : matrix_field::real,
                      .rows = header_.rows,
                      .cols = header_.rhs_count,
                      .stored = stored});
    for (std::size_t at = 0; at <= which; ++at) {
        if (at > 0 && type[at] != "fgx"[at]) {
            continue;
        }
        fortran_fields fields(cursor_, header_.rhs, names[at]);
        for (index_t k = 0; k < stored; ++k) {
            ask_for_stop_at(k);
            const std::string value = fields.next_decimal();
            const std::string imaginary = complex ? fields.next_decimal() : "";
            if (at == which) {
                made.add(value, imaginary);
            }
        }
        fields.end();
    }
    return made.finish(file_);
}

}  // namespace

bool begins_harwell_boeing(std::string_view bytes)
{
    constexpr std::size_t most_of_header = 1 << 12;
    const std::string_view header = bytes.substr(0, most_of_header);
    return states_type(line_of(header, 3)) || states_supplement(line_of(header, 2));
}

text rewrite_harwell_boeing(const text& file, file_part part)
{
    boeing_reader reader(file);
    return part == file_part::matrix || part == file_part::any ? reader.matrix() : reader.columns(part);
}

}  // namespace residua::io
