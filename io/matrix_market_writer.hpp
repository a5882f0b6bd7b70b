#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include <residua/io/matrix_market_header.hpp>

namespace residua::io {

/// Writes a MatrixMarket file entry by entry, as stored, and checks that a reader will accept it.
///
/// A file that was not closed, because of an error, holds fewer entries than it announces, and
/// readers refuse it.
class matrix_market_writer {
public:
    /// Writes banner, comments and sizes; path "-" is standard output.
    ///
    /// throws  error if the file cannot be created or the header is not a valid one
    matrix_market_writer(const std::string& path, const matrix_market_header& header,
                         const std::vector<std::string>& comments = {});
    ~matrix_market_writer();
    matrix_market_writer(const matrix_market_writer&) = delete;
    matrix_market_writer& operator=(const matrix_market_writer&) = delete;

    /// Writes one entry, indices from 0; `real` is ignored in a pattern, `imaginary` unless complex.
    ///
    /// order   free in a coordinate file; by columns in an array
    /// throws  error if the position cannot be stored here or comes out of order, if a value is not
    ///         a decimal, or if the file cannot be written
    void write(index_t row, index_t col, const std::string& real, const std::string& imaginary = "0");

    /// Finishes the file; to be called once, after the last entry.
    ///
    /// throws  error if entries are missing or the file could not be written in full
    void close();

private:
    void check_position(index_t row, index_t col) const;
    void append(const std::string& decimal);
    void flush();
    [[noreturn]] void fail(const std::string& reason) const;
    [[noreturn]] void fail_to_write() const;

    std::string path_;
    matrix_market_header header_;
    std::FILE* file_ = nullptr;
    std::string buffer_;
    index_t written_ = 0;
    index_t array_row_ = 0;
    index_t array_col_ = 0;
};

}  // namespace residua::io
