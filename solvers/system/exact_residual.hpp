#pragma once

#include <optional>
#include <vector>

#include <residua/arith/real/real.hpp>
#include <residua/blas/sparse/csr.hpp>
#include <residua/solvers/system/linear_system.hpp>
#include <residua/solvers/system/true_residual.hpp>

namespace residua {

/// b - A x by exact sums of multi-digit floats, for a matrix of binary64 numbers that it keeps by rows.
class exact_residual {
public:
    /// Whether A is made of binary64 numbers that nothing has rounded.
    static bool suits(const linear_system& system);

    /// shapes   A (m x n); suits(system)
    explicit exact_residual(const linear_system& system);

    /// r = b - A x, every element the exact one, rounded once to half of the bits of x and 64 more, or to the most that
    /// multi-digit floats have. Empty, and nothing is done, where b or x have more bits than multi-digit floats, or
    /// exponents beyond 2^20.
    ///
    /// shapes   x (n), not empty, b (m)
    /// errors   |err_i| <= 2^-p |r_i| with these p bits
    /// cost     as residual_exact, and a conversion of each element of x, b and r
    /// order    the same bits for any number of threads
    std::optional<residual_evaluation> operator()(const std::vector<real>& b, const std::vector<real>& x) const;

private:
    csr<host_executor, double> a_;
};

}  // namespace residua
