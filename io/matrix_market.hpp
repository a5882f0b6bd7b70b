#pragma once

#include <functional>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <residua/io/coo.hpp>
#include <residua/io/error.hpp>
#include <residua/io/matrix_market_header.hpp>
#include <residua/io/matrix_market_parts.hpp>
#include <residua/io/matrix_market_scanner.hpp>
#include <residua/io/matrix_market_writer.hpp>
#include <residua/io/text.hpp>

namespace residua::io {

namespace detail {

template <class T>
bool has_upper_entries(const coo<T>& a)
{
    for (std::size_t k = 0; k < a.row.size(); ++k) {
        if (a.row[k] < a.col[k]) {
            return true;
        }
    }
    return false;
}

/// Whether each entry and its mirror image agree as the header says. The entries above the diagonal
/// may all be absent.
template <class T>
bool has_its_symmetry(const matrix_market<T>& m)
{
    const coo<T>& a = m.entries;
    const bool skew = m.header.symmetry == matrix_symmetry::skew_symmetric;
    const bool conjugate = skew || m.header.symmetry == matrix_symmetry::hermitian;
    const auto agree = [](const T& x, const T& y, bool negated) { return negated ? x == T(-y) : x == y; };
    const bool lower_only = !has_upper_entries(a);
    std::vector<index_t> order;  // entry k of the transpose is entry order[k], or k if empty
    if (!lower_only) {
        order = row_major_order(a.cols, a.col, a.row);
    }
    for (std::size_t k = 0; k < a.row.size(); ++k) {
        if (lower_only && a.row[k] != a.col[k]) {
            continue;
        }
        const std::size_t t = order.empty() ? k : static_cast<std::size_t>(order[k]);
        if (a.row[k] != a.col[t] || a.col[k] != a.row[t] ||
            (m.header.field != matrix_field::pattern && !agree(a.value[k], a.value[t], skew)) ||
            (!m.imaginary.empty() && !agree(m.imaginary[k], m.imaginary[t], conjugate))) {
            return false;
        }
    }
    return true;
}

/// The warning that entries were summed; `repeated` are their places, mirror images counted.
std::string warn_of_sums(const text& source, const std::vector<index_t>& repeated);
/// The warning about `lines` lines that hold such entries; `first` is the entry of the first of these lines.
std::string words_of_sums(const std::string& name, const scanned_entry& first, index_t lines);

}  // namespace detail

/// Reads a matrix whose numbers are of the caller's type; the transpose, if the text says so.
///
/// parse    called with each number of the file as a valid decimal_word, which is a std::string_view to those who take one:
///          [sign] digits [. digits] [e|E|d|D [sign] digits], the exponent within 64 bits; with "1" for an entry of a
///          pattern. What it returns has unary minus (skew-symmetric, hermitian) and +. A function is called by several
///          threads. Of an object with add(), as binary64_tally, each thread has another one, whose counts are added at the
///          end. Any other object is called with all numbers in turn
/// parts    into which the file is cut for several threads; 0: as the threads and its size have it
/// order    entries sorted by row, then column; a sum runs in the order of the file. The same for any number of threads
/// stops    by ask_for_stop()
/// throws   input_error with file, line and reason, also for an `error` that parse throws, of the first line that is wrong;
///          resource_error if memory does not suffice; stopped_error
template <class Parse>
matrix_market<parsed<Parse>> read_matrix_market(const text& source, Parse&& parse, index_t parts = 0)
{
    matrix_market<parsed<Parse>> m;
    scanned_entry entry;
    try {
        matrix_market_scanner scanner(source);
        m.header = scanner.header();
        m.entries.rows = m.header.rows;
        m.entries.cols = m.header.cols;
        const bool complex = m.header.field == matrix_field::complex;
        const bool array = m.header.format == matrix_format::array;
        std::vector<matrix_market_scanner> scanners;
        if (detail::parses_parts<Parse> && !(array && m.header.symmetry == matrix_symmetry::hermitian)) {
            const index_t count = parts > 0 ? parts : detail::useful_parts(scanner.bytes_left());
            scanners = count > 1 ? scanner.parts(count) : scanners;
        }
        if constexpr (detail::parses_parts<Parse>) {
            if (!scanners.empty()) {
                detail::read_parts(scanner, scanners, parse, m, entry);
            }
        }
        if (scanners.empty()) {
            detail::reserve(m, scanner.most_entries_left());
            detail::read_entries(scanner, parse, m, entry);
        }
        if (array) {
            detail::place_array(m, source.transposed);
        }
        if (source.transposed) {
            std::swap(m.header.rows, m.header.cols);
            std::swap(m.entries.rows, m.entries.cols);
            std::swap(m.entries.row, m.entries.col);
        }
        ask_for_stop();
        const std::vector<index_t> repeated = complex ? sort_and_sum(m.entries, m.imaginary) : sort_and_sum(m.entries);
        if (!repeated.empty()) {
            m.warnings.push_back(detail::warn_of_sums(source, repeated));
        }
        ask_for_stop();
    } catch (const input_error&) {
        throw;
    } catch (const resource_error&) {
        throw;
    } catch (const stopped_error&) {
        throw stopped_error(source.name + ": stopped while it was read");
    } catch (const error& problem) {
        throw input_error(source.name, entry.line, problem.what());
    } catch (const std::bad_alloc&) {
        constexpr index_t each = sizeof(parsed<Parse>) + 2 * sizeof(index_t);
        throw resource_error(source.name + ": not enough memory for a matrix of " + std::to_string(m.header.stored) +
                             " stored entries of at least " + std::to_string(each) + " bytes");
    }
    return m;
}

/// Writes a matrix in the format, field and symmetry of its header; the opposite of reading.
///
/// shapes   entries as read_matrix_market gives them; with symmetry the upper triangle may be
///          absent, and is not written; an array needs every position that the file stores
/// format   called with each number, gives it as a decimal: std::string(const T&)
/// path     "-" is standard output
/// throws   error if the file cannot be written in full, if a number is not finite or not an
///          integer in an integer file, or if the matrix has not the symmetry of its header
template <class T, class Format>
void write_matrix_market(const std::string& path, const matrix_market<T>& m, Format&& format,
                         const std::vector<std::string>& comments = {})
{
    const coo<T>& a = m.entries;
    const bool general = m.header.symmetry == matrix_symmetry::general;
    const bool values = m.header.field != matrix_field::pattern;
    const bool complex = m.header.field == matrix_field::complex;
    const auto is_stored = [&](std::size_t k) {
        return general || a.row[k] > a.col[k] ||
               (a.row[k] == a.col[k] && m.header.symmetry != matrix_symmetry::skew_symmetric);
    };
    if (!general && !detail::has_its_symmetry(m)) {
        throw error(path + ": a matrix that is not " + std::string(to_string(m.header.symmetry)) +
                    " cannot be written as such");
    }

    matrix_market_header header = m.header;
    header.rows = a.rows;
    header.cols = a.cols;
    header.stored = 0;
    for (std::size_t k = 0; k < a.row.size(); ++k) {
        header.stored += is_stored(k);
    }
    // Array files go by columns; coordinate files as the entries stand.
    std::vector<index_t> order;
    if (header.format == matrix_format::array) {
        order = row_major_order(a.cols, a.col, a.row);
    }

    matrix_market_writer writer(path, header, comments);
    for (std::size_t k = 0; k < a.row.size(); ++k) {
        const std::size_t e = order.empty() ? k : static_cast<std::size_t>(order[k]);
        if (is_stored(e)) {
            writer.write(a.row[e], a.col[e], values ? std::string(std::invoke(format, a.value[e])) : std::string(),
                         complex ? std::string(std::invoke(format, m.imaginary[e])) : std::string());
        }
    }
    writer.close();
}

/// Writes a dense matrix, or a vector (cols = 1), as an array file.
///
/// complex  whether numbers are given by their real and imaginary parts, one after the other
/// shapes   column_major (rows * cols), of complex numbers twice as many
/// format, path, throws  as write_matrix_market; dimension_error if the sizes differ
template <class T, class Format>
void write_array(const std::string& path, index_t rows, index_t cols, std::span<const T> column_major, Format&& format,
                 const std::vector<std::string>& comments = {}, bool complex = false)
{
    const index_t stored = stored_in_array(rows, cols, matrix_symmetry::general);
    const std::size_t parts = complex ? 2 : 1;
    if (column_major.size() % parts != 0 || stored != static_cast<index_t>(column_major.size() / parts)) {
        throw dimension_error(path + ": " + std::to_string(column_major.size()) + " numbers are not a matrix of " +
                              std::to_string(rows) + " x " + std::to_string(cols));
    }
    const matrix_field field = complex ? matrix_field::complex : matrix_field::real;
    matrix_market_writer writer(path, {matrix_format::array, field, matrix_symmetry::general, rows, cols, stored},
                                comments);
    const auto text = [&](std::size_t k) { return std::string(std::invoke(format, column_major[k])); };
    for (index_t k = 0; k < stored; ++k) {
        const std::size_t place = parts * static_cast<std::size_t>(k);
        writer.write(k % rows, k / rows, text(place), complex ? text(place + 1) : "0");
    }
    writer.close();
}

}  // namespace residua::io
