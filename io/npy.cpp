#include <residua/io/npy.hpp>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include <residua/io/interruption.hpp>
#include <residua/io/market_text.hpp>
#include <residua/io/matrix_market_header.hpp>
#include <residua/io/zip.hpp>

namespace residua::io {
namespace {

constexpr std::string_view magic{"\x93NUMPY"};

double from_half(std::uint64_t bits)
{
    const int exponent = static_cast<int>(bits >> 10 & 31);
    const auto fraction = static_cast<double>(bits & 1023);
    const double size = exponent == 31  ? fraction == 0.0 ? std::numeric_limits<double>::infinity() : std::nan("")
                         : exponent == 0 ? std::ldexp(fraction, -24)
                                        : std::ldexp(1024.0 + fraction, exponent - 25);
    return (bits >> 15 & 1) != 0 ? -size : size;
}

template <class T>
std::string_view written(T value, npy_array::decimal_buffer& buffer)
{
    return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr};
}

/// What stands behind a key in a header, which is a dictionary of Python as repr() writes it.
std::string_view behind(std::string_view header, const std::string& key)
{
    const std::string mark = "'" + key + "':";
    const std::size_t at = header.find(mark);
    const std::size_t value = at == std::string_view::npos ? at : header.find_first_not_of(' ', at + mark.size());
    return value == std::string_view::npos ? std::string_view() : header.substr(value);
}

/// The sizes in "(2, 3)"; those of Python 2 may end in L.
std::optional<std::vector<index_t>> read_shape(std::string_view text)
{
    std::vector<index_t> shape;
    if (!text.starts_with('(')) {
        return std::nullopt;
    }
    for (text.remove_prefix(1); !text.empty() && !text.starts_with(')');) {
        index_t n = 0;
        const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), n);
        if (status != std::errc() || n < 0) {
            return std::nullopt;
        }
        shape.push_back(n);
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
        text.remove_prefix(std::min(text.find_first_not_of("L, "), text.size()));
    }
    return text.empty() ? std::nullopt : std::optional(shape);
}

}  // namespace

npy_array::npy_array(std::string name, std::string_view bytes) : name_(std::move(name))
{
    constexpr std::size_t version_at = magic.size();
    constexpr std::size_t length_at = version_at + 2;
    if (bytes.size() < length_at + 4 || !bytes.starts_with(magic)) {
        fail("the header of an array of NumPy is missing; is it cut short?");
    }
    const auto version = static_cast<unsigned char>(bytes[version_at]);
    if (version < 1 || version > 3) {
        fail("an array of NumPy's format " + std::to_string(version) + "; 1, 2 and 3 are read");
    }
    const std::size_t length_size = version == 1 ? 2 : 4;
    const std::size_t header_size = little_endian(bytes, length_at, length_size);
    const std::size_t header_at = length_at + length_size;
    if (bytes.size() - header_at < header_size) {
        fail("the header of an array of NumPy ends early; is it cut short?");
    }
    read_header(bytes.substr(header_at, header_size));
    elements_ = bytes.substr(header_at + header_size);
    size_ = 1;
    for (const index_t n : shape_) {
        size_ = stored_in_array(size_, n, matrix_symmetry::general);
        if (size_ < 0) {
            fail("an array with more elements than any file");
        }
    }
    if (kind_ == 'O' || width_ == 0) {
        return;  // of no size; decimal() refuses them
    }
    const std::size_t there = elements_.size() / width_;
    if (elements_.size() % width_ != 0 || there != static_cast<std::size_t>(size_)) {
        fail("an array of " + std::to_string(size_) + " elements of " + std::to_string(width_) + " bytes, but " +
             std::to_string(elements_.size()) + " bytes are there; is it cut short?");
    }
}

void npy_array::read_header(std::string_view header)
{
    const std::string_view type_text = behind(header, "descr");
    const std::string_view order = behind(header, "fortran_order");
    const std::optional<std::vector<index_t>> shape = read_shape(behind(header, "shape"));
    if (type_text.starts_with('[')) {
        throw unsupported_error(
            name_ + ": an array of NumPy whose elements are records of several fields is not read; save one field");
    }
    const std::size_t end = type_text.starts_with('\'') ? type_text.find('\'', 1) : std::string_view::npos;
    by_columns_ = order.starts_with("True");
    if (end == std::string_view::npos || end < 2 || !(by_columns_ || order.starts_with("False")) || !shape) {
        fail("the header of an array of NumPy cannot be understood: " + quote(header));
    }
    type_ = type_text.substr(1, end - 1);
    shape_ = *shape;
    std::string_view type = type_;
    const bool has_byte_order = type[0] == '<' || type[0] == '>' || type[0] == '|' || type[0] == '=';
    big_endian_ = type[0] == '>';
    type.remove_prefix(has_byte_order ? 1 : 0);
    kind_ = type.empty() ? '\0' : type[0];
    if (type.size() > 1) {
        const char* const last = type.data() + type.size();
        const auto [at, status] = std::from_chars(type.data() + 1, last, width_);
        if (status != std::errc() || at != last) {
            width_ = 0;  // such as a time and its unit
        }
    }
    if (kind_ == 'U') {
        constexpr std::size_t bytes_of_letter = 4;
        width_ = width_ <= header.size() ? bytes_of_letter * width_ : 0;
    }
}

