#include <residua/io/text_judge.hpp>

#include <algorithm>
#include <array>
#include <charconv>

#include <residua/io/column.hpp>
#include <residua/io/file_format.hpp>
#include <residua/io/harwell_boeing.hpp>

namespace residua::io {
namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf", banner = "%%matrixmarket";

/// Whether a text may begin so, as far as its bytes go; they have no byte order mark.
bool may_begin(std::string_view bytes)
{
    const auto same = [](char of, char lower) { return of == lower || of + ('a' - 'A') == lower; };
    return std::equal(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(std::min(bytes.size(), banner.size())),
                      banner.begin(), same);
}

/// The entries that a line of sizes announces at most: its third number, or the product of two. Infinity if it has neither.
double announced_by(std::string_view line)
{
    std::array<double, 3> size{};
    std::size_t count = 0;
    const char* at = line.data();
    const char* const end = at + line.size();
    for (; count < size.size(); ++count) {
        at = std::find_if_not(at, end, [](char c) { return c == ' ' || c == '\t'; });
        const auto [next, status] = std::from_chars(at, end, size[count]);
        if (status != std::errc()) {
            break;
        }
        at = next;
    }
    return count == 3 ? size[2] : count == 2 ? size[0] * size[1] : std::numeric_limits<double>::infinity();
}

}  // namespace

/// What the text is, as far as there is of it; the same, in the end, for every cut.
text_judge::kind text_judge::kind_of(std::string_view bytes)
{
    constexpr std::size_t of_binary_format = 8;  // bytes that tell one
    const std::size_t mark = bytes.starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
    if (byte_order_mark.starts_with(bytes) || may_begin(bytes.substr(mark))) {
        return bytes.size() < mark + banner.size() ? kind::undecided : kind::matrix_market;
    }
    const std::string_view text = bytes.substr(mark);
    if (text.size() < of_binary_format) {
        return kind::undecided;
    }
    if (const file_format* const format = other_format(text); format != nullptr && format->is_binary) {
        return kind::binary;
    }
    const char first = text.front();
    const bool is_control = 0 <= first && first < ' ' && first != '\t' && first != '\n' && first != '\r';
    return is_control ? kind::none : kind::other_text;
}

/// Whether what has been seen leaves it possible that more is.
bool text_judge::is_of_use() const
{
    return kind_ == kind::matrix_market ? contents_ - 1.0 <= announced_ : may_be_column_ || may_be_boeing_;
}

bool text_judge::wants_more(std::string_view bytes)
{
    if (kind_ == kind::undecided) {
        kind_ = kind_of(bytes);
    }
    if (kind_ == kind::undecided || kind_ == kind::binary || kind_ == kind::none) {
        return kind_ != kind::none;
    }
    if (scanned_ == 0 && bytes.starts_with(byte_order_mark)) {
        begin_ = scanned_ = byte_order_mark.size();
    }
    while (scanned_ < bytes.size() && is_of_use()) {
        const std::size_t end = std::min(bytes.find_first_of("\n\r", scanned_), bytes.size());
        if (end - begin_ > most_of_line) {
            refuse("line " + std::to_string(lines_ + 1) + " has more than " + std::to_string(most_of_line) + " bytes");
        }
        scanned_ = end;
        const bool ends_crlf = end == begin_ && begin_ > 0 && bytes.substr(begin_ - 1, 2) == "\r\n";
        if (ends_crlf) {
            begin_ = scanned_ = end + 1;
        } else if (end < bytes.size()) {
            take_line(bytes.substr(begin_, end - begin_));
            begin_ = scanned_ = end + 1;
            if (constexpr index_t of_boeing_header = 3; lines_ == of_boeing_header) {
                may_be_boeing_ = begins_harwell_boeing(bytes.substr(0, end));
            }
        }
    }
    return is_of_use();
}

void text_judge::take_line(std::string_view line)
{
    ++lines_;
    const std::size_t first = line.find_first_not_of(" \t");
    const bool is_blank = first == std::string_view::npos;
    if (is_blank || line[first] == '%' || (kind_ == kind::other_text && line[first] == '#')) {
        beside_entries_ += line.size() + 1;
        if (beside_entries_ > most_beside_entries) {
            refuse("there are more than " + std::to_string(most_beside_entries) + " bytes of comments and blank lines");
        }
        return;
    }
    may_be_column_ = may_be_column_ && begins_column(line);
    announced_ = kind_ == kind::matrix_market && contents_ == 0.0 ? announced_by(line) : announced_;
    contents_ += 1.0;
}

void text_judge::refuse(const std::string& why) const { throw input_error(name_, 0, why); }

}  // namespace residua::io
