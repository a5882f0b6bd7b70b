#include "layout.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace residua {
namespace {

constexpr std::size_t label_width = 20;

}  // namespace

std::string wrapped(std::string_view text, std::size_t indent, std::size_t width)
{
    const std::string margin(indent, ' ');
    std::string out = margin;
    std::size_t used = indent;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(' '), text.size());
        const std::string_view word = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (used > indent && used + 1 + word.size() > width) {
            out += "\n" + margin;
            used = indent;
        }
        if (used > indent) {
            out += ' ';
            ++used;
        }
        out += word;
        used += word.size();
    }
    return out + "\n";
}

std::string row(std::string_view label, std::string_view text)
{
    const std::string body = wrapped(text, label_width);
    return fmt::format("{:<{}}{}", label, label_width, std::string_view(body).substr(label_width));
}

std::string text_table::text() const
{
    std::vector<std::size_t> width(columns_.size(), 0);
    for (const std::vector<std::string>& cells : rows_) {
        for (std::size_t c = 0; c < cells.size(); ++c) {
            width[c] = std::max(width[c], cells[c].size());
        }
    }
    std::string out;
    for (const std::vector<std::string>& cells : rows_) {
        std::string line;
        for (std::size_t c = 0; c < cells.size(); ++c) {
            line += c == 0 ? "" : "  ";
            line += columns_[c] == align::left ? fmt::format("{:<{}}", cells[c], width[c])
                                               : fmt::format("{:>{}}", cells[c], width[c]);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        out += line + "\n";
    }
    return out;
}

std::string csv_line(const std::vector<std::string>& cells)
{
    std::string out;
    for (std::size_t c = 0; c < cells.size(); ++c) {
        std::string cell = cells[c];
        if (cell.find_first_of(",\"\n\r") != std::string::npos) {
            for (std::size_t at = 0; (at = cell.find('"', at)) != std::string::npos; at += 2) {
                cell.insert(at, 1, '"');
            }
            cell.insert(cell.begin(), '"');
            cell += '"';
        }
        out += (c == 0 ? "" : ",") + cell;
    }
    return out + "\n";
}

std::string first_lines(const std::string& text, int lines)
{
    std::size_t end = 0;
    for (int line = 0; line < lines && end < text.size(); ++line) {
        end = text.find('\n', end) + 1;
    }
    return end < text.size() ? text.substr(0, end - 1) + " ...\n" : text;
}

std::string counted(long long count, std::string_view singular, std::string_view plural)
{
    return fmt::format("{} {}", count, count == 1 ? singular : plural);
}

std::string ranges_words(const std::vector<std::size_t>& numbers)
{
    std::string text;
    for (std::size_t k = 0; k < numbers.size(); ++k) {
        const bool begins = k == 0 || numbers[k] != numbers[k - 1] + 1;
        const bool ends = k + 1 == numbers.size() || numbers[k + 1] != numbers[k] + 1;
        if (begins || ends) {
            text += fmt::format("{}{}", begins ? (k == 0 ? "" : ", ") : " to ", numbers[k]);
        }
    }
    return text;
}

}  // namespace residua
