#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <residua/solvers/matrix/rows_elsewhere.hpp>
#include <residua/solvers/processes/number_part.hpp>
#include <residua/solvers/processes/partition.hpp>
#include <residua/solvers/processes/processes.hpp>
#include <residua/solvers/processes/row_pieces.hpp>

namespace residua {

/// The rows of a square matrix that this process has, and what processes do together with theirs.
///
/// together  all functions but own() and rows(), each called on every process for its part
class matrix_part {
public:
    /// own     the rows of this process; their columns are those of the whole matrix
    /// throws  dimension_error if these are not the rows of the partition
    matrix_part(processes& all, partition rows, sparse_matrix own);

    /// The part of each process of a matrix that process 0 has. The rows of one process at a time are on their way.
    ///
    /// whole  null on the others
    static matrix_part hand_out(processes& all, const partition& rows, const sparse_matrix* whole);

    const sparse_matrix& own() const { return own_; }
    const partition& rows() const { return rows_; }
    /// The own rows as products take them, made once; null on all, if an entry of the matrix is not of
    /// binary64.
    std::shared_ptr<const stored_rows> stored() const;

    /// What inspect() and the like tell of the whole matrix, on every process. The entries are of binary64.
    matrix_outline outline() const;

    /// The matrix on process 0, put together from one process after the other. The entries are of binary64.
    sparse_matrix gathered() const;

    /// b - A x, as rows_elsewhere::residual() has it.
    number_part residual(const number_part& b, const number_part& x) const;
    /// rows_elsewhere::largest_ratio(), on every process.
    scaled_double largest_ratio(const number_part& r, const number_part& b, const number_part& x) const;
    /// The right-hand side; empty on all, where rows_elsewhere::named() is null.
    std::optional<number_part> named(const named_rhs& which) const;

private:
    index_t first() const { return rows_.first(all_->rank()); }
    index_t last() const { return rows_.last(all_->rank()); }

    processes* all_;
    partition rows_;
    sparse_matrix own_;
    mutable std::shared_ptr<const stored_rows> stored_;  ///< made when it is first needed
};

}  // namespace residua
