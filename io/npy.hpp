#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <residua/io/file_format.hpp>
#include <residua/io/matrix_market_header.hpp>

namespace residua::io {

/// An array of NumPy as it lies in the bytes of a .npy file, which outlive it.
///
/// from    https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html, versions 1.0, 2.0 and 3.0
class npy_array {
public:
    /// name  of the file or the member, for messages
    /// throws  input_error if the header is none, or if its shape does not have the bytes that are there;
    ///         unsupported_error for records of several fields
    npy_array(std::string name, std::string_view bytes);

    const std::vector<index_t>& shape() const { return shape_; }
    index_t size() const { return size_; }  ///< the number of elements
    bool by_columns() const { return by_columns_; }

    /// Whether the elements are integers or truth values.
    bool is_integer() const { return kind_ == 'i' || kind_ == 'u' || kind_ == 'b'; }

    matrix_field field() const { return kind_ == 'c' ? matrix_field::complex : matrix_field::real; }

    using decimal_buffer = std::array<char, 32>;

    /// Element k, in the order of the file, as a decimal: of an integer all digits, of a float the fewest that its
    /// binary64 number has, of a complex number the real part.
    ///
    /// buffer   holds the decimal
    /// throws   unsupported_error if the elements are no numbers whose parts have 64 bits or less; input_error if it is
    ///          not finite
    std::string_view decimal(index_t k, decimal_buffer& buffer);
    /// The imaginary part of element k; empty if the elements are real.
    std::string_view imaginary(index_t k, decimal_buffer& buffer);

    /// Element k of an array of integers.
    ///
    /// throws  input_error if it is none, or not from `least` to `most`
    index_t integer(index_t k, index_t least, index_t most) const;

    /// The letters of a single text.
    std::string letters() const;

    /// How the decimals given up to now are meant: exactly, where binary64 does not hold one.
    number_meaning meaning() const { return meaning_; }

    const std::string& name() const { return name_; }

private:
    void read_header(std::string_view header);
    std::uint64_t bits(std::size_t at, std::size_t width) const;
    std::string_view float_decimal(index_t k, std::size_t at, std::size_t width, decimal_buffer& buffer) const;
    [[noreturn]] void fail(const std::string& reason) const;

    std::string name_;
    std::string type_;  ///< as the header has it: "<f8"
    char kind_ = 0;
    std::size_t width_ = 0;  ///< bytes of an element
    bool big_endian_ = false;
    bool by_columns_ = false;
    std::vector<index_t> shape_;
    index_t size_ = 0;
    std::string_view elements_;
    number_meaning meaning_ = number_meaning::binary64;
};

bool begins_npy(std::string_view bytes);

/// An array of one dimension, which is a column, or of two. Real floats of 16, 32 and 64 bits, integers of all sizes,
/// exactly, and truth values.
text rewrite_npy(const text& file, file_part part);

/// An array as a dense matrix of a file.
text dense_text(npy_array& array, const text& file);

}  // namespace residua::io
