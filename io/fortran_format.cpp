#include <residua/io/fortran_format.hpp>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>
#include <system_error>

#include <residua/io/decimal.hpp>
#include <residua/io/text.hpp>

namespace residua::io {
namespace {

bool is_digit(char c) { return '0' <= c && c <= '9'; }

std::string_view without_outer_blanks(std::string_view text)
{
    const std::size_t first = text.find_first_not_of(" \t");
    return first == std::string_view::npos ? std::string_view()
                                           : text.substr(first, text.find_last_not_of(" \t") + 1 - first);
}

/// Takes a number of at most four digits from the beginning of a text.
std::optional<index_t> take_number(std::string_view& text)
{
    index_t number = 0;
    const auto [end, status] =
        std::from_chars(text.data(), text.data() + std::min<std::size_t>(text.size(), 4), number);
    if (status != std::errc() || !is_digit(text.front())) {
        return std::nullopt;
    }
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return number;
}

bool take(std::string_view& text, std::string_view word)
{
    const bool is_there = text.starts_with(word);
    text.remove_prefix(is_there ? word.size() : 0);
    return is_there;
}

}  // namespace

std::optional<fortran_format> fortran_format::parse(std::string_view text)
{
    std::string plain;
    for (const char c : text) {
        if (c != ' ' && c != '\t') {
            plain += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
        }
    }
    std::string_view rest = plain;
    if (!take(rest, "(") || !rest.ends_with(')')) {
        return std::nullopt;
    }
    rest.remove_suffix(1);
    fortran_format format{.count = 1};
    const bool negative = take(rest, "-");
    std::optional<index_t> number = take_number(rest);
    if (number && take(rest, "P")) {
        format.scale = negative ? -*number : *number;
        take(rest, ",");
        number = take_number(rest);
    } else if (negative) {
        return std::nullopt;
    }
    format.count = number.value_or(1);
    const bool is_integer = take(rest, "I");
    if (!is_integer && !take(rest, "ES") && !take(rest, "E") && !take(rest, "D") && !take(rest, "F") &&
        !take(rest, "G")) {
        return std::nullopt;
    }
    const std::optional<index_t> width = take_number(rest);
    if (!width || *width < 1 || format.count < 1) {
        return std::nullopt;
    }
    format.width = *width;
    if (take(rest, ".")) {
        const std::optional<index_t> decimals = take_number(rest);
        if (!decimals) {
            return std::nullopt;
        }
        format.decimals = is_integer ? 0 : *decimals;
    }
    if (take(rest, "E") && !take_number(rest)) {  // the digits of an exponent, which say nothing of what is read
        return std::nullopt;
    }
    return rest.empty() ? std::optional(format) : std::nullopt;
}

std::optional<std::string> fortran_decimal(std::string_view field, const fortran_format& format)
{
    std::string decimal;
    bool has_point = false;
    std::size_t exponent_at = std::string::npos;
    for (const char c : field) {
        if (c == ' ' || c == '\t') {
            continue;
        }
        has_point = has_point || c == '.';
        const bool is_letter = c == 'E' || c == 'e' || c == 'D' || c == 'd';
        const bool begins_exponent = is_letter || ((c == '+' || c == '-') && !decimal.empty());
        if (begins_exponent && exponent_at == std::string::npos) {
            exponent_at = decimal.size();
            decimal += 'e';
            decimal += is_letter ? "" : std::string(1, c);
        } else {
            decimal += c;
        }
    }
    const bool has_exponent = exponent_at != std::string::npos;
    const index_t shift = (has_point ? 0 : -format.decimals) - (has_exponent ? 0 : format.scale);
    if (shift != 0) {
        constexpr index_t most = std::numeric_limits<index_t>::max() / 2;
        index_t exponent = 0;
        if (has_exponent) {
            const char* begin = decimal.data() + exponent_at + 1;
            begin += *begin == '+' ? 1 : 0;
            const char* const end = decimal.data() + decimal.size();
            const auto [last, status] = std::from_chars(begin, end, exponent);
            if (status != std::errc() || last != end || exponent < -most || exponent > most) {
                return std::nullopt;
            }
            decimal.resize(exponent_at);
        }
        decimal += 'e' + std::to_string(exponent + shift);
    }
    return is_decimal(decimal) ? std::optional(decimal) : std::nullopt;
}

std::string_view fortran_fields::next()
{
    if (is_in_line_ && place_ == format_.count) {
        end();
    }
    if (!is_in_line_) {
        if (cursor_.at_end()) {
            cursor_.fail_at_end("the file ends after " + std::to_string(read_) + " " + what_ + "; is it cut short?");
        }
        text_cursor line_end = cursor_;
        line_end.skip_line();
        line_ = {cursor_.at(), static_cast<std::size_t>(line_end.at() - cursor_.at())};
        is_in_line_ = true;
        place_ = 0;
    }
    const auto begin = static_cast<std::size_t>(place_ * format_.width);
    ++place_;
    ++read_;
    const std::string_view field = without_outer_blanks(
        begin < line_.size() ? line_.substr(begin, static_cast<std::size_t>(format_.width)) : std::string_view());
    if (field.empty()) {
        fail("is blank");
    }
    return field;
}

index_t fortran_fields::next_number(index_t least, index_t most)
{
    const std::string_view field = next();
    index_t number = 0;
    const auto [end, status] = std::from_chars(field.data(), field.data() + field.size(), number);
    if (status != std::errc() || end != field.data() + field.size()) {
        fail("is not a whole number: " + quote(field));
    }
    if (number < least || number > most) {
        fail("is " + std::to_string(number) + ", which is outside " + std::to_string(least) + ".." +
             std::to_string(most));
    }
    return number;
}

std::string fortran_fields::next_decimal()
{
    const std::string_view field = next();
    std::optional<std::string> decimal = fortran_decimal(field, format_);
    if (!decimal) {
        fail("is no number that can be read: " + why_not_decimal(field));
    }
    return std::move(*decimal);
}

void fortran_fields::end()
{
    if (is_in_line_) {
        cursor_.skip_line();
        if (!cursor_.at_end()) {
            cursor_.pass_line_end();
        }
        is_in_line_ = false;
    }
}

void fortran_fields::fail(const std::string& reason) const
{
    cursor_.fail("field " + std::to_string(place_) + " of " + std::to_string(format_.count) + ", among the " + what_ +
                 ", " + reason);
}

}  // namespace residua::io
