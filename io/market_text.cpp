#include <residua/io/market_text.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <utility>

#include <residua/io/interruption.hpp>

namespace residua::io {

market_text::market_text(const matrix_market_header& header) { append(banner_line(header) + size_line(header)); }

void market_text::add(index_t row, index_t col, std::string_view real, std::string_view imaginary)
{
    append(row + 1);
    append(" ");
    append(col + 1);
    if (!real.empty()) {
        append(" ");
    }
    add(real, imaginary);
}

void market_text::add(std::string_view real, std::string_view imaginary)
{
    append(real);
    if (!imaginary.empty()) {
        append(" ");
        append(imaginary);
    }
    append("\n");
}

text market_text::finish(const text& file, number_meaning meaning)
{
    bytes_.resize(used_);
    return {.name = file.name,
            .bytes = std::move(bytes_),
            .first_line = text::no_lines,
            .numbers = meaning,
            .transposed = file.transposed};
}

void market_text::append(index_t number)
{
    std::array<char, 20> digits;  // 19, and a sign
    append({digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr});
}

void market_text::append(std::string_view word)
{
    constexpr std::size_t least = 1 << 16;
    if (bytes_.size() - used_ < word.size()) {
        ask_for_stop();
        bytes_.resize(std::max({2 * bytes_.size(), used_ + word.size(), least}));
    }
    std::memcpy(bytes_.data() + used_, word.data(), word.size());
    used_ += word.size();
}

}  // namespace residua::io
