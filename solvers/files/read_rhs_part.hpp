#pragma once

#include <optional>
#include <string>
#include <vector>

#include <residua/io/decimal.hpp>
#include <residua/solvers/processes/number_part.hpp>

namespace residua {

/// The parts that a process has of columns of numbers that all have read from one file, and what all know of these.
struct read_rhs_part {
    std::vector<number_part> columns;
    io::binary64_tally tally;
};

/// Reads columns, each process the lines in about as many bytes, some MB at a time, and sends each number to the
/// process that has its row.
///
/// cols             how many there have to be, on process 0, and not read on the others; 0: one at least
/// bytes_at_a_time  as read_part_of()
/// returns          empty on all, if it is anything but a plain array file of as many rows of real numbers, which
///                  binary64 holds exactly: process 0 then reads it alone, and says what is wrong. Columns of no rows
///                  are left to it too
/// together
std::optional<read_rhs_part> read_rhs_part_of(processes& all, const std::string& path, const partition& rows,
                                              index_t cols = 0, index_t bytes_at_a_time = 0);

}  // namespace residua
