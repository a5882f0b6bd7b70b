#include <residua/io/matrix_market_writer.hpp>

#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include <residua/io/decimal.hpp>

namespace residua::io {

namespace {

constexpr std::size_t buffer_bytes = 1 << 16;

bool is_array(const matrix_market_header& header) { return header.format == matrix_format::array; }

/// Each line of a comment behind a percent sign.
std::string as_comment(std::string_view lines)
{
    std::string out = "% ";
    for (const char c : lines) {
        if (c == '\n' || c == '\r') {
            out += "\n% ";
        } else {
            out += c;
        }
    }
    return out + "\n";
}

}  // namespace

matrix_market_writer::matrix_market_writer(const std::string& path, const matrix_market_header& header,
                                           const std::vector<std::string>& comments)
    : path_(path == "-" ? "<stdout>" : path), header_(header)
{
    const std::string_view reason = why_invalid(header);
    if (!reason.empty()) {
        fail(std::string(reason));
    }
    if (header.rows < 0 || header.cols < 0 || header.stored < 0) {
        fail("a size is negative");
    }
    if (is_array(header) && header.stored != stored_in_array(header.rows, header.cols, header.symmetry)) {
        fail("an array of " + std::to_string(header.rows) + " x " + std::to_string(header.cols) + " does not store " +
             std::to_string(header.stored) + " values");
    }
    array_row_ = header.symmetry == matrix_symmetry::skew_symmetric ? 1 : 0;

    buffer_ = banner_line(header);
    for (const std::string& comment : comments) {
        buffer_ += as_comment(comment);
    }
    buffer_ += size_line(header);

    file_ = path == "-" ? stdout : std::fopen(path.c_str(), "wb");
    if (file_ == nullptr) {
        fail_to_write();
    }
}

matrix_market_writer::~matrix_market_writer()
{
    if (file_ != nullptr && file_ != stdout) {
        std::fclose(file_);
    }
}

void matrix_market_writer::write(index_t row, index_t col, const std::string& real, const std::string& imaginary)
{
    check_position(row, col);
    if (is_array(header_)) {
        ++array_row_;
        if (array_row_ == header_.rows) {
            ++array_col_;
            array_row_ = header_.symmetry == matrix_symmetry::general          ? 0
                         : header_.symmetry == matrix_symmetry::skew_symmetric ? array_col_ + 1
                                                                               : array_col_;
        }
    } else {
        buffer_ += std::to_string(row + 1) + " " + std::to_string(col + 1);
    }
    if (header_.field != matrix_field::pattern) {
        append(real);
    }
    if (header_.field == matrix_field::complex) {
        append(imaginary);
    }
    buffer_ += '\n';
    ++written_;
    if (buffer_.size() >= buffer_bytes) {
        flush();
    }
}

void matrix_market_writer::close()
{
    if (written_ != header_.stored) {
        fail(std::to_string(written_) + " entries were written, but " + std::to_string(header_.stored) + " announced");
    }
    flush();
    std::FILE* const file = std::exchange(file_, nullptr);
    errno = 0;
    if ((file == stdout ? std::fflush(file) : std::fclose(file)) != 0) {
        fail_to_write();
    }
}

void matrix_market_writer::check_position(index_t row, index_t col) const
{
    const auto refuse = [&](const std::string& reason) {
        fail("entry (" + std::to_string(row + 1) + ", " + std::to_string(col + 1) + ") " + reason);
    };
    if (row < 0 || row >= header_.rows || col < 0 || col >= header_.cols) {
        refuse("lies outside the matrix of " + std::to_string(header_.rows) + " x " + std::to_string(header_.cols));
    }
    if (is_array(header_) && (row != array_row_ || col != array_col_)) {
        refuse("comes where (" + std::to_string(array_row_ + 1) + ", " + std::to_string(array_col_ + 1) +
               ") must; array files go by columns");
    }
    if (header_.symmetry != matrix_symmetry::general && row < col) {
        refuse("lies above the diagonal of a matrix with symmetry");
    }
    if (header_.symmetry == matrix_symmetry::skew_symmetric && row == col) {
        refuse("lies on the diagonal of a skew-symmetric matrix");
    }
}

/// Appends a number, after a blank if the line has begun.
void matrix_market_writer::append(const std::string& decimal)
{
    if (!is_decimal(decimal)) {
        fail(quote(decimal) + " is not a finite decimal");
    }
    if (header_.field == matrix_field::integer && !take_apart(decimal).is_integer()) {
        fail(quote(decimal) + " is not an integer");
    }
    if (!buffer_.empty() && buffer_.back() != '\n') {
        buffer_ += ' ';
    }
    buffer_ += decimal;
}

void matrix_market_writer::flush()
{
    errno = 0;
    if (std::fwrite(buffer_.data(), 1, buffer_.size(), file_) != buffer_.size()) {
        fail_to_write();
    }
    buffer_.clear();
}

void matrix_market_writer::fail(const std::string& reason) const { throw error(path_ + ": " + reason); }

void matrix_market_writer::fail_to_write() const { fail(std::string("cannot be written: ") + std::strerror(errno)); }

}  // namespace residua::io
