#pragma once

#include <optional>

#include <residua/blas/base/multidigit_array.hpp>
#include <residua/blas/sparse/csr.hpp>
#include <residua/solvers/matrix/linear_system.hpp>
#include <residua/solvers/matrix/matrix_storage.hpp>
#include <residua/solvers/matrix/rows_elsewhere.hpp>
#include <residua/solvers/space/long_vector.hpp>
#include <residua/solvers/space/true_residual.hpp>

namespace residua {

/// A for exact residuals: binary64 numbers, or entries of more bits as multi-digit floats on the host, in the precision of
/// the vectors, for which sums are fastest.
class residual_matrix {
public:
    /// A residual matrix of entries that are shared with products; both must outlive it.
    ///
    /// Empty where nothing but MPFR gives the residual: entries or a right-hand side that were rounded when they were read,
    /// decimals, and numbers that multi-digit floats do not hold.
    static std::optional<residual_matrix> of(const linear_system& a, matrix_storage& binary64);

    bool is_binary64() const { return binary64_ != nullptr; }
    matrix_storage& binary64() const { return *binary64_; }
    /// Null: the entries are here.
    const rows_elsewhere* elsewhere() const { return elsewhere_; }

    /// Moves multi-digit floats to the processes that have the rows, if processes have them.
    void move(long_vector& v) const;

    /// Bits that hold every entry; 0 for entries of binary64.
    long bits() const { return bits_; }
    /// Entries of more than binary64 in this precision, at least bits(); made anew if it is another one than last time.
    const csr<host_executor, multidigit>& in(const multidigit_format& format);

private:
    explicit residual_matrix(matrix_storage& a) : binary64_(&a) {}
    residual_matrix(const linear_system& a, long bits) : system_(&a), bits_(bits) {}
    explicit residual_matrix(const rows_elsewhere& a) : elsewhere_(&a) {}

    matrix_storage* binary64_ = nullptr;
    const linear_system* system_ = nullptr;
    long bits_ = 0;
    std::optional<csr<host_executor, multidigit>> rows_;
    const rows_elsewhere* elsewhere_ = nullptr;
};

/// r = b - A x by exact sums of multi-digit floats, every element the exact one, rounded once. With A of binary64 r is
/// where x is, in the higher of the precisions in which x and b are held; with entries of more bits it is on the host,
/// in the highest precision of x, b and A. With rows elsewhere
/// x, b and r are there.
///
/// shapes   A (m x n), x (n), b (m); b and x are multi-digit floats. With A of binary64 b moves to where x is, and is held in
///          as many bits
/// errors   |err_i| <= 2^-p |r_i| with these p bits
/// cost     as residual_exact; none for x = 0
/// order    the same bits for any number of threads, on host and device
residual_evaluation evaluate_exactly(residual_matrix& a, long_vector& b, const long_vector& x);

}  // namespace residua
