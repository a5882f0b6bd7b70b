#pragma once

#include <string>
#include <vector>

#include <residua/io/binary64.hpp>
#include <residua/io/decimal.hpp>
#include <residua/io/file_format.hpp>
#include <residua/io/matrix_market.hpp>
#include <residua/solvers/files/load.hpp>

namespace residua {

/// A file whose numbers were rounded to binary64, and what that did to them. The text is kept,
/// so that the numbers can be read again as decimals.
struct rounded_file {
    io::text text;
    io::matrix_market<double> matrix;
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

/// Reads the numbers of a file again, rounded and as they are written.
void read_both(rounded_file& file);

/// The warnings about a file, in the order in which they arose.
std::vector<std::string> warnings_of(const rounded_file& file);

}  // namespace residua
