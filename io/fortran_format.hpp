#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <residua/io/error.hpp>
#include <residua/io/text_cursor.hpp>

namespace residua::io {

/// Fields of one width in each line, as Fortran's (10I8), (3E26.18) or (1P,4D20.12) state them.
struct fortran_format {
    index_t count = 0;     ///< of the fields in a line
    index_t width = 0;     ///< of a field, in bytes
    index_t decimals = 0;  ///< behind the point of a number in which none stands
    index_t scale = 0;     ///< P: a number without exponent is 10^scale times what is meant

    /// The format of integers (I) or of numbers (F, E, D, G, ES) that a text in parentheses states.
    static std::optional<fortran_format> parse(std::string_view text);

    bool operator==(const fortran_format&) const = default;
};

/// A Fortran number as a decimal of the same value: "1.5-3" is 1.5e-3, and 12 in a field F8.1 is 12e-1.
///
/// field    without blanks at its ends; those within are no part of the number
/// returns  nothing if it is no number, or if its exponent does not fit into 64 bits
std::optional<std::string> fortran_decimal(std::string_view field, const fortran_format& format);

/// The fields of lines from where the cursor stands at the beginning of a line.
///
/// throws  input_error with the line if there is no field where one must be
class fortran_fields {
public:
    /// what  the fields are, for messages: "pointers"
    fortran_fields(text_cursor& cursor, const fortran_format& format, std::string what)
        : cursor_(cursor), format_(format), what_(std::move(what))
    {}

    /// The next field, without blanks at its ends.
    std::string_view next();

    /// The next field as a whole number from `least` to `most`.
    index_t next_number(index_t least, index_t most);

    /// The next field as a decimal.
    std::string next_decimal();

    /// Moves the cursor behind the line of the last field.
    void end();

    [[noreturn]] void fail(const std::string& reason) const;

private:
    text_cursor& cursor_;  ///< at the beginning of the line
    fortran_format format_;
    std::string what_;
    std::string_view line_;
    index_t place_ = 0;  ///< of the next field in the line
    index_t read_ = 0;
    bool is_in_line_ = false;
};

}  // namespace residua::io
