#pragma once

#include <optional>
#include <string>

#include <residua/io/decimal.hpp>
#include <residua/io/matrix_market_header.hpp>
#include <residua/solvers/processes/matrix_part.hpp>

namespace residua {

/// The part that a process has of a matrix that all have read from one file, and what all know of that.
struct read_part {
    matrix_part part;
    io::matrix_market_header header;
    io::binary64_tally tally;  ///< of all numbers
    std::string warning = {};  ///< on process 0: that values at one position were added; empty if none were
};

/// Reads the numbers of a file as binary64 numbers, each process the lines in about as many bytes, some MB at a time, and sends
/// each entry, and its mirror image where the file has a symmetry, to the process that has its row.
///
/// transposed       rows and columns change places
/// bytes_at_a_time  of the file, that a process has at a time; 0: some MB for its threads
/// order            values at one position are added in the order of the file
/// returns          empty on all, if it is no plain coordinate file of a real square matrix, or one of them cannot read it;
///                  also on all but process 0 where that throws
/// throws           on process 0: input_error as reading the whole file does, with the line; resource_error; io::stopped_error
/// together
std::optional<read_part> read_part_of(processes& all, const std::string& path, bool transposed,
                                      index_t bytes_at_a_time = 0);

}  // namespace residua
