#pragma once

#include <cstddef>
#include <functional>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include <residua/io/file_format.hpp>
#include <residua/io/interruption.hpp>
#include <residua/io/matrix_market.hpp>

namespace residua::io::testing {

/// A number as it is written.
struct word {
    std::string text;

    word operator-() const { return {text.starts_with('-') ? text.substr(1) : "-" + text}; }
    bool operator==(const word&) const = default;
};

inline matrix_market<word> read_words(const text& file)
{
    return read_matrix_market(file, [](std::string_view decimal) { return word{std::string(decimal)}; });
}

/// What a file says: "2 x 3: (1, 1) 2.5, (2, 3) 1e400", and the imaginary parts behind +i.
inline std::string said_by(const text& file)
{
    const matrix_market<word> m = read_words(file);
    std::string all = std::to_string(m.header.rows) + " x " + std::to_string(m.header.cols) + ":";
    for (std::size_t k = 0; k < m.entries.row.size(); ++k) {
        all += (k == 0 ? " (" : ", (") + std::to_string(m.entries.row[k] + 1) + ", " +
               std::to_string(m.entries.col[k] + 1) + ") " + m.entries.value[k].text +
               (m.imaginary.empty() ? "" : " +i " + m.imaginary[k].text);
    }
    return all;
}

inline std::string said_by(const std::string& bytes, file_part part = file_part::matrix)
{
    return said_by(as_matrix_market(make_text("f", bytes), part));
}

/// The message of the refusal, with its type before it.
inline std::string refusal(const std::string& bytes, file_part part = file_part::matrix)
{
    try {
        return "not refused: " + said_by(bytes, part);
    } catch (const input_error& e) {
        return std::string("input_error ") + e.what();
    } catch (const unsupported_error& e) {
        return std::string("unsupported_error ") + e.what();
    }
}

/// Whether a file is read, or refused in one line that begins with its name, whatever its bytes are.
inline void expect_read_or_refused(const std::string& bytes, file_part part)
{
    try {
        said_by(bytes, part);
    } catch (const input_error& e) {
        EXPECT_TRUE(std::string_view(e.what()).starts_with("f:")) << e.what();
        EXPECT_EQ(std::string_view(e.what()).find('\n'), std::string_view::npos) << e.what();
    } catch (const unsupported_error& e) {
        EXPECT_TRUE(std::string_view(e.what()).starts_with("f:")) << e.what();
    }
}

/// Every beginning of a file, and the file with each of its bytes changed in several ways, is read or refused.
inline void expect_damage_is_refused(const std::string& bytes, file_part part = file_part::matrix)
{
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        expect_read_or_refused(bytes.substr(0, size), part);
    }
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        for (const int change : {1, 4, 16, 128, 255}) {
            std::string damaged = bytes;
            damaged[at] = static_cast<char>(damaged[at] ^ change);
            expect_read_or_refused(damaged, part);
        }
        for (const char put : {'9', '-', '\n', ' '}) {
            std::string damaged = bytes;
            damaged[at] = put;
            expect_read_or_refused(damaged, part);
        }
    }
}

}  // namespace residua::io::testing
