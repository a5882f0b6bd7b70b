#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <residua/io/matrix_market_header.hpp>
#include <residua/io/text.hpp>

namespace residua::io {

/// A MatrixMarket text in memory, of what a file of another format holds.
///
/// cost    memory in proportion to what was added
/// throws  std::bad_alloc
class market_text {
public:
    explicit market_text(const matrix_market_header& header);

    /// The next entry of a coordinate text, or of a pattern if there is no value; places count from 0.
    void add(index_t row, index_t col, std::string_view real = {}, std::string_view imaginary = {});

    /// The next value of an array text, which goes by columns.
    void add(std::string_view real, std::string_view imaginary = {});

    /// The text, with the name of the file that it is made of and no lines.
    text finish(const text& file, number_meaning meaning = number_meaning::as_written);

private:
    void append(index_t number);
    void append(std::string_view word);

    text_bytes bytes_;
    std::size_t used_ = 0;
};

}  // namespace residua::io
