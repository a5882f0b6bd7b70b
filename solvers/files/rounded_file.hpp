#pragma once

#include <string>
#include <vector>

#include <residua/io/binary64.hpp>
#include <residua/io/decimal.hpp>
#include <residua/io/file_format.hpp>
#include <residua/io/matrix_market.hpp>
#include <residua/solvers/files/load.hpp>
#include <residua/solvers/matrix/complex_form.hpp>

namespace residua {

/// A file whose numbers were rounded to binary64, and what that did to them. The text is kept,
/// so that the numbers can be read again as decimals.
struct rounded_file {
    io::text text;
    io::file_part part = io::file_part::matrix;
    io::matrix_market_header header = {};  ///< of the file, that of a real one where all imaginary parts are 0
    bool complex = false;                  ///< some imaginary part is not 0
    io::matrix_market<double> matrix;      ///< of a complex file the real form
    io::binary64_tally tally;
    std::vector<io::decimal_word> words;  ///< the entries as they are written, where these were asked for
    std::vector<std::string> notes;       ///< warnings beside the matrix's own, which are about sums

    /// Whether reading decimals would give other numbers.
    bool decimals_differ() const { return tally.inexact > 0 || !matrix.warnings.empty(); }
};

/// How to read the numbers of a file, which itself may leave no choice.
entry_reading meant_by(const io::text& text, entry_reading asked);

/// Reads a file of any format.
///
/// reading  how the numbers will be read, as far as that is known
/// throws   resource_error if memory does not hold the numbers; as io::as_matrix_market, io::read_matrix_market
rounded_file read_rounded(io::text text, io::file_part part, entry_reading reading = entry_reading::automatic);

/// What was read of a complex file, as its real form.
///
/// is_zero  says of a T whether the number that it stands for is 0
template <class T, class IsZero>
void take_real_form(io::matrix_market<T>& m, io::file_part part, const IsZero& is_zero)
{
    m.entries = part == io::file_part::matrix ? real_form(m.entries, m.imaginary, is_zero)
                                              : real_form_of_columns(m.entries, m.imaginary);
    m.imaginary = {};
    m.header.field = io::matrix_field::real;
    m.header.symmetry = io::matrix_symmetry::general;
    m.header.rows = m.entries.rows;
    m.header.cols = m.entries.cols;
}

/// Reads the numbers of a file again, rounded and as they are written.
void read_both(rounded_file& file);

/// The warnings about a file, in the order in which they arose.
std::vector<std::string> warnings_of(const rounded_file& file);

}  // namespace residua
