#pragma once

#include <string>
#include <string_view>

#include <residua/io/error.hpp>
#include <residua/io/text.hpp>

namespace residua::io {

/// A place in a text of lines, with words between blanks, and comments after % at their beginning.
///
/// Lines end with LF, CRLF or CR. Every scan stops at the terminating zero of the string; a zero
/// byte inside the text is a byte like any other that is neither blank nor line end.
///
/// needs  the text outlives the cursor
class text_cursor {
public:
    explicit text_cursor(const text& source)
        : name_(&source.name),
          at_(source.bytes.data()),
          end_(source.bytes.data() + source.bytes.size()),
          line_(source.first_line)
    {}
    explicit text_cursor(text&&) = delete;

    /// This place in a text that ends at `end`, where a line ends or behind that.
    text_cursor before(const char* end) const
    {
        text_cursor other = *this;
        other.end_ = end;
        return other;
    }

    const char* at() const { return at_; }
    void move_to(const char* at) { at_ = at; }
    void move_to(const char* at, index_t line)
    {
        at_ = at;
        line_ = line;
    }
    index_t line() const { return line_; }
    const char* end() const { return end_; }
    index_t bytes_left() const { return end_ - at_; }
    std::string_view rest() const { return {at_, static_cast<std::size_t>(end_ - at_)}; }

    bool at_end() const { return at_ == end_; }
    bool at_line_end() const { return *at_ == '\n' || *at_ == '\r' || at_ == end_; }
    bool at_blank() const { return *at_ == ' ' || *at_ == '\t'; }

    void skip_blanks()
    {
        while (at_blank()) {
            ++at_;
        }
    }

    /// From the beginning or the end of a line to the next word, past blank lines and comments.
    ///
    /// returns  false at the end of the text
    bool find_content()
    {
        for (;;) {
            if (at_end()) {
                return false;
            }
            skip_blanks();
            if (*at_ == '%') {
                skip_line();
            }
            if (!at_line_end()) {
                return true;
            }
            if (at_end()) {
                return false;
            }
            pass_line_end();
        }
    }

    /// The bytes from here to the next blank or line end.
    std::string_view word() const;

    /// Reads a word that is a whole number, perhaps negative.
    ///
    /// throws  input_error that begins with `what` if it is not, or does not fit into 64 bits
    index_t read_whole_number(const std::string& what);

    void skip_line();

    /// From a line end to the beginning of the next line.
    void pass_line_end()
    {
        if (*at_ == '\r' && at_[1] == '\n') {
            ++at_;
        }
        ++at_;
        ++line_;
    }

    /// Throws input_error with the name of the text and this line.
    [[noreturn]] void fail(const std::string& reason) const;

    /// fail() with the number of the last line; to be called at the end.
    [[noreturn]] void fail_at_end(const std::string& reason) const;

private:
    const std::string* name_;
    const char* at_;
    const char* end_;
    index_t line_;
};

}  // namespace residua::io
