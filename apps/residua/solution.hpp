#pragma once

#include <string>
#include <vector>

#include <residua/arith/real/real.hpp>
#include <residua/solvers/methods/stop.hpp>

#include "exit_code.hpp"
#include "output_file.hpp"

namespace residua {

/// A column of a solution, and the significant digits that it is written with.
struct solution_column {
    const std::vector<real>& x;
    int digits;
};

/// The columns, of one length, as a MatrixMarket array file, and closes it.
///
/// throws  resource_error if the file cannot be written in full
void write_solution(output_file& file, const std::vector<solution_column>& columns, const std::string& comment);

/// ||x - y||_inf / ||y||_inf, or the numerator alone if y = 0.
real relative_error(const std::vector<real>& x, const std::vector<real>& y);

/// What a status means to the shell.
exit_code exit_code_of(solve_status status, bool digits_reached = true);

}  // namespace residua
