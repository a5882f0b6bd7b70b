#pragma once

#include <exception>
#include <functional>
#include <optional>
#include <string>

#include <residua/io/decimal.hpp>
#include <residua/io/file_lines.hpp>
#include <residua/solvers/processes/processes.hpp>

/// What processes do together to read one file.
namespace residua {

/// The lines of a file, on all; empty on all, if process 0 finds none, or none that it takes.
///
/// takes     asked on process 0
/// failure   on process 0: what kept it from reading the file
/// together
std::optional<io::file_lines> find_lines_on_all(processes& all, const std::string& path,
                                                const std::function<bool(const io::matrix_market_header&)>& takes,
                                                std::exception_ptr& failure);

/// Where the share of a process of so many bytes begins.
inline index_t share_begin(index_t bytes, index_t count, index_t rank)
{
    return bytes / count * rank + bytes % count * rank / count;
}

/// The bytes that a process reads at a time.
index_t usual_bytes_at_a_time();

/// What the tallies of all say together.
///
/// together
io::binary64_tally joined(processes& all, io::binary64_tally mine);

}  // namespace residua
