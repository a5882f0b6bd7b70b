#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

#include <residua/io/error.hpp>

namespace residua::io {

/// Judges a text of unknown length while it is read or decompressed, so that no more of it is held than can be
/// of use: a few bytes of gzip may stand for gigabytes.
class text_judge {
public:
    /// A line with more bytes is refused; the longest decimals have some thousands.
    static constexpr std::size_t most_of_line = std::size_t{1} << 20;
    /// More bytes of comments and blank lines are refused.
    static constexpr std::size_t most_beside_entries = std::size_t{1} << 26;

    /// name  of the text, which must outlive the judge
    explicit text_judge(const std::string& name) : name_(name) {}

    /// Whether more of the text can be of use: it begins as a file of a format that is read, and has no more entries than
    /// MatrixMarket announces. If not, what there is of it suffices for the parser to say what is wrong. Of other formats
    /// all is wanted, if these are text within the limits of lines and comments; of a column until a line is no number.
    ///
    /// bytes   the text up to now, a continuation of that of the last call
    /// cost    each byte is looked at once
    /// throws  input_error for a line, or comments, beyond the limits
    bool wants_more(std::string_view bytes);

private:
    void take_line(std::string_view line);
    bool is_of_use() const;
    enum class kind { undecided, matrix_market, other_text, binary, none };

    kind kind_of(std::string_view bytes);
    [[noreturn]] void refuse(const std::string& why) const;

    const std::string& name_;
    std::size_t begin_ = 0;    ///< of the line that has not ended yet
    std::size_t scanned_ = 0;  ///< without a line end between begin_ and here
    index_t lines_ = 0;
    std::size_t beside_entries_ = 0;  ///< bytes
    double contents_ = 0.0;           ///< lines that are neither blank nor comments
    double announced_ = std::numeric_limits<double>::infinity();
    kind kind_ = kind::undecided;
    bool may_be_column_ = true;  ///< by the lines that have ended
    bool may_be_boeing_ = true;
};

}  // namespace residua::io
