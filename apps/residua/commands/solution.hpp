#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <residua/arith/real/real.hpp>
#include <residua/solvers/solve.hpp>

#include <apps/residua/cli/exit_code.hpp>
#include <apps/residua/cli/output_file.hpp>

namespace residua {

/// A column of a solution, and the significant digits that it is written with.
struct solution_column {
    const std::vector<real>& x;
    int digits;
};

/// How many digits x needs as text. They round-trip its bits. Digits are added until the residual of x as read back,
/// and for least squares ||A'r|| too, is at most the larger of the tolerance and the reported residual. An
/// ill-conditioned system may need the latter, which is the residual of the bits of x as they are.
///
/// cost    the norms of A and x, where they show that the digits suffice; else an evaluation of b - A x and a text of x,
///         more if digits were added
int sufficient_digits(const linear_system& system, const std::vector<real>& b, const std::vector<real>& x,
                      const solve_report& report);

/// Writes the columns, each with the unknowns of a system, as a MatrixMarket array file, and closes it. There may be none.
///
/// throws  resource_error if the file cannot be written in full
void write_solution(output_file& file, const linear_system& system, const std::vector<solution_column>& columns,
                    const std::string& comment);

/// ||x - y||_inf / ||y||_inf, or the numerator alone if y = 0.
real relative_error(const std::vector<real>& x, const std::vector<real>& y);
/// relative_error() for a y of ones, in real form if x is.
real relative_error_to_ones(const std::vector<real>& x, bool complex);

/// The exit code that stands for a status.
exit_code exit_code_of(solve_status status, bool digits_reached = true);

}  // namespace residua
