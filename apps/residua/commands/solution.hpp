#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <residua/arith/real/real.hpp>
#include <residua/solvers/session/given_rhs.hpp>
#include <residua/solvers/solve.hpp>
#include <residua/solvers/space/long_vector.hpp>

#include <apps/residua/cli/exit_code.hpp>
#include <apps/residua/cli/output_file.hpp>

namespace residua {

/// x as a solve gives it, here or in pieces of several processes, which outlives this.
class solution {
public:
    explicit solution(const std::vector<real>& here) : here_(here) {}
    explicit solution(const solve_result& result) : here_(result.x), in_pieces_(result.x_in_pieces) {}

    const std::vector<real>& here() const { return here_; }
    /// Null: it is here.
    const long_vector* in_pieces() const { return in_pieces_.get(); }

    /// The precision of the longest element, and of binary64 at least.
    long bits() const;
    bool is_zero() const;
    bool is_finite() const;
    real norm_inf() const;
    /// f(first, elements), as long_vector::for_each_part()
    void for_each_part(const std::function<void(index_t first, const std::vector<real>& part)>& f) const;

private:
    const std::vector<real>& here_;
    std::shared_ptr<const long_vector> in_pieces_;
};

/// A column of a solution, and the significant digits that it is written with.
struct solution_column {
    solution x;
    int digits;
};

/// How many digits x needs as text. They round-trip its bits. Digits are added until the residual of x as read back,
/// and for least squares ||A'r|| too, is at most the larger of the tolerance and the reported residual. An
/// ill-conditioned system may need the latter, which is the residual of the bits of x as they are.
///
/// cost    the norms of A and x, where they show that the digits suffice; else an evaluation of b - A x and a text of x,
///         more if digits were added
int sufficient_digits(const linear_system& system, const given_rhs& b, const solution& x, const solve_report& report);

/// Writes the columns, each with the unknowns of a system, as a MatrixMarket array file, and closes it. There may be none.
///
/// throws  resource_error if the file cannot be written in full
void write_solution(output_file& file, const linear_system& system, const std::vector<solution_column>& columns,
                    const std::string& comment);

/// ||x - y||_inf / ||y||_inf, or the numerator alone if y = 0.
real relative_error(const std::vector<real>& x, const std::vector<real>& y);
/// relative_error() for a y of ones, in real form if x is.
real relative_error_to_ones(const solution& x, bool complex);

/// The exit code that stands for a status.
exit_code exit_code_of(solve_status status, bool digits_reached = true);

}  // namespace residua
