#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <exception>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <residua/io/coo.hpp>
#include <residua/io/decimal.hpp>
#include <residua/io/interruption.hpp>
#include <residua/io/matrix_market_scanner.hpp>
#include <residua/io/room.hpp>

namespace residua::io {

/// A MatrixMarket file, read. The entries are all entries of the matrix: symmetry is expanded,
/// values at the same position are summed.
template <class T>
struct matrix_market {
    matrix_market_header header;
    coo<T> entries;
    std::vector<T> imaginary;           ///< as long as entries.value if the field is complex
    std::vector<std::string> warnings;  ///< each one line "file:line: what"
};

/// The type that a parser makes of a decimal.
template <class Parse>
using parsed = std::decay_t<std::invoke_result_t<Parse&, const decimal_word&>>;

namespace detail {

/// Whether each part of a file may have a parser of its own: functions may, and objects that can add up their counts.
template <class Parse>
inline constexpr bool parses_parts =
    std::is_pointer_v<std::decay_t<Parse>> ||
    (std::default_initializable<std::decay_t<Parse>> && requires(std::decay_t<Parse>& p) { p.add(p); });

/// A parser for a part.
template <class Parse>
std::decay_t<Parse> parser_like(const Parse& parse)
{
    if constexpr (std::is_pointer_v<std::decay_t<Parse>>) {
        return parse;
    } else {
        return std::decay_t<Parse>{};
    }
}

/// The number of parts into which a file is cut by default; 1 if more are not worth the while.
index_t useful_parts(index_t bytes);

/// Appends the entry to `m`, followed by its mirror image; for an array, its value alone.
template <class Parse, class T>
void append(matrix_market<T>& m, const scanned_entry& entry, Parse& parse)
{
    const matrix_symmetry symmetry = m.header.symmetry;
    const bool complex = m.header.field == matrix_field::complex;
    coo<T>& a = m.entries;
    a.value.push_back(std::invoke(parse, entry.real));
    if (complex) {
        m.imaginary.push_back(std::invoke(parse, entry.imaginary));
    }
    if (m.header.format == matrix_format::array) {
        return;
    }
    a.row.push_back(entry.row);
    a.col.push_back(entry.col);
    if (symmetry != matrix_symmetry::general && entry.row != entry.col) {
        const bool skew = symmetry == matrix_symmetry::skew_symmetric;
        a.row.push_back(entry.col);
        a.col.push_back(entry.row);
        a.value.push_back(skew ? T(-a.value.back()) : a.value.back());
        if (complex) {
            const bool negate = skew || symmetry == matrix_symmetry::hermitian;
            m.imaginary.push_back(negate ? T(-m.imaginary.back()) : m.imaginary.back());
        }
    }
}

/// Room for what a scanner may still give, by the header and by the bytes that are left.
template <class T>
void reserve(matrix_market<T>& m, index_t stored)
{
    const auto make_room = [](auto& numbers, std::size_t count) {
        numbers.reserve(count);
        expect_filling(numbers.data(), count * sizeof(numbers[0]));
    };
    const bool array = m.header.format == matrix_format::array;
    const bool mirrored = !array && m.header.symmetry != matrix_symmetry::general;
    const auto count = static_cast<std::size_t>(stored) * (mirrored ? 2 : 1);
    make_room(m.entries.value, count);
    make_room(m.imaginary, m.header.field == matrix_field::complex ? count : 0);
    make_room(m.entries.row, array ? 0 : count);
    make_room(m.entries.col, array ? 0 : count);
}

/// Reads all entries that the scanner gives, and appends them to `m`.
///
/// at      the entry at work
/// throws  as the scanner and parse; stopped_error
template <class Parse, class T>
void read_entries(matrix_market_scanner& scanner, Parse& parse, matrix_market<T>& m, scanned_entry& at)
{
    constexpr index_t between_questions = 1 << 14;
    while (scanner.next(at)) {
        append(m, at, parse);
        if (scanner.entries() % between_questions == 0) {
            ask_for_stop();
        }
    }
}

/// The positions of the values of an array without symmetry, which stand by columns, and the order of the reader:
/// by rows, or of a transpose by columns.
template <class T>
void place_whole_array(matrix_market<T>& m, bool transposed)
{
    constexpr index_t least_rows = 32, entries_of_task = 1 << 16;
    coo<T>& a = m.entries;
    const std::size_t size = a.value.size();
    if (size == 0) {
        return;
    }
    const index_t together = std::max(least_rows, entries_of_task / a.cols);
    const auto from = std::exchange(a.value, vector_of(size, a.value[0]));
    const auto imaginary = std::exchange(m.imaginary, vector_of(m.imaginary.size(), from[0]));
    a.row = vector_of<index_t>(size);
    a.col = vector_of<index_t>(size);
    for_each_task((a.rows + together - 1) / together, [&](index_t k) {
        for (index_t j = 0; j < a.cols; ++j) {
            for (index_t i = k * together; i < std::min(a.rows, (k + 1) * together); ++i) {
                const auto by_columns = static_cast<std::size_t>(j * a.rows + i);
                const std::size_t to = transposed ? by_columns : static_cast<std::size_t>(i * a.cols + j);
                a.row[to] = i;
                a.col[to] = j;
                a.value[to] = from[by_columns];
                if (!imaginary.empty()) {
                    m.imaginary[to] = imaginary[by_columns];
                }
            }
        }
    });
}

/// The positions of an array's values, which stand by columns, and their mirror images.
template <class T>
void place_array(matrix_market<T>& m, bool transposed)
{
    coo<T>& a = m.entries;
    const matrix_symmetry symmetry = m.header.symmetry;
    if (symmetry == matrix_symmetry::general) {
        return place_whole_array(m, transposed);
    }
    matrix_market<T> placed;
    placed.header = m.header;
    placed.header.format = matrix_format::coordinate;
    reserve(placed, m.header.stored);
    scanned_entry entry;
    std::size_t k = 0;
    for (index_t j = 0; j < a.cols && k < a.value.size(); ++j) {
        const index_t first = symmetry == matrix_symmetry::skew_symmetric ? j + 1 : j;
        for (index_t i = first; i < a.rows; ++i, ++k) {
            bool is_real = true;  // the first of the two parts
            const auto value = [&](const decimal_word&) {
                return std::move(std::exchange(is_real, false) ? a.value[k] : m.imaginary[k]);
            };
            entry.row = i;
            entry.col = j;
            append(placed, entry, value);
        }
    }
    placed.entries.rows = a.rows;
    placed.entries.cols = a.cols;
    placed.header.format = m.header.format;
    m = std::move(placed);
}

/// The arrays of all parts, one behind the other, each in place of the parts' own.
template <class T>
void join(std::vector<matrix_market<T>>& parts, matrix_market<T>& m)
{
    const auto join_member = [&](const auto& member) {
        std::vector<std::size_t> begin{0};
        for (matrix_market<T>& part : parts) {
            begin.push_back(begin.back() + member(part).size());
        }
        const auto full = std::find_if(parts.begin(), parts.end(), [&](auto& part) { return !member(part).empty(); });
        if (full == parts.end()) {
            return;
        }
        auto& all = member(m);
        all = vector_of(begin.back(), member(*full)[0]);
        for_each_task(static_cast<index_t>(parts.size()), [&](index_t k) {
            const auto which = static_cast<std::size_t>(k);
            auto some = std::move(member(parts[which]));
            std::move(some.begin(), some.end(), all.begin() + static_cast<std::ptrdiff_t>(begin[which]));
        });
    };
    join_member([](matrix_market<T>& each) -> auto& { return each.entries.row; });
    join_member([](matrix_market<T>& each) -> auto& { return each.entries.col; });
    join_member([](matrix_market<T>& each) -> auto& { return each.entries.value; });
    join_member([](matrix_market<T>& each) -> auto& { return each.imaginary; });
}

/// Reads again from where part k begins, to throw what reading in one go throws.
template <class Parse>
void read_to_the_error(matrix_market_scanner scanner, Parse parse, scanned_entry& at)
{
    while (scanner.next(at)) {
        std::invoke(parse, at.real);
        std::invoke(parse, at.imaginary);
    }
}

/// Parts of a text that several threads have read, each with its own parser.
template <class Parse>
struct read_text {
    std::vector<matrix_market_scanner> scanners;  ///< each stands behind what it has read
    std::vector<matrix_market<parsed<Parse>>> parts;
    std::vector<std::decay_t<Parse>> parsers;
    std::vector<std::exception_ptr> failures;  ///< what is wrong in each
};

/// throws  stopped_error; resource_error
template <class Parse>
read_text<Parse> read_all_parts(const matrix_market_header& header, const std::vector<matrix_market_scanner>& parts,
                                const Parse& parse)
{
    read_text<Parse> result{parts, std::vector<matrix_market<parsed<Parse>>>(parts.size()),
                            std::vector<std::decay_t<Parse>>(parts.size(), parser_like(parse)),
                            std::vector<std::exception_ptr>(parts.size())};
    double bytes = 0.0;
    for (const matrix_market_scanner& each : parts) {
        bytes += static_cast<double>(each.bytes_left());
    }
    for_each_task(static_cast<index_t>(parts.size()), [&](index_t k) {
        const auto which = static_cast<std::size_t>(k);
        result.parts[which].header = header;
        const double share = 1.02 * static_cast<double>(parts[which].bytes_left()) / bytes;
        const index_t most = result.scanners[which].most_entries_left();
        const double expected = share * static_cast<double>(header.stored) + 16.0;
        reserve(result.parts[which], expected < static_cast<double>(most) ? static_cast<index_t>(expected) : most);
        scanned_entry entry;
        try {
            read_entries(result.scanners[which], result.parsers[which], result.parts[which], entry);
        } catch (const stopped_error&) {
            throw;
        } catch (const resource_error&) {
            throw;
        } catch (const error&) {
            result.failures[which] = std::current_exception();
        }
    });
    return result;
}

/// All entries of a file, its parts read by several threads.
///
/// throws  what read_entries throws for the whole file
template <class Parse, class T>
void read_parts(const matrix_market_scanner& scanner, const std::vector<matrix_market_scanner>& parts, Parse& parse,
                matrix_market<T>& m, scanned_entry& at)
{
    auto read = read_all_parts(m.header, parts, parse);
    index_t lines = 0;
    index_t entries = 0;
    for (std::size_t k = 0; k < parts.size(); ++k) {
        if (read.failures[k] || entries + read.scanners[k].entries() > m.header.stored) {
            read_to_the_error(scanner.resumed_at(parts[k], lines, entries), parser_like(parse), at);
            std::rethrow_exception(read.failures[k]);
        }
        lines += read.scanners[k].lines();
        entries += read.scanners[k].entries();
    }
    if (entries != m.header.stored) {
        read_to_the_error(scanner.resumed_at(read.scanners.back(), lines, entries), parser_like(parse), at);
    }
    join(read.parts, m);
    if constexpr (requires { parse.add(read.parsers.front()); }) {
        for (const auto& each : read.parsers) {
            parse.add(each);
        }
    }
}

}  // namespace detail

}  // namespace residua::io
