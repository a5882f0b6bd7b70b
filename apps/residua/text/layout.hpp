#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace residua {

/// "label     text", the text wrapped at blanks and aligned; ends with an end of line.
std::string row(std::string_view label, std::string_view text);

/// Words wrapped at blanks to lines of at most `width` characters, `indent` blanks before each.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t width = 100);
/// Text without what follows its first lines.
std::string first_lines(const std::string& text, int lines);
/// "1, 4 to 6"
std::string ranges_words(const std::vector<std::size_t>& numbers);
/// "1 product", "2 products"
std::string counted(long long count, std::string_view singular, std::string_view plural);

/// A table with aligned columns: the first line is the heading. Numbers go to the right.
class text_table {
public:
    enum class align { left, right };

    explicit text_table(std::vector<align> columns) : columns_(std::move(columns)) {}
    void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
    std::string text() const;

private:
    std::vector<align> columns_;
    std::vector<std::vector<std::string>> rows_;
};

/// A line of CSV with its end of line. Cells with commas, quotes or line ends are quoted.
std::string csv_line(const std::vector<std::string>& cells);

}  // namespace residua
