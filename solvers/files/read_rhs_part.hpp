#pragma once

#include <optional>
#include <string>

#include <residua/io/decimal.hpp>
#include <residua/solvers/processes/number_part.hpp>

namespace residua {

/// The part that a process has of a column of numbers that all have read from one file, and what all know of these.
struct read_rhs_part {
    number_part part;
    io::binary64_tally tally;
};

/// Reads a column, each process the lines in about as many bytes, some MB at a time, and sends each number to the process that
/// has its row.
///
/// bytes_at_a_time  as read_part_of()
/// returns          empty on all, if it is anything but a plain array file of as many real numbers as there are rows, which
///                  binary64 holds exactly: process 0 then reads it alone, and says what is wrong
/// together
std::optional<read_rhs_part> read_rhs_part_of(processes& all, const std::string& path, const partition& rows,
                                              index_t bytes_at_a_time = 0);

}  // namespace residua