/// Bytes of the elements as a number, 8 at most.
std::uint64_t npy_array::bits(std::size_t at, std::size_t width) const
{
    if (!big_endian_) {
        return little_endian(elements_, at, width);
    }
    std::uint64_t number = 0;
    for (std::size_t b = 0; b < width; ++b) {
        number = number << 8 | static_cast<unsigned char>(elements_[at + b]);
    }
    return number;
}

std::string_view npy_array::float_decimal(index_t k, std::size_t at, std::size_t width, decimal_buffer& buffer) const
{
    const std::uint64_t number = bits(at, width);
    const double value = width == 8   ? std::bit_cast<double>(number)
                         : width == 4 ? static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(number)))
                                      : from_half(number);
    if (!std::isfinite(value)) {
        fail("element " + std::to_string(k) + " in the order of the file is not a finite number");
    }
    return written(value, buffer);
}

std::string_view npy_array::decimal(index_t k, decimal_buffer& buffer)
{
    constexpr std::uint64_t most_exact = std::uint64_t{1} << 53;
    const bool is_float = (kind_ == 'f' && (width_ == 2 || width_ == 4 || width_ == 8)) ||
                          (kind_ == 'c' && (width_ == 8 || width_ == 16));
    const bool is_whole = (kind_ == 'b' && width_ == 1) || ((kind_ == 'i' || kind_ == 'u') &&
                                                            (width_ == 1 || width_ == 2 || width_ == 4 || width_ == 8));
    if (!is_float && !is_whole) {
        const std::string what = kind_ == 'f' || kind_ == 'c' ? "floats whose form depends on the machine"
                                 : kind_ == 'O'               ? "objects of Python"
                                                              : "no numbers";
        throw unsupported_error(name_ + ": the type " + quote(type_) + " of an array of NumPy, " + what +
                                ", is not read; save it as float64, complex128 or integers, or its digits by "
                                "numpy.savetxt");
    }
    const std::size_t at = static_cast<std::size_t>(k) * width_;
    if (is_float) {
        return float_decimal(k, at, kind_ == 'c' ? width_ / 2 : width_, buffer);
    }
    const std::uint64_t number = bits(at, width_);
    const bool negative = kind_ == 'i' && (number >> (8 * width_ - 1) & 1) != 0;
    const std::uint64_t above = width_ == 8 ? 0 : ~std::uint64_t{0} << 8 * width_;
    const std::uint64_t size = negative ? -(number | above) : number;
    meaning_ = size > most_exact ? number_meaning::exact : meaning_;
    return negative ? written(static_cast<std::int64_t>(-size), buffer) : written(size, buffer);
}

std::string_view npy_array::imaginary(index_t k, decimal_buffer& buffer)
{
    const std::size_t half = width_ / 2;
    return kind_ == 'c' ? float_decimal(k, static_cast<std::size_t>(k) * width_ + half, half, buffer)
                        : std::string_view();
}

index_t npy_array::integer(index_t k, index_t least, index_t most) const
{
    const bool is_whole = (kind_ == 'i' || kind_ == 'u') && (width_ == 1 || width_ == 2 || width_ == 4 || width_ == 8);
    if (!is_whole) {
        fail("the type " + quote(type_) + " where integers must be");
    }
    const std::uint64_t number = bits(static_cast<std::size_t>(k) * width_, width_);
    const std::uint64_t sign = std::uint64_t{1} << (8 * width_ - 1);
    const bool is_outside = (number & sign) != 0 && (kind_ == 'i' || width_ == 8);  // negative, or too large
    if (is_outside || static_cast<index_t>(number) < least || static_cast<index_t>(number) > most) {
        fail("element " + std::to_string(k) + " is outside " + std::to_string(least) + ".." + std::to_string(most));
    }
    return static_cast<index_t>(number);
}

std::string npy_array::letters() const
{
    std::string all;
    if ((kind_ == 'S' || kind_ == 'U') && size_ == 1) {
        for (const char c : elements_) {
            if (c != '\0') {
                all += c;
            }
        }
    }
    return all;
}

void npy_array::fail(const std::string& reason) const { throw input_error(name_, 0, reason); }

text dense_text(npy_array& array, const text& file)
{
    const std::vector<index_t>& shape = array.shape();
    if (shape.empty() || shape.size() > 2) {
        throw input_error(
            array.name(), 0,
            "an array of NumPy of " + std::to_string(shape.size()) + " dimensions; vectors have one and matrices two");
    }
    const index_t rows = shape[0];
    const index_t cols = shape.size() == 2 ? shape[1] : 1;
    market_text made(
        {.format = matrix_format::array, .field = array.field(), .rows = rows, .cols = cols, .stored = array.size()});
    npy_array::decimal_buffer buffer;
    npy_array::decimal_buffer second;
    for (index_t j = 0; j < cols && array.size() > 0; ++j) {
        for (index_t i = 0; i < rows; ++i) {
            ask_for_stop_at(i);
            const index_t k = array.by_columns() ? j * rows + i : i * cols + j;
            made.add(array.decimal(k, buffer), array.imaginary(k, second));
        }
    }
    return made.finish(file, array.meaning());
}

bool begins_npy(std::string_view bytes) { return bytes.starts_with(magic); }

text rewrite_npy(const text& file, file_part)
{
    npy_array array(file.name, file.bytes);
    return dense_text(array, file);
}

}  // namespace residua::io
