#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <residua/solvers/options/preconditioners.hpp>
#include <residua/solvers/precond/chebyshev.hpp>
#include <residua/solvers/processes/matrix_part.hpp>

namespace residua {

enum class service_call : std::int64_t;
struct shared_preconditioner;

/// A matrix of which each process has its rows, as process 0 has it. The others keep theirs under a number until it is
/// destroyed (serve.hpp).
class shared_matrix final : public rows_elsewhere {
public:
    /// part  the rows that process 0 has; the other processes know theirs by this number
    shared_matrix(processes& all, index_t number, matrix_part part);
    shared_matrix(const shared_matrix&) = delete;
    shared_matrix& operator=(const shared_matrix&) = delete;
    ~shared_matrix() override;

    /// Hands out the rows of a matrix that process 0 has, in pieces for sums of every format.
    static std::unique_ptr<shared_matrix> hand_out(processes& all, const sparse_matrix& whole);

    /// Finds the outline.
    void look();

    index_t number() const { return number_; }
    const matrix_part& part() const { return part_; }
    /// M by products, p being none of its rows' but jacobi, block_jacobi or chebyshev.
    shared_preconditioner make_preconditioner(preconditioner p, const preconditioner_options& options) const;

    /// needs  look()
    const matrix_outline& outline() const override { return outline_; }
    sparse_matrix whole() const override;
    numbers_elsewhere::pointer handed_out(const numbers* whole) const override;
    numbers_elsewhere::pointer residual(const numbers_elsewhere& b, const numbers_elsewhere& x) const override;
    scaled_double largest_ratio(const numbers_elsewhere& r, const numbers_elsewhere& b,
                                const numbers_elsewhere& x) const override;
    numbers_elsewhere::pointer named(const named_rhs& which) const override;

private:
    processes& all_;
    index_t number_;
    matrix_part part_;
    matrix_outline outline_;
};

/// A preconditioner by products whose rows processes have, as made_preconditioner.
struct shared_preconditioner {
    std::unique_ptr<shared_matrix> inverse;
    std::optional<chebyshev_interval> polynomial;
    std::string failure;
};

/// The part of a process.
struct preconditioner_part {
    std::optional<matrix_part> inverse;  ///< on all, or on none
    std::optional<chebyshev_interval> polynomial;
    std::string failure;  ///< on process 0
};

/// together
preconditioner_part make_preconditioner_part(processes& all, const matrix_part& a, preconditioner p,
                                             const preconditioner_options& options);

}  // namespace residua
